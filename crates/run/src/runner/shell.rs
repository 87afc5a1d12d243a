//! Commands of the shell that a plan gives, run in one directory that keeps what they print.
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

/// Runs commands of the shell in one directory.
pub(super) struct Shell<'a> {
    pub(super) asked: &'a CampaignRequest,
    dir: &'a Path,
    /// What its files in `dir` begin with.
    name: &'a str,
    timeout_s: f64,
    stop: &'a AtomicBool,
    /// Whether a process that hangs in the kernel is waited for until `stop`.
    may_wait: bool,
    commands: u32,
}

impl<'a> Shell<'a> {
    pub(super) fn new(asked: &'a CampaignRequest, dir: &'a Path, name: &'a str, timeout_s: f64) -> Self {
        Self { asked, dir, name, timeout_s, stop: &asked.stop, may_wait: true, commands: 0 }
    }

    /// The same with commands that run to their ends as long as this says nothing else, also where the
    /// campaign is asked to stop.
    pub(super) fn heeding(self, stop: &'a AtomicBool) -> Self {
        Self { stop, may_wait: false, ..self }
    }

    /// What the command printed, or how it ended with the last line of what it said.
    pub(super) fn run(&mut self, command: &str) -> io::Result<Result<String, String>> {
        self.commands += 1;
        let name = format!("{}-{}", self.name, self.commands);
        let prepared = Prepared::shell(self.asked, command, self.dir, &name, self.timeout_s);
        // One that is stopped says so by itself: the job is not started either.
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
                    format!("`{command}` was killed, and its process {process} hangs in the kernel")
                }
                None => format!("`{command}` was stopped"),
            }),
            Some((end, _)) => {
                let said = text("stderr")?;
                let last = said.lines().last().map(|line| format!(": {line}")).unwrap_or_default();
                Err(format!("`{command}` {}{last}", end.words()))
            }
        })
    }
}

/// A command with the directory of its file system in the place of `{dir}`.
pub(super) fn placed(asked: &CampaignRequest, fs: &str, command: &str) -> String {
    let given = asked.dir.as_deref().unwrap_or(Path::new(""));
    let dir = asked.plan.file_systems[fs].dir.replace("{dir}", &given.to_string_lossy());
    let whole = fs::canonicalize(&dir).map_or(dir, |whole| whole.to_string_lossy().into_owned());
    command.replace("{dir}", &whole)
}

/// A directory of this campaign's own, for commands that belong to no job; gone when dropped.
pub(super) struct CommandDirectory(PathBuf);

impl CommandDirectory {
    pub(super) fn make() -> io::Result<Self> {
        let mut number = 0;
        loop {
            let dir = std::env::temp_dir().join(format!("assay-hooks-{}-{number}", std::process::id()));
            match fs::create_dir(&dir) {
                Ok(()) => return Ok(Self(dir)),
                // That of another campaign, or of one that was killed.
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
