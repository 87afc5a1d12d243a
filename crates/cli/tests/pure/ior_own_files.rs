//! The result files of `ior`: conflicting names, and full disks.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::campaign::names;
use crate::common::{Ran, ior, program, run, stopped};

/// Asserts that a run was rejected in one line with the two options, and created no file.
fn rejected(dir: &Path, ran: &Ran, one: &str, other: &str) {
    assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{ran:#?}");
    assert_eq!(ran.err.lines().count(), 1, "{ran:#?}");
    assert!(ran.err.starts_with(&format!("ior: {one} and {other} name the same file, ")), "{}", ran.err);
    assert!(names(dir).is_empty(), "{:?}", names(dir));
}

#[test]
fn a_file_for_results_that_is_also_data_or_another_result_is_rejected() {
    for (words, one, other) in [
        ("-o s.txt -O summaryFile=s.txt", "-o", "-O summaryFile"),
        ("-o zz --record ./zz", "-o", "--record"),
        ("-k --live x -o x", "-o", "--live"),
        ("-F -o x --record x.00000001", "-o", "--record"),
        ("-F -m -i 2 -o x --record x.00000001.1", "-o", "--record"),
        ("-u -F -o x --record 1/x.00000001", "-o", "--record"),
        ("-k -D 9 -O stoneWallingWearOut=1,stoneWallingStatusFile=x -o x", "-o", "-O stoneWallingStatusFile"),
        ("-o x -O summaryFile=r,saveRankPerformanceDetailsCSV=r", "-O summaryFile", "-O saveRankPerformance"),
        ("-o x -O summaryFile=r --record r", "--record", "-O summaryFile"),
        ("-o x --live r --record r", "--record", "--live"),
        ("-o x -O savePerOpDataCSV=p --record p-0-00001.csv", "--record", "-O savePerOpDataCSV"),
        (
            "-w -r -o x -O savePerOpDataCSV=p,summaryFile=p.write-0-00001.csv",
            "-O summaryFile",
            "-O savePerOp",
        ),
        ("-o p-0-00000.csv -O savePerOpDataCSV=p", "-o", "-O savePerOpDataCSV"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let ran = ior(dir.path(), 2, &format!("-w -b 64k -t 16k {words}"));
        let one_line = ran.err.lines().count() == 1 && ran.err.contains(" name the same file, ");
        assert!(one_line && ran.err.contains(one) && ran.err.contains(other), "{words}: {ran:#?}");
        assert_eq!((ran.status, names(dir.path()).len()), (Some(2), 0), "{words}: {ran:#?}");
    }
}

#[test]
fn similar_names_of_different_files_are_accepted() {
    for words in [
        "-F -o x --record x",
        "-F -o x --record x.00000002",
        "-F -o x --record x.1",
        "-o x -O savePerOpDataCSV=p --record p-0-1.csv",
        "-a DUMMY -o x --record x",
        "-o x -O summaryFile=/dev/null,saveRankPerformanceDetailsCSV=/dev/null",
    ] {
        let dir = tempfile::tempdir().unwrap();
        ior(dir.path(), 2, &format!("-w -b 64k -t 16k {words}")).ok();
    }
}

#[test]
fn a_dry_run_rejects_conflicting_names_too() {
    let dir = tempfile::tempdir().unwrap();
    let ran = ior(dir.path(), 2, "-w -b 64k -t 16k -o zz --record zz --dryRun");
    rejected(dir.path(), &ran, "-o", "--record");
}

/// Runs `ior WORDS` on two ranks that may write only the first 512 bytes of any file.
fn with_small_files(dir: &Path, words: &str) -> Ran {
    let line = format!("ulimit -f 1; exec {} -n 2 ior {words}", program().display());
    run(Command::new("sh").current_dir(dir).args(["-c", &line]))
}

#[test]
fn a_failed_write_of_results_is_reported_in_one_line_with_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-a DUMMY -w -b 64k -t 16k";
    for option in ["summaryFile", "saveRankPerformanceDetailsCSV"] {
        for more in ["", ",summaryFormat=JSON", ",summaryFormat=CSV"] {
            let ran = ior(dir.path(), 2, &format!("{words} -O {option}=/dev/full{more}"));
            let line = format!("ior: -O {option}: cannot write /dev/full: No space left on device");
            assert_eq!((ran.status, ran.complaints()), (Some(4), vec![line.as_str()]), "{more}: {ran:#?}");
        }
    }
    let ran = with_small_files(dir.path(), &format!("{words} --record r"));
    assert_eq!((ran.status, ran.complaints().len()), (Some(4), 1), "{ran:#?}");
    assert!(ran.err.ends_with("cannot write the records: r: File too large\n"), "{ran:#?}");
}

#[test]
fn missing_live_lines_are_reported_and_no_line_is_cut() {
    let dir = tempfile::tempdir().unwrap();
    let ran = with_small_files(dir.path(), "-a DUMMY -w -r -i 3 -b 64k -t 16k --live L");
    assert_eq!(ran.complaints(), ["assay: note: --live L: File too large. Its last lines are missing"]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let text = fs::read_to_string(dir.path().join("L")).unwrap();
    assert!(text.ends_with("}\n") && text.lines().count() < 6, "{text}");
}

#[test]
fn an_interrupted_run_keeps_the_earlier_document() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("s"), "before").unwrap();
    for (name, words) in [("s", "-o f"), ("new", "-F -o f")] {
        let words = format!("{words} -O summaryFormat=JSON,summaryFile={name}");
        let (status, _) = stopped(dir.path(), "INT", &words, if name == "s" { "f" } else { "f.00000001" });
        assert_eq!(status, Some(130));
    }
    assert_eq!(fs::read_to_string(dir.path().join("s")).unwrap(), "before");
    // The check of the file before the run must not end the reader of a pipe.
    let line = format!(
        "mkfifo p; cat p > copy & {} ior -a DUMMY -w \
                        -O summaryFormat=JSON,summaryFile=p; wait",
        program().display()
    );
    run(Command::new("sh").current_dir(dir.path()).args(["-c", &line])).ok();
    assert!(fs::read_to_string(dir.path().join("copy")).unwrap().starts_with('{'));
    assert!(!dir.path().join("new").exists());
    ior(dir.path(), 2, "-w -b 64k -t 4k -o g -O summaryFormat=JSON,summaryFile=s").ok();
    assert!(fs::read_to_string(dir.path().join("s")).unwrap().starts_with('{'));
}
