//! The rules of waivers: each names its finding, a reason, and the person who approves it.
//!
//! Never here: findings.

use toml::Spanned;

use super::defaults::ParseResult;
use super::plan_text::PlanText;
use super::{Waiver, wire};
use crate::language::rejections::Rejections;

/// Words in place of a name.
const PLACEHOLDERS: &[&str] = &[
    "anyone", "me", "n/a", "na", "name", "no one", "none", "someone", "tbd", "todo", "unknown", "us", "xx",
    "xxx",
];

/// Whether a text can be the name or the role of a person.
fn is_name(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 2 && !PLACEHOLDERS.contains(&text.to_lowercase().as_str())
}

/// The waivers of what findings call `about` and messages call `who`.
pub(super) fn all(
    who: &str,
    about: &str,
    waive: &[wire::WaiverKeys],
    place: &PlanText<'_>,
) -> ParseResult<Vec<Waiver>> {
    let one = |wire::WaiverKeys { lint, why, approved_by }: &wire::WaiverKeys| {
        if why.trim().is_empty() {
            return Err(place.error(lint, format!("{who}: a waiver needs a reason. Write it as `why`.")));
        }
        let approver = approved_by.get_ref().trim();
        if !approver.is_empty() && !is_name(approver) {
            let remedy =
                "Write the name of the person who approves the waiver, or \"\" as long as there is none.";
            return Err(place.error(approved_by, format!("{who}: `{approver}` is not a name. {remedy}")));
        }
        let at = place.line_column(&lint.span());
        Ok(Waiver {
            about: about.to_owned(),
            lint: lint.get_ref().clone(),
            why: why.clone(),
            approved_by: approver.to_owned(),
            approve_with: match place.parameter(&approved_by.span()) {
                Some(name) => format!("--set {name}=NAME"),
                None => "write the name as `approved_by`".to_owned(),
            },
            at,
        })
    };
    waive.iter().map(one).collect()
}

/// The waivers of the file, except those of tests.
pub(super) fn of_others(file: &wire::PlanFile, place: &PlanText<'_>, errors: &Rejections) -> Vec<Waiver> {
    let fs = file.fs.iter().map(|(name, fs)| ("fs.", name, &fs.get_ref().waive));
    let datasets = file.dataset.iter().map(|(name, made)| ("dataset.", name, &made.get_ref().waive));
    let states = file.state.iter().map(|(name, state)| ("state.", name, &state.get_ref().waive));
    let named = fs.chain(datasets).chain(states).map(|(kind, name, waive)| {
        let about = format!("{kind}{name}");
        all(&about, &about, waive, place)
    });
    let series = file.series.iter().map(Spanned::get_ref).map(|one| ("series", one.id.get_ref(), &one.waive));
    let groups = file.group.iter().map(Spanned::get_ref).map(|one| ("group", one.id.get_ref(), &one.waive));
    let scores = file.score.iter().map(Spanned::get_ref).map(|one| ("score", one.id.get_ref(), &one.waive));
    let own = series
        .chain(groups)
        .chain(scores)
        .map(|(kind, id, waive)| all(&format!("{kind} {id}"), id, waive, place));
    named.chain(own).filter_map(|all| errors.kept(all)).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn a_placeholder_is_not_the_name_of_an_approver() {
        for name in ["A. Person", "lead", "李明", "storage lead"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["?", "-", "x", "…", "TBD", "n/a", "None", "1234"] {
            assert!(!is_name(name), "{name}");
        }
    }
}
