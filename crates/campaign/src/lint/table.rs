//! The lints, a row each: how grave, who said it, why, and the checks that look for it.
//!
//! Invariant: ids are unique and stay; a lint has a check, or says where it is told.

// tidy: long because a table of lints is read as one.

use super::after::{self, AfterSubject};
use super::before::{self, BeforeSubject};
use super::checks::{cache, clauses, names, series, shape, stonewall};
use super::document::{self, ReportSubject};
use super::runs::{self, RunsSubject};
use super::state::{self, StateSubject};
use super::subject::{LineSubject, PlanSubject};
use super::{Finding, Found, Level, Stage};

/// One way to look for a lint.
#[derive(Clone, Copy)]
pub enum Check {
    /// In the words of one command.
    Line(fn(&LineSubject) -> Vec<Found>),
    /// In a whole plan.
    Plan(fn(&PlanSubject) -> Vec<Found>),
    /// On the machine, before the first job.
    Before(for<'a, 'b> fn(&'a BeforeSubject<'b>) -> Vec<Found>),
    /// In what the nodes of each job said.
    Run(for<'a, 'b> fn(&'a RunsSubject<'b>) -> Vec<Found>),
    /// In what the file system was meanwhile.
    State(fn(&StateSubject) -> Vec<Found>),
    /// In what was measured.
    After(for<'a, 'b> fn(&'a AfterSubject<'b>) -> Vec<Found>),
    /// In what is reported.
    Report(fn(&ReportSubject) -> Vec<Found>),
    /// Elsewhere in this program: when, and how it is told there.
    Told(Stage, &'static str),
    /// By the judge, from what was recorded: how it is told there. What is shown by that outweighs what the
    /// words of a line let one expect.
    Judged(Shown, &'static str),
}

/// What of the records shows that a finding about a line did not come true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// All that the lint is about: the judge decides it.
    Whole,
    /// What of the data was in the page cache before it was read, where that was looked at.
    Cache,
    /// How many ranks had nothing left before the deadline.
    RanDry,
}

impl Check {
    /// When it looks.
    pub fn stage(&self) -> Stage {
        match self {
            Self::Line(_) | Self::Plan(_) => Stage::Plan,
            Self::Before(_) => Stage::Before,
            Self::State(_) | Self::Run(_) | Self::After(_) | Self::Judged(..) => Stage::After,
            Self::Report(_) => Stage::Report,
            Self::Told(stage, _) => *stage,
        }
    }
}

/// An opinion about storage tests.
pub struct Lint {
    /// Its id.
    pub id: &'static str,
    /// How grave it is, unless a case says otherwise.
    pub level: Level,
    /// Who said it, or where it was met.
    pub source: &'static str,
    /// Why, in a sentence.
    pub reason: &'static str,
    /// How it is looked for.
    pub checks: &'static [Check],
}

impl Lint {
    /// The stages at which it is looked at, in their order.
    pub fn stages(&self) -> Vec<Stage> {
        let mut stages: Vec<Stage> = self.checks.iter().map(Check::stage).collect();
        stages.sort_unstable();
        stages.dedup();
        stages
    }

    /// What of the records outweighs what a line lets one expect, where the judge looks at it.
    pub fn shown(&self) -> Option<Shown> {
        self.checks.iter().find_map(|check| match check {
            Check::Judged(shown, _) => Some(*shown),
            _ => None,
        })
    }

    /// How it is told elsewhere in this program.
    pub fn told(&self) -> impl Iterator<Item = &'static str> {
        self.checks.iter().filter_map(|check| match check {
            Check::Told(_, how) | Check::Judged(_, how) => Some(*how),
            _ => None,
        })
    }
}

/// What `look` finds by each check, in the order of the table.
pub(super) fn all_found(look: impl Fn(&Check) -> Vec<Found>) -> Vec<Finding> {
    let of = |lint: &'static Lint| lint.checks.iter().map(move |check| (lint, check));
    let found = LINTS
        .iter()
        .flat_map(of)
        .flat_map(|(lint, check)| look(check).into_iter().map(|found| found.of(lint)).collect::<Vec<_>>());
    found.collect()
}

/// The lint with this id.
pub fn named(id: &str) -> Option<&'static Lint> {
    LINTS.iter().find(|lint| lint.id == id)
}

use Check::{After, Before, Judged, Line, Plan, Report, Run, State, Told};

/// All of them, in the order in which findings are told.
pub const LINTS: &[Lint] = &[
    Lint {
        id: "write-iops-buffered",
        level: Level::Waiver,
        source: "Lockwood, IOR results at NERSC",
        reason: "Caches gather and reorder small random writes: a user's view, not the servers' work",
        checks: &[Line(cache::write_iops)],
    },
    Lint {
        id: "client-cache-fit",
        level: Level::Waiver,
        source: "NERSC-10 benchmark rules (1.5 times the memory); MLPerf Storage rules (5 times)",
        reason: "Data that fits the memory of the clients is written to it and read from it",
        checks: &[
            Line(cache::cache_fit),
            Judged(Shown::Cache, "the warning `fits a client's memory`; reads that were cached are INVALID"),
        ],
    },
    Lint {
        id: "missing-persist",
        level: Level::Error,
        source: "Lockwood, IOR results at NERSC; IO500 rules",
        reason: "Without an fsync in its time a write ends while the data is still in memory",
        checks: &[
            Line(cache::persist),
            Told(Stage::After, "the warning `not made durable`, of any workload"),
        ],
    },
    Lint {
        id: "wr-same-launch",
        level: Level::Waiver,
        source: "Lockwood, IOR results at NERSC",
        reason: "A read in the launch that wrote finds what it wrote in caches",
        checks: &[Line(cache::same_launch), Judged(Shown::Cache, "reads that were cached are INVALID")],
    },
    Lint {
        id: "reader-is-writer",
        level: Level::Error,
        source: "Lockwood, IOR results at NERSC; NERSC-10 benchmark rules (tasks shifted by those of a node)",
        reason: "A rank that reads what its own node wrote reads that node's memory",
        checks: &[
            Line(cache::reader_is_writer),
            Judged(Shown::Cache, "reads that were cached are INVALID; names on their own node too"),
        ],
    },
    Lint {
        id: "read-beyond-written",
        level: Level::Error,
        source: "Lockwood, IOR results at NERSC",
        reason: "Behind the end of a file nothing is read: IOR aborts, or the number is of an empty read",
        checks: &[
            Line(stonewall::beyond),
            Told(
                Stage::Plan,
                "refused: a reader of more than there is, or of a stopped dataset without a status file",
            ),
        ],
    },
    Lint {
        id: "sparse-random-write",
        level: Level::Waiver,
        source: "IOR issue 261",
        reason: "Random writes into a new file measure allocation as well",
        checks: &[Line(cache::sparse)],
    },
    Lint {
        id: "wearout-on-measured",
        level: Level::Error,
        source: "Lockwood, IOR results at NERSC",
        reason: "Wear-out waits for the slowest rank, as an application does: not what is sustained",
        checks: &[Line(stonewall::wear_out)],
    },
    Lint {
        id: "no-wearout-on-dataset",
        level: Level::Error,
        source: "Lockwood, IOR results at NERSC",
        reason: "A stopped dataset without wear-out has files of unequal size, and readers meet their ends",
        checks: &[
            Line(stonewall::no_wear_out),
            Told(Stage::Plan, "refused: a dataset with -D and without stoneWallingWearOut"),
        ],
    },
    Lint {
        id: "sustained-not-met",
        level: Level::Error,
        source: "Lockwood, IOR results at NERSC",
        reason: "A rate is sustained only for as long as it was measured",
        checks: &[
            Line(stonewall::sustained),
            After(after::sustained),
            Judged(Shown::Whole, "a phase or a rank that was done before is INVALID"),
        ],
    },
    Lint {
        id: "runs-dry",
        level: Level::Error,
        source: "Lockwood, IOR results at NERSC",
        reason: "Ranks that have nothing left before the deadline are counted as if they worked",
        checks: &[
            Line(stonewall::runs_dry),
            Judged(
                Shown::RanDry,
                "the warning `ran dry before the deadline`; INVALID where it was to be expected",
            ),
        ],
    },
    Lint {
        id: "dataset-too-small",
        level: Level::Error,
        source: "Lockwood, IOR results at NERSC",
        reason: "A reader at the end of its files before its time is up sustained nothing",
        checks: &[
            Line(stonewall::too_small),
            Told(Stage::Plan, "refused: a dataset that cannot hold what its `cover` asks for"),
            Judged(
                Shown::RanDry,
                "readers of a dataset that came out smaller than its `cover` are left out, INVALID",
            ),
        ],
    },
    Lint {
        id: "hero-as-contract",
        level: Level::Error,
        source: "Lockwood, IOR results at NERSC",
        reason: "Larger transfers and chosen nodes show what a system can do, not what was bought",
        checks: &[Line(shape::hero), Told(Stage::Plan, "refused: a hero run with a criterion")],
    },
    Lint {
        id: "client-limited",
        level: Level::Info,
        source: "Lockwood, IOR results at NERSC",
        reason: "Where more clients raise the number it is theirs, and a lower bound",
        checks: &[
            After(after::client_limited),
            Told(
                Stage::After,
                "the warnings `measured from one client node` and, with `client_limit`, `client-limited`",
            ),
        ],
    },
    Lint {
        id: "node-fraction",
        level: Level::Error,
        source: "Lockwood, IOR results at NERSC",
        reason: "A share of the nodes is a number only with what was delivered",
        checks: &[
            Told(Stage::Plan, "refused: a share of unknown nodes"),
            Told(Stage::Plan, "`plan check` prints what a share comes to, of how many nodes"),
        ],
    },
    Lint {
        id: "geometry",
        level: Level::Error,
        source: "Lockwood, IOR results at NERSC (28 nodes × 8 and 184 ranks)",
        reason: "Ranks, nodes and sizes that contradict each other describe no run",
        checks: &[
            Line(shape::geometry),
            Told(Stage::Plan, "refused: ranks of a test that are not its nodes times the ranks of each"),
        ],
    },
    Lint {
        id: "role-mismatch",
        level: Level::Error,
        source: "Blue Waters IO-2017 (a read test with -w)",
        reason: "A line that does not do what its clause is about measures something else",
        checks: &[
            Line(shape::role),
            Told(Stage::Plan, "refused: a criterion on a phase that the line has not"),
        ],
    },
    Lint {
        id: "path-on-wrong-fs",
        level: Level::Error,
        source: "Lockwood, IOR results at NERSC (a result on another file system than its title)",
        reason: "A path elsewhere measures another file system",
        checks: &[
            Line(shape::place),
            Told(Stage::Plan, "refused: a path outside the campaign's own directory"),
            Run(runs::mounts),
        ],
    },
    Lint {
        id: "option-drift",
        level: Level::Error,
        source: "Blue Waters IO-2017 (mdtest -k); Lockwood, IOR results at NERSC (-H, lustrestripecount)",
        reason: "Options come, go, change their meaning between versions, and are mistyped",
        checks: &[Line(shape::changed), Line(shape::drift), Told(Stage::Plan, "refused: unknown options")],
    },
    Lint {
        id: "options-in-file",
        level: Level::Waiver,
        source: "IOR 4.1 (-f)",
        reason: "What a line takes from a file decides what it measures, and is not in the line",
        checks: &[Line(shape::hidden), Told(Stage::Plan, "refused: a plan's line with -f")],
    },
    Lint {
        id: "layout-undeclared",
        level: Level::Waiver,
        source: "Lockwood, IOR results at NERSC; Blue Waters IO-2017",
        reason: "Stripes decide how many servers a file can use",
        checks: &[Line(shape::layout), Line(shape::reach), State(state::layout)],
    },
    Lint {
        id: "cb-state-unset",
        level: Level::Waiver,
        source: "Lockwood, IOR results at NERSC",
        reason: "Collective buffering decides who talks to the servers; unsaid, the library chooses",
        checks: &[Line(cache::collective)],
    },
    Lint {
        id: "fill-recorded",
        level: Level::Error,
        source: "Lockwood, IOR results at NERSC (66 % and 53 % of the former rates on fuller targets)",
        reason: "File systems slow down as they fill, so a number without its fill compares with nothing",
        checks: &[Before(before::fill_recorded), State(state::band)],
    },
    Lint {
        id: "not-aged",
        level: Level::Error,
        source: "LLNL Purple GPFS acceptance (80 % of the blocks, 20 % of the inodes)",
        reason: "An empty file system finds free space and names at once",
        checks: &[Line(names::aged), Told(Stage::After, "a state of age that was not reached is INVALID")],
    },
    Lint {
        id: "fill-is-not-age",
        level: Level::Waiver,
        source: "LUG 2017, Kaitschuck; HotStorage 2019, Conway and others",
        reason: "Sequential filling leaves free space in one piece; fragmentation costs more than fill",
        checks: &[
            Plan(names::only_filled),
            Told(Stage::After, "the state's turnovers and the files in several pieces are told"),
        ],
    },
    Lint {
        id: "preload-count",
        level: Level::Error,
        source: "Blue Waters IO-2017",
        reason: "A million files in a directory are counted, not assumed",
        checks: &[Judged(Shown::Whole, "a state whose files were not all counted is INVALID")],
    },
    Lint {
        id: "shared-unique-pair",
        level: Level::Error,
        source: "Blue Waters IO-2017",
        reason: "One directory for all and one for each are two tests, and servers do well in one of them",
        checks: &[Plan(names::pair)],
    },
    Lint {
        id: "md-same-node",
        level: Level::Waiver,
        source: "NERSC-10 benchmark rules",
        reason: "Names looked at on the node that made them come from its cache",
        checks: &[Line(names::same_node), Told(Stage::After, "names on their own node are INVALID")],
    },
    Lint {
        id: "md-too-short",
        level: Level::Waiver,
        source: "NERSC-10 benchmark rules; IO500 rules",
        reason: "A short phase is one of caches and start-up",
        checks: &[Line(names::too_few), After(after::too_short)],
    },
    Lint {
        id: "rate-too-short",
        level: Level::Waiver,
        source: "IO500 rules; Lockwood, IOR results at NERSC",
        reason: "In a fraction of a second the start, one stall or a cache is the rate",
        checks: &[Line(shape::instant), After(after::instant)],
    },
    Lint {
        id: "stat-unnamed",
        level: Level::Error,
        source: "Blue Waters IO-2017",
        reason: "Mean, minimum and maximum of ten repetitions are three numbers",
        checks: &[Line(clauses::stat)],
    },
    Lint {
        id: "reps-short",
        level: Level::Waiver,
        source: "Blue Waters IO-2017",
        reason: "Fewer repetitions than asked for, or in one launch, support less",
        checks: &[Line(clauses::short), Told(Stage::After, "fewer repetitions than planned are INVALID")],
    },
    Lint {
        id: "cov-missing",
        level: Level::Waiver,
        source: "Blue Waters IO-2017",
        reason: "A number without its scatter supports nothing",
        checks: &[
            After(after::no_scatter),
            Told(Stage::After, "the warning `one repetition says nothing about scatter`"),
        ],
    },
    Lint {
        id: "cov-high",
        level: Level::Waiver,
        source: "Blue Waters IO-2017 (33 % for deletes)",
        reason: "Repetitions that scatter by more than a tenth do not measure one thing",
        checks: &[
            After(after::scatter),
            Told(
                Stage::After,
                "the warning `the repetitions scatter`; the bound of the mean decides, and `cov_max`",
            ),
        ],
    },
    Lint {
        id: "ior-sd-population",
        level: Level::Info,
        source: "IOR 4.1",
        reason: "The StdDev of IOR divides by n, that of mdtest by n−1",
        checks: &[Told(Stage::After, "by construction: deviations are of single repetitions, over n−1")],
    },
    Lint {
        id: "stonewall-mib-per-rank",
        level: Level::Error,
        source: "IOR 4.1",
        reason: "Stonewall(MiB) of IOR is the mean of one rank, not of all",
        checks: &[Told(Stage::After, "by construction: records have the bytes of all ranks at the deadline")],
    },
    Lint {
        id: "mdtest-rate-meaning",
        level: Level::Info,
        source: "mdtest 4.1",
        reason: "mdtest multiplies the slowest rank's rate by the ranks: a straggler scales all",
        checks: &[Told(Stage::After, "by construction: a rate is all operations over the time of all ranks")],
    },
    Lint {
        id: "harmonic",
        level: Level::Waiver,
        source: "Hoefler and Belli, Scientific Benchmarking of Parallel Computing Systems",
        reason: "Rates of repetitions of fixed size have to be averaged by their bytes and times",
        checks: &[
            After(after::harmonic),
            Told(Stage::After, "the warning `all of them over all their time`, beside the mean"),
        ],
    },
    Lint {
        id: "linearity-base",
        level: Level::Error,
        source: "Blue Waters IO-2017",
        reason: "Scaling is judged from one server on, with servers counted and clients enough",
        checks: &[Plan(series::base)],
    },
    Lint {
        id: "optimal-undefined",
        level: Level::Error,
        source: "Blue Waters IO-2017 (50 % of optimal at every step)",
        reason: "A share of an optimum that is not named, at steps that are not named, cannot be judged",
        checks: &[Line(clauses::optimal)],
    },
    Lint {
        id: "threshold-missing",
        level: Level::Error,
        source: "Lockwood, IOR results at NERSC (no threshold is published)",
        reason: "A clause that asks for something needs its number for a verdict",
        checks: &[
            Line(clauses::threshold),
            Told(Stage::Plan, "refused: a contract test without a criterion"),
        ],
    },
    Lint {
        id: "table-label",
        level: Level::Waiver,
        source: "Blue Waters IO-2017 (results in Table 4 that is Table 3)",
        reason: "A table that is spoken of by a number that it does not have is filled in wrongly",
        checks: &[Plan(clauses::tables)],
    },
    Lint {
        id: "no-steady-state",
        level: Level::Error,
        source: "Blue Waters IO-2017; SNIA Performance Test Specification",
        reason: "A rate that still changes is none",
        checks: &[
            After(after::unsteady),
            Judged(Shown::Whole, "a repetition that was not steady as its test asks is INVALID"),
        ],
    },
    Lint {
        id: "unchecked-data",
        level: Level::Waiver,
        source: "LLNL Purple GPFS acceptance (all tests with data checking)",
        reason: "Data that nobody reads again may be anything",
        checks: &[Line(clauses::check_in_time), Plan(clauses::unchecked)],
    },
    Lint {
        id: "compressible",
        level: Level::Waiver,
        source: "IO500 rules",
        reason: "A store that makes data smaller writes less than is counted",
        checks: &[Line(cache::compressible)],
    },
    Lint {
        id: "no-room",
        level: Level::Error,
        source: "Lockwood, IOR results at NERSC",
        reason: "A test that fills the file system measures its end",
        checks: &[Told(
            Stage::Before,
            "refused: a run whose files or names do not fit, or not into a quota, with 10 % to spare",
        )],
    },
    Lint {
        id: "overlap",
        level: Level::Error,
        source: "LLNL Purple GPFS acceptance (an application beside IOR)",
        reason: "Rates of parts that did not run at once are not rates under load",
        checks: &[
            After(after::overlap),
            Judged(Shown::Whole, "parts that ran beside each other for less than `overlap` are INVALID"),
        ],
    },
    Lint {
        id: "two-fs-balance",
        level: Level::Error,
        source: "LLNL Purple GPFS acceptance (even ranks on one file system, odd on the other)",
        reason: "The sum over two file systems is that of both only if both did their share",
        checks: &[After(after::balance)],
    },
    Lint {
        id: "one-fs-twice",
        level: Level::Error,
        source: "LLNL Purple GPFS acceptance (even ranks on one file system, odd on the other)",
        reason: "Two names of one file system make a test of one out of one of two",
        checks: &[Before(before::twice), After(after::twice)],
    },
    Lint {
        id: "ls-walk",
        level: Level::Error,
        source: "LLNL Purple GPFS acceptance (ten `ls -lR` of more than 100 000 entries)",
        reason: "Walks of small, shared or cached trees do not reach the servers",
        checks: &[
            Line(names::walk),
            After(after::walk),
            Told(Stage::After, "walks of names in memory are INVALID"),
        ],
    },
    Lint {
        id: "exclusive",
        level: Level::Waiver,
        source: "IO500 rules; ORNL acceptance practice",
        reason: "What others do on the servers is in the number",
        checks: &[State(state::exclusive)],
    },
    Lint {
        id: "degraded",
        level: Level::Error,
        source: "ORNL acceptance practice",
        reason: "A server that is down or a rebuild is another system",
        checks: &[
            State(state::degraded),
            Told(Stage::Before, "refused: a state in which something is down, where nothing would tell it"),
        ],
    },
    Lint {
        id: "clock-skew",
        level: Level::Error,
        source: "ORNL I/O benchmark rules",
        reason: "Windows over several launches need one time",
        checks: &[Run(runs::skew)],
    },
    Lint {
        id: "projected-as-measured",
        level: Level::Error,
        source: "Blue Waters IO-2017",
        reason: "A projection says that it is one, from what, how, and how far",
        checks: &[Told(
            Stage::Report,
            "by construction: what is projected stands in a column of its own with its system, model, \
             interval and reach, or with why there is no number",
        )],
    },
    Lint {
        id: "audit-gap",
        level: Level::Error,
        source: "Blue Waters IO-2017",
        reason: "Without its evidence a number cannot be checked",
        checks: &[Report(document::audit)],
    },
    Lint {
        id: "not-packed",
        level: Level::Waiver,
        source: "Blue Waters IO-2017",
        reason: "Nodes that are not full show less contention than applications meet",
        checks: &[Line(cache::packed)],
    },
    Lint {
        id: "dead-criterion",
        level: Level::Error,
        source: "public benchmark suites whose conditions match anything",
        reason: "A criterion that cannot fail, or cannot be met, decides nothing",
        checks: &[Line(clauses::dead), Told(Stage::Plan, "refused: a metric that the line does not yield")],
    },
    Lint {
        id: "units",
        level: Level::Error,
        source: "Blue Waters IO-2017 (TB/s asked, MiB/s printed)",
        reason: "Powers of 1000 and of 1024 are 10 % apart at a T",
        checks: &[
            Line(clauses::units),
            Plan(clauses::mixed_units),
            Told(Stage::Plan, "refused: a number without a unit"),
        ],
    },
    Lint {
        id: "optional-stopping",
        level: Level::Error,
        source: "NERSC-10 benchmark rules",
        reason: "The best of several is above the truth, the more so the more there are",
        checks: &[
            Told(
                Stage::Report,
                "by construction: every attempt is listed, and one that ended is never made again",
            ),
            Told(
                Stage::After,
                "a repetition that is there twice is INVALID; of killed attempts the verdict warns",
            ),
        ],
    },
    Lint {
        id: "cherry-pair",
        level: Level::Error,
        source: "NERSC-10 benchmark rules",
        reason: "The best write and the best read of different runs are no run",
        checks: &[Told(
            Stage::Report,
            "by construction: a report is of one campaign, and a reader reads what its plan says that it \
             `uses`",
        )],
    },
    Lint {
        id: "wearout-tail",
        level: Level::Waiver,
        source: "IO500 issue 14",
        reason: "A long wear-out tells of ranks that were far behind",
        checks: &[After(after::tail)],
    },
    Lint {
        id: "straggler",
        level: Level::Waiver,
        source: "Blue Waters IO-2017 (the smallest file has 46 % of the mean)",
        reason: "A rank far behind the others tells of a slow node or target",
        checks: &[
            After(after::straggler),
            Told(Stage::After, "the warnings about slow ranks, nodes and targets, by their rates"),
        ],
    },
    Lint {
        id: "above-physics",
        level: Level::Error,
        source: "IO500 issue 109",
        reason: "What is faster than links or than sequential transfers came from a cache",
        checks: &[After(after::physics)],
    },
    Lint {
        id: "cross-version",
        level: Level::Waiver,
        source: "IO500 issue 109; IOR issues 90, 300, 495",
        reason: "A metric that changed with a version is another metric",
        checks: &[Told(
            Stage::Report,
            "by construction: a report is of one campaign, which one build of this program ran from its \
             first job to its last",
        )],
    },
    Lint {
        id: "waiver",
        level: Level::Error,
        source: "this program",
        reason: "A waiver names a lint that found something, a reason and a person",
        checks: &[Told(Stage::Plan, "where waivers are taken into account")],
    },
];
