//! What the plan wants done before a job: servers brought on and off and counted, commands of a test.
//!
//! Each command is one of the shell, with a time limit, in the job's folder, which keeps what it printed.
//!
//! Invariant: how many serve is counted before every job that says how many, never assumed.
//! Never here: what the commands do.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use results::folder::JobEnd;

use super::Campaigning;
use super::job::Prepared;
use crate::judge;
use crate::schedule::PlannedJob;

/// What was set before.
#[derive(Default)]
pub(super) struct Setup {
    /// How many servers were set to be on, by file system.
    servers: BTreeMap<String, u32>,
}

impl Setup {
    /// Has as many servers serve as `job` says, or all again where it says nothing; gives why the job is not
    /// to be started, if so. Its directory comes later: a file system may bind that to those that serve.
    pub(super) fn servers(
        &mut self,
        asked: &Campaigning,
        job: &PlannedJob,
        dir: &Path,
    ) -> io::Result<Option<String>> {
        let all = asked.plan.file_systems[&job.fs].servers.filter(|_| self.servers.contains_key(&job.fs));
        let Some(servers) = job.servers.or(all) else { return Ok(None) };
        let mut shell = Shell::new(asked, dir, "servers", job.timeout_s);
        self.serve(&mut shell, &job.fs, servers)
    }

    /// Runs the commands of `job`, whose directory is `files`; gives why it is not to be started, if so.
    pub(super) fn commands(
        asked: &Campaigning,
        job: &PlannedJob,
        files: &Path,
        dir: &Path,
    ) -> io::Result<Option<String>> {
        let mut shell = Shell::new(asked, dir, "setup", job.timeout_s);
        for command in &job.setup {
            let command = command.replace("{dir}", &files.to_string_lossy());
            if let Err(why) = shell.run(&command)? {
                return Ok(Some(format!("setup: {why}")));
            }
        }
        Ok(None)
    }

    /// Has so many servers serve, and counts them.
    fn serve(&mut self, shell: &mut Shell<'_>, fs: &str, servers: u32) -> io::Result<Option<String>> {
        let found = &shell.asked.plan.file_systems[fs];
        let (Some(set), Some(count)) = (&found.set_servers, &found.count_servers) else { return Ok(None) };
        let (set, count) = (&placed(shell.asked, fs, set), &placed(shell.asked, fs, count));
        if self.servers.get(fs) != Some(&servers) {
            if let Err(why) = shell.run(&set.replace("{servers}", &servers.to_string()))? {
                return Ok(Some(format!("fs.{fs}: {servers} servers could not be set: {why}")));
            }
            self.servers.insert(fs.to_owned(), servers);
        }
        Ok(match shell.run(count)? {
            Err(why) => Some(format!("fs.{fs}: servers could not be counted: {why}")),
            Ok(printed) if printed.trim().parse() == Ok(servers) => None,
            Ok(printed) => {
                let printed = printed.trim();
                Some(format!("fs.{fs}: {servers} servers were set, and `{count}` says `{printed}`"))
            }
        })
    }

    /// Has all servers serve again where some were taken off; gives what went wrong with that.
    pub(super) fn restore(&mut self, asked: &Campaigning) -> io::Result<Vec<String>> {
        let mut troubles = Vec::new();
        for (fs, servers) in std::mem::take(&mut self.servers) {
            let found = &asked.plan.file_systems[&fs];
            let (Some(all), Some(set)) = (found.servers, &found.set_servers) else { continue };
            if servers == all {
                continue;
            }
            let dir = tempdir()?;
            let mut shell = Shell::new(asked, &dir, "servers", RESTORE_S);
            let set = placed(asked, &fs, set);
            if let Err(why) = shell.run(&set.replace("{servers}", &all.to_string()))? {
                troubles.push(format!("fs.{fs}: its {all} servers could not be brought back: {why}"));
            }
            fs::remove_dir_all(&dir)?;
        }
        Ok(troubles)
    }
}

/// A hook with the directory of its file system in the place of `{dir}`.
fn placed(asked: &Campaigning, fs: &str, hook: &str) -> String {
    let given = asked.dir.as_deref().unwrap_or(Path::new(""));
    let dir = asked.plan.file_systems[fs].dir.replace("{dir}", &given.to_string_lossy());
    let whole = fs::canonicalize(&dir).map_or(dir, |whole| whole.to_string_lossy().into_owned());
    hook.replace("{dir}", &whole)
}

/// How long bringing all servers back may take, seconds.
const RESTORE_S: f64 = 600.0;

/// A directory of this process's own.
fn tempdir() -> io::Result<std::path::PathBuf> {
    let dir = std::env::temp_dir().join(format!("assay-restore-{}", std::process::id()));
    fs::create_dir(&dir)?;
    Ok(dir)
}

/// Runs commands of the shell in one directory.
struct Shell<'a> {
    asked: &'a Campaigning,
    dir: &'a Path,
    /// What its files in `dir` begin with.
    name: &'a str,
    timeout_s: f64,
    commands: u32,
}

impl<'a> Shell<'a> {
    fn new(asked: &'a Campaigning, dir: &'a Path, name: &'a str, timeout_s: f64) -> Self {
        Self { asked, dir, name, timeout_s, commands: 0 }
    }

    /// What the command printed, or how it ended with the last line of what it said.
    fn run(&mut self, command: &str) -> io::Result<Result<String, String>> {
        self.commands += 1;
        let name = format!("{}-{}", self.name, self.commands);
        let prepared = Prepared::shell(self.asked, command, self.dir, &name, self.timeout_s);
        // One that is stopped says so by itself: the job is not started either.
        let ended = prepared.run(&self.asked.stop)?;
        let text = |kind: &str| {
            fs::read(self.dir.join(format!("{name}.{kind}.txt")))
                .map(|text| String::from_utf8_lossy(&text).into_owned())
        };
        Ok(match ended {
            Some((JobEnd::Exit(0), _)) => Ok(text("stdout")?),
            None => Err(format!("`{command}` was stopped")),
            Some((end, _)) => {
                let said = text("stderr")?;
                let last = said.lines().last().map(|line| format!(": {line}")).unwrap_or_default();
                Err(format!("`{command}` {}{last}", judge::how(&end)))
            }
        })
    }
}
