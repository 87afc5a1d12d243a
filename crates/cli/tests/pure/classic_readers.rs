//! Public programs that read `ior`, `mdtest` and `fdtree` find the classic values in our output too. Their
//! searches are repeated here with `grep` and `awk`: lines of shell scripts, and patterns of benchmark
//! frameworks. Both streams of a run are in one text, as batch systems keep them.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::common::fdtree::fdtree;
use crate::common::mdtest::mdtest;
use crate::common::{Ran, ior};

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

/// Searches in `fdtree` in the same ways.
const FDTREE_SEARCHES: &[&str] = &[
    r"grep 'File creates per second' | awk '{print $6}'",
    r"grep -i 'per second' | tail -n 1",
    r"grep -iE 'create|remov' | tail -n 1",
    r"awk -F= '/KiB per second/ {print $2}'",
    r"grep -i kib | tail -n 1",
    r"grep -i total | tail -n 1 | awk '{print $NF}'",
];

/// The output of `sh -c SEARCH` on `text`.
fn found(search: &str, text: &str) -> String {
    let mut child = Command::new("sh")
        .args(["-c", search])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    child.stdin.take().expect("it is piped").write_all(text.as_bytes()).expect("the shell takes all");
    let output = child.wait_with_output().expect("the shell ends");
    String::from_utf8(output.stdout).expect("text")
}

/// Both streams of a run as one text.
fn both(ran: &Ran) -> String {
    format!("{}{}", ran.out, ran.err)
}

/// The lines that `grep -v '^assay:'` keeps.
fn classic(text: &str) -> String {
    found("grep -v '^assay:'", text)
}

/// Asserts that every search finds in the whole text what it finds in the classic lines, and that the text
/// has own lines. Gives the searches that found something.
fn assert_found<'s>(searches: &[&'s str], text: &str) -> Vec<&'s str> {
    let alone = classic(text);
    assert!(text.len() > alone.len(), "there are own lines: {text}");
    for search in searches {
        assert_eq!(found(search, text), found(search, &alone), "{search}: {text}");
    }
    searches.iter().copied().filter(|search| !found(search, text).trim().is_empty()).collect()
}

/// Asserts that no own line has a word or unit of a classic row, except in paths and options.
fn assert_safe(ran: &Ran) {
    let all = both(ran);
    for line in all.lines().filter(|line| line.starts_with("assay:")) {
        let is_free = |token: &&str| !token.contains(['/', '=', '`']) && !token.starts_with('-');
        let line: Vec<&str> = line.split(' ').filter(is_free).collect();
        let line = line.join(" ").to_lowercase();
        for word in ["write", "read", "remov", "creation", "rename", " stat", "creates per", "removals"] {
            assert!(!line.contains(word), "{word}: {line}");
        }
    }
    for unit in ["MiB/s", "GiB/s", "MB/s", "GB/s", "ops/s"] {
        let has = |line: &&str| line.starts_with("assay:") && line.contains(unit);
        assert_eq!(all.lines().find(has), None, "{all}");
    }
}

#[test]
fn every_search_in_ior_finds_the_classic_values() {
    let dir = tempfile::tempdir().unwrap();
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
        matched.extend(assert_found(IOR_SEARCHES, &both(&ran)));
        assert_safe(&ran);
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
        matched.extend(assert_found(MDTEST_SEARCHES, &both(&ran)));
        assert_safe(&ran);
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
fn every_search_in_fdtree_finds_the_classic_values() {
    let dir = tempfile::tempdir().unwrap();
    for words in ["-l 1 -d 2 -f 3 -s 1 -v", "-C -l 1 -d 2 -f 3 -s 1", "-R -l 1 -d 2 -f 3 -s 1"] {
        let ran = fdtree(dir.path(), 1, words);
        assert_eq!(ran.status, Some(0), "{ran:#?}");
        let matched = assert_found(FDTREE_SEARCHES, &both(&ran));
        assert!(matched.len() >= 3, "{matched:?}");
        assert_safe(&ran);
    }
}

#[test]
fn an_own_line_has_the_name_of_a_file_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    ior(dir.path(), 1, "-w -k -b 64k -t 64k -o read -G 3").ok();
    let ran = ior(dir.path(), 1, "-R -k -b 64k -t 64k -o read -G 4");
    assert!(ran.out.contains("\nassay: rank 0: read at 0: "), "{ran:#?}");
}
