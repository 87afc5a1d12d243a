//! `fdtree -R` finds the tree of an earlier `-C`, and changes no other tree.

use std::path::Path;

use crate::common::fdtree::{complaint, fdtree, names_below, tree_of, trees};

#[test]
fn a_second_run_removes_only_the_tree_of_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let shape = "-l 2 -d 2 -f 3 -s 1";
    let none = fdtree(dir.path(), 1, &format!("-R {shape}"));
    assert!(complaint(&none, 2).contains("-R: no tree of fdtree in .. Create"), "{none:?}");
    let text = fdtree(dir.path(), 1, &format!("-C {shape}")).ok();
    let last = text.lines().next_back().unwrap();
    assert!(last.starts_with("assay: left at ./LEVEL0."), "{text}");
    assert!(last.ends_with("/. Delete it with `fdtree -R -l 2 -d 2 -f 3 -s 1 -o .`."), "{text}");
    fdtree(dir.path(), 1, "-C -l 2 -d 2 -f 4 -s 1").ok();
    for words in ["-R -l 2 -d 3 -f 3", "-R", "-R -l 1 -d 2 -f 3"] {
        let line = complaint(&fdtree(dir.path(), 1, words), 2);
        assert!(line.contains("-R: no tree in . has the shape ") && line.contains("./LEVEL0."), "{line}");
    }
    let dry_run = fdtree(dir.path(), 1, "-R -l 2 -d 2 -f 3 --dryRun").ok();
    assert!(dry_run.contains("assay: the sizes assume the default of -s. "), "{dry_run}");
    let text = fdtree(dir.path(), 1, &format!("-R {shape}")).ok();
    assert!(!text.contains("assume the default of -s"), "{text}");
    assert!(!text.contains("CREATE") && text.contains("\nDIRECTORY REMOVE TIME"), "{text}");
    let [other] = &trees(dir.path())[..] else { panic!("the other tree exists") };
    assert_eq!(names_below(other), tree_of(2, 2, 4, 4096));
}

#[test]
fn base_selects_one_of_several_trees() {
    let dir = tempfile::tempdir().unwrap();
    let shape = "-l 1 -d 2 -f 3 -s 1";
    for _ in 0..3 {
        fdtree(dir.path(), 1, &format!("-C {shape}")).ok();
    }
    let all = trees(dir.path());
    let line = complaint(&fdtree(dir.path(), 1, &format!("-R {shape}")), 2);
    let name = |tree: &Path| tree.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(all.iter().all(|tree| line.contains(&name(tree))), "all trees are listed: {line}");
    assert!(line.contains("Choose one, for example --base ./LEVEL0."), "{line}");
    // As in the output, as a bare name, and as an absolute path.
    let bases = [format!("./{}/", name(&all[0])), name(&all[1]), all[2].display().to_string()];
    for (number, base) in bases.iter().enumerate() {
        fdtree(dir.path(), 1, &format!("-R {shape} --base {base}")).ok();
        assert_eq!(trees(dir.path()), all[number + 1..], "only {base} is removed");
    }
    std::fs::create_dir(dir.path().join("data")).unwrap();
    for (base, why) in [
        ("data", "not a tree of fdtree. Their names begin with LEVEL0."),
        ("LEVEL0.no.1", "No such file or directory"),
        ("LEVEL0.no.1 --continue", "No such file or directory"),
    ] {
        let line = complaint(&fdtree(dir.path(), 1, &format!("-R {shape} --base {base}")), 2);
        assert!(line.contains(why), "{line}");
    }
}
