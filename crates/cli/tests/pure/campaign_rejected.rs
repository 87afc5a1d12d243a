//! What is rejected before anything is made, in one line; and `assay try` and `assay plan`.

use std::fs;

use crate::common;
use crate::common::campaign::{HEAD, Place, SmallFs, names};

const WRITER: &str = "[[test]]\nid = \"W\"\nior = \"-w -e -t 64k -b 256k\"\n";
const LOOSE: &str = "criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }\n";

/// The plan that ends with `rest` is rejected by `run` and by `plan check`, with these words.
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
    assert!(names(&place.dir()).is_empty(), "nothing is made");
}

#[test]
fn a_plan_that_cannot_work_is_rejected_at_its_line_and_nothing_is_made() {
    let line = HEAD.lines().count();
    let at = |row: usize, column: usize| format!("{}:{column}", line + row);
    let criterion = |metric: &str, value: &str| {
        format!("{WRITER}criterion = {{ metric = \"{metric}\", op = \">=\", value = {value} }}\n")
    };
    rejected(&format!("{WRITER}{LOOSE}repetition = 3\n"), &at(5, 1), &["did you mean `repetitions`?"]);
    rejected(&criterion("write.bw", "100"), &at(4, 55), &["`100` has no unit; write it as in `"]);
    rejected(&criterion("read.bw", "\"1 B/s\""), &at(4, 24), &["yields no `read.bw`: its phases are write"]);
    rejected(&criterion("write.bandwidth", "\"1 B/s\""), &at(4, 24), &["no metric `bandwidth`"]);
    let reader = "[dataset.pairs]\nior = \"-w -e -k\"\n[[test]]\nid = \"R\"\nuses = \"dataset.pair\"\n\
                  ior = \"-r -k\"\nrole = \"reported\"\n";
    rejected(reader, &at(5, 8), &["no [dataset.pair]; did you mean `pairs`?"]);
    for (words, why) in [
        ("-w --posix.odirekt", "unknown option `--posix.odirekt`"),
        ("-w -a NOSUCH", "no such backend"),
        ("-w -t 2m -b 3m", "does not divide"),
        ("-w -h", "the line runs nothing; take -h out"),
    ] {
        let plan = format!("[[test]]\nid = \"W\"\nior = \"{words}\"\n{LOOSE}");
        rejected(&plan, &at(3, 7), &["test W: ", why]);
    }
}

#[test]
fn what_only_the_launcher_can_know_is_no_reason_to_reject_a_plan() {
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
fn a_plan_that_is_not_there_and_a_directory_that_is_not_are_rejected() {
    let place = Place::new();
    place.plan(&format!("{WRITER}{LOOSE}"));
    fs::create_dir(place.path("planless")).unwrap();
    fs::write(place.path("planless/campaign.json"), "{}").unwrap();
    for (command, why) in [
        ("run nowhere.toml --dir dir", "nowhere.toml: No such file or directory"),
        ("run p.toml", "p.toml tests a directory of your choice; add --dir DIR"),
        ("run p.toml --dir nowhere", "nowhere is no directory"),
        ("run p.toml --dir dir --only X", "plan p has no test `X`; it has W"),
        (
            "run --resume dir",
            "dir is no campaign's folder, so there is nothing to resume; `assay run` prints",
        ),
        ("run --resume planless", "planless/plan.toml is missing, and a campaign goes on only with the plan"),
        ("run --resume nosuch", "nosuch is no campaign's folder, so there is nothing to resume; "),
        ("try nowhere", "nowhere is no directory; make it first, or name another"),
        ("try dir --only X", "plan try has no test `X`; it has WRITE, "),
        ("plan show nothing", "there is no bundled plan `nothing`; there is try"),
        ("judge dir", "dir is no campaign's folder"),
        ("report dir", "dir is no campaign's folder"),
        ("verify dir", "dir is no campaign's folder"),
    ] {
        let ran = place.assay(command);
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{command}: {ran:#?}");
        assert_eq!(ran.err.lines().count(), 1, "{command}: {ran:#?}");
        assert!(ran.err.starts_with("assay: ") && ran.err.contains(why), "{command}: {ran:#?}");
    }
    assert!(names(&place.dir()).is_empty(), "nothing is made");
}

#[test]
fn a_ready_plan_can_be_shown_kept_and_checked() {
    let place = Place::new();
    let listed = place.assay("plan list").ok();
    assert!(listed.starts_with("try "));
    for name in listed.lines().map(|line| line.split_whitespace().next().unwrap()) {
        fs::write(place.path("p.toml"), place.assay(&format!("plan show {name}")).ok()).unwrap();
        assert!(place.assay("plan check p.toml").ok().starts_with(&format!("{name}: ")), "{name}");
    }
    fs::write(place.path("p.toml"), place.assay("plan show try").ok()).unwrap();
    let summary = place.assay("plan check p.toml").ok();
    for words in ["6 tests, 6 criteria, 3 datasets, 29 jobs\n", "writes at most ", "1.25 GiB at a time"] {
        assert!(summary.contains(words), "{summary}");
    }
}

#[test]
fn try_rejects_a_file_system_without_room_and_leaves_nothing_behind() {
    let place = Place::new();
    let Some(_mounted) = SmallFs::mount(&place.dir(), "16m") else { return };
    let ran = place.assay("try dir");
    assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{ran:#?}");
    assert_eq!(ran.err, "assay: dir has 16.0 MiB free, and 1.38 GiB are needed; try another directory\n");
    assert!(names(&place.dir()).is_empty());
}

#[test]
fn a_plan_whose_names_need_more_inodes_than_are_free_is_rejected() {
    let place = Place::new();
    let Some(_mounted) = SmallFs::mount(&place.dir(), "16m,nr_inodes=500") else { return };
    place.plan("[[test]]\nid = \"T\"\nmdtest = \"-F -C -r -n 250\"\nrole = \"reported\"\n");
    let ran = place.assay("run p.toml --dir dir");
    assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
    let why =
        "inodes free and the plan needs 552 (its names and 10 %); make room or choose another directory";
    assert!(ran.err.contains(why), "{ran:#?}");
    assert!(names(&place.dir()).is_empty());
    let summary = place.assay("plan check p.toml").ok();
    assert!(summary.contains("0 B at a time, as 501 names at most, in"), "{summary}");
}

#[test]
fn a_directory_that_cannot_be_written_to_is_rejected_with_its_name() {
    let place = Place::new();
    let Some(_mounted) = SmallFs::mount(&place.dir(), "4m,ro") else { return };
    fs::create_dir(place.path("evidence")).unwrap();
    place.plan(&format!("{WRITER}{LOOSE}"));
    for command in ["run p.toml --dir dir", "run p.toml --dir dir --campaigns evidence"] {
        let ran = place.assay(command);
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
        assert!(ran.err.contains("cannot make /") && ran.err.contains("Read-only file system"), "{ran:#?}");
    }
    assert!(names(&place.path("evidence")).is_empty(), "nothing is made");
}

#[test]
fn what_try_concludes_is_what_its_verdicts_say() {
    let place = Place::new();
    let ran = place.assay("try dir --only DATA");
    let outcomes = place.outcomes();
    assert_eq!(outcomes.last().map(String::as_str), Some("DATA PASS"), "{ran:#?}");
    assert!(outcomes[..5].iter().all(|outcome| outcome.ends_with(" NOT_RUN")), "{outcomes:?}");
    assert_eq!(ran.status, Some(3), "five clauses are open: {ran:#?}");
    assert_eq!(names(&place.dir()).len(), 1, "its files are gone");
}

#[test]
fn the_plan_in_the_documentation_is_a_plan() {
    let text = include_str!("../../../../docs/PLAN.md");
    let plan = text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("it is there");
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("p.toml"), plan).unwrap();
    let told = common::run(&mut common::assay(dir.path(), "plan check p.toml")).ok();
    assert!(told.contains("3 tests, 4 criteria, 1 dataset"), "{told}");
}

#[test]
fn criteria_of_a_group_are_counted_too() {
    let plan = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n[[group]]\n\
                id = \"G\"\ncriterion = { metric = \"write.bw\", op = \">=\", value = \"1 MB/s\" }\n\
                [[group.parts]]\nid = \"a\"\nior = \"-w\"\n[[group.parts]]\nid = \"b\"\nior = \"-w\"\n";
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("p.toml"), plan).unwrap();
    let told = common::run(&mut common::assay(dir.path(), "plan check p.toml")).ok();
    assert!(told.contains("2 tests, 1 criterion, 0 datasets"), "{told}");
}
