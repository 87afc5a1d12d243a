//! What is asked of the course of a test: steady rates, warm-up, the order of repetitions, more clients.

use results::steady::SteadyRule;

use super::Test;

/// What is asked of the course of a test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// When its rate counts as steady, lengths in seconds; `None` where nothing is asked.
    pub steady: Option<SteadyRule>,
    /// Launches before its repetitions, which are kept and count for nothing.
    pub warm_up: u32,
    /// With which others it takes turns, repetition by repetition.
    pub turns: Option<AlternatingTests>,
    /// Whether it is looked at what more clients have.
    pub client_limit: Option<ClientLimit>,
}

/// Tests that take turns; they are neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlternatingTests {
    /// The place in [`Plan::tests`] of the first of them.
    pub first: usize,
    /// Whether the order of their steps is drawn anew for each repetition.
    pub drawn: bool,
}

impl Test {
    /// The name of the jobs that run before the repetitions; `+` is in no id, so no test has it.
    pub fn warm_up_job(&self) -> String {
        format!("{}+warm-up", self.id)
    }
}

/// The same test at more client nodes, to see whether the clients are what limits it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientLimit {
    /// The tests, by their places in [`Plan::tests`].
    pub probes: Vec<usize>,
    /// The gain, as a share, above which the clients are.
    pub gain: f64,
}
