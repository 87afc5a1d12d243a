//! Runs `mdtest` and compares its output with that of the original.
//!
//! A golden text begins with a comment, then `$` and the options of each run. The output of the last run
//! follows: mdtest's own, from two ranks, masked. `{14}` is a measured number with its blanks in 14 columns,
//! and `{}` one in running text. `...` is a text that depends on the place, `DATE` a date.
#![allow(dead_code, unreachable_pub)]

use std::path::Path;
use std::process::Command;

use super::{Ran, assay, run};

/// The command `assay -n RANKS mdtest WORDS` in `dir`.
pub fn command(dir: &Path, ranks: u32, words: &str) -> Command {
    assay(dir, &format!("-n {ranks} mdtest {words}"))
}

/// Runs `assay -n RANKS mdtest WORDS` in `dir`.
pub fn mdtest(dir: &Path, ranks: u32, words: &str) -> Ran {
    run(&mut command(dir, ranks, words))
}

/// The lines that `mdtest` itself wrote to standard error, without notes.
pub fn complaints(ran: &Ran) -> Vec<&str> {
    ran.err.lines().filter(|line| line.starts_with("mdtest: ")).collect()
}

/// The classic part of the output.
pub fn classic(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("assay: ")).map(|line| format!("{line}\n")).collect()
}

/// A line with everything masked that differs from run to run.
pub fn mask(line: &str) -> String {
    for key in ["Command line used: ", "Path                : ", "FS                  : ", "Path: ", "FS: "] {
        if line.starts_with(key) {
            return format!("{key}...");
        }
    }
    // The classic program shows another option here (docs/reference/compatibility/mdtest.md).
    if let Some((before, _)) = line.split_once("remove_only             : ") {
        return format!("{before}remove_only             : ...");
    }
    if let Some((before, _)) = line.split_once("\t/") {
        return format!("{before}\t...");
    }
    if let Some(rest) = line.strip_prefix("Continue stonewall hit min: ") {
        assert_eq!(rest.split(' ').count(), 6, "{line}");
        return "Continue stonewall hit min: {} max: {} avg: {} ".to_owned();
    }
    if line.starts_with("Test ") {
        return exponentials(line);
    }
    measured(&dates(line)).replace("(in seconds)", "(in ms/op)")
}

/// Masks every number with three decimals, together with the blanks before it.
fn measured(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(point) = rest.find('.') {
        let whole = rest[..point].chars().rev().take_while(char::is_ascii_digit).count();
        let decimals = rest[point + 1..].chars().take_while(char::is_ascii_digit).count();
        let begin = point - whole;
        if whole == 0 || decimals != 3 {
            text.push_str(&rest[..=point]);
            rest = &rest[point + 1..];
            continue;
        }
        // A measured value has 14 columns, including the blanks before it.
        let number = whole + 1 + decimals;
        let blanks = rest[..begin].chars().rev().take_while(|c| *c == ' ').count();
        let cell = number.max(14).min(number + blanks);
        text.push_str(&rest[..point + 4 - cell]);
        text.push_str(&format!("{{{cell}}}"));
        rest = &rest[point + 4..];
    }
    text + rest
}

fn exponentials(line: &str) -> String {
    let (name, values) = line.rsplit_once(' ').expect("values");
    let alike = |value: &str| value.len() == 12 && value[8..].starts_with('e') && value.contains('.');
    assert!(values.split(',').all(alike), "{line}");
    format!("{name} {}", vec!["{}"; values.split(',').count()].join(","))
}

/// Masks every date of mdtest.
fn dates(line: &str) -> String {
    let pattern = "00/00/0000 00:00:00";
    let is_date = |text: &str| {
        text.chars().zip(pattern.chars()).all(|(c, p)| if p == '0' { c.is_ascii_digit() } else { c == p })
    };
    let at = (0..line.len()).find(|at| line.get(*at..at + pattern.len()).is_some_and(is_date));
    at.map_or(line.to_owned(), |at| format!("{}DATE{}", &line[..at], &line[at + pattern.len()..]))
}

/// Asserts that the last run of the golden text prints that text. `DIR` in its options becomes `dir`.
pub fn assert_golden(golden: &str, dir: &Path) {
    assert_golden_with(golden, dir, &[], "");
}

/// The same with `variables`, which replace the options `instead`. Gives the output.
pub fn assert_golden_with(golden: &str, dir: &Path, variables: &[(&str, &str)], instead: &str) -> String {
    let lines: Vec<&str> = golden.lines().skip(1).collect();
    let runs: Vec<&str> = lines.iter().map_while(|line| line.strip_prefix("$ ")).collect();
    let text = lines[runs.len()..].join("\n");
    let mut out = String::new();
    for words in &runs {
        let words = words.replace("DIR", &dir.display().to_string()).replace(instead, "");
        out = run(command(dir, 2, &words).envs(variables.iter().copied())).ok();
    }
    let ours: Vec<String> = classic(&out).lines().map(mask).collect();
    assert_eq!(ours.join("\n").trim_end(), text.trim_end(), "{out}");
    out
}
