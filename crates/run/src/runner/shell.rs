//! The shell commands of a plan. They run in one directory that keeps their output.
//!
//! Never here: what the commands do, and when.

use std::cell::Cell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use results::folder::JobEnd;

use super::CampaignRequest;
use super::job::Prepared;
use crate::machine::local;

/// Runs shell commands in one directory.
pub(super) struct Shell<'a> {
    pub(super) asked: &'a CampaignRequest,
    dir: &'a Path,
    /// The prefix of its files in `dir`.
    name: &'a str,
    timeout_s: f64,
    stop: &'a AtomicBool,
    /// Whether to wait until `stop` for a process that hangs in the kernel.
    may_wait: bool,
    commands: u32,
}

impl<'a> Shell<'a> {
    pub(super) fn new(asked: &'a CampaignRequest, dir: &'a Path, name: &'a str, timeout_s: f64) -> Self {
        Self { asked, dir, name, timeout_s, stop: &asked.stop, may_wait: true, commands: 0 }
    }

    /// The same, but its commands end only with this flag. They run to their ends even if the campaign must
    /// stop.
    pub(super) fn stopped_by(self, stop: &'a AtomicBool) -> Self {
        Self { stop, may_wait: false, ..self }
    }

    /// The output of the command, or how it ended with the last line of its error output.
    pub(super) fn run(&mut self, command: &str) -> io::Result<Result<String, String>> {
        self.commands += 1;
        let name = format!("{}-{}", self.name, self.commands);
        let prepared = Prepared::shell(self.asked, command, self.dir, &name, self.timeout_s);
        // A stopped command needs no error of its own: the job is not started either.
        let stuck = Cell::new(None);
        let ended = prepared.run(self.stop, &|process| {
            stuck.set(Some(process));
            self.may_wait
        })?;
        let text = |kind: &str| {
            fs::read(self.dir.join(format!("{name}.{kind}.txt")))
                .map(|text| String::from_utf8_lossy(&text).into_owned())
        };
        Ok(match ended {
            Some((JobEnd::Exit(0), _)) => Ok(text("stdout")?),
            None => Err(match stuck.get() {
                Some(process) => {
                    format!("`{command}` was killed, but its process {process} hangs in the kernel")
                }
                None => format!("`{command}` was stopped"),
            }),
            Some((end, _)) => {
                let errors = text("stderr")?;
                let last = errors.lines().last().map(|line| format!(": {line}")).unwrap_or_default();
                Err(format!("`{command}` {}{last}", end.words()))
            }
        })
    }
}

/// A command with the directory of its file system in place of `{dir}`.
pub(super) fn placed(asked: &CampaignRequest, fs: &str, command: &str) -> String {
    let given = asked.dir.as_deref().unwrap_or(Path::new(""));
    let dir = asked.plan.file_systems[fs].dir.replace("{dir}", &given.to_string_lossy());
    let here = local(&dir).unwrap_or_else(|_| dir.clone().into());
    let whole = fs::canonicalize(here).map_or(dir, |whole| whole.to_string_lossy().into_owned());
    command.replace("{dir}", &whole)
}

/// A directory of this campaign for commands that belong to no job. It is removed when dropped.
pub(super) struct CommandDirectory(PathBuf);

impl CommandDirectory {
    pub(super) fn make() -> io::Result<Self> {
        let mut number = 0;
        loop {
            let dir = std::env::temp_dir().join(format!("assay-hooks-{}-{number}", std::process::id()));
            match fs::create_dir(&dir) {
                Ok(()) => return Ok(Self(dir)),
                // A directory of another campaign, or of a killed one.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) fn dir(&self) -> &Path {
        &self.0
    }
}

impl Drop for CommandDirectory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
