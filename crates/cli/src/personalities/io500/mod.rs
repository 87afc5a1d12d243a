//! `io500`: all phases of IO500 in one job, over the programs `ior`, `mdtest`, `md-workbench` and `pfind`.

mod caches;
mod directories;
mod outputs;
mod phase_run;
mod run;
mod search;
mod verification;

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use command::io500::{Config, Io500Options, Mode, Phase, PhaseLines, PhaseTool, phases, with_long_names};
use command::{Settings, WorkloadName};
use jiff::Zoned;
use ranks::launcher::RankLaunch;
use serde::{Deserialize, Serialize};
use units::Usage;

use super::LineEffect;
use super::classic::interrupt;
use super::ior::Outside;
use super::living::LivingText;
use super::perform::perform_unless;
use super::program::{StartedProgram, local_ranks, options_or_help};
use super::run_records::RunRecords;
use super::waiting;
use super::within::Host;
use crate::session::{Needs, RankStart, Session};
use crate::status::DONE;
use directories::RunDirectories;
use outputs::RunOutputs;
use run::RootOutputs;

/// Runs the options `tokens` of the command line `argv` on `local` ranks or the launcher's, and gives
/// the exit status.
pub(crate) fn run(argv: &[String], tokens: &[String], local: Option<u32>) -> u8 {
    StartedProgram::run("io500", argv, |program| started(program, tokens, local))
}

/// Rejects a command line that a run rejects on any machine. The configuration is not read.
pub(crate) fn check(tokens: &[String], start: RankStart) -> Result<LineEffect, Usage> {
    let Ok(options) = parse(tokens)? else { return Ok(LineEffect::Prints) };
    if options.ini.is_none() || options.config_hash || options.verify.is_some() || options.dry_run {
        return Ok(LineEffect::Prints);
    }
    let start = RankStart { local: local_ranks(start.local, options.ranks)?, ..start };
    start.check(Needs::Nothing)?;
    Ok(LineEffect::Runs)
}

fn parse(tokens: &[String]) -> Result<Result<Io500Options, String>, Usage> {
    let missing = "no configuration is given. Give one, or `--list` to print one";
    options_or_help("io500", with_long_names(tokens), missing)
}

fn started(program: &StartedProgram<'_>, tokens: &[String], local: Option<u32>) -> Result<u8, Usage> {
    let Some(options) = program.options_after_help(parse(tokens)?) else { return Ok(DONE) };
    let Some(ini) = options.ini.as_deref().filter(|_| !options.list && !options.list_mandatory) else {
        let listed = Config::default().print(true, |row| options.list || !row.is_optional);
        let which = if options.list { "" } else { " of the phases that each run has" };
        return Ok(
            program.print(&format!("# The options of a configuration{which}, with their defaults\n{listed}"))
        );
    };
    if options.config_hash {
        let config = Inputs::read(ini, &options)?.config(ini)?;
        return Ok(program.print(&format!("{:<15} = {}\n", "config-hash", config.hash())));
    }
    if let Some(result) = &options.verify {
        let config = Inputs::read(ini, &options)?.config(ini)?;
        return verification::verify(program, &config, result);
    }
    let local = local_ranks(local, options.ranks)?;
    let (session, ready) = prepare(ini, &options, program.launch.as_ref(), local)?;
    if options.dry_run {
        return Ok(program.print_dry_run(session, |_| Ok(ready.dry_run())));
    }
    waiting::records_in(options.record.as_deref());
    let voice = if program.speaks { voice(program, &options, &ready).map(Some) } else { Ok(None) };
    let (session, voice) = session.agree(voice)?;
    if session.mpi().is_none() {
        let whole = ready.flag("timestamp-datadir").then(|| ready.lines.data_dir.clone());
        let own = whole.map_or_else(|| directories::paths(&ready.lines).collect(), |dir| vec![dir]);
        interrupt::watch(program.name, own.into_iter().map(PathBuf::from), ". Remove it.");
    }
    program.note_preloaded();
    let (ranks, abandoned) = (session.size(), AtomicBool::new(false));
    let leaves = || abandoned.load(Ordering::Relaxed);
    let host = Host { program, standard: session.mpi_standard(), abandoned: &abandoned };
    Ok(perform_unless(program, ranks, session, &leaves, voice, |part, root| {
        run::all_phases(&ready, &host, part, root)
    }))
}

/// Rank 0's records and outputs. Directories and files are created now.
fn voice(
    program: &StartedProgram<'_>,
    options: &Io500Options,
    ready: &ReadyIo500,
) -> Result<(RunRecords, RootOutputs), Usage> {
    let records = RunRecords::open(options.record.as_deref())?;
    let opened = || {
        let is_plain = program.is_plain()?;
        ready.check_here(options)?;
        let directories = RunDirectories::prepare(ready)?;
        match RunOutputs::open(ready, LivingText::to_stdout(), is_plain) {
            Ok(outputs) => Ok(RootOutputs { outputs, directories }),
            Err(usage) => {
                directories.remove_empty(&ready.lines);
                Err(usage)
            }
        }
    };
    match opened() {
        Ok(root) => Ok((records, root)),
        Err(usage) => {
            records.discard();
            Err(usage)
        }
    }
}

/// A run that was checked.
struct ReadyIo500 {
    lines: PhaseLines,
    mode: Mode,
    /// Whether only the phases that remove are run.
    cleanup: bool,
    verbosity: u32,
    outside: Outside,
    /// The configuration as it was given.
    given: String,
}

impl ReadyIo500 {
    /// The phases of this run.
    fn phases(&self) -> impl Iterator<Item = &'static Phase> {
        let (mode, cleanup) = (self.mode, self.cleanup);
        let wanted = phases().filter(move |phase| mode == Mode::Extended || !phase.is_optional);
        wanted.filter(move |phase| !cleanup || phase.effect == command::io500::Effect::Removes)
    }

    /// Whether a phase is run: the configuration leaves neither it nor its data out. A run that only removes
    /// does not need to know.
    fn is_wanted(&self, phase: &Phase) -> bool {
        let config = &self.lines.config;
        let is_on = |phase: &Phase| {
            let sections = [phase.name, phase.parent];
            phase.tool == PhaseTool::Timestamp || sections.iter().all(|name| config.is_true(name, "run"))
        };
        let is_maker = |other: &&Phase| other.parent == phase.parent && phase.tool != PhaseTool::Pfind;
        let maker = phases().find(is_maker).filter(|_| self.flag("timestamp-datadir"));
        self.cleanup || (is_on(phase) && maker.is_none_or(is_on))
    }

    /// Whether an option of `[global]` is `TRUE`.
    fn flag(&self, name: &str) -> bool {
        self.lines.config.is_true("global", name)
    }

    /// The command lines of the phases.
    fn dry_run(&self) -> String {
        let phases = self.phases().filter(|phase| phase.tool != PhaseTool::Timestamp);
        let shown = phases.filter(|phase| self.is_wanted(phase)).map(|phase| {
            let external = self.lines.external_search(phase);
            let line = external.unwrap_or_else(|| self.lines.words(phase, None).join(" "));
            let depends = match phase.tool {
                PhaseTool::MdWorkbench => "; -P and -I depend on the rate of mdtest-easy-write\n",
                _ => "",
            };
            format!("[{}]\n{depends}{:<15} = {line}\n", phase.name, "exe")
        });
        shown.collect::<Vec<_>>().join("\n")
    }

    /// Rejects what a run cannot do, before it begins.
    fn check(&self, start: RankStart) -> Result<(), Usage> {
        let config = &self.lines.config;
        if self.flag("io-buffers-on-gpu") {
            return Err(Usage::new("[global] io-buffers-on-gpu: buffers are in memory only. Set FALSE."));
        }
        if self.lines.stonewall() == 0 {
            return Err(Usage::new(
                "[debug] stonewall-time = 0: all data would be written. Give at least one second.",
            ));
        }
        let given =
            ["precreatePerSet", "filesPerProc"].map(|name| config.text("mdworkbench", name).is_some());
        if given[0] != given[1] {
            return Err(Usage::new("[mdworkbench] give both precreatePerSet and filesPerProc, or none."));
        }
        for phase in self.phases() {
            let placed = |why: Usage| Usage(format!("[{}] {}", phase.name, why.0));
            self.check_phase(phase, start).map_err(placed)?;
        }
        Ok(())
    }

    fn check_phase(&self, phase: &Phase, start: RankStart) -> Result<(), Usage> {
        let Some(workload) = workload(phase) else { return Ok(()) };
        let (config, all) = (&self.lines.config, self.lines.ranks);
        let mut words = self.lines.backend(phase);
        if let Some(backend) = words.next() {
            let prefix = format!("--{}.", backend.to_lowercase());
            if let Some(word) = words.find(|word| !word.to_lowercase().starts_with(&prefix)) {
                return Err(Usage(format!(
                    "API: `{word}` is no option of {backend}. Give `{prefix}...` only."
                )));
            }
            if command::discards_data(backend) {
                return Err(Usage(format!("API = {backend}: it keeps no data. Choose another backend.")));
            }
        }
        if self.lines.verbosity(phase) > VERBOSITY_MAX {
            return Err(Usage(format!("verbosity: give at most {VERBOSITY_MAX}.")));
        }
        if let Some(ranks) =
            config.number::<u64>(phase.name, "nproc").filter(|_| phase.tool == PhaseTool::Pfind)
            && !(1..=u64::from(all)).contains(&ranks)
        {
            return Err(Usage(format!("nproc = {ranks}: this run has {all} ranks.")));
        }
        let words = self.lines.words(phase, None);
        super::check(workload, &words[1..], start).map(drop)
    }

    /// Rejects what rank 0 can see: a program that cannot be started, and a run to remove that was another.
    fn check_here(&self, options: &Io500Options) -> Result<(), Usage> {
        let lines = &self.lines;
        for phase in self.phases().filter(|phase| phase.tool == PhaseTool::Pfind) {
            let Some(script) = lines.config.text(phase.name, "external-script") else { continue };
            let is_program = |about: &Metadata| about.is_file() && about.permissions().mode() & 0o111 != 0;
            if !std::fs::metadata(script).is_ok_and(|about| is_program(&about)) {
                let name = phase.name;
                return Err(Usage(format!("[{name}] external-script = {script}: it is no program to run.")));
            }
        }
        if !self.cleanup {
            return Ok(());
        }
        let has_time = ["timestamp-datadir", "timestamp-resultdir"].iter().any(|name| self.flag(name));
        if has_time && options.timestamp.is_none() {
            return Err(Usage::new("--cleanup: of which run? Give its --timestamp."));
        }
        let results = lines.result("result.txt");
        let text = std::fs::read_to_string(&results).map_err(|error| {
            Usage(format!("--cleanup: {results}: {error}. Give the --timestamp of a run."))
        })?;
        let procs = text.lines().find_map(|line| line.strip_prefix("procs")?.split_once('='));
        let procs = procs.and_then(|(_, procs)| procs.trim().parse::<u32>().ok());
        match procs.filter(|procs| *procs != lines.ranks) {
            Some(procs) => Err(Usage(format!("--cleanup: that run had {procs} ranks. Use as many."))),
            None => Ok(()),
        }
    }

    /// Loads what the backends need once, so that a library that is missing is found before the first phase.
    fn load(&self) -> Result<(), Usage> {
        let backends = self.phases().filter_map(|phase| self.lines.backend(phase).next());
        let names: BTreeSet<&str> = backends.collect();
        names.into_iter().try_for_each(|name| (storage::driver(name)?.open)(&Settings::default())?.load())
    }

    /// What the backends need.
    fn needs(&self) -> Result<Needs, Usage> {
        let mut needs = Needs::Nothing;
        for phase in self.phases().filter(|phase| phase.tool != PhaseTool::Timestamp) {
            let Some(backend) = self.lines.backend(phase).next() else { continue };
            needs = match (needs, Needs::of_backend(backend)?) {
                (Needs::Library(kind), _) | (_, Needs::Library(kind)) => Needs::Library(kind),
                (Needs::Mpi, _) | (_, Needs::Mpi) => Needs::Mpi,
                _ => Needs::Nothing,
            };
        }
        Ok(needs)
    }
}

/// The most `-v` of a program.
const VERBOSITY_MAX: usize = 10;

/// The workload of a phase.
fn workload(phase: &Phase) -> Option<WorkloadName> {
    match phase.tool {
        PhaseTool::Ior => Some(WorkloadName::Ior),
        PhaseTool::Mdtest => Some(WorkloadName::Mdtest),
        PhaseTool::MdWorkbench => Some(WorkloadName::MdWorkbench),
        PhaseTool::Pfind => Some(WorkloadName::Pfind),
        PhaseTool::Timestamp => None,
    }
}

/// What only rank 0 reads.
#[derive(Default, Serialize, Deserialize)]
struct Inputs {
    text: String,
    timestamp: String,
}

impl Inputs {
    fn read(ini: &Path, options: &Io500Options) -> Result<Self, Usage> {
        let now = || Zoned::now().strftime("%Y.%m.%d-%H.%M.%S").to_string();
        let timestamp = options.timestamp.clone().unwrap_or_else(now);
        match std::fs::read_to_string(ini) {
            Ok(text) => Ok(Self { text, timestamp }),
            Err(error) => Err(Usage(format!("{}: {error}. Give a configuration.", ini.display()))),
        }
    }

    fn config(&self, ini: &Path) -> Result<Config, Usage> {
        Config::parse(&self.text, &ini.display().to_string())
    }

    /// Sends those of rank 0 to all ranks.
    fn share(self, session: &Session) -> Result<Self, Usage> {
        let mut bytes = serde_json::to_vec(&self).unwrap_or_default();
        session.broadcast(&mut bytes)?;
        serde_json::from_slice(&bytes).map_err(|error| Usage(format!("the configuration of rank 0: {error}")))
    }

    fn ready(
        self,
        ini: &Path,
        options: &Io500Options,
        outside: Outside,
        ranks: u32,
    ) -> Result<ReadyIo500, Usage> {
        let config = self.config(ini)?;
        let dir = |name: &str, own: &str| {
            let dir = config.text("global", name).unwrap_or_default();
            match config.is_true("global", own) {
                true => format!("{dir}/{}", self.timestamp),
                false => dir.to_owned(),
            }
        };
        let (data_dir, result_dir) =
            (dir("datadir", "timestamp-datadir"), dir("resultdir", "timestamp-resultdir"));
        let verbosity = match (options.verbosity, options.verbose) {
            (Some(level), _) => level,
            (None, 0) => config.number("global", "verbosity").unwrap_or(1),
            (None, count) => count.into(),
        };
        Ok(ReadyIo500 {
            lines: PhaseLines {
                config,
                data_dir,
                result_dir,
                timestamp: self.timestamp,
                ranks,
                // The results of the run stay as they are.
                file_prefix: if options.cleanup { "cleanup-" } else { "" },
            },
            mode: options.mode,
            cleanup: options.cleanup,
            verbosity,
            outside,
            given: self.text,
        })
    }
}

/// Reads and checks everything. All ranks reject together. Ranks of a launcher meet first, because only rank
/// 0 reads the configuration.
fn prepare(
    ini: &Path,
    options: &Io500Options,
    launch: Option<&RankLaunch>,
    local: Option<u32>,
) -> Result<(Session, ReadyIo500), Usage> {
    let read = || Ok((Inputs::read(ini, options)?, Outside::read(None)?));
    let checked = |inputs: Inputs, outside, start: RankStart| {
        let ready = inputs.ready(ini, options, outside, start.ranks())?;
        ready.check(start)?;
        ready.load()?;
        Ok::<_, Usage>(ready)
    };
    let Some(first) = launch.filter(|launch| launch.is_parallel()) else {
        let (inputs, outside) = read()?;
        let ready = checked(inputs, outside, RankStart { launched: None, local })?;
        return Ok((Session::start(launch, local, ready.needs()?)?, ready));
    };
    let session = Session::start(launch, local, Needs::Nothing)?;
    let inputs = if first.rank == 0 { read() } else { Ok(Default::default()) };
    let (session, (inputs, outside)) = session.agree(inputs)?;
    let (inputs, outside) = (inputs.share(&session)?, outside.share(&session)?);
    let start = RankStart { launched: Some(session.size()), local: None };
    session.agree(checked(inputs, outside, start))
}
