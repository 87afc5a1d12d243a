//! The order of the jobs of tests: warm-ups first, then repetition by repetition.
//!
//! Tests that alternate share each round, so that changes over time affect all of them alike. A random order
//! within a round comes from the hash of the plan's file. A resumed campaign and a later evaluation therefore
//! find the same order.
//!
//! Invariant: pure. Every repetition of every test occurs once. The phases of a step stay together.
//! Never here: the content of a job.

use results::folder::sha256;
use results::statistics::Dice;

use super::{PlannedJob, test_job};
use crate::model::{AlternatingTests, Plan, Test, Uses};

/// The jobs that come with the test at `index`. If tests alternate, the last of them brings the jobs of all,
/// and the others bring none.
pub(super) fn launches(plan: &Plan, index: usize, look: usize, before: usize) -> Vec<PlannedJob> {
    let test = &plan.tests[index];
    let Some(AlternatingTests { first, randomized }) = test.course.turns else {
        return rounds(plan, &[index], look, None, before);
    };
    let is_of_look = |test: &&Test| !test.of_look(look).is_empty();
    let next = plan.tests[index + 1..].iter().find(is_of_look);
    if next.is_some_and(|next| next.course.turns == test.course.turns) {
        return Vec::new();
    }
    let hash = || u64::from_str_radix(&sha256(plan.text.as_bytes())[..16], 16).expect("hexadecimal digits");
    let seed = |hash: u64| hash.wrapping_add(first as u64).wrapping_add((look as u64) << 32);
    let dice = randomized.then(|| Dice::new(seed(hash())));
    let tests: Vec<usize> = (first..=index).filter(|test| is_of_look(&&plan.tests[*test])).collect();
    rounds(plan, &tests, look, dice, before)
}

/// The jobs of these tests, round by round. With `dice`, the order of their steps is random in each round.
fn rounds(
    plan: &Plan,
    tests: &[usize],
    look: usize,
    mut dice: Option<Dice>,
    before: usize,
) -> Vec<PlannedJob> {
    let mut jobs = Vec::new();
    let most = |number: &dyn Fn(&Test) -> u32| {
        tests.iter().map(|test| number(&plan.tests[*test])).max().unwrap_or(0)
    };
    for round in 1..=most(&|test| test.course.warm_up) {
        for test in tests.iter().filter(|test| round <= plan.tests[**test].course.warm_up) {
            jobs.push(warm_up_job(plan, *test, look, round, before + jobs.len()));
        }
    }
    let of_one_step = |one: &usize, next: &usize| {
        let step = &plan.tests[*one].step;
        step.is_some() && *step == plan.tests[*next].step
    };
    let mut steps: Vec<&[usize]> = tests.chunk_by(of_one_step).collect();
    let of_look = |test: &Test| test.of_look(look);
    for round in 1..=most(&|test| of_look(test).count() as u32) {
        for left in (2..=steps.len()).rev() {
            if let Some(dice) = &mut dice {
                steps.swap(left - 1, dice.below(left));
            }
        }
        for test in steps.iter().copied().flatten() {
            let mut repetitions = of_look(&plan.tests[*test]);
            if let Some(repetition) = repetitions.nth(round as usize - 1) {
                jobs.push(test_job(plan, *test, repetition, before + jobs.len()));
            }
        }
    }
    jobs
}

/// A job like a repetition of the test, with its own name and files, so that it is excluded.
fn warm_up_job(plan: &Plan, index: usize, look: usize, round: u32, before: usize) -> PlannedJob {
    let test = &plan.tests[index];
    let mut job = test_job(plan, index, *test.of_look(look).start(), before);
    let round = look as u32 * test.course.warm_up + round;
    job.test = test.warm_up_job();
    job.repetition = round;
    job.folder = format!("{:04}-{}-r{round}", job.number, job.test);
    if !matches!(test.uses, Some(Uses::Dataset(_))) {
        job.files = format!("tests/{}-r{round}", job.test);
    }
    job
}

#[cfg(test)]
mod tests {
    use crate::Plan;
    use crate::schedule::jobs;

    /// Four steps of nodes with two phases and five repetitions, in random order.
    const RANDOM: &str = r#"
    schema = 1
    plan = { id = "p", title = "t" }
    fs.scratch = { dir = "{dir}" }
    launch = { kind = "mpirun" }
    [[series]]
    id = "S"
    over = "nodes"
    order = "random"
    steps = ["1", "2", "3", "4"]
    repetitions = 5
    [[series.phases]]
    id = "w"
    ior = "-w -k"
    role = "reported"
    [[series.phases]]
    id = "r"
    uses = "w"
    ior = "-r -k"
    role = "reported"
    "#;

    #[test]
    fn a_random_order_has_each_step_once_per_round_and_is_the_same_for_the_same_plan() {
        let launches = |text: &str| -> Vec<(String, u32)> {
            let all = jobs(&Plan::parse(text, "p.toml").unwrap(), &[]).unwrap();
            all.into_iter().map(|job| (job.test, job.repetition)).collect()
        };
        let all = launches(RANDOM);
        assert_eq!((all.len(), &launches(RANDOM)), (40, &all));
        let mut orders = Vec::new();
        for (round, of_round) in all.chunks(8).enumerate() {
            let mut order = Vec::new();
            for pair in of_round.chunks(2) {
                let [(write, one), (read, other)] = pair else { panic!("{pair:?}") };
                assert_eq!((*one, *other), (round as u32 + 1, round as u32 + 1));
                assert_eq!(write.strip_suffix(".w"), read.strip_suffix(".r"), "phases stay together");
                order.push(write.clone());
            }
            orders.push(order.clone());
            order.sort_unstable();
            assert_eq!(order, ["S.n1.w", "S.n2.w", "S.n3.w", "S.n4.w"]);
        }
        assert!(orders.iter().any(|order| *order != orders[0]), "{orders:?}");
        assert_ne!(launches(&format!("{RANDOM}# another plan\n")), all);
    }
}
