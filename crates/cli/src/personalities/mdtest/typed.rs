//! The parsed `mdtest` command line, and its meaning.

use command::MdtestOption;
use command::Settings;
use command::classic::OptionValue;
use units::Usage;
use workloads::mdtest::MdtestParameters;

use super::apply;
use command::KeySource;
use command::classic::{ClassicLine, OptionNote, TakenOptions};
use workloads::kit::payload::DataKey;

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

impl MdtestEdition {
    /// The version as mdtest prints it.
    pub(crate) fn version(self) -> &'static str {
        match self {
            Self::Mdtest19 => "1.9.3",
            Self::Mdtest33 => "3.3.0",
            Self::Mdtest41 => "4.1.0+dev",
        }
    }
}

/// The form and the files of the results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MdtestLook {
    /// The version of the text.
    pub(crate) edition: MdtestEdition,
    /// Whether the output has no own lines.
    pub(crate) plain: bool,
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
    /// `--progress FILE`
    pub(crate) progress: Option<String>,
}

/// The selected parts of a test; none means all.
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

/// The parsed options.
#[derive(Clone, Debug, Default)]
pub(crate) struct TypedMdtest {
    /// What goes to the workload unchanged.
    pub(crate) parameters: MdtestParameters,
    /// `-C -T -E -U -r -D -F`
    pub(crate) only: Only,
    /// `-a`
    pub(crate) backend: Option<String>,
    /// `-d`
    pub(crate) dirs: Option<String>,
    /// The form of the results.
    pub(crate) look: MdtestLook,
    /// `--compat`
    pub(crate) compat: Option<MdtestEdition>,
    /// `--data-key`, `--nonce`
    pub(crate) key: KeySource,
    /// `--dryRun`
    pub(crate) dry_run: bool,
    /// `-h`
    pub(crate) help: bool,
    /// `--version`
    pub(crate) version: bool,
    /// Options of backends, and notes for the user.
    pub(crate) taken: TakenOptions,
}

/// A run, ready for the checks.
#[derive(Clone, Debug)]
pub(crate) struct MeantMdtest {
    pub(crate) parameters: MdtestParameters,
    pub(crate) look: MdtestLook,
    pub(crate) dry_run: bool,
    /// Notes for the user about options whose effect differs from their name.
    pub(crate) notes: Vec<OptionNote>,
    /// Whether no phase was selected, so that all are run.
    pub(crate) all_phases: bool,
    /// `-a` as typed.
    pub(crate) backend: Option<String>,
    /// `--data-key`, `--nonce`. The parameters have the key without its secret until the file is read.
    pub(crate) key: KeySource,
}

impl TypedMdtest {
    /// The meaning of the command line.
    pub(crate) fn meant(self) -> Result<MeantMdtest, Usage> {
        let Self { mut parameters, only, backend, dirs, mut look, dry_run, mut taken, key, .. } = self;
        look.edition = self.compat.unwrap_or_default();
        key.check()?;
        let nonce = key.nonce.as_deref().unwrap_or_default();
        parameters.data_key = key.is_given().then(|| DataKey::new(b"", nonce));
        let older = look.edition != MdtestEdition::Mdtest41;
        let all_phases = !(only.create || only.stat || only.read || only.rename || only.remove);
        parameters.create = all_phases || only.create;
        parameters.stat = all_phases || only.stat;
        parameters.read = all_phases || only.read;
        // Renames exist since 4.0. A command line for an older version does not include them.
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
        taken.notes.extend(notes_on(&parameters));
        taken.note_idle(&parameters.backend);
        let notes = taken.notes;
        Ok(MeantMdtest { parameters, look, dry_run, notes, all_phases, backend, key })
    }
}

/// The directories of `-d`, separated by `@` or a line end.
fn split(text: &str) -> Result<Vec<String>, Usage> {
    let dirs: Vec<String> = text.split(['@', '\n']).map(str::to_owned).collect();
    match dirs.iter().any(String::is_empty) {
        true => Err(Usage(format!("-d {text}: a directory has no name. Separate directories by `@`."))),
        false => Ok(dirs),
    }
}

/// Notes on options that do less than they seem to.
fn notes_on(parameters: &MdtestParameters) -> Vec<OptionNote> {
    let mut notes = Vec::new();
    if parameters.make_node {
        notes.push(OptionNote::changed(
            "-k",
            "-k creates files with mknod, as mdtest does since IOR 3.3. Versions 1.9 and 3.2 have no -k and \
             open files instead.",
        ));
    }
    if parameters.first_ranks != 1 && parameters.last_ranks == 0 {
        notes.push(OptionNote::idle(
            "-f",
            "-f without -l has no effect. Give the last number of ranks with -l too.",
        ));
    }
    if parameters.time_unique_dir && !parameters.unique_dir {
        notes.push(OptionNote::idle("-t", "-t has no effect without -u"));
    }
    if parameters.sync_file && !(parameters.create && parameters.files && parameters.write_bytes > 0) {
        notes.push(OptionNote::idle(
            "-y",
            "-y has no effect: no file is created and written. Give -w to write files.",
        ));
    }
    if let Some(path) =
        parameters.status_file.as_ref().filter(|_| parameters.create && !parameters.stores_counts())
    {
        let text = format!("-x has no effect without -W SECONDS: no count is stored in {path}");
        notes.push(OptionNote::idle("-x", text));
    }
    if parameters.deadline > 0 && !parameters.create {
        notes.push(OptionNote::idle("-W", "-W has no effect without -C: it stops only phases that create"));
    }
    notes
}

impl ClassicLine for TypedMdtest {
    type Option = MdtestOption;
    type Request = MdtestParameters;

    fn set(&mut self, option: MdtestOption, value: OptionValue<'_>) -> Result<(), String> {
        apply::set(self, option, value)
    }

    fn finish(&mut self) -> Result<(), Usage> {
        Ok(())
    }

    fn request(&self) -> &MdtestParameters {
        &self.parameters
    }

    fn of_backends(&mut self) -> (&mut Settings, &mut TakenOptions) {
        (&mut self.parameters.settings, &mut self.taken)
    }
}
