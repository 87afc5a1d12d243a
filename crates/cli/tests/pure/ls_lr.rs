//! `assay ls-lr` as it is used: on several ranks, in campaigns, with failures, and against bad input.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::common::ls_lr::{SMALL, phases, place};
use crate::common::{self, Ran, assay, program, run};
use results::Record;

/// Runs `assay -n RANKS ls-lr WORDS` in `dir`.
fn ls_lr(dir: &Path, ranks: u32, words: &str) -> Ran {
    run(&mut assay(dir, &format!("-n {ranks} ls-lr {words}")))
}

/// The notices of a run, by their names.
fn notices(file: &Path) -> Vec<String> {
    let records = results::records::load(file).unwrap();
    let ids = records.into_iter().filter_map(|record| match record {
        Record::Notice(notice) => Some(notice.id),
        _ => None,
    });
    ids.collect()
}

#[test]
fn walkers_make_walk_and_remove_their_trees_and_record_the_common_rate() {
    for ranks in [1, 2, 4] {
        let dir = place();
        let out =
            ls_lr(dir.path(), ranks, &format!("--walk --remove -i 2 --min-window 9999 --record r {SMALL}"))
                .ok();
        let all = u64::from(ranks) * 600;
        assert!(out.contains(&format!("counted {all} entries by listing")), "{out}");
        assert!(out.contains("\nrepetition 1\n") && out.contains("\nrate of 2 repetitions: mean "), "{out}");
        assert!(!out.contains("FAILED") && !out.contains("LEFT"), "{out}");
        assert_eq!(fs::read_dir(dir.path().join("t")).unwrap().count(), 0);
        let phases = phases(&dir.path().join("r"));
        let names: Vec<_> = phases.iter().map(|phase| (phase.phase.as_str(), phase.ops)).collect();
        let dirs = u64::from(ranks) * 29;
        let twice = [("list", all), ("directories", dirs)];
        assert_eq!(names, [&[("make", all)], &twice[..], &twice, &[("remove", all)]].concat());
        let window = phases[1].window.unwrap();
        assert!(window.first_rank < ranks && window.ops >= 600 && window.ops <= all);
        let rate = window.ops as f64 / window.seconds;
        assert!(out.contains(&format!("  rate       {rate:>10.0} stats/s ")), "{out}");
        assert_eq!(phases[1].metric("rate").unwrap().value, rate);
        assert_eq!(phases[1].metric("failures").unwrap().value, 0.0);
        assert_eq!(phases[1].latency.as_ref().unwrap().count, all);
        assert_eq!(phases[2].latency.as_ref().unwrap().count, dirs);
        let ids = notices(&dir.path().join("r"));
        assert!(["warm", "small-tree", "short-window"].iter().all(|id| ids.iter().any(|told| told == id)));
    }
}

#[test]
fn each_step_can_be_a_launch_of_its_own_and_the_link_has_its_name() {
    let dir = place();
    run(&mut assay(dir.path(), "links .")).ok();
    let own = |words: &str| {
        let mut command = Command::new(dir.path().join("ls-lr"));
        run(command.current_dir(dir.path()).args(words.split_whitespace()))
    };
    assert!(own(&format!("-n 2 {SMALL}")).ok().contains("made 1200 entries"));
    assert!(own(&format!("-n 3 {SMALL}")).ok().contains("2 of 3 trees were whole before"));
    let walked = own("-n 3 t --stat-only --shift 1").ok();
    assert!(walked.contains("  1, ") && walked.contains("--stat-only: less than ls -l asks for"), "{walked}");
    // One tree of three alone is one like any other.
    fs::write(dir.path().join("t/ls-lr.2/theirs"), "").unwrap();
    assert!(own("t/ls-lr.2").out.contains("  <- 600 ENTRIES WERE MADE"), "known by its marker");
    fs::remove_file(dir.path().join("t/ls-lr.2/theirs")).unwrap();
    own("t/ls-lr.2").ok();
    let told = own("-n 2 --remove t").ok();
    assert!(told.contains("removed 1200 entries"), "{told}");
    assert!(own("-n 3 --remove t").ok().contains("removed 600 entries"));
    assert_eq!(fs::read_dir(dir.path().join("t")).unwrap().count(), 0);
}

#[test]
fn a_root_that_a_kill_left_without_its_marker_is_made_and_removed_as_a_tree() {
    for left in [None, Some(""), Some("ls-lr made this tree, and rem")] {
        for words in [SMALL, "--remove t"] {
            let dir = place();
            let root = dir.path().join("t/ls-lr.1");
            fs::create_dir(&root).unwrap();
            if let Some(text) = left {
                fs::write(root.join(".ls-lr-tree.new"), text).unwrap();
            }
            let out = ls_lr(dir.path(), 2, words).ok();
            let made = out.contains("made 1200 entries in ");
            assert!(made == (words == SMALL) && root.exists() == made, "{left:?} {words}: {out}");
            ls_lr(dir.path(), 2, "--remove t").ok();
            assert_eq!(fs::read_dir(dir.path().join("t")).unwrap().count(), 0);
        }
    }
}

#[test]
fn fewer_walkers_than_trees_say_that_others_stay_and_no_tree_at_all_is_said_too() {
    let dir = place();
    ls_lr(dir.path(), 3, SMALL).ok();
    let out = ls_lr(dir.path(), 2, "--remove --record r t").ok();
    let told =
        "assay: warning: t/ls-lr.2 and what follows stay: a walker removes one tree; use as many walkers";
    assert!(out.contains(told), "{out}");
    assert!(notices(&dir.path().join("r")).contains(&"trees-stay".to_owned()));
    assert!(dir.path().join("t/ls-lr.2").exists());
    let out = ls_lr(dir.path(), 2, "--remove t").ok();
    assert!(out.contains("assay: warning: there was no tree to remove, such as t/ls-lr.0\n"), "{out}");
    let out = ls_lr(dir.path(), 3, "--remove t").ok();
    assert!(!out.contains("warning"), "{out}");
}

#[test]
fn what_others_put_into_a_tree_survives_and_is_told() {
    let dir = place();
    ls_lr(dir.path(), 2, SMALL).ok();
    let foreign = dir.path().join("t/ls-lr.1/d2/theirs");
    fs::write(&foreign, "x").unwrap();
    let walked = ls_lr(dir.path(), 2, "t");
    assert_eq!(walked.status, Some(4), "{walked:?}");
    assert!(walked.out.contains("  <- 600 ENTRIES WERE MADE"), "{}", walked.out);
    let removed = ls_lr(dir.path(), 2, "--remove t");
    assert_eq!(removed.status, Some(4), "{removed:?}");
    let told = "LEFT BEHIND: 1 of 2 trees hold what ls-lr did not make, such as in t/ls-lr.1/d2;";
    assert!(removed.out.contains(told), "{}", removed.out);
    assert!(foreign.exists() && !dir.path().join("t/ls-lr.0").exists());
    let again = ls_lr(dir.path(), 2, "t");
    assert_eq!((again.status, again.err.lines().count()), (Some(2), 1), "{again:?}");
    fs::remove_file(&foreign).unwrap();
    ls_lr(dir.path(), 2, "--remove t").ok();
    assert_eq!(fs::read_dir(dir.path().join("t")).unwrap().count(), 0);
}

/// The program as a user who is not root; `None` where that cannot be arranged.
fn as_nobody(dir: &Path, words: &str) -> Option<Command> {
    if !rustix::process::geteuid().is_root() {
        return Some(assay(dir, words));
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program());
    command.current_dir(dir).args(words.split_whitespace());
    // Not every folder of a build can be looked into by everybody.
    let mut probe = Command::new("setpriv");
    probe.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program()).arg("--version");
    let works = probe.output().is_ok_and(|ran| ran.status.success());
    if !works {
        println!("SKIPPED: nobody cannot run {}", program().display());
    }
    works.then_some(command)
}

#[test]
fn a_directory_that_may_not_be_read_is_counted_and_named_or_ends_the_run() {
    let dir = place();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    ls_lr(dir.path(), 2, SMALL).ok();
    let closed = dir.path().join("t/ls-lr.1/d1");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o0)).unwrap();
    let Some(mut strict) = as_nobody(dir.path(), "-n 2 ls-lr t") else { return };
    let strict = run(&mut strict);
    assert_eq!(strict.status, Some(4), "{strict:?}");
    let lines: Vec<_> = strict.err.lines().collect();
    assert!(
        lines.len() == 1
            && lines[0].starts_with("ls-lr: list: rank 1 (node ")
            && lines[0].ends_with("): t/ls-lr.1/d1: open: Permission denied"),
        "{strict:?}"
    );
    let on = run(&mut as_nobody(dir.path(), "-n 2 ls-lr --continue t").unwrap());
    assert_eq!(on.status, Some(4), "{on:?}");
    assert!(on.out.contains("  FAILED     1 calls\n           1 Permission denied\n"), "{}", on.out);
    assert!(on.out.contains("rank 1: t/ls-lr.1/d1: open: Permission denied"), "{}", on.out);
    assert!(on.out.contains("ENTRIES WERE MADE"), "what was not listed is missing: {}", on.out);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    let cold = run(&mut as_nobody(dir.path(), "-n 2 ls-lr --cold t").unwrap());
    let told = "--cold: caches could not be dropped, which only root may (/proc/sys/vm/drop_caches: ";
    assert!(cold.out.contains(told) && cold.out.contains("caches     not dropped"), "{cold:?}");
}

#[test]
fn walkers_of_uneven_trees_say_who_ended_early() {
    let dir = place();
    ls_lr(dir.path(), 1, "--make --entries 20000 t").ok();
    fs::create_dir(dir.path().join("tiny")).unwrap();
    fs::write(dir.path().join("tiny/f"), "").unwrap();
    let out = ls_lr(dir.path(), 2, "t/ls-lr.0 tiny --record r").ok();
    assert!(out.contains("until walker 1 ended") && out.contains("<- ended early"), "{out}");
    assert!(out.contains("assay: warning: walker 1 ended after "), "{out}");
    let list = phases(&dir.path().join("r")).remove(0);
    let window = list.window.unwrap();
    assert!(window.first_rank == 1 && window.ops < list.ops && list.ops == 20_001, "{window:?}");
    assert!(notices(&dir.path().join("r")).contains(&"uneven-walkers".to_owned()));
}

#[test]
fn bad_input_is_rejected_in_one_line_before_anything_is_done() {
    let dir = place();
    ls_lr(dir.path(), 1, SMALL).ok();
    fs::create_dir_all(dir.path().join("foreign/ls-lr.0/theirs")).unwrap();
    fs::create_dir_all(dir.path().join("half")).unwrap();
    fs::create_dir_all(dir.path().join("bare/ls-lr.0")).unwrap();
    fs::create_dir(dir.path().join("a")).unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    symlink("a", dir.path().join("link")).unwrap();
    let table = [
        (1, "", "name a directory for each walker"),
        (1, "--fast t", "unexpected argument '--fast'"),
        (1, "--entries 5 t", "--make"),
        (1, "none", "none: No such file or directory"),
        (1, "file", "file: not a directory"),
        (1, "link", "link: a link, of which ls -lR lists nothing"),
        (2, "a", "1 tree for 2 walkers"),
        (1, "a t", "2 trees for 1 walker"),
        (2, "a a", "a and a are one tree"),
        (2, "t t/ls-lr.0", "lie within each other"),
        (2, "t", "t/ls-lr.1: no such tree; --make makes one"),
        (1, "--make none", "none: No such file or directory"),
        (1, "--make file", "file: not a directory"),
        (1, "--make a t", "--make and --remove take one directory"),
        (1, "--make t", "t/ls-lr.0: a tree of another shape"),
        (1, "--make foreign", "foreign/ls-lr.0: ls-lr did not make this"),
        (1, "--remove foreign", "foreign/ls-lr.0: ls-lr did not make this"),
        (1, "bare", "bare/ls-lr.0: its making was interrupted; end it with --make"),
        (1, "--make --entries 0 half", "--entries 0"),
        (1, "--make --fan-out 0 half", "--fan-out 0"),
        (1, "--make --fan-out 1 --per-dir 0 --entries 9000 half", "9000 deep"),
        (1, "-i 0 a", "--repetitions 0"),
        (1, "--min-window=-1 a", "--min-window"),
        (1, "--min-window nan a", "--min-window"),
        (1, "-n 2 a", "-n 1 and -n 2"),
        (0, "a", "-n 0"),
        (1, "--record file a", "--record file: "),
    ];
    for (ranks, words, told) in table {
        let ran = ls_lr(dir.path(), ranks, words);
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{words}: {ran:?}");
        let lines: Vec<_> = ran.err.lines().collect();
        assert!(
            lines.len() == 1 && lines[0].starts_with("ls-lr: ") && lines[0].contains(told),
            "{words}: {ran:?}"
        );
    }
    assert_eq!(fs::read_dir(dir.path().join("half")).unwrap().count(), 0);
    assert!(dir.path().join("foreign/ls-lr.0/theirs").exists() && dir.path().join("bare/ls-lr.0").exists());
    assert!(ls_lr(dir.path(), 1, "--help").ok().contains("--min-window <SECONDS>"));
}

const PLAN: &str = r#"
[[test]]
id = "MAKE"
ls_lr = "--make --entries 700 --per-dir 20"
role = "reported"
[[test]]
id = "LS"
clause = "5,000 stats a second"
ls_lr = "--walk"
repetitions = 2
uses = "MAKE"
cache = "warm"
criterion = [
  { metric = "list.rate", stat = "max", op = ">=", value = "1/s" },
  { metric = "list.rate", stat = "max", op = ">=", value = "1000 G/s" },
  { metric = "directories.latency.p99", stat = "max", op = "<", value = "1 h" },
]
[[test]]
id = "GONE"
ls_lr = "--remove"
uses = "MAKE"
role = "reported"
"#;

#[test]
fn a_campaign_judges_the_rate_of_walkers_at_once() {
    let place = common::campaign::Place::new();
    place.plan(PLAN);
    let ran = place.campaign();
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    assert_eq!(place.outcomes(), ["LS PASS", "LS FAIL", "LS PASS"]);
    assert!(!place.dir().join("ls-lr.0").exists());
    place.plan(&PLAN.replace("\"--walk\"", "\"--walk --fast\""));
    let rejected = place.assay("plan check p.toml");
    assert_eq!(rejected.status, Some(2));
    assert!(rejected.err.contains("test LS: unexpected argument '--fast' found"), "{}", rejected.err);
}

#[test]
fn a_file_system_without_inodes_is_told_and_its_trees_can_be_removed() {
    let place = common::campaign::Place::new();
    let mounted = place.path("small");
    fs::create_dir(&mounted).unwrap();
    let mount = ["-t", "tmpfs", "-o", "nr_inodes=300", "none"];
    if !Command::new("mount").args(mount).arg(&mounted).status().is_ok_and(|status| status.success()) {
        println!("SKIPPED: only root mounts a small file system");
        return;
    }
    let strict = place.assay("-n 2 ls-lr --make --entries 500 small");
    let on = place.assay("-n 2 ls-lr --make --continue --entries 500 small");
    let removed = place.assay("-n 2 ls-lr --remove --record r small");
    let left = fs::read_dir(&mounted).unwrap().count();
    let ended = Command::new("umount").arg(&mounted).status();
    assert!(ended.is_ok_and(|status| status.success()));
    assert_eq!((strict.status, strict.err.lines().count()), (Some(4), 1), "{strict:?}");
    assert!(strict.err.ends_with(": create: No space left on device\n"), "{strict:?}");
    assert!(on.status == Some(4) && on.out.contains(" No space left on device\n"), "{on:?}");
    // Two roots and their markers are no entries, and one inode is the mount's own.
    assert_eq!(phases(&place.path("r"))[0].ops, 300 - 5, "{removed:?}");
    assert_eq!((removed.status, left), (Some(0), 0), "{removed:?}");
}
