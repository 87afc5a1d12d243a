//! Sixteen defects of published acceptance tests, in their published form.
//!
//! The command lines are those of "IOR results at NERSC" (G. K. Lockwood) and of "I/O Benchmark Instructions"
//! (Blue Waters IO-2017). The program's own tables report unknown and renamed options, so the test of D9 and
//! of the unknown options of D3 is in `cli`. `judge` finds D14 in the records.

use command::WorkloadLine;
use lint::{LineSubject, MakerFacts, PlanSubject, SeriesFacts, StepFacts};
use plan::Plan;
use results::finding::{Finding, Severity};
use results::reason::row;

use crate::{data, finding, ids, subject};

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

/// The finding of this lint about this test of the plan.
fn of<'f>(findings: &'f [Finding], test: &str, lint: &str) -> &'f Finding {
    let own = findings.iter().find(|finding| finding.about == test && finding.code().id() == lint);
    own.unwrap_or_else(|| panic!("no {lint} of {test} in {findings:#?}"))
}

/// A command that reads the files of another.
fn reading(facts: &str, made: &str, reads: &str) -> LineSubject {
    let maker = subject(facts, made);
    let Some(WorkloadLine::Ior(line)) = maker.line.clone() else { panic!("of ior") };
    let source = MakerFacts { name: "dataset.random".into(), line: *line, ranks: maker.ranks() };
    LineSubject { source: Some(source), ..subject(facts, reads) }
}

#[test]
fn d1_nodes_times_ranks_differ_from_the_started_ranks() {
    let findings = lint::line(&subject("nodes=28 ppn=8 total=184g", CFS_IOPS));
    let found = finding(&findings, "geometry");
    assert_eq!(data(found), ["nodes=28", "nodes_of_ranks=23", "ppn=8", "product=224", "ranks=184"]);
    assert_eq!(found.severity, Severity::Error);
}

#[test]
fn d2_a_read_test_writes() {
    assert_eq!(ids(&subject("role=read nodes=22600 ppn=1", BW_READ)), ["role-mismatch"]);
    let (_, findings) = literal();
    let found = of(&findings, "BW-IOR4", "role-mismatch");
    assert_eq!(data(found), ["extra=-w", "missing=-r", "worded_role=read"]);
    assert_eq!(found.severity, Severity::Info, "only its clause text says that it reads");
    let of_write = |finding: &Finding| finding.about == "BW-IOR3" && finding.code().id() == "role-mismatch";
    assert!(!findings.iter().any(of_write));
}

#[test]
fn d3_a_mistyped_read_option_makes_a_command_line_that_writes() {
    let findings = lint::line(&subject("role=read", BW_SAMPLE));
    assert_eq!(data(finding(&findings, "role-mismatch")), ["implied=-w", "role=read"]);
}

#[test]
fn d4_a_column_of_servers_holds_client_nodes() {
    let step = StepFacts { label: "3/3".into(), servers: Some(4320), nodes: Some(4320) };
    let one = StepFacts { label: "single server".into(), servers: Some(1), nodes: Some(12) };
    let series = |servers| SeriesFacts {
        id: "BW-IOR2".into(),
        servers,
        counted: true,
        steps: vec![one.clone(), step.clone()],
        ..SeriesFacts::default()
    };
    let found = |servers| lint::whole(&PlanSubject { series: vec![series(servers)], ..Default::default() });
    let findings = found(Some(360));
    let own = ["available=360", "nodes=4320", "servers=4320", "step=3/3"];
    assert_eq!(data(finding(&findings, "linearity-base")), own);
    assert_eq!(data(finding(&found(None), "linearity-base")), own[1..]);
}

#[test]
fn d5_a_path_names_no_file_and_another_is_spelled_in_two_ways() {
    for line in [PM_MAKE, PM_RANDOM] {
        let findings = lint::line(&subject("", line));
        let found = finding(&findings, "path-on-wrong-fs");
        assert_eq!(data(found), ["directory=/pscratch/", "example=/pscratch/data"]);
    }
    let findings = lint::line(&reading("nodes=1382 ppn=4", PM_STRIDED, PM_READ));
    let found = finding(&findings, "path-on-wrong-fs");
    assert_eq!(found.severity, Severity::Info, "both paths name one file");
    assert_eq!(found.reason.get(row::DatasetFileSize::path), Some("/pscratch//IOR-strided.out"));
    assert_eq!(found.reason.get(row::PathOnWrongFs::maker_path), Some("/pscratch/IOR-strided.out"));
}

#[test]
fn d6_a_file_is_on_another_file_system() {
    let findings = lint::line(&subject("mount=/pscratch role=hero", PM_HERO));
    let found = finding(&findings, "path-on-wrong-fs");
    assert_eq!(data(found), ["mount=/pscratch", "path=/global/homes/g/glock/testFile"]);
    assert_eq!(found.severity, Severity::Error);
}

#[test]
fn d7_one_command_line_for_a_shared_directory_and_for_separate_directories() {
    let (_, findings) = literal();
    let own = findings.iter().filter(|finding| finding.code().id() == "shared-unique-pair");
    let own: Vec<_> = own.map(|finding| (finding.about.as_str(), finding.severity, data(finding))).collect();
    let text = |all: [&str; 2]| all.map(str::to_owned).to_vec();
    let of_text = text(["directories=separate", "mentioned=shared, separate"]);
    let of_lines = text(["directories=separate", "other=shared"]);
    let all = [("BW-MD1", Severity::Info, of_text), ("BW-MD1", Severity::NeedsWaiver, of_lines)];
    assert_eq!(own, all);
}

#[test]
fn d10_an_undefined_optimum_and_undefined_steps() {
    let (_, findings) = literal();
    for test in ["BW-IOR1", "BW-IOR3", "BW-IOR4"] {
        assert_eq!(of(&findings, test, "optimal-undefined").severity, Severity::Info);
    }
}

#[test]
fn d8_an_option_that_has_changed_its_meaning() {
    let (_, findings) = literal();
    let found = of(&findings, "BW-MD1", "option-drift");
    assert_eq!(data(found), ["option=-k", "since=IOR 3.3"]);
    assert_eq!(found.severity, Severity::NeedsWaiver);
}

#[test]
fn d11_a_table_that_the_report_does_not_have() {
    let (_, findings) = literal();
    for about in ["BW-TABLE", "source"] {
        let found = of(&findings, about, "table-label");
        let own = ["label=Table 4", "tables=Systems, Benchmarks and their purpose, Results"];
        assert_eq!((data(found), found.severity), (own.map(str::to_owned).to_vec(), Severity::Info));
    }
}

#[test]
fn d12_a_clause_without_its_threshold() {
    let (_, findings) = literal();
    assert_eq!(of(&findings, "PM-BW-W", "threshold-missing").severity, Severity::Info);
}

#[test]
fn d13_units_of_another_family_than_in_the_contract() {
    let (_, findings) = literal();
    let found = of(&findings, "BW-IOR1", "units");
    let own = ["clause_units=decimal", "metric=write.bw", "value=953674 MiB/s", "value_units=binary"];
    assert_eq!((data(found), found.severity), (own.map(str::to_owned).to_vec(), Severity::Info));
}

/// Defects for which a plan is rejected: the defect, the change of the literal plan, the addition to it, and
/// the rejection.
const REJECTED: &[(&str, (&str, &str), &str, &str)] = &[
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
        "-D may stop dataset.random before its files are full",
    ),
];

#[test]
fn a_defect_that_no_plan_may_have_is_rejected_at_its_place() {
    for (defect, (from, to), added, rejection) in REJECTED {
        let text = include_str!("../plans/seeds-literal.toml");
        assert!(text.contains(from), "{defect}");
        let text = if from.is_empty() { text.to_owned() } else { text.replace(from, to) };
        let rejected = Plan::parse(&format!("{text}\n{added}"), "p.toml").unwrap_err().0;
        let place: Vec<&str> = rejected.splitn(4, ':').collect();
        assert!(place[1].parse::<usize>().is_ok_and(|line| line > 10), "{defect}: {rejected}");
        assert!(rejected.contains(rejection), "{defect}: {rejected}");
    }
}

#[test]
fn d15_the_written_data_fits_the_memory_of_the_clients() {
    let findings = lint::line(&subject("nodes=230 ppn=32 ram=512g target=24807129/s", PM_IOPS));
    let found = finding(&findings, "client-cache-fit");
    assert_eq!(found.severity, Severity::NeedsWaiver);
    assert_eq!(found.phase.as_deref(), Some("write"));
    assert_eq!(found.reason.get(row::DatasetTooSmall::deadline), Some(45.0));
    let gib = found.reason.get(row::ClientCacheFit::written).unwrap() / f64::from(1 << 30);
    assert!((18.4..18.6).contains(&gib), "{gib}");
    finding(&findings, "write-iops-buffered");
    let (_, findings) = literal();
    of(&findings, "PM-IOPS-W", "client-cache-fit");
}

#[test]
fn d16_a_stopped_dataset_is_read_as_if_its_files_were_full() {
    let findings = lint::line(&reading("nodes=230 ppn=32", PM_MAKE, PM_RANDOM));
    let found = finding(&findings, "read-beyond-written");
    assert_eq!(found.severity, Severity::Error);
    assert_eq!(found.reason.get(row::ReadBeyondWritten::full), Some(7360.0 * 16.0 * f64::from(1 << 30)));
    let rate = found.reason.get(row::ReadBeyondWritten::rate_full).unwrap();
    assert!((2.80e12..2.82e12).contains(&rate), "{rate}");
    let text = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n\
                [dataset.r]\nior = \"-w -t 4m -k -F -b 16g -e -g -C -D 45 -O stoneWallingWearOut=1\"\n\
                [[test]]\nid = \"T\"\nuses = \"dataset.r\"\nior = \"-r -t 4k -z -F -b 16g -k -C -D 45\"\n\
                criterion = { metric = \"read.iops\", op = \">=\", value = \"1 M/s\" }\n";
    let rejected = Plan::parse(text, "p.toml").unwrap_err().0;
    assert!(rejected.contains("-D may stop dataset.r before its files are full"), "{rejected}");
}

#[test]
fn a_waiver_applies_in_the_plan_that_gives_it() {
    let (_, findings) = literal();
    let found = of(&findings, "PM-IOPS-W", "write-iops-buffered");
    assert_eq!(found.waived.as_ref().map(|approval| approval.approved_by.as_str()), Some("storage lead"));
    assert!(!found.is_open() && of(&findings, "PM-IOPS-W", "client-cache-fit").is_open());
}
