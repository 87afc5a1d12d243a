//! `assay pfind` compared with GNU find, in campaigns, with failures, and with wrong input.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::common::ls_lr::{phases, place};
use crate::common::{self, Ran, as_other_user, assay, gnu_find, run};

/// Runs `assay -n RANKS pfind WORDS` in `dir`.
fn pfind(dir: &Path, ranks: u32, words: &str) -> Ran {
    run(&mut assay(dir, &format!("-n {ranks} pfind {words}")))
}

#[test]
fn the_phase_of_io500_finds_what_gnu_find_does() {
    let dir = place();
    run(&mut assay(dir.path(), "-n 2 mdtest -n 150 -u -L -F -z 1 -b 2 -C -Y -d t/easy")).ok();
    let tick = || std::thread::sleep(std::time::Duration::from_millis(30));
    tick();
    fs::write(dir.path().join("timestampfile"), "").unwrap();
    tick();
    run(&mut assay(dir.path(), "-n 2 mdtest -n 420 -w 3901 -e 3901 -F -C -Y -d t/hard")).ok();
    symlink("hard", dir.path().join("t/01link")).unwrap();
    let files = gnu_find(dir.path(), "t -not -type d");
    let entries = gnu_find(dir.path(), "t") - 1;
    let matched = gnu_find(dir.path(), "t -newer timestampfile -size 3901c -name *01*");
    assert!(matched > 2 && files > 300, "{matched} of {files}");
    let words = "t -newer timestampfile -size 3901c -name *01* -C -q 10000 -D rates --record r";
    for ranks in [1, 3] {
        let out = pfind(dir.path(), ranks, words).ok();
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.last(), Some(&&*format!("MATCHED {matched}/{files}")), "{out}");
        let done = lines[lines.len() - 2];
        let ending = format!(
            "s found: {matched} (scanned {files} files, scanned dirents: {entries}, unknown dirents: 0)"
        );
        assert!(done.starts_with("[DONE] rate: ") && done.ends_with(&ending), "{done}");
        let [find, directories] = &phases(&dir.path().join("r"))[..] else { panic!("two phases") };
        assert_eq!(
            (find.phase.as_str(), find.ops, find.matched),
            ("find", files as u64, Some(matched as u64))
        );
        assert_eq!(directories.ops as usize, gnu_find(dir.path(), "t -type d"));
        let rate = find.metric("rate").unwrap().value;
        assert!(out.contains(&format!("  rate       {rate:>10.0} files/s ")), "{out}");
        assert_eq!(find.latency.as_ref().unwrap().count, find.ops);
        fs::remove_file(dir.path().join("r")).unwrap();
    }
    let none = pfind(dir.path(), 2, "t -name none*such");
    assert_eq!(none.status, Some(4), "{none:?}");
    assert!(none.out.contains("assay: warning: no file in t meets the conditions"), "{none:?}");
    assert!(none.out.ends_with(&format!("\nMATCHED 0/{files}\n")), "{none:?}");
}

#[test]
fn an_unreadable_directory_ends_the_search_or_leaves_it_without_a_result() {
    let dir = place();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    for name in ["a", "b", "closed"] {
        fs::create_dir(dir.path().join("t").join(name)).unwrap();
        fs::write(dir.path().join("t").join(name).join("file"), "").unwrap();
    }
    fs::set_permissions(dir.path().join("t/closed"), fs::Permissions::from_mode(0o0)).unwrap();
    let Some(mut strict) = as_other_user(dir.path(), "-n 2 pfind t") else { return };
    let strict = run(&mut strict);
    assert_eq!((strict.status, strict.err.lines().count()), (Some(4), 1), "{strict:?}");
    assert!(
        strict.err.starts_with("pfind: find: rank ")
            && strict.err.contains("t/closed: open: Permission denied")
    );
    assert!(!strict.out.contains("MATCHED"), "{strict:?}");
    let lenient = run(&mut as_other_user(dir.path(), "-n 2 pfind --continue t").unwrap());
    assert_eq!(lenient.status, Some(4), "{lenient:?}");
    assert!(lenient.out.contains("  FAILED     1 calls\n           1 Permission denied\n"), "{lenient:?}");
    assert!(lenient.out.ends_with("\nINCOMPLETE: 1 calls failed, so there is no result\n"), "{lenient:?}");
}

#[test]
fn wrong_input_is_rejected_in_one_line_before_the_start() {
    let dir = place();
    fs::write(dir.path().join("file"), "").unwrap();
    symlink("t", dir.path().join("link")).unwrap();
    for (ranks, words, expected) in [
        (1, "", "no directory is given"),
        (1, "none", "none: No such file or directory. Choose an existing directory."),
        (1, "file", "file: not a directory"),
        (1, "link", "link: a link, which is not followed. Put a slash after it."),
        (1, "t -size 4k", "give a number of bytes with a `c` after it"),
        (1, "t -name a?b", "`?` has no meaning here"),
        (1, "t -q 9", "9 is not in 10..=10000000"),
        (1, "t -D all", "[possible values: rates]"),
        (1, "t -H 1", "unexpected argument '-H' found"),
        (1, "t u", "unexpected argument 'u' found"),
        (1, "t -n 2", "-n 1 and -n 2"),
        (1, "t --record file", "--record file: "),
    ] {
        let ran = pfind(dir.path(), ranks, words);
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{words}: {ran:?}");
        let lines: Vec<_> = ran.err.lines().collect();
        assert!(
            lines.len() == 1 && lines[0].starts_with("pfind: ") && lines[0].contains(expected),
            "{words}: {ran:?}"
        );
    }
    assert!(pfind(dir.path(), 1, "--help").ok().contains("-newer"));
    assert!(pfind(dir.path(), 1, "link/").ok().ends_with("MATCHED 0/0\n"));
}

const PLAN: &str = r#"
[[test]]
id = "MAKE"
mdtest = "-n 200 -w 3901 -e 3901 -F -C"
role = "reported"
[[test]]
id = "FIND"
clause = "the search finds every file"
pfind = "-size 3901c -name *file* -q 10000"
uses = "MAKE"
cache = "warm"
criterion = [
  { metric = "find.rate", stat = "max", op = ">=", value = "1/s" },
  { metric = "find.rate", stat = "max", op = ">=", value = "1000 G/s" },
  { metric = "find.matched", op = "==", value = "400 count" },
  { metric = "find.matched", op = "==", value = "401 count" },
  { metric = "find.latency.p99", stat = "max", op = "<", value = "1 h" },
]
"#;

#[test]
fn a_campaign_evaluates_the_rate_and_the_number_of_files_that_match() {
    let place = common::campaign::Place::new();
    place.plan(PLAN);
    let ran = place.campaign();
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    assert_eq!(place.outcomes(), ["FIND PASS", "FIND FAIL", "FIND PASS", "FIND FAIL", "FIND PASS"]);
    for (line, why) in [
        ("-size 3901c --fast", "unexpected argument '--fast' found"),
        ("/scratch -size 3901c", "`/scratch` is not an option of pfind"),
        ("-newer /scratch/f", "`-newer /scratch/f` lies outside the campaign's own directory"),
    ] {
        place.plan(&PLAN.replace("-size 3901c -name *file* -q 10000", line));
        let rejected = place.assay("plan check p.toml");
        assert_eq!(rejected.status, Some(2));
        assert!(rejected.err.contains(why), "{line}: {}", rejected.err);
    }
    place.plan(&PLAN.replace("find.matched", "directories.matched"));
    assert!(place.assay("plan check p.toml").err.contains("`directories.matched`: only `find` has this"));
}
