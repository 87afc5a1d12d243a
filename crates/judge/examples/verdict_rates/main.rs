//! Prints how often verdicts are wrong about systems with a known true value: the tables of
//! docs/validation/verdict-rates.md, docs/validation/comparison.md and docs/validation/projection.md. Run it
//! with `cargo run --release -p judge --example verdict_rates`.
#![allow(clippy::print_stdout)]

mod comparison_tables;
mod comparisons;
mod dependent;
mod intervals;
mod looks;
mod nodes;
mod steadiness;
mod worlds;

use worlds::{AT_LEAST, Compared, SCALED, Shape};

const COVS: [f64; 4] = [0.02, 0.05, 0.1, 0.2];
const COUNTS: [usize; 3] = [3, 5, 10];
const TRIALS: u32 = 20_000;
const PROJECTIONS: u32 = 500;

/// The tables by name.
const TABLES: [(&str, fn()); 16] = [
    ("floors", || floors(Shape::Even)),
    ("stalls", || floors(Shape::Stalls)),
    ("until-decided", until_decided),
    ("looks", looks::table),
    ("suggestions", suggestions),
    ("linearities", linearities),
    ("ratios", ratios),
    ("references", references),
    ("alike", alike),
    ("alike-covs", alike_covs),
    ("stalling", stalling),
    ("courses", courses),
    ("nodes", numbers_of_nodes),
    ("projections", projections),
    ("comparisons", comparison_tables::intervals),
    ("families", comparison_tables::families),
];

/// Prints the named tables, or all of them.
fn main() {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |name: &str| named.is_empty() || named.iter().any(|one| one == name);
    TABLES.iter().filter(|(name, _)| wanted(name)).for_each(|(_, table)| table());
}

fn floors(shape: Shape) {
    println!(
        "\nA minimum, distribution of repetitions {shape:?}; percent of {TRIALS} trials.\n\
         Mean: wrong by the mean alone. Ours: wrong / INCONCLUSIVE, if the limit must support it.\n"
    );
    println!("| COV | n | −10 %: mean | ours | −5 %: mean | ours | +5 %: mean | ours | +10 %: mean | ours |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (cov, n) in cells() {
        print!("| {} % | {n} |", cov * 100.0);
        for truth in [0.9, 0.95, 1.05, 1.1] {
            let [literal, ours] = worlds::floors(shape, truth, cov, n, TRIALS).map(|tally| tally.percent());
            let wrong = usize::from(truth > 1.0);
            print!(" {:.1} | {:.1} / {:.0} |", literal[wrong], ours[wrong], ours[2]);
        }
        println!();
    }
}

fn until_decided() {
    println!(
        "\nA floor, 3 repetitions and then what is asked for, up to 4 times: passed / failed / open, \
         repetitions.\n"
    );
    println!("| COV | −10 % | −5 % | −2 % | exactly | +5 % | +10 % |\n|---|---|---|---|---|---|---|");
    for cov in COVS {
        print!("| {} % |", cov * 100.0);
        for truth in [0.9, 0.95, 0.98, 1.0, 1.05, 1.1] {
            let (tally, used) = worlds::until_decided(truth, cov, 4, TRIALS / 4);
            let [passed, failed, open] = tally.percent();
            print!(" {passed:.1} / {failed:.1} / {open:.0}, {used:.0} |");
        }
        println!();
    }
}

fn suggestions() {
    println!(
        "\nINCONCLUSIVE at a floor, and a new campaign of the suggested number; percent of {} trials:\n\
         INCONCLUSIVE; of these a number suggested; of these decided; mean number.\n",
        TRIALS / 4
    );
    println!("| COV | n | −5 % | −2 % | exactly | +5 % | +10 % |\n|---|---|---|---|---|---|---|");
    for (cov, n) in cells() {
        print!("| {} % | {n} |", cov * 100.0);
        for truth in [0.95, 0.98, 1.0, 1.05, 1.1] {
            let found = worlds::suggested(truth, cov, n, TRIALS / 4);
            let worlds::Suggested { open, suggested, decided, repetitions } = found;
            print!(" {open:.0}; {suggested:.0}; {decided:.0}; {repetitions:.0} |");
        }
        println!();
    }
}

fn linearities() {
    println!("\nWithin 10 % of linear at 2 and 3 times the first step; percent of {} trials.\n", TRIALS / 4);
    println!(
        "| COV | n | linear: failed by means | ours: failed / open | \
         15 % short: passed by means | ours: passed / open |"
    );
    println!("|---|---|---|---|---|---|");
    for (cov, n) in cells() {
        let linear = worlds::linearities(1.0, cov, n, AT_LEAST, TRIALS / 4).map(|tally| tally.percent());
        let short = worlds::linearities(0.85, cov, n, AT_LEAST, TRIALS / 4).map(|tally| tally.percent());
        print!(
            "| {} % | {n} | {:.1} | {:.1} / {:.0} |",
            cov * 100.0,
            linear[0][1],
            linear[1][1],
            linear[1][2]
        );
        println!(" {:.1} | {:.1} / {:.0} |", short[0][0], short[1][0], short[1][2]);
    }
}

fn ratios() {
    println!(
        "\nA ratio of two means: percent of {TRIALS} trials in which a one-sided 95 % bound was wrong,\n\
         low / high.\n"
    );
    println!("| COVs | n | {} |", intervals::ALL.map(|(name, _)| name).join(" | "));
    println!("|---|---|---|---|---|---|");
    let pairs = [(0.02, 0.02), (0.1, 0.1), (0.2, 0.2), (0.02, 0.2), (0.2, 0.02)];
    let even = pairs.map(|pair| (Shape::Even, pair));
    for (shape, (one, other)) in even.into_iter().chain([(Shape::Stalls, (0.2, 0.02))]) {
        for n in COUNTS {
            let wrong = intervals::wrong(shape, [one, other], n, TRIALS);
            let cells = wrong.map(|[low, high]| format!("{low:.1} / {high:.1}")).join(" | ");
            println!("| {shape:?} {} %, {} % | {n} | {cells} |", one * 100.0, other * 100.0);
        }
    }
}

fn references() {
    println!(
        "\nAt least as much as another test, at exactly its mean; percent of {TRIALS} trials passed.\n\
         Exact: the reference without its uncertainty. Ours: passed / INCONCLUSIVE, and 20 % above.\n"
    );
    println!("| statistic | COV | n | of the reference | exact | ours | 20 % above: ours |");
    println!("|---|---|---|---|---|---|---|");
    for compared in [Compared::Mean, Compared::Median, Compared::Min] {
        for (cov, n) in
            [0.05, 0.1].into_iter().flat_map(|cov| [[3, 3], [6, 6], [10, 3], [10, 10]].map(|n| (cov, n)))
        {
            // The smallest of several values is about the goal if their mean is above it.
            let least = if compared == Compared::Min { 1.0 + 1.3 * cov } else { 1.0 };
            let of = |truth| worlds::references(compared, truth, cov, n, TRIALS).map(|tally| tally.percent());
            let ([exact, ours], [_, above]) = (of(least), of(least * 1.2));
            print!("| {compared:?} | {} % | {} | {} |", cov * 100.0, n[0], n[1]);
            println!(
                " {:.1} | {:.1} / {:.0} | {:.1} / {:.0} |",
                exact[0], ours[0], ours[2], above[0], above[2]
            );
        }
    }
}

fn alike() {
    println!(
        "\nNeighbours alike, a system exactly at the floor, COV 5 %; percent of {TRIALS} trials:\n\
         passed as if independent, passed / INCONCLUSIVE by ours, dependence reported.\n"
    );
    println!("| lag-1 correlation | n | as if independent | ours | reported |\n|---|---|---|---|---|");
    for lag_one in [0.0, 0.3, 0.5, 0.7, 0.9] {
        for n in [3, 5, 10, 20] {
            let found = dependent::alike(lag_one, 0.05, n, TRIALS);
            let (plain, ours) = (found.plain.percent(), found.ours.percent());
            let reported = found.reported;
            println!(
                "| {lag_one} | {n} | {:.1} | {:.1} / {:.0} | {reported:.0} |",
                plain[0], ours[0], ours[2]
            );
        }
    }
}

fn alike_covs() {
    println!(
        "\nNeighbours alike, a system exactly at a maximum of its variability, 5 %; percent of {} trials:\n\
         passed by the limit of independent values; by ours.\n",
        TRIALS / 4
    );
    println!("| lag-1 correlation | n = 3 | n = 5 | n = 10 | n = 20 |\n|---|---|---|---|---|");
    for lag_one in [0.0, 0.5, 0.7, 0.9] {
        print!("| {lag_one} |");
        for n in [3, 5, 10, 20] {
            let [plain, ours] = dependent::alike_cov(lag_one, 0.05, n, TRIALS / 4);
            print!(" {plain:.1}; {ours:.1} |");
        }
        println!();
    }
}

fn stalling() {
    println!(
        "\nOne repetition in ten stalls; percent of {TRIALS} trials: passed / INCONCLUSIVE,\n\
         stall reported, for a true mean at the floor, and 5 % below.\n"
    );
    println!("| stall | COV of the others | n | at the floor | 5 % below |\n|---|---|---|---|---|");
    for (depth, cov) in [(0.2, 0.02), (0.5, 0.02), (0.5, 0.05), (0.9, 0.02), (0.9, 0.05)] {
        for n in [3, 5, 10, 20] {
            print!("| {} % | {} % | {n} |", depth * 100.0, cov * 100.0);
            for above in [0.0, 0.05 / 0.95] {
                let found = dependent::stalling(depth, cov, above, n, TRIALS);
                let ours = found.ours.percent();
                print!(" {:.1} / {:.0}, {:.0} |", ours[0], ours[2], found.reported);
            }
            println!();
        }
    }
}

fn courses() {
    println!(
        "\nSteady at a window of 30 s, slope 10 %, range 20 %; percent of {} runs: steady / not / unclear.\n",
        TRIALS / 10
    );
    println!("| fall in 30 s | COV | memory | 30 s measured | 60 s | 120 s |\n|---|---|---|---|---|---|");
    for fall in [0.0, 0.04, 0.08] {
        for (cov, memory) in [(0.02, 2.0), (0.05, 1.0), (0.05, 2.0), (0.05, 5.0), (0.1, 2.0), (0.2, 2.0)] {
            print!("| {} % | {} % | {memory} s |", fall * 100.0, cov * 100.0);
            for measured in [30.0, 60.0, 120.0] {
                let course = steadiness::Course { fall, cov, memory };
                let [steady, not, unclear] = steadiness::answers(course, measured, TRIALS / 10);
                print!(" {steady:.1} / {not:.1} / {unclear:.1} |");
            }
            println!();
        }
    }
}

fn numbers_of_nodes() {
    println!("\nPercent of {} trials, single jobs and ours: PASS / FAIL / INCONCLUSIVE.\n", TRIALS / 4);
    println!("| rule | true rates over the floor | COV | n | single | ours |\n|---|---|---|---|---|---|");
    let row = |what: &str, rates: &str, (cov, n): (f64, usize), found: [worlds::Tally; 2]| {
        let texts = found.map(|tally| {
            let [passed, failed, open] = tally.percent();
            format!("{passed:.1} / {failed:.1} / {open:.1}")
        });
        println!("| {what} | {rates} | {} % | {n} | {} | {} |", cov * 100.0, texts[0], texts[1]);
    };
    let grid = || [0.02, 0.05].into_iter().flat_map(|cov| [3, 5, 10].map(|n| (cov, n)));
    for (cov, n) in grid() {
        for rates in [[0.92, 0.98, 1.04, 1.1], [0.6, 0.9, 1.1, 1.1], [0.6, 0.9, 0.9, 0.9]] {
            let found = nodes::searches(&rates, cov, n, TRIALS / 4);
            row("search", &rates.map(|rate| rate.to_string()).join(" "), (cov, n), found);
        }
    }
    for (cov, n) in grid() {
        for (own, gains) in [(0.9, [1.0, 1.0]), (0.9, [1.15, 1.2])] {
            let found = nodes::client_limits(own, gains, cov, n, TRIALS / 4);
            row(
                "client_limit",
                &format!("{own}, with more nodes times {} {}", gains[0], gains[1]),
                (cov, n),
                found,
            );
        }
    }
}

fn projections() {
    println!(
        "\nProjected to twice the largest step, 3 repetitions; percent of {PROJECTIONS} trials: rejected;"
    );
    println!("of the others truth inside the 95 % interval / interval wholly above it; its mean width.\n");
    println!("| system | steps | COV 2 % | 5 % | 10 % | 20 % |\n|---|---|---|---|---|---|");
    let sizes: [&[f64]; 3] = [&[2.0, 4.0, 6.0], &[1.0, 2.0, 4.0, 8.0], &[1.0, 2.0, 3.0, 4.0, 6.0, 8.0]];
    // One whose cost hardly shows where it is measured: what an interval cannot know.
    let systems = SCALED.into_iter().chain([("USL, 0 %, 0.1 %", [0.0, 0.001])]);
    for ((name, truth), sizes) in systems.flat_map(|world| sizes.map(|sizes| (world, sizes))) {
        let steps: Vec<String> = sizes.iter().map(f64::to_string).collect();
        print!("| {name} | {} |", steps.join(" "));
        for cov in COVS {
            let found = worlds::projections(truth, sizes, cov, 3, PROJECTIONS);
            let worlds::Projected { rejected, inside, above, width } = found;
            print!(" {rejected:.0}; {inside:.0} / {above:.0}; {width:.0} |");
        }
        println!();
    }
}

fn cells() -> impl Iterator<Item = (f64, usize)> {
    COVS.into_iter().flat_map(|cov| COUNTS.map(|n| (cov, n)))
}
