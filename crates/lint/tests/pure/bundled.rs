//! The bundled plans, at every scale: no errors, and no open findings except those that people must approve.

use results::reason::any;
use std::collections::BTreeSet;
use std::path::Path;

use plan::{Choice, Plan};
use results::finding::{Finding, Severity};

/// The lints with open findings in each bundled plan, at all its scales. Users have to approve their waivers.
const OPEN: &[(&str, &[&str])] = &[
    ("ats5.toml", &["cb-state-unset", "not-aged", "sparse-random-write", "write-iops-buffered"]),
    ("bluewaters-io2017.toml", &["not-aged", "not-packed"]),
    ("cfs-phase1.toml", &["client-cache-fit", "not-packed", "sparse-random-write", "write-iops-buffered"]),
    ("cori-phase1.toml", &["not-packed"]),
    ("cori-phase2.toml", &["not-packed"]),
    (
        "datawarp-phase1.toml",
        &["client-cache-fit", "not-packed", "sparse-random-write", "write-iops-buffered"],
    ),
    (
        "datawarp-phase2.toml",
        &["client-cache-fit", "not-packed", "sparse-random-write", "write-iops-buffered"],
    ),
    (
        "esif-hpc4.toml",
        &["cb-state-unset", "not-aged", "not-packed", "sparse-random-write", "write-iops-buffered"],
    ),
    ("eurohpc.toml", &["not-aged"]),
    ("io500.toml", &["wearout-on-measured"]),
    ("ncp-hss.toml", &["ls-walk"]),
    ("nersc10.toml", &["cb-state-unset", "not-aged", "sparse-random-write", "write-iops-buffered"]),
    ("orion.toml", &["not-aged", "shared-unique-pair"]),
    ("perlmutter-phase1.toml", &["not-packed", "sparse-random-write", "write-iops-buffered"]),
    ("purple-bandwidth.toml", &["not-packed"]),
    ("purple-functional.toml", &["cb-state-unset", "not-packed"]),
    ("purple-metadata.toml", &["not-packed"]),
    ("uknnss.toml", &["cb-state-unset"]),
];

/// All bundled plans at all their scales, each with its file's name.
fn bundled() -> Vec<(String, Plan)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plans");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ext| ext == "toml"));
    files.sort();
    let mut plans = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        let scales = Plan::parse(&text, &name).unwrap().scales;
        for scale in std::iter::once(None).chain(scales.into_iter().map(Some)) {
            let choice = Choice { scale, ..Choice::default() };
            plans.push((name.clone(), Plan::parse_with(&text, &name, &choice).unwrap()));
        }
    }
    assert!(plans.len() > 12, "all bundled plans, and most have a small scale");
    plans
}

#[test]
fn a_bundled_plan_has_no_error_and_no_open_finding_that_its_waivers_do_not_name() {
    for (name, plan) in bundled() {
        let open = OPEN.iter().find(|(of, _)| *of == name).map_or(&[][..], |(_, open)| open);
        for finding in lint::plan(&plan) {
            let (scale, id) = (&plan.choice.scale, finding.code().id());
            assert!(finding.severity < Severity::Error, "{name} {scale:?}: {finding:#?}");
            assert!(!finding.is_open() || open.contains(&id), "{name} {scale:?}: {finding:#?}");
            let has_waiver = finding.reason.has(any::approve_with);
            assert!(!finding.is_open() || has_waiver, "{name} {scale:?}: {finding:#?}");
        }
    }
}

#[test]
fn every_waiver_of_a_bundled_plan_is_needed_at_some_scale() {
    // A waiver that is written once for several tests is needed if one of them needs it.
    let (mut all, mut needed) = (BTreeSet::new(), BTreeSet::new());
    for (name, plan) in bundled() {
        let findings = lint::plan(&plan);
        for waiver in plan.all_waivers() {
            let key = (name.clone(), waiver.at, waiver.lint.clone());
            let own = |one: &Finding| one.about == waiver.about && one.code().id() == waiver.lint;
            if findings.iter().any(own) {
                needed.insert(key.clone());
            }
            all.insert(key);
        }
    }
    let only_now = |id: &str| lint::named(id).is_some_and(|lint| !lint.records_decide);
    let idle: Vec<_> = all.difference(&needed).filter(|(.., id)| only_now(id)).collect();
    assert!(idle.is_empty() && !needed.is_empty(), "{idle:?}");
}
