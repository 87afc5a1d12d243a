//! How a case ends before its end.

use std::fmt::{Debug, Display};
use std::io;
use std::path::Path;

use ranks::Halt;
use results::record::Evidence;
use serde::{Deserialize, Serialize};

/// What one rank has to say against going on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Trouble {
    /// The promise is not kept. Rank, node and step are filled in when the ranks agree.
    Fail(Box<Evidence>),
    /// The library or the file system says that it does not do this.
    Unsupported(String),
    /// It cannot be tried here.
    Skipped(String),
}

/// Why all ranks leave a case: the same on all of them.
#[derive(Clone, Debug)]
pub enum Stop {
    /// Only this case is over.
    Case {
        /// Of the lowest rank that has the gravest.
        trouble: Trouble,
        /// How many ranks have one as grave.
        ranks: u32,
    },
    /// The ranks cannot go on together.
    All(Halt),
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        Self::All(halt)
    }
}

/// How a case ended; passed, if it did not stop.
pub type Verdict = Result<(), Stop>;

/// Errors by which a system says that it does not know a call: `ENOSYS`, `EOPNOTSUPP`.
const UNKNOWN_CALLS: [i32; 2] = [38, 95];

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        if error.raw_os_error().is_some_and(|code| UNKNOWN_CALLS.contains(&code)) {
            return Self::Unsupported(error.to_string());
        }
        Self::fail(error.to_string())
    }
}

impl Trouble {
    /// A promise that is not kept, with what shows it.
    pub fn seen(evidence: Evidence) -> Self {
        Self::Fail(Box::new(evidence))
    }

    /// A promise that is not kept, in words.
    pub fn fail(what: impl Into<String>) -> Self {
        Self::seen(Evidence { what: what.into(), ..Evidence::default() })
    }

    /// The same trouble, with what was done said before it.
    pub fn of(self, what: impl Display) -> Self {
        match self {
            Self::Fail(mut evidence) => {
                evidence.what = format!("{what}: {}", evidence.what);
                Self::Fail(evidence)
            }
            Self::Unsupported(why) => Self::Unsupported(format!("{what}: {why}")),
            Self::Skipped(why) => Self::Skipped(format!("{what}: {why}")),
        }
    }

    /// How grave it is, the gravest first.
    pub(super) fn grade(&self) -> usize {
        match self {
            Self::Fail(_) => 0,
            Self::Unsupported(_) => 1,
            Self::Skipped(_) => 2,
        }
    }
}

/// A result whose trouble can be told with what was done.
pub(super) trait Told<T> {
    /// Says `what` was done, where it failed.
    fn told(self, what: impl Display) -> Result<T, Trouble>;
}

impl<T, E: Into<Trouble>> Told<T> for Result<T, E> {
    fn told(self, what: impl Display) -> Result<T, Trouble> {
        self.map_err(|error| error.into().of(what))
    }
}

/// Trouble unless `found` is what is `expected`.
pub(super) fn same<T: PartialEq + Debug>(what: &str, expected: &T, found: &T) -> Result<(), Trouble> {
    if expected == found {
        return Ok(());
    }
    Err(Trouble::seen(Evidence {
        expected: format!("{expected:?}"),
        found: format!("{found:?}"),
        what: what.to_owned(),
        ..Evidence::default()
    }))
}

/// Bytes told around the first wrong one.
const SHOWN: usize = 8;

/// Trouble unless the bytes found in `path` from offset `base` are what is expected there.
pub(super) fn same_bytes(
    what: &str,
    path: &Path,
    base: u64,
    expected: &[u8],
    found: &[u8],
) -> Result<(), Trouble> {
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
    Err(Trouble::seen(Evidence {
        path: path.display().to_string(),
        offset: Some(base + at as u64),
        expected: shown(&expected[at..]),
        found: shown(&found[at..]),
        what: format!("{what}: {wrong} wrong bytes from here on{lengths}"),
        ..Evidence::default()
    }))
}

fn shown(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "the end".to_owned();
    }
    let digits: String = bytes.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}
