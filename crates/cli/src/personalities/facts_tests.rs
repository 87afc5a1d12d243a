//! The facts that plans and the linter read of a command line are the parameters of its run, on random lines.

use command::classic::{self, ClassicLine};
use command::{MdtestFacts, ToolLine, WorkloadName, ior};
use proptest::prelude::*;

use super::mdtest::typed::TypedMdtest;
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
        let mut run = classic::parse::<ior::Parsed>(&words).unwrap();
        run.finish().unwrap();
        prop_assert_eq!(&line.parsed, &run);
        prop_assert!(line.is_known());
        let backend = command::backend(&run.request.backend).unwrap();
        let settings = run.request.settings.without_files();
        let storage = (storage::driver(backend.name).unwrap().open)(&settings).unwrap();
        prop_assert_eq!(line.is_direct(), storage.direct());
    }

    #[test]
    fn the_facts_of_an_mdtest_line_are_the_parameters_of_its_run(words in line(WorkloadName::Mdtest)) {
        if !runs(WorkloadName::Mdtest, &words) {
            return Ok(());
        }
        let facts = MdtestFacts::read(&words);
        let run = classic::parse::<TypedMdtest>(&words).and_then(TypedMdtest::meant).unwrap().parameters;
        prop_assert_eq!((facts.creates, facts.removes), (run.create, run.remove));
        prop_assert_eq!(facts.stats, run.stat || run.read);
        prop_assert_eq!((facts.unique, facts.makes_nodes_at.is_some()), (run.unique_dir, run.make_node));
        prop_assert_eq!(facts.shift, u64::try_from(run.shift).ok());
        prop_assert_eq!((facts.repetitions, facts.deadline_s), (run.iterations.into(), run.deadline.into()));
        let dirs = facts.dir.as_deref().unwrap_or("./out");
        prop_assert!(dirs == run.dirs.join("@") || run.dirs == ["."], "{:?} {:?}", dirs, run.dirs);
        if let Ok(plan) = ToolLine::parse("mdtest", &words.join(" ")) && plan.words == words {
            let phases = plan.phases();
            for (kind, works_on_it) in [("directory", run.directories), ("file", run.files)] {
                for (operation, is_done) in [
                    ("creation", run.create),
                    ("stat", run.stat),
                    ("read", run.read && kind == "file"),
                    ("rename", run.rename && kind == "directory"),
                    ("removal", run.remove),
                ] {
                    let phase = format!("{kind}_{operation}");
                    prop_assert_eq!(phases.contains(&&*phase), works_on_it && is_done, "{}", phase);
                }
            }
        }
    }
}
