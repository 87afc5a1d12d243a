//! The language of plans for people and editors: its schema, the messages about mistakes, and its
//! documentation. Every text is either a plan or rejected.

mod any_text;
mod changes;
mod documentation;
mod like;
mod mistakes;
mod schema;
mod sizes;

use std::fs;
use std::path::PathBuf;

/// All plans in the repository that must be accepted, with their paths.
fn plans() -> Vec<(PathBuf, String)> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let files =
        fs::read_dir(format!("{root}/plans")).expect("plans/").map(|entry| entry.expect("plans/").path());
    let bundled = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    let literal = PathBuf::from(format!("{root}/crates/lint/tests/plans/seeds-literal.toml"));
    let all = bundled.chain([literal]);
    all.map(|path| (path.clone(), fs::read_to_string(&path).expect("a plan"))).collect()
}
