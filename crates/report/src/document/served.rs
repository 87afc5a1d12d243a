//! A page that a server makes at a request: sentences, facts, tables and warnings, with links to other pages.
//!
//! Invariant: every link is one that the caller gave. No text of a campaign becomes a link.
//! Never here: reading anything, markup.

use results::Outcome;
use serde::Serialize;
use units::several;

use super::campaigns::outcome_counts;
use super::words::{NONE, or_none, test_and_clause, time};
use super::{Cell, Fact, IndexedCampaign, Table, Tone};
use crate::sentences;

/// A page of a server.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ServedDocument {
    /// The heading.
    pub title: String,
    /// A few words above the heading.
    pub kind: String,
    /// Links to other pages.
    pub navigation: Vec<Cell>,
    /// After this time a browser loads the page again, seconds; absent if it does not change by itself.
    pub refresh_s: Option<u32>,
    /// The state, in one sentence; a tone marks one that needs attention.
    pub state: Option<Cell>,
    /// How much is done.
    pub progress: Option<ServedProgress>,
    /// Labelled values.
    pub facts: Vec<Fact>,
    /// Tables, in reading order.
    pub tables: Vec<Table>,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
    /// The last line.
    pub footer: String,
}

/// How many parts of a whole are done.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ServedProgress {
    /// The parts that are done.
    pub done: usize,
    /// All parts.
    pub of: usize,
    /// The same in words.
    pub words: String,
}

/// A campaign in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedCampaign {
    /// The name of its folder.
    pub name: String,
    /// The path of its folder.
    pub path: String,
    /// The address of its page.
    pub link: String,
    /// What is known of it.
    pub state: ListedState,
}

/// What a list shows of a campaign.
#[derive(Clone, Debug, PartialEq)]
pub enum ListedState {
    /// Its evidence is not checked yet.
    Unchecked,
    /// It has not ended.
    Running {
        /// What it does, in one sentence.
        state: String,
        /// Whether a person should look.
        needs_care: bool,
        /// The plan and its title.
        title: String,
        /// Jobs that have ended or were left out, and all.
        jobs: (usize, usize),
        /// The outcomes of the clauses that have one so far.
        outcomes: Vec<Outcome>,
    },
    /// It has ended, and was checked and evaluated again.
    Ended(Box<IndexedCampaign>),
    /// It cannot be read, for this reason.
    Unread(String),
}

/// The table of campaigns: those that have not ended first, then the others, the latest first.
pub fn campaign_list(campaigns: &[ListedCampaign]) -> Table {
    let columns = "Campaign | State | Result | >PASS | >FAIL | >INCONCLUSIVE | >INVALID | >NOT RUN | Started \
                   | ~Plan | ~Details";
    let mut table = Table::new(&several(campaigns.len() as u64, "campaign"), columns);
    let mut sorted: Vec<&ListedCampaign> = campaigns.iter().collect();
    sorted.sort_by(|one, other| place(other).cmp(&place(one)).then_with(|| one.name.cmp(&other.name)));
    sorted.into_iter().for_each(|one| table.row(row(one)));
    table
}

/// What decides the place in the list: the highest first.
fn place(one: &ListedCampaign) -> (u8, &str) {
    match &one.state {
        ListedState::Running { .. } => (2, ""),
        ListedState::Ended(ended) => (1, &ended.started),
        ListedState::Unchecked => (1, ""),
        ListedState::Unread(_) => (0, ""),
    }
}

fn row(one: &ListedCampaign) -> Vec<Cell> {
    let name = Cell::literal(&one.name).full(&one.path).linked(&one.link);
    let none = || Cell::new(NONE);
    let (state, result, outcomes, started, plan, details) = match &one.state {
        ListedState::Unchecked => {
            (Cell::new("being checked"), none(), Vec::new(), none(), none(), String::new())
        }
        ListedState::Running { state, needs_care, title, jobs: (done, of), outcomes } => {
            let (word, tone) = match needs_care {
                true => ("not ended", Tone::Inconclusive),
                false => ("running", Tone::Plain),
            };
            let done = Cell::new(format!("{done} of {}", several(*of as u64, "job")));
            let word = Cell::new(word).toned(tone);
            (word, done, outcomes.clone(), none(), Cell::new(or_none(title)), state.clone())
        }
        ListedState::Ended(ended) => {
            let outcomes = ended.shown_verdicts().iter().map(|verdict| verdict.outcome).collect();
            let plan = Cell::new(or_none(&test_and_clause(&ended.plan, &ended.title)));
            let details = sentences::explained(&ended.evidence);
            (Cell::new("ended"), ended.overall(), outcomes, Cell::new(time(&ended.started)), plan, details)
        }
        ListedState::Unread(why) => {
            let word = Cell::new("unreadable").toned(Tone::Inconclusive);
            (word, none(), Vec::new(), none(), none(), why.clone())
        }
    };
    let counts = outcome_counts(outcomes.iter().copied());
    let rest = [started, plan, Cell::new(details)];
    [name, state, result].into_iter().chain(counts).chain(rest).collect()
}
