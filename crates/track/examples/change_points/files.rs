//! The changes of histories in files.

use track::change::{Analysis, ChangeSettings, HistoryPoint, analyse};

/// Prints the changes of a file with a heading and lines of `time,rate`.
pub(crate) fn print_changes(file: &str) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut points: Vec<HistoryPoint> = text.lines().filter_map(point).collect();
    points.sort_by(|one, other| one.time_s.total_cmp(&other.time_s));
    println!("{file}: {} points", points.len());
    print_analysis(&points, &analyse(&points, &ChangeSettings::default()));
}

/// The point of a line; `None` for a heading.
fn point(line: &str) -> Option<HistoryPoint> {
    let (time, rate) = line.split_once(',')?;
    Some(HistoryPoint { time_s: time.parse().ok()?, rate: rate.parse().ok()? })
}

fn print_analysis(points: &[HistoryPoint], found: &Analysis) {
    let day = |index: usize| date(points[index].time_s);
    println!("  noise {:.3}, correlation {:.2}", found.noise.deviation, found.noise.correlation);
    for shift in &found.shifts {
        let (ratio, low, high) = (shift.ratio, shift.ratio_low, shift.ratio_high);
        println!(
            "  shift {} ({} to {}): ratio {ratio:.3} ({low:.3} to {high:.3}), p {:.1e}",
            date(shift.time_s),
            date(shift.earliest_s),
            date(shift.latest_s),
            shift.p
        );
    }
    for drift in &found.drifts {
        println!(
            "  drift {} to {}: {:+.1} % per month ({:+.1} to {:+.1}), p {:.1e}",
            day(drift.first),
            day(drift.last),
            drift.percent_per_month,
            drift.percent_low,
            drift.percent_high,
            drift.p
        );
    }
    for change in &found.variability {
        println!("  variability {}: ratio {:.2}, p {:.1e}", date(change.time_s), change.ratio, change.p);
    }
    if let Some(week) = &found.weekly {
        println!("  weekly pattern {:.3?}, p {:.1e}", week.ratios, week.p);
    }
    println!("  outliers {}", found.outliers.len());
}

/// The UTC date of a Unix time.
fn date(time_s: f64) -> String {
    let moment = jiff::Timestamp::from_second(time_s as i64).expect("a time of this era");
    moment.strftime("%Y-%m-%d").to_string()
}
