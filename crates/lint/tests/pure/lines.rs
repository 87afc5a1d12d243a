//! Every lint about a command: a command line that has the defect, and the same one restored.

// tidy: long because the table of command lines is read as one.

use command::WorkloadLine;
use lint::{Drift, DriftKind, LineRejection, LineSubject, LintCheck, MakerFacts};
use plan::{Comparison, Stat};
use results::finding::Severity;
use results::reason::{Code, row};

use crate::criteria::{criterion, with_criteria};
use crate::{data, finding, ids, subject, with_check};

/// Lint, facts, command line with the defect, facts, command line without it.
const ROWS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "write-iops-buffered",
        "",
        "ior -w -F -e -z -t 4k -b 1g",
        "",
        "ior -w -F -e -z -t 4k -b 1g --posix.odirect",
    ),
    ("write-iops-buffered", "", "ior -w -F -e -z -t 4k", "", "ior -w -F -e -t 4k"),
    ("write-iops-buffered", "", "ior -w -F -e -z -t 64k", "", "ior -w -F -e -z -t 128k"),
    ("write-iops-buffered", "", "ior -w -F -e -z -t 4k", "role=dataset", "ior -w -F -e -z -t 4k -k"),
    ("client-cache-fit", "ppn=4 ram=512g", "ior -w -F -b 16g", "ppn=64 ram=512g", "ior -w -F -b 16g"),
    ("client-cache-fit", "ppn=4 ram=512g", "ior -w -F -b 16g", "ppn=4 ram=512g", "ior -w -F -e -b 16g"),
    (
        "client-cache-fit",
        "nodes=2 ppn=4 ram=64g",
        "ior -wrFe -b 8g",
        "nodes=2 ppn=4 ram=64g",
        "ior -wrFe -C -b 32g",
    ),
    (
        "client-cache-fit",
        "nodes=2 ppn=4 ram=64g",
        "ior -wrFe -b 8g",
        "nodes=2 ppn=4 ram=64g",
        "ior -wrFe -b 8g -M 80%",
    ),
    ("missing-persist", "", "ior -w -F", "", "ior -w -F -e"),
    ("missing-persist", "", "ior -w -F", "", "ior -w -F -Y"),
    ("missing-persist", "", "ior -w -F", "", "ior -w -F -O useO_DIRECT=1"),
    ("missing-persist", "", "ior -w -F", "role=dataset", "ior -w -F -k"),
    ("wr-same-launch", "", "ior -w -r -e -C -F", "", "ior -r -C -F"),
    ("wr-same-launch", "", "ior -F -e -C", "", "ior -F -e -C --drop-caches"),
    ("wr-same-launch", "ppn=8 ram=256g", "ior -wr -e -C -b 32g", "ppn=8 ram=128g", "ior -wr -e -C -b 32g"),
    ("wr-same-launch", "", "ior -wr -e -C", "role=write", "ior -wr -e -C"),
    ("reader-is-writer", "", "ior -r -F", "", "ior -r -F -C"),
    ("reader-is-writer", "", "ior -r -F", "", "ior -r -F -Z"),
    ("reader-is-writer", "", "ior -r -F -C -Q 0", "", "ior -r -F -O reorderTasksConstant=1"),
    ("reorder-own-node", "nodes=2 ppn=2", "ior -r -F -C -Q 2", "nodes=4 ppn=2", "ior -r -F -C -Q 2"),
    ("reorder-own-node", "nodes=16 ppn=64", "ior -r -C -Q 64", "nodes=16 ppn=64", "ior -r -C -Q 65"),
    ("reorder-own-node", "nodes=4 ppn=16", "mdtest -n 9 -N 16", "nodes=4 ppn=16", "mdtest -n 9 -N 1"),
    ("reorder-own-node", "nodes=4", "mdtest -n 9 -T -N 8", "nodes=4", "mdtest -n 9 -C -N 8"),
    ("reorder-own-node", "nodes=2", "ior -r -C -Q 2", "nodes=2", "ior -r -C -Q 2 --drop-caches"),
    ("reader-is-writer", "nodes=1", "ior -r -F -C", "nodes=1", "ior -r -F -C --drop-caches"),
    ("reader-is-writer", "", "ior -r -F", "warm=1", "ior -r -F"),
    ("sparse-random-write", "", "ior -w -e -z -t 1m", "", "ior -w -e -z -t 1m --randomPrefill 1m"),
    (
        "wearout-on-measured",
        "role=write",
        "ior -w -k -D 45 -O stoneWallingWearOut=1",
        "role=dataset",
        "ior -w -k -D 45 -O stoneWallingWearOut=1",
    ),
    (
        "wearout-on-measured",
        "",
        "ior -r -C -D 45 -O stoneWallingWearOut=1",
        "",
        "ior -w -e -k -D 45 -O stoneWallingWearOut=1",
    ),
    (
        "no-wearout-on-dataset",
        "role=dataset",
        "ior -w -k -D 45",
        "role=dataset",
        "ior -w -k -D 45 -O stoneWallingWearOut=1",
    ),
    ("no-wearout-on-dataset", "role=dataset", "ior -w -k -D 45", "role=dataset", "ior -w -k"),
    ("sustained-not-met", "sustained=30", "ior -w -e -D 20", "sustained=30", "ior -w -e -D 30"),
    (
        "sustained-not-met",
        "sustained=30 target=1TB/s ranks=10",
        "ior -w -e -b 1g",
        "sustained=30 target=1TB/s ranks=10",
        "ior -w -e -b 4t",
    ),
    (
        "out-of-data",
        "ranks=10 target=1TB/s",
        "ior -w -e -D 45 -b 1t",
        "ranks=10 target=1TB/s",
        "ior -w -e -D 45 -b 8t",
    ),
    (
        "out-of-data",
        "ranks=10 target=20M/s",
        "ior -w -e -D 45 -t 4k -b 100g",
        "ranks=10 target=2M/s",
        "ior -w -e -D 45 -t 4k -b 100g",
    ),
    (
        "dataset-too-small",
        "role=dataset ranks=10 target=1TB/s sustained=30",
        "ior -w -k -b 1t",
        "role=dataset ranks=10 target=1TB/s sustained=30",
        "ior -w -k -b 8t",
    ),
    ("hero-as-contract", "role=hero target=4TB/s", "ior -w -e -t 64m", "role=hero", "ior -w -e -t 64m"),
    ("geometry", "nodes=28 ppn=8", "mpirun -n 184 ior -w -e", "nodes=23 ppn=8", "mpirun -n 184 ior -w -e"),
    ("geometry", "nodes=2", "srun -N 4 ior -w -e", "nodes=4", "srun -N 4 ior -w -e"),
    (
        "geometry",
        "",
        "srun -N 4 -n 16 --ntasks-per-node=8 ior -w -e",
        "",
        "srun -N 2 -n 16 --ntasks-per-node=8 ior -w -e",
    ),
    ("geometry", "", "srun -n 16 ior -w -e -N 32", "", "srun -n 16 ior -w -e -N 8"),
    (
        "geometry",
        "total=24t nodes=960 ppn=4",
        "ior -w -e -b 4m -s 1538",
        "total=24t nodes=960 ppn=4",
        "ior -w -e -b 4m -s 1638",
    ),
    ("role-mismatch", "role=read", "ior -w -F -e", "role=read", "ior -r -F -C"),
    ("role-mismatch", "role=write", "ior -r -F -C", "role=write", "ior -w -F -e"),
    ("role-mismatch", "role=read", "ior -F -e", "role=read", "ior -R -F -C"),
    ("role-mismatch", "role=dataset", "ior -w -F", "role=dataset", "ior -w -F -k"),
    (
        "path-on-wrong-fs",
        "mount=/pscratch",
        "ior -w -e -o /global/homes/f",
        "mount=/pscratch",
        "ior -w -e -o /pscratch/u/f",
    ),
    ("path-on-wrong-fs", "", "ior -w -e -o /pscratch/", "", "ior -w -e -o /pscratch/f"),
    ("missing-persist", "", "ior -w --uring.odirect", "", "ior -w -a URING --uring.odirect"),
    ("path-on-wrong-fs", "mount=/s", "ior -w -e", "mount=/s", "ior -w -e -o $SCRATCH/f"),
    ("path-on-wrong-fs", "mount=/s", "mdtest -C -d /home/d", "mount=/s", "mdtest -C -d /s/d"),
    ("path-on-wrong-fs", "mount=/s", "flash_benchmark_io /home/f", "mount=/s", "flash_benchmark_io /s/f"),
    ("path-on-wrong-fs", "mount=/s", "fdtree -o /home/f", "mount=/s", "fdtree -o /s/f"),
    ("path-on-wrong-fs", "mount=/s", "md-workbench -2o /home/f", "mount=/s", "md-workbench -2o /s/f"),
    ("layout-undeclared", "kind=lustre", "ior -w -e", "kind=ext4", "ior -w -e"),
    ("layout-undeclared", "kind=lustre", "ior -w -e", "kind=lustre", "ior -w -e -O lustreStripeCount=1"),
    ("layout-undeclared", "kind=lustre stripes=4", "ior -w -e -F", "kind=lustre stripes=1", "ior -w -e -F"),
    ("layout-undeclared", "kind=lustre stripes=1", "ior -w -e", "kind=lustre stripes=-1", "ior -w -e"),
    ("cb-state-unset", "", "ior -w -e -a MPIIO -c", "", "ior -w -e -a MPIIO"),
    ("cb-state-unset", "", "ior -w -e -a MPIIO -c", "", "ior -w -e -a MPIIO -c --mpiio.hintsFileName h"),
    (
        "cb-state-unset",
        "",
        "ior -w -e -a MPIIO -c",
        "",
        "env IOR_HINT__MPI__romio_cb_write=disable ior -w -e -a MPIIO -c",
    ),
    ("md-same-node", "", "mdtest -n 10", "ppn=8", "mdtest -n 10 -N 1"),
    ("md-same-node", "", "mdtest -n 10", "", "mdtest -C -n 10"),
    ("md-same-node", "nodes=1", "mdtest -n 10 -N 8", "nodes=1", "mdtest -n 10 --run-cmd-before-phase drop"),
    ("md-too-short", "ranks=10", "mdtest -C -n 1000", "ranks=10", "mdtest -C -n 100000"),
    ("md-too-short", "ranks=10", "mdtest -C -I 9 -b 3 -z 3", "ranks=10", "mdtest -C -I 9000 -b 3 -z 3"),
    ("rate-too-short", "role=write", "ior -w -e", "role=write", "ior -w -e -s 1000"),
    ("rate-too-short", "", "ior -r -C -i 3 -t 64k", "", "ior -r -C -i 3 -t 64k -O blockSize=1m"),
    ("rate-too-short", "", "ior -w -e", "role=dataset", "ior -w -e -k"),
    ("rate-too-short", "", "ior -w -e", "", "ior -w -e -O minTimeDuration=30"),
    ("ls-walk", "", "ls -lR /s", "", "ls-lr --cold /s"),
    ("ls-walk", "", "ls-lr --make --entries 5000 /s", "", "ls-lr --make --entries 120000 /s"),
    ("compressible", "reduces=1", "ior -w -e", "reduces=1", "ior -w -e -l random"),
    ("not-packed", "cores=64 ppn=4", "ior -w -e", "cores=64 ppn=64", "ior -w -e"),
    ("reps-short", "", "ior -w -e -i 3", "", "ior -w -e -i 3 -m"),
    ("reps-short", "", "ior -r -C -i 3", "", "ior -r -C -i 1"),
    ("reps-short", "", "ior -r -C -i 3 -m", "", "ior -w -e -i 3 -m"),
    ("unchecked-data", "role=read", "ior -R -C", "role=read", "ior -r -C"),
    ("options-in-file", "", "ior -f s.ior", "", "ior -w -e"),
    ("option-drift", "", "mdtest -C -n 9 -k", "", "mdtest -C -n 9"),
    ("option-drift", "", "ior -w -z -t 4k -b 4k -s 9", "", "ior -w -z -t 4k -b 8k -s 9"),
    ("option-drift", "", "ior -w -z -t 4k -b 4k -s 9", "", "ior -w -t 4k -b 4k -s 9"),
];

#[test]
fn the_data_of_a_finding_describe_the_command_line() {
    let found = |facts: &str, line: &str, lint: &str| {
        let findings = lint::line(&subject(facts, line));
        data(finding(&findings, lint))
    };
    assert_eq!(found("", "ior -r -C -i 3", "reps-short"), ["rereads=3"]);
    assert_eq!(found("", "ior -w -e -i 3", "reps-short"), ["overwrites=3"]);
    assert_eq!(
        found("nodes=4 ppn=2", "ior -r -F -C -Q 4", "reorder-own-node"),
        ["nodes=4", "option=-Q", "shift=4"]
    );
    assert_eq!(found("nodes=4 ppn=2", "ior -r -F", "reader-is-writer"), [""; 0]);
    assert_eq!(
        ids(&subject("nodes=4 ppn=2", "mdtest -n 1000000 -N")),
        [""; 0],
        "a shift that cannot be parsed"
    );
}

#[test]
fn a_command_line_with_options_in_a_file_has_no_guessed_findings() {
    for (facts, line) in [
        ("role=read", "ior -f s.ior"),
        ("", "ior -w -e -F -f s"),
        ("role=write nodes=2 ppn=4 ram=64g", "mpirun -n 8 ior -r -F -f s.ior -D 5"),
    ] {
        assert_eq!(ids(&subject(facts, line)), ["options-in-file"], "{line}");
    }
}

#[test]
fn a_command_line_with_the_defect_is_found_and_the_corrected_one_is_not() {
    for (lint, facts, bad, facts_restored, restored) in ROWS {
        let found = ids(&subject(facts, bad));
        assert!(found.contains(lint), "{lint} is not found in `{bad}` ({facts}): {found:?}");
        let found = ids(&subject(facts_restored, restored));
        assert!(!found.contains(lint), "{lint} is found in `{restored}` ({facts_restored}): {found:?}");
    }
}

/// Lints about one command that need facts of a plan, or of the program.
const OF_PLANS: &[&str] = &[
    "as-written",
    "clause-number",
    "dead-criterion",
    "high-cov-max",
    "line-rejected",
    "low-confidence",
    "not-aged",
    "optimal-undefined",
    "read-beyond-written",
    "requirement-not-met",
    "shared-unique-pair",
    "stat-unnamed",
    "threshold-missing",
    "units",
];

#[test]
fn every_lint_about_a_command_has_its_row() {
    for id in with_check(|check| matches!(check, LintCheck::Line(_) | LintCheck::Lines(_))) {
        let here = ROWS.iter().any(|(lint, ..)| *lint == id);
        assert!(here != OF_PLANS.contains(&id), "{id} needs a row, or a test of its own below");
    }
}

#[test]
fn a_metadata_rate_needs_a_state() {
    let rate = || vec![criterion("file_creation.rate", Some(Stat::Mean), Comparison::Above, "25000/s")];
    let mut subject = with_criteria("mdtest -C -n 1000000 -u", "", rate());
    assert!(ids(&subject).contains(&"not-aged"));
    subject.has_state = true;
    assert!(!ids(&subject).contains(&"not-aged"));
}

#[test]
fn a_changed_option_is_as_severe_as_its_change() {
    for kind in [DriftKind::Renamed, DriftKind::Idle] {
        let mut subject = subject("", "srun ior -w -e -4");
        assert!(!ids(&subject).contains(&"option-drift"));
        subject.drift = vec![Drift { at: Some(2), kind, detail: "the note about it".into() }];
        let found = lint::line(&subject);
        let found = finding(&found, "option-drift");
        assert_eq!(found.severity, Severity::Info);
        assert_eq!(found.place.as_ref().map(ToString::to_string).as_deref(), Some("argument 5 `-4`"));
    }
}

#[test]
fn each_rejection_of_the_program_is_an_error_with_its_sentence() {
    let mut subject = subject("", "srun ior -w -e -4");
    assert!(!ids(&subject).contains(&"line-rejected"));
    subject.rejections = vec![
        LineRejection { place: Some((2, "-4".into())), why: "unknown option `-4`.".into() },
        LineRejection { place: None, why: "-R needs -G. Add -G NUMBER".into() },
    ];
    let found = lint::line(&subject);
    let errors: Vec<_> = found.iter().filter(|finding| finding.code() == Code::LineRejected).collect();
    assert!(errors.iter().all(|finding| finding.severity == Severity::Error));
    let sentences: Vec<_> =
        errors.iter().map(|finding| finding.reason.get(row::LineRejected::rejected)).collect();
    assert_eq!(sentences, [Some("unknown option `-4`"), Some("-R needs -G. Add -G NUMBER")]);
    let places: Vec<_> =
        errors.iter().map(|finding| finding.place.as_ref().map(ToString::to_string)).collect();
    assert_eq!(places, [Some("argument 5 `-4`".to_owned()), None]);
}

#[test]
fn a_reader_of_more_than_was_written_is_found() {
    let reading = |made: &str, reads: &str| {
        let made = subject("", made);
        let Some(WorkloadLine::Ior(line)) = made.line else { panic!("of ior") };
        let source = Some(MakerFacts { name: "dataset.d".into(), line: *line, ranks: Some(8) });
        ids(&LineSubject { source, ..subject("ranks=8", reads) })
    };
    let beyond = |made: &str, reads: &str| reading(made, reads).contains(&"read-beyond-written");
    assert!(beyond("ior -w -k -F -b 1g", "ior -r -k -C -F -b 2g"));
    assert!(!beyond("ior -w -k -F -b 2g", "ior -r -k -C -F -b 2g"));
    assert!(beyond("ior -w -k -b 1g", "ior -r -k -C -F -b 1g"), "the files per process are missing");
    assert!(beyond("ior -w -k -F -b 1g", "ior -r -k -C -b 1g"), "the single shared file is missing");
    assert!(beyond("ior -w -k -F -b 1g", "mpirun -n 9 ior -r -k -C -F -b 1g"), "the ninth file is missing");
    assert!(!beyond("ior -w -k -F -b 1g", "mpirun -n 4 ior -r -k -C -F -b 1g"));
    let stopped = "ior -w -k -F -b 16g -D 45 -O stoneWallingWearOut=1";
    assert!(beyond(stopped, "ior -r -k -C -F -b 16g"), "without -D it reads everything");
    assert!(beyond(stopped, "ior -r -k -C -F -b 16g -z -D 45"), "-z reads anywhere");
    assert!(!beyond(stopped, "ior -r -k -C -F -b 16g -D 30"));
    let file = "-O stoneWallingStatusFile=F";
    assert!(!beyond(&format!("{stopped} {file}"), &format!("ior -r -k -C -F -b 16g -z {file}")));
    assert!(!beyond(stopped, "ior -r -k -C -F -b ${SMALLEST}"), "an unknown size is not guessed");
}

#[test]
fn what_a_command_line_shows_is_compared_with_what_the_plan_requires() {
    let missed = |required: &plan::Requirements, ppn: u32| {
        let line = format!("srun -N 3 --ntasks-per-node={ppn} ior -w -e -F -b 4g");
        let subject = LineSubject {
            required: required.clone(),
            ram_bytes: Some(1 << 37),
            cores: Some(64),
            ..subject("", &line)
        };
        ids(&subject).contains(&"requirement-not-met")
    };
    let none = plan::Requirements::default();
    assert!(!missed(&none, 2));
    let bytes = |bytes| plan::Requirements { bytes_per_node: Some(bytes), ..none.clone() };
    // 48 ranks write 192 GiB on a node with 128 GiB of memory.
    for (wanted, found) in [
        (plan::BytesPerNode::OfMemory(1.5), false),
        (plan::BytesPerNode::OfMemory(1.51), true),
        (plan::BytesPerNode::Bytes(192.0 * f64::from(1 << 30)), false),
        (plan::BytesPerNode::Bytes(193.0 * f64::from(1 << 30)), true),
    ] {
        assert_eq!(missed(&bytes(wanted), 48), found, "{wanted:?}");
    }
    let cores = plan::Requirements { cores: Some(0.8), ..none.clone() };
    assert_eq!([51, 52].map(|ppn| missed(&cores, ppn)), [true, false]);
    let nodes = [3, 4].map(|nodes| plan::Requirements { nodes: Some(nodes), ..none.clone() });
    assert_eq!(nodes.map(|required| missed(&required, 1)), [false, true]);
    let two = plan::Requirements { power_of_two: true, ..none };
    assert!(missed(&two, 4), "12 ranks");
}

#[test]
fn a_dataset_is_compared_with_its_reader() {
    let made = subject("", "ior -w -k -F -b 1t");
    let Some(WorkloadLine::Ior(line)) = made.line else { panic!("of ior") };
    let source = Some(MakerFacts { name: "dataset.d".into(), line: *line, ranks: Some(10) });
    let reads = |target: &str| {
        let facts = format!("ranks=10 target={target}");
        ids(&LineSubject { source: source.clone(), ..subject(&facts, "ior -r -k -C -F -b 1t -D 30") })
    };
    assert!(reads("1TB/s").contains(&"dataset-too-small"));
    assert!(!reads("100GB/s").contains(&"dataset-too-small"));
}

#[test]
fn a_command_line_without_defects_has_no_finding() {
    let line =
        "srun -N 1382 --ntasks-per-node=4 ior -w -t 1m -b 1m -s 100000 -F -e -g -C -o /pscratch/f -D 45";
    let facts = "ram=512g mount=/pscratch role=write sustained=30 target=3TB/s total=527t";
    assert!(ids(&subject(facts, line)).is_empty());
}
