//! The output of `pfind`: what was searched, rates, latencies, the ranks one by one, and the last lines of
//! the original.
//!
//! Invariant: all numbers come from a record or an event. The lines of the original stand only below a
//! complete search.

use std::fmt::Write as _;
use std::io;

use command::pfind::PfindOptions;
use report::sentences::sentence;
use units::{percent, several};
use workloads::kit::observer::EventObserver;
use workloads::pfind::{FinderRow, Found, PfindEvent, PfindParameters};

use crate::personalities::failures::failed_calls;
use crate::personalities::latency;
use crate::personalities::printer::Printer;

/// Up to this many ranks are listed one by one without -P.
const FEW: usize = 32;

/// Prints events.
pub(super) struct PfindText {
    head: String,
    per_rank: bool,
    prints_rate: bool,
    /// The last lines, which follow the warnings.
    end: String,
    printer: Printer,
}

impl PfindText {
    pub(super) fn new(printer: Printer, options: &PfindOptions, parameters: &PfindParameters) -> Self {
        let (per_rank, prints_rate) = (options.per_rank, options.debug.is_some());
        Self { head: head(parameters), per_rank, prints_rate, end: String::new(), printer }
    }

    /// Prints the last lines. Fails if anything could not be printed.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.printer.put(&self.end);
        self.printer.finish()
    }
}

impl EventObserver<PfindEvent<'_>> for PfindText {
    fn event(&mut self, event: &PfindEvent<'_>) {
        let text = match event {
            PfindEvent::Started { ranks, nodes } => {
                let (ranks, nodes) = (several((*ranks).into(), "rank"), several((*nodes).into(), "node"));
                format!("pfind: {ranks} on {nodes}\n{}", self.head)
            }
            PfindEvent::Found(found) => {
                self.end = last_lines(found, self.prints_rate);
                searched(found, self.per_rank)
            }
            PfindEvent::Notice(reason) => format!("assay: warning: {}\n", sentence(reason)),
        };
        self.printer.put(&text);
    }
}

/// What is searched.
fn head(parameters: &PfindParameters) -> String {
    let mut conditions = String::new();
    if let Some(newer) = &parameters.newer {
        let _ = write!(conditions, " -newer {}", newer.display());
    }
    if let Some(bytes) = parameters.bytes {
        let _ = write!(conditions, " -size {bytes}c");
    }
    if let Some(name) = &parameters.name {
        let _ = write!(conditions, " -name {}", name.text());
    }
    let conditions = if conditions.is_empty() { " none" } else { &conditions };
    format!("  tree       {}\n  conditions{conditions}\n\n", parameters.dir.display())
}

fn searched(found: &Found, per_rank: bool) -> String {
    let (find, directories) = (&found.find, &found.directories);
    let rate = find.metric("rate").map_or(0.0, |rate| rate.value);
    let mut text = format!(
        "  rate       {rate:>10.0} files/s   {:>10} files in {:>9.3} s\n  matched    {:>10}\n",
        find.ops, find.spans.total_s, found.matched
    );
    let dropped = if found.caches.dropped { "dropped before" } else { "not dropped" };
    let _ = match found.caches.new_names {
        Some(share) => {
            let new = percent(share, 0);
            writeln!(text, "  caches     {dropped}; {new} of the names that were queried or opened were new")
        }
        None => writeln!(text, "  caches     {dropped}"),
    };
    let _ = writeln!(text, "  {:<10} {:>10}{}", "latency", "calls", latency::headings());
    for (name, phase) in [("file", find), ("directory", directories)] {
        let Some(latency) = &phase.latency else { continue };
        let _ = writeln!(text, "  {name:<10} {:>10}{}", latency.count, latency::columns(latency));
    }
    text.push_str(&ranks(&found.ranks, per_rank));
    text.push_str(&find.failed.as_ref().map(failed_calls).unwrap_or_default());
    text + "\n"
}

/// The ranks one by one, if there are few.
fn ranks(rows: &[FinderRow], per_rank: bool) -> String {
    let mut text = format!(
        "  {:>6} {:>10} {:>10} {:>11} {:>10} {:>10} {:>9}  node\n",
        "rank", "files", "matched", "directories", "queried", "taken", "waited s"
    );
    if rows.len() > FEW && !per_rank {
        return format!("  {} ranks are not listed; -P lists them\n", rows.len());
    }
    for (rank, row) in rows.iter().enumerate() {
        let FinderRow { node, files, matched, directories, queried, taken, waited_s } = row;
        let _ = writeln!(
            text,
            "  {rank:>6} {files:>10} {matched:>10} {directories:>11} {queried:>10} {taken:>10} \
             {waited_s:>9.3}  {node}"
        );
    }
    text
}

/// The last lines of the original. Scripts read the last one.
fn last_lines(found: &Found, prints_rate: bool) -> String {
    let find = &found.find;
    if let Some(failed) = &find.failed {
        return format!("INCOMPLETE: {} calls failed, so there is no result\n", failed.operations);
    }
    let (matched, files) = (found.matched, find.ops);
    let rate = if prints_rate {
        let rate = find.metric("rate").map_or(0.0, |rate| rate.value);
        format!(" rate: {:.3} kiops time: {:.1}s", rate / 1000.0, find.spans.total_s)
    } else {
        String::new()
    };
    format!(
        "[DONE]{rate} found: {matched} (scanned {files} files, scanned dirents: {}, unknown dirents: {})\n\
         MATCHED {matched}/{files}\n",
        found.entries, found.unknown
    )
}
