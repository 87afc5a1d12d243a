//! The rules of waivers: each names its finding, a reason, and the person who approves it.
//!
//! Never here: findings.

use toml::Spanned;

use super::defaults::ParseResult;
use super::plan_text::PlanText;
use super::{Waiver, wire};

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
        let at = place.line_column(&lint.span());
        Ok(Waiver {
            about: about.to_owned(),
            lint: lint.get_ref().clone(),
            why: why.clone(),
            approved_by: approved_by.get_ref().trim().to_owned(),
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
pub(super) fn of_others(file: &wire::PlanFile, place: &PlanText<'_>) -> ParseResult<Vec<Waiver>> {
    let fs = file.fs.iter().map(|(name, fs)| ("fs.", name, &fs.get_ref().waive));
    let datasets = file.dataset.iter().map(|(name, made)| ("dataset.", name, &made.get_ref().waive));
    let states = file.state.iter().map(|(name, state)| ("state.", name, &state.get_ref().waive));
    let named = fs.chain(datasets).chain(states).map(|(kind, name, waive)| {
        let about = format!("{kind}{name}");
        all(&about, &about, waive, place)
    });
    let series = file.series.iter().map(Spanned::get_ref).map(|one| ("series", one.id.get_ref(), &one.waive));
    let groups = file.group.iter().map(Spanned::get_ref).map(|one| ("group", one.id.get_ref(), &one.waive));
    let own = series.chain(groups).map(|(kind, id, waive)| all(&format!("{kind} {id}"), id, waive, place));
    Ok(named.chain(own).collect::<ParseResult<Vec<_>>>()?.into_iter().flatten().collect())
}
