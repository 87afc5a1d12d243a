//! The warnings of assay itself: each once, at the end, with its tests and repetitions.
//!
//! Invariant: all result formats print the same warnings.

use workloads::ior::IorEvent;

use crate::personalities::own_lines::{own_lines, own_sentence};

/// The most places that are listed with one warning.
const PLACES_MAX: usize = 8;

/// Consecutive repetitions of one test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RepetitionSpan {
    test: u32,
    first: u32,
    last: u32,
}

/// The warnings of a run.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    all: Vec<(String, Vec<RepetitionSpan>)>,
    /// The current test and repetition.
    now: (u32, u32),
    several_tests: bool,
    several_repetitions: bool,
}

impl Warnings {
    /// Takes the warning of an event.
    pub(crate) fn hear(&mut self, event: &IorEvent<'_>) {
        match event {
            IorEvent::Test { test, .. } => {
                self.now = (*test, 0);
                self.several_tests |= *test > 0;
            }
            IorEvent::Repetition { repetition, .. } => {
                self.now.1 = *repetition;
                self.several_repetitions |= *repetition > 0;
            }
            IorEvent::Notice(reason) => self.add(&own_sentence(reason)),
            _ => {}
        }
    }

    fn add(&mut self, text: &str) {
        let (test, now) = self.now;
        let here = RepetitionSpan { test, first: now, last: now };
        let Some((_, places)) = self.all.iter_mut().find(|(known, _)| known == text) else {
            self.all.push((text.to_owned(), vec![here]));
            return;
        };
        match places.last_mut() {
            Some(place) if place.test == test && now.saturating_sub(place.last) <= 1 => place.last = now,
            _ => places.push(here),
        }
    }

    /// A line for each warning. A single test or repetition is not listed.
    pub(crate) fn lines(&self) -> String {
        self.all
            .iter()
            .map(|(text, places)| own_lines(&format!("warning: {text}{}", self.named(places))))
            .collect()
    }

    fn named(&self, places: &[RepetitionSpan]) -> String {
        if !self.several_tests && !self.several_repetitions {
            return String::new();
        }
        let one = |place: &RepetitionSpan| {
            let RepetitionSpan { test, first, last } = place;
            let test = if self.several_tests { format!("test {test} ") } else { String::new() };
            let to = if last > first { format!("-{last}") } else { String::new() };
            format!("{test}iter {first}{to}")
        };
        let shown: Vec<String> = places.iter().take(PLACES_MAX).map(one).collect();
        let more = if places.len() > PLACES_MAX { ", ..." } else { "" };
        format!(" ({}{more})", shown.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workloads::ior::RankPlacement as Where;

    fn lines(of: &[(u32, u32)], runs: u32) -> String {
        let mut warnings = Warnings::default();
        for test in 0..runs {
            warnings.hear(&IorEvent::Test { test, place: Where::default(), ranks: 1 });
            for repetition in 0..runs {
                warnings.hear(&IorEvent::Repetition { repetition, signature: 1 });
                if of.contains(&(test, repetition)) {
                    warnings.hear(&IorEvent::Notice(&results::reason!(HintsNotTaken { changed: vec!["w"] })));
                }
            }
        }
        warnings.lines()
    }

    #[test]
    fn each_warning_is_printed_once_with_its_tests_and_repetitions() {
        assert_eq!(lines(&[(0, 0)], 1), "assay: warning: w\n");
        assert_eq!(
            lines(&[(0, 1), (0, 2), (1, 0), (1, 2)], 3),
            "assay: warning: w (test 0 iter 1-2, test 1 iter 0, test 1 iter 2)\n"
        );
        assert_eq!(lines(&[], 2), "");
        let every_other: Vec<(u32, u32)> = (0..20).map(|number| (0, 2 * number)).collect();
        assert!(lines(&every_other, 40).ends_with("test 0 iter 14, ...)\n"));
    }
}
