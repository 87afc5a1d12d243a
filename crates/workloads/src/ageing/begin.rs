//! The start of a run: in a new directory, or in that of a run that is resumed.
//!
//! Invariant: nothing is written before everything is checked. All ranks start with the same numbers. A
//! marker is written only by the owner of the locks of all ranks.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use ranks::{Comm, Halt, Reduce};
use storage::{Storage, directory_of};
use units::Usage;

use super::guard::geometry;
use super::model::AgeingModel;
use super::part::{make_dir, make_places};
use super::plan::{AgeingGoal, RankShare, plan, reject_what_follows};
use super::profile::Profile;
use super::state::{self, AgeingMarker, MARKER, Odometer, SEQUENCE, StatePlaces, at};
use crate::kit::reduce;

/// The step in which a run is rejected. Nothing was written before.
pub const REJECTED: &str = "plan";

/// The default seed.
const SEED: u64 = 0;
/// The default ceiling.
const CEILING: f64 = 0.9;
/// The default number of overwrite cycles.
const CYCLES: f64 = 1.0;
/// Files that file systems create in their root themselves.
const NOT_FOREIGN: &str = "lost+found";

/// The requested options; `None` where an option was not given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgeingRequest {
    /// The directory, which must be empty.
    pub dir: PathBuf,
    /// Whether a run is resumed.
    pub resume: bool,
    /// Target share of the blocks, 0 to 1.
    pub blocks: Option<f64>,
    /// Target share of the inodes, 0 to 1.
    pub inodes: Option<f64>,
    /// The maximum share of both, 0 to 1.
    pub ceiling: Option<f64>,
    /// How many times the data is overwritten.
    pub cycles: Option<f64>,
    /// The seed of the sequence.
    pub seed: Option<u64>,
    /// The text of a profile.
    pub profile: Option<String>,
    /// The time limit of the run, seconds.
    pub timeout_s: Option<f64>,
}

impl AgeingRequest {
    /// Rejects targets that no file system can have. A resumed run may have other targets and another
    /// ceiling than the request.
    pub fn check(&self) -> Result<(), Usage> {
        if self.resume { Ok(()) } else { self.goal().check_targets().map_err(Usage) }
    }

    fn goal(&self) -> AgeingGoal {
        AgeingGoal {
            blocks: self.blocks,
            inodes: self.inodes,
            ceiling: self.ceiling.unwrap_or(CEILING),
            cycles: self.cycles.unwrap_or(CYCLES),
            seed: self.seed.unwrap_or(SEED),
        }
    }
}

/// The start values of all ranks, and this rank's sequence. Checks everything and writes nothing. Collective.
pub(super) fn begin(
    comm: &dyn Comm,
    storage: &dyn Storage,
    request: &AgeingRequest,
) -> Result<(AgeingMarker, AgeingModel), Halt> {
    let marker = reduce::from_rank_0(comm, REJECTED, || marker(comm, storage, request))?;
    let model = comm.agree(REJECTED, begun(comm, &marker))?;
    Ok((marker, model))
}

/// Creates or finds the directory and this rank's part of it, and locks out other runs. Collective.
pub(super) fn take_place(
    comm: &dyn Comm,
    request: &AgeingRequest,
    places: &StatePlaces,
) -> Result<Odometer, Halt> {
    let made = if comm.rank() == 0 { make_dir(&request.dir) } else { Ok(()) };
    comm.agree(REJECTED, made)?;
    let placed = make_places(places);
    // If no rank could start, for example in a directory of another user, nothing was written.
    let nothing = u64::from(placed.is_err() && !places.rank_dir.exists());
    let step = if comm.reduce_one(nothing, Reduce::Min)? > 0 { REJECTED } else { "begin" };
    comm.agree(step, placed.and_then(|()| Odometer::open(&places.odometer)))
}

/// Writes the parameters of a new run, or checks those of a resumed run. All ranks have their directories.
/// Collective.
pub(super) fn mark(comm: &dyn Comm, request: &AgeingRequest, marker: &AgeingMarker) -> Result<(), Halt> {
    let path = request.dir.join(MARKER);
    let marked = match (comm.rank(), request.resume) {
        (0, true) => state::save(&path, marker),
        (0, false) => state::save_new(&path, marker),
        _ => Ok(()),
    };
    comm.agree("mark", marked)
}

fn begun(comm: &dyn Comm, marker: &AgeingMarker) -> Result<AgeingModel, String> {
    let profile = Profile::read(&marker.profile).map_err(|usage| usage.0)?;
    let (ranks, rank) = (u64::from(comm.size()), u64::from(comm.rank()));
    let (share, model) = sequence(marker, &profile, rank)?;
    let taken = model.as_ref().map(AgeingModel::mean_taken);
    reject_what_follows(&marker.goal, &marker.before, &share, ranks, taken)?;
    Ok(model.ok_or("no sizes fit")?)
}

/// This rank's share of the whole, and its sequence; `None` if no sizes fit.
pub(super) fn sequence(
    marker: &AgeingMarker,
    profile: &Profile,
    rank: u64,
) -> Result<(RankShare, Option<AgeingModel>), String> {
    let ranks = marker.ranks.into();
    let share = plan(&marker.goal, profile, &marker.before, ranks, rank)?;
    Ok((share, AgeingModel::new(marker.goal.seed, (rank, ranks), profile, share)))
}

/// The contents of the marker.
fn marker(comm: &dyn Comm, storage: &dyn Storage, request: &AgeingRequest) -> Result<AgeingMarker, String> {
    let path = request.dir.join(MARKER);
    let found: Option<AgeingMarker> = state::load(&path)?;
    let dir = request.dir.display();
    match (found, request.resume) {
        (Some(_), false) => {
            Err(format!("{dir} already has a tree. Resume it with --resume, or remove it with --remove."))
        }
        (None, true) => Err(format!("{dir} has no {MARKER}, so it cannot be resumed")),
        (Some(found), true) => taken_up(found, comm.size(), request),
        (None, false) => fresh(comm.size(), storage, request),
    }
}

fn fresh(ranks: u32, storage: &dyn Storage, request: &AgeingRequest) -> Result<AgeingMarker, String> {
    if storage.names().is_none() {
        return Err("this backend has no directories".to_owned());
    }
    let dir = &request.dir;
    let room = match look_around(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => directory_of(dir).to_owned(),
        Err(error) => return Err(at(dir, &error)),
        Ok(around) => match around.strangers.first() {
            None => dir.clone(),
            Some(first) => {
                return Err(format!(
                    "{} is not empty ({}); name a directory that is empty or does not exist yet",
                    dir.display(),
                    first.display()
                ));
            }
        },
    };
    let goal = request.goal();
    let profile = Profile::read(request.profile.as_deref().unwrap_or_default()).map_err(|usage| usage.0)?;
    let before = geometry(storage, &room)?;
    Ok(AgeingMarker { sequence: SEQUENCE, ranks, goal, profile: profile.text(), before })
}

/// The other entries of a directory with the marker.
#[derive(Debug, Default)]
pub(super) struct Around {
    /// Sorted names that are not from this program, or in which it has written.
    pub(super) strangers: Vec<OsString>,
    /// Directories of ranks without any operation, from a run that ended before it wrote its marker.
    pub(super) unused: Vec<StatePlaces>,
}

/// Lists a directory.
pub(super) fn look_around(dir: &Path) -> io::Result<Around> {
    let mut around = Around::default();
    for entry in fs::read_dir(dir)? {
        let name = entry?.file_name();
        if name == NOT_FOREIGN || name == MARKER || name == *state::staged(Path::new(MARKER)) {
            continue;
        }
        let rank = name.to_str().and_then(|name| name.strip_prefix("rank.")?.parse::<u32>().ok());
        let places = rank.map(|rank| StatePlaces::of(dir, rank.into()));
        match places.filter(|places| places.rank_dir == dir.join(&name)) {
            Some(places) if places.are_unused()? => around.unused.push(places),
            _ => around.strangers.push(name),
        }
    }
    around.strangers.sort();
    Ok(around)
}

fn taken_up(mut found: AgeingMarker, ranks: u32, request: &AgeingRequest) -> Result<AgeingMarker, String> {
    if found.sequence != SEQUENCE {
        return Err(format!(
            "{} is from another version of this program. Resume or remove it with that version.",
            request.dir.display()
        ));
    }
    if found.ranks != ranks {
        let (wanted, dir) = (found.ranks, request.dir.display());
        return Err(format!("{dir} was begun by {wanted} ranks, not {ranks}; resume it with as many"));
    }
    let goal = &mut found.goal;
    let other = |option: &str| Err(format!("{option} is not as it was at the beginning; leave it out"));
    if request.blocks.is_some() && request.blocks != goal.blocks {
        return other("--blocks");
    }
    if request.inodes.is_some() && request.inodes != goal.inodes {
        return other("--inodes");
    }
    if request.seed.is_some_and(|seed| seed != goal.seed) {
        return other("--seed");
    }
    if let Some(text) = &request.profile
        && Profile::read(text).map_err(|usage| usage.0)?.text() != found.profile
    {
        return other("--profile");
    }
    goal.ceiling = request.ceiling.unwrap_or(goal.ceiling);
    goal.cycles = goal.cycles.max(request.cycles.unwrap_or(0.0));
    Ok(found)
}
