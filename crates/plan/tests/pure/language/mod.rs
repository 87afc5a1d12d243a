//! The language of plans as people and editors meet it: its schema, what is said of mistakes, its
//! documentation, and that no text at all is met without an answer.

mod any_text;
mod changes;
mod documentation;
mod mistakes;
mod schema;
mod valid;

use std::fs;
use std::path::PathBuf;

/// All plans in the repository that are to be accepted, with their paths.
fn plans() -> Vec<(PathBuf, String)> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let files =
        fs::read_dir(format!("{root}/plans")).expect("plans/").map(|entry| entry.expect("plans/").path());
    let ready = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    let literal = PathBuf::from(format!("{root}/crates/lint/tests/plans/seeds-literal.toml"));
    let all = ready.chain([literal]);
    all.map(|path| (path.clone(), fs::read_to_string(&path).expect("a plan"))).collect()
}
