//! What the plan wants done before a job: servers brought on and off and counted, something taken down,
//! commands of a test.
//!
//! Each command is one of the shell, with a time limit, in the job's folder, which keeps what it printed.
//!
//! Invariant: how many serve is counted before every job that says how many, never assumed; what was taken
//! off or down is brought back at the end, however that comes, as long as this process lives. What an earlier
//! run of the campaign, or a command that failed, may have set is not known, and is set anew.
//! Never here: what the commands do.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use results::folder;

use super::shell::{CommandDirectory, Shell, placed};
use super::{CampaignRequest, Trouble};
use plan::StateKind;
use plan::schedule::{self, PlannedJob};

/// What was set before.
#[derive(Default)]
pub(super) struct Setup {
    /// How many servers were set to be on, by file system; `None` where that is not known.
    servers: BTreeMap<String, Option<u32>>,
    /// What was taken down, by file system.
    down: BTreeMap<String, DegradedState>,
}

/// A state in which something is down.
#[derive(Clone, Copy)]
struct DegradedState {
    /// Its place in the plan.
    state: usize,
    /// Whether its command came to its end.
    done: bool,
    /// Whether this run took it down; an earlier one may have brought it back.
    own: bool,
}

impl Setup {
    /// What is known where a campaign goes on: an earlier run may have been killed before it brought back
    /// what it had taken off or down, or meanwhile.
    pub(super) fn resumed(asked: &CampaignRequest) -> Result<Self, Trouble> {
        let loaded = folder::load(&asked.folder)?;
        let folders = loaded.jobs.iter().map(|job| &job.folder).chain(&loaded.killed);
        let begun: BTreeSet<&str> = folders.map(|path| folder::job_of(path)).collect();
        let jobs = schedule::jobs(&asked.plan, &loaded.info.only)?;
        let was_begun = |job: &&PlannedJob| begun.contains(folder::job_of(&job.folder));
        let begun: Vec<&PlannedJob> = jobs.iter().filter(was_begun).collect();
        let set = begun.iter().filter(|job| job.servers.is_some());
        let mut down = BTreeMap::new();
        // That of a job is restored when the next one has begun.
        for fs in asked.plan.file_systems.keys() {
            let last = begun.iter().rev().filter(|job| job.fs == *fs).take(2).find_map(|job| job.down);
            down.extend(last.map(|state| (fs.clone(), DegradedState { state, done: false, own: false })));
        }
        Ok(Self { servers: set.map(|job| (job.fs.clone(), None)).collect(), down })
    }

    /// Has the file system as `job` needs it: what is not to be down is brought back, as many servers serve
    /// as it says, or all again where it says nothing, and then what is to be down is taken down. Gives why
    /// the job is not to be started, if so. Its directory comes later: a file system may bind that to those
    /// that serve.
    pub(super) fn before(
        &mut self,
        asked: &CampaignRequest,
        job: &PlannedJob,
        dir: &Path,
    ) -> io::Result<Option<String>> {
        let there = self.down.get(&job.fs).copied();
        if let Some(there) = there.filter(|there| Some(there.state) != job.down) {
            let mut shell = Shell::new(asked, dir, "restore", asked.plan.states[there.state].timeout_s);
            if let Some(why) = self.restore_state(&mut shell, &job.fs, there.state)? {
                return Ok(Some(why));
            }
        }
        let all = asked.plan.file_systems[&job.fs].servers.filter(|_| self.servers.contains_key(&job.fs));
        if let Some(servers) = job.servers.or(all) {
            let mut shell = Shell::new(asked, dir, "servers", job.timeout_s);
            if let Some(why) = self.serve(&mut shell, &job.fs, servers)? {
                return Ok(Some(why));
            }
        }
        match job.down {
            Some(state) if !there.is_some_and(|there| there.state == state && there.done) => {
                let mut shell = Shell::new(asked, dir, "degrade", asked.plan.states[state].timeout_s);
                self.degrade(&mut shell, &job.fs, state)
            }
            _ => Ok(None),
        }
    }

    /// Runs the commands of `job`, whose directory is `files`; gives why it is not to be started, if so.
    pub(super) fn commands(
        asked: &CampaignRequest,
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
        if self.servers.get(fs) != Some(&Some(servers)) {
            self.servers.insert(fs.to_owned(), None);
            if let Err(why) = shell.run(&set.replace("{servers}", &servers.to_string()))? {
                return Ok(Some(format!("fs.{fs}: {servers} servers could not be set: {why}")));
            }
            self.servers.insert(fs.to_owned(), Some(servers));
        }
        let why = match shell.run(count)? {
            Ok(printed) if printed.trim().parse() == Ok(servers) => return Ok(None),
            Err(why) => format!("fs.{fs}: servers could not be counted: {why}"),
            Ok(printed) => {
                let printed = printed.trim();
                format!("fs.{fs}: {servers} servers were set, and `{count}` says `{printed}`")
            }
        };
        self.servers.insert(fs.to_owned(), None);
        Ok(Some(why))
    }

    /// Takes down what a state says.
    fn degrade(&mut self, shell: &mut Shell<'_>, fs: &str, state: usize) -> io::Result<Option<String>> {
        let state_of_plan = &shell.asked.plan.states[state];
        let StateKind::Degrade { degrade, .. } = &state_of_plan.kind else { return Ok(None) };
        // Whatever comes of the command, it is brought back.
        self.down.insert(fs.to_owned(), DegradedState { state, done: false, own: true });
        if let Err(why) = shell.run(&placed(shell.asked, fs, degrade))? {
            return Ok(Some(format!("{} could not be made: {why}", state_of_plan.job())));
        }
        self.down.insert(fs.to_owned(), DegradedState { state, done: true, own: true });
        Ok(None)
    }

    /// Brings back what a state took down; it stays noted where that fails. Where an earlier run may have
    /// done so, a command that finds nothing to do may fail: what is down is asked before the job anyway.
    fn restore_state(&mut self, shell: &mut Shell<'_>, fs: &str, state: usize) -> io::Result<Option<String>> {
        let state = &shell.asked.plan.states[state];
        let StateKind::Degrade { restore, .. } = &state.kind else { return Ok(None) };
        let own = self.down.get(fs).is_some_and(|down| down.own);
        if let Err(why) = shell.run(&placed(shell.asked, fs, restore))?
            && own
        {
            return Ok(Some(format!("fs.{fs}: {} could not be restored: {why}", state.job())));
        }
        self.down.remove(fs);
        Ok(None)
    }

    /// Has all servers serve again where some were taken off or that is not known, and brings back what was
    /// taken down, also where the campaign is to stop; gives what went wrong with that.
    pub(super) fn restore(&mut self, asked: &CampaignRequest) -> io::Result<Vec<String>> {
        let mut troubles = Vec::new();
        let never = AtomicBool::new(false);
        let commands = self.down.len() + self.servers.len();
        let most = match asked.stop.load(Ordering::Relaxed) {
            true => HURRIED_S / commands.max(1) as f64,
            false => f64::INFINITY,
        };
        for (fs, down) in self.down.clone() {
            let aside = CommandDirectory::make()?;
            let timeout_s = asked.plan.states[down.state].timeout_s.min(most);
            let mut shell = Shell::new(asked, aside.dir(), "restore", timeout_s).heeding(&never);
            troubles.extend(self.restore_state(&mut shell, &fs, down.state)?);
        }
        for (fs, servers) in std::mem::take(&mut self.servers) {
            let Some(all) = asked.plan.file_systems[&fs].servers.filter(|all| servers != Some(*all)) else {
                continue;
            };
            let aside = CommandDirectory::make()?;
            let mut shell = Shell::new(asked, aside.dir(), "servers", RESTORE_S.min(most)).heeding(&never);
            if let Some(why) = self.serve(&mut shell, &fs, all)? {
                troubles.push(format!("{why}; its {all} servers could not be brought back"));
            }
        }
        Ok(troubles)
    }
}

/// How long each command that brings all servers back may take, seconds.
const RESTORE_S: f64 = 600.0;
/// How long all that is brought back may take where the campaign is to stop: less than the notice that a
/// batch system gives.
const HURRIED_S: f64 = 90.0;
