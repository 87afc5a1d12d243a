//! What was typed on an `mdtest` command line, and what it means.

use command::MdtestOption;
use command::classic::OptionValue;
use storage::Settings;
use units::Usage;
use workloads::mdtest::MdtestParameters;

use super::apply;
use crate::personalities::classic::{ClassicLine, OptionNote, TakenOptions};

/// The version of mdtest whose text is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MdtestEdition {
    /// 1.9.3, before it was part of IOR (`--compat 1.9`).
    Mdtest19,
    /// 3.3 (`--compat 3.3`).
    Mdtest33,
    /// 4.1.
    #[default]
    Mdtest41,
}

/// How the results are shown, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MdtestLook {
    /// `--compat`
    pub(crate) edition: MdtestEdition,
    /// `-Z`: times instead of rates.
    pub(crate) times: bool,
    /// `-P`: both.
    pub(crate) both: bool,
    /// `--print-all-procs`
    pub(crate) all_ranks: bool,
    /// `--showRankStatistics`
    pub(crate) rank_statistics: bool,
    /// `--saveRankPerformanceDetails`
    pub(crate) rank_csv: Option<String>,
    /// `--record FILE`
    pub(crate) record: Option<String>,
}

/// The parts of a test that were named; none means all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Only {
    pub(crate) create: bool,
    pub(crate) stat: bool,
    pub(crate) read: bool,
    pub(crate) rename: bool,
    pub(crate) remove: bool,
    pub(crate) directories: bool,
    pub(crate) files: bool,
}

/// Everything that was typed.
#[derive(Clone, Debug, Default)]
pub(crate) struct TypedMdtest {
    /// What goes to the workload as it is.
    pub(crate) parameters: MdtestParameters,
    /// `-C -T -E -U -r -D -F`
    pub(crate) only: Only,
    /// `-a`
    pub(crate) backend: Option<String>,
    /// `-d`
    pub(crate) dirs: Option<String>,
    /// How the results are shown.
    pub(crate) look: MdtestLook,
    /// `--dryRun`
    pub(crate) dry_run: bool,
    /// `-h`
    pub(crate) help: bool,
    /// Options of backends, and what the user is told.
    pub(crate) taken: TakenOptions,
}

/// A run, ready to be checked.
#[derive(Clone, Debug)]
pub(crate) struct MeantMdtest {
    pub(crate) parameters: MdtestParameters,
    pub(crate) look: MdtestLook,
    pub(crate) dry_run: bool,
    /// What the user is told about options that are taken otherwise than typed.
    pub(crate) notes: Vec<OptionNote>,
    /// Whether no phase was named, so that all are meant.
    pub(crate) all_phases: bool,
    /// `-a` as typed.
    pub(crate) backend: Option<String>,
}

impl TypedMdtest {
    /// What the line means.
    pub(crate) fn meant(self) -> Result<MeantMdtest, Usage> {
        let Self { mut parameters, only, backend, dirs, look, dry_run, taken, .. } = self;
        let older = look.edition != MdtestEdition::Mdtest41;
        let all_phases = !(only.create || only.stat || only.read || only.rename || only.remove);
        parameters.create = all_phases || only.create;
        parameters.stat = all_phases || only.stat;
        parameters.read = all_phases || only.read;
        // Renames came with 4.0: a line for an older version does not mean them.
        parameters.rename = only.rename || (all_phases && !older);
        parameters.remove = all_phases || only.remove;
        let both = only.directories == only.files;
        parameters.directories = (both || only.directories) && !parameters.shared_file;
        parameters.files = both || only.files;
        if look.edition == MdtestEdition::Mdtest19 {
            parameters.test_dir_prefix = "#test-dir.";
        }
        match &dirs {
            Some(dirs) => parameters.dirs = split(dirs)?,
            None if look.edition == MdtestEdition::Mdtest19 => parameters.dirs = vec![".".to_owned()],
            None => {}
        }
        if let Some(backend) = &backend {
            parameters.backend.clone_from(backend);
        }
        parameters.rank_times = look.all_ranks || look.rank_statistics || look.rank_csv.is_some();
        let idle = taken.idle(&parameters.backend);
        let mut notes = taken.notes;
        notes.extend(told(&parameters));
        notes.extend(idle);
        Ok(MeantMdtest { parameters, look, dry_run, notes, all_phases, backend })
    }
}

/// The directories of `-d`, which `@` or the end of a line separates.
fn split(text: &str) -> Result<Vec<String>, Usage> {
    let dirs: Vec<String> = text.split(['@', '\n']).map(str::to_owned).collect();
    match dirs.iter().any(String::is_empty) {
        true => Err(Usage(format!("-d {text}: a directory without a name; `@` separates directories"))),
        false => Ok(dirs),
    }
}

/// What a line says that reads as if it did more.
fn told(parameters: &MdtestParameters) -> Vec<OptionNote> {
    let mut notes = Vec::new();
    if parameters.make_node {
        notes.push(OptionNote::changed(
            "-k",
            "-k makes files by mknod, as mdtest does from IOR 3.3 on; 1.9 and 3.2 did not know it, and there \
             files were opened",
        ));
    }
    if parameters.first_ranks != 1 && parameters.last_ranks == 0 {
        notes.push(OptionNote::idle("-f", "-f without -l has no effect; name the last number of ranks too"));
    }
    if parameters.time_unique_dir && !parameters.unique_dir {
        notes.push(OptionNote::idle("-t", "-t has no effect without -u"));
    }
    if parameters.sync_file && !(parameters.create && parameters.files && parameters.write_bytes > 0) {
        notes.push(OptionNote::idle(
            "-y",
            "-y has no effect: no file is created and written that could be synced; give -w",
        ));
    }
    if parameters.deadline > 0 && !parameters.create {
        notes.push(OptionNote::idle(
            "-W",
            "-W has no effect without -C: it stops what creates, and nothing else",
        ));
    }
    notes
}

impl ClassicLine for TypedMdtest {
    type Option = MdtestOption;

    fn set(&mut self, option: MdtestOption, value: OptionValue<'_>) -> Result<(), String> {
        apply::set(self, option, value)
    }

    fn of_backends(&mut self) -> (&mut Settings, &mut TakenOptions) {
        (&mut self.parameters.settings, &mut self.taken)
    }
}
