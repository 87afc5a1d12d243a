//! Jobs: the table of all jobs, and one block for each job.
//!
//! Invariant: every attempt is in the table, also those that failed. Failures are verbatim.
//! Never here: what phases measured.

use std::collections::{BTreeMap, BTreeSet};

use results::Record;
use results::folder::{Campaign, Fill, Job, JobEnd, Manifest, Target, names};
use results::record::{self, APP, Clients, ClockFacts, DifferingNodes, Failure, Mounted, Reported, Run};

use super::anchors::Anchors;
use super::words::{NONE, end_cell, hash_cell, link_to, or_none, seconds_cell, time, yes_no};
use super::{Block, Cell, Fact, JobBlock, Section, Table, constants};
use crate::sentences;

/// The text of a fact that no record has.
const NOT_RECORDED: &str = "not recorded";
/// The files of a job that are linked if they have a hash.
const FILES: [&str; 3] = [names::STDOUT, names::STDERR, names::RECORDS];

/// The most jobs that all have a block. With more, only those that did not end well have.
const BLOCKS: usize = 1_000;

/// The link names of the jobs that have a block, by their folders.
pub(super) struct JobAnchors(BTreeMap<String, String>);

impl JobAnchors {
    /// Takes a name for each job that has a block.
    pub(super) fn for_jobs(jobs: &[Job], anchors: &mut Anchors) -> Self {
        let name = |job: &Job, anchors: &mut Anchors| anchors.take(&format!("job-{}", job.info.number));
        let has_block = |job: &&Job| jobs.len() <= BLOCKS || !ended_well(job);
        Self(jobs.iter().filter(has_block).map(|job| (job.folder.clone(), name(job, anchors))).collect())
    }

    /// The link to the block of a job, or to its file.
    fn link(&self, job: &Job) -> String {
        self.0.get(&job.folder).map_or_else(|| file_of(job), |name| format!("#{name}"))
    }

    /// A reference to a job, with its link.
    pub(super) fn reference(&self, job: &Job) -> Cell {
        let text = format!("{} (repetition {})", job.info.number, job.info.repetition);
        Cell::new(text).linked(self.link(job))
    }
}

/// Whether a job ended with status 0, and its records are complete and have no failure.
fn ended_well(job: &Job) -> bool {
    job.info.end == JobEnd::Exit(0) && record::is_complete(&job.records) && failures(job).is_empty()
}

fn file_of(job: &Job) -> String {
    link_to(&format!("{}/{}", job.folder, names::JOB))
}

/// The section of all jobs: their table, the facts that all of them have, and each job.
pub(super) fn section(campaign: &Campaign, anchors: &JobAnchors) -> Section {
    let mut blocks = match campaign.jobs.is_empty() {
        true => vec![Block::Paragraph("No job ended.".into())],
        false => tables(campaign, anchors),
    };
    let others = [probes(&campaign.probes), killed(&campaign.killed)];
    blocks.extend(others.into_iter().filter_map(Table::unless_empty).map(Block::Table));
    if campaign.jobs.len() > BLOCKS {
        let what =
            "Only jobs that did not end well are described here. The files of all are in their folders.";
        blocks.push(Block::Paragraph(what.into()));
    }
    let block = |job: &Job| Some(block(job, anchors.0.get(&job.folder)?));
    let mut jobs: Vec<JobBlock> = campaign.jobs.iter().filter_map(block).collect();
    let common = constants::of_all_jobs(&mut jobs);
    if !common.is_empty() {
        let which = if campaign.jobs.len() > BLOCKS { "these jobs" } else { "all jobs" };
        blocks.push(Block::Paragraph(format!("These facts are the same for {which}:")));
        blocks.push(Block::Facts(common));
    }
    blocks.extend(jobs.into_iter().map(|job| Block::Job(Box::new(job))));
    Section::new("jobs", "Jobs", blocks)
}

/// The table of all jobs. That of many jobs is cut into several, which a browser shows faster.
fn tables(campaign: &Campaign, anchors: &JobAnchors) -> Vec<Block> {
    let used: BTreeSet<&str> =
        campaign.verdicts.iter().flat_map(|verdict| &verdict.jobs).map(String::as_str).collect();
    let parts = campaign.jobs.chunks(BLOCKS).enumerate().map(|(at, jobs)| {
        let from = at * BLOCKS;
        let which = match campaign.jobs.len() <= BLOCKS {
            true => "All jobs".to_owned(),
            false => format!("Jobs {} to {} of {}", from + 1, from + jobs.len(), campaign.jobs.len()),
        };
        Block::Table(table(&format!("{which}, including failed attempts"), jobs, &used, anchors))
    });
    parts.collect()
}

/// A table of these jobs. A verdict is based on those that are `used`.
fn table(title: &str, jobs: &[Job], used: &BTreeSet<&str>, anchors: &JobAnchors) -> Table {
    let row = |job: &Job| {
        [
            Cell::new(job.info.number.to_string()).linked(anchors.link(job)),
            Cell::literal(&job.info.test),
            Cell::new(job.info.repetition.to_string()),
            Cell::new(time(&job.info.started)),
            seconds_cell(job.info.seconds),
            end_cell(&job.info.end),
            yes_no(used.contains(job.folder.as_str())),
            Cell::literal(&job.folder).linked(file_of(job)),
        ]
    };
    let headings = ">Job | Test | >Repetition | Started | >Duration | End | In a verdict | Folder";
    Table::with_rows(title, headings, jobs.iter().map(row))
        .noted("\"In a verdict\" states whether a verdict is based on the job.")
}

fn probes(probes: &[Job]) -> Table {
    let row = |job: &Job| {
        [
            Cell::new(time(&job.info.started)),
            seconds_cell(job.info.seconds),
            end_cell(&job.info.end),
            Cell::literal(units::shell_line(&job.info.argv)),
            Cell::literal(&job.folder).linked(file_of(job)),
        ]
    };
    let headings = "Started | >Duration | End | Command | Folder";
    Table::with_rows("Probes of the launcher", headings, probes.iter().map(row))
        .noted("A probe starts ranks in the same way as later jobs. It measures nothing.")
}

fn killed(folders: &[String]) -> Table {
    let rows = folders.iter().map(|folder| [Cell::literal(folder)]);
    Table::with_rows("Attempts that were stopped with the campaign", "Folder", rows)
        .noted("Their files are kept. No verdict is based on them.")
}

fn block(job: &Job, name: &str) -> JobBlock {
    JobBlock {
        id: name.to_owned(),
        title: format!("Job {}: {}, repetition {}", job.info.number, job.info.test, job.info.repetition),
        end: end_cell(&job.info.end),
        duration: units::duration(job.info.seconds),
        command: units::shell_line(&job.info.argv),
        facts: facts(job),
        files: files(job),
        failures: failures(job),
    }
}

/// The dataset that a job made or found, in one line.
fn dataset(made: &Manifest) -> String {
    let size = match made.counted.is_empty() {
        true => format!(" of {}", units::bytes_binary(made.bytes as f64)),
        false => String::new(),
    };
    let files = units::several(made.files, "file");
    match &made.reused {
        Some(reused) => {
            let (by, when, samples) = (&made.campaign, &made.made, reused.samples);
            format!(
                "{files}{size}. No job was started: {by} made them at {when} with the command above, and \
                 {samples} samples still match."
            )
        }
        None => format!("{files}{size}, {} taken", units::several(made.samples.len() as u64, "sample")),
    }
}

fn facts(job: &Job) -> Vec<Fact> {
    let mut facts = vec![
        Fact::new("Started", time(&job.info.started)),
        Fact::of("Working directory", Cell::literal(or_none(&job.info.cwd))),
        Fact::new("Time limit", units::duration(job.info.timeout_s)),
    ];
    facts.extend(job.dataset.as_ref().map(|made| Fact::of("Dataset", Cell::literal(dataset(made)))));
    if !job.info.env.is_empty() {
        let env: Vec<String> = job.info.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
        facts.push(Fact::of("Environment", Cell::literal(units::shell_line(&env))));
    }
    for (when, fill) in [("before", &job.info.fill_before), ("after", &job.info.fill_after)] {
        facts.extend(fill.as_ref().map(|fill| Fact::new(&format!("File system {when}"), filled(fill))));
    }
    if let Some(layout) = &job.info.layout {
        let size = units::bytes_binary(layout.stripe_bytes as f64);
        let over =
            if layout.stripe_count < 0 { "all targets".into() } else { layout.stripe_count.to_string() };
        let text = format!("stripes of {size} over {over} {}", layout.pool);
        facts.push(Fact::new("Layout", text.trim()));
    }
    for library in &job.info.libraries {
        let file = Cell::literal(&library.path).full(format!("SHA-256 {}", or_none(&library.sha256)));
        facts.push(Fact::of("Library", file));
    }
    for program in &job.info.programs {
        let file = Cell::literal(&program.path).full(format!("SHA-256 {}", or_none(&program.sha256)));
        facts.push(Fact::of("File of the external program", file));
    }
    for record in &job.records {
        match record {
            Record::Run(run) => facts.extend(run_facts(run, &job.records)),
            Record::Reported(reported) => facts.extend(reported_facts(reported)),
            Record::End(end) => facts.push(Fact::new("Program ended", time(&end.finished))),
            _ => {}
        }
    }
    if job.records.is_empty() {
        facts.push(Fact::new("Records", "none"));
    } else if !record::is_complete(&job.records) {
        facts.push(Fact::new("Records", "incomplete: the program was killed before its end"));
    }
    facts
}

fn filled(fill: &Fill) -> String {
    let bytes = |bytes: u64| units::bytes_binary(bytes as f64);
    let mut text = format!(
        "{} used, {} free; {} inodes used",
        bytes(fill.bytes_used),
        bytes(fill.bytes_free),
        units::count(fill.inodes_used as f64),
    );
    for target in &fill.targets {
        let Target { name, bytes_used, bytes_free } = target;
        text.push_str(&format!("; {name}: {} used, {} free", bytes(*bytes_used), bytes(*bytes_free)));
    }
    text
}

fn run_facts(run: &Run, records: &[Record]) -> Vec<Fact> {
    if run.workload == APP {
        return app_facts(run, record::reported(records).next());
    }
    let ranks = format!(
        "{} on {}",
        units::several(run.ranks.into(), "rank"),
        units::several(run.nodes.into(), "node")
    );
    vec![
        Fact::new("Ranks", format!("{ranks}, the first on {}", or_none(&run.host))),
        Fact::new("MPI", run.mpi.clone().unwrap_or_else(|| "none, local ranks".into())),
        Fact::new("Program", format!("{}, workload {}", or_none(&run.tool), or_none(&run.workload))),
        Fact::new("Clock", clock(&run.clock)),
    ]
    .into_iter()
    .chain(run.clients.iter().flat_map(|clients| node_facts(run, clients)))
    .collect()
}

fn clock(clock: &ClockFacts) -> String {
    if clock.source.is_empty() {
        return NOT_RECORDED.into();
    }
    let nanoseconds = |value: f64| units::duration(value * 1e-9);
    let between = match clock.offset_uncertainty_ns {
        0 => "one clock for all ranks".to_owned(),
        uncertainty => format!("uncertainty between nodes {}", nanoseconds(uncertainty as f64)),
    };
    let (resolution, cost) = (nanoseconds(clock.resolution_ns as f64), nanoseconds(clock.cost_ns));
    format!("{}; resolution {resolution}, one reading {cost}, {between}", clock.source)
}

/// The facts of an external program. assay did not measure in it. So nodes, MPI and clock are known only if
/// the program printed them.
fn app_facts(run: &Run, reported: Option<&Reported>) -> Vec<Fact> {
    let ranks = match run.ranks {
        0 => NOT_RECORDED.to_owned(),
        ranks => format!("{} as started", units::several(ranks.into(), "rank")),
    };
    let nodes = match reported.and_then(|reported| reported.nodes) {
        Some(nodes) => format!("{nodes}, as reported by the program"),
        None => NOT_RECORDED.to_owned(),
    };
    vec![
        Fact::of("External program", Cell::literal(or_none(&run.tool))),
        Fact::new("Ranks", ranks),
        Fact::new("Nodes", nodes),
        Fact::new("MPI", NOT_RECORDED),
        Fact::new("Clock", format!("{NOT_RECORDED}: the program measured with its own clock")),
    ]
}

fn reported_facts(reported: &Reported) -> Vec<Fact> {
    let number = |count: Option<u64>, word: &str| count.map(|count| units::several(count, word));
    let parts = [
        number(reported.tasks, "rank"),
        reported.total_bytes.map(units::bytes_binary),
        number(reported.total_items, "file"),
        reported.seconds.map(|seconds| format!("{} measured", units::duration(seconds))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let run = (!parts.is_empty()).then(|| Fact::new("As reported by the program", parts.join(", ")));
    let files =
        reported.paths.iter().map(|path| Fact::of("Files, as reported by the program", Cell::literal(path)));
    run.into_iter().chain(files).collect()
}

/// What the nodes of a run reported.
fn node_facts(run: &Run, clients: &Clients) -> Vec<Fact> {
    let on = |mounted: &Mounted| format!("{} on {}", mounted.dir, mounted.words());
    let mounted =
        clients.mounted.iter().map(|mounted| Fact::of("Directory of files", Cell::literal(on(mounted))));
    let others = [
        ("Nodes with another file system", &clients.elsewhere),
        ("Nodes with another server", &clients.other_server),
    ];
    let others = others.into_iter().filter(|(_, others)| others.nodes > 0);
    let others = others.map(|(label, others)| Fact::new(label, others.words()));
    let clocks = clients
        .farthest
        .iter()
        .map(|clock| Fact::new("Wall clocks", sentences::sentence(&clock.reason(&or_none(&run.host)))));
    mounted.chain(others).chain(clocks).chain(identity_facts(clients)).collect()
}

/// The kernels of the nodes, and what watched or changed the processes there.
fn identity_facts(clients: &Clients) -> Vec<Fact> {
    let known = clients.nodes.iter().map(|node| format!("{} on {}", or_none(&node.boot_id), node.name));
    let ids: Vec<String> = known.take(DifferingNodes::CAP).collect();
    let more = match clients.nodes.len() - ids.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let kernels = clients.kernels().map(|kernels| {
        let count = units::several(kernels.into(), "kernel");
        Fact::of("Kernels", Cell::literal(format!("{count}. Boot ids: {}{more}", ids.join(", "))))
    });
    let objects = clients.nodes.iter().flat_map(|node| &node.objects).collect::<BTreeSet<_>>();
    let objects = objects.into_iter().map(|object| {
        let hash = format!("SHA-256 {}", or_none(&object.sha256));
        Fact::of("Mapped at the start", Cell::literal(&object.path).full(hash))
    });
    let tracer = clients.nodes.iter().find(|node| node.tracer_pid > 0);
    let tracer = tracer.map(|node| {
        Fact::of("Tracer", Cell::literal(format!("{} (process {})", or_none(&node.tracer), node.tracer_pid)))
    });
    let seccomp = clients.nodes.iter().map(|node| node.seccomp).max().filter(|mode| *mode > 0);
    let seccomp = seccomp.map(|mode| Fact::new("Filter of system calls", format!("seccomp mode {mode}")));
    kernels.into_iter().chain(objects).chain(tracer).chain(seccomp).collect()
}

fn files(job: &Job) -> Vec<Fact> {
    let linked = |name: &str| link_to(&format!("{}/{name}", job.folder));
    let hashed =
        |name: &&str| Some(Fact::of(name, hash_cell(job.info.sha256.get(*name)?).linked(linked(name))));
    FILES.iter().filter_map(hashed).collect()
}

fn failures(job: &Job) -> Vec<String> {
    let words = |failure: &Failure| {
        let node = if failure.node.is_empty() { NONE } else { &failure.node };
        format!("{}: rank {} (node {node}): {}", failure.step, failure.rank, failure.why)
    };
    let recorded: Vec<String> = record::failures(&job.records).map(words).collect();
    // The error stream at the end of a program repeats the failure that it recorded.
    if !recorded.is_empty() {
        return recorded;
    }
    job.error_summary().into_iter().collect()
}
