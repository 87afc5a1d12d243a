//! `assay ls-lr` on several ranks, in campaigns, with failures, and with wrong input.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::common::ls_lr::{SMALL, phases, place};
use crate::common::{self, Ran, as_other_user, assay, run};
use results::Record;

/// Runs `assay -n RANKS ls-lr WORDS` in `dir`.
fn ls_lr(dir: &Path, ranks: u32, words: &str) -> Ran {
    run(&mut assay(dir, &format!("-n {ranks} ls-lr {words}")))
}

/// The ids of the notices of a run.
fn notices(file: &Path) -> Vec<String> {
    let records = results::records::load(file).unwrap();
    let ids = records.into_iter().filter_map(|record| match record {
        Record::Notice(notice) => Some(notice.reason.code.id().to_owned()),
        _ => None,
    });
    ids.collect()
}

#[test]
fn walkers_create_list_and_remove_their_trees_and_record_the_common_rate() {
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
        assert!(["warm", "small-tree", "short-window"].iter().all(|id| ids.iter().any(|found| found == id)));
    }
}

#[test]
fn each_step_can_be_a_separate_job_under_the_name_ls_lr() {
    let dir = place();
    run(&mut assay(dir.path(), "links .")).ok();
    let ls_lr = |words: &str| {
        let mut command = Command::new(dir.path().join("ls-lr"));
        run(command.current_dir(dir.path()).args(words.split_whitespace()))
    };
    assert!(ls_lr(&format!("-n 2 {SMALL}")).ok().contains("made 1200 entries"));
    assert!(ls_lr(&format!("-n 3 {SMALL}")).ok().contains("2 of 3 trees were complete already"));
    let walked = ls_lr("-n 3 t --stat-only --shift 1").ok();
    assert!(walked.contains("  1, ") && walked.contains("--stat-only: less than ls -l asks for"), "{walked}");
    // One of the three trees can be used alone.
    fs::write(dir.path().join("t/ls-lr.2/theirs"), "").unwrap();
    assert!(
        ls_lr("t/ls-lr.2").out.contains("  <- 600 ENTRIES WERE MADE"),
        "the marker has the number of entries"
    );
    fs::remove_file(dir.path().join("t/ls-lr.2/theirs")).unwrap();
    ls_lr("t/ls-lr.2").ok();
    let out = ls_lr("-n 2 --remove t").ok();
    assert!(out.contains("removed 1200 entries"), "{out}");
    assert!(ls_lr("-n 3 --remove t").ok().contains("removed 600 entries"));
    assert_eq!(fs::read_dir(dir.path().join("t")).unwrap().count(), 0);
}

#[test]
fn a_root_without_a_marker_after_a_kill_is_completed_and_removed_as_a_tree() {
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
fn remove_reports_trees_that_remain_and_missing_trees() {
    let dir = place();
    ls_lr(dir.path(), 3, SMALL).ok();
    let out = ls_lr(dir.path(), 2, "--remove --record r t").ok();
    let warning = "assay: warning: t/ls-lr.2 and later trees are not removed, because a walker removes one \
                   tree. Use as many walkers";
    assert!(out.contains(warning), "{out}");
    assert!(notices(&dir.path().join("r")).contains(&"trees-stay".to_owned()));
    assert!(dir.path().join("t/ls-lr.2").exists());
    let out = ls_lr(dir.path(), 2, "--remove t").ok();
    assert!(out.contains("assay: warning: no tree to remove, for example t/ls-lr.0\n"), "{out}");
    let out = ls_lr(dir.path(), 3, "--remove t").ok();
    assert!(!out.contains("warning"), "{out}");
}

#[test]
fn foreign_files_in_a_tree_survive_and_are_reported() {
    let dir = place();
    ls_lr(dir.path(), 2, SMALL).ok();
    let foreign = dir.path().join("t/ls-lr.1/d2/theirs");
    fs::write(&foreign, "x").unwrap();
    let walked = ls_lr(dir.path(), 2, "t");
    assert_eq!(walked.status, Some(4), "{walked:?}");
    assert!(walked.out.contains("  <- 600 ENTRIES WERE MADE"), "{}", walked.out);
    let removed = ls_lr(dir.path(), 2, "--remove t");
    assert_eq!(removed.status, Some(4), "{removed:?}");
    let notice =
        "LEFT BEHIND: 1 of 2 trees hold files that ls-lr did not create, for example in t/ls-lr.1/d2.";
    assert!(removed.out.contains(notice), "{}", removed.out);
    assert!(foreign.exists() && !dir.path().join("t/ls-lr.0").exists());
    let again = ls_lr(dir.path(), 2, "t");
    assert_eq!((again.status, again.err.lines().count()), (Some(2), 1), "{again:?}");
    fs::remove_file(&foreign).unwrap();
    ls_lr(dir.path(), 2, "--remove t").ok();
    assert_eq!(fs::read_dir(dir.path().join("t")).unwrap().count(), 0);
}

#[test]
fn an_unreadable_directory_ends_the_run_or_is_counted_and_reported() {
    let dir = place();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    ls_lr(dir.path(), 2, SMALL).ok();
    let closed = dir.path().join("t/ls-lr.1/d1");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o0)).unwrap();
    let Some(mut strict) = as_other_user(dir.path(), "-n 2 ls-lr t") else { return };
    let strict = run(&mut strict);
    assert_eq!(strict.status, Some(4), "{strict:?}");
    let lines: Vec<_> = strict.err.lines().collect();
    assert!(
        lines.len() == 1
            && lines[0].starts_with("ls-lr: list: rank 1 (node ")
            && lines[0].ends_with("): t/ls-lr.1/d1: open: Permission denied"),
        "{strict:?}"
    );
    let on = run(&mut as_other_user(dir.path(), "-n 2 ls-lr --continue t").unwrap());
    assert_eq!(on.status, Some(4), "{on:?}");
    assert!(on.out.contains("  FAILED     1 calls\n           1 Permission denied\n"), "{}", on.out);
    assert!(on.out.contains("rank 1: t/ls-lr.1/d1: open: Permission denied"), "{}", on.out);
    assert!(on.out.contains("ENTRIES WERE MADE"), "unlisted entries are missing: {}", on.out);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    let cold = run(&mut as_other_user(dir.path(), "-n 2 ls-lr --cold t").unwrap());
    let warning = "--cold: could not drop the caches. Only root may (/proc/sys/vm/drop_caches: ";
    assert!(cold.out.contains(warning) && cold.out.contains("caches     not dropped"), "{cold:?}");
}

#[test]
fn a_walker_that_ends_early_is_reported() {
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
fn wrong_input_is_rejected_in_one_line_before_the_start() {
    let dir = place();
    ls_lr(dir.path(), 1, SMALL).ok();
    fs::create_dir_all(dir.path().join("foreign/ls-lr.0/theirs")).unwrap();
    fs::create_dir_all(dir.path().join("half")).unwrap();
    fs::create_dir_all(dir.path().join("bare/ls-lr.0")).unwrap();
    fs::create_dir(dir.path().join("a")).unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    symlink("a", dir.path().join("link")).unwrap();
    let table = [
        (1, "", "no directory is given"),
        (1, "--fast t", "unexpected argument '--fast'"),
        (1, "--entries 5 t", "--make"),
        (1, "none", "none: No such file or directory"),
        (1, "file", "file: not a directory"),
        (1, "link", "link: a link. `ls -lR` does not list its target"),
        (2, "a", "1 tree for 2 walkers"),
        (1, "a t", "2 trees for 1 walker"),
        (2, "a a", "a and a are the same tree"),
        (2, "t t/ls-lr.0", "are nested"),
        (2, "t", "t/ls-lr.1: no such tree. Make it with --make."),
        (1, "--make none", "none: No such file or directory"),
        (1, "--make file", "file: not a directory"),
        (1, "--make a t", "--make and --remove take one directory"),
        (1, "--make t", "t/ls-lr.0: a tree of another shape"),
        (1, "--make foreign", "foreign/ls-lr.0: ls-lr did not create this"),
        (1, "--remove foreign", "foreign/ls-lr.0: ls-lr did not create this"),
        (1, "bare", "bare/ls-lr.0: its creation was interrupted. Complete it with --make"),
        (1, "--make --entries 0 half", "--entries 0"),
        (1, "--make --fan-out 0 half", "--fan-out 0"),
        (1, "--make --fan-out 1 --per-dir 0 --entries 9000 half", "9000 levels deep"),
        (1, "-i 0 a", "--repetitions 0"),
        (1, "--min-window=-1 a", "--min-window"),
        (1, "--min-window nan a", "--min-window"),
        (1, "-n 2 a", "-n 1 and -n 2"),
        (0, "a", "-n 0"),
        (1, "--record file a", "--record file: "),
    ];
    for (ranks, words, expected) in table {
        let ran = ls_lr(dir.path(), ranks, words);
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{words}: {ran:?}");
        let lines: Vec<_> = ran.err.lines().collect();
        assert!(
            lines.len() == 1 && lines[0].starts_with("ls-lr: ") && lines[0].contains(expected),
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
fn a_campaign_evaluates_the_rate_of_concurrent_walkers() {
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
fn missing_inodes_are_reported_and_the_trees_can_be_removed() {
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
    // The rank that comes later finds no inode for its first directory, or for one of its files.
    let ends = ["create", "mkdir"].map(|call| format!(": {call}: No space left on device\n"));
    assert!(ends.iter().any(|end| strict.err.ends_with(end)), "{strict:?}");
    assert!(on.status == Some(4) && on.out.contains(" No space left on device\n"), "{on:?}");
    // Two roots and their markers are not entries, and the mount uses one inode.
    assert_eq!(phases(&place.path("r"))[0].ops, 300 - 5, "{removed:?}");
    assert_eq!((removed.status, left), (Some(0), 0), "{removed:?}");
}
