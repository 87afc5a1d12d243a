//! `assay plan add`: appends a commented clause to a plan.
//!
//! Where the plan has a parameter such as `block`, the clause uses it. Elsewhere it gets a number from the
//! facts of the plan.
//!
//! Invariant: the file is only appended to, in one write, and only if the longer plan is valid.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use plan::launcher::LaunchKind;
use plan::{Choice, Plan};
use units::{Usage, utf8_text};

/// The kinds of clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ClauseKind {
    /// File per process, written and read
    Bandwidth,
    /// Random reads of 4 KiB without the page cache
    Iops,
    /// Files created, stat'ed and removed
    Metadata,
    /// One file of all ranks, written and read
    SharedFile,
    /// No wrong byte is read
    Integrity,
    /// Bandwidth at 80 % utilization, after ageing
    Aged,
    /// Bandwidth while metadata operations run
    UnderLoad,
    /// Bandwidth by number of nodes, within 10 % of linear
    Scaling,
    /// The rate of a larger system, projected from a series
    Projection,
    /// An external program, by its output
    External,
    /// Write and read of one run, the best of several
    BestRun,
    /// The sum of write and read bandwidth
    SumScore,
    /// The geometric mean of write and read bandwidth
    GeometricScore,
    /// Rules for a measurement: size, duration, flushed data, readers on other nodes
    Rules,
    /// Bandwidth of each node while all write
    NodeFloor,
    /// Latency of each rank, 95th percentile
    RankLatency,
    /// Equal bandwidth of jobs that start together
    EqualJobs,
    /// A share of the rate of the accepted campaign
    ShareOfAccepted,
    /// A limit of bytes that is enforced and shown
    Quota,
    /// Large directories listed whole
    Listing,
    /// A search of all files, without an error
    Search,
    /// Writes without an error
    NoFailure,
}

/// The text of a kind, and the threshold that it has unless the user gives one.
struct Template {
    text: &'static str,
    value: &'static str,
}

impl ClauseKind {
    const fn template(self) -> Template {
        let (text, value) = match self {
            Self::Bandwidth => (include_str!("templates/bandwidth.toml"), "1 GB/s"),
            Self::Iops => (include_str!("templates/iops.toml"), "10 kIOPS"),
            Self::Metadata => (include_str!("templates/metadata.toml"), "10 k/s"),
            Self::SharedFile => (include_str!("templates/shared-file.toml"), "500 MB/s"),
            Self::Integrity => (include_str!("templates/integrity.toml"), ""),
            Self::Aged => (include_str!("templates/aged.toml"), "800 MB/s"),
            Self::UnderLoad => (include_str!("templates/under-load.toml"), "500 MB/s"),
            Self::Scaling => (include_str!("templates/scaling.toml"), ""),
            Self::Projection => (include_str!("templates/projection.toml"), ""),
            Self::External => (include_str!("templates/external.toml"), "1 GB/s"),
            Self::BestRun => (include_str!("templates/best-run.toml"), "1 GB/s"),
            Self::SumScore => (include_str!("templates/score.toml"), "2 GB/s"),
            Self::GeometricScore => (include_str!("templates/score.toml"), "1 GB/s"),
            Self::Rules => (include_str!("templates/rules.toml"), "1 GB/s"),
            Self::NodeFloor => (include_str!("templates/node-floor.toml"), "100 MB/s"),
            Self::RankLatency => (include_str!("templates/rank-latency.toml"), "50 ms"),
            Self::EqualJobs => (include_str!("templates/equal-jobs.toml"), "90 %"),
            Self::ShareOfAccepted => (include_str!("templates/share-of-accepted.toml"), "90 %"),
            Self::Quota => (include_str!("templates/quota.toml"), "1 GB"),
            Self::Listing => (include_str!("templates/listing.toml"), "50 k/s"),
            Self::Search => (include_str!("templates/search.toml"), "50 k/s"),
            Self::NoFailure => (include_str!("templates/no-failure.toml"), ""),
        };
        Template { text, value }
    }
}

/// What the user asks for.
#[derive(Clone, Debug, Default)]
pub(super) struct AddRequest {
    /// The id of the clause; the next free `C.N` if there is none.
    pub(super) id: Option<String>,
    /// The threshold with its unit.
    pub(super) value: Option<String>,
    /// The file system, if the plan has several.
    pub(super) fs: Option<String>,
}

/// Appends a clause to the plan in `file`. Returns a description.
pub(super) fn add(kind: ClauseKind, file: &Path, request: &AddRequest) -> Result<String> {
    let shown = file.display();
    let bytes = fs::read(file).map_err(|error| {
        Usage(format!("{shown}: {error}. Give the file of a plan. `assay plan init` writes one."))
    })?;
    let text = utf8_text(bytes).map_err(|error| Usage(format!("{shown}:{error}")))?;
    let (clause, id) = clause(kind, &text, &file.display().to_string(), request)?;
    let mut out = OpenOptions::new()
        .append(true)
        .open(file)
        .map_err(|error| Usage(format!("{shown}: {error}. Nothing was written.")))?;
    out.write_all(clause.as_bytes()).and_then(|()| out.sync_all()).with_context(|| format!("{shown}"))?;
    Ok(format!(
        "{shown}: {id} is added at its end. Change its text and its numbers, then check it with: assay plan \
         check {shown}\n"
    ))
}

/// The text that adds the clause to the plan with this text, and the id of the clause.
pub(super) fn clause(
    kind: ClauseKind,
    text: &str,
    name: &str,
    request: &AddRequest,
) -> Result<(String, String)> {
    let plan = Plan::parse_with(text, name, &Choice::default())?;
    let (clause, id) = filled(kind, &plan, request)?;
    let before = if text.ends_with('\n') { "\n" } else { "\n\n" };
    let clause = format!("{before}{clause}");
    Plan::parse_with(&format!("{text}{clause}"), name, &Choice::default()).map_err(|rejected| {
        Usage(format!("with this clause the plan is not valid, so nothing was written: {rejected}"))
    })?;
    Ok((clause, id))
}

/// The text of a clause for this plan, and the id of the clause.
pub(super) fn filled(kind: ClauseKind, plan: &Plan, request: &AddRequest) -> Result<(String, String), Usage> {
    let id = request.id.clone().unwrap_or_else(|| next_id(plan));
    let template = kind.template();
    if let Some(value) = request.value.as_ref().filter(|_| !template.text.contains("<VALUE>")) {
        return Err(Usage(format!("--value {value}: this kind of clause has no threshold. Leave it out.")));
    }
    let value = request.value.as_deref().unwrap_or(template.value);
    let facts = TemplateFacts { kind, plan, id: &id, value, fs: fs_line(plan, request)? };
    let mut clause = template.text.to_owned();
    for (mark, of) in MARKS {
        if clause.contains(mark) {
            clause = clause.replace(mark, &of(&facts)?);
        }
    }
    if !plan.clauses.is_empty() {
        clause = in_contract(&clause, &id);
    }
    Ok((clause, id))
}

/// The text for a plan with the clauses of a contract: a clause `id`, to which all criteria belong.
fn in_contract(text: &str, id: &str) -> String {
    let mut entries = vec![String::new()];
    for line in text.split_inclusive('\n') {
        if line.starts_with("[[") && !line.contains('.') {
            entries.push(String::new());
        }
        entries.last_mut().expect("one is there").push_str(line);
    }
    let mut requirements = Vec::new();
    for entry in &mut entries {
        let requirement = entry.lines().find_map(|line| line.strip_prefix("clause = \"")?.strip_suffix('"'));
        let Some(requirement) = requirement.map(str::to_owned) else { continue };
        let line = format!("clause = \"{requirement}\"\n");
        if entry.contains("\ncriterion = ") {
            *entry = entry.replacen(&line, &format!("clause = \"{id}\"\n"), 1);
            requirements.push(requirement);
        } else {
            *entry = entry.replacen(&line, "", 1);
        }
    }
    let text = entries.concat();
    if requirements.is_empty() {
        return text;
    }
    format!("[[clause]]\nid = \"{id}\"\ntext = \"{}\"\n\n{text}", requirements.join("; "))
}

/// What a template is filled with.
struct TemplateFacts<'a> {
    kind: ClauseKind,
    plan: &'a Plan,
    id: &'a str,
    value: &'a str,
    fs: String,
}

type MarkValue = fn(&TemplateFacts<'_>) -> Result<String, Usage>;

/// The marks of templates with their values.
const MARKS: &[(&str, MarkValue)] = &[
    ("<ID>", |facts| Ok(facts.id.to_owned())),
    ("<KEY>", |facts| Ok(facts.id.replace('.', "-").to_lowercase())),
    ("<VALUE>", |facts| Ok(facts.value.to_owned())),
    ("<FS>", |facts| Ok(facts.fs.clone())),
    ("<BLOCK>", |facts| Ok(facts.named("block", || facts.block()))),
    ("<ITEMS>", |facts| Ok(facts.named("files", || facts.items().to_string()))),
    ("<SHIFT>", |facts| Ok(facts.named("shift", || "-N 1".to_owned()))),
    ("<COLD>", |facts| Ok(facts.named("cold", || cold(facts.is_one_node()).to_owned()))),
    ("<DEADLINE>", |facts| Ok(facts.named("deadline", || "-D 60".to_owned()))),
    ("<WALL>", |facts| Ok(facts.named("wall", || "-W 60".to_owned()))),
    ("<LOAD>", |facts| Ok(facts.named("load", || "-O minTimeDuration=3600".to_owned()))),
    ("<AMOUNT>", |facts| Ok(facts.named("amount", || "150 % of memory".to_owned()))),
    ("<JOB-TIME>", |facts| Ok(facts.named("job_time", || "60 s".to_owned()))),
    ("<OWN-SHARE>", |facts| Ok(facts.named("own_share", || "0 %".to_owned()))),
    ("<FORMULA>", |facts| Ok(facts.formula().to_owned())),
    ("<SUSTAINED>", |facts| Ok(facts.named("sustained", || "30 s".to_owned()))),
    ("<AGE>", |facts| Ok(facts.named("age", || "--blocks 80% --inodes 20% --cycles 1".to_owned()))),
    ("<OWN-LAYOUT>", |facts| Ok(facts.layout("layout", "lfs setstripe -c 1 {dir}"))),
    ("<SHARED-LAYOUT>", |facts| Ok(facts.layout("layout_shared", "lfs setstripe -c -1 {dir}"))),
    ("<APP-RANKS>", |facts| Ok(facts.app_ranks())),
    ("<SEED>", |_| Ok("1701".to_owned())),
    ("<BYTES>", |_| Ok("1 TB".to_owned())),
    ("<STEPS>", |facts| facts.steps()),
    ("<TARGET>", |facts| Ok(facts.named("projected", || (2 * facts.delivered()).to_string()))),
    ("<MEASURED>", |facts| facts.measured()),
    ("<SYSTEMS>", |facts| Ok(facts.systems())),
    ("<SYSTEM>", |facts| Ok(facts.system())),
];

/// How readers keep data out of the memory of their node, without and with other nodes.
pub(super) const fn cold(one_node: bool) -> &'static str {
    if one_node { "-O numTasksOnNode0=1 --drop-caches" } else { "" }
}

/// The data of one rank if all ranks of a node move twice its memory, as an option of IOR.
pub(super) fn block_of(memory_bytes: Option<u64>, ppn: u32) -> String {
    let gib = memory_bytes.unwrap_or(0).saturating_mul(2).div_ceil(u64::from(ppn.max(1))).div_ceil(1 << 30);
    format!("{}g", if gib == 0 { 4 } else { gib })
}

/// The files of one rank if all ranks have a million.
pub(super) fn items_of(ranks: u32) -> u64 {
    1_000_000_u64.div_ceil(u64::from(ranks.max(1)))
}

impl TemplateFacts<'_> {
    /// The parameter of this name, if the plan has it, or else the value.
    fn named(&self, name: &str, value: impl Fn() -> String) -> String {
        match self.plan.parameters.contains_key(name) {
            true => format!("${{{name}}}"),
            false => value(),
        }
    }

    /// The line with the command that lays out files on Lustre; empty for other file systems.
    fn layout(&self, parameter: &str, command: &str) -> String {
        let is_lustre = self.plan.file_systems.values().any(|fs| fs.kind.as_deref() == Some("lustre"));
        match self.plan.parameters.contains_key(parameter) {
            true => format!("\nsetup = [\"${{{parameter}}}\"]"),
            false if is_lustre => format!("\nsetup = [\"{command}\"]"),
            false => String::new(),
        }
    }

    /// The line with the ranks of an external program. Without a launcher it is one process.
    fn app_ranks(&self) -> String {
        match self.plan.launch.kind {
            _ if self.plan.parameters.contains_key("app_ppn") => "\nppn = \"${app_ppn}\"".to_owned(),
            LaunchKind::Local => "\nranks = 1".to_owned(),
            _ => String::new(),
        }
    }

    /// Ranks, and ranks per node, of the first test.
    fn ranks(&self) -> (u32, u32) {
        let placement = self.plan.tests.first().map(|test| &test.placement);
        let ranks = placement.map_or(1, |placement| placement.ranks);
        (ranks, placement.and_then(|placement| placement.ppn).unwrap_or(ranks))
    }

    fn block(&self) -> String {
        block_of(self.plan.clients.memory_bytes, self.ranks().1)
    }

    fn items(&self) -> u64 {
        items_of(self.ranks().0)
    }

    fn is_one_node(&self) -> bool {
        let nodes = self.plan.tests.first().and_then(|test| test.placement.nodes);
        self.plan.launch.kind == LaunchKind::Local || nodes.is_none_or(|nodes| nodes < 2)
    }

    /// How a score is made of its parts.
    fn formula(&self) -> &'static str {
        if self.kind == ClauseKind::SumScore { "sum" } else { "geometric-mean" }
    }

    fn delivered(&self) -> u32 {
        self.plan.clients.delivered.unwrap_or(4).max(4)
    }

    /// The steps of a series over nodes.
    fn steps(&self) -> Result<String, Usage> {
        match self.plan.clients.delivered {
            Some(few @ ..4) => Err(Usage(format!(
                "a series over nodes needs at least 4 nodes, but clients.delivered is {few}. Leave it out."
            ))),
            Some(_) => Ok("\"25%\", \"50%\", \"100%\"".to_owned()),
            None => Ok("\"1\", \"2\", \"4\"".to_owned()),
        }
    }

    /// A test that writes with ior, whose rate can be projected.
    fn measured(&self) -> Result<String, Usage> {
        let writes = |test: &&plan::Test| test.line.phases().iter().any(|phase| phase == "write");
        let found = self.plan.tests.iter().find(writes);
        found.map(|test| test.id.clone()).ok_or_else(|| {
            Usage(
                "a projection needs a test that writes. Add one first, with `assay plan add bandwidth`."
                    .to_owned(),
            )
        })
    }

    /// The letter of the system of a projection.
    fn system(&self) -> String {
        self.plan.systems.first().map_or_else(|| "A".to_owned(), |system| system.letter.clone())
    }

    /// The table of that system, if the plan has none.
    fn systems(&self) -> String {
        match self.plan.systems.is_empty() {
            true => {
                "[system.A]\nprocessor = \"to be filled in\"\nclock = \"2.45 GHz\"\ninterconnect = \"to be \
                     filled in\"\ncores = 1000000\n\n"
                    .to_owned()
            }
            false => String::new(),
        }
    }
}

/// The line that names the file system; empty if the plan has one.
fn fs_line(plan: &Plan, request: &AddRequest) -> Result<String, Usage> {
    let names: Vec<&str> = plan.file_systems.keys().map(String::as_str).collect();
    match &request.fs {
        Some(name) if !names.contains(&name.as_str()) => {
            Err(Usage(format!("--fs {name}: no [fs.{name}]{}", plan::among(name, &names))))
        }
        Some(name) if names.len() > 1 => Ok(format!("\nfs = \"{name}\"")),
        None if names.len() > 1 => Err(Usage(format!(
            "the plan has several file systems. Add --fs with one of: {}.",
            names.join(", ")
        ))),
        _ => Ok(String::new()),
    }
}

/// The first of C.1, C.2, ... that no part of the plan has, alone or at its beginning.
fn next_id(plan: &Plan) -> String {
    let used: Vec<String> = plan
        .tests
        .iter()
        .flat_map(|test| [test.id.clone(), test.family.clone()])
        .chain(plan.groups.iter().map(|group| group.id.clone()))
        .chain(plan.scores.iter().map(|score| score.id.clone()))
        .chain(plan.clauses.iter().map(|clause| clause.id.clone()))
        .collect();
    let is_of = |id: &String, own: &str| {
        id.strip_prefix(own).is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()))
    };
    let free = |own: &String| !used.iter().any(|id| is_of(id, own));
    (1..).map(|number| format!("C.{number}")).find(free).expect("a plan has finitely many ids")
}
