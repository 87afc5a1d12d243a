//! The system calls of `assay ls-lr`, compared with those of `ls -lR`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::program;

/// Creates a tree with all kinds of entries that `ls -l` treats differently.
fn mixed_tree(root: &Path) {
    let at = |name: &str| root.join(name);
    for name in ["d1/sub/deep", "d0", "Z", "many", ".hidden/x", "d1/.git"] {
        fs::create_dir_all(at(name)).unwrap();
    }
    for name in ["a", "B", "zz", "d1/x", "d1/Y", "d1/sub/ä", "Z/with blank", ".dot", "d1/sub/deep/f"] {
        fs::write(at(name), "text").unwrap();
    }
    // More entries than one call of getdents64 returns.
    (0..1500).for_each(|number| fs::write(at(&format!("many/a-rather-long-name-{number}")), "").unwrap());
    for (target, link) in [("a", "link"), ("nowhere", "dangling"), ("..", "d1/up"), ("d1", "to-dir")] {
        symlink(target, at(link)).unwrap();
    }
    let made = Command::new("mkfifo").arg(at("fifo")).status().unwrap();
    assert!(made.success());
}

/// The calls of a command on paths below `root`, without the details that may differ.
fn traced(root: &Path, command: &[&str]) -> Option<Vec<String>> {
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut strace = Command::new("strace");
    strace.args(["-f", "-y", "-s", "512", "-o"]).arg(log.path()).args(command).env("LC_ALL", "C");
    match strace.output() {
        Ok(ran) if ran.status.success() => {}
        other => {
            println!("SKIPPED: no strace here: {other:?}");
            return None;
        }
    }
    let below = root.to_str().unwrap();
    let lines = fs::read_to_string(log.path()).unwrap();
    let calls = lines.lines().filter_map(|line| call(line.split_once(' ')?.1.trim_start(), below));
    // Both programs check the root in different ways first, so the comparison begins with the walk.
    let calls: Vec<String> = calls.collect();
    let first = calls.iter().rposition(|call| call == &format!("lgetxattr {below} security.selinux"));
    let begin = first.map_or(0, |first| first.saturating_sub(1));
    Some(calls[begin..].to_vec())
}

/// One call on a path below `below`: its name, path, and the relevant flags.
fn call(line: &str, below: &str) -> Option<String> {
    let (name, rest) = line.split_once('(')?;
    let quoted: Vec<&str> = rest.split('"').skip(1).step_by(2).collect();
    let fd = || rest.split_once('<')?.1.split_once('>').map(|(path, _)| path.to_owned());
    let named = quoted.first().filter(|path| path.starts_with(below)).map(|path| (*path).to_owned());
    let on_fd = fd().filter(|path| path.starts_with(below));
    let flags =
        |from: &str| rest.find(from).map(|at| rest[at..].split([' ', ')']).next().unwrap().to_owned());
    Some(match (name, named, on_fd) {
        ("open" | "openat", Some(path), _) => {
            format!("open {path} {}", flags("O_RDONLY")?.replace("O_LARGEFILE|", ""))
        }
        ("fstat", _, Some(path)) => format!("fstat {path}"),
        ("newfstatat", _, Some(path)) if quoted[0].is_empty() => format!("fstat {path}"),
        ("statx", Some(path), _) => format!("statx {path} {} {}", flags("AT_")?, flags("STATX_")?),
        ("statx", None, Some(path)) => format!("statx of {path} {}", flags("STATX_")?),
        ("getdents64" | "close", _, Some(path)) => format!("{name} {path}"),
        ("lgetxattr" | "getxattr", Some(path), _) => format!("{name} {path} {}", quoted[1]),
        ("readlink" | "readlinkat", Some(path), _) => format!("readlink {path}"),
        _ => return None,
    })
}

#[test]
fn a_walker_and_ls_make_the_same_calls_in_the_same_order() {
    for parent in [std::env::temp_dir(), PathBuf::from("/dev/shm")] {
        let Ok(dir) = tempfile::tempdir_in(&parent) else { continue };
        let root = dir.path().join("tree");
        fs::create_dir(&root).unwrap();
        mixed_tree(&root);
        let path = root.to_str().unwrap();
        let Some(wanted) = traced(&root, &["ls", "-lR", path]) else { return };
        let ours = traced(&root, &[program().to_str().unwrap(), "ls-lr", path]).unwrap();
        let paths = |calls: &[String], of: &str| -> Vec<String> {
            calls.iter().filter(|call| call.starts_with(of)).cloned().collect()
        };
        assert_eq!(paths(&wanted, "open "), paths(&ours, "open "), "directories, in order");
        assert_eq!(paths(&wanted, "statx /"), paths(&ours, "statx /"), "entries, in order");
        assert!(paths(&ours, "statx /").len() > 1500 && paths(&ours, "readlink").len() == 4);
        let version = Command::new("ls").arg("--version").output().unwrap();
        if String::from_utf8_lossy(&version.stdout).starts_with("ls (GNU coreutils) 9.1") {
            assert_eq!(wanted, ours, "under {}", parent.display());
        } else {
            println!("SKIPPED: attributes are compared with ls 9.1 only");
        }
    }
}
