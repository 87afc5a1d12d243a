//! The facts that are compared, and in which of them campaigns differ.
//!
//! A utilization differs from one percent of the file system on. A test that one campaign lacks is one
//! difference, and other command lines explain other parameters.
//!
//! Invariant: pure. Equal facts are never a difference.
//! Never here: where facts come from, whether a difference matters.

use std::collections::{BTreeMap, BTreeSet};

use crate::reason::Datum;

/// A fact in which campaigns differ.
#[derive(Clone, Debug, PartialEq)]
pub struct FactDifference {
    /// The fact.
    pub fact: ComparedFact,
    /// The test, the file system or the parameter that it is about; empty for the campaign.
    pub about: String,
    /// Its value in each campaign; absent where it is not known.
    pub values: Vec<Option<Datum>>,
}

/// The parts of a campaign that facts are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactArea {
    /// The plan.
    Plan,
    /// The program.
    Program,
    /// Nodes, kernels, libraries.
    Machine,
    /// File systems, and the layout of files.
    FileSystem,
}

macro_rules! facts {
    ($($variant:ident = $area:ident $word:literal: $meaning:literal;)*) => {
        units::words! {
            /// A fact that is compared.
            #[derive(PartialOrd, Ord)]
            pub enum ComparedFact {
                $(#[doc = $meaning] $variant = $word,)*
            }
        }

        impl ComparedFact {
            /// The part of the campaign that it is about.
            pub fn area(self) -> FactArea {
                match self {
                    $(Self::$variant => FactArea::$area,)*
                }
            }
        }
    };
}

facts! {
    PlanId = Plan "plan": "The id of the plan.";
    PlanHash = Plan "plan-sha256": "The SHA-256 of the plan.";
    Scale = Plan "scale": "The scale of the plan.";
    Parameter = Plan "parameter": "The value of a parameter of the plan.";
    Selected = Plan "selected": "The tests that were selected.";
    TestPlanned = Plan "test": "Whether the plan has the test.";
    Criteria = Plan "criteria": "The criteria of a test.";
    Repetitions = Plan "repetitions": "The repetitions of a test.";
    Command = Plan "command": "The command line of a test.";
    Setup = Plan "setup": "The shell commands before each job of a test.";
    Source = Plan "source": "The command lines that write what a test reads.";
    State = Plan "state": "The states that a test needs.";
    Parameters = Plan "parameters": "A recorded parameter of a test.";
    Course = Plan "course": "The other requirements on a test.";
    Waived = Plan "waivers": "The findings that the plan waives.";
    Nonce = Plan "nonce": "The nonce of the buyer.";
    ProgramVersion = Program "program": "The version of the program.";
    ProgramHash = Program "program-sha256": "The SHA-256 of the program.";
    ProgramCommit = Program "commit": "The commit that the program was built from.";
    ProgramProfile = Program "profile": "The profile of the build.";
    Host = Machine "host": "The name of the machine that ran the campaign.";
    Kernel = Machine "kernel": "Its kernel.";
    Os = Machine "os": "Its distribution.";
    Cpu = Machine "cpu": "Its processor.";
    Cores = Machine "cores": "Its usable cores.";
    Memory = Machine "memory": "Its memory.";
    Governor = Machine "governor": "The scaling governors of its processor.";
    Launcher = Machine "launcher": "The program that starts jobs.";
    Mpi = Machine "mpi": "The MPI library.";
    Libraries = Machine "libraries": "The libraries for parallel work that were loaded.";
    Nodes = Machine "nodes": "The nodes of the jobs of a test.";
    Ranks = Machine "ranks": "The ranks of the jobs of a test.";
    NodeNames = Machine "node-names": "The nodes that took part.";
    Directory = FileSystem "directory": "The directory under test.";
    FsKind = FileSystem "fs-type": "The type of a file system.";
    FsDevice = FileSystem "fs-device": "The mounted device.";
    FsOptions = FileSystem "fs-options": "The mount options.";
    FsBytes = FileSystem "fs-size": "The size of a file system.";
    FsTargets = FileSystem "fs-targets": "The number of storage targets.";
    FsBacking = FileSystem "fs-backing": "What a file system lies on.";
    StripeCount = FileSystem "stripe-count": "The storage targets of a file.";
    StripeBytes = FileSystem "stripe-size": "The bytes on one storage target before the next one.";
    Pool = FileSystem "pool": "The pool of storage targets.";
    Fill = FileSystem "utilization": "The lowest and the highest utilization before the jobs.";
}

/// The smallest difference of a utilization that is one.
const FILL_DIFFERS: f64 = 0.01;

/// The facts of one campaign, by fact and subject.
pub type CampaignFacts = BTreeMap<(ComparedFact, String), Datum>;

/// All facts in which the campaigns differ, by fact and subject.
pub fn differing_facts(all: &[CampaignFacts]) -> Vec<FactDifference> {
    let keys: BTreeSet<&(ComparedFact, String)> = all.iter().flat_map(BTreeMap::keys).collect();
    let of = |key: &(ComparedFact, String)| {
        let values: Vec<Option<Datum>> = all.iter().map(|facts| facts.get(key).cloned()).collect();
        let (fact, about) = key.clone();
        differs(fact, &values).then_some(FactDifference { fact, about, values })
    };
    let test_of = |about: &str| about.split(' ').next().unwrap_or_default().to_owned();
    let planned = |about: &str| (ComparedFact::TestPlanned, test_of(about));
    let have_test = |about: &str| all.iter().all(|facts| facts.contains_key(&planned(about)));
    let found = keys.into_iter().filter_map(of);
    // All facts of a test that one plan lacks would differ: it is enough that the plan lacks it.
    let is_explained = |one: &FactDifference| is_of_test(one.fact) && !have_test(&one.about);
    let mut found: Vec<FactDifference> = found.filter(|one| !is_explained(one)).collect();
    // Other command lines explain other parameters.
    let commands = found.iter().filter(|one| one.fact == ComparedFact::Command);
    let explained: BTreeSet<String> = commands.map(|one| one.about.clone()).collect();
    found.retain(|one| one.fact != ComparedFact::Parameters || !explained.contains(&test_of(&one.about)));
    found
}

/// Whether the fact is about a test that the plan must have.
fn is_of_test(fact: ComparedFact) -> bool {
    use ComparedFact::{
        Command, Course, Criteria, Nodes, Parameters, Pool, Ranks, Repetitions, Setup, Source, State,
        StripeBytes, StripeCount,
    };
    matches!(
        fact,
        Criteria
            | Repetitions
            | Command
            | Setup
            | Source
            | State
            | Course
            | Nodes
            | Ranks
            | StripeCount
            | StripeBytes
            | Pool
            | Parameters
    )
}

fn differs(fact: ComparedFact, values: &[Option<Datum>]) -> bool {
    if fact != ComparedFact::Fill {
        return values.windows(2).any(|pair| pair[0] != pair[1]);
    }
    let ends = |value: &Option<Datum>| match value {
        Some(Datum::List(ends)) => ends.iter().filter_map(number).collect(),
        _ => Vec::new(),
    };
    let far = |pair: &[Option<Datum>]| {
        let (one, other): (Vec<f64>, Vec<f64>) = (ends(&pair[0]), ends(&pair[1]));
        one.len() != other.len() || one.iter().zip(&other).any(|(a, b)| (a - b).abs() >= FILL_DIFFERS)
    };
    values.windows(2).any(far)
}

fn number(datum: &Datum) -> Option<f64> {
    match datum {
        Datum::Quantity { value, .. } | Datum::Number(value) => Some(*value),
        _ => None,
    }
}
