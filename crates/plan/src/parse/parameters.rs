//! Parameters of a plan: names for what differs between the contract's machine and a smaller one.
//!
//! `${NAME}` in any string stands for the value in `[parameters]`, for that of the chosen `[scale.NAME]`, or
//! for one that is set by hand. They are put in before the plan is read, and places in the text are told as
//! they are in the file.
//!
//! Never here: what the strings mean.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;
use units::Usage;

use super::Choice;
use super::place::{Place, Shift, nearest};

/// The part of a plan that is read first.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Head {
    parameters: BTreeMap<String, Spanned<String>>,
    scale: BTreeMap<String, BTreeMap<Spanned<String>, Spanned<String>>>,
}

/// A plan's text with the values put in.
pub(super) struct Filled {
    pub(super) text: String,
    pub(super) shifts: Vec<Shift>,
    /// The values that hold, by name.
    pub(super) values: BTreeMap<String, String>,
}

/// Puts the values of `choice` into the plan's text.
pub(super) fn fill(place: &Place<'_>, choice: &Choice) -> Result<Filled, Usage> {
    let table: toml::Table = toml::from_str(place.text).map_err(|error| place.refused(&error, place.text))?;
    let head: Head = toml::from_str(place.text).map_err(|error| place.refused(&error, place.text))?;
    let mut exported = Vec::new();
    exports(&table, &mut exported);
    if let Some((name, value)) = head.parameters.iter().find(|(name, _)| exported.contains(name)) {
        let what = format!("`${{{name}}}` is what a test exports; give the parameter another name");
        return Err(place.error(value, what));
    }
    let values = values(head, place, choice)?;
    let (mut text, mut shifts, mut taken) = (String::new(), Vec::new(), 0);
    for at in marks(place.text) {
        let rest = &place.text[at + 2..];
        let Some(length) = rest.find('}') else { continue };
        let name = &rest[..length];
        if exported.iter().any(|known| known == name) {
            continue;
        }
        let Some(value) = values.get(name) else {
            let known: Vec<&str> = values.keys().map(String::as_str).collect();
            let what = format!("`${{{name}}}` is no parameter{}", super::check::among(name, &known));
            return Err(place.at(at..at + 2, &what));
        };
        text.push_str(&place.text[taken..at]);
        shifts.push(Shift { at: text.len(), new: value.len(), old: length + 3 });
        text.push_str(value);
        taken = at + length + 3;
    }
    text.push_str(&place.text[taken..]);
    Ok(Filled { text, shifts, values })
}

/// The values that hold; every name of a scale and of the choice has to be a parameter.
fn values(head: Head, place: &Place<'_>, choice: &Choice) -> Result<BTreeMap<String, String>, Usage> {
    let Head { mut parameters, scale } = head;
    let known: Vec<String> = parameters.keys().cloned().collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    // What is not in the file has no place in it.
    let refused = |what: String| Err(Usage(format!("{}: {what}", place.name)));
    let unknown = |name: &str, whose: &str| {
        format!("{whose} sets `{name}`, which is no parameter{}", super::check::among(name, &known))
    };
    for (scale, names) in &scale {
        if let Some(name) = names.keys().find(|name| !known.contains(&name.get_ref().as_str())) {
            return Err(place.error(name, unknown(name.get_ref(), &format!("scale.{scale}"))));
        }
    }
    if let Some(wanted) = &choice.scale {
        let Some(chosen) = scale.get(wanted) else {
            let scales: Vec<&str> = scale.keys().map(String::as_str).collect();
            return refused(match nearest(wanted, &scales) {
                Some(near) => format!("no [scale.{wanted}]; did you mean `{near}`?"),
                None if scales.is_empty() => {
                    format!("no [scale.{wanted}]; the plan has one scale only, its own")
                }
                None => format!("no [scale.{wanted}]; there is {}", scales.join(", ")),
            });
        };
        parameters.extend(chosen.iter().map(|(name, value)| (name.get_ref().clone(), value.clone())));
    }
    if let Some(name) = choice.set.keys().find(|name| !known.contains(&name.as_str())) {
        return refused(unknown(name, "--set"));
    }
    let signs = |c: char| matches!(c, '"' | '\'' | '\\') || c.is_control();
    // It would stand in the plan as it is: values are put in once.
    let unfit = |value: &str| value.contains(signs) || value.contains("${");
    let unfit_text = |name: &str, value: &str| {
        format!("`{name}` is {value:?}; a parameter's value has no quote, backslash, line end or `${{`")
    };
    if let Some((name, value)) = parameters.iter().find(|(_, value)| unfit(value.get_ref())) {
        return Err(place.error(value, unfit_text(name, value.get_ref())));
    }
    if let Some((name, value)) = choice.set.iter().find(|(_, value)| unfit(value)) {
        return refused(unfit_text(name, value));
    }
    let mut parameters: BTreeMap<String, String> =
        parameters.into_iter().map(|(name, value)| (name, value.into_inner())).collect();
    parameters.extend(choice.set.clone());
    Ok(parameters)
}

/// All names that phases export, which are known only when they have run.
fn exports(table: &toml::Table, names: &mut Vec<String>) {
    for (key, value) in table {
        match value {
            toml::Value::Table(exported) if key == "exports" => names.extend(exported.keys().cloned()),
            toml::Value::Table(inner) => exports(inner, names),
            toml::Value::Array(all) => {
                all.iter().filter_map(toml::Value::as_table).for_each(|inner| exports(inner, names));
            }
            _ => {}
        }
    }
}

/// Where `${` stands outside of comments.
fn marks(text: &str) -> Vec<usize> {
    let (mut marks, mut quote, mut at) = (Vec::new(), "", 0);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let opens = ["\"\"\"", "'''", "\"", "'", "#"].into_iter().find(|sign| rest.starts_with(sign));
        let mut step = c.len_utf8();
        match (quote, opens) {
            ("", Some(sign)) => (quote, step) = (sign, sign.len()),
            ("#", _) if c == '\n' => quote = "",
            ("\"" | "\"\"\"", _) if c == '\\' => {
                step += rest[step..].chars().next().map_or(0, char::len_utf8);
            }
            ("#" | "", _) => {}
            (open, _) if rest.starts_with(open) => (quote, step) = ("", open.len()),
            _ => {}
        }
        if quote != "#" && rest.starts_with("${") {
            marks.push(at);
        }
        at += step;
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str, choice: &Choice) -> Result<String, String> {
        let place = Place::new(text, "p.toml");
        fill(&place, choice).map(|filled| filled.text).map_err(|error| error.0)
    }

    fn chosen(scale: Option<&str>, set: &[(&str, &str)]) -> Choice {
        let set = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Choice { scale: scale.map(str::to_owned), set: set.collect() }
    }

    const TEXT: &str = "# ${comment}\nx = \"-b ${block} -s ${n}\" # ${more}\n[parameters]\nblock = \"1g\"\n\
                        n = \"7\"\n[scale.small]\nblock = \"1m\"\n";

    #[test]
    fn values_come_from_the_plan_then_its_scale_then_the_hand() {
        for (choice, wanted) in [
            (chosen(None, &[]), "-b 1g -s 7"),
            (chosen(Some("small"), &[]), "-b 1m -s 7"),
            (chosen(Some("small"), &[("n", "3")]), "-b 1m -s 3"),
            (chosen(Some("small"), &[("block", "2m")]), "-b 2m -s 7"),
        ] {
            let text = filled(TEXT, &choice).unwrap();
            assert!(text.contains(&format!("x = \"{wanted}\" # ${{more}}\n")), "{text}");
        }
    }

    #[test]
    fn a_name_that_is_no_parameter_is_told_with_the_nearest_one() {
        for (text, choice, error) in [
            (
                "x = \"${blok}\"\nparameters.block = \"1\"",
                chosen(None, &[]),
                "p.toml:1:6: `${blok}` is no parameter; did you mean `block`?",
            ),
            ("x = \"${y}\"", chosen(None, &[]), "p.toml:1:6: `${y}` is no parameter; there is none"),
            (TEXT, chosen(Some("smal"), &[]), "p.toml: no [scale.smal]; did you mean `small`?"),
            (
                "x = 1",
                chosen(Some("small"), &[]),
                "p.toml: no [scale.small]; the plan has one scale only, its own",
            ),
            (
                TEXT,
                chosen(None, &[("blocks", "1")]),
                "p.toml: --set sets `blocks`, which is no parameter; did you mean `block`?",
            ),
            (
                "scale.s.z = \"1\"",
                chosen(None, &[]),
                "p.toml:1:9: scale.s sets `z`, which is no parameter; there is none",
            ),
            (
                TEXT,
                chosen(None, &[("n", "${block}")]),
                "p.toml: `n` is \"${block}\"; a parameter's value has no quote, backslash, line end or `${`",
            ),
            (
                "parameters.a = \"${b}\"\nparameters.b = \"1\"",
                chosen(None, &[]),
                "p.toml:1:16: `a` is \"${b}\"; a parameter's value has no quote, backslash, line end or `${`",
            ),
            (
                "parameters.S = \"1\"\n[[test]]\nexports = { S = \"min(file.size)\" }",
                chosen(None, &[]),
                "p.toml:1:16: `${S}` is what a test exports; give the parameter another name",
            ),
            (
                TEXT,
                chosen(None, &[("n", "1\"")]),
                "p.toml: `n` is \"1\\\"\"; a parameter's value has no quote, backslash, line end or `${`",
            ),
        ] {
            assert_eq!(filled(text, &choice).unwrap_err(), error);
        }
    }

    #[test]
    fn what_a_phase_exports_is_left_for_later() {
        let text = "x = \"${SMALLEST}\"\n[[series]]\nphases = [{ exports = { SMALLEST = \"1\" } }]\n";
        assert_eq!(filled(text, &chosen(None, &[])).unwrap(), text);
    }

    #[test]
    fn quotes_of_all_kinds_keep_a_number_sign_from_being_a_comment() {
        let strings = "a = '#${n}'\nb = \"\\\"#${n}\"\nc = \"\"\"\n# \" ${n}\"\"\"\nd = '''\n#${n}'''\n";
        let text = &format!("{strings}parameters.n = \"5\"");
        let text = filled(text, &chosen(None, &[])).unwrap();
        assert_eq!(text.matches('5').count(), 5, "{text}");
        assert!(!text.contains("${"), "{text}");
    }
}
