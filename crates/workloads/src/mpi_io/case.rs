//! A case: its name, what is promised and where, who has to take part, and its body.

use std::borrow::Cow;
use std::fmt;

use super::scene::Scene;
use super::stop::Verdict;

/// How many ranks a case wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranks {
    /// One or more.
    Any,
    /// So many or more.
    AtLeast(u32),
}

impl Ranks {
    /// Whether so many will do.
    pub fn allow(self, ranks: u32) -> bool {
        match self {
            Self::Any => true,
            Self::AtLeast(least) => ranks >= least,
        }
    }
}

impl fmt::Display for Ranks {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => out.pad("1+"),
            Self::AtLeast(least) => out.pad(&format!("{least}+")),
        }
    }
}

/// What the ranks of a case have to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: threads will do.
    Nothing,
    /// Processes: what it looks at, the threads of one process share.
    Processes,
    /// Ranks of MPI.
    Mpi,
}

type Body = Box<dyn Fn(&mut Scene<'_>) -> Verdict + Send + Sync>;

/// A promise, and the body that sees whether it is kept.
pub struct Case {
    /// `group.area.what`.
    pub name: Cow<'static, str>,
    /// What is promised, in a sentence.
    pub promise: Cow<'static, str>,
    /// By which document and section.
    pub document: &'static str,
    /// How many ranks it wants.
    pub ranks: Ranks,
    /// What they have to be.
    pub needs: Needs,
    /// It may take so many times the time of others.
    pub patience: u32,
    /// It moves more than 1 GiB, or makes a file larger than many file systems hold.
    pub large: bool,
    body: Body,
}

impl Case {
    /// A case for any number of ranks of any kind.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        document: &'static str,
        promise: impl Into<Cow<'static, str>>,
        body: impl Fn(&mut Scene<'_>) -> Verdict + Send + Sync + 'static,
    ) -> Self {
        let (name, promise, body) = (name.into(), promise.into(), Box::new(body));
        let (ranks, needs) = (Ranks::Any, Needs::Nothing);
        Self { name, promise, document, ranks, needs, patience: 1, large: false, body }
    }

    /// It wants at least so many ranks.
    pub fn ranks(self, least: u32) -> Self {
        Self { ranks: Ranks::AtLeast(least), ..self }
    }

    /// It wants processes.
    pub fn processes(self) -> Self {
        Self { needs: Needs::Processes, ..self }
    }

    /// It wants ranks of MPI.
    pub fn mpi(self) -> Self {
        Self { needs: Needs::Mpi, ..self }
    }

    /// It runs only where large ones are asked for, and may take so many times the time of others.
    pub fn large(self, patience: u32) -> Self {
        Self { large: true, patience, ..self }
    }

    /// The part of the name before the first dot.
    pub fn group(&self) -> &str {
        self.name.split('.').next().unwrap_or_default()
    }

    /// Why it is not tried on so many ranks, if it is not.
    pub(super) fn obstacle(&self, ranks: u32, is_mpi: bool, large: bool) -> Option<String> {
        if self.needs == Needs::Mpi && !is_mpi {
            return Some("needs MPI's ranks: start them by a launcher".to_owned());
        }
        if !self.ranks.allow(ranks) {
            return Some(format!("needs {} ranks, here {ranks}", self.ranks));
        }
        if self.needs == Needs::Processes && !is_mpi {
            return Some("threads of one process share what this looks at; start ranks of MPI".to_owned());
        }
        (self.large && !large).then(|| "large: --large runs it".to_owned())
    }

    pub(super) fn run(&self, scene: &mut Scene<'_>) -> Verdict {
        (self.body)(scene)
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Case").field(&self.name).finish()
    }
}
