//! The parsed command line of `mdtest`: its request, and what else it has.

use units::Usage;

use super::request::Request;
use crate::Settings;
use crate::classic::{ClassicLine, OptionNote, TakenOptions};

/// The version of mdtest whose text is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edition {
    /// 1.9.3, before it was part of IOR (`--compat 1.9`).
    Mdtest19,
    /// 3.3 (`--compat 3.3`).
    Mdtest33,
    /// 4.1.
    #[default]
    Mdtest41,
}

impl Edition {
    /// The version of the text with this name.
    pub fn parse(name: &str) -> Result<Self, String> {
        match name {
            "1.9" => Ok(Self::Mdtest19),
            "3.3" => Ok(Self::Mdtest33),
            "4.1" => Ok(Self::Mdtest41),
            other => Err(format!("`{other}` is not 1.9, 3.3 or 4.1")),
        }
    }

    /// The version as mdtest prints it.
    pub fn version(self) -> &'static str {
        match self {
            Self::Mdtest19 => "1.9.3",
            Self::Mdtest33 => "3.3.0",
            Self::Mdtest41 => "4.1.0+dev",
        }
    }
}

/// The form and the files of the results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The version of the text.
    pub edition: Edition,
    /// Whether the output has no own lines.
    pub plain: bool,
    /// `-Z`: times instead of rates.
    pub times: bool,
    /// `-P`: both.
    pub both: bool,
    /// `--print-all-procs`
    pub all_ranks: bool,
    /// `--showRankStatistics`
    pub rank_statistics: bool,
    /// `--saveRankPerformanceDetails`
    pub rank_csv: Option<String>,
    /// `--record FILE`
    pub record: Option<String>,
    /// `--progress FILE`
    pub progress: Option<String>,
}

/// The selected parts of a test; none means all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Only {
    pub(super) create: bool,
    pub(super) stat: bool,
    pub(super) read: bool,
    pub(super) rename: bool,
    pub(super) remove: bool,
    pub(super) directories: bool,
    pub(super) files: bool,
}

/// A parsed command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// What the workload runs.
    pub request: Request,
    /// `-C -T -E -U -r -D -F`
    pub(super) only: Only,
    /// Whether no phase was selected, so that all are run.
    pub all_phases: bool,
    /// `-a` as typed.
    pub backend: Option<String>,
    /// `-d`
    pub(super) dirs: Option<String>,
    /// The form of the results.
    pub output: Output,
    /// `--compat`, or the variable for the same; `None` for 4.1.
    pub edition: Option<Edition>,
    /// `--dryRun`
    pub dry_run: bool,
    /// `-h`
    pub help: bool,
    /// `--version`
    pub version: bool,
    /// Options of backends, and notes for the user.
    pub taken: TakenOptions,
}

impl ClassicLine for Parsed {
    type Request = Request;

    fn finish(&mut self) -> Result<(), Usage> {
        let (request, output, only) = (&mut self.request, &mut self.output, self.only);
        output.edition = self.edition.unwrap_or_default();
        let older = output.edition != Edition::Mdtest41;
        self.all_phases = !(only.create || only.stat || only.read || only.rename || only.remove);
        request.create = self.all_phases || only.create;
        request.stat = self.all_phases || only.stat;
        request.read = self.all_phases || only.read;
        // Renames exist since 4.0. A command line for an older version does not include them.
        request.rename = only.rename || (self.all_phases && !older);
        request.remove = self.all_phases || only.remove;
        let both = only.directories == only.files;
        request.directories = (both || only.directories) && !request.shared_file;
        request.files = both || only.files;
        request.rank_times = output.all_ranks || output.rank_statistics || output.rank_csv.is_some();
        if output.edition == Edition::Mdtest19 {
            request.test_dir_prefix = "#test-dir.";
        }
        if let Some(backend) = &self.backend {
            request.backend.clone_from(backend);
        }
        request.key.check()?;
        match &self.dirs {
            Some(dirs) => request.dirs = split(dirs)?,
            None if output.edition == Edition::Mdtest19 => request.dirs = vec![".".to_owned()],
            None => {}
        }
        self.taken.notes.extend(notes_on(request));
        self.taken.note_idle(&request.backend);
        Ok(())
    }

    fn request(&self) -> &Request {
        &self.request
    }

    fn of_backends(&mut self) -> (&mut Settings, &mut TakenOptions) {
        (&mut self.request.settings, &mut self.taken)
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
fn notes_on(parameters: &Request) -> Vec<OptionNote> {
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
            "-y has no effect: no file is created with data. Give -w for such files.",
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
