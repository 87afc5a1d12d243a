//! Plans and the linter read a command line as its run does, on random lines.

use command::classic::{self, ClassicLine};
use command::{WorkloadName, ior, mdtest};
use proptest::prelude::*;

use super::rejection_tests::line;
use super::{LineEffect, check};
use crate::session::RankStart;

/// Whether a run of the words is accepted on several ranks.
fn runs(workload: WorkloadName, words: &[String]) -> bool {
    check(workload, words, RankStart { launched: Some(16), local: None }) == Ok(LineEffect::Runs)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 8000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]
    #[test]
    fn plans_and_the_linter_read_an_ior_line_as_its_run(words in line(WorkloadName::Ior)) {
        let line = ior::Line::read(&words);
        if !runs(WorkloadName::Ior, &words) || line.parsed.script.is_some() {
            return Ok(());
        }
        let run = classic::parse::<ior::Parsed>(&words).unwrap().finished().unwrap();
        prop_assert_eq!(&line.parsed, &run);
        prop_assert!(line.is_known());
        let backend = command::backend(&run.request.backend).unwrap();
        let settings = run.request.settings.without_files();
        let storage = (storage::driver(backend.name).unwrap().open)(&settings).unwrap();
        prop_assert_eq!(line.is_direct(), storage.direct());
    }

    #[test]
    fn plans_and_the_linter_read_an_mdtest_line_as_its_run(words in line(WorkloadName::Mdtest)) {
        if !runs(WorkloadName::Mdtest, &words) {
            return Ok(());
        }
        let line = mdtest::Line::read(&words);
        let run = classic::parse::<mdtest::Parsed>(&words).unwrap().finished().unwrap();
        prop_assert_eq!(&line.parsed, &run);
    }
}
