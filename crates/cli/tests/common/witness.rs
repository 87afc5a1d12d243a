//! A preloaded library as a witness: it counts the calls that a program makes on files, and knows nothing of
//! records. It sees only calls of the C library and of MPI, as Darshan or a file system in user space does.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{Ran, run, shim};

/// Calls by function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WitnessedCalls(pub BTreeMap<String, u64>);

impl WitnessedCalls {
    /// Runs the command with the library preloaded. Counts calls on files below `under`, and those of MPI.
    pub fn from_run(command: &mut Command, under: &Path) -> (Ran, Self) {
        let place = tempfile::tempdir().unwrap();
        command
            .env("LD_PRELOAD", shim())
            .env("ASSAY_SHIM_CALLS", place.path().join("calls"))
            .env("ASSAY_SHIM_UNDER", under);
        let ran = run(command);
        let mut calls = Self::default();
        for file in std::fs::read_dir(place.path()).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            for line in text.lines() {
                let (name, count) = line.split_once(' ').unwrap();
                *calls.0.entry(name.to_owned()).or_default() += count.parse::<u64>().unwrap();
            }
        }
        (ran, calls)
    }

    /// How often these functions were called.
    pub fn count(&self, names: &[&str]) -> u64 {
        names.iter().filter_map(|name| self.0.get(*name)).sum()
    }
}

/// The sum of the operations of phases of this name in the records at `path`.
pub fn recorded_ops(path: &Path, phase: &str) -> u64 {
    let text = std::fs::read_to_string(path).unwrap();
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let phases = records.filter(|record| record["record"] == "phase" && record["phase"] == phase);
    phases.map(|record| record["ops"].as_u64().unwrap()).sum()
}
