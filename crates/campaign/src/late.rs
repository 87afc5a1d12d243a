//! What of a job is known only when others have run: values that they export.
//!
//! Invariant: pure. The same records give the same words, also when a campaign is resumed.
//! Never here: directories, processes.

use results::record::{Phase, Record};

use crate::plan::{Plan, Test};
use crate::schedule::{PlannedJob, Purpose};

/// Puts what earlier jobs export into the words of `job`; `records` gives those of a repetition of a test.
/// The error says what is missing.
pub fn bind(
    plan: &Plan,
    job: &mut PlannedJob,
    records: &dyn Fn(&str, u32) -> Vec<Record>,
) -> Result<(), String> {
    let Purpose::Test(index) = job.purpose else { return Ok(()) };
    for import in &plan.tests[index].imports {
        let maker = &plan.tests[import.test];
        let repetition = job.repetition.min(maker.repetitions);
        let smallest = smallest_file(maker, &records(&maker.id, repetition));
        let Some(bytes) = smallest.filter(|bytes| *bytes > 0) else {
            let (name, id) = (&import.name, &maker.id);
            return Err(format!(
                "{id} repetition {repetition} exports no `{name}`: it recorded no file size"
            ));
        };
        let mark = format!("${{{}}}", import.name);
        for word in &mut job.words {
            *word = word.replace(&mark, &bytes.to_string());
        }
    }
    Ok(())
}

/// Bytes of the smallest file that a job left, in whole transfers: a reader asks for no part of one.
fn smallest_file(maker: &Test, records: &[Record]) -> Option<u64> {
    let written = |record: &Record| match record {
        Record::Phase(phase) if phase.phase == "write" => whole_transfers(maker, phase),
        _ => None,
    };
    records.iter().filter_map(written).min()
}

fn whole_transfers(maker: &Test, phase: &Phase) -> Option<u64> {
    let transfer = maker.line.as_ior().map_or(1, |line| line.transfer_bytes).max(1);
    phase.smallest_file_bytes.map(|bytes| bytes / transfer * transfer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule;

    const PLAN: &str = r#"
schema = 1
plan = { id = "p", title = "t" }
fs.scratch = { dir = "{dir}", servers = 3, set_servers = "on {servers}", count_servers = "count" }
[[series]]
id = "S"
over = "servers"
steps = ["1/3", "3/3"]
[[series.phases]]
id = "w"
ior = "-w -k -F -D 5 -t 4m -b 4096g"
role = "reported"
exports = { SMALLEST = "min(file.size)" }
[[series.phases]]
id = "r"
ior = "-r -k -F -D 5 -t 4m -b ${SMALLEST}"
role = "reported"
uses = "w"
"#;

    #[test]
    fn a_reader_gets_the_size_of_the_smallest_file_in_whole_transfers() {
        let plan = Plan::parse(PLAN, "p.toml").unwrap();
        let jobs = schedule::jobs(&plan, &[]).unwrap();
        let job = jobs.iter().find(|job| job.test == "S.s3.r").unwrap();
        assert!(job.words.contains(&"${SMALLEST}".to_owned()), "{:?}", job.words);
        let phase = Phase {
            phase: "write".into(),
            smallest_file_bytes: Some(14_763_950_080 + 5),
            ..Phase::default()
        };
        let records = |test: &str, repetition: u32| {
            assert_eq!((test, repetition), ("S.s3.w", 1));
            vec![Record::Phase(Box::new(phase.clone()))]
        };
        let mut bound = job.clone();
        bind(&plan, &mut bound, &records).unwrap();
        assert!(bound.words.join(" ").contains("-t 4m -b 14763950080 "), "{:?}", bound.words);
        let why = bind(&plan, &mut job.clone(), &|_, _| Vec::new()).unwrap_err();
        assert_eq!(why, "S.s3.w repetition 1 exports no `SMALLEST`: it recorded no file size");
    }
}
