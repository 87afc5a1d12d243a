//! Public programs that read `ior`, `mdtest`, `md-workbench` and `fdtree` find the classic values in our text
//! as well. Their searches are repeated here with `grep` and `awk`: lines of shell scripts, and patterns of
//! benchmark frameworks. Both streams of a run are in one text, as batch systems keep them. The searches in
//! `flash-io` are in the tests that start launchers.

use crate::common::fdtree::fdtree;
use crate::common::mdtest::mdtest;
use crate::common::searches::{ClassicLines, assert_found, assert_safe, both, found};
use crate::common::{assay, ior, run};

/// Searches in `ior` by shell scripts, and in the way of ReFrame, Ramble and IO500.
const IOR_SEARCHES: &[&str] = &[
    r#"grep "write " | tail -n 1 | awk '{print $10}'"#,
    r#"grep "read " | tail -n 1 | awk '{print $4}'"#,
    r#"grep write | tail -n 1 | awk '{print $2}'"#,
    r#"grep -i write | tail -n 1 | awk '{print $3}'"#,
    r#"grep -i read | tail -n 1 | awk '{print $3}'"#,
    r"grep -cE '(write|read).*MiB/s'",
    r"grep -ciE '[0-9.]+ *[KMGT]i?B/s'",
    r"grep -oP '[0-9.]+(?= MiB/sec)'",
    r"grep -oP 'Max Write:\s+\K[0-9.]+'",
    r"grep -oP 'Max Read:\s+\K[0-9.]+(?= MiB/sec)'",
    r"grep -iP 'max\s+(write|read)' | awk '{print $3}'",
    r"grep -oP '^write\s+\K\S+' | tail -n 1",
    r"grep -oP 'read\s+\K\S+' | tail -n 1",
    r"grep -oP '(write|read)\s+[0-9]+\.[0-9]+\s+[0-9]+\.[0-9]+\s+\S+' | tail -n 1",
    r"grep -oP '^(?<access>(read|write))\s+(?<bw>[0-9]+(\.[0-9]+)?)\s+(?<iops>[0-9]+(\.[0-9]+)?)\s+'",
    r"grep -P 'remove\s+-' | awk '{print $9}'",
    r"grep -i remove | tail -n 1",
    r#"awk '$1 == "write" {last = $3} END {print last}'"#,
    r"awk 'tolower($0) ~ /write/ {last = $0} END {print last}'",
    r"awk '/Operation/ {on = 1} on && /read/ {print $4}'",
    r"awk 'NF == 27 && $1 ~ /write|read/ {print $1, $4, $27}'",
    r"sed -n '/Summary of all tests/,/Finished/p' | awk '{print $2}'",
    r"grep -i mib | tail -n 1",
    r"grep -P '\bGB\b|\bMB\b|GiB/s' | tail -n 1",
];

/// Lines of IOR that no golden text has, and rows of `--rwmix` in the form of its table.
const IOR_LINES: &[&str] = &[
    "WARNING: The file \"f\" exists already and will be deleted",
    "WARNING: Expected aggregate file size       = 1",
    "WARNING: Stat() of aggregate file size      = 1",
    "WARNING: Using actual aggregate bytes moved = 1",
    "WARNING: Maybe caused by deadlineForStonewalling",
    "write 1.00 0 1 DUMMY 0",
    "read 1.00 0 1 DUMMY 0",
    "mix-write 1.00",
    "mix-read 1.00",
];

/// Searches in `mdtest` in the same ways.
const MDTEST_SEARCHES: &[&str] = &[
    r#"grep "File creation" | tail -n 1 | awk '{print $4}'"#,
    r#"grep "Directory stat" | tail -n 1 | awk '{print $5}'"#,
    r#"grep -i "file read" | tail -n 1 | awk '{print $3}'"#,
    r#"grep -i "tree removal" | tail -n 1 | awk '{print $3}'"#,
    r"grep -iE 'creation|removal|rename' | tail -n 1",
    r"grep stat | tail -n 1 | awk '{print $5}'",
    r"grep -i read | tail -n 1 | awk '{print $5}'",
    r"grep -oP '\s+File creation\s+:?\s*\K[0-9.]+' | tail -n 1",
    r"grep -oP 'File stat\s+[0-9.]+\s+[0-9.]+\s+\K[0-9.]+'",
    r"grep -oP '(?<operation>(File|Directory|Tree) \w+)\s+(?<max>[0-9.]+)\s+(?<min>[0-9.]+)\s+'",
    r"grep '^   File removal' | awk '{print $4}'",
    r"awk '/File creation/ {last = $5} END {print last}'",
    r"awk 'tolower($0) ~ /directory removal/ {last = $3} END {print last}'",
    r"grep ops/sec | tail -n 1",
    r"sed -n '/SUMMARY rate/,/finished/p' | awk '{print $1, $2, $3}'",
];

/// Lines of mdtest that no golden text has, and rows of `--operations` in the form of its table.
const MDTEST_LINES: &[&str] = &[
    "2 tasks, 20 directories",
    "V-1: Rank   0 Line  2448 \t./out",
    "\t.",
    "   File statx    1.000",
    "   File link     1.000",
    "   File xattr set    1.000",
    "   File rename across    1.000",
    "   Directory listing    1.000",
    "V-1: Rank   0 Line     0   File statx        : 1.000 sec",
    "V-1: Rank   0 Line     0   File link         : 1.000 sec",
    "V-1: Rank   0 Line     0   File xattr set    : 1.000 sec",
    "V-1: Rank   0 Line     0   File rename across: 1.000 sec",
    "V-1: Rank   0 Line     0   Directory listing : 1.000 sec",
];

/// Searches in `md-workbench` in the same ways.
const WORKBENCH_SEARCHES: &[&str] = &[
    r"grep benchmark | tail -n 1",
    r"grep -i precreate | tail -n 1 | awk '{print $2}'",
    r"grep -i cleanup | tail -n 1",
    r"grep -oP '^benchmark .*? rate:\K[0-9.]+'",
    r"grep -oP 'rate:\K[0-9.]+(?= iops/s)' | tail -n 1",
    r"grep -oP 'objects:\K[0-9]+' | tail -n 1",
    r"grep -oP 'op-max:\K\S+(?=s )' | tail -n 1",
    r"grep -oiP '(read|stat|create|delete)\([^)]*\)' | tail -n 1",
    r"grep -iE 'read|stat|create|delete' | tail -n 1 | awk '{print $1}'",
    r"grep -i 'err' | tail -n 1",
    r"grep -c '!!!'",
    r"grep 'MiB/s' | tail -n 1 | awk '{print $2}'",
    r"grep -i mib | tail -n 1 | awk '{print $2}'",
    r"awk '/process max/ {last = $1} END {print last}'",
    r"awk -F'\t' '/^benchmark/ {print NF, $5}'",
    r"grep -i 'total' | tail -n 1",
];

/// Lines of md-workbench that no golden text has.
const WORKBENCH_LINES: &[&str] =
    &["WARNING: num > precreate, this may cause the situation that no objects are available to read"];

/// Searches in `fdtree` in the same ways.
const FDTREE_SEARCHES: &[&str] = &[
    r"grep 'File creates per second' | awk '{print $6}'",
    r"grep -i 'per second' | tail -n 1",
    r"grep -iE 'create|remov' | tail -n 1",
    r"awk -F= '/KiB per second/ {print $2}'",
    r"grep -i kib | tail -n 1",
    r"grep -i total | tail -n 1 | awk '{print $NF}'",
];

#[test]
fn every_search_in_ior_finds_the_classic_values() {
    let dir = tempfile::tempdir().unwrap();
    let others = |file: &str| !file.starts_with("md") && !file.starts_with("fdtree");
    let known = ClassicLines::of(others, IOR_LINES);
    let mut matched = Vec::new();
    for (words, status) in [
        ("-w -r -b 256k -t 64k -o f -i 2 -v", 0),
        ("-w -r -W -R -b 256k -t 64k -o f -F -C -vv", 0),
        ("-w -r -b 256k -t 64k -o f -B -k", 0),
        ("-w -r --rwmix 50 -b 256k -t 16k -o f --rate 1000000MB/s", 0),
        ("-w -k -b 256k -t 64k -o g -G 3", 0),
        ("-R -k -b 256k -t 64k -o g -G 4", 4),
        ("-a DUMMY -w -r -D 1 -O stoneWallingWearOut=1 -b 1g -t 8 -s 1000 -v", 0),
        ("-w -r -b 256k -t 64k -o f -v --compat 3.3", 0),
    ] {
        let ran = ior(dir.path(), 2, words);
        assert_eq!(ran.status, Some(status), "{words}: {ran:#?}");
        matched.extend(assert_found(&known, IOR_SEARCHES, &ran));
        assert_safe(&ran, &[]);
    }
    for search in IOR_SEARCHES.iter().filter(|search| !search.contains("GiB/s")) {
        assert!(matched.contains(search), "it finds something in some run: {search}");
    }
}

#[test]
fn a_search_in_ior_gives_the_numbers_of_the_classic_table() {
    let dir = tempfile::tempdir().unwrap();
    let text = both(&ior(dir.path(), 2, "-w -r -b 256k -t 64k -o f -v"));
    let row = text.lines().rfind(|line| line.starts_with("write ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells.len(), 27, "{row}");
    assert_eq!(found(r#"grep "write " | tail -n 1 | awk '{print $10}'"#, &text).trim(), cells[9]);
    assert_eq!(found(r"grep -oP 'Max Write:\s+\K[0-9.]+'", &text).trim(), cells[1]);
    assert_eq!(found(r"awk '/^write /{v=$2} END{print v}'", &text).trim(), cells[1]);
}

#[test]
fn every_search_in_mdtest_finds_the_classic_values() {
    let dir = tempfile::tempdir().unwrap();
    let known = ClassicLines::of(|file| file.starts_with("mdtest"), MDTEST_LINES);
    let mut matched = Vec::new();
    for (words, status) in [
        ("-n 20 -i 2 -v", 0),
        ("-n 20 -F -v -B -w 64 -e 64 -X -G 3", 0),
        ("-a DUMMY --dummy.delay-create=1000 -D -C -T -r -W 1 -n 1g", 0),
        ("-T -E -r -F -n 4 --continue -v", 4),
        ("-n 20 -v --operations list,link,rename-across,statx,xattr-set --preload 3", 0),
        ("-n 20 -v --compat 1.9", 0),
        ("-n 20 -v --compat 3.3", 0),
    ] {
        let ran = mdtest(dir.path(), 2, words);
        assert_eq!(ran.status, Some(status), "{words}: {ran:#?}");
        matched.extend(assert_found(&known, MDTEST_SEARCHES, &ran));
        assert_safe(&ran, &[]);
    }
    for search in MDTEST_SEARCHES {
        assert!(matched.contains(search), "it finds something in some run: {search}");
    }
}

#[test]
fn a_search_in_mdtest_gives_the_numbers_of_the_classic_table() {
    let dir = tempfile::tempdir().unwrap();
    let text = both(&mdtest(dir.path(), 2, "-n 20 -F -v"));
    let row = text.lines().find(|line| line.starts_with("   File creation  ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(found(MDTEST_SEARCHES[0], &text).trim(), cells[3], "{text}");
    assert_eq!(found(r"awk '/File creation/ {last = $5} END {print last}'", &text).trim(), cells[4]);
}

#[test]
fn every_search_in_md_workbench_finds_the_classic_values() {
    let dir = tempfile::tempdir().unwrap();
    let known = ClassicLines::of(|file| file.starts_with("md-workbench"), WORKBENCH_LINES);
    let mut matched = Vec::new();
    let workbench = |words: &str| run(&mut assay(dir.path(), &format!("-n 2 md-workbench {words}")));
    for (words, status) in [
        ("-P 4 -I 2 -D 2 -R 2", 0),
        ("-P 4 -I 2 -D 2 -R 2 -v --print-detailed-stats --process-reports", 0),
        ("-P 4 -I 2 -D 2 -R 2 -q -t 0.5 -W", 0),
        ("-P 4 -I 9 -D 1 -R 1 -X --read-only", 4),
        ("-2 -P 4 -I 1 -D 2 -R 1 -G 4 -X", 4),
        ("-2 -P 400 -I 2 -D 2 -R 1 --run-info-file=info", 0),
    ] {
        if words.starts_with("-2") {
            std::fs::remove_dir_all(dir.path().join("out")).ok();
            workbench("-1 -P 4 -D 2 -G 3").ok();
        }
        std::fs::write(dir.path().join("info"), "pos: 70\n").unwrap();
        let ran = workbench(words);
        assert_eq!(ran.status, Some(status), "{words}: {ran:#?}");
        matched.extend(assert_found(&known, WORKBENCH_SEARCHES, &ran));
        let rows = ["benchmark", "precreate", "cleanup", "create", "delete", "errs", "rate:", "objects:"];
        assert_safe(&ran, &rows);
    }
    for search in WORKBENCH_SEARCHES {
        assert!(matched.contains(search), "it finds something in some run: {search}");
    }
}

#[test]
fn every_search_in_fdtree_finds_the_classic_values() {
    let dir = tempfile::tempdir().unwrap();
    let known = ClassicLines::of(|file| file.starts_with("fdtree"), &[]);
    for words in ["-l 1 -d 2 -f 3 -s 1 -v", "-C -l 1 -d 2 -f 3 -s 1", "-R -l 1 -d 2 -f 3 -s 1"] {
        let ran = fdtree(dir.path(), 1, words);
        assert_eq!(ran.status, Some(0), "{ran:#?}");
        let matched = assert_found(&known, FDTREE_SEARCHES, &ran);
        assert!(matched.len() >= 3, "{matched:?}");
        assert_safe(&ran, &[]);
    }
}

#[test]
fn an_own_line_has_the_name_of_a_file_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    ior(dir.path(), 1, "-w -k -b 64k -t 64k -o read -G 3").ok();
    let ran = ior(dir.path(), 1, "-R -k -b 64k -t 64k -o read -G 4");
    assert!(ran.out.contains("\nassay: rank 0: read at 0: "), "{ran:#?}");
}
