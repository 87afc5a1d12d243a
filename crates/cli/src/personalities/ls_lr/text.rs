//! The output of `ls-lr`: the settings, the two rates, latencies, and the walkers one by one.
//!
//! Invariant: all numbers come from a record or an event.

use std::fmt::Write as _;
use std::io;

use measure::statistics::{cov, max, mean, min};
use report::sentences::sentence;
use results::record::Phase;
use units::{duration, percent, several};
use workloads::kit::observer::EventObserver;
use workloads::ls_lr::{EARLY, EntryCalls, LsLrEvent, LsLrParameters, Walked, WalkerRow};

use crate::personalities::failures::failed_calls;
use crate::personalities::latency;
use crate::personalities::living::LivingText;

/// Up to this many walkers are listed one by one without -v.
const FEW: usize = 32;

/// Prints events.
pub(super) struct LsLrText {
    head: String,
    verbose: bool,
    living: LivingText,
    /// Whether there is more than one repetition, and which one runs.
    repeats: bool,
    repetition: u32,
    /// The rates of the repetitions so far.
    rates: Vec<f64>,
}

impl LsLrText {
    pub(super) fn new(parameters: &LsLrParameters, ranks: u32, verbose: bool) -> Self {
        let living = LivingText::to_stdout();
        let head = head(parameters, ranks);
        let repeats = parameters.repetitions > 1;
        Self { head, verbose, living, repeats, repetition: 0, rates: Vec::new() }
    }

    /// Prints the last lines. Fails if anything could not be printed.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        let rates = if self.rates.len() > 1 { over_all(&self.rates) } else { String::new() };
        self.living.finish(&rates)
    }
}

impl EventObserver<LsLrEvent<'_>> for LsLrText {
    fn event(&mut self, event: &LsLrEvent<'_>) {
        match event {
            LsLrEvent::Started { ranks, nodes } => {
                let (walkers, nodes) = (several((*ranks).into(), "walker"), several((*nodes).into(), "node"));
                let text = format!("ls-lr: {walkers} on {nodes}, each in a tree of its own\n{}", self.head);
                self.living.put(&text);
            }
            LsLrEvent::Going { what, done, of } => {
                self.living.progress(format!("ls-lr: {what}: {done} of {of} entries of walker 0's tree"));
            }
            LsLrEvent::Made { phase, counted, before } => self.living.put(&made(phase, *counted, *before)),
            LsLrEvent::Walks { repetition } => {
                self.repetition = *repetition;
                self.living.clear();
            }
            LsLrEvent::Walked(walked) => {
                self.rates.extend(walked.list.metric("rate").map(|rate| rate.value));
                let text = walked_once(walked, self.verbose);
                self.living.put(&text);
            }
            LsLrEvent::Removed { phase, parts, left, first_left } => {
                self.living.put(&removed(phase, *parts, *left, first_left.unwrap_or_default()));
            }
            LsLrEvent::Notice(reason) if self.repeats => {
                self.living.warn(format!("repetition {}: {}", self.repetition, sentence(reason)));
            }
            LsLrEvent::Notice(reason) => self.living.warn(sentence(reason)),
        }
    }
}

/// The settings of the walk.
fn head(parameters: &LsLrParameters, ranks: u32) -> String {
    let (first, last) = (parameters.tree(0), parameters.tree(ranks - 1));
    let mut text = match ranks {
        1 => format!("  tree       {}\n", first.display()),
        _ => format!("  trees      {} ... {}\n", first.display(), last.display()),
    };
    if parameters.make {
        let shape = parameters.shape;
        let _ = writeln!(
            text,
            "  to create  {} entries each: {}, up to {} below the root, and {} of {}",
            shape.entries,
            several(shape.directories() - 1, "directory"),
            shape.depth(),
            several(shape.files(), "file"),
            several(shape.bytes, "byte")
        );
    }
    if parameters.walk {
        let entry = match parameters.calls {
            EntryCalls::All => "statx, lgetxattr, getxattr, readlink",
            EntryCalls::Stat => "statx (--stat-only: less than ls -l asks for)",
        };
        let _ = writeln!(text, "  directory  open, fstat, statx, getdents64, close; sorted by name");
        let _ = writeln!(text, "  entry      {entry}; its line is not formatted");
    }
    text + "\n"
}

fn made(phase: &Phase, counted: u64, before: u64) -> String {
    let mut text = String::new();
    if phase.ops > 0 || before == 0 {
        text.push_str(&pace("made", phase));
    }
    if before > 0 {
        let _ = writeln!(text, "{before} of {} trees were complete already", phase.ranks);
    }
    match &phase.failed {
        Some(failed) => text.push_str(&failed_calls(failed)),
        None => {
            let _ = writeln!(text, "counted {counted} entries by listing");
        }
    }
    text + "\n"
}

fn removed(phase: &Phase, parts: u64, left: u64, first: &str) -> String {
    let mut text = match parts {
        0 => pace("removed", phase),
        _ => format!("removed {} entries in {}\n", phase.ops, duration(phase.spans.total_s)),
    };
    text.push_str(&phase.failed.as_ref().map(failed_calls).unwrap_or_default());
    if left > 0 {
        let _ = writeln!(
            text,
            "LEFT BEHIND: {left} of {} trees hold files that ls-lr did not create, for example in {first}. \
             Move them away and repeat --remove.",
            phase.ranks
        );
    }
    text
}

fn pace(what: &str, phase: &Phase) -> String {
    let rate = phase.metric("rate").map_or(0.0, |rate| rate.value);
    format!("{what} {} entries in {}: {rate:.0} entries/s\n", phase.ops, duration(phase.spans.total_s))
}

/// One repetition.
fn walked_once(walked: &Walked, verbose: bool) -> String {
    let list = &walked.list;
    let window = list.window.unwrap_or_default();
    let rate = list.metric("rate").map_or(0.0, |rate| rate.value);
    let whole = list.metric("iops").map_or(0.0, |rate| rate.value);
    let together = match list.ranks {
        1 => "the walker was at work".to_owned(),
        ranks => format!("all {ranks} were at work, until walker {} ended", window.first_rank),
    };
    let mut text = format!(
        "repetition {}\n  rate       {rate:>10.0} stats/s   {:>10} stats in {:>9.3} s while {together}\n",
        list.repetition, window.ops, window.seconds
    );
    text.push_str(&format!(
        "  whole walk {whole:>10.0} stats/s   {:>10} stats in {:>9.3} s until the last ended\n",
        list.ops, list.spans.transfer_s
    ));
    let caches = walked.caches;
    let dropped = if caches.dropped { "dropped before" } else { "not dropped" };
    let _ = match caches.new_names {
        Some(share) => {
            let new = percent(share, 0);
            writeln!(text, "  caches     {dropped}; {new} of the entries were new to the client")
        }
        None => writeln!(text, "  caches     {dropped}"),
    };
    text.push_str(&latencies(walked));
    text.push_str(&walkers(walked, verbose));
    text.push_str(&list.failed.as_ref().map(failed_calls).unwrap_or_default());
    text + "\n"
}

fn latencies(walked: &Walked) -> String {
    let mut text = format!("  {:<10} {:>10}{} {:>7}\n", "latency", "calls", latency::headings(), "time");
    let shares = walked.shares;
    let phases = [("stat", &walked.list, shares.stat), ("list", &walked.directories, shares.list)];
    for (name, phase, share) in phases {
        let Some(latency) = &phase.latency else { continue };
        let percentiles = latency::columns(latency);
        let _ = writeln!(text, "  {name:<10} {:>10}{percentiles} {:>7}", latency.count, percent(share, 1));
    }
    let own = (1.0 - shares.stat - shares.list - shares.further).max(0.0);
    for (name, share) in [("attributes and links", shares.further), ("sorting and own work", own)] {
        let _ = writeln!(text, "  {name:<76} {:>7}", percent(share, 1));
    }
    text
}

/// The walkers one by one. Of many walkers only those with a mark are listed.
fn walkers(walked: &Walked, verbose: bool) -> String {
    let rows = &walked.walkers;
    let mut text = format!(
        "  {:>6} {:>10} {:>11} {:>10} {:>10} {:>9} {:>9}  {}\n",
        "walker", "entries", "directories", "stats", "at once", "seconds", "stats/s", "tree, node"
    );
    let longest = rows.iter().map(|row| row.seconds).fold(0.0, f64::max);
    let slowest = walked.list.balance.slowest_rank as usize;
    let mut hidden = 0;
    for (rank, row) in rows.iter().enumerate() {
        let marks = marks(row, longest, rows.len() > 1 && rank == slowest);
        if rows.len() > FEW && !verbose && marks.is_empty() {
            hidden += 1;
            continue;
        }
        let _ = writeln!(
            text,
            "  {rank:>6} {:>10} {:>11} {:>10} {:>10} {:>9.3} {:>9.0}  {}, {}{marks}",
            row.entries,
            row.directories,
            row.stats,
            row.stats_at_once,
            row.seconds,
            row.stats as f64 / row.seconds.max(f64::MIN_POSITIVE),
            row.tree,
            row.node
        );
    }
    if hidden > 0 {
        let _ = writeln!(text, "  {hidden} walkers without a mark are not shown; -v shows all");
    }
    text
}

fn marks(row: &WalkerRow, longest: f64, slowest: bool) -> String {
    let mut text = String::new();
    if slowest {
        text.push_str("  <- slowest");
    }
    if row.seconds < EARLY * longest {
        text.push_str("  <- ended early");
    }
    if let Some(expected) = row.expected.filter(|expected| *expected != row.entries) {
        let _ = write!(text, "  <- {expected} ENTRIES WERE MADE");
    }
    text
}

/// The rates of all repetitions.
fn over_all(rates: &[f64]) -> String {
    let [mean, least, most] = [mean, min, max].map(|of| of(rates).unwrap_or(0.0));
    let variability = cov(rates).map_or(String::new(), |cov| format!(", COV {}", percent(cov, 1)));
    format!(
        "rate of {} repetitions: mean {mean:.0} stats/s, least {least:.0}, most {most:.0}{variability}\n",
        rates.len()
    )
}
