//! The facts that plans and the linter read of a command line are the parameters of its run, on random lines.

use command::{IorFacts, IorLine, MdtestFacts, ReadShift, ToolLine, WorkloadName};
use proptest::prelude::*;
use workloads::ior::{Offsets, Reorder};

use super::classic::grammar;
use super::ior::typed::TypedIor;
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
    fn the_facts_of_an_ior_line_are_the_parameters_of_its_run(words in line(WorkloadName::Ior)) {
        let facts = IorFacts::read(&words);
        if !runs(WorkloadName::Ior, &words) || facts.script.is_some() {
            return Ok(());
        }
        let run = grammar::parse::<TypedIor>(&words).and_then(TypedIor::meant).unwrap().parameters;
        let mix = run.mix.is_some();
        prop_assert_eq!((facts.write, facts.write_check), (run.write || mix, run.write_check));
        prop_assert_eq!((facts.read, facts.read_check), (run.read || run.read_check || mix, run.read_check));
        prop_assert_eq!(facts.mix, mix);
        let sizes = (facts.block_bytes, facts.transfer_bytes, facts.segments);
        prop_assert_eq!(sizes, (Some(run.block), Some(run.transfer), Some(run.segments)));
        let files = (facts.file_per_rank, facts.keep, facts.multi_file, facts.existing);
        prop_assert_eq!(files, (run.file_per_rank, run.keep, run.multi_file, run.use_existing));
        let times = (facts.deadline_s, facts.min_time_s, facts.min_time);
        prop_assert_eq!(times, (run.deadline.into(), run.seconds_min.into(), run.seconds_min > 0));
        prop_assert_eq!((facts.wear_out, facts.status_file), (run.wear_out, run.status_file.is_some()));
        prop_assert_eq!(facts.repetitions, u64::from(run.repetitions));
        prop_assert_eq!(&facts.api, &run.backend.to_uppercase());
        let order = (facts.collective, facts.random, facts.prefilled);
        prop_assert_eq!(order, (run.collective, run.offsets != Offsets::Sequential, run.prefill > 0));
        let shuffled = run.offsets == Offsets::Shuffled && run.block == run.transfer;
        prop_assert_eq!(facts.shuffles_segments, shuffled);
        prop_assert_eq!(facts.is_rate_limited, run.rate.is_some());
        prop_assert_eq!((facts.fsync, facts.fsync_each), (run.sync, run.sync_each));
        let backend = command::backend(&run.backend).unwrap();
        let storage = (storage::driver(backend.name).unwrap().open)(&run.settings.without_files()).unwrap();
        prop_assert_eq!(facts.direct, storage.direct());
        prop_assert_eq!(facts.drop_caches, run.drop_caches);
        prop_assert_eq!(facts.file.unwrap_or("testFile".to_owned()), run.test_file);
        prop_assert_eq!(facts.ranks, run.ranks.map(u64::from));
        let shift = match run.reorder {
            Reorder::Own => ReadShift::None,
            Reorder::Constant if run.task_offset == 0 => ReadShift::None,
            Reorder::Constant => ReadShift::Nodes(run.task_offset.into()),
            Reorder::Random | Reorder::Permutation => ReadShift::Random,
        };
        prop_assert_eq!(facts.shift, shift);
        if let Ok(plan) = IorLine::parse(&words.join(" ")) && plan.words == words {
            // A phase that reads and compares is `read_check`.
            let reads = run.read && !run.read_check;
            prop_assert_eq!((plan.write, plan.read, plan.mix), (run.write, reads, mix));
            prop_assert_eq!((plan.write_check, plan.read_check), (run.write_check, run.read_check));
            prop_assert_eq!((plan.block_bytes, plan.transfer_bytes), (run.block, run.transfer));
            prop_assert_eq!((plan.segments, plan.repetitions), (run.segments, run.repetitions.into()));
            prop_assert_eq!((plan.deadline_s, plan.wear_out), (run.deadline.into(), run.wear_out));
        }
    }

    #[test]
    fn the_facts_of_an_mdtest_line_are_the_parameters_of_its_run(words in line(WorkloadName::Mdtest)) {
        if !runs(WorkloadName::Mdtest, &words) {
            return Ok(());
        }
        let facts = MdtestFacts::read(&words);
        let run = grammar::parse::<TypedMdtest>(&words).and_then(TypedMdtest::meant).unwrap().parameters;
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
