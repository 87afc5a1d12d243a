//! Findings and lints as text and as JSON.

use std::fmt::Write as _;

use campaign::lint::Finding;
use campaign::lint::LESS_GRAVE;
use campaign::lint::LINTS;
use campaign::lint::Level;
use campaign::lint::LineSubject;
use campaign::lint::named;
use campaign::lint::subject::LineFacts;
use serde_json::json;
use units::{Usage, several};

use super::standing;

/// Columns of the text.
const WIDTH: usize = 96;

/// How many tests are named of which the same is said.
const NAMED: usize = 12;

/// The findings about one command, a block each, and a line that sums them up.
pub(super) fn told(subject: &LineSubject, findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        text += &block(finding);
        text.push('\n');
    }
    text += &summary(findings);
    let unknown = unknown(subject);
    if !unknown.is_empty() {
        text += &wrapped("not checked, because it is not told: ", &unknown.join(", "), "  ");
    }
    text
}

/// One finding: level, lint, place, what was found; why; what would do.
fn block(finding: &Finding) -> String {
    let lint = named(finding.lint);
    let about = if finding.about.is_empty() { String::new() } else { format!(" {}:", finding.about) };
    let place = finding.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
    let head = format!("{}: {}{place}:{about} ", finding.level, finding.lint);
    let mut text = wrapped(&head, &finding.what, "  ");
    if let Some(lint) = lint {
        text += &wrapped("  why: ", &format!("{} [{}]", lint.reason, lint.source), "       ");
    }
    text += &wrapped("  do:  ", &finding.remedy, "       ");
    if let Some(signed) = &finding.waived {
        text += &wrapped("  waived by ", &format!("{}: {}", signed.by, signed.why), "       ");
    }
    text
}

/// The findings about a plan, a line each, and a line that sums them up; empty where there is none.
pub(super) fn lines(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    for alike in alike(findings) {
        let Finding { level, lint, what, remedy, waived, .. } = alike[0];
        let signed = waived.as_ref().map(|signed| format!(" (waived by {}: {})", signed.by, signed.why));
        let is_open = *level == Level::Error && alike[0].shown().is_some();
        let open = is_open.then(|| " (the records decide whether anything is INVALID by it)".to_owned());
        let (about, besides) = (about(&alike), signed.or(open).unwrap_or_default());
        let _ = writeln!(text, "lint: {about}{level} {lint}: {what}; {remedy}{besides}");
    }
    let waived = findings.iter().filter(|finding| finding.waived.is_some()).count();
    let signed = (waived > 0).then(|| format!("{waived} waived"));
    let told: Vec<String> = counted(findings).into_iter().chain(signed).collect();
    let _ = writeln!(text, "lint: {}; `assay lint --explain LINT` says why", told.join(", "));
    text
}

/// What will be INVALID because of these findings, a line each.
pub(super) fn invalid(findings: &[Finding]) -> String {
    let line = |alike: Vec<&Finding>| {
        let Finding { lint, what, remedy, .. } = alike[0];
        format!("lint: {}will be INVALID: {what} ({lint}); {remedy}\n", about(&alike))
    };
    alike(findings).into_iter().map(line).collect()
}

/// Where findings are, and whom they are about.
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

/// The findings that say the same, of whatever, together.
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

/// How many findings of each level stand, in words: `2 errors`, `1 info`.
fn counted(findings: &[Finding]) -> Vec<String> {
    let counts = standing(findings).into_iter().zip(["error", "waiver", "info"]);
    counts.filter(|(count, _)| *count > 0).map(|(count, what)| several(count as u64, what)).collect()
}

fn summary(findings: &[Finding]) -> String {
    let [errors, waivers, _] = standing(findings);
    let told = counted(findings);
    let end = match (errors, waivers) {
        (0, 0) => "nothing stands in the way",
        (0, _) => "the number may be used only with a waiver that somebody signs",
        _ => "the number would not be what it is said to be",
    };
    match told.is_empty() {
        true => format!("nothing found: {end}\n"),
        false => format!("{}: {end}\n", told.join(", ")),
    }
}

/// The options that would tell what no check could know.
fn unknown(subject: &LineSubject) -> Vec<&'static str> {
    let LineFacts::Ior(line) = &subject.line else { return Vec::new() };
    if line.script.is_some() {
        return Vec::new();
    }
    let all = [
        ("ranks and nodes (--nodes --ppn)", subject.ranks().is_none() || subject.nodes().is_none()),
        ("memory of a node (--ram)", subject.ram_bytes.is_none()),
        ("the file system under test (--mount)", subject.fs.mount.is_none()),
        ("what it is for (--role)", subject.role.is_none()),
        ("the rate asked for (--target)", line.deadline_s > 0 && subject.target.is_none()),
    ];
    all.into_iter().filter_map(|(what, unknown)| unknown.then_some(what)).collect()
}

/// The findings as one object.
pub(super) fn json(line: &str, findings: &[Finding]) -> Result<String, serde_json::Error> {
    let with_why = |finding: &Finding| {
        let mut value = serde_json::to_value(finding)?;
        if let (Some(lint), Some(object)) = (named(finding.lint), value.as_object_mut()) {
            object.insert("reason".to_owned(), json!(lint.reason));
            object.insert("source".to_owned(), json!(lint.source));
        }
        Ok::<_, serde_json::Error>(value)
    };
    let all = findings.iter().map(with_why).collect::<Result<Vec<_>, _>>()?;
    let [errors, waivers, infos] = standing(findings);
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
        let stages: Vec<String> = lint.stages().iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "{:<22} {:<7} {:<13} {}", lint.id, lint.level, stages.join(","), lint.reason);
    }
    text
}

/// All there is to one lint.
pub(super) fn explained(id: &str) -> Result<String, Usage> {
    let Some(lint) = named(id) else {
        let near = LINTS.iter().find(|lint| lint.id.contains(id) || id.contains(lint.id));
        let near = near.map(|lint| format!("; there is `{}`", lint.id)).unwrap_or_default();
        return Err(Usage(format!("no lint `{id}`{near}; `assay lint --list` names them")));
    };
    let means = match lint.level {
        Level::Error => "the result is INVALID, and nobody can waive it",
        Level::Waiver => "somebody has to sign a waiver",
        Level::Info => "it is told",
    };
    let stages: Vec<String> = lint.stages().iter().map(ToString::to_string).collect();
    let mut text = format!("{} ({}: {means})\n", lint.id, lint.level);
    for (_, level, why) in LESS_GRAVE.iter().filter(|(less, ..)| *less == lint.id) {
        text += &wrapped("  but:    ", &format!("{level} {why}"), "          ");
    }
    text += &wrapped("  why:    ", lint.reason, "          ");
    text += &wrapped("  source: ", lint.source, "          ");
    text += &wrapped("  stages: ", &stages.join(", "), "          ");
    for how in lint.told() {
        text += &wrapped("  also:   ", how, "          ");
    }
    Ok(text)
}

/// Text in lines of a width that is read with ease, the later ones indented.
fn wrapped(head: &str, text: &str, indent: &str) -> String {
    let mut out = head.to_owned();
    let mut column = head.chars().count();
    for (at, word) in text.split(' ').enumerate() {
        let long = word.chars().count();
        if at > 0 && column + 1 + long > WIDTH {
            out.push('\n');
            out += indent;
            column = indent.len();
        } else if at > 0 {
            out.push(' ');
            column += 1;
        }
        out += word;
        column += long;
    }
    out.push('\n');
    out
}
