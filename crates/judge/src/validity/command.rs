//! Whether a job ran with the arguments and the parameters of the plan.
//!
//! A launcher, or a script in its place, can start another command than the one that it was given. The
//! program records the arguments that its ranks received, and each phase records its parameters.
//!
//! Never here: numbers of ranks and nodes, and the results of a job.

use command::{WorkloadName, ior};
use plan::deferred;
use plan::line::has_stamped_data;
use plan::schedule::PlannedJob;
use results::folder::Job;
use results::reason::{Reason, any, reason};
use results::record::{APP, Counts, DataKeyFacts, Phase};

use crate::case::TestCriterion;
use crate::index::{Index, phases, runs};

/// The place in an argument for the directory of files.
const DIR: &str = "{dir}";

/// How a job of the test, or of the dataset that it reads, differs from the plan.
pub(super) fn as_planned(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let TestCriterion { index, test, .. } = case;
    for job in case.jobs() {
        of_job(index, job).map_err(|reason| reason.with(any::repetition, job.info.repetition))?;
    }
    let Some(uses) = &test.uses else { return Ok(()) };
    let maker = uses.maker(index.plan);
    let mut jobs = index.jobs(&maker).iter();
    jobs.try_for_each(|job| of_job(index, job)).map_err(|reason| reason.with(any::job, maker))
}

fn of_job(index: &Index<'_>, job: &Job) -> Result<(), Reason> {
    // Every campaign that ran a job has made a directory for files. Other records have no arguments.
    let has_arguments = runs(&[job]).any(|run| !run.argv.is_empty());
    if index.campaign.info.data.is_empty() && !has_arguments {
        return Ok(());
    }
    let planned = index.planned(&job.info.test).find(|planned| planned.repetition == job.info.repetition);
    // A job that cannot be completed is not evaluated, for another reason.
    let Some(mut planned) = planned.cloned().filter(|planned| planned.workload != APP) else {
        return Ok(());
    };
    let records = |test: &str, repetition| index.records(test, repetition);
    if deferred::bind(index.plan, &mut planned, &records).is_err() {
        return Ok(());
    }
    received(&planned, job)?;
    keyed(index, &planned, job)?;
    if planned.workload != WorkloadName::Ior.command() {
        return Ok(());
    }
    let line = ior::Line::read(&planned.words);
    phases(job).filter(|_| line.is_known()).try_for_each(|phase| parameters(&line, phase))
}

/// The ranks received other arguments than planned.
fn received(planned: &PlannedJob, job: &Job) -> Result<(), Reason> {
    let Some(run) = runs(&[job]).next() else { return Ok(()) };
    let words = std::iter::once(planned.workload).chain(planned.words.iter().map(String::as_str));
    let words: Vec<&str> = words.collect();
    let is_there = |argv: &[String]| {
        argv.windows(words.len())
            .any(|window| words.iter().zip(window).all(|(word, found)| fits(word, found)))
    };
    // Without its own data, a job writes what another one wrote.
    let data_of = |argv: &[String]| argv.iter().find(|word| word.starts_with("--data-of=")).cloned();
    let is_same = is_there(&run.argv) && is_there(&job.info.argv) && run.workload == planned.workload;
    if is_same && data_of(&run.argv) == data_of(&job.info.argv) {
        return Ok(());
    }
    let (received, planned) = (run.argv.join(" "), words.join(" "));
    Err(reason!(CommandDiffers { received, planned }))
}

/// Whether an argument is the planned one, with any directory in place of `{dir}`.
fn fits(planned: &str, found: &str) -> bool {
    match planned.split_once(DIR) {
        None => planned == found,
        Some((before, after)) => {
            let after = after.rsplit(DIR).next().unwrap_or_default();
            found.len() >= before.len() + after.len() && found.starts_with(before) && found.ends_with(after)
        }
    }
}

/// A phase that moved data of another key than that of the campaign.
fn keyed(index: &Index<'_>, planned: &PlannedJob, job: &Job) -> Result<(), Reason> {
    let has_stamps = has_stamped_data(planned.workload, &planned.words);
    let key = index.campaign.info.data_key.as_ref().filter(|_| has_stamps).map(|key| &key.facts);
    let differs = |phase: &&Phase| phase.transfer_bytes > 0 && phase.data_key.as_ref() != key;
    let id = |key: Option<&DataKeyFacts>| key.map_or("none".to_owned(), |key| key.id.clone());
    phases(job).find(differs).map_or(Ok(()), |phase| {
        let (found, planned) = (id(phase.data_key.as_ref()), id(key));
        Err(reason!(DataKeyDiffers { phase: &phase.phase, found, planned }))
    })
}

/// A parameter of a phase of transfers that differs from the command line.
fn parameters(line: &ior::Line, phase: &Phase) -> Result<(), Reason> {
    if phase.counts != Counts::Bytes {
        return Ok(());
    }
    let word = |is_on: bool| if is_on { "on" } else { "off" }.to_owned();
    let writes = matches!(phase.phase.as_str(), "write" | "mixed_write");
    let both = [
        ("-a", line.backend.to_lowercase(), phase.backend.clone()),
        ("-b", line.block.to_string(), phase.block_bytes.to_string()),
        ("-t", line.transfer.to_string(), phase.transfer_bytes.to_string()),
        ("-s", line.segments.to_string(), phase.segments.to_string()),
        ("-F", word(line.file_per_rank), word(phase.file_per_rank)),
        ("-e", word(line.is_flushed() && writes), word(phase.persisted && writes)),
        ("--posix.odirect", word(line.is_direct()), word(line.is_direct() && phase.direct)),
    ];
    let differs = |(_, planned, found): &&(&str, String, String)| planned != found;
    both.iter().find(differs).map_or(Ok(()), |(option, planned, found)| {
        Err(reason!(ParametersDiffer { phase: &phase.phase, option: *option, found, planned }))
    })
}

#[cfg(test)]
mod tests {
    use results::reason::row;

    use super::*;

    fn phase() -> Phase {
        Phase {
            phase: "write".into(),
            backend: "posix".into(),
            block_bytes: 64 << 20,
            transfer_bytes: 1 << 20,
            segments: 2,
            file_per_rank: true,
            persisted: true,
            direct: true,
            ..Phase::default()
        }
    }

    #[test]
    fn a_parameter_that_differs_from_the_command_line_is_named() {
        let words = "-w -F -e -t 1m -b 64m -s 2 -o {dir}/f --posix.odirect".split(' ').map(str::to_owned);
        let line = ior::Line::read(&words.collect::<Vec<_>>());
        let of = |phase: &Phase| {
            parameters(&line, phase)
                .err()
                .map(|reason| reason.get(row::ParametersDiffer::option).unwrap_or_default().to_owned())
        };
        assert_eq!(of(&phase()), None);
        for (option, changed) in [
            ("-a", Phase { backend: "mmap".into(), ..phase() }),
            ("-b", Phase { block_bytes: 1 << 20, ..phase() }),
            ("-t", Phase { transfer_bytes: 64 << 20, ..phase() }),
            ("-s", Phase { segments: 1, ..phase() }),
            ("-F", Phase { file_per_rank: false, ..phase() }),
            ("-e", Phase { persisted: false, ..phase() }),
            ("--posix.odirect", Phase { direct: false, ..phase() }),
        ] {
            assert_eq!(of(&changed), Some(option.to_owned()));
        }
        let read = Phase { phase: "read".into(), persisted: false, ..phase() };
        assert_eq!(of(&read), None, "nothing is flushed after a read");
        let names = Phase { counts: Counts::Operations, backend: "dummy".into(), ..phase() };
        assert_eq!(of(&names), None);
    }

    #[test]
    fn an_argument_may_have_any_directory_in_place_of_the_mark() {
        assert!(fits("{dir}/f", "/s/x.data/tests/T-r1/f") && fits("-e", "-e") && fits("a{dir}", "a/s"));
        assert!(!fits("{dir}/f", "/s/g") && !fits("-e", "-k") && !fits("{dir}/f", "f"));
    }
}
