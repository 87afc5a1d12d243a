//! Findings and lints as text and as JSON.

use std::fmt::Write as _;

use command::WorkloadLine;
use lint::{LINTS, LineSubject, named, of_code};
use report::sentences;
use results::finding::{Finding, Severity};
use serde_json::json;
use units::{Usage, characters, several, visible, wrap};

use super::open;

/// Columns of the text.
const WIDTH: usize = 96;

/// The largest number of tests that are named for one common finding.
const NAMED: usize = 12;

/// The findings about one command, a block each, and a summary line.
pub(super) fn report(subject: &LineSubject, findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        text += &block(finding);
        text.push('\n');
    }
    text += &summary(findings);
    let unknown = unknown(subject);
    if !unknown.is_empty() {
        text += &wrapped("not checked, because not given: ", &unknown.join(", "), "  ");
    }
    text
}

/// One finding: severity, lint, place, what was found, what to do, and why.
pub(super) fn block(finding: &Finding) -> String {
    let about = if finding.about.is_empty() { String::new() } else { format!(" {}:", finding.about) };
    let place = finding.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
    let head = format!("{}: {}{place}:{about} ", finding.severity, finding.code());
    let mut text = wrapped(&head, &sentences::finding(finding), "  ");
    if let Some(lint) = of_code(finding.code()) {
        text += &wrapped("  why: ", &format!("{} [{}]", lint.why, lint.source), "       ");
    }
    if let Some(approval) = &finding.waived {
        text += &wrapped("  waived by ", &format!("{}: {}", approval.approved_by, approval.why), "       ");
    }
    text
}

/// The findings about a plan, a line each, and a summary line; empty without findings.
pub(super) fn lines(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    for alike in alike(findings) {
        let first = alike[0];
        let waived = first.waived.as_ref();
        let waived =
            waived.map(|approval| format!(" (waived by {}: {})", approval.approved_by, approval.why));
        let (about, sentence) = (about(&alike), sentences::finding(first));
        let (severity, code, waived) = (first.severity, first.code(), waived.unwrap_or_default());
        let line = format!("lint: {about}{severity} {code}: {sentence}{waived}");
        let _ = writeln!(text, "{}", visible(&line));
    }
    let waived = findings.iter().filter(|finding| finding.waived.is_some()).count();
    let waived = (waived > 0).then(|| format!("{waived} waived"));
    let counts: Vec<String> = counted(findings).into_iter().chain(waived).collect();
    let _ = writeln!(text, "lint: {}. `assay lint --explain LINT` explains a finding.", counts.join(", "));
    text
}

/// Errors, a line each.
pub(in crate::commands) fn errors(findings: &[Finding]) -> String {
    let line = |alike: Vec<&Finding>| {
        let sentence = sentences::finding(alike[0]);
        let line = format!("lint: {}error {}: {sentence}", about(&alike), alike[0].code());
        format!("{}\n", visible(&line))
    };
    alike(findings).into_iter().map(line).collect()
}

/// The places of findings, and the tests they are about.
fn about(findings: &[&Finding]) -> String {
    let mut text = String::new();
    for (at, Finding { place, about, .. }) in findings.iter().enumerate() {
        let is_there = at > 0 && *place == findings[at - 1].place;
        let place = place.as_ref().filter(|_| !is_there).map(|place| format!("{place}: "));
        let comma = if text.is_empty() { "" } else { ", " };
        match at {
            0..NAMED => text += &format!("{comma}{}{about}", place.unwrap_or_default()),
            NAMED => text += &format!(" and {} more", findings.len() - NAMED),
            _ => break,
        }
    }
    let text = text.trim_end_matches([':', ' ']);
    if text.is_empty() { String::new() } else { format!("{text}: ") }
}

/// Groups the findings that differ only in place and test.
fn alike(findings: &[Finding]) -> Vec<Vec<&Finding>> {
    let key =
        |finding: &Finding| Finding { about: String::new(), place: None, phase: None, ..finding.clone() };
    let mut all: Vec<Vec<&Finding>> = Vec::new();
    for finding in findings {
        match all.iter_mut().find(|known| key(known[0]) == key(finding)) {
            Some(known) => known.push(finding),
            None => all.push(vec![finding]),
        }
    }
    all
}

/// The number of findings of each severity that are not waived, in words: `2 errors`, `1 needs a waiver`, `1
/// info`.
fn counted(findings: &[Finding]) -> Vec<String> {
    let [errors, waivers, infos] = open(findings).map(|count| count as u64);
    let waivers_in_words = match waivers {
        1 => "1 needs a waiver".to_owned(),
        several => format!("{several} need a waiver"),
    };
    let all =
        [(errors, several(errors, "error")), (waivers, waivers_in_words), (infos, several(infos, "info"))];
    all.into_iter().filter(|(count, _)| *count > 0).map(|(_, words)| words).collect()
}

fn summary(findings: &[Finding]) -> String {
    let [errors, waivers, _] = open(findings);
    let counts = counted(findings);
    let end = match (errors, waivers) {
        (0, 0) => "the command can be run",
        (0, _) => "a person must approve a waiver, or the command must be corrected",
        _ => "correct the command, because an error cannot be waived",
    };
    match counts.is_empty() {
        true => format!("nothing found: {end}\n"),
        false => format!("{}: {end}\n", counts.join(", ")),
    }
}

/// The facts that were not given, with the options that give them.
fn unknown(subject: &LineSubject) -> Vec<&'static str> {
    let Some(WorkloadLine::Ior(line)) = &subject.line else { return Vec::new() };
    if line.parsed.script.is_some() {
        return Vec::new();
    }
    let all = [
        ("ranks and nodes (--nodes --ppn)", subject.ranks().is_none() || subject.nodes().is_none()),
        ("memory of a node (--ram)", subject.ram_bytes.is_none()),
        ("the file system under test (--mount)", subject.fs.mount.is_none()),
        ("the purpose (--role)", subject.role.is_none()),
        ("the required rate (--target)", line.deadline > 0 && subject.target.is_none()),
    ];
    all.into_iter().filter_map(|(what, unknown)| unknown.then_some(what)).collect()
}

/// The findings as one object: each with its sentence and why.
pub(super) fn json(line: &str, findings: &[Finding]) -> Result<String, serde_json::Error> {
    let with_why = |finding: &Finding| {
        let mut value = serde_json::to_value(finding)?;
        if let Some(object) = value.as_object_mut() {
            object.insert("sentence".to_owned(), json!(sentences::finding(finding)));
            if let Some(lint) = of_code(finding.code()) {
                object.insert("why".to_owned(), json!(lint.why));
                object.insert("source".to_owned(), json!(lint.source));
            }
        }
        Ok::<_, serde_json::Error>(value)
    };
    let all = findings.iter().map(with_why).collect::<Result<Vec<_>, _>>()?;
    let [errors, waivers, infos] = open(findings);
    let object = json!({
        "command": line,
        "errors": errors,
        "waivers": waivers,
        "infos": infos,
        "findings": all,
    });
    Ok(format!("{object:#}\n"))
}

/// All lints, a line each.
pub(super) fn list() -> String {
    let mut text = String::new();
    for lint in LINTS {
        let _ = writeln!(text, "{:<22} {:<12} {:<7} {}", lint.id(), lint.severity, lint.stage(), lint.why);
    }
    text
}

/// The description of one lint.
pub(super) fn explained(id: &str) -> Result<String, Usage> {
    let Some(lint) = named(id) else {
        let near = LINTS.iter().find(|lint| lint.id().contains(id) || id.contains(lint.id()));
        let near = near.map(|lint| format!(" Did you mean `{}`?", lint.id())).unwrap_or_default();
        return Err(Usage(format!("unknown lint `{id}`.{near} `assay lint --list` lists all lints.")));
    };
    let means = match lint.severity {
        Severity::Error => "`assay run` does not start, and it cannot be waived",
        Severity::NeedsWaiver => "a person must approve a waiver",
        Severity::Info => "it is only reported",
    };
    let mut text = format!("{} ({}: {means})\n", lint.id(), lint.severity);
    if let Some((severity, why)) = lint.less_severe {
        text += &wrapped("  but:    ", &format!("{severity} {why}"), "          ");
    }
    text += &wrapped("  why:    ", lint.why, "          ");
    text += &wrapped("  source: ", lint.source, "          ");
    text += &wrapped("  stage:  ", &lint.stage().to_string(), "          ");
    if lint.records_decide {
        text += &wrapped("  also:   ", "the records of the run decide the same question", "          ");
    }
    if !lint.rejected.is_empty() {
        text += &wrapped("  also:   ", &format!("rejected in a plan: {}", lint.rejected), "          ");
    }
    for (title, example) in [("found", &lint.example().found), ("corrected", &lint.example().corrected)] {
        let _ = writeln!(text, "\n  {title}:");
        for line in example.trim().lines() {
            text += format!("    {line}").trim_end();
            text.push('\n');
        }
    }
    Ok(text)
}

/// Text in lines of limited width. All lines after the first are indented.
fn wrapped(head: &str, text: &str, indent: &str) -> String {
    let (head, text) = (visible(head), visible(text));
    let lines = wrap(&text, WIDTH - characters(&head), WIDTH - characters(indent), characters);
    format!("{head}{}\n", lines.join(&format!("\n{indent}")))
}
