//! The plots of a report: of its clauses, of each test, of series and projections, and of the utilization.
//!
//! | module | plot |
//! |---|---|
//! | `clause_picture` | all clauses relative to their thresholds |
//! | `repetitions` | the repetitions of each criterion of a test |
//! | `over_time` | bandwidth or rate over time, with times of a low rate |
//! | `latency` | latency by percentile |
//! | `ranks_by_node` | a heat map of ranks or nodes |
//! | `scaling` | series over servers, nodes or transfers, and projections |
//! | `fill` | utilization over the campaign |
//!
//! Invariant: a plot shows values of the records and verdicts. Its size does not grow with the records.
//! Never here: pixels, colours, and evaluation.

mod clause_picture;
mod fill;
mod latency;
mod low_rates;
mod over_time;
mod ranks_by_node;
mod repetitions;
mod scaling;

use results::Verdict;
use results::folder::{Campaign, Job};
use results::record;

use super::phases::{RepetitionPhase, phase_title};
use super::words::grouped;
use super::{Block, Plot, Section};

pub(super) use clause_picture::picture;

/// The most repetitions that a plot shows as lines.
const LINES: usize = 8;
/// The points of all lines of all plots together, about.
const POINTS_OF_ALL: usize = 16_000;
/// The texts on hover of all plots over time together, about.
const HOVERS_OF_ALL: usize = 1_200;
/// The cells of all heat maps together, about.
const CELLS_OF_ALL: usize = 16_000;
/// The groups of all plots of ranks by storage target together, about.
const GROUPS_OF_ALL: usize = 4_000;
/// The rows of all tables of nodes together, and of all tables of targets, about.
const ROWS_OF_ALL: usize = 600;
/// The most phases of a campaign that have plots.
const PHASES_OF_ALL: usize = 300;
/// The most phases of a campaign whose usual ranks have texts on hover. With more, only slow ones have.
const PHASES_WITH_TEXTS: usize = 40;

/// Everything that belongs to one test of the plan.
pub(super) struct TestParts<'a> {
    pub(super) id: &'a str,
    /// The link name of its section.
    pub(super) anchor: &'a str,
    pub(super) jobs: Vec<&'a Job>,
    pub(super) verdicts: Vec<&'a Verdict>,
    /// How fine its plots are.
    pub(super) detail: PlotDetail,
}

/// How fine plots are. In a report with many phases each plot is coarser, so that the report remains small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlotDetail {
    /// The most steps of a line over time, and points of a line of percentiles.
    points: usize,
    /// The most texts on hover of a plot over time.
    hovers: usize,
    /// The most cells of a heat map.
    cells: usize,
    /// The most groups of a plot of many ranks by storage target.
    pub(super) groups: usize,
    /// The most rows of usual nodes or targets in a table.
    pub(super) rows: usize,
    /// Whether usual ranks have texts on hover.
    pub(super) usual_texts: bool,
    /// The most phases of a test that have plots.
    phases: usize,
}

impl PlotDetail {
    pub(super) fn for_campaign(campaign: &Campaign) -> Self {
        let phases = campaign.jobs.iter().flat_map(|job| record::phases(&job.records)).count().max(1);
        let mut tests: Vec<&str> = campaign.jobs.iter().map(|job| job.info.test.as_str()).collect();
        tests.sort_unstable();
        tests.dedup();
        Self {
            points: (POINTS_OF_ALL / 2 / phases).clamp(40, 240),
            hovers: (HOVERS_OF_ALL / phases).clamp(6, 60),
            cells: (CELLS_OF_ALL / phases).clamp(64, 1024),
            groups: (GROUPS_OF_ALL / phases).clamp(12, 100),
            rows: (ROWS_OF_ALL / phases).clamp(3, 40),
            usual_texts: phases <= PHASES_WITH_TEXTS,
            phases: (PHASES_OF_ALL / tests.len().max(1)).max(1),
        }
    }
}

/// The phases of one name within a test of a job, each with its repetition.
struct NamedPhase<'m> {
    /// The title in captions.
    title: String,
    name: &'m str,
    all: Vec<&'m RepetitionPhase<'m>>,
}

impl NamedPhase<'_> {
    /// The repetitions that are plotted, and how many there are in total if some are left out. The plotted
    /// ones are spread over the order of their rates, with the slowest and the fastest.
    fn shown(&self) -> (Vec<&RepetitionPhase<'_>>, Option<usize>) {
        let with = |one: &&&RepetitionPhase| one.phase.timeline.is_some() || one.phase.latency.is_some();
        let mut all: Vec<&RepetitionPhase> = self.all.iter().filter(with).copied().collect();
        if all.len() <= LINES {
            return (all, None);
        }
        let rate =
            |one: &RepetitionPhase| one.phase.bytes.max(one.phase.ops) as f64 / one.phase.spans.total_s;
        all.sort_by(|a, b| rate(a).total_cmp(&rate(b)));
        let number = all.len();
        let spread = (0..LINES).map(|n| all[n * (number - 1) / (LINES - 1)]).collect();
        (spread, Some(number))
    }
}

/// The sentence about repetitions that are left out; empty if all are shown.
fn left_out(total: Option<usize>, shown: usize) -> String {
    total.map_or(String::new(), |total| {
        format!(
            " {shown} of {total} repetitions are plotted: the slowest, the fastest, and some between them."
        )
    })
}

fn by_name<'m>(measured: &'m [RepetitionPhase<'m>]) -> Vec<NamedPhase<'m>> {
    let named = measured.iter().map(|one| ((one.phase.test, one.phase.phase.as_str()), one));
    let phases = grouped(named).into_iter().map(|((_, name), all)| NamedPhase {
        title: phase_title(all[0]),
        name,
        all,
    });
    phases.collect()
}

/// All plots of a test: its repetitions, then its phases.
pub(super) fn of_test(test: &TestParts, measured: &[RepetitionPhase]) -> Vec<Plot> {
    let mut plots = repetitions::plots(&test.verdicts);
    let phases = by_name(measured);
    for phase in phases.iter().take(test.detail.phases) {
        plots.extend(over_time::plot(phase, &test.verdicts, test.detail));
        plots.extend(latency::plot(phase, test.detail));
    }
    plots.extend(ranks_by_node::plots(&phases[..phases.len().min(test.detail.phases)], test.detail));
    if let (Some(last), more @ 1..) = (plots.last_mut(), phases.len().saturating_sub(test.detail.phases)) {
        let more = units::several(more as u64, "more phase");
        last.note.push_str(&format!(" The tables have {more} without a plot."));
    }
    plots
}

/// Adds the plots of the whole campaign to the sections that they belong to: series and projections, and the
/// utilization to the jobs.
pub(super) fn add_to(sections: &mut Vec<Section>, campaign: &Campaign) {
    let projections = scaling::projections(&campaign.summary);
    match sections.iter_mut().find(|section| section.id == "projections") {
        Some(section) if !projections.is_empty() => section.blocks.insert(0, Block::Plots(projections)),
        _ => {}
    }
    let series = scaling::series(&campaign.summary);
    if !series.is_empty() {
        let at = sections.iter().position(|section| section.id == "projections" || section.id == "jobs");
        let section = Section::new("scaling", "Scaling", vec![Block::Plots(series)]);
        sections.insert(at.unwrap_or(sections.len()), section);
    }
    if let (Some(fill), Some(jobs)) =
        (fill::plot(campaign), sections.iter_mut().find(|section| section.id == "jobs"))
    {
        jobs.blocks.push(Block::Plots(vec![fill]));
    }
}

/// The threshold of a verdict on this metric, in this unit.
fn threshold(metric: &str, unit: &str, verdicts: &[&Verdict]) -> Option<f64> {
    let verdict = verdicts.iter().find(|verdict| verdict.metric == metric && verdict.unit == unit)?;
    verdict.threshold.filter(|at| at.is_finite() && *at > 0.0)
}
