//! The start of a personality: the launcher, the process that prints, and rejections.
//!
//! Never here: the work of a personality.

use std::sync::atomic::{AtomicBool, Ordering};

use clap::error::ErrorKind;
use command::Settings;
use ranks::Halt;
use ranks::launcher::RankLaunch;
use storage::Storage;
use units::Usage;
use workloads::kit::process;

use super::classic::preloaded;
use super::own_lines::{PLAIN, is_plain, print_note};
use super::run_records::RunRecords;
use super::waiting;
use crate::session::{Session, launch};
use crate::speech::{complain, say};
use crate::status::{DONE, ERROR, USAGE, error_if};

/// This process of a program.
pub(crate) struct StartedProgram<'a> {
    /// The program's name in messages and records.
    pub(crate) name: &'static str,
    /// The command line as given.
    pub(crate) argv: &'a [String],
    /// The launcher that started this process, if any.
    pub(crate) launch: Option<RankLaunch>,
    /// Whether this process prints for all ranks: the one with rank 0.
    pub(crate) speaks: bool,
    /// Whether calls of its ranks that last long are reported.
    pub(crate) reports_waits: bool,
    /// Whether the results already report the failure of the run. Then no line of error repeats it.
    pub(super) reported: AtomicBool,
}

impl<'a> StartedProgram<'a> {
    /// Detects the launcher of this process and runs `body`. Gives the exit status.
    pub(crate) fn run(
        name: &'static str,
        argv: &'a [String],
        body: impl FnOnce(&Self) -> Result<u8, Usage>,
    ) -> u8 {
        Self::start(name, argv, true, body)
    }

    /// The same, also for a program that watches the calls of its ranks itself.
    pub(crate) fn start(
        name: &'static str,
        argv: &'a [String],
        reports_waits: bool,
        body: impl FnOnce(&Self) -> Result<u8, Usage>,
    ) -> u8 {
        process::remember_mapped();
        if argv.iter().any(|word| word == "--record" || word.starts_with("--record=")) {
            process::remember_program();
        }
        let launch = launch();
        let speaks = launch.as_ref().is_none_or(|launch| launch.rank == 0);
        let program = Self { name, argv, launch, speaks, reports_waits, reported: AtomicBool::new(false) };
        body(&program).unwrap_or_else(|usage| program.reject(&usage))
    }

    /// Reports a rejection, once for all processes. Gives the exit status of wrong usage.
    pub(crate) fn reject(&self, usage: &Usage) -> u8 {
        if self.speaks {
            complain(&format!("{}: {usage}", self.name));
        }
        USAGE
    }

    /// Whether the environment asks for the classic output only. Only rank 0 prints, so only it reads this.
    pub(crate) fn is_plain(&self) -> Result<bool, Usage> {
        let value = std::env::var_os(PLAIN).filter(|_| self.speaks);
        is_plain(value.map(|value| value.to_string_lossy().into_owned()).as_deref())
    }

    /// Notes which libraries were preloaded, once for all processes.
    pub(crate) fn note_preloaded(&self) {
        if self.speaks {
            preloaded::notes(None).iter().for_each(|note| print_note(&note.to_string()));
        }
    }

    /// Reports that the run failed, unless its results do.
    pub(crate) fn complain_of(&self, halt: &Halt) {
        if !self.reported.load(Ordering::Relaxed) {
            complain(&format!("{}: {halt}", self.name));
        }
    }

    /// Creates the file of `--record`, if it was given, on the process that prints. All processes call this.
    pub(crate) fn records(&self, path: Option<&str>) -> Result<Option<RunRecords>, Usage> {
        waiting::records_in(path);
        if self.speaks { RunRecords::open(path).map(Some) } else { Ok(None) }
    }

    /// Prints what a run would do (`--dryRun`), once for all processes, and ends the ranks. Gives the exit
    /// status.
    pub(crate) fn print_dry_run(
        &self,
        session: Session,
        text: impl FnOnce(&Session) -> Result<String, Usage>,
    ) -> u8 {
        let unprinted = |error| (ERROR, format!("cannot print what would be done: {error}"));
        let printed = match self.speaks {
            true => text(&session)
                .map_err(|usage| (USAGE, usage.to_string()))
                .and_then(|text| say(&text).map_err(unprinted)),
            false => Ok(()),
        };
        if let Err((_, why)) = &printed {
            complain(&format!("{}: {why}", self.name));
        }
        match session.run(&|| false, |_| Ok(())) {
            Ok(()) => printed.map_or_else(|(status, _)| status, |()| DONE),
            Err(halt) => {
                complain(&format!("{}: {halt}", self.name));
                ERROR
            }
        }
    }

    /// Prints the classic program's version that the text follows, and the version of this program. Gives the
    /// exit status.
    pub(crate) fn print_version(&self, classic: &str, version: &str) -> u8 {
        self.print(&format!("{classic}-{version} (assay {})\n", env!("CARGO_PKG_VERSION")))
    }

    /// The options; `None` after their help text was printed instead.
    pub(crate) fn options_after_help<O>(&self, parsed: Result<O, String>) -> Option<O> {
        parsed
            .inspect_err(|help| {
                // A help text that cannot be printed is not an error.
                self.print(help);
            })
            .ok()
    }

    /// Prints only a text, once for all processes. Gives the exit status.
    pub(crate) fn print(&self, text: &str) -> u8 {
        error_if(self.speaks && say(text).is_err())
    }
}

/// The local ranks, from `-n` before the command (`outer`) or after it (`inner`).
pub(crate) fn local_ranks(outer: Option<u32>, inner: Option<u32>) -> Result<Option<u32>, Usage> {
    match (outer, inner) {
        (Some(outer), Some(inner)) => {
            Err(Usage(format!("-n {outer} and -n {inner}: given twice. Give -n once.")))
        }
        (outer, inner) => Ok(outer.or(inner)),
    }
}

/// The mounted file systems, for programs that use no other backend.
pub(crate) fn posix() -> Result<Box<dyn Storage>, Usage> {
    (storage::driver(command::POSIX)?.open)(&Settings::default())
}

/// The options in `words`, for a command whose options are all in `A`; `None` if they only print a help text.
/// An error is one line.
pub(crate) fn options<A: clap::Args>(name: &str, words: &[String]) -> Result<Option<A>, Usage> {
    #[derive(clap::Parser)]
    struct OptionLine<A: clap::Args> {
        #[command(flatten)]
        options: A,
    }
    let line = std::iter::once(name.to_owned()).chain(words.iter().cloned());
    match <OptionLine<A> as clap::Parser>::try_parse_from(line) {
        Ok(line) => Ok(Some(line.options)),
        Err(error) if error.use_stderr() => Err(Usage(in_one_line(&error))),
        Err(_) => Ok(None),
    }
}

/// The options of the program `name` in `words`, or the help text to print instead. An error is one line.
/// `missing` says what to give if there are no words.
pub(crate) fn options_or_help<O: clap::Parser>(
    name: &str,
    words: impl IntoIterator<Item = String>,
    missing: &str,
) -> Result<Result<O, String>, Usage> {
    let usage = |what: &str| Err(Usage(format!("{what} `{name} --help` lists the options.")));
    match O::try_parse_from(std::iter::once(name.to_owned()).chain(words)) {
        Ok(options) => Ok(Ok(options)),
        Err(error) if !error.use_stderr() => Ok(Err(error.render().to_string())),
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            usage(&format!("{missing};"))
        }
        Err(error) => usage(&format!("{}.", in_one_line(&error))),
    }
}

/// The first paragraph of a parser's error, in one line.
fn in_one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let words: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    words.join(" ").trim_start_matches("error: ").to_owned()
}
