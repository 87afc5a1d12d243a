//! The output of `quota`: the limits, then what each phase was allowed to use.
//!
//! Invariant: all numbers come from a record or an event.

use std::fmt::Write as _;
use std::io;

use command::quota::QuotaRequest;
use measure::unix_seconds;
use report::sentences::sentence;
use results::record::{Phase, QuotaRejection, QuotaUnit, QuotaUse, error_name};
use units::{bytes_binary, duration, several};
use workloads::kit::observer::EventObserver;
use workloads::quota::{QuotaEvent, TestedLimit};

use crate::personalities::living::LivingText;

/// Prints events.
pub(super) struct QuotaText {
    of: &'static str,
    living: LivingText,
}

impl QuotaText {
    pub(super) fn new(request: &QuotaRequest) -> Self {
        Self { of: request.of.word(), living: LivingText::to_stdout() }
    }

    /// Prints the last lines. Fails if anything could not be printed.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.living.finish("")
    }
}

impl EventObserver<QuotaEvent<'_>> for QuotaText {
    fn event(&mut self, event: &QuotaEvent<'_>) {
        match event {
            QuotaEvent::Started { ranks, nodes, id, limits } => {
                let (ranks, nodes) = (several((*ranks).into(), "rank"), several((*nodes).into(), "node"));
                let id = id.map_or(String::new(), |id| format!(" {id}"));
                let mut text = format!("quota: {ranks} on {nodes}, files of {}{id}\n", self.of);
                limits.iter().flatten().for_each(|limit| text.push_str(&limit_line(limit)));
                self.living.put(&(text + "\n"));
            }
            QuotaEvent::Going { phase, done, of } => {
                self.living.progress(format!("quota: {phase}: {done} of {of} on rank 0"));
            }
            QuotaEvent::Ended(phase) => self.living.put(&ended(phase)),
            QuotaEvent::Others { moment, error } => {
                let result = error.map_or("written".to_owned(), |error| format!("REJECTED: {error}"));
                self.living.put(&format!("others     {moment}: {result}\n"));
            }
            QuotaEvent::Notice(reason) => self.living.warn(sentence(reason)),
        }
    }
}

/// An amount, also as an exact number.
fn amount(unit: QuotaUnit, amount: u64) -> String {
    match unit {
        QuotaUnit::Bytes if amount < 1024 => format!("{amount} B"),
        QuotaUnit::Bytes => format!("{} ({amount} B)", bytes_binary(amount as f64)),
        QuotaUnit::Inodes => several(amount, "inode"),
    }
}

fn limit_line(limit: &TestedLimit) -> String {
    let TestedLimit { unit, soft, stated, .. } = *limit;
    let name = if unit == QuotaUnit::Bytes { "bytes" } else { "inodes" };
    let soft = if soft == 0 { "no soft limit".to_owned() } else { format!("soft {}", amount(unit, soft)) };
    let source = if stated { "as the command line states" } else { "as the system reports" };
    let [limit, used] = [limit.limit, limit.used].map(|number| amount(unit, number));
    format!("  {name:<8} limit {limit}, {soft}, used {used}; {source}\n")
}

/// The lines of a phase.
fn ended(phase: &Phase) -> String {
    let Some(used) = &phase.quota else { return String::new() };
    let (name, unit) = (&phase.phase, used.unit);
    let mut text = format!(
        "{name:<10} {} accepted in {}, {} beyond the limit\n",
        amount(unit, used.accepted_max),
        duration(phase.spans.total_s),
        amount(unit, used.overshoot())
    );
    if used.accepted_end < used.accepted_max {
        let _ = writeln!(text, "           {} left after the cut", amount(unit, used.accepted_end));
    }
    text.push_str(&rejections(phase, used));
    text.push_str(&usage(used));
    text
}

fn rejections(phase: &Phase, used: &QuotaUse) -> String {
    let rejected = used.rejected();
    let mut text = format!("           {rejected} of {} rejected", several(phase.ranks.into(), "rank"));
    for (place, QuotaRejection { call, errno, ranks }) in used.rejections.iter().enumerate() {
        let between = if place == 0 { ":" } else { "," };
        let _ = write!(text, "{between} {ranks} in {call} with {}", error_name(*errno));
    }
    text.push('\n');
    let [first, last] = [used.first_rejection_after_s(), used.rejection_s()];
    let Some(first) = first else { return text };
    let last = last.map_or(String::new(), |last| format!(", the last at most {}", duration(last)));
    let (first, within) = (duration(first), duration(used.reached_within_s));
    let moment =
        if used.is_reached() { "the limit was reached" } else { "the last was accepted, below the limit" };
    let since = format!("after {moment} (known to {within})");
    let _ = writeln!(text, "           the first at most {first}{last} {since}");
    text
}

/// The usage that the system shows, and the grace of the soft limit.
fn usage(used: &QuotaUse) -> String {
    let Some(shown) = used.shown else { return String::new() };
    let lag =
        used.lag_s.map_or("NOT AS EXPECTED".to_owned(), |lag| format!("at most {} later", duration(lag)));
    let mut text = format!("           the system shows {}, {lag}\n", amount(used.unit, shown));
    if used.soft > 0 && shown > used.soft {
        let grace = match (used.grace_ends_unix_s, used.grace_s) {
            (0, _) => "no end of its grace is shown".to_owned(),
            (ends, whole) => {
                let left = ends as f64 - unix_seconds();
                format!("its grace of {} ends in {}", duration(whole as f64), duration(left))
            }
        };
        let _ = writeln!(text, "           the soft limit is passed; {grace}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_shows_exact_numbers_and_who_was_rejected() {
        let rejection = |call: &str, errno| QuotaRejection { call: call.to_owned(), errno, ranks: 1 };
        let used = QuotaUse {
            limit: 1 << 20,
            accepted_max: (1 << 20) + 7,
            accepted_end: (1 << 20) + 7,
            rejections: vec![rejection("write", 122), rejection("fsync", 28)],
            reached_s: Some(1.0),
            reached_within_s: 0.5,
            first_rejection_s: Some(1.25),
            last_rejection_s: Some(3.0),
            shown: Some(1 << 20),
            lag_s: Some(0.25),
            ..QuotaUse::default()
        };
        let mut phase = Phase { phase: "write".into(), ranks: 2, ..Phase::default() };
        phase.spans.total_s = 4.0;
        phase.quota = Some(Box::new(used));
        assert_eq!(
            ended(&phase),
            "write      1.00 MiB (1048583 B) accepted in 4.00 s, 7 B beyond the limit\n\
             \x20          2 of 2 ranks rejected: 1 in write with EDQUOT, 1 in fsync with ENOSPC\n\
             \x20          the first at most 250 ms, the last at most 2.00 s after the limit was \
             reached (known to 500 ms)\n\
             \x20          the system shows 1.00 MiB (1048576 B), at most 250 ms later\n"
        );
        let below = QuotaUse {
            limit: 9,
            accepted_max: 5,
            reached_s: Some(1.0),
            first_rejection_s: Some(1.5),
            ..QuotaUse::default()
        };
        phase.quota = Some(Box::new(below));
        let text = ended(&phase);
        assert!(
            text.contains("at most 500 ms after the last was accepted, below the limit (known to 0 s)"),
            "{text}"
        );
        phase.quota = Some(Box::new(QuotaUse { limit: 9, accepted_max: 5, ..QuotaUse::default() }));
        let text = ended(&phase);
        assert!(text.contains("0 of 2 ranks rejected\n") && !text.contains("the system"), "{text}");
    }

    #[test]
    fn a_limit_shows_where_it_comes_from() {
        let limit = TestedLimit { unit: QuotaUnit::Inodes, limit: 10, used: 1, ..TestedLimit::default() };
        let line = "  inodes   limit 10 inodes, no soft limit, used 1 inode; as the system reports\n";
        assert_eq!(limit_line(&limit), line);
        let stated = TestedLimit { unit: QuotaUnit::Bytes, limit: 2048, stated: true, ..limit };
        let line =
            "  bytes    limit 2.00 KiB (2048 B), no soft limit, used 1 B; as the command line states\n";
        assert_eq!(limit_line(&stated), line);
    }
}
