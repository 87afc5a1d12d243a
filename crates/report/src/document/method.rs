//! The meaning of each number, and the files with which it can be checked.
//!
//! Invariant: the text states what `results::record` and the judge do. If they change, the text changes.
//! Never here: numbers of a campaign, except its hashes.

use results::folder::{Campaign, CampaignInfo, names};

use super::words::{or_none, time};
use super::{Block, Cell, Fact, Section};

/// Each term of the report with its definition, one per line.
const TERMS: &str = "\
bw: Bytes moved by all ranks, divided by the total span. The total span lasts from the first open of any \
    rank to the last close.
iops: Transfers (or other operations) of all ranks, divided by the transfer span. The transfer span ends \
    with the last fsync, if the command line asks for one.
rate: Metadata operations of all ranks, divided by the time from their common start until the last rank \
    ended. If all ranks have equal work, this is the number of ranks times the rate of the slowest rank. If \
    the table \"All ranks active\" has the phase, the rate is that of this table. It is the number of \
    operations until the first rank ended, divided by the time until then. All directories of an mdtest \
    tree count. The table of mdtest itself counts the tree of one rank and the time of that rank. With a \
    tree for each rank (-u) its number is lower by the number of ranks.
Failed operations: Operations that failed while the run continued. The rates exclude them. The latency \
    includes their time.
Spans: Times from the start of the first rank to the end of the last rank, corrected for the clock \
    differences of the nodes. Allocating memory and computing offsets happen before a span begins.
Latency: The time of one transfer, from call to return. Percentiles come from a histogram of all \
    transfers of all ranks, with buckets at most 0.8 % wide. Minimum and maximum are exact.
Bandwidth over time: Bytes of all ranks whose transfer ended within an interval, divided by the length of \
    the interval.
Balance: The bytes or operations of each rank, divided by its own time. The table compares the slowest \
    rank with the median of all ranks.
In page cache before: The share of the sampled pages that were in this client's page cache before the read \
    began, for the worst rank. A read of cached data measures memory.
Statistics: Statistics over the repetitions. COV is the standard deviation (n−1) divided by the mean. A \
    single repetition has no COV and no limit.
Limit: The one-sided confidence limit of the mean (Student's t), on the side that is unfavourable for the \
    criterion. The confidence is 95 % unless the plan sets another one.
Interval of the median: A two-sided interval by bootstrap (BCa, 2000 resamples), for six or more \
    repetitions. No verdict is based on it.
Verdicts: PASS means that the criterion is met and the measurements support that. FAIL means that it is \
    not met. INCONCLUSIVE means that the measurements are too few or vary too much. INVALID means that the \
    measurements cannot be used. NOT RUN means that nothing was measured.
Data check: Every byte that is read back is compared with the byte that was written. Every difference \
    counts. The report lists its file, its offset, the expected word and the found word.
Units: kB, MB, GB and TB are powers of 1000. KiB, MiB, GiB and TiB are powers of 1024. Numbers are rounded \
    to three digits. Hold the mouse pointer over a number to see it unrounded. The records have it, too.";

pub(super) fn numbers() -> Section {
    let terms = TERMS.lines().filter_map(|line| line.split_once(": "));
    let facts = terms.map(|(term, meaning)| Fact::new(term, meaning)).collect();
    Section::new("method", "What the numbers mean", vec![Block::Facts(facts)])
}

pub(super) fn evidence(campaign: &Campaign) -> Section {
    let info = &campaign.info;
    let file = |label: &str, name: &str| Fact::of(label, Cell::literal(name).linked(name));
    let mut facts = vec![
        file("Plan, unmodified", names::PLAN),
        Fact::of("Plan SHA-256", Cell::literal(or_none(&info.plan_sha256))),
        Fact::new("Program", or_none(&info.tool)),
        Fact::of("Program SHA-256", Cell::literal(or_none(&info.tool_sha256))),
        Fact::new("Build of the program", build(info)),
        Fact::of("Command line", Cell::literal(or_none(&units::shell_line(&info.argv)))),
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
        facts.push(file("Hash chain", names::CHAIN));
        facts.push(Fact::of("Evidence hash before this report", Cell::literal(&head.hash)));
        facts.push(Fact::new("Entry of this hash", head.entry.to_string()));
    }
    let how = "This report was made only from the files of the campaign folder. The command `assay verify \
               FOLDER` compares these files with their hashes. The command `assay judge FOLDER` evaluates \
               them again. The evidence hash depends on all earlier entries of the hash chain. Write it \
               down: with it you can check later that this evidence is unmodified.";
    let blocks = vec![Block::Paragraph(how.into()), Block::Facts(facts)];
    Section::new("evidence", "Evidence", blocks)
}

fn build(info: &CampaignInfo) -> String {
    let build = &info.build;
    let rustc = or_unknown(&build.rustc);
    let commit = or_unknown(&build.commit);
    format!("{} {}, compiler {rustc}, commit {commit}", build.profile, build.target).trim_start().to_owned()
}

fn or_unknown(text: &str) -> &str {
    if text.is_empty() { "unknown" } else { text }
}
