//! `cargo xtask bench`: the benchmark program, on a release build.
//!
//! Never here: measuring. The program is an example of `workloads`, and prints what it finds.

use std::path::Path;

use anyhow::Result;

use crate::step::cargo;

/// Builds `assay` in release and runs the benchmark program; false if either fails.
pub(crate) fn run(root: &Path) -> Result<bool> {
    if !cargo(root, &["build", "--release"]).status()?.success() {
        return Ok(false);
    }
    if !root.join("crates/workloads/examples/bench.rs").exists() {
        println!("nothing to run: crates/workloads/examples/bench.rs is not there");
        return Ok(true);
    }
    Ok(cargo(root, &["run", "--release", "-p", "workloads", "--example", "bench"]).status()?.success())
}
