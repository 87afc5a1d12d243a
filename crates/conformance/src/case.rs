//! A case: its name, by which it is selected, the promise and its document, the ranks that it needs, and its
//! body.

use std::borrow::Cow;
use std::fmt;

use super::context::CaseContext;
use super::problem::CaseResult;

/// The kind of ranks that a case needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseNeeds {
    /// Any ranks; threads are enough.
    Nothing,
    /// Processes, because it checks something that the threads of a process share.
    Processes,
    /// Ranks of MPI.
    Mpi,
}

type CaseBody = Box<dyn Fn(&mut CaseContext<'_>) -> CaseResult + Send + Sync>;

/// A promise, and the body that checks whether it is kept.
pub struct ConformanceCase {
    /// `group.area.what`.
    pub name: Cow<'static, str>,
    /// The promise, in one sentence.
    pub promise: Cow<'static, str>,
    /// The document and section that make the promise.
    pub document: &'static str,
    /// The least number of ranks that it needs.
    pub ranks: u32,
    /// The kind of ranks that it needs.
    pub needs: CaseNeeds,
    /// Its time limit, as a multiple of that of other cases.
    pub time_factor: u32,
    /// It moves more than 1 GiB, or makes a file larger than many file systems hold.
    pub large: bool,
    /// It may wait for the release of a lock ([`LockRelease`](crate::LockRelease)) in addition to its limit.
    pub waits_for_release: bool,
    body: CaseBody,
}

impl ConformanceCase {
    /// A case for any number of ranks of any kind.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        document: &'static str,
        promise: impl Into<Cow<'static, str>>,
        body: impl Fn(&mut CaseContext<'_>) -> CaseResult + Send + Sync + 'static,
    ) -> Self {
        let (name, promise, body) = (name.into(), promise.into(), Box::new(body));
        let needs = CaseNeeds::Nothing;
        Self {
            name,
            promise,
            document,
            ranks: 1,
            needs,
            time_factor: 1,
            large: false,
            waits_for_release: false,
            body,
        }
    }

    /// The case needs at least this number of ranks.
    pub fn ranks(self, least: u32) -> Self {
        Self { ranks: least, ..self }
    }

    /// The case needs ranks that are processes.
    pub fn processes(self) -> Self {
        Self { needs: CaseNeeds::Processes, ..self }
    }

    /// The case needs MPI ranks.
    pub fn mpi(self) -> Self {
        Self { needs: CaseNeeds::Mpi, ..self }
    }

    /// The case runs only if large cases are requested, with this multiple of the time limit.
    pub fn large(self, time_factor: u32) -> Self {
        Self { large: true, time_factor, ..self }
    }

    /// The case waits for the release of a lock.
    pub fn waits_for_release(self) -> Self {
        Self { waits_for_release: true, ..self }
    }

    /// The part of the name before the first dot.
    pub fn group(&self) -> &str {
        self.name.split('.').next().unwrap_or_default()
    }

    /// The reason to skip the case on these ranks, if there is one.
    pub(super) fn skip_reason(&self, ranks: u32, is_mpi: bool, large: bool) -> Option<String> {
        if self.needs == CaseNeeds::Mpi && !is_mpi {
            return Some("needs MPI's ranks: start them by a launcher".to_owned());
        }
        if ranks < self.ranks {
            return Some(format!("needs {}+ ranks, here {ranks}", self.ranks));
        }
        if self.needs == CaseNeeds::Processes && !is_mpi {
            return Some("threads of one process share the tested state. Start MPI ranks.".to_owned());
        }
        (self.large && !large).then(|| "large: --large runs it".to_owned())
    }

    pub(super) fn run(&self, cx: &mut CaseContext<'_>) -> CaseResult {
        (self.body)(cx)
    }
}

impl fmt::Debug for ConformanceCase {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Case").field(&self.name).finish()
    }
}

/// Whether `name` matches `pattern`, in which `*` matches any characters and `?` matches one. Names of cases
/// are ASCII, so a character is a byte.
///
/// Every process compares all cases with all patterns before anything else. So this takes no memory, and ends
/// at the first character that cannot match.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut in_pattern, mut in_name) = (0, 0);
    // The place after the last `*`, and the part of the name that it matches so far.
    let mut star = None;
    while in_name < name.len() {
        match (pattern.get(in_pattern), star) {
            (Some(b'*'), _) => {
                in_pattern += 1;
                star = Some((in_pattern, in_name));
            }
            (Some(letter), _) if [b'?', name[in_name]].contains(letter) => {
                in_pattern += 1;
                in_name += 1;
            }
            (_, Some((after_star, matched))) => {
                star = Some((after_star, matched + 1));
                (in_pattern, in_name) = (after_star, matched + 1);
            }
            (_, None) => return false,
        }
    }
    pattern[in_pattern..].iter().all(|letter| *letter == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_characters_and_a_question_mark_matches_one() {
        for (pattern, name, wanted) in [
            ("posix.*", "posix.append.records", true),
            ("posix.*", "access.write", false),
            ("*records", "posix.append.records", true),
            ("*.append.*", "posix.append.records", true),
            ("posix.append.records", "posix.append.records", true),
            ("posix.append", "posix.append.records", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*", "", true),
            ("", "a", false),
            ("*a*a*", "banana", true),
            ("*a*b*a*", "banana", false),
            ("*.read_*", "end.iread_at", false),
            ("*read_*_all", "end.iread_at_all", true),
            ("*an?n*", "banana", true),
            ("*an??n*", "banana", false),
            ("b*a", "banana", true),
            ("b*n", "banana", false),
            ("banana**", "banana", true),
            ("?*?", "a", false),
            ("banana?", "banana", false),
        ] {
            assert_eq!(matches(pattern, name), wanted, "{pattern} {name}");
        }
    }
}
