//! `-j`: the ranks whose times were far from the others in a phase (IOR 4.1).
//!
//! IOR 4.1 gives starts and ends as seconds since 1970. Here they count from the start of the test.

use ranks::{Halt, Reduce};
use results::reason;

use super::observer::IorEvent;
use super::setting::PhaseSetting;
use super::test::RunningTest;
use crate::kit::few;
use crate::kit::stamps::PhaseStamps;

/// The compared times, in the order of [`moments`].
const NAMES: [&str; 5] =
    ["start time", "elapsed create time", "elapsed transfer time", "elapsed close time", "end time"];
const KINDS: usize = NAMES.len();
/// Most lines that are reported for one phase.
const LINES: usize = 64;
/// Squares of distances are summed as whole numbers. Their unit is the greatest distance divided by this.
const STEPS: f64 = (1 << 20) as f64;

/// With `-j`, warns of ranks whose times are farther from the mean than `-j` allows. This takes three
/// reductions, and four if there are such ranks.
pub(super) fn report(
    test: &mut RunningTest<'_>,
    setting: &PhaseSetting,
    stamps: &PhaseStamps,
) -> Result<(), Halt> {
    let allowed = f64::from(test.parameters.outlier_seconds);
    // The two halves of a mixed phase have the same times.
    if allowed == 0.0 || !setting.is_first {
        return Ok(());
    }
    let mine = moments(test, stamps);
    let (means, deviations) = spread(test, mine)?;
    let far = |kind: usize| (seconds(mine[kind]) - means[kind]).abs() > allowed;
    let parcel = (0..KINDS).any(far).then(|| {
        let numbers = mine.map(|us| us.to_string()).join("\t");
        format!("{numbers}\t{}", test.rank.comm.node_name())
    });
    let few = few::collect(test.rank.comm, parcel.as_deref())?;
    let (phase, ranks) = (setting.kind.step(), test.rank.comm.size());
    let mut lines = Vec::new();
    for (kind, name) in NAMES.iter().enumerate() {
        for (rank, parcel) in &few.parcels {
            let (value, node) = unpack(parcel, kind);
            let (mean, deviation) = (means[kind], deviations[kind]);
            if (value - mean).abs() > allowed {
                lines.push(format!(
                    "for {node}, task {rank}, {phase} {name} is {value:.6} \
                     (mean={mean:.6}, stddev={deviation:.6})\n"
                ));
            }
        }
    }
    for line in lines.iter().take(LINES) {
        test.observer.event(&IorEvent::Warning(line));
    }
    if few.total > few::SLOTS as u64 || lines.len() > LINES {
        let (allowed, label) = (test.parameters.outlier_seconds, phase);
        let reason = reason!(OutliersCut { allowed, ranks: few.total, of: ranks, label });
        test.observer.event(&IorEvent::Notice(&reason));
    }
    Ok(())
}

fn seconds(us: u64) -> f64 {
    us as f64 * 1e-6
}

/// This rank's times in the order of [`NAMES`], microseconds. Moments count from the start of the test.
fn moments(test: &RunningTest<'_>, stamps: &PhaseStamps) -> [u64; KINDS] {
    let at = |tick| test.rank.since_start_ns(tick) / 1000;
    let length = |(from, to)| at(to).saturating_sub(at(from));
    [
        at(stamps.open.0),
        length(stamps.open),
        length(stamps.transfer),
        length(stamps.close),
        at(stamps.close.1),
    ]
}

/// Mean and standard deviation over the ranks, seconds.
fn spread(test: &RunningTest<'_>, mine: [u64; KINDS]) -> Result<([f64; KINDS], [f64; KINDS]), Halt> {
    let ranks = f64::from(test.rank.comm.size());
    let mut sums = mine;
    test.rank.comm.all_reduce(&mut sums, Reduce::Sum)?;
    let means = sums.map(|sum| seconds(sum) / ranks);
    let distance = |kind: usize| (seconds(mine[kind]) - means[kind]).abs();
    // One more, so that a greatest distance of zero does not lead to a division by zero.
    let mut greatest: [u64; KINDS] = std::array::from_fn(|kind| 1 + (distance(kind) * 1e6) as u64);
    test.rank.comm.all_reduce(&mut greatest, Reduce::Max)?;
    let unit: [f64; KINDS] = greatest.map(|us| seconds(us) / STEPS);
    let mut squares: [u64; KINDS] = std::array::from_fn(|kind| (distance(kind) / unit[kind]).powi(2) as u64);
    test.rank.comm.reduce(&mut squares, Reduce::Sum)?;
    let deviation = |kind: usize| (squares[kind] as f64 / ranks).sqrt() * unit[kind];
    Ok((means, std::array::from_fn(deviation)))
}

/// The seconds of one kind, and the name of the node.
fn unpack(parcel: &str, kind: usize) -> (f64, &str) {
    let mut parts = parcel.splitn(KINDS + 1, '\t');
    let us = parts.nth(kind).and_then(|us| us.parse().ok());
    (seconds(us.unwrap_or(0)), parts.last().unwrap_or_default())
}
