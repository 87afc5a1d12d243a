//! Campaigns that are rejected with one line before any file is created; and `assay try` and `assay plan`.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::common;
use crate::common::campaign::{HEAD, Place, SmallFs, names};

const WRITER: &str = "[[test]]\nid = \"W\"\nior = \"-w -e -t 64k -b 256k\"\n";
const LOOSE: &str = "criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }\n";

/// Asserts that `run` and `plan check` reject the plan that ends with `rest`, with these words.
fn rejected(rest: &str, place_in_file: &str, words: &[&str]) {
    let place = Place::new();
    place.plan(rest);
    for command in ["run p.toml --dir dir", "plan check p.toml"] {
        let ran = place.assay(command);
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{command}: {ran:#?}");
        assert_eq!(ran.err.lines().count(), 1, "{command}: {ran:#?}");
        let at = format!("assay: p.toml:{place_in_file}: ");
        assert!(ran.err.starts_with(&at), "{at}: {ran:#?}");
        for word in words {
            assert!(ran.err.contains(word), "{word}: {ran:#?}");
        }
    }
    assert!(names(&place.dir()).is_empty(), "no file is created");
}

#[test]
fn a_wrong_plan_is_rejected_with_its_line_and_no_file_is_created() {
    let line = HEAD.lines().count();
    let at = |row: usize, column: usize| format!("{}:{column}", line + row);
    let criterion = |metric: &str, value: &str| {
        format!("{WRITER}criterion = {{ metric = \"{metric}\", op = \">=\", value = {value} }}\n")
    };
    rejected(&format!("{WRITER}{LOOSE}repetition = 3\n"), &at(5, 1), &["Did you mean `repetitions`?"]);
    rejected(&criterion("write.bw", "100"), &at(4, 55), &["`100` has no unit. Write for example `"]);
    rejected(
        &criterion("read.bw", "\"1 B/s\""),
        &at(4, 24),
        &["does not yield `read.bw`. Its phases are \
                                                                write."],
    );
    rejected(&criterion("write.bandwidth", "\"1 B/s\""), &at(4, 24), &["unknown metric `bandwidth`"]);
    let reader = "[dataset.pairs]\nior = \"-w -e -k\"\n[[test]]\nid = \"R\"\nuses = \"dataset.pair\"\n\
                  ior = \"-r -k\"\nrole = \"reported\"\n";
    rejected(reader, &at(5, 8), &["no [dataset.pair]. Did you mean `pairs`?"]);
    for (words, why) in [
        ("-w --posix.odirekt", "unknown option `--posix.odirekt`"),
        ("-w -a NOSUCH", "unknown backend `NOSUCH`"),
        ("-w -t 2m -b 3m", "does not divide"),
        ("-w -h", "the command line runs nothing. Leave out the options for help and version."),
    ] {
        let plan = format!("[[test]]\nid = \"W\"\nior = \"{words}\"\n{LOOSE}");
        rejected(&plan, &at(3, 7), &["test W: ", why]);
    }
}

#[test]
fn a_plan_is_not_rejected_for_settings_of_the_launcher() {
    let place = Place::new();
    place.plan(&format!(
        "launch = {{ kind = \"mpirun\" }}\n{}{LOOSE}",
        WRITER.replace("-w", "-w -a MPIIO -c")
    ));
    let mut check = place.command("plan check p.toml");
    let ran = common::run(check.env("OMPI_COMM_WORLD_SIZE", "4").env("OMPI_COMM_WORLD_RANK", "1"));
    assert!(ran.ok().contains("1 test, 1 criterion, 0 datasets, 1 job\n"));
}

#[test]
fn a_missing_plan_directory_or_campaign_is_rejected() {
    let place = Place::new();
    place.plan(&format!("{WRITER}{LOOSE}"));
    fs::create_dir(place.path("planless")).unwrap();
    fs::write(place.path("planless/campaign.json"), "{}").unwrap();
    for (command, why) in [
        ("run nowhere.toml --dir dir", "nowhere.toml: No such file or directory"),
        ("run p.toml", "p.toml tests a directory of your choice. Add --dir DIR."),
        ("run p.toml --dir nowhere", "nowhere is not a directory"),
        ("run p.toml --dir dir --only X", "plan p has no test `X`. Known: W."),
        ("run --resume dir", "dir is not a campaign folder, so it cannot be resumed. `assay run` prints"),
        (
            "run --resume planless",
            "planless/plan.toml is missing. A campaign resumes only with its unmodified plan.",
        ),
        ("run --resume nosuch", "nosuch is not a campaign folder, so it cannot be resumed. "),
        ("try nowhere", "nowhere is not a directory. Create it or choose another directory."),
        ("try dir --only X", "plan try has no test `X`. Known: WRITE, "),
        ("plan show nothing", "there is no bundled plan `nothing`. Known: try"),
        ("judge dir", "dir is not a campaign folder"),
        ("report dir", "dir is not a campaign folder"),
        ("verify dir", "dir is not a campaign folder"),
    ] {
        let ran = place.assay(command);
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{command}: {ran:#?}");
        assert_eq!(ran.err.lines().count(), 1, "{command}: {ran:#?}");
        assert!(ran.err.starts_with("assay: ") && ran.err.contains(why), "{command}: {ran:#?}");
    }
    assert!(names(&place.dir()).is_empty(), "no file is created");
}

#[test]
fn the_plan_try_can_be_shown_saved_and_checked() {
    let place = Place::new();
    fs::write(place.path("p.toml"), place.assay("plan show try").ok()).unwrap();
    let summary = place.assay("plan check p.toml").ok();
    for words in ["8 tests, 6 criteria, 2 datasets, 24 jobs\n", "writes at most ", "1.19 GiB at a time"] {
        assert!(summary.contains(words), "{summary}");
    }
}

#[test]
fn try_rejects_a_file_system_without_free_space_and_leaves_no_files() {
    let place = Place::new();
    let Some(_mounted) = SmallFs::mount(&place.dir(), "16m") else { return };
    let ran = place.assay("try dir");
    assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{ran:#?}");
    assert_eq!(
        ran.err,
        "assay: dir has 16.0 MiB free, but SHARED-W needs 1.31 GiB. Choose another directory.\n"
    );
    assert!(names(&place.dir()).is_empty());
}

#[test]
fn a_plan_that_needs_more_inodes_than_are_free_is_rejected() {
    let place = Place::new();
    let Some(_mounted) = SmallFs::mount(&place.dir(), "16m,nr_inodes=500") else { return };
    place.plan("[[test]]\nid = \"T\"\nmdtest = \"-F -C -r -n 250\"\nrole = \"reported\"\n");
    let ran = place.assay("run p.toml --dir dir");
    assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
    let why = "free inodes, but T needs 552 (all files and directories at that time plus 10 %). Remove files";
    assert!(ran.err.contains(why), "{ran:#?}");
    assert!(names(&place.dir()).is_empty());
    let summary = place.assay("plan check p.toml").ok();
    assert!(summary.contains("0 B at a time, in at most 501 files and directories, in"), "{summary}");
}

#[test]
fn a_read_only_directory_is_rejected_with_its_name() {
    let place = Place::new();
    let Some(_mounted) = SmallFs::mount(&place.dir(), "4m,ro") else { return };
    fs::create_dir(place.path("evidence")).unwrap();
    place.plan(&format!("{WRITER}{LOOSE}"));
    for command in ["run p.toml --dir dir", "run p.toml --dir dir --campaigns evidence"] {
        let ran = place.assay(command);
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
        let named = ran.err.starts_with("assay: cannot ") && ran.err.contains(" /");
        assert!(named && ran.err.contains("Read-only file system"), "{ran:#?}");
    }
    assert!(names(&place.path("evidence")).is_empty(), "no file is created");
}

#[test]
fn the_exit_status_of_try_follows_from_its_verdicts() {
    let place = Place::new();
    let ran = place.assay("try dir --only DATA");
    let outcomes = place.outcomes();
    assert_eq!(outcomes.last().map(String::as_str), Some("DATA PASS"), "{ran:#?}");
    assert!(outcomes[..5].iter().all(|outcome| outcome.ends_with(" NOT_RUN")), "{outcomes:?}");
    assert_eq!(ran.status, Some(0), "the clauses of other tests do not count: {ran:#?}");
    assert_eq!(names(&place.dir()).len(), 1, "its files are removed");
}

#[test]
fn the_plan_in_the_documentation_is_valid() {
    let text = include_str!("../../../../docs/reference/plan.md");
    let plan = text
        .split("```toml\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .expect("the page has a plan");
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("p.toml"), plan).unwrap();
    let summary = common::run(&mut common::assay(dir.path(), "plan check p.toml")).ok();
    assert!(summary.contains("3 tests, 4 criteria, 1 dataset"), "{summary}");
}

#[test]
fn criteria_of_a_group_are_counted_too() {
    let plan = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n[[group]]\n\
                id = \"G\"\ncriterion = { metric = \"write.bw\", op = \">=\", value = \"1 MB/s\" }\n\
                [[group.parts]]\nid = \"a\"\nior = \"-w\"\n[[group.parts]]\nid = \"b\"\nior = \"-w\"\n";
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("p.toml"), plan).unwrap();
    let summary = common::run(&mut common::assay(dir.path(), "plan check p.toml")).ok();
    assert!(summary.contains("2 tests, 1 criterion, 0 datasets"), "{summary}");
}

#[test]
fn a_read_only_file_system_is_not_reported_as_too_small() {
    let place = Place::new();
    let Some(_mounted) = SmallFs::mount(&place.dir(), "16m,ro") else { return };
    place.plan("[[test]]\nid = \"T\"\nior = \"-w -b 1g\"\nrole = \"reported\"\n");
    for command in ["try dir", "run p.toml --dir dir"] {
        let ran = place.assay(command);
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
        assert!(ran.err.contains("Read-only file system") && !ran.err.contains("MiB"), "{ran:#?}");
    }
}

#[test]
fn a_plan_that_is_not_utf_8_is_rejected_with_its_line_and_byte() {
    let place = Place::new();
    fs::write(place.path("p.toml"), b"schema = 1\nplan = { id = \"p\", title = \"Caf\xE9\" }\n").unwrap();
    for command in ["run p.toml --dir dir", "plan check p.toml", "plan add bandwidth p.toml"] {
        let ran = place.assay(command);
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{command}: {ran:#?}");
        let why = "assay: p.toml:2:32: the byte 0xE9 is not UTF-8. Save the file as UTF-8.\n";
        assert_eq!(ran.err, why, "{command}");
    }
}

#[test]
fn a_folder_of_another_user_is_denied_and_not_called_another_thing() {
    if !common::is_root() {
        println!("SKIPPED: only root can run a program as another user");
        return;
    }
    let place = Place::new();
    place.plan(&format!("{WRITER}{LOOSE}"));
    place.assay("run p.toml --dir dir --folder c");
    let program = place.path("assay");
    common::copy_of_program(&program);
    fs::set_permissions(place.path(""), Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(place.path("c"), Permissions::from_mode(0o700)).unwrap();
    for words in [
        "judge c",
        "report c",
        "verify c",
        "pack c",
        "compare c c",
        "watch c",
        "run --resume c",
        "run --extend c --repetitions 2 --reason x",
        "run p.toml --dir dir --folder c",
    ] {
        let mut command = Command::new(&program);
        command.current_dir(place.path("")).args(words.split(' ')).uid(65534).gid(65534);
        let ran = common::run(&mut command);
        let why = "assay: c: permission denied. Ask its owner for the right to read it.\n";
        assert_eq!((ran.status, ran.err.as_str()), (Some(2), why), "{words}");
    }
}
