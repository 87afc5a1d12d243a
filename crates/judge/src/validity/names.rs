//! Whether names were looked at on a node that had made them, or looked at them, in an earlier job.
//!
//! A record names the node of rank 0 and counts the others. That decides wherever rank 0 is on the same node
//! again and looks at names that were there; of other nodes nothing is known.
//!
//! Never here: what a workload says itself of one launch.

use plan::Test;
use plan::line::Line;
use plan::schedule;
use results::folder::Job;
use results::reason::{Code, Reason};

use super::dataset;
use crate::case::TestCriterion;
use crate::index::runs;

/// What the campaign knows of names that were looked at.
pub(crate) enum NamesOrigin {
    /// Their node had had them before.
    Had(Reason),
    /// So it had, but a command of the lines may have dropped its caches in between.
    Commanded(Reason),
    /// Several nodes had them, of which the records do not say whether they are the same.
    Unknown(Reason),
}

/// What is known of the first repetition of which anything is; `None` where names came from elsewhere, or
/// where the workload itself knows.
pub(crate) fn origin(case: &TestCriterion<'_>) -> Option<NamesOrigin> {
    let Line::Tool(line) = &case.test.line else { return None };
    // The file of `shared_open` is made within its phase, and a walk that drops caches says if it could not.
    if line.creates() || line.drops_caches() || case.phase() == "shared_open" {
        return None;
    }
    let made = dataset::made(case);
    case.jobs().iter().find_map(|job| {
        let tests = earlier(case, job).filter_map(|(test, before)| between(case, job, &test.line, before));
        let dataset = made.and_then(|(dataset, maker, earlier)| {
            let found = between(case, job, &dataset.line, maker)?;
            Some(if earlier { found.of_earlier_campaign() } else { found })
        });
        tests.chain(dataset).min_by_key(|found| match found {
            NamesOrigin::Had(_) => 0,
            NamesOrigin::Commanded(_) => 1,
            NamesOrigin::Unknown(_) => 2,
        })
    })
}

impl NamesOrigin {
    /// What a node had in an earlier campaign it may have forgotten since.
    fn of_earlier_campaign(self) -> Self {
        let (Self::Had(reason) | Self::Commanded(reason) | Self::Unknown(reason)) = self;
        Self::Unknown(Reason { code: Code::NamesOriginUnknown, ..reason }.with("earlier_campaign", true))
    }
}

/// The jobs before `job` that worked on its files, with their tests.
fn earlier<'a>(case: &TestCriterion<'a>, job: &'a Job) -> impl Iterator<Item = (&'a Test, &'a Job)> {
    let (index, test) = (case.index, case.test);
    let plan = index.plan;
    let files = schedule::files(plan, test, job.info.repetition);
    let before = plan.tests.iter().take_while(|other| other.id != test.id);
    let same_fs = before.chain([test]).filter(|other| other.fs == test.fs);
    let worked = same_fs.flat_map(|other| index.jobs(&other.id).iter().map(move |job| (other, *job)));
    worked.filter(move |(other, before)| {
        let later = other.id == test.id && before.info.repetition >= job.info.repetition;
        !later && schedule::files(plan, other, before.info.repetition) == files
    })
}

/// What `job` found of the names that the line `had` had on its nodes in `before`.
fn between(case: &TestCriterion<'_>, job: &Job, had: &Line, before: &Job) -> Option<NamesOrigin> {
    let (Line::Tool(line), Line::Tool(had)) = (&case.test.line, had) else { return None };
    let (looks, there) = (runs(&[job]).next()?, runs(&[before]).next()?);
    let made = if had.creates() { "made" } else { "seen" };
    let of = |code| {
        let reason = Reason::new(code).with("repetition", job.info.repetition).with(made, true);
        reason.with("folder", &before.folder).with("host", &looks.host)
    };
    let several = looks.nodes > 1 && there.nodes > 1;
    if looks.host.is_empty() || there.host.is_empty() {
        return None;
    }
    if looks.host != there.host {
        let unknown = || of(Code::NamesOriginUnknown).with("host_before", &there.host);
        return (looks.nodes > 1 || there.nodes > 1).then(|| NamesOrigin::Unknown(unknown()));
    }
    // Shifting twice over two nodes returns to the writer.
    let returns = looks.nodes == 2 && case.phase() == "file_read";
    let moved = line.shift() != if had.creates() { 0 } else { had.shift() };
    if several && moved && !returns && !had.shares_names() {
        return None;
    }
    Some(match line.runs_commands() || had.runs_commands() {
        true => NamesOrigin::Commanded(of(Code::NamesMaybeDropped)),
        false => NamesOrigin::Had(of(Code::NamesOnOwnNode)),
    })
}
