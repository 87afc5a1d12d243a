//! `fdtree -R` finds the tree that an earlier `-C` made, and touches no other.

use std::path::Path;

use crate::common::fdtree::{complaint, fdtree, names_below, tree_of, trees};

#[test]
fn a_second_run_removes_the_tree_of_the_first_and_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let shape = "-l 2 -d 2 -f 3 -s 1";
    let none = fdtree(dir.path(), 1, &format!("-R {shape}"));
    assert!(complaint(&none, 2).contains("-R: there is no tree of fdtree in .;"), "{none:?}");
    let text = fdtree(dir.path(), 1, &format!("-C {shape}")).ok();
    let last = text.lines().next_back().unwrap();
    assert!(last.starts_with("\tassay: left at ./LEVEL0."), "{text}");
    assert!(last.ends_with("/; `fdtree -R -l 2 -d 2 -f 3 -s 1 -o .` removes it"), "{text}");
    fdtree(dir.path(), 1, "-C -l 2 -d 2 -f 4 -s 1").ok();
    for words in ["-R -l 2 -d 3 -f 3", "-R", "-R -l 1 -d 2 -f 3"] {
        let line = complaint(&fdtree(dir.path(), 1, words), 2);
        assert!(line.contains("-R: no tree in . is as ") && line.contains("./LEVEL0."), "{line}");
    }
    let told = fdtree(dir.path(), 1, "-R -l 2 -d 2 -f 3 --dryRun").ok();
    assert!(told.contains("\tassay: the KiB are those of the default of -s; "), "{told}");
    let text = fdtree(dir.path(), 1, &format!("-R {shape}")).ok();
    assert!(!text.contains("of the default of -s"), "{text}");
    assert!(!text.contains("CREATE") && text.contains("\nDIRECTORY REMOVE TIME"), "{text}");
    let [other] = &trees(dir.path())[..] else { panic!("the other tree is there") };
    assert_eq!(names_below(other), tree_of(2, 2, 4, 4096));
}

#[test]
fn of_several_trees_the_one_named_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let shape = "-l 1 -d 2 -f 3 -s 1";
    for _ in 0..3 {
        fdtree(dir.path(), 1, &format!("-C {shape}")).ok();
    }
    let all = trees(dir.path());
    let line = complaint(&fdtree(dir.path(), 1, &format!("-R {shape}")), 2);
    let name = |tree: &Path| tree.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(all.iter().all(|tree| line.contains(&name(tree))), "all are named: {line}");
    assert!(line.contains("choose one, such as --base ./LEVEL0."), "{line}");
    // As printed, by its name alone, and from elsewhere.
    let bases = [format!("./{}/", name(&all[0])), name(&all[1]), all[2].display().to_string()];
    for (number, base) in bases.iter().enumerate() {
        fdtree(dir.path(), 1, &format!("-R {shape} --base {base}")).ok();
        assert_eq!(trees(dir.path()), all[number + 1..], "only {base} is gone");
    }
    std::fs::create_dir(dir.path().join("data")).unwrap();
    for (base, why) in [
        ("data", "have names that begin with LEVEL0"),
        ("LEVEL0.no.1", "No such file or directory"),
        ("LEVEL0.no.1 --continue", "No such file or directory"),
    ] {
        let line = complaint(&fdtree(dir.path(), 1, &format!("-R {shape} --base {base}")), 2);
        assert!(line.contains(why), "{line}");
    }
}
