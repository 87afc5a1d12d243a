//! The table of results: a block for each group, then a line for each goal.
//!
//! Invariant: each number is printed with its minimum and maximum, each missing number with its reason.

use super::group::{Bound, Contender, Goal, Group, Unit};
use super::others::QUIET_CORES;
use super::outputs::OutputFormat;

/// The median with the minimum and maximum. Of an even number of values, it is the mean of the middle two.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spread {
    median: f64,
    min: f64,
    max: f64,
}

impl Spread {
    fn of(values: &[f64]) -> Option<Self> {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let middle = values.len() / 2;
        let even = values.len().is_multiple_of(2);
        let median = if even { (values[middle - 1] + values[middle]) / 2.0 } else { values[middle] };
        Some(Self { median, min, max })
    }

    fn range(self) -> String {
        format!("{}..{}", digits(self.min), digits(self.max))
    }
}

/// At least four significant digits.
fn digits(value: f64) -> String {
    let places = match value.abs() {
        v if v >= 1000.0 => 0,
        v if v >= 100.0 => 1,
        v if v >= 10.0 => 2,
        v if v >= 0.1 => 3,
        _ => 4,
    };
    format!("{value:.places$}")
}

/// One block of the table.
pub(super) fn block(group: &Group) -> String {
    let mut text = format!(
        "\n{} [others: {:.2} cores]\n  {:<36} {:>11} {:>18} {:>12} {:>8} {:>12}\n",
        group.title,
        group.others(),
        match group.against.and_then(|place| group.contenders.get(place)) {
            Some(contender) => format!("(ratio to {})", contender.name),
            None => String::new(),
        },
        group.unit.name(),
        "min..max",
        "CPU us/op",
        "ratio",
        "min..max"
    );
    for contender in &group.contenders {
        text.push_str(&row(group, contender));
    }
    if let Some(exponent) = growth(group) {
        text.push_str(&format!("  {:<36} {exponent:>11.2}\n", "fitted exponent of the jobs"));
    }
    text
}

/// The slope of the least squares line through the medians of evaluations over their jobs, both as
/// logarithms. `None` for other groups, and with less than two numbers of jobs.
fn growth(group: &Group) -> Option<f64> {
    let point = |contender: &Contender| {
        let OutputFormat::Jobs(jobs) = contender.format else { return None };
        let values: Vec<f64> = contender.runs.as_ref().ok()?.iter().map(|run| group.unit.of(run)).collect();
        Some((f64::from(jobs).ln(), Spread::of(&values)?.median.ln()))
    };
    let points: Vec<(f64, f64)> = group.contenders.iter().filter_map(point).collect();
    let mean = |pick: fn(&(f64, f64)) -> f64| points.iter().map(pick).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let sum = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
    let slope = sum(&|point| (point.0 - x) * (point.1 - y)) / sum(&|point| (point.0 - x).powi(2));
    slope.is_finite().then_some(slope)
}

fn row(group: &Group, contender: &Contender) -> String {
    let runs = match &contender.runs {
        Ok(runs) => runs,
        Err(why) => return format!("  {:<36} FAILED: {why}\n", contender.name),
    };
    let values: Vec<f64> = runs.iter().map(|run| group.unit.of(run)).collect();
    let cpu: Vec<f64> =
        runs.iter().filter_map(|run| run.cpu_s.map(|cpu_s| cpu_s * 1e6 / run.work.ops)).collect();
    let Some(value) = Spread::of(&values) else {
        return format!("  {:<36} not run\n", contender.name);
    };
    let against = group.against.and_then(|place| group.contenders[place].runs.as_ref().ok());
    let ratio = against.and_then(|to| Spread::of(&group.ratios(runs, to)));
    let (ratio, range) = match ratio {
        Some(ratio) => (format!("{:.3}", ratio.median), format!("{:.2}..{:.2}", ratio.min, ratio.max)),
        None => (String::new(), String::new()),
    };
    let line = format!(
        "  {:<36} {:>11} {:>18} {:>12} {ratio:>8} {range:>12}",
        contender.name,
        digits(value.median),
        value.range(),
        Spread::of(&cpu).map(|cpu| digits(cpu.median)).unwrap_or_default()
    );
    line.trim_end().to_owned() + "\n"
}

/// The line of a goal: met, not met, or the reason why neither. Times on a busy machine are not evaluated.
pub(super) fn verdict(group: &Group, goal: &Goal) -> String {
    let (sign, bound) = match goal.bound {
        Bound::AtLeast(bound) => (">=", bound),
        Bound::AtMost(bound) => ("<=", bound),
    };
    let to = match &goal.against {
        Some(name) => format!("of {name}"),
        None => group.unit.name().to_owned(),
    };
    let words = format!("{}: {}: {sign} {bound} {to}", group.title, goal.of);
    match values(group, goal) {
        Ok(values) => {
            let Some(spread) = Spread::of(&values) else { return format!("  not tried  {words}\n") };
            let others = group.others();
            let disturbed = others > QUIET_CORES && group.unit != Unit::PeakMib;
            let word = match goal.bound.holds(spread.median) {
                _ if disturbed => "disturbed",
                true => "met",
                false => "NOT MET",
            };
            let doubt = if disturbed { format!("; others used {others:.2} cores") } else { String::new() };
            let kept = values.iter().filter(|value| goal.bound.holds(**value)).count();
            format!(
                "  {word:<10} {words}: {} ({}, {kept} of {} rounds{doubt})\n",
                digits(spread.median),
                spread.range(),
                values.len()
            )
        }
        Err(why) => format!("  not tried  {words}: {why}\n"),
    }
}

fn values(group: &Group, goal: &Goal) -> Result<Vec<f64>, String> {
    let runs = group.runs(&goal.of)?;
    let Some(against) = &goal.against else {
        return Ok(runs.iter().map(|run| group.unit.of(run)).collect());
    };
    Ok(group.ratios(runs, group.runs(against)?))
}

#[cfg(test)]
mod tests {
    use super::super::group::Run;
    use super::super::outputs::Work;
    use super::*;

    fn contender(name: &str, seconds: &[f64]) -> Contender {
        let run = |s: &f64| Run {
            work: Work { ops: 1000.0, seconds: *s },
            cpu_s: Some(0.01),
            wall_s: 2.0,
            others_s: 0.1,
            peak_bytes: 1 << 20,
        };
        let mut contender = Contender::new(name, Vec::new(), OutputFormat::Line);
        contender.runs = Ok(seconds.iter().map(run).collect());
        contender
    }

    fn group() -> Group {
        let mut group = Group::new("reads", Unit::PerSecond);
        group.against = Some(0);
        group.contenders =
            vec![contender("bare", &[1.0, 2.0, 1.0]), contender("assay", &[1.0, 4.0, 1.25]), {
                let mut broken = contender("fio", &[]);
                broken.runs = Err("exit status: 1: no such engine".into());
                broken
            }];
        group
    }

    fn goal(of: &str, against: Option<&str>, bound: Bound) -> Goal {
        Goal { of: of.into(), against: against.map(str::to_owned), bound }
    }

    #[test]
    fn ratios_are_taken_within_a_round_and_not_from_medians() {
        let text = block(&group());
        let row = text.lines().find(|line| line.trim_start().starts_with("assay")).unwrap();
        let cells: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(cells, ["assay", "800.0", "250.0..1000", "10.00", "0.800", "0.50..1.00"]);
        assert!(text.contains("FAILED: exit status: 1: no such engine"), "{text}");
    }

    #[test]
    fn a_group_without_installed_contenders_has_only_its_title() {
        let text = block(&Group::against_first("start of ranks", Unit::Seconds));
        assert!(text.starts_with("\nstart of ranks [") && text.lines().count() == 3, "{text}");
    }

    #[test]
    fn the_growth_is_fitted_to_the_medians_of_evaluations() {
        let mut group = Group::new("evaluation", Unit::Seconds);
        for (jobs, seconds) in [(500, [1.0, 2.0, 9.0]), (2_000, [32.0; 3]), (8_000, [512.0; 3])] {
            let mut contender = contender("", &seconds);
            contender.format = OutputFormat::Jobs(jobs);
            contender.runs.as_mut().unwrap().iter_mut().for_each(|run| run.wall_s = run.work.seconds);
            group.contenders.push(contender);
        }
        assert!((growth(&group).unwrap() - 2.0).abs() < 1e-12);
        assert!(block(&group).ends_with("fitted exponent of the jobs                 2.00\n"));
        group.contenders.truncate(1);
        assert_eq!(growth(&group), None);
    }

    #[test]
    fn the_median_decides_a_goal_and_the_line_counts_the_rounds() {
        let group = group();
        let met = verdict(&group, &goal("assay", Some("bare"), Bound::AtLeast(0.7)));
        assert!(met.trim_start().starts_with("met "), "{met}");
        assert!(met.contains(">= 0.7 of bare: 0.800 (0.500..1.000, 2 of 3 rounds)"), "{met}");
        let missed = verdict(&group, &goal("assay", None, Bound::AtMost(799.0)));
        assert!(missed.trim_start().starts_with("NOT MET"), "{missed}");
    }

    #[test]
    fn times_on_a_busy_machine_are_not_evaluated_but_memory_is() {
        let mut group = group();
        let bound = goal("assay", Some("bare"), Bound::AtLeast(0.7));
        assert!(verdict(&group, &bound).trim_start().starts_with("met "));
        assert!(block(&group).contains("reads [others: 0.05 cores]"));
        for run in group.contenders[0].runs.as_mut().unwrap() {
            run.others_s = 3.1;
        }
        let line = verdict(&group, &bound);
        assert!(line.trim_start().starts_with("disturbed "), "{line}");
        assert!(line.ends_with("2 of 3 rounds; others used 0.80 cores)\n"), "{line}");
        group.unit = Unit::PeakMib;
        assert!(verdict(&group, &bound).trim_start().starts_with("met "));
    }

    #[test]
    fn a_goal_relative_to_a_failed_or_missing_program_is_not_tried() {
        for name in ["fio", "ior"] {
            let line = verdict(&group(), &goal("assay", Some(name), Bound::AtLeast(1.0)));
            assert!(line.trim_start().starts_with("not tried"), "{line}");
        }
    }

    #[test]
    fn the_median_of_two_is_their_mean() {
        assert_eq!(Spread::of(&[3.0, 1.0]), Some(Spread { median: 2.0, min: 1.0, max: 3.0 }));
        assert_eq!(Spread::of(&[]), None);
    }
}
