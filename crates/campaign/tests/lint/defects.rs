//! Sixteen defects of published acceptance tests, found in their own words.
//!
//! The lines are those of "IOR results at NERSC" (G. K. Lockwood) and of "I/O Benchmark Instructions"
//! (Blue Waters IO-2017). Options that are unknown or have other names are told by the program's own
//! tables, so D9 and the unknown half of D3 have their test in `cli`.

use campaign::lint;
use campaign::lint::Finding;
use campaign::lint::Level;
use campaign::lint::LineSubject;
use campaign::lint::after;
use campaign::lint::after::AfterSubject;
use campaign::lint::subject::LineFacts;
use campaign::lint::subject::PlanSubject;
use campaign::lint::subject::Series;
use campaign::lint::subject::Source;
use campaign::lint::subject::Step;
use plan::Plan;
use results::folder::{Campaign, Job, JobEnd, JobInfo};
use results::record::{Balance, Phase, Record, Spans, Stonewall};

use crate::{finding, ids, subject};

const CFS_IOPS: &str =
    "mpirun -n 184 --map-by node ./ior -w -r -z -e -C -F -t 4k -b 1g -o /global/cfs/iorfpprandfile";
const BW_READ: &str = "IOR -w -a POSIX -b 1g -E -C -e -g -k -s 1 -t 16m -F";
const BW_SAMPLE: &str = "IOR -a POSIX -4 -D 120 -b 14763950080 -E -C -g -k -s 1 -t 4m -F -e";
const PM_MAKE: &str = "srun ./ior -w -t 4m -k -a POSIX -F -b 16g -e -g -vv -C -D 45 -o /pscratch/ -O \
                       stoneWallingWearOut=1";
const PM_RANDOM: &str = "srun ./ior -r -t 4k -z -a POSIX -F -b 16g -e -g -vv -C -D 45 -o /pscratch/";
const PM_READ: &str = "srun ./ior -r -t 1m -b 1m -s 100000 -a POSIX -F -e -g -vv -C -o \
                       /pscratch//IOR-strided.out -k -D 30";
const PM_STRIDED: &str = "srun ./ior -w -t 1m -b 1m -s 100000 -a POSIX -F -e -g -vv -C -o \
                          /pscratch/IOR-strided.out -k -O stoneWallingWearOut=1 -D 90";
const PM_HERO: &str = "srun ./ior -w -F -e -g -vv -O lustrestripecount=1 -t 64m -b 64g -D 45 -k -o \
                       /global/homes/g/glock/testFile";
const PM_IOPS: &str = "srun ./ior -w -t 4k -z -a POSIX -F -b 16g -e -g -vv -C -D 45 -o \
                       /pscratch/IOR-random.write.out";

fn literal() -> (Plan, Vec<Finding>) {
    let text = include_str!("../plans/seeds-literal.toml");
    let plan = Plan::parse(text, "seeds-literal.toml").unwrap();
    let findings = lint::plan(&plan);
    (plan, findings)
}

/// What the plan is found to have in this test.
fn of<'f>(findings: &'f [Finding], test: &str, lint: &str) -> &'f Finding {
    let own = findings.iter().find(|finding| finding.about == test && finding.lint == lint);
    own.unwrap_or_else(|| panic!("no {lint} of {test} in {findings:#?}"))
}

/// A command that reads what another made.
fn reading(facts: &str, made: &str, reads: &str) -> LineSubject {
    let maker = subject(facts, made);
    let LineFacts::Ior(line) = maker.line.clone() else { panic!("of ior") };
    let source = Source { name: "dataset.random".into(), line, ranks: maker.ranks() };
    LineSubject { source: Some(source), ..subject(facts, reads) }
}

#[test]
fn d1_nodes_times_ranks_are_not_what_is_started() {
    let findings = lint::line(&subject("nodes=28 ppn=8 total=184g", CFS_IOPS));
    let found = finding(&findings, "geometry");
    assert_eq!(found.what, "28 nodes × 8 ranks = 224, and 184 are started");
    assert_eq!(found.remedy, "start 224, or state 23 nodes");
}

#[test]
fn d2_a_test_of_reading_writes() {
    assert_eq!(ids(&subject("role=read nodes=22600 ppn=1", BW_READ)), ["role-mismatch"]);
    let (_, findings) = literal();
    assert_eq!(of(&findings, "BW-IOR4", "role-mismatch").what, "is to measure a read, and has -w");
    assert!(!findings.iter().any(|finding| finding.about == "BW-IOR3" && finding.lint == "role-mismatch"));
}

#[test]
fn d3_a_slip_for_the_read_makes_a_line_that_writes() {
    let findings = lint::line(&subject("role=read", BW_SAMPLE));
    assert_eq!(finding(&findings, "role-mismatch").what, "names no phase, so IOR writes as well as reads");
}

#[test]
fn d4_a_column_of_servers_holds_client_nodes() {
    let step = Step { label: "3/3".into(), servers: Some(4320), nodes: Some(4320) };
    let one = Step { label: "single server".into(), servers: Some(1), nodes: Some(12) };
    let series = |servers| Series {
        id: "BW-IOR2".into(),
        servers,
        counted: true,
        steps: vec![one.clone(), step.clone()],
        ..Series::default()
    };
    let found = |servers| lint::whole(&PlanSubject { series: vec![series(servers)], ..Default::default() });
    let findings = found(Some(360));
    assert_eq!(
        finding(&findings, "linearity-base").what,
        "step 3/3 has 4320 servers, and the file system has 360: that is the number of client nodes"
    );
    assert!(finding(&found(None), "linearity-base").what.contains("as many client nodes"));
}

#[test]
fn d5_a_path_names_no_file_and_one_is_spelled_in_two_ways() {
    for line in [PM_MAKE, PM_RANDOM] {
        let findings = lint::line(&subject("", line));
        let found = finding(&findings, "path-on-wrong-fs");
        assert_eq!(found.what, "`-o /pscratch/` names a directory, and no file in it");
    }
    let findings = lint::line(&reading("nodes=1382 ppn=4", PM_STRIDED, PM_READ));
    let found = finding(&findings, "path-on-wrong-fs");
    assert!(found.what.starts_with("reads `/pscratch//IOR-strided.out`, and"), "{}", found.what);
}

#[test]
fn d6_a_file_lies_on_another_file_system() {
    let findings = lint::line(&subject("mount=/pscratch role=hero", PM_HERO));
    let found = finding(&findings, "path-on-wrong-fs");
    assert_eq!(
        found.what,
        "`/global/homes/g/glock/testFile` does not lie below /pscratch, which is under test"
    );
}

#[test]
fn d7_one_line_for_a_shared_and_for_separate_directories() {
    let (_, findings) = literal();
    let found = of(&findings, "BW-MD1", "shared-unique-pair");
    assert!(found.what.contains("both, one directory and separate ones"), "{}", found.what);
}

#[test]
fn d10_an_optimum_and_steps_that_are_not_defined() {
    let (_, findings) = literal();
    for test in ["BW-IOR1", "BW-IOR3", "BW-IOR4"] {
        of(&findings, test, "optimal-undefined");
    }
}

#[test]
fn d8_an_option_that_is_another_one_than_it_was() {
    let (_, findings) = literal();
    let found = of(&findings, "BW-MD1", "option-drift");
    assert!(found.what.starts_with("-k makes files by mknod since IOR 3.3"), "{}", found.what);
}

#[test]
fn d11_a_table_that_the_report_does_not_have() {
    let (_, findings) = literal();
    let what = "Table 4 is spoken of, and the report has Systems, Benchmarks and their purpose, Results";
    let found = of(&findings, "BW-TABLE", "table-label");
    assert_eq!((found.what.as_str(), found.level), (what, Level::Waiver));
    let found = of(&findings, "source", "table-label");
    assert_eq!((found.what.as_str(), found.level), (what, Level::Info), "a source cites the document");
}

#[test]
fn d12_a_clause_without_its_threshold() {
    let (_, findings) = literal();
    of(&findings, "PM-BW-W", "threshold-missing");
}

#[test]
fn d13_units_of_another_family_than_the_contracts() {
    let (_, findings) = literal();
    let found = of(&findings, "BW-IOR1", "units");
    assert!(found.what.contains("`953674 MiB/s`"), "{}", found.what);
}

#[test]
fn d14_a_rank_that_moved_less_than_half_of_the_mean() {
    let gib = |gib: f64| (gib * f64::from(1 << 30)) as u64;
    let phase = Phase {
        phase: "write".into(),
        ranks: 4320,
        bytes: gib(29.8) * 4320,
        balance: Balance { bytes_min: 14_763_950_080, bytes_max: gib(35.0), ..Default::default() },
        stonewall: Some(Stonewall { deadline_s: 180.0, ..Default::default() }),
        ..Default::default()
    };
    let findings = after::findings(&AfterSubject { phases: vec![&phase], ..Default::default() });
    let found = finding(&findings, "straggler");
    assert_eq!(found.what, "write: the slowest rank moved 13.8 GiB, 46 % of the mean of 29.8 GiB");
}

#[test]
fn d14_it_is_found_in_a_campaign_of_the_plan() {
    let (plan, _) = literal();
    let phase = Phase {
        phase: "write".into(),
        ranks: 4320,
        bytes: 29_800_000_000 * 4320,
        spans: Spans { transfer_s: 180.0, total_s: 180.0, ..Default::default() },
        balance: Balance { bytes_min: 14_763_950_080, bytes_max: 35_000_000_000, ..Default::default() },
        stonewall: Some(Stonewall { deadline_s: 180.0, ..Default::default() }),
        ..Default::default()
    };
    let info = JobInfo { test: "BW-IOR1".into(), end: JobEnd::Exit(0), ..Default::default() };
    let job = Job { info, records: vec![Record::Phase(Box::new(phase))], ..Default::default() };
    let findings = lint::measured(&plan, &Campaign { jobs: vec![job], ..Default::default() });
    assert!(of(&findings, "BW-IOR1", "straggler").what.starts_with("write: the slowest rank moved 13.8 GiB"));
}

/// What a plan does not hold: the defect, what is changed in the literal plan, what is added to it, and the
/// refusal.
const REFUSED: &[(&str, (&str, &str), &str, &str)] = &[
    (
        "D1",
        ("", ""),
        "[[test]]\nid = \"CFS1-IOPS\"\nior = \"-w -r -z -e -C -F -t 4k -b 1g\"\nnodes = 28\nppn = 8\n\
         ranks = 184\nrole = \"reported\"\n",
        "ranks is 184, but 28 nodes of 8 ranks are 224",
    ),
    (
        "D4",
        (
            "kind = \"lustre\"",
            "kind = \"lustre\"\nservers = 360\nset_servers = \"on {servers}\"\ncount_servers = \"count\"",
        ),
        "[[series]]\nid = \"BW-IOR2\"\nover = \"servers\"\nsteps = [\"1\", \"4320\"]\nnodes = 4320\n\
         [[series.phases]]\nid = \"w\"\nior = \"-w -a POSIX -D 180 -b 4096g -E -C -g -k -s 1 -t 4m -F -e\"\n\
         role = \"reported\"\n",
        "`4320` is more than the 360 servers of fs.scratch",
    ),
    (
        "D5",
        ("", ""),
        "[dataset.random]\nior = \"-w -t 4m -k -a POSIX -F -b 16g -e -g -vv -C -D 45 -o /pscratch/ \
         -O stoneWallingWearOut=1\"\nnodes = 230\nppn = 32\n",
        "`-o /pscratch/` lies outside the campaign's own directory",
    ),
    (
        "D6",
        ("-O lustrestripecount=1 -t 64m -b 64g", "-O lustrestripecount=1 -t 64m -b 64g -o /global/homes/f"),
        "",
        "`-o /global/homes/f` lies outside the campaign's own directory",
    ),
    (
        "D16",
        ("", ""),
        "[dataset.random]\nior = \"-w -t 4m -k -a POSIX -F -b 16g -e -g -vv -C -D 45 -O \
         stoneWallingWearOut=1\"\nnodes = 230\nppn = 32\n[[test]]\nid = \"PM-IOPS-R\"\n\
         uses = \"dataset.random\"\nior = \"-r -t 4k -z -a POSIX -F -b 16g -e -g -vv -C -D 45 -k\"\n\
         nodes = 230\nppn = 32\nrole = \"reported\"\n",
        "dataset.random may be stopped by -D before it is full",
    ),
];

#[test]
fn what_a_plan_does_not_hold_is_refused_at_its_place() {
    for (defect, (from, to), added, refusal) in REFUSED {
        let text = include_str!("../plans/seeds-literal.toml");
        assert!(text.contains(from), "{defect}");
        let text = if from.is_empty() { text.to_owned() } else { text.replace(from, to) };
        let refused = Plan::parse(&format!("{text}\n{added}"), "p.toml").unwrap_err().0;
        let place: Vec<&str> = refused.splitn(4, ':').collect();
        assert!(place[1].parse::<usize>().is_ok_and(|line| line > 10), "{defect}: {refused}");
        assert!(refused.contains(refusal), "{defect}: {refused}");
    }
}

#[test]
fn d15_what_is_written_fits_the_memory_of_the_clients() {
    let findings = lint::line(&subject("nodes=230 ppn=32 ram=512g target=24807129/s", PM_IOPS));
    let found = finding(&findings, "client-cache-fit");
    assert!(found.what.starts_with("writes 18.5 GiB per node in the 45.0 s of -D"), "{}", found.what);
    finding(&findings, "write-iops-buffered");
    let (_, findings) = literal();
    of(&findings, "PM-IOPS-W", "client-cache-fit");
}

#[test]
fn d16_a_stopped_dataset_is_read_as_if_it_were_full() {
    let findings = lint::line(&reading("nodes=230 ppn=32", PM_MAKE, PM_RANDOM));
    let found = finding(&findings, "read-beyond-written");
    assert!(found.what.contains("it is full, 115 TiB, only if 2.81 TB/s were written"), "{}", found.what);
    let text = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n\
                [dataset.r]\nior = \"-w -t 4m -k -F -b 16g -e -g -C -D 45 -O stoneWallingWearOut=1\"\n\
                [[test]]\nid = \"T\"\nuses = \"dataset.r\"\nior = \"-r -t 4k -z -F -b 16g -k -C -D 45\"\n\
                criterion = { metric = \"read.iops\", op = \">=\", value = \"1 M/s\" }\n";
    let refused = Plan::parse(text, "p.toml").unwrap_err().0;
    assert!(refused.contains("may be stopped by -D before it is full"), "{refused}");
}

#[test]
fn a_waiver_is_heeded_in_the_plan_that_gives_it() {
    let (_, findings) = literal();
    let found = of(&findings, "PM-IOPS-W", "write-iops-buffered");
    assert_eq!(found.waived.as_ref().map(|signed| signed.by.as_str()), Some("storage lead"));
    assert!(!found.stands() && of(&findings, "PM-IOPS-W", "client-cache-fit").stands());
}
