//! The variables that select the text of a run whose command line is fixed: `ASSAY_PLAIN` and `ASSAY_COMPAT`.

use std::path::Path;

use crate::common::masked::Golden;
use crate::common::mdtest::{assert_golden_with, complaints};
use crate::common::{self, Ran, run};

/// Runs `assay -n 2 WORDS` with this variable.
fn with(dir: &Path, variable: (&str, &str), words: &str) -> Ran {
    run(common::assay(dir, &format!("-n 2 {words}")).env(variable.0, variable.1))
}

const PLAIN: (&str, &str) = ("ASSAY_PLAIN", "1");

/// The output of the last run of a golden text of IOR.
fn replayed(golden: &Golden<'_>, variables: &[(&str, &str)]) -> Ran {
    let dir = tempfile::tempdir().unwrap();
    let mut last = None;
    for words in &golden.runs {
        let mut command = common::assay(dir.path(), &format!("-n 2 ior {words}"));
        let mut ran = run(command.envs(variables.iter().copied()));
        let place = dir.path().canonicalize().unwrap().display().to_string();
        ran.out = ran.out.replace(&place, "DIR");
        last = Some(ran);
    }
    last.expect("a golden text has a run")
}

#[test]
fn plain_output_of_ior_is_that_of_the_original_and_warnings_go_to_standard_error() {
    for text in [
        include_str!("../golden/default.txt"),
        include_str!("../golden/fpp-shifted-v.txt"),
        include_str!("../golden/check-vv.txt"),
        include_str!("../golden/wrong-data.txt"),
    ] {
        let golden = Golden::new(text);
        let ran = replayed(&golden, &[PLAIN]);
        golden.assert_whole(ran.out.trim_end());
        assert!(ran.err.starts_with("assay: ") && !ran.err.contains("latency"), "{ran:#?}");
    }
}

#[test]
fn the_version_of_the_text_of_ior_can_come_from_the_environment() {
    let golden = Golden::new(include_str!("../golden/3.3-default.txt"));
    let ran = replayed(&golden, &[PLAIN, ("ASSAY_COMPAT", "3.3")]);
    golden.assert_whole(ran.out.trim_end());
    let dir = tempfile::tempdir().unwrap();
    let text = with(dir.path(), ("ASSAY_COMPAT", "3.3"), "ior -a DUMMY -w --compat 4.1").ok();
    assert!(text.starts_with("IOR-4.1.0+dev: "), "an option has priority: {text}");
}

#[test]
fn plain_output_of_mdtest_and_its_version_can_come_from_the_environment() {
    let dir = tempfile::tempdir().unwrap();
    let out = assert_golden_with(include_str!("../golden/mdtest-default.txt"), dir.path(), &[PLAIN], "");
    assert!(!out.contains("assay:"), "{out}");
    let compat = ("ASSAY_COMPAT", "1.9");
    let golden = include_str!("../golden/mdtest-1.9-v.txt");
    let out = assert_golden_with(golden, dir.path(), &[PLAIN, compat], "--compat 1.9");
    assert!(out.contains("mdtest-1.9.3 was launched") && !out.contains("assay:"), "{out}");
}

#[test]
fn plain_output_keeps_failures_on_standard_error() {
    let dir = tempfile::tempdir().unwrap();
    let ran = with(dir.path(), PLAIN, "mdtest -T -F -n 4 --continue -v");
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(
        !ran.out.contains("assay:") && ran.err.contains("assay: st-file, iteration 0: 8 of 8"),
        "{ran:#?}"
    );
    let ran = with(dir.path(), PLAIN, "fdtree -C -l 1 -d 2 -f 3 -s 1");
    assert!(!ran.out.contains("assay:") && ran.out.contains("FILE CREATE TIME"), "{ran:#?}");
    assert!(
        ran.err.starts_with("assay: left at ./LEVEL0.{0..1}") || ran.err.contains("left at "),
        "{ran:#?}"
    );
}

#[test]
fn plain_output_of_md_workbench_names_wrong_data_on_standard_error() {
    let dir = tempfile::tempdir().unwrap();
    with(dir.path(), PLAIN, "md-workbench -1 -P 2 -D 1 -S 100 -G 7").ok();
    std::fs::write(dir.path().join("out/1_0/file-0"), [0; 100]).unwrap();
    for (value, is_plain) in [("0", false), ("1", true)] {
        let words = "md-workbench -2 -P 2 -D 1 -S 100 -G 7 -I 1 -R 1 -X --read-only";
        let ran = with(dir.path(), (PLAIN.0, value), words);
        assert_eq!(ran.status, Some(4), "{ran:#?}");
        let (own, other) = if is_plain { (&ran.err, &ran.out) } else { (&ran.out, &ran.err) };
        let line = "assay: iteration 0: wrong data in rank 0: ./out/1_0/file-0\n";
        assert!(own.ends_with(line) && !other.contains("assay:"), "{ran:#?}");
    }
}

#[test]
fn a_plain_value_of_0_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let text = with(dir.path(), ("ASSAY_PLAIN", "0"), "ior -a DUMMY -w").ok();
    assert!(text.contains("\nassay: latency of single transfers"), "{text}");
}

#[test]
fn a_wrong_value_is_rejected_in_one_line_before_anything_is_made() {
    for (variable, words, why) in [
        (
            ("ASSAY_PLAIN", "yes"),
            "ior -w -k -o f",
            "ior: ASSAY_PLAIN=yes in the environment is neither 0 nor 1. ",
        ),
        (
            ("ASSAY_PLAIN", ""),
            "mdtest -C -n 1",
            "mdtest: ASSAY_PLAIN= in the environment is neither 0 nor 1. ",
        ),
        (("ASSAY_PLAIN", "no"), "md-workbench -1", "md-workbench: ASSAY_PLAIN=no in the environment is "),
        (("ASSAY_PLAIN", "on"), "fdtree -C -l 1 -d 1 -f 1", "fdtree: ASSAY_PLAIN=on in the environment is "),
        (
            ("ASSAY_COMPAT", "1.9"),
            "ior -w -k -o f",
            "ior: ASSAY_COMPAT=1.9 in the environment: `1.9` is neither ",
        ),
        (("ASSAY_COMPAT", "5"), "ior -w -k --compat 3.3", "ior: ASSAY_COMPAT=5 in the environment: `5` is "),
        (("ASSAY_COMPAT", "2"), "mdtest -C -n 1", "mdtest: ASSAY_COMPAT=2 in the environment: `2` is "),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let ran = with(dir.path(), variable, words);
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{ran:#?}");
        assert!(ran.err.starts_with(why) && ran.err.lines().count() == 1, "{why}: {ran:#?}");
        assert!(ran.err.ends_with("unset it.\n"), "{ran:#?}");
        assert_eq!(dir.path().read_dir().unwrap().count(), 0, "{words}");
    }
    let dir = tempfile::tempdir().unwrap();
    let both = with(dir.path(), ("ASSAY_PLAIN", "x"), "mdtest -n 1");
    assert_eq!(complaints(&both).len(), 1, "{both:#?}");
}
