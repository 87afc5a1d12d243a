//! The layout of a plan's files over storage targets.

use plan::Plan;

use crate::data;

/// The data of the layout findings for a test with these keys on this file system.
fn undeclared(fs: &str, keys: &str, line: &str) -> Vec<Vec<String>> {
    let text = format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"{{dir}}\"{fs} }}\n\
         [[test]]\nid = \"T\"\nior = \"{line}\"\n{keys}\n\
         criterion = {{ metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }}\n"
    );
    let findings = lint::plan(&Plan::parse(&text, "p.toml").unwrap()).into_iter();
    let found = findings.filter(|finding| finding.code().id() == "layout-undeclared");
    found.map(|finding| data(&finding)).collect()
}

#[test]
fn a_layout_that_the_records_can_confirm_is_declared() {
    let undeclared = |keys: &str, line: &str| undeclared(", kind = \"lustre\"", keys, line);
    assert_eq!(undeclared("", "-w -e -F"), [["kind=lustre"]]);
    assert!(undeclared("stripes = 1", "-w -e -F").is_empty());
    assert!(undeclared("stripes = \"all\"", "-w -e").is_empty());
    assert_eq!(undeclared("stripes = \"all\"", "-w -e -F"), [["layout=all"]]);
}

#[test]
fn fewer_single_target_files_than_targets_are_found() {
    let found = |targets: &str, keys: &str| undeclared(&format!(", targets = {targets}"), keys, "-w -e -F");
    assert_eq!(found("5", "ranks = 4\nstripes = 1"), [["files=4", "targets=5"]]);
    for (targets, keys) in [
        ("4", "ranks = 4\nstripes = 1"),
        ("\"\"", "ranks = 4\nstripes = 1"),
        ("5", "ranks = 4\nstripes = 2"),
        ("5", "ranks = 4"),
    ] {
        assert!(found(targets, keys).is_empty(), "{targets} {keys}");
    }
}
