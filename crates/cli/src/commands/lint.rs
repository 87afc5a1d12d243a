//! `assay lint`: checks a command for mistakes before it is run.

#[cfg(test)]
mod page;
mod text;

use anyhow::Result;
use command::{LaunchedRanks, TypedCommand, WorkloadLine};
use lint::{FsFacts, LineRejection, LineRole, LineSubject, MakerFacts};
use plan::Plan;
use results::finding::{Finding, Severity};
use units::{Dimension, Quantity, Usage};

use crate::personalities::{drifted, rejections};
use crate::session::RankStart;
use crate::speech::say;
use crate::status::{DONE, UNDECIDED};
pub(super) use text::errors as error_lines;

/// Check a benchmark command for mistakes before it is run
///
/// Put the whole command, launcher included, after `--`. The options give facts that the command does not
/// contain; a check that lacks a fact finds nothing.
#[derive(clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct LintArgs {
    /// Client nodes, if the launcher's arguments do not give them
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Ranks per node, if the launcher's arguments do not give them
    #[arg(long, value_name = "P")]
    ppn: Option<u64>,
    /// Memory of a node: 256g, "256 GiB"
    #[arg(long, value_name = "SIZE")]
    ram: Option<String>,
    /// Physical cores of a node, if all of them must be used
    #[arg(long, value_name = "C")]
    cores: Option<u64>,
    /// The mount point of the file system under test
    #[arg(long, value_name = "DIR")]
    mount: Option<String>,
    /// The purpose of the command: write, read, dataset or hero
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Seconds for which the rate is sustained; for a dataset, seconds of reading
    #[arg(long, value_name = "SECONDS")]
    sustained: Option<String>,
    /// The required rate: 3 TB/s, 25000/s; for a dataset, the rate of its reader
    #[arg(long, value_name = "RATE")]
    target: Option<String>,
    /// The bytes that it is said to move in total: 24t, "24 TiB"
    #[arg(long, value_name = "SIZE")]
    total: Option<String>,
    /// For a command that reads: the command that made its files
    #[arg(long, value_name = "COMMAND")]
    dataset: Option<String>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// List all lints
    #[arg(long, conflicts_with = "command")]
    list: bool,
    /// Explain one lint
    #[arg(long, value_name = "LINT", conflicts_with_all = ["command", "list"])]
    explain: Option<String>,
    /// The command, launcher included
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

pub(crate) fn run(args: LintArgs) -> Result<u8> {
    if args.list {
        say(&text::list())?;
        return Ok(DONE);
    }
    if let Some(id) = &args.explain {
        say(&text::explained(id)?)?;
        return Ok(DONE);
    }
    let words = words(&args.command)?;
    let command = TypedCommand::read(&words)?;
    let subject = subject(&args, &command)?;
    let findings = lint::line(&subject);
    let line = words.join(" ");
    say(&if args.json { text::json(&line, &findings)? } else { text::report(&subject, &findings) })?;
    Ok(if findings.iter().any(Finding::is_open) { UNDECIDED } else { DONE })
}

/// The findings about a plan, one line each, and whether one of them is an error that stops the campaign.
pub(super) fn of_plan(plan: &Plan) -> Result<(String, bool), Usage> {
    let findings = ::lint::plan_with(plan, drifted);
    let stops = !::lint::errors(plan, &[], &findings)?.is_empty();
    Ok((text::lines(&findings), stops))
}

/// The words of the command. A command given as one quoted text is split.
fn words(command: &[String]) -> Result<Vec<String>, Usage> {
    match command {
        [] => {
            Err(Usage::new("no command is given. Write it after `--`: assay lint -- srun -N 2 ior -w -F -e"))
        }
        [one] => Ok(one.split_whitespace().map(str::to_owned).collect()),
        several => Ok(several.to_vec()),
    }
}

fn subject(args: &LintArgs, command: &TypedCommand) -> Result<LineSubject, Usage> {
    let target = args.target.as_deref().map(rate).transpose()?;
    let counts = [("--nodes", args.nodes), ("--ppn", args.ppn), ("--cores", args.cores)];
    if let Some((option, _)) = counts.iter().find(|(_, count)| *count == Some(0)) {
        return Err(Usage(format!("{option} 0: at least 1 is needed")));
    }
    let mut subject = LineSubject {
        stated: LaunchedRanks { ranks: None, nodes: args.nodes, ppn: args.ppn },
        ram_bytes: args.ram.as_deref().map(|text| size("--ram", text)).transpose()?,
        cores: args.cores,
        fs: FsFacts { mount: args.mount.clone(), ..FsFacts::default() },
        role: args.role.as_deref().map(role).transpose()?,
        sustained_s: args.sustained.as_deref().map(seconds).transpose()?,
        target,
        total_bytes: args.total.as_deref().map(|text| size("--total", text)).transpose()?,
        ..LineSubject::of(command)
    };
    let start = start(command, &subject);
    subject.source = args.dataset.as_deref().map(|text| source(&subject, start, text)).transpose()?;
    subject.drift = drifted(command.workload, &command.words);
    subject.rejections = rejections(command.workload, &command.words, start);
    Ok(subject)
}

/// How the ranks start. A command without a launcher, for which no nodes are stated, starts them itself.
/// `None` if the number of ranks is not known.
fn start(command: &TypedCommand, subject: &LineSubject) -> Option<RankStart> {
    let local = command.local;
    let is_stated = subject.stated != LaunchedRanks::default() && local.is_none();
    if !command.has_launcher && !is_stated {
        return Some(RankStart { launched: None, local });
    }
    let ranks = subject.ranks()?;
    Some(RankStart { launched: Some(ranks.try_into().unwrap_or(u32::MAX)), local })
}

/// The command that made the files. Without a launcher it has the ranks of the reader.
fn source(reader: &LineSubject, of_reader: Option<RankStart>, text: &str) -> Result<MakerFacts, Usage> {
    let command = TypedCommand::read(&words(&[text.to_owned()])?)?;
    let made = LineSubject::of(&command);
    let start = if command.has_launcher { start(&command, &made) } else { of_reader };
    let rejected = rejections(command.workload, &command.words, start);
    if let Some(LineRejection { why, .. }) = rejected.first() {
        return Err(Usage(format!("--dataset: the command is rejected: {why}")));
    }
    match &made.line {
        Some(WorkloadLine::Ior(line)) if line.parsed.script.is_some() => {
            Err(Usage::new("--dataset: -f hides the options. Write them on the command line."))
        }
        Some(WorkloadLine::Ior(line)) => Ok(MakerFacts {
            name: "the dataset".to_owned(),
            line: *line.clone(),
            ranks: made.ranks().or(reader.ranks()),
        }),
        _ => Err(Usage::new("--dataset: only ior makes files that ior reads. Give its command.")),
    }
}

fn role(text: &str) -> Result<LineRole, Usage> {
    let found = LineRole::ALL.iter().find(|(word, _)| *word == text);
    found.map(|(_, role)| *role).ok_or_else(|| {
        let known: Vec<&str> = LineRole::ALL.iter().map(|(word, _)| *word).collect();
        Usage(format!("--role {text}: unknown role. Known: {}.", known.join(", ")))
    })
}

/// `256g` as the classic programs write it, or `256 GiB`.
fn size(option: &str, text: &str) -> Result<u64, Usage> {
    let quantity = text.parse::<Quantity>().ok().filter(|q| q.dimension == Dimension::Bytes);
    let bytes = quantity.map(|quantity| quantity.value as u64).or_else(|| lint::size(text));
    bytes
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| Usage(format!("{option} {text}: not a size. Write for example 256g or 256GiB.")))
}

/// Seconds, bare or with a unit.
fn seconds(text: &str) -> Result<f64, Usage> {
    let quantity = text.parse::<Quantity>().ok().filter(|q| q.dimension == Dimension::Seconds);
    let seconds = quantity.map(|quantity| quantity.value).or_else(|| text.parse().ok());
    seconds
        .filter(|seconds| seconds.is_finite() && *seconds > 0.0)
        .ok_or_else(|| Usage(format!("--sustained {text}: not a time. Write seconds, for example 30.")))
}

fn rate(text: &str) -> Result<Quantity, Usage> {
    let quantity: Quantity = text.parse().map_err(|error: Usage| Usage(format!("--target: {error}")))?;
    match quantity.dimension {
        Dimension::BytesPerSecond | Dimension::PerSecond if quantity.value > 0.0 => Ok(quantity),
        _ => Err(Usage(format!("--target {text}: not a rate. Write for example 3TB/s or 25000/s."))),
    }
}

/// The number of findings of each severity that are not waived.
fn open(findings: &[Finding]) -> [usize; 3] {
    [Severity::Error, Severity::NeedsWaiver, Severity::Info].map(|severity| {
        findings.iter().filter(|finding| finding.severity == severity && finding.waived.is_none()).count()
    })
}
