//! Whether names were looked at on a node that had made them, or looked at them, in an earlier job.
//!
//! A record names the node of rank 0 and counts the others. That decides wherever rank 0 is on the same node
//! again and looks at names that were there; of other nodes nothing is known.
//!
//! Never here: what a workload says itself of one launch.

use results::folder::Job;

use super::{Case, dataset, warnings};
use command::tool_line::ToolLine;
use plan::Test;
use plan::line::Line;
use plan::schedule;

/// What the campaign knows of names that were looked at, a sentence each.
pub(super) enum Home {
    /// Their node had had them before.
    Had(String),
    /// So it had, but a command of the lines may have dropped its caches in between.
    Commanded(String),
    /// Several nodes had them, of which the records do not say whether they are the same.
    Unknown(String),
}

/// What is known of the first repetition of which anything is; `None` where names came from elsewhere, or
/// where the workload itself knows.
pub(super) fn of(case: &Case<'_>, jobs: &[&Job]) -> Option<Home> {
    let Line::Tool(line) = &case.test.line else { return None };
    // The file of `shared_open` is made within its phase, and a walk that drops caches says if it could not.
    if line.creates() || line.drops_caches() || case.metric().0 == "shared_open" {
        return None;
    }
    let made = dataset::made(case);
    jobs.iter().find_map(|job| {
        let tests = earlier(case, job).filter_map(|(test, before)| home(case, line, job, &test.line, before));
        let dataset = made.and_then(|(dataset, maker, earlier)| {
            let home = home(case, line, job, &dataset.line, maker)?;
            Some(if earlier { home.of_earlier_campaign() } else { home })
        });
        tests.chain(dataset).min_by_key(|home| match home {
            Home::Had(_) => 0,
            Home::Commanded(_) => 1,
            Home::Unknown(_) => 2,
        })
    })
}

impl Home {
    /// What a node had in an earlier campaign it may have forgotten since.
    fn of_earlier_campaign(self) -> Self {
        let (Self::Had(text) | Self::Commanded(text) | Self::Unknown(text)) = self;
        Self::Unknown(format!(
            "{text}; that was in an earlier campaign, and it may have forgotten them since"
        ))
    }
}

/// The jobs before `job` that worked on its files, with their tests.
fn earlier<'a>(case: &Case<'a>, job: &'a Job) -> impl Iterator<Item = (&'a Test, &'a Job)> {
    let Case { plan, campaign, test, .. } = *case;
    let files = schedule::files(plan, test, job.info.repetition);
    let before = plan.tests.iter().take_while(|other| other.id != test.id);
    let worked = before.chain([test]).filter(|other| other.fs == test.fs).flat_map(|other| {
        let jobs = campaign.jobs.iter().filter(|job| job.info.test == other.id);
        jobs.map(move |job| (other, job))
    });
    worked.filter(move |(other, before)| {
        let later = other.id == test.id && before.info.repetition >= job.info.repetition;
        !later && schedule::files(plan, other, before.info.repetition) == files
    })
}

/// What `job` found of the names that the line `had` had on its nodes in `before`.
fn home(case: &Case<'_>, line: &ToolLine, job: &Job, had: &Line, before: &Job) -> Option<Home> {
    let Line::Tool(had) = had else { return None };
    let (looks, there) = (warnings::runs(&[job]).next()?, warnings::runs(&[before]).next()?);
    let (repetition, made) = (job.info.repetition, if had.creates() { "made" } else { "looked at" });
    let folder = &before.folder;
    let several = looks.nodes > 1 && there.nodes > 1;
    if looks.host.is_empty() || there.host.is_empty() {
        return None;
    }
    if looks.host != there.host {
        return (looks.nodes > 1 || there.nodes > 1).then(|| {
            Home::Unknown(format!(
                "repetition {repetition}: whether names were looked at on a node that had {made} them in \
                 {folder} is not known: rank 0 was on {} then and on {} now",
                there.host, looks.host
            ))
        });
    }
    // Two turns around two nodes are back where they began.
    let returns = looks.nodes == 2 && case.metric().0 == "file_read";
    let moved = line.shift() != if had.creates() { 0 } else { had.shift() };
    if several && moved && !returns && !had.shares_names() {
        return None;
    }
    let text = format!(
        "repetition {repetition}: the names had been {made} on the same node ({}) in {folder}, so that its \
         cache may have answered instead of the file system",
        looks.host
    );
    Some(match line.runs_commands() || had.runs_commands() {
        true => Home::Commanded(format!("{text}; whether the command of a line dropped it is not recorded")),
        false => Home::Had(text),
    })
}

/// What would make it cold.
pub(super) fn way_out(line: &Line) -> &'static str {
    match line.workload() {
        "ls-lr" => "drop caches with --cold, walk on other nodes (--shift)",
        _ => "look from other nodes (-N 1), drop caches in between by --run-cmd-before-phase",
    }
}
