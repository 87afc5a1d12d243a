//! Why a case ends early: the problem of one rank, and the end of the case on all ranks; and checks that find
//! problems.

use std::fmt::{Debug, Display};
use std::io;
use std::path::Path;

use ranks::Halt;
use results::record::Evidence;
use serde::{Deserialize, Serialize};

/// A problem that one rank has with a step of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CaseProblem {
    /// The promise is not kept. Rank, node and step are filled in when the ranks agree.
    Fail(Box<Evidence>),
    /// The library or the file system reports that it does not support this.
    Unsupported(String),
    /// The case cannot be tried on this system.
    Skipped(String),
}

/// Why all ranks end a case early; the same on all of them.
#[derive(Clone, Debug)]
pub enum EarlyEnd {
    /// The case ends; the next one can run.
    Case {
        /// The most severe problem, of the lowest rank that has it.
        problem: CaseProblem,
        /// Number of ranks with a problem of this severity.
        ranks: u32,
    },
    /// The ranks cannot continue together.
    All(Halt),
}

impl From<Halt> for EarlyEnd {
    fn from(halt: Halt) -> Self {
        Self::All(halt)
    }
}

/// The result of a case: passed, or ended early.
pub type CaseResult = Result<(), EarlyEnd>;

/// Errors by which a system reports an unsupported call: `ENOSYS`, `EOPNOTSUPP`.
const UNKNOWN_CALLS: [i32; 2] = [38, 95];

impl From<io::Error> for CaseProblem {
    fn from(error: io::Error) -> Self {
        if error.raw_os_error().is_some_and(|code| UNKNOWN_CALLS.contains(&code)) {
            return Self::Unsupported(error.to_string());
        }
        Self::fail(error.to_string())
    }
}

impl CaseProblem {
    /// A promise that is not kept, with the evidence.
    pub fn with_evidence(evidence: Evidence) -> Self {
        Self::Fail(Box::new(evidence))
    }

    /// A promise that is not kept at a place of a file.
    pub(super) fn at(path: &Path, offset: u64, expected: String, found: String, what: String) -> Self {
        let (path, offset) = (path.display().to_string(), Some(offset));
        Self::with_evidence(Evidence { path, offset, expected, found, what, ..Evidence::default() })
    }

    /// A promise that is not kept, in words.
    pub fn fail(what: impl Into<String>) -> Self {
        Self::with_evidence(Evidence { what: what.into(), ..Evidence::default() })
    }

    /// The same problem, with a description of the operation before it.
    pub fn context(self, what: impl Display) -> Self {
        match self {
            Self::Fail(mut evidence) => {
                evidence.what = format!("{what}: {}", evidence.what);
                Self::Fail(evidence)
            }
            Self::Unsupported(why) => Self::Unsupported(format!("{what}: {why}")),
            Self::Skipped(why) => Self::Skipped(format!("{what}: {why}")),
        }
    }

    /// Severity; 0 is the most severe.
    pub(super) fn severity(&self) -> usize {
        match self {
            Self::Fail(_) => 0,
            Self::Unsupported(_) => 1,
            Self::Skipped(_) => 2,
        }
    }
}

/// A result to whose problem a description of the operation can be added.
pub(super) trait ProblemContext<T> {
    /// On failure, puts `what` before the description of the problem.
    fn context(self, what: impl Display) -> Result<T, CaseProblem>;
}

impl<T, E: Into<CaseProblem>> ProblemContext<T> for Result<T, E> {
    fn context(self, what: impl Display) -> Result<T, CaseProblem> {
        self.map_err(|error| error.into().context(what))
    }
}

/// Fails unless `found` equals `expected`.
pub(super) fn check_equal<T: PartialEq + Debug>(
    what: &str,
    expected: &T,
    found: &T,
) -> Result<(), CaseProblem> {
    if expected == found {
        return Ok(());
    }
    Err(CaseProblem::with_evidence(Evidence {
        expected: format!("{expected:?}"),
        found: format!("{found:?}"),
        what: what.to_owned(),
        ..Evidence::default()
    }))
}

/// Bytes that the evidence shows, from the first wrong one on.
const SHOWN_BYTES: usize = 8;

/// Fails unless the bytes found in `path` from offset `base` on are the expected ones.
pub(super) fn check_bytes(
    what: &str,
    path: &Path,
    base: u64,
    expected: &[u8],
    found: &[u8],
) -> Result<(), CaseProblem> {
    if expected == found {
        return Ok(());
    }
    let common = expected.len().min(found.len());
    let at = (0..common).find(|at| expected[*at] != found[*at]).unwrap_or(common);
    let wrong = (at..common).filter(|at| expected[*at] != found[*at]).count();
    let lengths = if expected.len() == found.len() {
        String::new()
    } else {
        format!(", {} bytes of {} there", found.len(), expected.len())
    };
    let what = format!("{what}: {wrong} wrong bytes from here on{lengths}");
    Err(CaseProblem::at(path, base + at as u64, hex(&expected[at..]), hex(&found[at..]), what))
}

fn hex(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "the end".to_owned();
    }
    let digits: String = bytes.iter().take(SHOWN_BYTES).map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}
