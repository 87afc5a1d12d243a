//! The status file of `-x`: how many items the deadline of one run left for the next.

use ranks::Halt;

use super::observer::Event;
use super::run::Run;
use crate::kit::drive::words;

/// How many items of a rank an earlier run left, where a status file says so. Collective.
pub(super) fn load(run: &mut Run<'_>) -> Result<Option<u64>, Halt> {
    let parameters = run.parameters;
    let Some(path) = parameters.status_file.as_ref().filter(|_| !parameters.create) else { return Ok(None) };
    let mut text = Vec::new();
    if run.rank.comm.rank() == 0 {
        text = std::fs::read(path).unwrap_or_default();
    }
    run.rank.comm.broadcast(0, &mut text)?;
    let Ok(items) = String::from_utf8_lossy(&text).trim().parse::<u64>() else {
        run.observer.event(&Event::Warning("Could not read stonewall status file"));
        return Ok(None);
    };
    if items > run.counts.items() {
        let one_dir = run.counts.holders == 1 && run.counts.loops == 1;
        let more =
            || format!("{path}: {items} items of a rank, and -n or -I ask for fewer; give at least as many");
        run.rank.comm.agree("status file", one_dir.then_some(()).ok_or_else(more))?;
        run.counts.per_dir = items;
    }
    Ok(Some(items))
}

/// Leaves the count for the next run. Collective.
pub(super) fn leave(run: &Run<'_>, items: u64) -> Result<(), Halt> {
    let Some(path) = &run.parameters.status_file else { return Ok(()) };
    let alone = run.rank.comm.rank() == 0;
    let written = if alone { std::fs::write(path, items.to_string()) } else { Ok(()) };
    run.rank.comm.agree("status file", written.map_err(|error| format!("{path}: {}", words(&error))))
}
