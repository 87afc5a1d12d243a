//! A script of `ior`, and the records of its run.

use std::fs::read_to_string;
use std::path::Path;

use serde_json::Value;

/// Three tests. The later ones have fewer ranks.
pub const THREE: &str = "ignored = before\nIOR START\n  # comment\n  api=POSIX\n  \
                     blockSize=64k, transferSize=16k # so\n  testFile = sf\nRUN\n  transferSize=32K\n  \
                     numTasks=2\nRUN\nRUN\nIOR STOP\nnonsense";

pub fn records(path: &Path) -> Vec<Value> {
    read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// `(test, phase, ranks, transfer)` of each phase.
pub fn phases(records: &[Value]) -> Vec<(u64, &str, u64, u64)> {
    let number = |phase: &Value, key: &str| phase[key].as_u64().unwrap();
    records
        .iter()
        .filter(|record| record["record"] == "phase")
        .map(|phase| {
            let ranks = number(phase, "ranks");
            (number(phase, "test"), phase["phase"].as_str().unwrap(), ranks, number(phase, "transfer_bytes"))
        })
        .collect()
}
