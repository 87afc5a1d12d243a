//! What external programs print about their runs, compared with the plan. Each contradiction has its code,
//! and an output that agrees has none.

use plan::Plan;
use results::finding::{Finding, Severity};
use results::folder::{Campaign, Job, Program};
use results::reason::{Code, row};
use results::record::{End, Record, Reported, ReportedPhase, Run, Value};
use results::{Outcome, Verdict};

use super::{campaign, job, of, outcome, phase, summary, verdicts_of};

/// An output of IOR that agrees with [`PLAN`]: 4 processes on 2 nodes write 64 MiB each in two seconds.
fn honest() -> Reported {
    let words = "ior -w -r -C -e -F -t 1m -b 64m -o /s/d/f";
    let total = 256.0 * f64::from(1 << 20);
    let phase = |phase: &str| ReportedPhase { phase: phase.into(), rate: total / 2.0, seconds: 2.0 };
    Reported {
        argv: words.split(' ').map(str::to_owned).collect(),
        dir: "/s/d".into(),
        paths: vec!["/s/d/f".into()],
        tasks: Some(4),
        nodes: Some(2),
        tasks_per_node: Some(2),
        block_bytes: Some(total / 4.0),
        transfer_bytes: Some(f64::from(1 << 20)),
        segments: Some(1),
        total_bytes: Some(total),
        file_per_task: Some(true),
        shifted: Some(true),
        phases: vec![phase("write"), phase("read")],
        seconds: Some(4.0),
        ..Reported::default()
    }
}

/// A campaign of one job of five seconds with this output.
fn printed(facts: Reported) -> Campaign {
    let mut one = job("T", 1, phase("write", 1));
    one.info.seconds = 5.0;
    let value = |name: &str| Value { name: name.into(), value: 128e6, unit: "B/s".into(), lines: 1 };
    let run = Run { ranks: 4, workload: "app".into(), ..Run::default() };
    let values = ["write.bw", "read.bw"].map(|name| Record::Value(value(name)));
    one.records = vec![Record::Run(run)];
    one.records.extend(values);
    one.records.extend([Record::Reported(Box::new(facts)), Record::End(End::default())]);
    campaign(vec![one])
}

fn verdict(change: impl Fn(&mut Reported)) -> Verdict {
    let mut facts = honest();
    change(&mut facts);
    verdicts_of(&Plan::parse(PLAN, "p.toml").unwrap(), &printed(facts)).remove(0)
}

#[test]
fn an_output_that_agrees_with_the_plan_passes_and_is_marked() {
    let verdict = verdict(|_| ());
    assert_eq!((verdict.outcome, verdict.as_reported), (Outcome::Pass, true), "{verdict:#?}");
    assert!(of(&verdict.warnings, Code::NotFlushed).is_none());
    assert!(of(&verdict.warnings, Code::SingleClient).is_none(), "where it ran is not known");
    assert_eq!(findings(printed(honest())), []);
}

#[test]
fn each_contradiction_of_an_output_is_invalid_with_what_it_is_about() {
    type Change = fn(&mut Reported);
    let all: [(&str, Change); 10] = [
        ("processes", |facts| facts.tasks = Some(8)),
        ("nodes", |facts| facts.nodes = Some(1)),
        ("processes per node", |facts| facts.tasks_per_node = Some(4)),
        ("files", |facts| facts.paths = vec!["/dev/shm/f".into()]),
        ("files", |facts| facts.paths = vec!["/s/d/../../dev/shm/f".into()]),
        ("block size", |facts| {
            facts.block_bytes = Some(1e6);
            facts.total_bytes = Some(4e6);
        }),
        ("transfer size", |facts| facts.transfer_bytes = Some(4096.0)),
        ("segments", |facts| {
            facts.segments = Some(2);
            facts.total_bytes = None;
        }),
        ("number of files", |facts| facts.file_per_task = Some(false)),
        ("total size", |facts| facts.total_bytes = Some(1e12)),
    ];
    for (what, change) in all {
        let verdict = verdict(change);
        assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::ReportedDiffers), "{what}");
        assert_eq!(verdict.reason.get(row::ReportedDiffers::what), Some(what), "{verdict:#?}");
    }
    let fewer = verdict(|facts| facts.argv.retain(|word| word != "-e"));
    assert_eq!(outcome(&fewer), (Outcome::Invalid, Code::CommandDiffers));
    let faster = verdict(|facts| facts.phases[0].rate *= 1.1);
    assert_eq!(outcome(&faster), (Outcome::Invalid, Code::ReportedRate));
    let slower = verdict(|facts| facts.phases[0].rate = 1e6);
    assert_eq!(outcome(&slower), (Outcome::Invalid, Code::ReportedRate), "the metric is another rate");
    let longer = verdict(|facts| facts.seconds = Some(6.0));
    assert_eq!(outcome(&longer), (Outcome::Invalid, Code::ReportedTime));
}

fn findings(campaign: Campaign) -> Vec<Code> {
    let codes = [Code::ReportedShort, Code::ReportedCached, Code::ReportedLess, Code::ProgramChanged];
    let all = summary(&Plan::parse(PLAN, "p.toml").unwrap(), &campaign).findings.into_iter();
    let own = all.filter(|one| codes.contains(&one.code()));
    own.inspect(|one: &Finding| assert_eq!(one.severity, Severity::NeedsWaiver))
        .map(|one| one.code())
        .collect()
}

#[test]
fn what_a_person_must_explain_needs_a_waiver() {
    let found = |change: &dyn Fn(&mut Reported)| {
        let mut facts = honest();
        change(&mut facts);
        findings(printed(facts))
    };
    assert_eq!(found(&|facts| facts.seconds = Some(0.001)), [Code::ReportedShort]);
    assert_eq!(found(&|facts| facts.shifted = Some(false)), [Code::ReportedCached]);
    assert_eq!(found(&|facts| facts.nodes = Some(1)), [Code::ReportedCached]);
    assert_eq!(found(&|facts| facts.found_less = Some((2.0, 1.0))), [Code::ReportedLess]);
    let with = |hash: &str, repetition| {
        let program = Program { path: "/opt/ior".into(), sha256: hash.into(), ..Program::default() };
        let mut one: Job = printed(honest()).jobs.remove(0);
        (one.info.repetition, one.info.programs) = (repetition, vec![program]);
        one
    };
    assert_eq!(findings(campaign(vec![with("5e", 1), with("5e", 2)])), []);
    assert_eq!(findings(campaign(vec![with("5e", 1), with("77", 2)])), [Code::ProgramChanged]);
}

const PLAN: &str = r#"
schema = 1
plan = { id = "p", title = "t" }
fs.s = { dir = "{dir}" }
launch = { kind = "mpirun" }
[[test]]
id = "T"
nodes = 2
ppn = 2
app.parse = "ior"
app.argv = ["ior", "-w", "-r", "-C", "-e", "-F", "-t", "1m", "-b", "64m", "-o", "{dir}/f"]
criterion = { metric = "write.bw", op = ">=", value = "1 MB/s" }
"#;
