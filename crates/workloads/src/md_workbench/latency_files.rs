//! The files of `-L`: the operations of rank 0, or of all ranks, with their start and their duration.

use std::fmt::Write;

use command::md_workbench::Request;
use ranks::{Comm, Halt};
use units::exponential;

use super::result::{ObjectCall, WorkbenchStep};
use crate::kit::failed_call::{cause, words};

/// Start since the begin of the phase and duration of each operation, nanoseconds.
pub(super) type LoggedCalls = Vec<(u64, u64)>;

/// Writes the file of one kind of operation in one phase. Collective.
pub(super) fn write(
    parameters: &Request,
    comm: &dyn Comm,
    (step, call): (WorkbenchStep, ObjectCall),
    (waiting, iteration): (f64, u32),
    logged: &LoggedCalls,
) -> Result<(), Halt> {
    let Some(prefix) = &parameters.latency else { return Ok(()) };
    let mut rows = String::from("time,runtime\n");
    if parameters.latency_all {
        let mine: Vec<u8> =
            logged.iter().flat_map(|(at, ns)| [at.to_le_bytes(), ns.to_le_bytes()].concat()).collect();
        for rank in comm.gather(&mine)?.unwrap_or_default() {
            let number = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
            rank.chunks_exact(16).for_each(|row| push(&mut rows, number(&row[..8]), number(&row[8..])));
        }
    } else {
        logged.iter().for_each(|(at, ns)| push(&mut rows, *at, *ns));
    }
    let name = match step {
        WorkbenchStep::Benchmark => call.name(),
        step => step.name(),
    };
    let all = if parameters.latency_all { "-all" } else { "" };
    let path = format!("{prefix}-{waiting:.2}-{iteration}-{name}{all}.csv");
    let written = if comm.rank() == 0 { std::fs::write(&path, rows) } else { Ok(()) };
    comm.agree(
        "latency file",
        written
            .map_err(|error| cause("write", path.as_ref(), &error, format!("-L {path}: {}", words(&error)))),
    )
}

fn push(rows: &mut String, at: u64, ns: u64) {
    let seconds = |ns: u64| ns as f64 * 1e-9;
    let _ = writeln!(rows, "{:.7},{}", seconds(at), exponential(seconds(ns), 4));
}
