//! The errors of a plan: all that were found, each at its place, without those that follow from another.
//!
//! Invariant: a plan with an error in [`Rejections`] is rejected. Later checks do not change that.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use units::{Usage, several};

/// The largest number of errors that are listed.
const LISTED: usize = 20;

/// Why a part of a plan cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// An error.
    Found {
        /// Line and column in the file, from 1; `None` for a value from the command line.
        at: Option<(usize, usize)>,
        /// The whole line, with file and place.
        line: String,
    },
    /// It follows from an error that is already reported.
    Follows,
}

impl Rejection {
    /// An error without a place in the file.
    pub(crate) fn without_place(line: String) -> Self {
        Self::Found { at: None, line }
    }
}

/// The errors that were found so far, and the names that cannot be referred to because of them.
#[derive(Default)]
pub(crate) struct Rejections {
    found: RefCell<Vec<Rejection>>,
    broken: RefCell<BTreeSet<String>>,
}

impl Rejections {
    /// Adds an error.
    pub(crate) fn add(&self, rejection: Rejection) {
        self.found.borrow_mut().push(rejection);
    }

    /// The value; `None` after an error, which is added.
    pub(crate) fn kept<T>(&self, result: Result<T, Rejection>) -> Option<T> {
        result.map_err(|rejection| self.add(rejection)).ok()
    }

    /// How many there are, with those that follow from others. A larger number later means a further error.
    pub(crate) fn number(&self) -> usize {
        self.found.borrow().len()
    }

    /// Notes that the part called `name` has an error, such as `dataset.big` or the id of a test.
    pub(crate) fn spoil(&self, name: impl Into<String>) {
        self.broken.borrow_mut().insert(name.into());
    }

    /// Whether `name` is such a part, or belongs to it as a test belongs to its series.
    pub(crate) fn is_spoiled(&self, name: &str) -> bool {
        let belongs = |part: &String| {
            name.strip_prefix(part.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.broken.borrow().iter().any(belongs)
    }

    /// Whether a part of this kind, such as `fs.`, has an error.
    pub(crate) fn spoils_kind(&self, kind: &str) -> bool {
        self.broken.borrow().iter().any(|name| name.starts_with(kind))
    }

    /// All errors in the order of the file; `None` if there are none. Only the first one at a place is kept,
    /// because every test has an error of `[defaults]` again.
    pub(crate) fn errors(&self) -> Option<PlanErrors> {
        let mut placed: Vec<(Option<(usize, usize)>, String)> = Vec::new();
        for rejection in self.found.borrow().iter() {
            let Rejection::Found { at, line } = rejection else { continue };
            let is_known = placed.iter().any(|(other, _)| at.is_some() && other == at);
            if !is_known {
                placed.push((*at, line.clone()));
            }
        }
        placed.sort_by_key(|(at, _)| *at);
        let all: Vec<Usage> = placed.into_iter().map(|(_, line)| Usage(line)).collect();
        (!all.is_empty()).then_some(PlanErrors(all))
    }
}

/// The errors of a plan, one or more, in the order of the file. Each is one line, `FILE:LINE:COLUMN: what`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanErrors(Vec<Usage>);

impl PlanErrors {
    /// These errors, which must not be empty.
    pub fn of(errors: Vec<Usage>) -> Self {
        assert!(!errors.is_empty(), "a rejection has an error");
        Self(errors)
    }

    /// The first error.
    pub fn first(&self) -> &Usage {
        &self.0[0]
    }

    /// The lines to print: the first errors, and the number of the others.
    pub fn lines(&self) -> Vec<String> {
        let more = self.0.len().saturating_sub(LISTED);
        let listed = self.0.iter().take(LISTED).map(|error| error.0.clone());
        let rest = (more > 0).then(|| format!("and {}", several(more as u64, "more error")));
        listed.chain(rest).collect()
    }

    /// All errors.
    pub fn all(&self) -> &[Usage] {
        &self.0
    }
}

impl fmt::Display for PlanErrors {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.lines().join("\n"))
    }
}

impl std::error::Error for PlanErrors {}
