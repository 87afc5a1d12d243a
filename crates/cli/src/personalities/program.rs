//! How a personality begins: who launched it, who speaks, and how it says no.
//!
//! Never here: what a personality does.

use ranks::launcher::RankLaunch;
use storage::{Settings, Storage};
use units::Usage;

use super::run_records::RunRecords;
use crate::session::{Session, launch};
use crate::speech::{complain, say};
use crate::status::{DONE, ERROR, USAGE, error_if};

/// This process of a program.
pub(crate) struct StartedProgram<'a> {
    /// The program, as messages and records name it.
    pub(crate) name: &'static str,
    /// The command line as given.
    pub(crate) argv: &'a [String],
    /// The launcher that started this process, if any.
    pub(crate) launch: Option<RankLaunch>,
    /// Whether this process speaks for all: the one with rank 0.
    pub(crate) speaks: bool,
}

impl<'a> StartedProgram<'a> {
    /// Finds out who launched this process, and runs `body`. Gives the exit status.
    pub(crate) fn run(
        name: &'static str,
        argv: &'a [String],
        body: impl FnOnce(&Self) -> Result<u8, Usage>,
    ) -> u8 {
        let launch = launch();
        let speaks = launch.as_ref().is_none_or(|launch| launch.rank == 0);
        let program = Self { name, argv, launch, speaks };
        body(&program).unwrap_or_else(|usage| program.reject(&usage))
    }

    /// Says no, once for all processes; the exit status of wrong usage.
    pub(crate) fn reject(&self, usage: &Usage) -> u8 {
        if self.speaks {
            complain(&format!("{}: {usage}", self.name));
        }
        USAGE
    }

    /// Makes the file of `--record` on the process that speaks, if there is to be one.
    pub(crate) fn records(&self, path: Option<&str>) -> Result<Option<RunRecords>, Usage> {
        if self.speaks { RunRecords::open(path).map(Some) } else { Ok(None) }
    }

    /// Says only what would be done (`--dryRun`), once for all processes, and ends the ranks; the exit
    /// status.
    pub(crate) fn only_tell(
        &self,
        session: Session,
        text: impl FnOnce(&Session) -> Result<String, Usage>,
    ) -> u8 {
        let unprinted = |error| (ERROR, format!("cannot print what would be done: {error}"));
        let told = match self.speaks {
            true => text(&session)
                .map_err(|usage| (USAGE, usage.to_string()))
                .and_then(|text| say(&text).map_err(unprinted)),
            false => Ok(()),
        };
        if let Err((_, why)) = &told {
            complain(&format!("{}: {why}", self.name));
        }
        match session.run(&|| false, |_| Ok(())) {
            Ok(()) => told.map_or_else(|(status, _)| status, |()| DONE),
            Err(halt) => {
                complain(&format!("{}: {halt}", self.name));
                ERROR
            }
        }
    }

    /// Prints a text, once for all processes, and nothing else; the exit status.
    pub(crate) fn print(&self, text: &str) -> u8 {
        error_if(self.speaks && say(text).is_err())
    }
}

/// The mounted file systems, for programs that work on nothing else.
pub(crate) fn posix() -> Result<Box<dyn Storage>, Usage> {
    (storage::backend("posix")?.open)(&Settings::default())
}

/// The options of a command that has no more of them than `words`; what is wrong with them in one line.
pub(crate) fn options<A: clap::Args>(name: &str, words: &[String]) -> Result<A, Usage> {
    #[derive(clap::Parser)]
    struct OptionLine<A: clap::Args> {
        #[command(flatten)]
        options: A,
    }
    let line = std::iter::once(name.to_owned()).chain(words.iter().cloned());
    let line =
        <OptionLine<A> as clap::Parser>::try_parse_from(line).map_err(|error| Usage(in_one_line(&error)))?;
    Ok(line.options)
}

/// What a parser complains of, in one line: its first paragraph.
pub(crate) fn in_one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let words: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    words.join(" ").trim_start_matches("error: ").to_owned()
}
