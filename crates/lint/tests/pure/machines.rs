//! Findings on the machine before the first job.

use plan::Plan;
use results::finding::{Finding, Severity};
use results::folder::{FileSystemFacts, Machine};
use results::reason::{any, row};

use crate::{data, with_check};
use lint::LintCheck;

/// A machine with file systems `s` and `t`, mounted from these devices.
fn machine(devices: [&str; 2]) -> Machine {
    let fs = |(name, device): (&str, &str)| FileSystemFacts {
        name: name.into(),
        dir: format!("/{name}/work"),
        bytes: 1000,
        mounts: vec![format!("40 22 8:{} / /{name} rw - ext4 {device} rw", device.len())],
        ..FileSystemFacts::default()
    };
    Machine { file_systems: ["s", "t"].into_iter().zip(devices).map(fs).collect(), ..Machine::default() }
}

const TWO: [&str; 2] = ["/dev/a", "/dev/bb"];
const ONE: [&str; 2] = ["/dev/a", "/dev/a"];

/// A plan with a test on each file system, or with a group that has a part on each.
fn plan(at_once: bool) -> Plan {
    let line = "ior = \"-w -e\"\nrole = \"reported\"";
    let sum = "criterion = { metric = \"write.bw\", op = \">=\", value = \"1 GB/s\" }";
    let tests = |head: &str| {
        let one = |fs: &str| format!("[[{head}]]\nid = \"{fs}\"\nfs = \"{fs}\"\n{line}\n");
        format!("{}{}", one("s"), one("t"))
    };
    let tests = match at_once {
        true => format!("[[group]]\nid = \"G\"\n{sum}\n{}", tests("group.parts")),
        false => tests("test"),
    };
    let text = format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"{{dir}}/s\" }}\n\
         fs.t = {{ dir = \"{{dir}}/t\" }}\n{tests}"
    );
    Plan::parse(&text, "p.toml").unwrap_or_else(|rejected| panic!("{rejected}\n{text}"))
}

fn codes(findings: &[Finding]) -> Vec<(&str, &str, Severity)> {
    findings.iter().map(|one| (one.code().id(), one.about.as_str(), one.severity)).collect()
}

#[test]
fn two_file_systems_of_known_utilization_have_no_finding() {
    assert_eq!(lint::machine(&plan(false), &machine(TWO), false), []);
    assert_eq!(lint::machine(&plan(true), &machine(TWO), false), []);
}

#[test]
fn a_file_system_of_unknown_utilization_is_an_error() {
    let found = lint::machine(&plan(false), &Machine::default(), false);
    let error = |about| ("fill-recorded", about, Severity::Error);
    assert_eq!(codes(&found), [error("fs.s"), error("fs.t")]);
    assert_eq!(data(&found[0]), ["fs_without_size=s"]);
}

#[test]
fn one_file_system_at_two_paths_is_an_error_for_parts_that_run_at_the_same_time() {
    for (at_once, scaled, about, severity) in [
        (true, false, "G", Severity::Error),
        (true, true, "G", Severity::NeedsWaiver),
        (false, false, "fs.s", Severity::NeedsWaiver),
        (false, true, "fs.s", Severity::Info),
    ] {
        let found = lint::machine(&plan(at_once), &machine(ONE), scaled);
        assert_eq!(codes(&found), [("one-fs-twice", about, severity)]);
        let reason = &found[0].reason;
        assert_eq!((reason.get(any::fs), reason.get(row::RecordsContradict::other)), (Some("s"), Some("t")));
        assert_eq!(
            (reason.get(row::OneFsTwice::device), reason.get(row::OneFsTwice::other_mount)),
            (Some("/dev/a"), Some("/t"))
        );
        assert_eq!(reason.get(row::OneFsTwice::group), at_once.then_some("G"));
    }
}

#[test]
fn a_waiver_of_a_finding_on_the_machine_applies() {
    let text = plan(false).text.replace(
        "fs.s = { dir = \"{dir}/s\" }",
        "fs.s = { dir = \"{dir}/s\", \
         waive = [{ lint = \"one-fs-twice\", why = \"w\", approved_by = \"lead\" }] }",
    );
    let plan = Plan::parse(&text, "p.toml").unwrap();
    let found = lint::machine(&plan, &machine(ONE), false);
    assert!(!found[0].is_open() && found.len() == 1, "{found:#?}");
    let idle = lint::plan(&plan).into_iter().any(|finding| finding.code().id() == "waiver");
    assert!(!idle, "the plan alone cannot show whether it is needed");
}

#[test]
fn every_lint_of_the_machine_has_its_test_here() {
    assert_eq!(with_check(|check| matches!(check, LintCheck::Machine(_))), ["fill-recorded", "one-fs-twice"]);
}
