//! Preparations of the plan before a job. Servers are brought online or taken offline and counted, a part of
//! the file system is degraded, and the commands of a test run.
//!
//! Each is a shell command with a time limit. It runs in the folder of the job, which keeps its output.
//!
//! Invariant: the number of online servers is counted before every job that sets one, and never assumed. What
//! was taken offline is restored at the end, as long as this process lives. Settings that an earlier run of
//! the campaign or a failed command may have left are unknown, so they are set again.
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
use units::several;

/// The settings that earlier jobs made.
#[derive(Default)]
pub(super) struct Setup {
    /// The number of servers that were set online, by file system; `None` if it is not known.
    servers: BTreeMap<String, Option<u32>>,
    /// The degraded states, by file system.
    down: BTreeMap<String, DegradedState>,
}

/// A state in which a part of the file system is offline.
#[derive(Clone, Copy)]
struct DegradedState {
    /// Its place in the plan.
    state: usize,
    /// Whether its `degrade` command succeeded.
    done: bool,
    /// Whether this run degraded it. An earlier run may already have restored it.
    own: bool,
}

impl Setup {
    /// The settings when a campaign resumes. An earlier run may have been killed before or while it restored
    /// the file system.
    pub(super) fn resumed(asked: &CampaignRequest) -> Result<Self, Trouble> {
        let loaded = folder::load(&asked.folder)?;
        let folders = loaded.jobs.iter().map(|job| &job.folder).chain(&loaded.killed);
        let begun: BTreeSet<&str> = folders.map(|path| folder::job_of(path)).collect();
        let jobs = schedule::jobs(&asked.plan, &loaded.info.only)?;
        let was_begun = |job: &&PlannedJob| begun.contains(folder::job_of(&job.folder));
        let begun: Vec<&PlannedJob> = jobs.iter().filter(was_begun).collect();
        let set = begun.iter().filter(|job| job.servers.is_some());
        let mut down = BTreeMap::new();
        // The state of a job is restored when the next job has started.
        for fs in asked.plan.file_systems.keys() {
            let last = begun.iter().rev().filter(|job| job.fs == *fs).take(2).find_map(|job| job.down);
            down.extend(last.map(|state| (fs.clone(), DegradedState { state, done: false, own: false })));
        }
        Ok(Self { servers: set.map(|job| (job.fs.clone(), None)).collect(), down })
    }

    /// Prepares the file system for `job`: restores what must not be offline, sets the number of servers, and
    /// then degrades what must be offline. A job without a number of servers gets all of them. Returns the
    /// reason if the job must not start. The directory of the job comes later, because a file system may
    /// place it on the servers that are online.
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

    /// Runs the commands of `job`, whose directory is `files`. Returns the reason if the job must not start.
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

    /// Sets the number of online servers and counts them.
    fn serve(&mut self, shell: &mut Shell<'_>, fs: &str, servers: u32) -> io::Result<Option<String>> {
        let found = &shell.asked.plan.file_systems[fs];
        let (Some(set), Some(count)) = (&found.set_servers, &found.count_servers) else { return Ok(None) };
        let (set, count) = (&placed(shell.asked, fs, set), &placed(shell.asked, fs, count));
        if self.servers.get(fs) != Some(&Some(servers)) {
            self.servers.insert(fs.to_owned(), None);
            if let Err(why) = shell.run(&set.replace("{servers}", &servers.to_string()))? {
                return Ok(Some(format!("fs.{fs}: the `set_servers` command failed: {why}")));
            }
            self.servers.insert(fs.to_owned(), Some(servers));
        }
        let why = match shell.run(count)? {
            Ok(printed) if printed.trim().parse() == Ok(servers) => return Ok(None),
            Err(why) => format!("fs.{fs}: the `count_servers` command failed: {why}"),
            Ok(printed) => {
                let printed = printed.trim();
                let set = several(servers.into(), "server");
                format!("fs.{fs}: {set} should be online, but `{count}` printed `{printed}`")
            }
        };
        self.servers.insert(fs.to_owned(), None);
        Ok(Some(why))
    }

    /// Degrades the file system as a state requires.
    fn degrade(&mut self, shell: &mut Shell<'_>, fs: &str, state: usize) -> io::Result<Option<String>> {
        let state_of_plan = &shell.asked.plan.states[state];
        let StateKind::Degrade { degrade, .. } = &state_of_plan.kind else { return Ok(None) };
        // It is restored later, even if the command fails.
        self.down.insert(fs.to_owned(), DegradedState { state, done: false, own: true });
        if let Err(why) = shell.run(&placed(shell.asked, fs, degrade))? {
            return Ok(Some(format!("{}: the `degrade` command failed: {why}", state_of_plan.job())));
        }
        self.down.insert(fs.to_owned(), DegradedState { state, done: true, own: true });
        Ok(None)
    }

    /// Restores a state. If that fails, the state stays noted. If an earlier run may have restored it, a
    /// failed command is ignored: the `health` command before the job shows what is offline anyway.
    fn restore_state(&mut self, shell: &mut Shell<'_>, fs: &str, state: usize) -> io::Result<Option<String>> {
        let state = &shell.asked.plan.states[state];
        let StateKind::Degrade { restore, .. } = &state.kind else { return Ok(None) };
        let own = self.down.get(fs).is_some_and(|down| down.own);
        if let Err(why) = shell.run(&placed(shell.asked, fs, restore))?
            && own
        {
            return Ok(Some(format!("fs.{fs}: the `restore` command of {} failed: {why}", state.job())));
        }
        self.down.remove(fs);
        Ok(None)
    }

    /// Brings all servers online again if some are offline or that is not known, and restores degraded
    /// states, even if the campaign must stop. Returns what failed.
    pub(super) fn restore(&mut self, asked: &CampaignRequest) -> io::Result<Vec<String>> {
        let mut troubles = Vec::new();
        let never = AtomicBool::new(false);
        let commands = self.down.len() + self.servers.len();
        let most = match asked.stop.load(Ordering::Relaxed) {
            true => STOP_RESTORE_S / commands.max(1) as f64,
            false => f64::INFINITY,
        };
        for (fs, down) in self.down.clone() {
            let aside = CommandDirectory::make()?;
            let timeout_s = asked.plan.states[down.state].timeout_s.min(most);
            let mut shell = Shell::new(asked, aside.dir(), "restore", timeout_s).stopped_by(&never);
            troubles.extend(self.restore_state(&mut shell, &fs, down.state)?);
        }
        for (fs, servers) in std::mem::take(&mut self.servers) {
            let Some(all) = asked.plan.file_systems[&fs].servers.filter(|all| servers != Some(*all)) else {
                continue;
            };
            let aside = CommandDirectory::make()?;
            let mut shell = Shell::new(asked, aside.dir(), "servers", RESTORE_S.min(most)).stopped_by(&never);
            if let Some(why) = self.serve(&mut shell, &fs, all)? {
                let all = several(all.into(), "server");
                troubles.push(format!("{why}. Bring {all} of fs.{fs} online by hand."));
            }
        }
        Ok(troubles)
    }
}

/// The time limit of each command that brings all servers online, seconds.
const RESTORE_S: f64 = 600.0;
/// The time limit of the whole restoration if the campaign must stop, seconds. It is shorter than the notice
/// of a batch system.
const STOP_RESTORE_S: f64 = 90.0;
