//! Runs `fdtree`, and masks what differs from run to run in its output.
#![allow(dead_code, unreachable_pub)]

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Mpi, Ran, assay, program, run};

/// Runs `assay -n RANKS fdtree WORDS` in `dir`.
pub fn fdtree(dir: &Path, ranks: u32, words: &str) -> Ran {
    run(&mut assay(dir, &format!("-n {ranks} fdtree {words}")))
}

/// Runs `mpirun -n RANKS assay fdtree WORDS` in `dir`; `None` if this MPI is not installed.
pub fn under(mpi: Mpi, dir: &Path, ranks: u32, words: &str) -> Option<Ran> {
    Some(run(&mut mpi.command(dir, ranks, &format!("fdtree {words}"))?))
}

/// Runs the program under the name `fdtree` in `dir`, and leaves the link there.
pub fn by_name(dir: &Path, words: &str) -> Ran {
    let link = dir.join("fdtree");
    if !link.exists() {
        std::os::unix::fs::symlink(program(), &link).unwrap();
    }
    run(Command::new(link).current_dir(dir).args(words.split_whitespace()))
}

/// The only line of error of a run that failed with `status`.
pub fn complaint(ran: &Ran, status: i32) -> String {
    assert_eq!(ran.status, Some(status), "{ran:#?}");
    let lines: Vec<&str> = ran.err.lines().filter(|line| line.starts_with("fdtree: ")).collect();
    assert_eq!(lines.len(), 1, "{ran:#?}");
    lines[0].to_owned()
}

/// Every path below `dir`, sorted. A file is followed by its length.
pub fn names_below(dir: &Path) -> Vec<String> {
    fn into(root: &Path, dir: &Path, names: &mut Vec<String>) {
        for entry in dir.read_dir().unwrap() {
            let entry = entry.unwrap();
            let name = entry.path().strip_prefix(root).unwrap().display().to_string();
            if entry.file_type().unwrap().is_dir() {
                names.push(format!("{name}/"));
                into(root, &entry.path(), names);
            } else {
                names.push(format!("{name} {}", entry.metadata().unwrap().len()));
            }
        }
    }
    let mut names = Vec::new();
    into(dir, dir, &mut names);
    names.sort();
    names
}

/// The contents of a tree by the rules of fdtree. Directories end in a slash, files have their length.
pub fn tree_of(levels: u64, dirs: u64, files: u64, bytes: u64) -> Vec<String> {
    let mut names: Vec<String> = (1..=files).map(|k| format!("L{levels}F{k} {bytes}")).collect();
    if levels > 0 {
        for k in 1..=dirs {
            let dir = format!("L{levels}D{k}/");
            names.extend(tree_of(levels - 1, dirs, files, bytes).iter().map(|name| format!("{dir}{name}")));
            names.push(dir);
        }
    }
    names.sort();
    names
}

/// The trees in `dir`, sorted.
pub fn trees(dir: &Path) -> Vec<PathBuf> {
    let mut trees: Vec<PathBuf> = dir.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    trees.retain(|path| path.file_name().unwrap().to_str().unwrap().starts_with("LEVEL0"));
    trees.sort();
    trees
}

/// The classic lines with dates, trees, times and rates masked.
pub fn classic(text: &str) -> String {
    let ours = |line: &&str| line.starts_with("assay: ");
    text.lines().filter(|line| !ours(line)).map(|line| mask(line) + "\n").collect()
}

fn mask(line: &str) -> String {
    if is_date(line) {
        return "DATE".to_owned();
    }
    if let Some(at) = line.find(" TIME IN, OUT, TOTAL").and_then(|_| line.find('=')) {
        return format!("{} {{}}", &line[..=at]);
    }
    if let Some(at) = line.find(" per second ").and_then(|_| line.find("=  ")) {
        return format!("{}{{}}", &line[..at + 3]);
    }
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("LEVEL0.") {
        let name = &rest[at..];
        let end = name.find(['/', ' ', ')']).unwrap_or(name.len());
        text.push_str(&rest[..at]);
        let parts: Vec<&str> = name[..end].split('.').collect();
        assert!(parts.len() == 3 && parts[2].parse::<u32>().is_ok(), "{line}");
        text.push_str("LEVEL0.HOST.PID");
        rest = &name[end..];
    }
    text + rest
}

/// `Sat Nov 21 07:57:02 UTC 2026`
fn is_date(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.len() == 6
        && words[3].len() == 8
        && words[3].matches(':').count() == 2
        && words[5].parse::<u32>().is_ok()
        && line.len() == 20 + words[4].len() + 5
}

pub const THREE: &str = "-l 1 -d 2 -f 2 -s 1";

/// Asserts what three ranks of a run on `-l 1 -d 2 -f 2 -s 1` leave in `dir` and print.
pub fn assert_three_trees(dir: &Path, text: &str) {
    let all = trees(dir);
    assert_eq!(all.len(), 3, "{all:?}");
    let run = all[0].display().to_string();
    let run = run.strip_suffix(".0").unwrap();
    for (rank, tree) in all.iter().enumerate() {
        assert_eq!(tree.display().to_string(), format!("{run}.{rank}"));
        assert_eq!(names_below(tree), tree_of(1, 2, 2, 4096));
    }
    let base = Path::new(run).file_name().unwrap().to_str().unwrap();
    assert!(text.starts_with(&format!("fdtree-1.0.2: starting at ./{base}.{{0..2}}/\n")), "{text}");
    for line in [
        "\tfor a total of 9 directories\n",
        "\twith 2 files of size 4KiB per directory\n",
        "\tfor a total of 18 files and 72KiB\n",
        "assay: 3 ranks, each in its own tree.",
        "assay: 9 directories made in ",
        "assay: 18 files made in ",
    ] {
        assert_eq!(text.matches(line).count(), 1, "{line} in {text}");
    }
    assert_eq!(text.matches("assay: slowest rank ").count(), 2, "{text}");
}
