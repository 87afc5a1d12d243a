//! What each number means, and the files by which all of it can be checked.
//!
//! Invariant: says what `results::record` and the judge do; when those change, this changes.
//! Never here: numbers of a campaign, except its hashes.

use results::folder::{Campaign, CampaignInfo, names};

use super::words::{or_none, shell_line, time};
use super::{Block, Cell, Fact, Section};

/// Each term of the report with its definition, a line each.
const TERMS: &str = "\
bw: Bytes moved by all ranks over the total span: from the first open of any rank to the last close.
iops: Transfers (or other operations) of all ranks over the transfer span, which ends with the last \
    fsync where one was asked for.
rate: Operations on names that all ranks did, over the time from their common start until the last had \
    ended: the ranks times the rate of the slowest, where all have the same to do. Where a table tells of \
    all ranks at once, it is theirs instead: operations done until the first rank had ended its work, over \
    the time until then. Of the tree of mdtest all directories count; the row of its own table has those of \
    one rank's tree and that rank's time, with a tree for each rank (-u) as many times less as there are \
    ranks.
Failed operations: Operations that did not succeed while the run went on. They count in no rate; their \
    time is in the latency.
Spans: From the first rank's start to the last rank's end, after the nodes' clocks were compared. \
    Setting up memory and computing offsets happen before a span begins.
Latency: The time of one transfer, from call to return. Percentiles come from a histogram of all \
    transfers of all ranks with buckets at most 0.8 % wide; the shortest and the longest are exact.
Bandwidth over time: Bytes whose transfer ended within an interval, over the interval's length, all \
    ranks summed.
Balance: Each rank's bytes or operations over its own time; the slowest rank against the median of all.
Cached before: Share of the sampled pages that lay in this client's page cache before a read began, the \
    worst rank's. A read of cached data measures memory.
Statistics: Over repetitions. COV is the standard deviation (n−1) over the mean. A single repetition \
    has neither COV nor bound.
Bound: One-sided confidence bound of the mean (Student's t), on the side that is unfavourable to the \
    criterion; 95 % unless the plan asks for another confidence.
Interval of the median: Two-sided, by bootstrap (BCa, 2000 resamples), from six repetitions on. No \
    verdict rests on it.
Verdicts: PASS: the criterion is met and the measurements support that. FAIL: it is missed. \
    INCONCLUSIVE: too few or too scattered measurements. INVALID: the measurements may not be used. NOT \
    RUN: nothing was measured.
Data check: Every byte read back is compared with what was written. Any difference counts, and is \
    listed with file, offset, the word expected and the word found.
Units: kB, MB, GB, TB are powers of 1000; KiB, MiB, GiB, TiB powers of 1024. Numbers are rounded to \
    three figures; the unrounded number shows under the pointer and stands in the records.";

/// The section that says what each number means.
pub(super) fn numbers() -> Section {
    let terms = TERMS.lines().filter_map(|line| line.split_once(": "));
    let facts = terms.map(|(term, meaning)| Fact::new(term, meaning)).collect();
    Section { id: "method".into(), title: "What the numbers mean".into(), blocks: vec![Block::Facts(facts)] }
}

/// The section that leads to the evidence.
pub(super) fn evidence(campaign: &Campaign) -> Section {
    let info = &campaign.info;
    let file = |label: &str, name: &str| Fact::of(label, Cell::literal(name).linked(name));
    let mut facts = vec![
        file("Plan as it was run", names::PLAN),
        Fact::of("Plan SHA-256", Cell::literal(or_none(&info.plan_sha256))),
        Fact::new("Tool", or_none(&info.tool)),
        Fact::of("Tool SHA-256", Cell::literal(or_none(&info.tool_sha256))),
        Fact::new("Tool's build", build(info)),
        Fact::of("Campaign's command", Cell::literal(or_none(&shell_line(&info.argv)))),
        Fact::new("Started", time(&info.started)),
        file("Campaign", names::CAMPAIGN),
    ];
    if !campaign.verdicts.is_empty() {
        facts.push(file("Verdicts", names::VERDICTS));
    }
    facts.extend(campaign.before.as_ref().map(|_| file("Machine before", names::BEFORE)));
    facts.extend(campaign.after.as_ref().map(|_| file("Machine after", names::AFTER)));
    if let Some(launcher) = &info.launcher {
        facts.push(Fact::new("Launcher", format!("{} ({})", launcher.path, or_none(&launcher.version))));
        facts.push(Fact::of("Launcher SHA-256", Cell::literal(or_none(&launcher.sha256))));
    }
    if let Some(head) = &campaign.head {
        facts.push(file("Chain", names::CHAIN));
        facts.push(Fact::of("Chain's hash before this report", Cell::literal(&head.hash)));
        facts.push(Fact::new("At its entry", head.entry.to_string()));
    }
    let how = "This report was made from the files of its folder and from nothing else. The command assay \
               verify FOLDER compares them with their hashes, assay judge FOLDER judges them again. The \
               hash of a chain stands for all that was entered before it; whoever noted it can tell this \
               evidence from any other.";
    let blocks = vec![Block::Paragraph(how.into()), Block::Facts(facts)];
    Section { id: "evidence".into(), title: "Evidence".into(), blocks }
}

fn build(info: &CampaignInfo) -> String {
    let build = &info.build;
    let rustc = if build.rustc.is_empty() { String::new() } else { format!(" by {}", build.rustc) };
    let commit = if build.commit.is_empty() { String::new() } else { format!(", commit {}", build.commit) };
    or_none(format!("{} {}{rustc}{commit}", build.profile, build.target).trim()).to_owned()
}
