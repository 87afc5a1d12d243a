//! The places of a campaign: its folder, and one directory per file system for its files.
//!
//! Invariant: only directories that this campaign created are removed. A mark in each identifies them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use results::folder::{self, CampaignInfo, CampaignProcess, EarlierCampaign, Machine, Resumed, names};
use units::Usage;

use super::again;
use super::ask;
use super::beside::CampaignsBeside;
use super::handed_out::HashReceiver;
use super::hosts::{self, Hosts};
use super::kept::KeptDatasets;
use super::ownership::{
    MARK, is_empty, is_own, lock, lost_mark, make_data, make_marked, mark, not_created, not_created_again,
    remove_own_directories, write_mark,
};
use super::rejections::{check_extension, check_health_is_reported, check_launcher, check_same};
use super::space::{check_space, check_state_space};
use super::{CampaignRequest, Trouble, rejected};
use crate::inherited_lock::InheritedLock;
use crate::launch::{self, Surroundings};
use crate::machine::{Hashes, file_system, launcher, local, machine, now, placed, recorded};
use crate::path_error::{gone, named};
use crate::process::this_process;
use plan::launcher::Nodes;
use plan::schedule::{self, PlannedJob};
use plan::{Choice, Plan};

/// The places of one campaign.
pub(super) struct CampaignSite {
    /// The campaign and its plan.
    pub(super) info: CampaignInfo,
    /// The directory under test of each file system.
    pub(super) dirs: Vec<(String, PathBuf)>,
    /// What was done before the campaign resumed.
    pub(super) resumed: Resumed,
    /// Hashes of libraries that jobs loaded.
    pub(super) hashes: Hashes,
    /// The nodes that jobs may run on.
    pub(super) nodes: Nodes,
    /// The hosts that are reached by ssh.
    pub(super) hosts: Option<Hosts>,
    /// The kept datasets.
    pub(super) kept: KeptDatasets,
    /// The witness.
    pub(super) receiver: HashReceiver,
    /// This process.
    pub(super) process: CampaignProcess,
    mark: String,
    hold: InheritedLock,
    /// Other campaigns in the same directories.
    pub(super) beside: CampaignsBeside,
}

/// The nodes for the jobs that the launcher of the plan starts. Local jobs of single tests need none.
fn nodes(asked: &CampaignRequest, around: &Surroundings, jobs: &[PlannedJob]) -> Result<Nodes, Usage> {
    let plan = &asked.plan;
    let is_launched = |job: &&PlannedJob| plan.launch_for(job).kind.name() == plan.launch.kind.name();
    let launched: Vec<PlannedJob> = jobs.iter().filter(is_launched).cloned().collect();
    let nodes = launch::for_jobs(&plan.launch, &plan.clients, around, &launched)?;
    let launcher = hosts::launcher(asked).filter(|_| plan.launch.kind.is_over_ssh());
    Ok(Nodes { launcher: launcher.map(|file| file.to_string_lossy().into_owned()), ..nodes })
}

impl CampaignSite {
    /// Creates the places of a new campaign, after all checks that could reject it.
    pub(super) fn make(asked: &CampaignRequest) -> Result<Self, Trouble> {
        let jobs = schedule::jobs(&asked.plan, &asked.only)?;
        let mut nodes = nodes(asked, &asked.around, &jobs)?;
        check_launcher(asked)?;
        let dirs = dirs(&asked.plan, asked.dir.as_deref())?;
        check_placed(&jobs, &dirs)?;
        let hosts = Hosts::reach(asked, &mut nodes, &dirs)?;
        let kept = KeptDatasets::take(asked, &jobs, &dirs)?;
        let (info, mark) = match Self::prepared(asked, &kept.space_needed(&jobs), &dirs) {
            Ok(prepared) => prepared,
            Err(rejected) => {
                kept.leave();
                return Err(rejected);
            }
        };
        let hold = lock(&asked.folder)?;
        let resumed = Resumed::default();
        let hashes = Hashes::default();
        let receiver = HashReceiver::begin(asked, info.nonce())?;
        let process = this_process();
        let beside = CampaignsBeside::default();
        let site =
            Self { mark, info, dirs, nodes, hosts, resumed, hashes, kept, receiver, process, hold, beside };
        site.write_machine_before(asked)?;
        Ok(site)
    }

    /// Creates the directories for files and the folder, if there is enough free space for the jobs.
    fn prepared(
        asked: &CampaignRequest,
        jobs: &[PlannedJob],
        dirs: &[(String, PathBuf)],
    ) -> Result<(CampaignInfo, String), Trouble> {
        let state_peaks = schedule::beside_states(jobs);
        for (name, dir) in dirs {
            let (fs, quota) = (file_system(name, dir)?, ask::quota(asked, name)?.map_err(Usage)?);
            check_space(&fs, quota, dir, jobs)?;
            for (state, peak_bytes, test) in &state_peaks {
                let state = &asked.plan.states[*state];
                if state.fs == *name {
                    check_state_space(state, &fs, quota, (*peak_bytes, test))?;
                }
            }
            check_health_is_reported(asked, jobs, &fs)?;
        }
        let mut info = info(asked)?;
        info.earlier = earlier(asked, dirs);
        if asked.folder.exists() && !is_empty(&asked.folder) {
            let folder = asked.folder.display();
            return rejected(format!(
                "{folder} exists. Resume its campaign with `assay run --resume {folder}`, or choose another \
                 folder."
            ));
        }
        let mark = mark(&info);
        let made = make_data(asked, dirs, &mut info, &mark).and_then(|()| {
            let made = folder::create(&asked.folder, &info, &asked.plan.text);
            made.map_err(|error| not_created(&asked.folder, &error))
        });
        if let Err(rejected) = made {
            remove_own_directories(&info, &mark);
            return Err(rejected.into());
        }
        Ok((info, mark))
    }

    /// Finds the places of a stopped campaign, and sets the rest of its last job aside.
    pub(super) fn find(asked: &CampaignRequest) -> Result<Self, Trouble> {
        let at = asked.folder.display();
        let campaign = folder::load(&asked.folder)
            .map_err(|error| Usage(format!("{at} is not a campaign that can be resumed: {error}")))?;
        let mut choice = Choice::of(&campaign);
        choice.extensions.extend(asked.extend.clone());
        let info = campaign.info.clone();
        check_same(asked, &info, &choice)?;
        let hold = lock(&asked.folder)?;
        let checked = folder::check(&asked.folder)?;
        match &asked.extend {
            Some(extension) => check_extension(asked, &info, &checked, extension)?,
            None if checked.ended && checked.faults.is_empty() => {
                return rejected(format!(
                    "{at} has ended, so nothing is left to resume. To see its verdicts, run `assay judge \
                     {at}`. To add repetitions, use --extend."
                ));
            }
            None => {}
        }
        // The hosts of the hostfile stay those of the first run.
        let hostfile = Some(info.hosts.clone()).filter(|hosts| !hosts.is_empty());
        let around = Surroundings { hostfile, ..asked.around.clone() };
        let jobs = schedule::jobs(&asked.plan, &info.only)?;
        let mut nodes = nodes(asked, &around, &jobs)?;
        check_launcher(asked)?;
        let dirs = info.data.iter();
        let dirs = dirs.filter_map(|(fs, data)| Some((fs.clone(), Path::new(data).parent()?.to_owned())));
        let dirs: Vec<(String, PathBuf)> = dirs.collect();
        check_placed(&jobs, &dirs)?;
        let hosts = Hosts::reach(asked, &mut nodes, &dirs)?;
        let kept = KeptDatasets::take(asked, &jobs, &dirs)?;
        if let Some(mut extension) = asked.extend.clone() {
            again::choose(&jobs, &campaign, &mut extension)?;
            Self::check_space_of_look(asked, &jobs, &dirs)?;
            folder::extend(&asked.folder, &extension)?;
        }
        let resumed = folder::resume(&asked.folder, &|job| group_of(&jobs, job)).map_err(
            |error| match error.kind() {
                io::ErrorKind::InvalidData => Trouble::Usage(Usage(format!(
                    "{at} is not intact, so the campaign cannot resume: {error}. To list all differences, \
                     run `assay verify {at}`."
                ))),
                _ => Trouble::Io(error),
            },
        )?;
        let (mark, hashes) = (mark(&info), Hashes::default());
        let receiver = HashReceiver::begin(asked, info.nonce())?;
        let process = this_process();
        let beside = CampaignsBeside::default();
        let site =
            Self { mark, info, dirs, nodes, hosts, resumed, hashes, kept, receiver, process, hold, beside };
        if !asked.folder.join(names::BEFORE).exists() {
            site.write_machine_before(asked)?;
        }
        Ok(site)
    }

    fn write_machine_before(&self, asked: &CampaignRequest) -> io::Result<()> {
        let hosts = self.hosts.as_ref().map(|hosts| hosts.facts.clone()).unwrap_or_default();
        folder::write_machine(&asked.folder, names::BEFORE, &Machine { hosts, ..machine(&self.dirs) })
    }

    /// Rejects the jobs of the last look if they need more space than there is.
    fn check_space_of_look(
        asked: &CampaignRequest,
        jobs: &[PlannedJob],
        dirs: &[(String, PathBuf)],
    ) -> Result<(), Trouble> {
        let before = folder::load(&asked.folder)?.jobs.iter().map(|job| job.info.number).max().unwrap_or(0);
        let new: Vec<PlannedJob> = jobs.iter().filter(|job| job.number > before).cloned().collect();
        for (name, dir) in dirs {
            let (fs, quota) = (file_system(name, dir)?, ask::quota(asked, name)?.map_err(Usage)?);
            check_space(&fs, quota, dir, &new)?;
        }
        Ok(())
    }

    /// Lets jobs that are started from now on inherit the locks of the campaign, or not.
    pub(super) fn lend(&self, lent: bool) -> io::Result<()> {
        self.hold.lend(lent)?;
        self.kept.lend(lent)
    }

    /// Leaves the locks of the campaign to a job that is still alive, so that no other process resumes it.
    pub(super) fn outlived(&self) {
        self.hold.leave();
        self.kept.outlived();
    }

    /// The directory of the job's files. It is created again if the job creates its files, so that it
    /// contains nothing of a killed attempt.
    pub(super) fn make_files(&self, job: &PlannedJob) -> Result<(), Trouble> {
        let data = self.data(job)?;
        let files = data.join(&job.files);
        if job.makes_files {
            gone(fs::remove_dir_all(&files), &files)?;
            if !self.kept.link(&job.files, &files)? {
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
                    "{} needs the files of earlier jobs in {}, but this directory is missing. Start a new \
                     campaign. To see what this one measured, use `assay judge`.",
                    job.folder,
                    needed.display()
                ));
            }
        }
        Ok(())
    }

    /// The path of that directory, whether it exists or not.
    pub(super) fn files_path(&self, job: &PlannedJob) -> PathBuf {
        self.data_path(&job.fs).join(&job.files)
    }

    /// The path of the directory for files on the file system of this name.
    pub(super) fn data_path(&self, fs: &str) -> &Path {
        self.info.data.get(fs).map(Path::new).unwrap_or(Path::new(""))
    }

    /// Removes a directory of files on the job's file system, if it exists; of a link only the link.
    pub(super) fn remove_files(&self, job: &PlannedJob, files: &str) -> Result<(), Trouble> {
        // A campaign that was killed at its very end has already removed all of it.
        if self.info.data.get(&job.fs).is_some_and(|data| !Path::new(data).exists()) {
            return Ok(());
        }
        self.kept.keep_or_remove(files)?;
        let files = self.data(job)?.join(files);
        Ok(gone(fs::remove_dir_all(&files), &files)?)
    }

    /// Removes the directories for files that are empty. Files of others stay.
    pub(super) fn remove_own_directories(&self) {
        self.kept.leave();
        self.beside.release();
        remove_own_directories(&self.info, &self.mark);
    }

    /// The directory for files on the job's file system, which must belong to this campaign. A missing
    /// directory is created again. The jobs that need its files report that they are missing.
    pub(super) fn data(&self, job: &PlannedJob) -> Result<&Path, Trouble> {
        let data = self.data_path(&job.fs);
        if data.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            make_marked(data, &self.mark).map_err(|error| not_created_again(data, &error))?;
        } else if lost_mark(data) {
            write_mark(data, &self.mark).map_err(|error| not_created_again(data, &error))?;
        }
        if !is_own(data, &self.mark) {
            // The mark may be on a server that is offline. Then nothing is changed, and jobs elsewhere
            // continue.
            let mark = data.join(MARK);
            let what = match fs::read(&mark) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => named(&mark, &error),
                _ => io::Error::other(format!(
                    "{} does not name this campaign as the creator of its directory. Nothing was changed \
                     there.",
                    mark.display()
                )),
            };
            return Err(what.into());
        }
        Ok(data)
    }
}

/// Earlier campaigns of the plan, beside this one or in the directories under test.
fn earlier(asked: &CampaignRequest, dirs: &[(String, PathBuf)]) -> Vec<EarlierCampaign> {
    let own: Vec<PathBuf> = dirs.iter().map(|(_, dir)| dir.clone()).collect();
    let folder = std::path::absolute(&asked.folder).unwrap_or_default();
    let places: Vec<PathBuf> = folder.parent().into_iter().map(Path::to_owned).chain(own.clone()).collect();
    folder::earlier(&places, &asked.plan.id, &own)
}

/// The facts about the campaign and its plan, without the directories for files.
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
        launcher: launcher_word(asked).and_then(|word| launcher(&word, path)),
        env: recorded(&environment, &BTreeMap::new()),
        hosts: asked.around.hostfile.clone().unwrap_or_default(),
        exclude: asked.plan.clients.exclude.clone(),
        batch_script: asked.around.batch_script.clone(),
        findings: asked.findings.clone(),
        data_key: asked.data_key.clone(),
        accepted: asked.accepted.clone(),
        earlier: Vec::new(),
        witness: asked.witness.as_ref().map(|witness| witness.text().to_owned()).unwrap_or_default(),
        notify: asked.notify.clone(),
    })
}

/// The launcher as the plan names it, or the path at which it was found.
fn launcher_word(asked: &CampaignRequest) -> Option<String> {
    let kind = &asked.plan.launch.kind;
    let file = hosts::launcher(asked).filter(|_| kind.is_over_ssh());
    file.map(|file| file.to_string_lossy().into_owned()).or_else(|| kind.program().map(str::to_owned))
}

/// The folder names of the jobs that run at the same time as this one.
fn group_of(jobs: &[PlannedJob], folder: &str) -> Vec<String> {
    let at_once = jobs.iter().find(|job| job.folder == folder).and_then(|job| job.at_once.as_ref());
    let others = jobs.iter().filter(|job| at_once.is_some() && job.at_once.as_ref() == at_once);
    others.map(|job| job.folder.clone()).collect()
}

/// Rejects jobs that cannot have their files in the directory of their file system.
fn check_placed(jobs: &[PlannedJob], dirs: &[(String, PathBuf)]) -> Result<(), Trouble> {
    for (name, dir) in dirs {
        let mut jobs = jobs.iter().filter(|job| job.fs == *name);
        if let Some(job) = jobs.find(|job| job.words.iter().any(|word| placed(word, dir).is_none())) {
            let (test, dir) = (&job.test, dir.display());
            return rejected(format!(
                "fs.{name}: {dir} is not on CephFS, but `-a CEPHFS` of {test} has its files there. Choose \
                 a directory of CephFS."
            ));
        }
    }
    Ok(())
}

/// The machine as it is now, with the file systems of the plan. `dir` is the value of `{dir}` in the plan.
pub fn examine(plan: &Plan, dir: Option<&Path>) -> Result<Machine, Trouble> {
    Ok(machine(&dirs(plan, dir)?))
}

/// The directory under test of each file system. It must exist, and have the type that the plan names.
fn dirs(plan: &Plan, given: Option<&Path>) -> Result<Vec<(String, PathBuf)>, Trouble> {
    let mut dirs = Vec::new();
    for (name, fs) in &plan.file_systems {
        let dir = match given {
            Some(given) => fs.dir.replace("{dir}", &given.to_string_lossy()),
            None if fs.dir.contains("{dir}") => {
                return rejected(format!("plan {}: fs.{name} needs a directory. Add `--dir DIR`.", plan.id));
            }
            None => fs.dir.clone(),
        };
        let here = local(&dir).map_err(|usage| Usage(format!("fs.{name}: {usage}")))?;
        let found = here.canonicalize();
        let path =
            found.map_err(|error| Usage(format!("fs.{name}: {dir}: {error}. The directory must exist.")))?;
        if !path.is_dir() {
            return rejected(format!("fs.{name}: {dir} is not a directory. Choose a directory."));
        }
        if path.to_string_lossy().contains(['@', ',', '#', '=']) {
            let what = "IOR gives the characters `@`, `,`, `#` and `=` in a path a special meaning";
            return rejected(format!("fs.{name}: {dir}: {what}. Choose another directory."));
        }
        let real = file_system(name, &path)?.kind;
        if let Some(kind) = fs.kind.as_ref().filter(|kind| **kind != real) {
            let what = format!("{dir} is on {real}, but the plan tests {kind}");
            return rejected(format!("fs.{name}: {what}. Choose a directory on {kind}."));
        }
        dirs.push((name.clone(), path));
    }
    Ok(dirs)
}
