//! Where a campaign works: its folder of evidence, and one directory per file system for its files.
//!
//! Invariant: only directories that this campaign made are removed; a mark in each says so.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use results::folder::{self, CampaignInfo, FileSystemFacts, Machine, Resumed, names};
use units::Usage;

use super::ask;
use super::kept::KeptDatasets;
use super::own::{
    MARK, is_empty, is_own, make_data, make_marked, mark, remove_own_directories, take_hold, unmade,
};
use super::room::{room, room_beside};
use super::{CampaignRequest, Trouble, rejected};
use crate::inherited_lock::InheritedLock;
use crate::launch::{self, Surroundings};
use crate::machine::{Hashes, file_system, is_there, launcher, machine, now, recorded};
use crate::path_error::{gone, named};
use plan::launcher::Nodes;
use plan::schedule::{self, PlannedJob};
use plan::{Choice, Plan};

/// The places of one campaign.
pub(super) struct CampaignSite {
    /// Who runs which plan.
    pub(super) info: CampaignInfo,
    /// The directory under test of each file system.
    pub(super) dirs: Vec<(String, PathBuf)>,
    /// What was done before a campaign goes on.
    pub(super) resumed: Resumed,
    /// Hashes of libraries that jobs loaded.
    pub(super) hashes: Hashes,
    /// The nodes that jobs may run on.
    pub(super) nodes: Nodes,
    /// The datasets that are kept.
    pub(super) kept: KeptDatasets,
    mark: String,
    hold: InheritedLock,
}

impl CampaignSite {
    /// Makes the places of a new campaign, after everything that could reject it has been asked.
    pub(super) fn make(asked: &CampaignRequest) -> Result<Self, Trouble> {
        let jobs = schedule::jobs(&asked.plan, &asked.only)?;
        let nodes = launch::for_jobs(&asked.plan.launch, &asked.plan.clients, &asked.around, &jobs)?;
        has_launcher(asked)?;
        let dirs = dirs(&asked.plan, asked.dir.as_deref())?;
        let kept = KeptDatasets::take(asked, &jobs, &dirs)?;
        let (info, mark) = match Self::prepared(asked, &kept.beside(&jobs), &dirs) {
            Ok(prepared) => prepared,
            Err(rejected) => {
                kept.leave();
                return Err(rejected);
            }
        };
        let hold = take_hold(&asked.folder)?;
        let resumed = Resumed::default();
        let hashes = Hashes::default();
        let site = Self { mark, info, dirs, nodes, resumed, hashes, kept, hold };
        folder::write_machine(&asked.folder, names::BEFORE, &machine(&site.dirs))?;
        Ok(site)
    }

    /// Makes the directories for files and the folder, where there is room for what the jobs leave.
    fn prepared(
        asked: &CampaignRequest,
        jobs: &[PlannedJob],
        dirs: &[(String, PathBuf)],
    ) -> Result<(CampaignInfo, String), Trouble> {
        let beside = schedule::beside_states(jobs);
        for (name, dir) in dirs {
            let (fs, quota) = (file_system(name, dir)?, ask::quota(asked, name)?.map_err(Usage)?);
            room(&fs, quota, dir, schedule::needs(jobs).get(name).copied().unwrap_or_default())?;
            let states = beside.iter().map(|(state, peak_bytes)| (&asked.plan.states[*state], *peak_bytes));
            for (state, peak_bytes) in states.filter(|(state, _)| state.fs == *name) {
                room_beside(state, &fs, quota, peak_bytes)?;
            }
            tells_what_is_down(asked, jobs, &fs)?;
        }
        let mut info = info(asked)?;
        if asked.folder.exists() && !is_empty(&asked.folder) {
            let folder = asked.folder.display();
            return rejected(format!(
                "{folder} exists; resume that campaign with --resume, or choose another place"
            ));
        }
        let mark = mark(&info);
        let made = make_data(asked, dirs, &mut info, &mark).and_then(|()| {
            let made = folder::create(&asked.folder, &info, &asked.plan.text);
            made.map_err(|error| unmade(&asked.folder, &error))
        });
        if let Err(rejected) = made {
            remove_own_directories(&info, &mark);
            return Err(rejected.into());
        }
        Ok((info, mark))
    }

    /// Finds the places of a campaign that was stopped, and sets aside what its last job left.
    pub(super) fn find(asked: &CampaignRequest) -> Result<Self, Trouble> {
        let at = asked.folder.display();
        let info = folder::load(&asked.folder)
            .map_err(|error| Usage(format!("{at} is no campaign that can be resumed: {error}")))?
            .info;
        if info.plan_sha256 != folder::sha256(asked.plan.text.as_bytes()) {
            return rejected(format!(
                "{at} was begun with another text of the plan; resume it with its own {at}/plan.toml"
            ));
        }
        if Choice::of(&info) != asked.plan.choice {
            return rejected(format!(
                "{at} was begun with other values of the plan's parameters; resume it without any"
            ));
        }
        if info.tool_sha256 != folder::sha256_of(&asked.program)? {
            return rejected(format!(
                "{at} was begun by another build of {}; one campaign has one program",
                info.tool
            ));
        }
        let hold = take_hold(&asked.folder)?;
        let checked = folder::check(&asked.folder)?;
        if checked.ended && checked.faults.is_empty() {
            return rejected(format!(
                "{at} has ended, nothing is left to resume; `assay judge {at}` shows its verdicts"
            ));
        }
        // Those of the hostfile stay those it named at the beginning.
        let hostfile = Some(info.hosts.clone()).filter(|hosts| !hosts.is_empty());
        let around = Surroundings { hostfile, ..asked.around.clone() };
        let jobs = schedule::jobs(&asked.plan, &info.only)?;
        let nodes = launch::for_jobs(&asked.plan.launch, &asked.plan.clients, &around, &jobs)?;
        has_launcher(asked)?;
        let dirs = info.data.iter();
        let dirs = dirs.filter_map(|(fs, data)| Some((fs.clone(), Path::new(data).parent()?.to_owned())));
        let dirs: Vec<(String, PathBuf)> = dirs.collect();
        let kept = KeptDatasets::take(asked, &jobs, &dirs)?;
        let resumed =
            folder::resume(&asked.folder, &|job| beside(&jobs, job)).map_err(|error| match error.kind() {
                io::ErrorKind::InvalidData => Trouble::Usage(Usage(format!(
                    "{at} is not what the campaign left, so it does not go on: {error}; `assay verify {at}` \
                     names all"
                ))),
                _ => Trouble::Io(error),
            })?;
        let (mark, hashes) = (mark(&info), Hashes::default());
        let site = Self { mark, dirs, nodes, info, resumed, hashes, kept, hold };
        if !asked.folder.join(names::BEFORE).exists() {
            folder::write_machine(&asked.folder, names::BEFORE, &machine(&site.dirs))?;
        }
        Ok(site)
    }

    /// Has jobs that are started from now on inherit the campaign's locks, or nothing.
    pub(super) fn lend(&self, lent: bool) -> io::Result<()> {
        self.hold.lend(lent)?;
        self.kept.lend(lent)
    }

    /// Leaves the campaign's locks to a job that lives on, so that nobody goes on beside it.
    pub(super) fn outlived(&self) {
        self.hold.leave();
        self.kept.outlived();
    }

    /// The directory of the job's files; made anew where the job makes its files, so that nothing of
    /// an attempt that was killed is found in it.
    pub(super) fn make_files(&self, job: &PlannedJob) -> Result<(), Trouble> {
        let data = self.data(job)?;
        let files = data.join(&job.files);
        if job.makes_files {
            gone(fs::remove_dir_all(&files), &files)?;
            if !self.kept.lay(&job.files, &files)? {
                fs::create_dir_all(&files).map_err(|error| named(&files, &error))?;
            }
        }
        for needed in std::iter::once(&job.files).chain(&job.states).map(|needed| data.join(needed)) {
            if let Err(error) = needed.metadata()
                && error.kind() != io::ErrorKind::NotFound
            {
                return Err(named(&needed, &error).into());
            }
            if !needed.is_dir() {
                return rejected(format!(
                    "{} needs what earlier jobs left in {}, which is gone; begin the campaign again, and see \
                     what this one has measured with `assay judge`",
                    job.folder,
                    needed.display()
                ));
            }
        }
        Ok(())
    }

    /// The path of that directory, whatever there is.
    pub(super) fn files_path(&self, job: &PlannedJob) -> PathBuf {
        self.info.data.get(&job.fs).map(Path::new).unwrap_or(Path::new("")).join(&job.files)
    }

    /// Removes a directory of files on the job's file system, if it is there; of a link only the link.
    pub(super) fn remove_files(&self, job: &PlannedJob, files: &str) -> Result<(), Trouble> {
        // A campaign that was killed at its very end has removed all of it already.
        if self.info.data.get(&job.fs).is_some_and(|data| !Path::new(data).exists()) {
            return Ok(());
        }
        self.kept.put_away(files)?;
        let files = self.data(job)?.join(files);
        Ok(gone(fs::remove_dir_all(&files), &files)?)
    }

    /// Removes the directories for files as far as they are empty; what others put there stays.
    pub(super) fn remove_own_directories(&self) {
        self.kept.leave();
        remove_own_directories(&self.info, &self.mark);
    }

    /// The directory for files on the job's file system, proven to be this campaign's own. One that
    /// somebody took away is made anew: what is missing in it is told by whoever needs it.
    fn data(&self, job: &PlannedJob) -> Result<&Path, Trouble> {
        let data = self.info.data.get(&job.fs).map(Path::new).unwrap_or(Path::new(""));
        if data.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            make_marked(data, &self.mark).map_err(|error| unmade(data, &error))?;
        } else if is_empty(data) {
            fs::write(data.join(MARK), &self.mark).map_err(|error| unmade(data, &error))?;
        }
        if !is_own(data, &self.mark) {
            // The mark may lie on a server that is down; nothing is touched, and other file systems go on.
            let mark = data.join(MARK);
            let what = match fs::read(&mark) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => named(&mark, &error),
                _ => io::Error::other(format!(
                    "{} does not say that this campaign made it; nothing is touched",
                    mark.display()
                )),
            };
            return Err(what.into());
        }
        Ok(data)
    }
}

/// Rejects states in which something of the file system is down, where nothing would tell that it is.
fn tells_what_is_down(
    asked: &CampaignRequest,
    jobs: &[PlannedJob],
    fs: &FileSystemFacts,
) -> Result<(), Usage> {
    if !fs.targets.is_empty() || asked.plan.file_systems[&fs.name].health.is_some() {
        return Ok(());
    }
    match jobs.iter().find_map(|job| job.down.filter(|_| job.fs == fs.name)) {
        None => Ok(()),
        Some(state) => Err(Usage(format!(
            "{}: fs.{} does not tell what of it is down; give it a `health` command",
            asked.plan.states[state].job(),
            fs.name
        ))),
    }
}

/// Who runs which plan, without where the files will lie.
fn info(asked: &CampaignRequest) -> io::Result<CampaignInfo> {
    let environment: BTreeMap<String, String> = asked.environment.iter().cloned().collect();
    let path = environment.get("PATH").map_or("", String::as_str);
    Ok(CampaignInfo {
        schema: folder::SCHEMA,
        plan: asked.plan.id.clone(),
        title: asked.plan.title.clone(),
        source: asked.plan.source.clone(),
        plan_sha256: folder::sha256(asked.plan.text.as_bytes()),
        tool: asked.tool.clone(),
        tool_sha256: folder::sha256_of(&asked.program)?,
        argv: asked.argv.clone(),
        started: now(),
        dir: asked.dir.as_ref().map(|dir| dir.to_string_lossy().into_owned()).unwrap_or_default(),
        data: BTreeMap::new(),
        scale: asked.plan.choice.scale.clone(),
        set: asked.plan.choice.set.clone(),
        only: asked.only.clone(),
        build: asked.build.clone(),
        launcher: asked.plan.launch.kind.program().and_then(|word| launcher(word, path)),
        env: recorded(&environment, &BTreeMap::new()),
        hosts: asked.around.hostfile.clone().unwrap_or_default(),
        exclude: asked.plan.clients.exclude.clone(),
        batch_script: asked.around.batch_script.clone(),
        findings: asked.findings.clone(),
    })
}

/// Says no where the launcher is not there, by which every job would fail.
fn has_launcher(asked: &CampaignRequest) -> Result<(), Usage> {
    let kind = &asked.plan.launch.kind;
    let own = |name: &str| asked.environment.iter().find(|(key, _)| key == name).map(|(_, value)| value);
    let path = asked.plan.launch.env.get("PATH").or_else(|| own("PATH")).map_or("", String::as_str);
    // What is no whole path is looked for from the job's folder.
    let program = kind.program().filter(|word| !word.contains('/') || word.starts_with('/'));
    match program.filter(|word| !is_there(word, path)) {
        None => Ok(()),
        Some(word) => Err(Usage(format!(
            "launch.kind `{}` starts jobs by `{word}`, and there is no such program{}; load its module, or \
             name its file in the plan",
            kind.name(),
            if word.contains('/') { "" } else { " on the PATH" }
        ))),
    }
}

/// The folder names of the jobs that run at once with this one.
fn beside(jobs: &[PlannedJob], folder: &str) -> Vec<String> {
    let at_once = jobs.iter().find(|job| job.folder == folder).and_then(|job| job.at_once.as_ref());
    let others = jobs.iter().filter(|job| at_once.is_some() && job.at_once.as_ref() == at_once);
    others.map(|job| job.folder.clone()).collect()
}

/// The machine as it is now, with the file systems that the plan tests, those in `dir` where it says so.
pub fn look(plan: &Plan, dir: Option<&Path>) -> Result<Machine, Trouble> {
    Ok(machine(&dirs(plan, dir)?))
}

/// The directory under test of each file system, proven to be one and of the type the plan names.
fn dirs(plan: &Plan, given: Option<&Path>) -> Result<Vec<(String, PathBuf)>, Trouble> {
    let mut dirs = Vec::new();
    for (name, fs) in &plan.file_systems {
        let dir = match given {
            Some(given) => fs.dir.replace("{dir}", &given.to_string_lossy()),
            None if fs.dir.contains("{dir}") => {
                return rejected(format!("plan {}: fs.{name} lies where you say; add --dir DIR", plan.id));
            }
            None => fs.dir.clone(),
        };
        let found = Path::new(&dir).canonicalize();
        let path = found.map_err(|error| Usage(format!("fs.{name}: {dir}: {error}; it must exist")))?;
        if !path.is_dir() {
            return rejected(format!("fs.{name}: {dir} is no directory"));
        }
        if path.to_string_lossy().contains(['@', ',', '#', '=']) {
            let what =
                "IOR gives `@`, `,`, `#` and `=` in a path a meaning of their own; choose another directory";
            return rejected(format!("fs.{name}: {dir}: {what}"));
        }
        let real = file_system(name, &path)?.kind;
        if let Some(kind) = fs.kind.as_ref().filter(|kind| **kind != real) {
            return rejected(format!("fs.{name}: {dir} lies on {real}, and the plan is about {kind}"));
        }
        dirs.push((name.clone(), path));
    }
    Ok(dirs)
}
