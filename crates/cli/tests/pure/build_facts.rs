//! The commit and the compiler that a build records.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::campaign::Place;

#[path = "../../build.rs"]
#[expect(dead_code, reason = "a build script has a main of its own")]
mod build;

fn git(root: &Path, words: &[&str]) -> String {
    let identity = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"];
    let done = Command::new("git").current_dir(root).args(identity).args(words).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

fn write(root: &Path, path: &str, text: &str) {
    fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
    fs::write(root.join(path), text).unwrap();
}

#[test]
fn the_commit_of_a_build_has_a_mark_if_a_file_of_the_program_differs() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for path in ["crates/cli/build.rs", "crates/cli/src/main.rs", "plans/p.toml", "docs/d.md"] {
        write(root, path, "one");
    }
    assert_eq!(build::commit(root), None, "without a checkout");
    git(root, &["init", "--quiet"]);
    assert_eq!(build::commit(root), None, "in the checkout of another project");
    git(root, &["add", "."]);
    git(root, &["commit", "--quiet", "-m", "one"]);
    let commit = git(root, &["rev-parse", "HEAD"]);
    assert_eq!((commit.len(), build::commit(root)), (40, Some(commit.clone())));
    write(root, "docs/d.md", "two");
    write(root, "crates/cli/tests/t.rs", "two");
    assert_eq!(build::commit(root), Some(commit.clone()), "neither is in the program");
    for path in ["plans/p.toml", "crates/cli/src/new.rs"] {
        write(root, path, "two");
        assert_eq!(build::commit(root), Some(format!("{commit}-modified")), "{path}");
        git(root, &["stash", "--quiet", "--include-untracked"]);
    }
}

#[test]
fn a_build_runs_again_after_a_commit_and_a_change_of_the_program_but_not_of_a_test() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for path in ["crates/cli/build.rs", "crates/cli/src/main.rs", "crates/cli/tests/t.rs", "Cargo.lock"] {
        write(root, path, "one");
    }
    git(root, &["init", "--quiet", "--initial-branch", "main"]);
    git(root, &["add", "."]);
    git(root, &["commit", "--quiet", "-m", "one"]);
    let watched = build::watched(root);
    let covers = |path: &str| watched.iter().any(|one| root.join(path).starts_with(one));
    for path in [".git/HEAD", ".git/refs/heads/main", "crates/cli/src/main.rs", "Cargo.lock"] {
        assert!(covers(path), "{path}: {watched:?}");
    }
    assert!(!covers("crates/cli/tests/t.rs") && !covers(".git/index"), "{watched:?}");
    assert!(watched.iter().all(|path| path.exists()), "cargo takes a missing file as changed: {watched:?}");
}

#[test]
fn a_campaign_of_a_plain_build_records_its_commit_and_compiler() {
    let place = Place::new();
    place.plan(
        "[[test]]\nid = \"W\"\nior = \"-w -e -t 64k -b 64k\"\n\
         criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }\n",
    );
    place.assay("run p.toml --dir dir --folder f").ok();
    let text = fs::read_to_string(place.path("f/campaign.json")).unwrap();
    let info: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(info["build"]["rustc"].as_str().unwrap().starts_with("rustc 1."), "{}", info["build"]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let commit = info["build"]["commit"].as_str().unwrap();
    if build::commit(&root).is_none() {
        println!("SKIPPED: these sources are in no checkout");
        assert_eq!(commit, "");
        return;
    }
    let digits = commit.trim_end_matches("-modified");
    assert!(digits.len() >= 40 && digits.chars().all(|one| one.is_ascii_hexdigit()), "{commit}");
    let verdicts = fs::read_to_string(place.path("f/verdicts.json")).unwrap();
    assert!(!verdicts.contains("audit-gap"), "{verdicts}");
}
