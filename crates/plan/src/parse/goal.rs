//! The rules of a goal: a value with a unit, or a share of another number.
//!
//! That number is measured by another test or in the accepted campaign, or known before the campaign.

use units::{Dimension, Quantity, Usage};

use super::defaults::{Defaults, KnownNumber, ParseResult, among};
use super::plan_text::PlanText;
use super::{Goal, Plan, Test, wire};
use crate::language::rejections::Rejections;

/// The word for what the accepted campaign measured.
const ACCEPTED: &str = "accepted";

/// The numbers that are known before the campaign.
pub(super) fn known(file: &wire::PlanFile, place: &PlanText<'_>, errors: &Rejections) -> Vec<KnownNumber> {
    let one = |(name, spanned): (&String, &toml::Spanned<wire::KnownKeys>)| -> ParseResult<KnownNumber> {
        let wire::KnownKeys { value, source } = spanned.get_ref();
        let rejected = |why: &str| place.error(spanned, format!("known.{name}: {why}"));
        if source.trim().is_empty() {
            return Err(rejected("the source of the number is missing. Write `source = \"…\"`."));
        }
        let quantity: Quantity = value.parse().map_err(|error: Usage| rejected(&error.0))?;
        if quantity.value.is_sign_negative() {
            return Err(rejected(&format!("`{value}` is below zero")));
        }
        Ok(KnownNumber { name: name.clone(), value: quantity, written: value.trim().to_owned() })
    };
    let mut known = Vec::new();
    for entry in &file.known {
        match errors.kept(one(entry)) {
            Some(number) => known.push(number),
            None => errors.spoil(format!("known.{}", entry.0)),
        }
    }
    known
}

impl Defaults<'_> {
    /// Reads `text` as the goal of a criterion on a metric of this dimension, with the text for reports.
    /// `own` is the test of the criterion; `None` for a score.
    pub(super) fn goal(
        &self,
        text: &str,
        dimension: Dimension,
        own: Option<&Test>,
        plan: &Plan,
    ) -> Result<(Goal, String), String> {
        if text.trim().parse::<f64>().is_ok() {
            return Err(format!("`{text}` has no unit. Write for example `{}`.", dimension.example()));
        }
        if let Some((share, of)) = text.split_once(" of ") {
            let share = share.trim().parse::<Quantity>().map_err(|error| error.0)?;
            if share.dimension != Dimension::Fraction || share.value <= 0.0 {
                return Err(format!("`{text}`: write a share as in `50% of ID.write.bw`"));
            }
            return self.part(text, share.value, of.trim(), dimension, own, plan);
        }
        if let Some((share, of)) = text.split_once('%').filter(|(_, of)| !of.trim().is_empty()) {
            let of = of.trim().trim_start_matches("of").trim();
            return Err(format!("`{text}`: write a share with `of`, as in `{share}% of {of}`"));
        }
        let value: Quantity = match (dimension, units::size(text)) {
            (Dimension::Bytes, Ok(value)) => Quantity { value, dimension },
            _ => text.parse().map_err(|error: Usage| error.0)?,
        };
        if value.dimension != dimension {
            let example = dimension.example();
            return Err(format!("`{text}` has a unit of another kind. Write for example `{example}`."));
        }
        if value.value.is_sign_negative() {
            return Err(format!("`{text}` is below zero. Write for example `{}`.", dimension.example()));
        }
        Ok((Goal::Value(value), text.to_owned()))
    }

    fn part(
        &self,
        text: &str,
        share: f64,
        of: &str,
        dimension: Dimension,
        own: Option<&Test>,
        plan: &Plan,
    ) -> Result<(Goal, String), String> {
        if let Some(name) = of.strip_prefix("known.") {
            let names: Vec<&str> = self.numbers.iter().map(|known| known.name.as_str()).collect();
            let Some(known) = self.numbers.iter().find(|known| known.name == name) else {
                return Err(format!("no [known.{name}]{}", among(name, &names)));
            };
            if known.value.dimension != dimension {
                return Err(format!("known.{name} has a unit of another kind: it is {}", known.value));
            }
            let value = Quantity { value: known.value.value * share, dimension };
            let written = format!("{text} ({}) = {}", known.written, in_unit_of(&known.written, value));
            return Ok((Goal::Value(value), written));
        }
        if of == ACCEPTED {
            return Ok((Goal::Accepted { share, dimension }, text.to_owned()));
        }
        let (test, metric) = self.measured(of, own, plan)?;
        let measured = self.dimension_of(&metric, &plan.tests[test])?;
        if measured != dimension {
            return Err(format!("`{of}` has a unit of another kind, such as {}", measured.example()));
        }
        Ok((Goal::Share { share, test, metric, dimension }, text.to_owned()))
    }

    /// The test and the metric that `ID.PHASE.NAME` names. A criterion of `own`, a part of a group, may name
    /// the other parts by their names in the group.
    pub(super) fn measured(
        &self,
        of: &str,
        own: Option<&Test>,
        plan: &Plan,
    ) -> Result<(usize, String), String> {
        if let Some(test) = plan.tests.iter().find(|test| test.id == of) {
            let name = ["bw", "rate"].into_iter().find(|name| test.line.yields(name)).unwrap_or("NAME");
            let phase = test.line.phases().swap_remove(0);
            return Err(format!("`{of}` is a test. Add one of its metrics, as in `{of}.{phase}.{name}`."));
        }
        let part = own.and_then(|own| Some((own, plan.groups.get(own.part?)?)));
        let group = part.map(|(_, group)| group);
        let others = |index: &usize| part.is_none_or(|(own, _)| plan.tests[*index].id != own.id);
        let in_group = group.iter().flat_map(|group| &group.tests).copied().filter(others);
        let in_group = in_group.map(|index| (index, plan.tests[index].name.as_str()));
        let all = (0..plan.tests.len()).filter(others).map(|index| (index, plan.tests[index].id.as_str()));
        let named: Vec<(usize, &str)> = all
            .chain(in_group)
            .filter(|(_, name)| of.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
            .collect();
        // Ids may contain dots, so the longest matching id is meant.
        let longest = named.iter().map(|(_, name)| name.len()).max();
        let longest: Vec<&(usize, &str)> =
            named.iter().filter(|(_, name)| Some(name.len()) == longest).collect();
        match longest[..] {
            [(test, name)] => Ok((*test, of[name.len() + 1..].to_owned())),
            [(_, name), (other, _), ..] => {
                let other = &plan.tests[*other].id;
                Err(format!("`{name}` is a test, and a part of this group. Write `{other}` for the part."))
            }
            [] => {
                let ids: Vec<&str> = plan.tests.iter().map(|test| test.id.as_str()).collect();
                let whose = of.split('.').next().unwrap_or(of);
                Err(format!("`{of}` does not name a test above this one{}", among(whose, &ids)))
            }
        }
    }
}

/// A value in the unit of another, with four digits or all digits before the point.
fn in_unit_of(written: &str, value: Quantity) -> String {
    let unit = written.trim_start_matches(|c: char| c.is_ascii_digit() || "._+-".contains(c)).trim_start();
    let Ok(one) = format!("1 {unit}").parse::<Quantity>() else { return value.to_string() };
    let number = value.value / one.value;
    let decimals = if number > 0.0 { 3.0 - number.log10().floor() } else { 0.0 };
    format!("{number:.0$} {unit}", decimals.max(0.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_of_a_share_has_four_digits_however_small_it_is() {
        for (written, bytes, shown) in [
            ("1.23 TB/s", 0.0123e12, "0.01230 TB/s"),
            ("1 TB/s", 2e8, "0.0002000 TB/s"),
            ("1000 B/s", 660.0, "660.0 B/s"),
            ("716886 MiB/s", 379_950.0 * 1_048_576.0, "379950 MiB/s"),
            ("5 GB/s", 0.0, "0 GB/s"),
        ] {
            let value = Quantity { value: bytes, dimension: Dimension::BytesPerSecond };
            assert_eq!(in_unit_of(written, value), shown);
        }
    }
}
