//! Scripts, the environment, dry runs and `--warningAsErrors`, as the user meets them.

use std::fs::write;

use crate::common::scripts::{THREE, phases, records};
use crate::common::{assay, ior, run};

#[test]
fn options_behind_the_script_are_defaults_too_and_its_lines_go_first() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path().join("s"), "IOR START\nblockSize=128k\nwriteFile=1\nRUN\nIOR STOP").unwrap();
    let text = ior(dir.path(), 1, "-f s -s 2 -b 512k -t 64k -k -o f").ok();
    assert!(text.contains("segments            : 2\n"), "{text}");
    assert_eq!(dir.path().join("f").metadata().unwrap().len(), 256 << 10);
}

#[test]
fn a_script_without_a_start_is_the_command_line_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path().join("s"), "blockSize=128k\nRUN\n").unwrap();
    let ran = ior(dir.path(), 1, "-a DUMMY -f s -w -b 64k -t 64k");
    assert!(ran.err.contains("ior: note: -f s has no line `IOR START`"), "{ran:#?}");
    assert!(ran.ok().contains("blocksize           : 65536 bytes\n"));
}

#[test]
fn a_script_is_checked_whole_before_anything_runs() {
    let dir = tempfile::tempdir().unwrap();
    for (text, told) in [
        ("IOR START\nRUN\nblocksiez=1m\nRUN", "s:3: blocksiez: unknown directive; the nearest is blockSize"),
        ("IOR START\nRUN\n\ntransferSize=3k\nRUN", "s:5: -t 3072 does not divide -b 1048576"),
        ("IOR START\nRUN\napi=NOPE\nRUN", "s:3: api NOPE: no such backend as NOPE"),
        ("IOR START\nRUN\nreorderTasks=1\nreorderTasksRandom=1", "s:4: -C and -Z: choose one way"),
        ("IOR START\nRUN\n-f=other\n", "s:3: -f and -h belong on the command line"),
    ] {
        write(dir.path().join("s"), text).unwrap();
        let ran = ior(dir.path(), 2, "-f s -w -k -o f");
        assert_eq!((ran.status, ran.complaints().len()), (Some(2), 1), "{text}: {ran:#?}");
        assert!(ran.complaints()[0].contains(told), "{text}: {ran:#?}");
        assert!(!dir.path().join("f").exists(), "{text}");
    }
}

#[test]
fn a_failed_test_ends_the_run_and_those_before_keep_their_summary() {
    let dir = tempfile::tempdir().unwrap();
    let text = "IOR START\ntestFile=f\nwriteFile=1\nRUN\ntestFile=no/such/f\nRUN\ntestFile=g\nRUN";
    write(dir.path().join("s"), text).unwrap();
    let ran = ior(dir.path(), 2, "-f s -k -b 64k -t 64k --record r");
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(ran.out.contains("Summary of all tests:\n"), "{}", ran.out);
    assert!(dir.path().join("f").exists() && !dir.path().join("g").exists());
    let records = records(&dir.path().join("r"));
    let kinds: Vec<&str> = records.iter().map(|record| record["record"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["run", "phase", "failure", "end"]);
}

#[test]
fn wrong_data_in_one_test_does_not_end_the_run_but_its_status_is_1() {
    let dir = tempfile::tempdir().unwrap();
    let text = "IOR START\ncheckRead=1\nRUN\nsetTimeStampSignature=7\nRUN";
    write(dir.path().join("s"), text).unwrap();
    ior(dir.path(), 1, "-w -k -b 64k -t 64k -o f -G 7").ok();
    let ran = ior(dir.path(), 1, "-f s -k -b 64k -t 64k -o f -G 8 --record r");
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert_eq!(phases(&records(&dir.path().join("r"))).len(), 2);
}

#[test]
fn variables_of_the_environment_stand_in_for_nodes_and_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = assay(dir.path(), "-n 4 ior -a DUMMY -w -C -b 64k -t 64k");
    command.env("IOR_FAKE_NODES", "4").env("IOR_FAKE_TASK_PER_NODES", "1");
    let ran = run(&mut command);
    assert!(ran.err.contains("ior: note: IOR_FAKE_NODES=4 in the environment stands in"), "{ran:#?}");
    let text = ran.ok();
    assert!(text.starts_with("IOR-"), "the note is not in the results: {text}");
    assert!(
        text.contains("nodes               : 4\n") && text.contains("clients per node    : 1\n"),
        "{text}"
    );
    command.env("IOR_FAKE_NODES", "many");
    let ran = run(&mut command);
    assert_eq!((ran.status, ran.complaints().len()), (Some(2), 1), "{ran:#?}");
    assert!(ran.complaints()[0].contains("IOR_FAKE_NODES=many in the environment is not a number"));
}

#[test]
fn hints_of_the_environment_are_taken_and_empty_or_strange_ones_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let with = |name: &str, value: &str| {
        let mut command = assay(dir.path(), "ior -a DUMMY -w -b 64k -t 64k");
        run(command.env(name, value))
    };
    with("IOR_HINT__MPI__cb_nodes", "1").ok();
    let ran = with("IOR_HINT__MPI__cb_nodes", "");
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(ran.complaints()[0].contains("IOR_HINT__MPI__cb_nodes in the environment is empty"), "{ran:#?}");
    let ran = with("IOR_HINT__LUSTRE__x", "1");
    assert!(ran.err.contains("ior: note: IOR_HINT__LUSTRE__x in the environment has no effect"), "{ran:#?}");
}

#[test]
fn a_dry_run_tells_files_bytes_and_fate_and_touches_nothing() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path().join("f.00000001"), "precious").unwrap();
    let words = "--dryRun -w -r -F -b 64k -t 16k -s 2 -o f --record r -O summaryFile=s";
    let text = ior(dir.path(), 3, words).ok();
    for told in [
        "Dry run: nothing is opened, written or deleted.\n",
        "Test 0: POSIX, 3 ranks, 1 repetition\n",
        "3, f.00000000 ... f.00000002 (1 there, would be DELETED first)\n",
        "write        384 KiB (393216 bytes) in all; 128 KiB (131072 bytes) a rank, in 8 transfers of",
        "read         384 KiB (393216 bytes) in all;",
        "afterwards   the files are DELETED\n",
        "room         needs 384 KiB, ",
        "records      r\n",
        "results      s\n",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    let left: Vec<_> = dir.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["f.00000001"], "nothing was made or removed");
    let text = ior(dir.path(), 1, "--dryRun -w -k -b 1p -t 1m -s 100 -o f").ok();
    assert!(text.contains("DOES NOT FIT") && text.contains("the files are kept\n"), "{text}");
    for backend in ["DUMMY", "AIO", "URING", "MMAP"] {
        assert!(ior(dir.path(), 1, &format!("--dryRun -a {backend}")).ok().starts_with("Dry run"));
    }
}

#[test]
fn a_dry_run_foretells_no_deletion_that_cannot_be() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("d")).unwrap();
    for (words, fails) in [
        ("-w -o d", "d is a directory"),
        ("-w -k -E -o d", "d is a directory"),
        ("-w -o /dev/null", "/dev/null is not a regular file and is not removed; write into it with -E -k"),
        (
            "-w -E -o /dev/null",
            "/dev/null is not a regular file and is not removed; write into it with -E -k",
        ),
        ("-r -o none", "none is not there, and nothing is written first"),
        ("-r -F -o none", "none.00000000 is not there, and nothing is written first"),
        ("--rwmix 50 -G 1 -o none", "none is not there, and nothing is written first"),
    ] {
        let text = ior(dir.path(), 2, &format!("--dryRun -b 64k -t 64k {words}")).ok();
        assert!(text.contains(&format!("\n  would FAIL   {fails}\n")), "{words}: {text}");
        assert!(!text.contains("DELETED") && !text.contains("overwritten"), "{words}: {text}");
        let ran = ior(dir.path(), 2, &format!("-b 64k -t 64k {words}"));
        assert_eq!(ran.status, Some(4), "{words}: {ran:#?}");
    }
    for words in ["-w -r -o none", "-w -k -E -o /dev/null", "-r -a DUMMY -o none"] {
        let text = ior(dir.path(), 2, &format!("--dryRun {words}")).ok();
        assert!(!text.contains("would FAIL"), "{words}: {text}");
    }
    write(dir.path().join("s"), "IOR START\nwriteFile=1\nkeepFile=1\nRUN\nwriteFile=0\nreadFile=1\nRUN\n")
        .unwrap();
    let text = ior(dir.path(), 2, "--dryRun -f s -o none").ok();
    assert!(!text.contains("would FAIL"), "the first test makes what the second reads: {text}");
}

#[test]
fn a_dry_run_of_a_script_is_dry_as_a_whole() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path().join("s"), THREE).unwrap();
    let text = ior(dir.path(), 3, "-f s --dryRun").ok();
    assert!(text.contains("Test 2: POSIX, 2 ranks, 1 repetition\n"), "{text}");
    write(dir.path().join("s"), "IOR START\nRUN\n--dryRun=1\nRUN").unwrap();
    let ran = ior(dir.path(), 2, "-f s -w -k -o f");
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(ran.complaints()[0].contains("--dryRun differs between the tests 0 and 1"), "{ran:#?}");
    assert!(!dir.path().join("f").exists());
}

#[test]
fn a_warning_fails_a_strict_run_after_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let strict = |words: &str| {
        let ran = ior(dir.path(), 1, &format!("{words} -b 64k -t 64k -o f --warningAsErrors"));
        (ran.status, ran.err, ran.out.contains("\nFinished "))
    };
    assert_eq!(strict("-w -k -q").0, Some(0), "a translated option is no warning");
    let (status, told, finished) = strict("-w -k");
    assert_eq!((status, finished), (Some(4), true), "{told}");
    assert!(told.contains("ior: --warningAsErrors: the file f was there already"), "{told}");
    let (status, told, _) = strict("-a DUMMY -w -N 5");
    assert_eq!(status, Some(4), "{told}");
    assert!(
        told.contains(
            "ior: --warningAsErrors: More tasks requested (5) than available (1), running with 1 tasks."
        ),
        "{told}"
    );
}

#[test]
fn an_old_line_is_told_of_the_letters_that_were_typed_and_of_no_other_option() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path().join("hints"), "").unwrap();
    let told = |words: &str| {
        let ran = ior(dir.path(), 1, &format!("{words} -w -b 64k -t 64k -o f"));
        ran.complaints().iter().map(|line| (*line).to_owned()).collect::<Vec<_>>()
    };
    let notes = told("-H -I -J 4096 -n -p -P -q -S -U hints -V");
    let (last, others) = notes.split_last().unwrap();
    assert_eq!(last, "ior: note: -H, -I, -J, -S, -U, -V, -n, -p have no effect with -a POSIX");
    assert_eq!(others.len(), 10, "{notes:#?}");
    let letters = ["-H ", "-I ", "-J ", "-n ", "-p ", "-P ", "-q ", "-S ", "-U ", "-V "];
    for (note, letter) in others.iter().zip(letters) {
        assert!(note.starts_with(&format!("ior: note: {letter}")), "{note}");
    }
    assert_eq!(told("-B"), ["ior: note: -B is now --posix.odirect"]);
    assert_eq!(told("-a AIO -B"), ["ior: note: -B is now --posix.odirect"]);
    assert_eq!(told("-H=0 -V=0"), [""; 0]);
}

#[test]
fn options_of_another_backend_are_taken_and_told_to_have_no_effect() {
    let dir = tempfile::tempdir().unwrap();
    let told = |words: &str| ior(dir.path(), 1, &format!("{words} -w -b 64k -t 64k -o f")).err;
    let note = "ior: note: --aio.granularity has no effect with -a DUMMY\n";
    assert!(told("-a DUMMY --aio.granularity=8").contains(note));
    let both = told("-a DUMMY --mmap.madv_pattern --aio.granularity=8");
    assert_eq!(both, "ior: note: --aio.granularity, --mmap.madv_pattern have no effect with -a DUMMY\n");
    assert_eq!(told("-a AIO --aio.granularity=8"), "");
    assert_eq!(told("-a AIO --posix.odirect"), "", "it opens its files as POSIX does");
    assert_eq!(told("-a DUMMY --posix.odirect=0"), "", "what is off has no effect anywhere");
}

#[test]
fn what_stands_below_the_classic_text_says_of_which_test_and_repetition_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let text =
        "IOR START\nblockSize=64k\ntransferSize=16k\ntestFile=f\nRUN\ntransferSize=32k\nRUN\nIOR STOP\n";
    write(dir.path().join("s"), text).unwrap();
    let told = |words: &str| {
        let ran = ior(dir.path(), 2, words);
        let all = format!("{}{}", ran.out, ran.err);
        let warnings = all.lines().filter(|line| line.starts_with("assay: warning: read"));
        (warnings.map(str::to_owned).collect::<Vec<_>>(), ran.out)
    };
    let (warnings, text) = told("-f s -i 3 -w -r -R -G 1 -v");
    let place = " (test 0 iter 0-2, test 1 iter 0-2)";
    assert!(warnings.len() == 1 && warnings[0].ends_with(place), "{warnings:#?}");
    for told in [
        "\n  test phase        iter        p50 ",
        "\n     0 write           0 ",
        "\n     1 read check      2 ",
        "\n  test phase        iter  transfers ",
        "\nassay: test 1, read check, iter 2: 128 KiB compared, all as written\n",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    for format in ["CSV", "JSON"] {
        let (warnings, _) = told(&format!("-f s -i 3 -w -r -O summaryFormat={format}"));
        assert!(warnings.len() == 1 && warnings[0].ends_with(place), "{warnings:#?}");
    }
    let (warnings, _) = told("-i 2 -w -r -b 64k -t 16k -o f");
    assert!(warnings[0].ends_with(" (iter 0-1)"), "{warnings:#?}");
    let (warnings, text) = told("-w -r -b 64k -t 16k -o f");
    assert!(warnings[0].ends_with("not of the file system"), "{warnings:#?}");
    assert!(text.contains("\n  phase        iter        p50 "), "{text}");
}
