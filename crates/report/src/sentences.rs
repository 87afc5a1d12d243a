//! The sentences about verdicts, findings and rejections, made from codes and their data.
//!
//! The templates are in the rows of reasons (`results::reason`), whose `template` module describes them. Of
//! the templates of a code, the first whose data are all present is used.
//!
//! Invariant: every code has a template.
//! Never here: decisions, and words for a single code.

pub(crate) mod campaign;

pub use campaign::overall;
use results::finding::Finding;
use results::reason::template::{Slot, WHO, parts, slots};
use results::reason::{Datum, Reason, any, row};
use units::{confidence, percent_apart, several};

use crate::values::{BINARY_RATE, distinguished, quantity, threshold_among};

/// Texts for data that a template does not mention. They follow the sentence.
const ADDITIONS: [(&str, &str); 6] = [
    (
        any::lag_one.name,
        " The limit is widened, because neighbouring repetitions are alike (lag-1 correlation {lag_one}, p = \
         {p}).[ Of independent repetitions it would be {limit_independent}.]",
    ),
    (
        any::rule.name,
        " The value alone decides, {rule:as-written=as written in the contract}. That gives no confidence.",
    ),
    (any::measured.name, " Measured: {measured}"),
    (any::also.name, " Also: {also}"),
    (any::wrong.name, " {wrong}"),
    (any::approve_with.name, " Its waiver is not approved yet. To approve it: {approve_with}."),
];

/// The sentence for a reason.
pub fn sentence(reason: &Reason) -> String {
    let Some(template) = template_for(reason) else { return fallback(reason) };
    let mut text = filled(template, reason);
    for (name, addition) in ADDITIONS {
        if reason.data.contains_key(name) && !slots(template).any(|used| used.name == name) {
            text.push_str(&filled(addition, reason));
        }
    }
    text
}

/// The sentence for a finding, and what to do about it.
pub fn finding(finding: &Finding) -> String {
    explained(&finding.reason)
}

/// The sentence for a reason, and what to do about it.
pub fn explained(reason: &Reason) -> String {
    match remedy(reason) {
        Some(remedy) => format!("{} {remedy}", sentence(reason)),
        None => sentence(reason),
    }
}

/// What to do about a reason; `None` if no remedy is known, or if the sentence of the linter contains it.
pub fn remedy(reason: &Reason) -> Option<String> {
    let (_, is_of_linter) = chosen(reason)?;
    let template = first(reason.code.row().remedy, reason).filter(|_| !is_of_linter)?;
    Some(filled(template, reason))
}

/// The template that is used for a reason.
pub fn template_for(reason: &Reason) -> Option<&'static str> {
    chosen(reason).map(|(template, _)| template)
}

/// The template that is used for a reason, and whether it is one of the linter, which contains the remedy.
fn chosen(reason: &Reason) -> Option<(&'static str, bool)> {
    let needed = |template: &str| slots(template).filter(|slot| !slot.optional).count();
    match reason.code.row().templates().map(|templates| first(templates, reason)) {
        // If both have the code, the template that uses more of the data is meant.
        [Some(lint), Some(verdict)] if needed(verdict) > needed(lint) => Some((verdict, false)),
        [Some(lint), _] => Some((lint, true)),
        [None, verdict] => verdict.map(|verdict| (verdict, false)),
    }
}

fn first(templates: &'static [&'static str], reason: &Reason) -> Option<&'static str> {
    templates.iter().copied().find(|template| fits(template, reason))
}

/// The text for a reason that fits no template: its meaning, and the data.
fn fallback(reason: &Reason) -> String {
    let meaning = reason.code.meaning();
    let data: Vec<String> =
        reason.data.keys().map(|name| format!("{name} {}", shown(reason, name, ""))).collect();
    if data.is_empty() { meaning.to_owned() } else { format!("{meaning} ({})", data.join(", ")) }
}

fn fits(template: &str, reason: &Reason) -> bool {
    slots(template).filter(|slot| !slot.optional).all(|slot| is_there(&slot, reason))
}

fn is_there(slot: &Slot<'_>, reason: &Reason) -> bool {
    match slot.how {
        _ if slot.name == WHO => true,
        "?" => reason.data.get(slot.name).is_some_and(|datum| *datum != Datum::Flag(false)),
        _ => reason.data.contains_key(slot.name),
    }
}

/// The template with its data filled in. Parts with missing data are left out.
fn filled(template: &str, reason: &Reason) -> String {
    let mut text = String::new();
    for piece in template.split(['[', ']']).enumerate().map(|(at, piece)| (at % 2 == 1, piece)) {
        let (optional, piece) = piece;
        if !optional || slots(piece).all(|slot| is_there(&slot, reason)) {
            fill(&mut text, piece, reason);
        }
    }
    text
}

fn fill(text: &mut String, piece: &str, reason: &Reason) {
    let mut rest = piece;
    while let Some((before, from_slot)) = rest.split_once('{') {
        push_words(text, before);
        let Some((slot, after)) = from_slot.split_once('}') else { break };
        let (name, how) = parts(slot);
        text.push_str(&shown(reason, name, how));
        rest = after;
    }
    push_words(text, rest);
}

/// Adds words of a template. Data before them may already end with their full stop.
fn push_words(text: &mut String, words: &str) {
    let words = if text.ends_with('.') { words.strip_prefix('.').unwrap_or(words) } else { words };
    text.push_str(words);
}

/// A piece of data in words.
fn shown(reason: &Reason, name: &str, how: &str) -> String {
    if name == WHO {
        return who(reason);
    }
    let Some(datum) = reason.data.get(name) else { return String::new() };
    if how == "?" {
        return String::new();
    }
    if let Some(nouns) = how.strip_prefix('|') {
        return counted(datum, nouns);
    }
    match datum {
        Datum::Flag(flag) => flag.to_string(),
        Datum::Count(count) => count.to_string(),
        Datum::Number(number) => number_of(*number),
        Datum::Text(text) if name == "statistic" && text == "cov" => "COV".to_owned(),
        Datum::Text(text) => word_for(text, how),
        Datum::List(items) => {
            let items = items.iter().map(|item| match item {
                Datum::Text(text) => word_for(text, how),
                other => other.to_string(),
            });
            items.collect::<Vec<_>>().join(", ")
        }
        Datum::Quantity { value, .. } if name == "confidence" => confidence(*value),
        Datum::Quantity { value, unit } if unit == "1" && !is_compared(reason, name) => {
            percent_apart(*value, how == "+")
        }
        Datum::Quantity { value, unit } => {
            let sign = if how == "+" && *value > 0.0 { "+" } else { "" };
            format!("{sign}{}", of_unit(reason, name, *value, unit))
        }
        Datum::Reason(reason) => sentence(reason),
    }
}

/// A piece of data in words, outside of a sentence.
pub fn datum(datum: &Datum) -> String {
    let data = [("datum".to_owned(), datum.clone())].into();
    shown(&Reason { data, ..Reason::default() }, "datum", "")
}

fn who(reason: &Reason) -> String {
    match (reason.get(any::job), reason.get(any::repetition)) {
        (Some(job), Some(repetition)) => format!("{job} repetition {repetition}"),
        (Some(job), None) => job.to_owned(),
        (None, Some(repetition)) => format!("Repetition {repetition}"),
        (None, None) => "The job".to_owned(),
    }
}

/// A value with its unit. A value that is compared with a threshold has enough digits to differ from it.
fn of_unit(reason: &Reason, name: &str, value: f64, unit: &str) -> String {
    let unit = if unit == "B/s" && reason.flag(row::ThresholdMet::binary) { BINARY_RATE } else { unit };
    match reason.get(row::ThresholdMet::threshold) {
        Some(threshold) if matches!(name, "value" | "limit") => distinguished(value, Some(threshold), unit),
        Some(threshold) if name == "threshold" => {
            let compared: Vec<f64> = [row::ThresholdMet::value, row::ThresholdMet::limit]
                .into_iter()
                .filter_map(|field| reason.get(field))
                .collect();
            threshold_among(threshold, &compared, unit)
        }
        _ => quantity(value, unit),
    }
}

/// Whether this is a share that is compared with a threshold, or the threshold.
fn is_compared(reason: &Reason, name: &str) -> bool {
    reason.get(row::ThresholdMet::threshold).is_some() && matches!(name, "value" | "limit" | "threshold")
}

/// `1 rank`, `2 ranks`. Numbers that are not counts always have the plural.
fn counted(datum: &Datum, nouns: &str) -> String {
    let (one, plural) = match nouns.split_once('|') {
        Some((one, plural)) => (one, plural.to_owned()),
        None => (nouns, format!("{nouns}s")),
    };
    match datum {
        Datum::Count(count) if nouns.contains('|') || *count < 0 => {
            format!("{count} {}", if *count == 1 { one } else { &plural })
        }
        Datum::Count(count) => several(count.unsigned_abs(), one),
        #[expect(clippy::float_cmp, reason = "exactly one is singular")]
        Datum::Number(number) if *number == 1.0 => format!("1 {one}"),
        Datum::Number(number) => format!("{} {plural}", number_of(*number)),
        other => format!("{other} {plural}"),
    }
}

/// The word that `:a=b;c=d` gives for a text, or the text itself if there is no such word.
fn word_for(text: &str, how: &str) -> String {
    let words = how.strip_prefix(':').into_iter().flat_map(|words| words.split(';'));
    let mut own = words.filter_map(|pair| pair.split_once('=')).filter(|(key, _)| *key == text);
    own.next().map_or(text, |(_, word)| word).to_owned()
}

/// A number with at most two decimals. Very small numbers have an exponent.
fn number_of(number: f64) -> String {
    if number != 0.0 && number.abs() < 0.01 {
        return format!("{number:.2e}");
    }
    units::trimmed(&format!("{number:.2}")).to_owned()
}

#[cfg(test)]
mod tests {
    use results::reason;

    use super::*;

    fn text_of(template: &str, reason: Reason) -> Option<String> {
        fits(template, &reason).then(|| filled(template, &reason))
    }

    fn with(data: &[(&str, Datum)]) -> Reason {
        let data = data.iter().map(|(name, datum)| ((*name).to_owned(), datum.clone()));
        Reason { data: data.collect(), ..Reason::default() }
    }

    #[test]
    fn templates_insert_data_by_name_count_nouns_and_leave_out_parts_without_data() {
        let data = [("n", 3_u32.into()), ("one", 1_u32.into()), ("word", "a".into()), ("flag", true.into())];
        let list = [("list", vec!["x", "y"].into())];
        let text = "{word}: {n|rank}, {one|directory|directories}[, {more} more][ ({n})].";
        assert_eq!(text_of(text, with(&data)).as_deref(), Some("a: 3 ranks, 1 directory (3)."));
        assert_eq!(text_of("{missing}", with(&data)), None);
        assert_eq!(text_of("{flag?}set", with(&data[..3])), None);
        assert_eq!(text_of("{flag?}set", with(&data)).as_deref(), Some("set"));
        assert_eq!(text_of("{word:a=Anna;b=Bo}", with(&data)).as_deref(), Some("Anna"));
        assert_eq!(text_of("{list}", with(&list)).as_deref(), Some("x, y"));
    }

    #[test]
    fn quantities_have_their_unit_and_enough_digits_to_compare() {
        let of = |value: f64, threshold: f64| {
            let (value, threshold) = (Datum::rate(value), Datum::rate(threshold));
            reason!(ThresholdNotMet { value, threshold, .. })
        };
        let text = "{value} and {threshold}";
        assert_eq!(text_of(text, of(2.9988e9, 3e9)).as_deref(), Some("2.999 GB/s and 3.00 GB/s"));
        assert_eq!(text_of(text, of(3.0002e9, 3.0004e9)).as_deref(), Some("3.0002 GB/s and 3.0004 GB/s"));
        let binary = of(f64::from(1 << 20), f64::from(1 << 21)).with(row::ThresholdNotMet::binary, true);
        assert_eq!(text_of(text, binary).as_deref(), Some("1.00 MiB/s and 2.00 MiB/s"));
    }
}
