//! The rejection of a text that is not TOML, in terms of plans.

use std::ops::Range;

use toml::de::Error;

use super::keys;
use super::plan_text::PlanText;
use super::rejections::Rejection;

/// The rejection, in one line, of a text that is not TOML.
pub(crate) fn not_toml(error: &Error, place: &PlanText<'_>) -> Rejection {
    let span = error.span().unwrap_or(0..0);
    place.at(span.clone(), &plain_message(error.message().lines().next().unwrap_or("not TOML"), place, span))
}

/// The message of the TOML reader about `span` of the text, reworded for the author of a plan.
fn plain_message(message: &str, place: &PlanText<'_>, span: Range<usize>) -> String {
    let before = place.text.get(..span.start).unwrap_or_default();
    let before = before.rsplit('\n').next().unwrap_or_default();
    let (key, value) = before.rsplit_once('=').unwrap_or((before, ""));
    let says = |words: &[&str]| words.iter().any(|word| message.starts_with(word));
    // tidy: by message text because toml's errors have no kinds.
    if message == "duplicate key" {
        let there = place.text.get(span).unwrap_or_default();
        return format!("`{there}` is given twice in this table");
    }
    if says(&["extra "]) && before.ends_with('=') {
        return "write one `=` between a key and its value".to_owned();
    }
    if says(&["invalid basic string"]) || (says(&["invalid literal string"]) && value.contains('\'')) {
        let quote = if says(&["invalid basic string"]) { '"' } else { '\'' };
        return format!("this text has no closing quote `{quote}`");
    }
    let bare = ["string values must", "invalid boolean", "invalid float", "invalid literal", "extra assign"];
    if says(&bare) {
        let name = key.split(|c: char| !(c.is_alphanumeric() || c == '_')).rfind(|word| !word.is_empty());
        let such = keys::example(name.unwrap_or_default());
        return format!("put text in quotes, but not numbers and `true`. Write for example `{such}`.");
    }
    message.to_owned()
}
