//! `fdtree`: the tree, the system calls and the text of fdtree 1.0.2, alone and on several ranks.

use std::process::Command;

use crate::common::fdtree::{
    THREE, assert_three_trees, by_name, classic, complaint, fdtree, names_below, tree_of, trees,
};
use crate::common::{assay, program, run};

const GOLDEN: &[&str] = &[
    include_str!("../golden/fdtree/all.txt"),
    include_str!("../golden/fdtree/create.txt"),
    include_str!("../golden/fdtree/trace.txt"),
    include_str!("../golden/fdtree/trace-narrow.txt"),
    include_str!("../golden/fdtree/trace-no-directories.txt"),
    include_str!("../golden/fdtree/trace-no-levels.txt"),
];

#[test]
fn the_classic_lines_equal_those_of_the_original() {
    for golden in GOLDEN {
        let (words, wanted) = golden.split_once("$ ").unwrap().1.split_once('\n').unwrap();
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("w")).unwrap();
        for text in [by_name(dir.path(), words).ok(), fdtree(dir.path(), 1, words).ok()] {
            assert_eq!(classic(&text), wanted, "{words}");
        }
        let left = trees(&dir.path().join("w")).len();
        assert_eq!(left, if words.contains("-C ") { 2 } else { 0 }, "{words}");
    }
}

#[test]
fn the_tree_equals_that_of_the_original_for_many_shapes_and_is_removed() {
    for (levels, dirs, files, blocks) in [
        (0, 0, 0, 0),
        (0, 3, 2, 1),
        (1, 0, 2, 3),
        (1, 1, 1, 0),
        (1, 12, 11, 1),
        (2, 2, 2, 2),
        (3, 3, 0, 7),
        (3, 1, 4, 1),
        (4, 2, 1, 1),
        (11, 1, 1, 1),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let shape = format!("-l {levels} -d {dirs} -f {files} -s {blocks}");
        let text = fdtree(dir.path(), 1, &format!("-C {shape}")).ok();
        let [tree] = &trees(dir.path())[..] else { panic!("{text}") };
        let names = names_below(tree);
        assert_eq!(names, tree_of(levels, dirs, files, blocks * 4096), "{shape}");
        let directories = 1 + names.iter().filter(|name| name.ends_with('/')).count() as u64;
        let all = directories * files;
        assert!(text.contains(&format!("\tfor a total of {directories} directories\n")), "{text}");
        let line = format!("\tfor a total of {all} files and {}KiB\n", all * blocks * 4);
        assert!(text.contains(&line), "{text}");
        assert!(text.contains(&format!("assay: {directories} directories made in ")), "{text}");
        assert!(text.contains(&format!("assay: {all} files made in ")), "{text}");
        let text = fdtree(dir.path(), 1, &format!("-R {shape}")).ok();
        assert!(text.contains(&format!("assay: {all} files deleted in ")), "{text}");
        assert!(text.contains(&format!("assay: {directories} directories deleted in ")), "{text}");
        assert!(dir.path().read_dir().unwrap().next().is_none(), "{shape}: the tree is removed");
    }
}

/// The calls of the four phases on the tree `base`, by the rules of fdtree alone.
fn calls_of(levels: u64, dirs: u64, files: u64, blocks: u64, base: &str) -> Vec<String> {
    let mut calls = vec![format!("mkdir {base}")];
    for phase in ["mkdir", "file", "unlink", "rmdir"] {
        below(phase, levels, [dirs, files, blocks], base, &mut calls);
    }
    calls.push(format!("rmdir {base}"));
    calls
}

fn below(phase: &str, level: u64, [dirs, files, blocks]: [u64; 3], dir: &str, calls: &mut Vec<String>) {
    let dirs_here = if level > 0 { dirs } else { 0 };
    let names: Vec<String> = (1..=dirs_here).rev().map(|k| format!("{dir}L{level}D{k}/")).collect();
    let each = |phase: &str| names.iter().map(|name| format!("{phase} {name}")).collect::<Vec<_>>();
    if phase == "mkdir" {
        calls.extend(each(phase));
    }
    for k in (1..=files).rev() {
        let name = format!("{dir}L{level}F{k}");
        match phase {
            "file" => {
                calls.push(format!("open {name} O_WRONLY|O_CREAT|O_TRUNC 0666"));
                calls.extend((0..blocks).map(|block| format!("write 4096 at {}", block * 4096)));
                calls.push("close".to_owned());
            }
            "unlink" => calls.push(format!("unlink {name}")),
            _ => {}
        }
    }
    names.iter().for_each(|name| below(phase, level - 1, [dirs, files, blocks], name, calls));
    if phase == "rmdir" {
        calls.extend(each(phase));
    }
}

/// A line of strace in the form of [`calls_of`]; `None` for the program's own output.
fn call(line: &str) -> Option<String> {
    let line = line.split_once(' ').map_or(line, |(_pid, rest)| rest.trim_start());
    let path = line.split('"').nth(1).unwrap_or_default();
    let name = line.split('(').next().unwrap_or_default();
    let flags = line.replace("|O_LARGEFILE", "").replace("|O_CLOEXEC", "");
    assert!(!line.contains(" = -1 "), "{line}");
    Some(match name {
        "mkdir" | "mkdirat" if line.contains(", 0777)") => format!("mkdir {path}"),
        "open" | "openat" if flags.contains(", O_WRONLY|O_CREAT|O_TRUNC, 0666)") => {
            format!("open {path} O_WRONLY|O_CREAT|O_TRUNC 0666")
        }
        "pwrite64" if line.ends_with(" = 4096") => {
            let zeros = line.split('"').nth(1).unwrap_or_default();
            assert!(zeros.len() >= 16 && zeros.replace("\\0", "").is_empty(), "{line}");
            let offset = line.rsplit(", ").next()?.split(')').next()?;
            format!("write 4096 at {offset}")
        }
        "close" => "close".to_owned(),
        "rmdir" => format!("rmdir {path}"),
        "unlinkat" if line.contains("AT_REMOVEDIR") => format!("rmdir {path}"),
        "unlink" | "unlinkat" => format!("unlink {path}"),
        "write" if line.starts_with("write(1,") => return None,
        _ => line.to_owned(),
    })
}

/// The lines of the thread with the first line, with interrupted lines joined. The other threads wait for
/// signals and make no calls on files. When it starts, one reads which signals are ignored.
fn joined(trace: &str) -> Vec<String> {
    let rank = trace.split(' ').next().unwrap();
    let mut lines: Vec<String> = Vec::new();
    for line in trace.lines() {
        if line.split(' ').next() != Some(rank) {
            let is_start = ["\"/proc/self/status\"", " read(", " read resumed>"];
            let is_start = is_start.iter().any(|part| line.contains(part));
            assert!(is_start || !line.contains('"'), "another thread makes calls on files: {line}");
        } else if let Some((_, rest)) = line.split_once(" resumed>") {
            lines.last_mut().expect("it has begun").push_str(rest);
        } else {
            lines.push(line.trim_end_matches(" <unfinished ...>").to_owned());
        }
    }
    lines
}

/// The lines without those that read the kernel's counters between phases: from an open to its close.
fn without_counters(lines: Vec<String>) -> Vec<String> {
    let mut reads = false;
    let is_of_phase = |line: &String| {
        reads |= ["\"/proc/self/io\"", "\"/proc/self/status\""].iter().any(|file| line.contains(file));
        let keeps = !reads;
        reads &= !line.contains(" close(");
        keeps
    };
    lines.into_iter().filter(is_of_phase).collect()
}

#[test]
fn the_system_calls_equal_those_of_the_original_in_order() {
    if Command::new("strace").arg("-V").output().is_err() {
        println!("SKIPPED: strace is not installed; `cargo xtask setup` installs it");
        return;
    }
    for (levels, dirs, files, blocks) in [(2, 2, 2, 2), (1, 3, 1, 0), (0, 1, 2, 1), (2, 0, 1, 1)] {
        let dir = tempfile::tempdir().unwrap();
        // All calls on paths and descriptors.
        let mut command = Command::new("strace");
        command.args(["-f", "-o", "trace", "-e", "trace=%file,%desc,sync"]).arg(program());
        let words = format!("fdtree -l {levels} -d {dirs} -f {files} -s {blocks}");
        command.current_dir(dir.path()).args(words.split_whitespace());
        let text = run(&mut command).ok();
        let base = text.lines().next().unwrap().split(' ').next_back().unwrap();
        let trace = std::fs::read_to_string(dir.path().join("trace")).unwrap();
        let begin = trace.find(&format!("\"{base}\", 0777")).expect("the base is created");
        let begin = trace[..begin].rfind('\n').map_or(0, |at| at + 1);
        let end = begin + trace[begin..].rfind(&format!("\"{base}\"")).unwrap();
        let end = end + trace[end..].find('\n').unwrap();
        let lines = without_counters(joined(&trace[begin..end]));
        let calls: Vec<String> = lines.iter().filter_map(|line| call(line.as_str())).collect();
        assert_eq!(calls, calls_of(levels, dirs, files, blocks, base), "{words}");
    }
}

/// A number that follows `key` in a line of the text.
fn number(text: &str, key: &str) -> f64 {
    let rest = text.split(key).nth(1).unwrap_or_else(|| panic!("{key} in {text}"));
    rest.split_whitespace().next().unwrap().trim_end_matches([',', 's', '/']).parse().unwrap()
}

#[test]
fn the_lines_below_the_classic_ones_agree_with_the_records() {
    let dir = tempfile::tempdir().unwrap();
    let text = fdtree(dir.path(), 1, "-l 2 -d 3 -f 5 -s 2 -v --record r.jsonl").ok();
    assert_eq!(text.matches("assay: latency of one: p50 ").count(), 4, "{text}");
    assert!(!text.contains("slowest rank") && !text.contains("ranks, each"), "{text}");
    let quiet = fdtree(dir.path(), 1, "-l 2 -d 3 -f 5 -s 2").ok();
    assert!(!quiet.contains("latency"), "{quiet}");
    let kept = std::fs::read_to_string(dir.path().join("r.jsonl")).unwrap();
    let records: Vec<serde_json::Value> =
        kept.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (records[0]["record"].as_str(), records[0]["workload"].as_str()),
        (Some("run"), Some("fdtree"))
    );
    assert_eq!(records.last().unwrap()["exit"], 0);
    let phases: Vec<_> = records.iter().filter(|record| record["record"] == "phase").collect();
    let wanted = [
        ("directory_creation", 13, 0, "directories made in "),
        ("file_creation", 65, 8192, "files made in "),
        ("file_removal", 65, 0, "files deleted in "),
        ("directory_removal", 13, 0, "directories deleted in "),
    ];
    assert_eq!(phases.len(), wanted.len());
    for (phase, (name, ops, bytes, words)) in phases.iter().zip(wanted) {
        assert_eq!((phase["phase"].as_str(), phase["ops"].as_u64()), (Some(name), Some(ops)));
        assert_eq!(phase["transfer_bytes"].as_u64(), Some(bytes), "{name}");
        assert_eq!(phase["bytes"].as_u64(), Some(bytes * ops), "{name}");
        assert_eq!(phase["latency"]["count"].as_u64(), Some(ops), "{name}");
        assert_eq!(
            (phase["counts"].as_str(), phase["backend"].as_str()),
            (Some("operations"), Some("posix"))
        );
        assert!(phase["path"].as_str().unwrap().starts_with("./LEVEL0."), "{phase}");
        let seconds = phase["spans"]["total_s"].as_f64().unwrap();
        let line = text.lines().find(|line| line.contains(words)).unwrap();
        assert!((number(line, words) - seconds).abs() < 1e-6, "{line} for {seconds}");
        let rate = number(line, " s: ");
        assert!((rate / (ops as f64 / seconds) - 1.0).abs() < 1e-3, "{line}");
    }
    let line = complaint(&fdtree(dir.path(), 1, "-l 0 -f 1 --record r.jsonl"), 2);
    assert!(line.contains("Choose a file that does not exist yet") && trees(dir.path()).is_empty(), "{line}");
}

#[test]
fn each_of_three_ranks_has_a_tree_and_the_totals_are_sums_over_all() {
    let dir = tempfile::tempdir().unwrap();
    let text = fdtree(dir.path(), 3, &format!("-C {THREE} --record r.jsonl")).ok();
    assert_three_trees(dir.path(), &text);
    let kept = std::fs::read_to_string(dir.path().join("r.jsonl")).unwrap();
    assert!(
        kept.contains("\"ops\":9") && kept.contains("\"ops\":18") && kept.contains("\"ranks\":3"),
        "{kept}"
    );
    for ranks in [1, 2, 4] {
        let line = complaint(&fdtree(dir.path(), ranks, &format!("-R {THREE}")), 2);
        assert!(line.contains(" belongs to 3 ranks"), "{line}");
    }
    let text = fdtree(dir.path(), 3, &format!("-R {THREE}")).ok();
    assert!(text.contains("assay: 9 directories deleted in "), "{text}");
    assert!(trees(dir.path()).is_empty());
}

#[test]
fn a_dry_run_lists_the_operations_and_does_none() {
    let dir = tempfile::tempdir().unwrap();
    let text = fdtree(dir.path(), 2, "-l 1 -d 2 -f 3 -s 1 --dryRun --record r.jsonl").ok();
    for line in [
        "Dry run: nothing is made or removed.\n",
        "assay: would make 6 directories\n",
        "assay: would make 18 files\n",
        "assay: would DELETE 18 files\n",
        "assay: needs 72.0 Ki bytes and 24 inodes; ",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(dir.path().read_dir().unwrap().next().is_none(), "no file is created");
    fdtree(dir.path(), 1, "-C -l 1 -d 2 -f 3 -s 1").ok();
    let text = fdtree(dir.path(), 1, "-R -l 1 -d 2 -f 3 --dryRun").ok();
    assert!(text.contains("assay: would DELETE 9 files\n") && !text.contains("make"), "{text}");
    let [tree] = &trees(dir.path())[..] else { panic!("the tree still exists") };
    assert_eq!(names_below(tree), tree_of(1, 2, 3, 4096));
}

#[test]
fn wrong_options_give_one_line_and_create_no_file() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("file"), "").unwrap();
    for (words, why) in [
        ("-s", "-s takes a value: blocks of 4096 bytes in each file"),
        ("-l 2 -d x", "-d x: not a whole number of 0 or more (directories in each directory)"),
        ("-x", "unknown option `-x`. `fdtree -h` lists all options."),
        ("-l 1 dir", "`dir` is not an option. Give a directory with -o DIR."),
        ("-o nowhere", "-o nowhere: does not exist. Choose an existing directory."),
        ("-o file", "-o file: not a directory. Choose an existing directory."),
        ("-R -o nowhere", "-o nowhere: does not exist. Choose an existing directory."),
        (
            "-l 70 -d 10",
            "-l 70 -d 10 -f 10 -s 10: more than 2^63 directories, files or bytes. Use smaller numbers",
        ),
        (
            "-l 2000 -d 1",
            "-l 2000: the deepest path would be longer than the maximum of 4095 bytes. Use fewer \
             levels",
        ),
        ("--base LEVEL0.h.1", "--base selects the tree that -R removes. Give -R without -C."),
    ] {
        for ranks in [1, 2] {
            assert_eq!(complaint(&fdtree(dir.path(), ranks, words), 2), format!("fdtree: {why}"), "{words}");
        }
        assert_eq!(dir.path().read_dir().unwrap().count(), 1, "{words}: no file is created");
    }
}

#[test]
fn help_manual_links_and_completions_include_fdtree() {
    let dir = tempfile::tempdir().unwrap();
    let help = fdtree(dir.path(), 1, "-h").ok();
    for option in
        ["-l LEVELS", "-d DIRS", "-f FILES", "-s BLOCKS", "-o DIR", "-C ", "-R ", "-D ", "-v ", "--base TREE"]
    {
        assert!(help.contains(&format!("\n  {option}")), "{option} in {help}");
    }
    assert!(help.contains("11111 directories and 111110 files of 40.0 KiB, 4.24 GiB in all"), "{help}");
    assert_eq!(fdtree(dir.path(), 1, "--help").ok(), help);
    assert_eq!(by_name(dir.path(), "-h").ok(), help);
    std::fs::remove_file(dir.path().join("fdtree")).unwrap();
    run(&mut assay(dir.path(), "links .")).ok();
    assert!(dir.path().join("fdtree").exists());
    assert!(run(&mut assay(dir.path(), "man")).ok().contains("fdtree"));
    assert!(run(&mut assay(dir.path(), "completions bash")).ok().contains("fdtree"));
}
