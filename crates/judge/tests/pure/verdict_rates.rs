//! How often verdicts are wrong about systems with a known true value. It is never more than they state.
//!
//! The worlds are those of the example `verdict_rates`, which prints the tables of docs/validation.

#[path = "../../examples/verdict_rates/dependent.rs"]
mod dependent;
#[path = "../../examples/verdict_rates/intervals.rs"]
mod intervals;
#[path = "../../examples/verdict_rates/nodes.rs"]
mod nodes;
#[path = "../../examples/verdict_rates/worlds.rs"]
pub(crate) mod worlds;

use super::verdicts_of;
use plan::Plan;
use results::Outcome;
use results::folder::{Campaign, FileSystemFacts, Job, JobEnd, JobInfo, Machine};
use results::record::{End, Phase, Record, Run, Spans};
use results::statistics::{Answer, Dice, Tolerance};
use worlds::{AT_LEAST, Compared, SCALED, Shape, draw};

const COVS: [f64; 4] = [0.02, 0.05, 0.1, 0.2];
const COUNTS: [usize; 3] = [3, 5, 10];

fn cells() -> impl Iterator<Item = (f64, usize)> {
    COVS.into_iter().flat_map(|cov| COUNTS.map(|n| (cov, n)))
}

/// Three standard deviations above 5 % for this number of trials, in percent.
fn level(trials: u32) -> f64 {
    5.0 + 300.0 * (0.05 * 0.95 / f64::from(trials)).sqrt()
}

/// A repetition that wrote these bytes in a second.
fn job(repetition: u32, bytes: u64) -> Job {
    let spans = Spans { transfer_s: 1.0, total_s: 1.0, ..Default::default() };
    let phase = Phase {
        phase: "write".into(),
        bytes,
        expected_bytes: bytes,
        ops: 1,
        ranks: 1,
        spans,
        persisted: true,
        ..Default::default()
    };
    let run = Run { nodes: 1, ranks: 1, host: "n1".into(), ..Default::default() };
    let info =
        JobInfo { test: "T".into(), repetition, end: JobEnd::Exit(0), timeout_s: 60.0, ..Default::default() };
    let records = vec![Record::Run(run), Record::Phase(Box::new(phase)), Record::End(End::default())];
    Job { folder: format!("jobs/{repetition}"), info, records, ..Default::default() }
}

fn machine() -> Machine {
    let fs = FileSystemFacts { name: "s".into(), bytes: 1 << 40, ..Default::default() };
    Machine { memory_bytes: 10, file_systems: vec![fs], ..Default::default() }
}

#[test]
fn the_rule_of_linearity_that_is_simulated_is_the_one_that_judges() {
    let text = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nclients.delivered = 1\n\
                fs.s = { dir = \"/s\", servers = 3, set_servers = \"s {servers}\", count_servers = \"c\" }\n\
                [[series]]\nid = \"S\"\nover = \"servers\"\nsteps = [\"1\", \"2\", \"3\"]\n\
                repetitions = 4\n[[series.phases]]\nid = \"w\"\nior = \"-w -e\"\n\
                criterion = { metric = \"write.bw\", linear_within = \"10%\" }\n";
    let plan = Plan::parse(text, "p.toml").unwrap();
    let mut dice = Dice::new(7);
    let mut seen = [0; 3];
    for _ in 0..150 {
        let [last, cov] = [0.75 + 0.35 * dice.share(), 0.1 * dice.share()];
        let steps = [1.0, 2.0, 3.0 * last].map(|truth| draw(&mut dice, Shape::Even, truth, cov, 4));
        let steps = steps.map(|values| values.iter().map(|value| (value * 1e9).trunc()).collect::<Vec<_>>());
        let jobs = (1..).zip(&steps).flat_map(|(servers, values)| {
            let of_step = move |(repetition, value): (u32, &f64)| {
                let mut job = job(repetition, *value as u64);
                job.info.test = format!("S.s{servers}.w");
                job
            };
            (1..).zip(values).map(of_step)
        });
        let campaign = Campaign { jobs: jobs.collect(), before: Some(machine()), ..Default::default() };
        let outcomes: Vec<Outcome> =
            verdicts_of(&plan, &campaign).iter().map(|verdict| verdict.outcome).collect();
        let wanted = worlds::linear(&steps, AT_LEAST);
        let any = |outcome| outcomes.contains(&outcome);
        let (answer, index) = match () {
            () if any(Outcome::Fail) => (Answer::Refuted, 0),
            () if any(Outcome::Inconclusive) => (Answer::Undecided, 1),
            () => (Answer::Supported, 2),
        };
        assert_eq!((outcomes.len(), answer), (2, wanted.answer), "{outcomes:?} {steps:?}");
        seen[index] += 1;
    }
    assert!(seen.iter().all(|count| *count >= 15), "each answer was seen: {seen:?}");
}

#[test]
fn the_rule_that_is_simulated_is_the_one_that_judges() {
    let text = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/s\" }\n\
                clients.delivered = 1\n[[test]]\nid = \"T\"\nior = \"-w -e\"\nrepetitions = 3\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"1 GB/s\" }\n";
    let plan = Plan::parse(text, "p.toml").unwrap();
    let mut dice = Dice::new(6);
    let mut seen = [0; 3];
    for trial in 0..150 {
        let [truth, cov] = [0.85 + 0.3 * dice.share(), 0.12 * dice.share()];
        let values = draw(&mut dice, Shape::Even, truth, cov, 3 + trial % 4);
        let bytes: Vec<u64> = values.iter().map(|value| (value * 1e9) as u64).collect();
        let campaign = Campaign {
            jobs: (1..).zip(&bytes).map(|(repetition, bytes)| job(repetition, *bytes)).collect(),
            before: Some(machine()),
            ..Default::default()
        };
        let rates: Vec<f64> = bytes.iter().map(|bytes| *bytes as f64).collect();
        let (outcome, index) = match worlds::floor(&rates, 1e9) {
            Answer::Supported => (Outcome::Pass, 0),
            Answer::Refuted => (Outcome::Fail, 1),
            Answer::Undecided => (Outcome::Inconclusive, 2),
        };
        assert_eq!(verdicts_of(&plan, &campaign)[0].outcome, outcome, "{values:?}");
        seen[index] += 1;
    }
    assert!(seen.iter().all(|count| *count >= 20), "each answer was seen: {seen:?}");
}

#[test]
fn a_floor_is_judged_wrongly_in_at_most_its_share_and_the_mean_alone_in_more() {
    let trials = 400;
    for (cov, n) in cells() {
        for truth in [0.9, 0.95, 1.0, 1.05, 1.1] {
            let [literal, ours] =
                worlds::floors(Shape::Even, truth, cov, n, trials).map(|tally| tally.percent());
            let [passed, failed, _] = ours;
            if truth <= 1.0 {
                assert!(passed <= level(trials), "{truth} {cov} {n}: {passed} % passed");
                assert!(passed <= literal[0], "the bound never passes what the mean does not");
            }
            if truth >= 1.0 {
                assert!(failed <= level(trials), "{truth} {cov} {n}: {failed} % failed");
                assert!(failed <= literal[1]);
            }
        }
    }
    let [literal, ours] = worlds::floors(Shape::Even, 0.95, 0.2, 3, 4000).map(|tally| tally.percent());
    assert!((literal[0] - 32.0).abs() < 3.0 && ours[0] < 4.0, "{literal:?} {ours:?}");
}

#[test]
fn neighbours_that_are_alike_are_found_where_there_are_enough_and_then_pass_less() {
    for (n, most, found_in) in [(10, 15.0, 40.0), (20, 10.0, 85.0)] {
        let dependent::Found { plain, ours, reported } = dependent::alike(0.7, 0.05, n, 1000);
        let (plain, ours) = (plain.percent()[0], ours.percent()[0]);
        assert!(plain > 15.0 && ours < most && reported > found_in, "{n}: {plain} {ours} {reported}");
    }
    let [plain, ours] = dependent::alike_cov(0.7, 0.05, 20, 200);
    assert!(plain > 15.0 && ours < plain, "a maximum of the variability: {plain} {ours}");
    let none = dependent::alike(0.0, 0.05, 10, 1000);
    assert!(none.ours.percent()[0] <= level(1000) && none.reported < 8.0, "{none:?}");
}

#[test]
fn stalls_that_did_not_happen_are_in_no_limit_and_those_that_did_are_found() {
    let few = dependent::stalling(0.5, 0.02, 0.0, 5, 1000);
    assert!(few.ours.percent()[0] > 30.0, "no limit knows of them: {few:?}");
    let many = dependent::stalling(0.5, 0.02, 0.0, 20, 1000);
    assert!(many.ours.percent()[0] < few.ours.percent()[0] && many.reported > 20.0, "{many:?}");
}

#[test]
fn rare_stalls_of_three_covs_do_not_make_the_floor_worse_than_it_says() {
    for (cov, n) in cells() {
        for truth in [0.9, 0.95, 1.05, 1.1] {
            let [_, ours] = worlds::floors(Shape::Stalls, truth, cov, n, 400).map(|tally| tally.percent());
            let wrong = ours[usize::from(truth > 1.0)];
            assert!(wrong <= level(400), "{truth} {cov} {n}: {wrong} %");
        }
    }
}

#[test]
fn judging_again_after_more_repetitions_decides_most_and_is_wrong_more_often_near_the_floor() {
    for (cov, truth) in [(0.05, 0.95), (0.1, 0.95), (0.1, 1.05), (0.2, 0.9)] {
        let (tally, used) = worlds::until_decided(truth, cov, 4, 300);
        let percent = tally.percent();
        assert!(percent[usize::from(truth > 1.0)] <= level(300), "{truth} {cov}: {percent:?}");
        assert!(percent[2] <= 5.0 && used > 3.0, "{truth} {cov}: {percent:?} after {used}");
    }
    // Each of four looks may be wrong. So at a system exactly at the floor the rate is at most four times as
    // high.
    let [passed, failed, _] = worlds::until_decided(1.0, 0.05, 4, 1000).0.percent();
    assert!((10.0..22.0).contains(&passed) && (10.0..22.0).contains(&failed), "{passed} {failed}");
}

#[test]
fn a_suggested_number_of_repetitions_decides_most_unless_the_system_is_at_the_floor() {
    for (truth, cov, n) in [(1.05, 0.05, 3), (1.05, 0.1, 5), (0.95, 0.1, 5), (1.1, 0.2, 5)] {
        let found = worlds::suggested(truth, cov, n, 400);
        assert!(found.decided >= 50.0 && found.repetitions <= 120.0, "{truth} {cov} {n}: {found:?}");
    }
    let at_the_floor = worlds::suggested(1.0, 0.05, 5, 400);
    assert!(at_the_floor.open > 80.0 && at_the_floor.suggested > 20.0, "{at_the_floor:?}");
    assert!(at_the_floor.decided <= 20.0, "measured means are not the true ones: {at_the_floor:?}");
}

#[test]
fn linearity_by_means_fails_a_linear_system_as_often_as_the_method_says_and_ours_does_not() {
    for (cov, literally) in COVS.into_iter().zip([0.0, 2.8, 36.0, 76.0]) {
        let both_ways = Tolerance { above: Some(0.1), ..AT_LEAST };
        let [literal, ours] = worlds::linearities(1.0, cov, 3, both_ways, 600).map(|tally| tally.percent());
        // Three standard deviations of a share of 600 trials are at most 6 percentage points.
        assert!((literal[1] - literally).abs() <= 6.0, "{cov}: {} % are not {literally} %", literal[1]);
        assert!(ours[1] <= level(600), "{cov}: {ours:?}");
        assert!(
            cov < 0.05 || ours[2] > 50.0,
            "it says instead that three repetitions do not decide: {ours:?}"
        );
    }
}

#[test]
fn linearity_is_judged_wrongly_in_at_most_its_share() {
    let trials = 120;
    for (cov, n) in cells() {
        let [_, edge] = worlds::linearities(0.9, cov, n, AT_LEAST, trials).map(|tally| tally.percent());
        assert!(edge[0] <= level(trials) && edge[1] <= level(trials), "{cov} {n}: {edge:?}");
        let [_, short] = worlds::linearities(0.85, cov, n, AT_LEAST, trials).map(|tally| tally.percent());
        assert!(short[0] <= level(trials), "{cov} {n}: {short:?}");
    }
}

#[test]
fn of_the_intervals_of_a_ratio_the_one_taken_holds_its_level_where_others_do_not() {
    let worst = |shape, covs, n| intervals::wrong(shape, covs, n, 800).map(|[low, high]| low.max(high));
    for covs in [[0.02, 0.02], [0.2, 0.2], [0.02, 0.2], [0.2, 0.02]] {
        let wrong = worst(Shape::Even, covs, 3);
        assert!(wrong[0] <= level(800), "{covs:?}: {wrong:?}");
    }
    let uneven = worst(Shape::Even, [0.02, 0.2], 3);
    assert!(
        uneven[2] > level(800) && uneven[3] > level(800),
        "{:?}: {uneven:?}",
        intervals::ALL.map(|one| one.0)
    );
}

#[test]
fn a_measured_reference_counts_with_its_uncertainty_for_every_statistic() {
    let trials = 1000;
    for n in [[3, 3], [6, 6], [10, 3], [10, 10]] {
        for (compared, cov) in [(Compared::Mean, 0.05), (Compared::Median, 0.05), (Compared::Min, 0.05)] {
            let truth = if compared == Compared::Min { 1.0 + 1.3 * cov } else { 1.0 };
            let [exact, ours] =
                worlds::references(compared, truth, cov, n, trials).map(|tally| tally.percent());
            assert!(ours[0] <= level(trials), "{compared:?} {n:?}: {ours:?}");
            assert!(ours[0] <= exact[0], "{compared:?} {n:?}: {exact:?} {ours:?}");
        }
    }
    let [exact, _] =
        worlds::references(Compared::Mean, 1.0, 0.05, [10, 3], trials).map(|tally| tally.percent());
    assert!(exact[0] > 12.0, "an exact reference is wrong in far more: {exact:?}");
}

#[test]
fn a_search_and_a_client_limit_are_wrong_in_at_most_their_share() {
    let trials = 400;
    for (cov, n) in [(0.05, 3), (0.05, 5), (0.02, 3)] {
        let [single, ours] =
            nodes::searches(&[0.6, 0.9, 1.1, 1.1], cov, n, trials).map(|tally| tally.percent());
        assert!(ours[1] <= level(trials), "the optimum meets the floor: {cov} {n}: {ours:?}");
        assert!(ours[0] >= single[0], "{single:?} {ours:?}");
        let [_, ours] = nodes::searches(&[0.6, 0.9, 0.9, 0.9], cov, n, trials).map(|tally| tally.percent());
        assert!(ours[0] <= level(trials), "no number of nodes meets it: {cov} {n}: {ours:?}");
        let [_, ours] = nodes::client_limits(0.9, [1.15, 1.2], cov, n, trials).map(|tally| tally.percent());
        assert!(ours[1] <= level(trials), "the clients limit it: {cov} {n}: {ours:?}");
    }
    let slow_gains = nodes::searches(&[0.92, 0.98, 1.04, 1.1], 0.05, 5, trials);
    let [single, ours] = slow_gains.map(|tally| tally.percent());
    assert!(single[1] >= 10.0 && ours[1] <= level(trials), "noise ended the search: {single:?} {ours:?}");
    let [single, ours] = nodes::client_limits(0.9, [1.0, 1.0], 0.05, 5, trials).map(|tally| tally.percent());
    assert!(ours[1] >= 80.0 && single[1] < ours[1], "no gain excuses nothing: {single:?} {ours:?}");
}

#[test]
fn projections_have_the_truth_in_their_interval() {
    for (name, truth) in SCALED {
        let found = worlds::projections(truth, &[1.0, 2.0, 4.0, 8.0], 0.05, 3, 20);
        // 95 % of 20 trials have a standard deviation of 5 percentage points.
        assert!(found.inside >= 80.0 && found.above <= 20.0, "{name}: {found:?}");
        assert!(found.rejected <= 50.0 && found.width > 5.0, "{name}: {found:?}");
    }
}
