//! The sentences about verdicts, findings and rejections, made from codes and their data.
//!
//! A template is text with these elements:
//!
//! `{name}` is a piece of data.
//!
//! `[...]` is a part that is left out if its data are missing.
//!
//! `{n|rank}` is a count (`1 rank`, `2 ranks`). `{n|directory|directories}` states another plural.
//!
//! `{gain+}` is a number that always has a sign.
//!
//! `{name?}` is no text, but the data must be present, and a flag must be set.
//!
//! `{when:before=Before;after=After}` is other words for a text.
//!
//! `{who}` is the job, from the data `job` and `repetition`.
//!
//! A code may have several templates. The first template whose data are all present is used.
//!
//! Invariant: this is the only place with English for a code. Every code has a template.
//! Never here: decisions.

/// Templates by code: `Code: "…", "…";` lists the templates of a code in the order in which they are tried.
macro_rules! templates {
    ($($code:ident: $($template:expr),+;)*) => {
        &[$($((results::reason::Code::$code, $template),)+)*]
    };
}

pub(crate) mod campaign;
mod lint;
mod remedies;
mod verdicts;

pub use campaign::overall;
use results::finding::Finding;
use results::reason::{Code, Datum, Reason};
use units::several;

use crate::document::words::{BINARY_RATE, confidence, distinguished, percent, quantity, threshold_among};

/// The slot for the job that a reason is about.
const WHO: &str = "who";

/// Texts for data that a template does not mention. They follow the sentence.
const ADDITIONS: [(&str, &str); 6] = [
    (
        "lag_one",
        " The limit is widened, because neighbouring repetitions are alike (lag-1 correlation {lag_one}, p = \
         {p}).[ Of independent repetitions it would be {limit_independent}.]",
    ),
    (
        "rule",
        " The value alone decides, {rule:as-written=as written in the contract}. That gives no confidence.",
    ),
    ("measured", " Measured: {measured}"),
    ("also", " Also: {also}"),
    ("wrong", " {wrong}"),
    ("approve_with", " Its waiver is not approved yet. To approve it: {approve_with}."),
];

/// The sentence for a reason.
pub fn sentence(reason: &Reason) -> String {
    let Some(template) = template_for(reason) else { return fallback(reason) };
    let mut text = filled(template, reason);
    for (name, addition) in ADDITIONS {
        if reason.get(name).is_some() && !slots(template).any(|used| used.name == name) {
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

/// What to do about a reason; `None` if no remedy is known.
pub fn remedy(reason: &Reason) -> Option<String> {
    // The templates of the linter contain the remedy. This also holds for codes that the judge has too.
    template_for(reason).filter(|template| !of_linter().any(|(_, own)| own == *template))?;
    let all = remedies::TEXTS.iter().filter(|(code, _)| *code == reason.code);
    let mut own = all.map(|(_, template)| *template);
    own.find(|template| fits(template, reason)).map(|template| filled(template, reason))
}

/// The templates of a code, in the order in which they are tried.
pub fn templates(code: Code) -> impl Iterator<Item = &'static str> + Clone {
    let all = lint::TEXTS.iter().chain(verdicts::TEXTS);
    all.filter(move |(own, _)| *own == code).map(|(_, template)| *template)
}

/// The templates of the linter, which contain the remedy.
pub fn of_linter() -> impl Iterator<Item = (Code, &'static str)> {
    lint::TEXTS.iter().copied()
}

/// The template that is used for a reason.
pub fn template_for(reason: &Reason) -> Option<&'static str> {
    let first = |table: &'static [(Code, &'static str)]| {
        let mut own = table.iter().filter(|(code, _)| *code == reason.code).map(|(_, template)| *template);
        own.find(|template| fits(template, reason))
    };
    let needed = |template: &str| slots(template).filter(|slot| !slot.optional).count();
    match (first(lint::TEXTS), first(verdicts::TEXTS)) {
        // If both have the code, the template that uses more of the data is meant.
        (Some(lint), Some(verdict)) if needed(verdict) > needed(lint) => Some(verdict),
        (Some(lint), _) => Some(lint),
        (None, verdict) => verdict,
    }
}

/// The text for a reason that fits no template: its meaning, and the data.
fn fallback(reason: &Reason) -> String {
    let meaning = reason.code.meaning();
    let data: Vec<String> =
        reason.data.keys().map(|name| format!("{name} {}", shown(reason, name, ""))).collect();
    if data.is_empty() { meaning.to_owned() } else { format!("{meaning} ({})", data.join(", ")) }
}

/// A slot in a template.
struct Slot<'t> {
    /// The name of the data.
    name: &'t str,
    /// What follows the name: `|rank`, `+`, `?`, `:a=b`.
    how: &'t str,
    optional: bool,
}

/// The slots of a template.
fn slots(template: &str) -> impl Iterator<Item = Slot<'_>> {
    let mut optional = false;
    template.split_inclusive(['[', ']', '}']).filter_map(move |piece| {
        let slot = piece.strip_suffix('}').and_then(|piece| piece.rsplit_once('{')).map(|(_, slot)| {
            let (name, how) = parts(slot);
            Slot { name, how, optional }
        });
        match piece.chars().last() {
            Some('[') => optional = true,
            Some(']') => optional = false,
            _ => {}
        }
        slot
    })
}

/// The names of the data that the templates of a code mention, each once. Required data come first.
pub fn data_of(code: Code) -> Vec<&'static str> {
    let mut all: Vec<&'static str> = Vec::new();
    for wanted in [false, true] {
        for slot in templates(code).flat_map(slots).filter(|slot| slot.optional == wanted) {
            let own =
                if slot.name == WHO { &["job", "repetition"][..] } else { std::slice::from_ref(&slot.name) };
            for name in own {
                if !all.contains(name) {
                    all.push(name);
                }
            }
        }
    }
    all
}

/// Splits a slot into its name and what follows the name.
fn parts(slot: &str) -> (&str, &str) {
    let end = slot.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(slot.len());
    slot.split_at(end)
}

fn fits(template: &str, reason: &Reason) -> bool {
    slots(template).filter(|slot| !slot.optional).all(|slot| is_there(&slot, reason))
}

fn is_there(slot: &Slot<'_>, reason: &Reason) -> bool {
    match slot.how {
        _ if slot.name == WHO => true,
        "?" => reason.get(slot.name).is_some_and(|datum| *datum != Datum::Flag(false)),
        _ => reason.get(slot.name).is_some(),
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
    let Some(datum) = reason.get(name) else { return String::new() };
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
                other => Reason::default().with("item", other.clone()).data["item"].to_string(),
            });
            items.collect::<Vec<_>>().join(", ")
        }
        Datum::Quantity { value, .. } if name == "confidence" => confidence(*value),
        Datum::Quantity { value, unit } if unit == "1" && !is_compared(reason, name) => {
            percent(*value, how == "+")
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
    shown(&Reason::default().with("datum", datum.clone()), "datum", "")
}

/// The job that a reason is about.
fn who(reason: &Reason) -> String {
    match (reason.text("job"), reason.number("repetition")) {
        (Some(job), Some(repetition)) => format!("{job} repetition {repetition}"),
        (Some(job), None) => job.to_owned(),
        (None, Some(repetition)) => format!("Repetition {repetition}"),
        (None, None) => "The job".to_owned(),
    }
}

/// A value with its unit. A value that is compared with a threshold has enough digits to differ from it.
fn of_unit(reason: &Reason, name: &str, value: f64, unit: &str) -> String {
    let unit = if unit == "B/s" && reason.flag("binary") { BINARY_RATE } else { unit };
    match reason.number("threshold") {
        Some(threshold) if matches!(name, "value" | "limit") => {
            distinguished(value, Some(threshold), unit).text
        }
        Some(threshold) if name == "threshold" => {
            let compared: Vec<f64> =
                ["value", "limit"].iter().filter_map(|name| reason.number(name)).collect();
            threshold_among(threshold, &compared, unit)
        }
        _ => quantity(value, unit),
    }
}

/// Whether this is a share that is compared with a threshold, or the threshold.
fn is_compared(reason: &Reason, name: &str) -> bool {
    reason.number("threshold").is_some() && matches!(name, "value" | "limit" | "threshold")
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
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(template: &str, reason: Reason) -> Option<String> {
        fits(template, &reason).then(|| filled(template, &reason))
    }

    #[test]
    fn templates_insert_data_by_name_count_nouns_and_leave_out_parts_without_data() {
        let reason = || Reason::new(Code::NoValues).with("n", 3_u32).with("one", 1_u32).with("word", "a");
        let text = "{word}: {n|rank}, {one|directory|directories}[, {more} more][ ({n})].";
        assert_eq!(text_of(text, reason()).as_deref(), Some("a: 3 ranks, 1 directory (3)."));
        assert_eq!(text_of("{missing}", reason()), None);
        assert_eq!(text_of("{flag?}set", reason()), None);
        assert_eq!(text_of("{flag?}set", reason().with("flag", true)).as_deref(), Some("set"));
        assert_eq!(text_of("{word:a=Anna;b=Bo}", reason()).as_deref(), Some("Anna"));
        let list = reason().with("list", vec!["x", "y"]);
        assert_eq!(text_of("{list}", list).as_deref(), Some("x, y"));
    }

    #[test]
    fn quantities_have_their_unit_and_enough_digits_to_compare() {
        let of = |value: f64, threshold: f64| {
            Reason::new(Code::ThresholdNotMet)
                .with("value", Datum::rate(value))
                .with("threshold", Datum::rate(threshold))
        };
        let text = "{value} and {threshold}";
        assert_eq!(text_of(text, of(2.9988e9, 3e9)).as_deref(), Some("2.999 GB/s and 3.00 GB/s"));
        assert_eq!(text_of(text, of(3.0002e9, 3.0004e9)).as_deref(), Some("3.0002 GB/s and 3.0004 GB/s"));
        let binary = of(f64::from(1 << 20), f64::from(1 << 21)).with("binary", true);
        assert_eq!(text_of(text, binary).as_deref(), Some("1.00 MiB/s and 2.00 MiB/s"));
        let share = |value: f64| text_of("{s}", Reason::default().with("s", Datum::share(value)));
        for (value, text) in
            [(0.95, "95 %"), (0.431, "43.1 %"), (0.9996, "99.96 %"), (0.000_03, "0.003 %"), (0.0, "0 %")]
        {
            assert_eq!(share(value).as_deref(), Some(text));
        }
    }
}
