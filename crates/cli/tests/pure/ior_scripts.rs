//! Scripts, environment variables, dry runs and `--warningAsErrors`.

use std::fs::write;

use crate::common::scripts::{THREE, phases, records};
use crate::common::{assay, ior, run};

#[test]
fn options_after_the_script_are_defaults_and_its_lines_have_priority() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path().join("s"), "IOR START\nblockSize=128k\nwriteFile=1\nRUN\nIOR STOP").unwrap();
    let text = ior(dir.path(), 1, "-f s -s 2 -b 512k -t 64k -k -o f").ok();
    assert!(text.contains("segments            : 2\n"), "{text}");
    assert_eq!(dir.path().join("f").metadata().unwrap().len(), 256 << 10);
}

#[test]
fn a_script_without_a_start_is_ignored_with_a_note() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path().join("s"), "blockSize=128k\nRUN\n").unwrap();
    let ran = ior(dir.path(), 1, "-a DUMMY -f s -w -b 64k -t 64k");
    assert!(ran.err.contains("assay: note: -f s has no line `IOR START`"), "{ran:#?}");
    assert!(ran.ok().contains("blocksize           : 65536 bytes\n"));
}

#[test]
fn a_script_is_checked_completely_before_the_start() {
    let dir = tempfile::tempdir().unwrap();
    for (text, expected) in [
        ("IOR START\nRUN\nblocksiez=1m\nRUN", "s:3: blocksiez: unknown directive. Did you mean blockSize?"),
        ("IOR START\nRUN\n\ntransferSize=3k\nRUN", "s:5: -t 3072 does not divide -b 1048576"),
        ("IOR START\nRUN\napi=NOPE\nRUN", "s:3: api NOPE: unknown backend `NOPE`"),
        ("IOR START\nRUN\nreorderTasks=1\nreorderTasksRandom=1", "s:4: -C and -Z: both reorder the ranks"),
        ("IOR START\nRUN\n-f=other\n", "s:3: -f and -h belong on the command line"),
    ] {
        write(dir.path().join("s"), text).unwrap();
        let ran = ior(dir.path(), 2, "-f s -w -k -o f");
        assert_eq!((ran.status, ran.complaints().len()), (Some(2), 1), "{text}: {ran:#?}");
        assert!(ran.complaints()[0].contains(expected), "{text}: {ran:#?}");
        assert!(!dir.path().join("f").exists(), "{text}");
    }
}

#[test]
fn a_failed_test_ends_the_run_and_earlier_tests_keep_their_summary() {
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
fn wrong_data_in_one_test_does_not_end_the_run_but_sets_the_status() {
    let dir = tempfile::tempdir().unwrap();
    let text = "IOR START\ncheckRead=1\nRUN\nsetTimeStampSignature=7\nRUN";
    write(dir.path().join("s"), text).unwrap();
    ior(dir.path(), 1, "-w -k -b 64k -t 64k -o f -G 7").ok();
    let ran = ior(dir.path(), 1, "-f s -k -b 64k -t 64k -o f -G 8 --record r");
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert_eq!(phases(&records(&dir.path().join("r"))).len(), 2);
}

#[test]
fn environment_variables_for_node_numbers_are_used_and_reported() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = assay(dir.path(), "-n 4 ior -a DUMMY -w -C -b 64k -t 64k");
    command.env("IOR_FAKE_NODES", "4").env("IOR_FAKE_TASK_PER_NODES", "1");
    let ran = run(&mut command);
    assert!(
        ran.err.contains("assay: note: IOR_FAKE_NODES=4 in the environment replaces the detected number"),
        "{ran:#?}"
    );
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
fn hints_in_the_environment_are_used_and_empty_or_unknown_ones_are_reported() {
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
    assert!(
        ran.err.contains("assay: note: IOR_HINT__LUSTRE__x in the environment has no effect"),
        "{ran:#?}"
    );
}

#[test]
fn a_dry_run_lists_files_and_bytes_and_changes_no_file() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path().join("f.00000001"), "precious").unwrap();
    let words = "--dryRun -w -r -F -b 64k -t 16k -s 2 -o f --record r -O summaryFile=s";
    let text = ior(dir.path(), 3, words).ok();
    for line in [
        "Dry run: nothing is opened, written or deleted.\n",
        "Test 0: POSIX, 3 ranks, 1 repetition\n",
        "3, f.00000000 ... f.00000002 (1 exist and would be DELETED first)\n",
        "write        384 KiB (393216 bytes) in all; 128 KiB (131072 bytes) a rank, in 8 transfers of",
        "read         384 KiB (393216 bytes) in all;",
        "afterwards   the files are DELETED\n",
        "space        needs 384 KiB, ",
        "records      r\n",
        "results      s\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let left: Vec<_> = dir.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["f.00000001"], "no file was created or removed");
    let text = ior(dir.path(), 1, "--dryRun -w -k -b 1p -t 1m -s 100 -o f").ok();
    assert!(text.contains("DOES NOT FIT") && text.contains("the files are kept\n"), "{text}");
    for backend in ["DUMMY", "AIO", "URING", "MMAP"] {
        assert!(ior(dir.path(), 1, &format!("--dryRun -a {backend}")).ok().starts_with("Dry run"));
    }
}

#[test]
fn a_dry_run_reports_the_failures_of_the_run() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("d")).unwrap();
    for (words, fails) in [
        ("-w -o d", "d is a directory"),
        ("-w -k -E -o d", "d is a directory"),
        ("-w -o /dev/null", "/dev/null is not a regular file and is not removed. Write into it with -E -k."),
        (
            "-w -E -o /dev/null",
            "/dev/null is not a regular file and is not removed. Write into it with -E -k.",
        ),
        ("-r -o none", "none does not exist, and no phase writes it first"),
        ("-r -F -o none", "none.00000000 does not exist, and no phase writes it first"),
        ("--rwmix 50 -G 1 -o none", "none does not exist, and no phase writes it first"),
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
    assert!(!text.contains("would FAIL"), "the second test reads the files of the first: {text}");
}

#[test]
fn a_dry_run_of_a_script_covers_all_its_tests() {
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
fn a_warning_of_the_last_phase_fails_a_strict_run_after_its_files_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(ior(dir.path(), 1, "-w -k -q -b 64k -t 64k -o f --warningAsErrors").status, Some(0));
    let ran = ior(dir.path(), 1, "-w -r -b 64k -t 64k -o g --warningAsErrors");
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(ran.complaints()[0].contains("page cache before the phase"), "{ran:#?}");
    assert!(ran.out.contains("\nread  ") && !dir.path().join("g").exists(), "{ran:#?}");
}

#[test]
fn notes_on_retired_options_name_only_the_given_letters() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path().join("hints"), "").unwrap();
    let notes_on = |words: &str| {
        let ran = ior(dir.path(), 1, &format!("{words} -w -b 64k -t 64k -o f"));
        ran.complaints().iter().map(|line| (*line).to_owned()).collect::<Vec<_>>()
    };
    let notes = notes_on("-H -I -J 4096 -n -p -P -q -S -U hints -V");
    let (last, others) = notes.split_last().unwrap();
    assert_eq!(last, "assay: note: -H, -I, -J, -S, -U, -V, -n, -p have no effect with -a POSIX");
    assert_eq!(others.len(), 10, "{notes:#?}");
    let letters = ["-H ", "-I ", "-J ", "-n ", "-p ", "-P ", "-q ", "-S ", "-U ", "-V "];
    for (note, letter) in others.iter().zip(letters) {
        assert!(note.starts_with(&format!("assay: note: {letter}")), "{note}");
    }
    assert_eq!(notes_on("-B"), ["assay: note: -B is now --posix.odirect"]);
    assert_eq!(notes_on("-a AIO -B"), ["assay: note: -B is now --posix.odirect"]);
    assert_eq!(notes_on("-H=0 -V=0"), [""; 0]);
}

#[test]
fn options_of_another_backend_have_no_effect_and_give_a_note() {
    let dir = tempfile::tempdir().unwrap();
    let notes_on = |words: &str| ior(dir.path(), 1, &format!("{words} -w -b 64k -t 64k -o f")).err;
    let note = "assay: note: --aio.granularity has no effect with -a DUMMY\n";
    assert!(notes_on("-a DUMMY --aio.granularity=8").contains(note));
    let both = notes_on("-a DUMMY --mmap.madv_pattern --aio.granularity=8");
    assert_eq!(both, "assay: note: --aio.granularity, --mmap.madv_pattern have no effect with -a DUMMY\n");
    assert_eq!(notes_on("-a AIO --aio.granularity=8"), "");
    assert_eq!(notes_on("-a AIO --posix.odirect"), "", "AIO opens its files as POSIX does");
    assert_eq!(notes_on("-a DUMMY --posix.odirect=0"), "", "an option that is off gives no note");
}

#[test]
fn lines_below_the_classic_text_name_their_test_and_repetition() {
    let dir = tempfile::tempdir().unwrap();
    let text =
        "IOR START\nblockSize=64k\ntransferSize=16k\ntestFile=f\nRUN\ntransferSize=32k\nRUN\nIOR STOP\n";
    write(dir.path().join("s"), text).unwrap();
    let warnings_of = |words: &str| {
        let ran = ior(dir.path(), 2, words);
        let all = format!("{}{}", ran.out, ran.err);
        let warnings = all.lines().filter(|line| line.starts_with("assay: warning: rd"));
        (warnings.map(str::to_owned).collect::<Vec<_>>(), ran.out)
    };
    let (warnings, text) = warnings_of("-f s -i 3 -w -r -R -G 1 -v");
    let place = " (test 0 iter 0-2, test 1 iter 0-2)";
    assert!(warnings.len() == 1 && warnings[0].ends_with(place), "{warnings:#?}");
    for line in [
        "\nassay: test phase    iter        p50 ",
        "\nassay:    0 wr          0 ",
        "\nassay:    1 rd-check    2 ",
        "\nassay: test phase    iter  transfers ",
        "\nassay: test 1, rd-check, iter 2: 128 Ki bytes compared, all as written\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    for format in ["CSV", "JSON"] {
        let words = format!("-f s -i 3 -w -r -O summaryFormat={format},summaryFile=results");
        let (warnings, _) = warnings_of(&words);
        assert!(warnings.len() == 1 && warnings[0].ends_with(place), "{warnings:#?}");
    }
    let (warnings, _) = warnings_of("-i 2 -w -r -b 64k -t 16k -o f");
    assert!(warnings[0].ends_with(" (iter 0-1)"), "{warnings:#?}");
    let (warnings, text) = warnings_of("-w -r -b 64k -t 16k -o f");
    assert!(warnings[0].ends_with("not of the file system"), "{warnings:#?}");
    assert!(text.contains("\nassay: phase    iter        p50 "), "{text}");
}
