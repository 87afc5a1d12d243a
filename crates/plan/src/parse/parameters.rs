//! Parameters of a plan: names for what differs between the contract's machine and a smaller one.
//!
//! `${NAME}` in any string stands for the value in `[parameters]`, for that of the chosen `[scale.NAME]`, or
//! for one that is set by hand. They are put in before the plan is read. A mark that nothing will stand for
//! is rejected.
//!
//! Never here: what the strings mean.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};
use units::Usage;

use super::Choice;
use super::nearest::nearest;
use super::plan_text::PlanText;
use command::tool_line::ToolLine;

/// The part of a plan that is read first.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ParameterTables {
    parameters: BTreeMap<String, Spanned<String>>,
    scale: BTreeMap<String, BTreeMap<Spanned<String>, Spanned<String>>>,
}

/// Puts the values of `choice` into the strings of `file`; the values that hold, by name.
pub(super) fn fill(
    file: &mut Spanned<DeTable<'_>>,
    place: &PlanText<'_>,
    choice: &Choice,
) -> Result<BTreeMap<String, String>, Usage> {
    let tables = ParameterTables::deserialize(Deserializer::from(file.clone()))
        .map_err(|error| place.rejected(&error, file))?;
    let mut exported = Vec::new();
    exports(file.get_ref(), &mut exported);
    if let Some((name, value)) = tables.parameters.iter().find(|(name, _)| exported.contains(name)) {
        let what = format!("`${{{name}}}` is what a test exports; give the parameter another name");
        return Err(place.error(value, what));
    }
    let values = values(tables, place, choice)?;
    let filling = ParameterFill { values: &values, exported: &exported };
    let mut unknown = Vec::new();
    file.get_mut().iter_mut().for_each(|(_, value)| filling.put_into(value, &mut unknown));
    match unknown.into_iter().min_by_key(|(span, _)| span.start) {
        None => Ok(values),
        Some((span, name)) => {
            let known: Vec<&str> = values.keys().map(String::as_str).collect();
            let mark = format!("${{{name}}}");
            let within = place.text.get(span.clone()).and_then(|text| text.find(&mark)).unwrap_or(0);
            let at = span.start + within;
            Err(place
                .at(at..at, &format!("`{mark}` is no parameter{}", super::defaults::among(&name, &known))))
        }
    }
}

/// What is put in.
struct ParameterFill<'a> {
    values: &'a BTreeMap<String, String>,
    /// What is known only when tests have run, and is left as it is.
    exported: &'a [String],
}

/// Where a text has the name of no parameter, and the name.
type UnknownParameter = (std::ops::Range<usize>, String);

impl ParameterFill<'_> {
    /// Puts the values into all strings of `value`.
    fn put_into(&self, value: &mut Spanned<DeValue<'_>>, unknown: &mut Vec<UnknownParameter>) {
        let span = value.span();
        match value.get_mut() {
            DeValue::String(text) => match self.filled(text) {
                Ok(Some(filled)) => *text = Cow::Owned(filled),
                Ok(None) => {}
                Err(name) => unknown.push((span, name)),
            },
            DeValue::Array(all) => all.iter_mut().for_each(|one| self.put_into(one, unknown)),
            DeValue::Table(table) => table.iter_mut().for_each(|(_, one)| self.put_into(one, unknown)),
            _ => {}
        }
    }

    /// `text` with the values; `None` where it stays as it is, the error the first name that there is not.
    fn filled(&self, text: &str) -> Result<Option<String>, String> {
        let (mut filled, mut rest) = (String::new(), text);
        while let Some(at) = rest.find("${") {
            let Some(length) = rest[at + 2..].find('}') else { break };
            let name = &rest[at + 2..at + 2 + length];
            filled.push_str(&rest[..at]);
            match self.values.get(name) {
                Some(value) => filled.push_str(value),
                None if self.exported.iter().any(|known| known == name) => {
                    filled.push_str(&rest[at..at + length + 3]);
                }
                None => return Err(name.to_owned()),
            }
            rest = &rest[at + length + 3..];
        }
        filled.push_str(rest);
        Ok((filled != text).then_some(filled))
    }
}

/// The values that hold; every name of a scale and of the choice has to be a parameter.
fn values(
    tables: ParameterTables,
    place: &PlanText<'_>,
    choice: &Choice,
) -> Result<BTreeMap<String, String>, Usage> {
    let ParameterTables { mut parameters, scale } = tables;
    let known: Vec<String> = parameters.keys().cloned().collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    // What is not in the file has no place in it.
    let rejected = |what: String| Err(Usage(format!("{}: {what}", place.name)));
    let unknown = |name: &str, whose: &str| {
        format!("{whose} sets `{name}`, which is no parameter{}", super::defaults::among(name, &known))
    };
    for (scale, names) in &scale {
        if let Some(name) = names.keys().find(|name| !known.contains(&name.get_ref().as_str())) {
            return Err(place.error(name, unknown(name.get_ref(), &format!("scale.{scale}"))));
        }
    }
    if let Some(wanted) = &choice.scale {
        let Some(chosen) = scale.get(wanted) else {
            let scales: Vec<&str> = scale.keys().map(String::as_str).collect();
            return rejected(match nearest(wanted, &scales) {
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
        return rejected(unknown(name, "--set"));
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
        return rejected(unfit_text(name, value));
    }
    let mut parameters: BTreeMap<String, String> =
        parameters.into_iter().map(|(name, value)| (name, value.into_inner())).collect();
    parameters.extend(choice.set.clone());
    Ok(parameters)
}

/// All names that phases export, which are known only when they have run.
fn exports(table: &DeTable<'_>, names: &mut Vec<String>) {
    for (key, value) in table {
        match value.get_ref() {
            DeValue::Table(exported) if key.get_ref() == "exports" => {
                names.extend(exported.keys().map(|name| name.get_ref().to_string()));
            }
            DeValue::Table(inner) => exports(inner, names),
            DeValue::Array(all) => {
                all.iter().filter_map(|one| one.get_ref().as_table()).for_each(|inner| exports(inner, names));
            }
            _ => {}
        }
    }
}

/// Rejects marks in `file`, whose parameters are filled in, that nothing will stand for, so that none goes to
/// a shell or a program as it is: `${NAME}` is known in lines of workloads, where a test exports it, `{step}`
/// in what the phases of a series run.
pub(super) fn stray_marks(file: &DeTable<'_>, place: &PlanText<'_>) -> Result<(), Usage> {
    file.iter().try_for_each(|(key, value)| {
        let within = ValueKey { key: key.get_ref(), phase: false };
        // Values of parameters were put in where they belong.
        if matches!(within.key, "parameters" | "scale") {
            Ok(())
        } else {
            look_for_marks(&within, value, place)
        }
    })
}

/// Where a value stands.
struct ValueKey<'k> {
    /// Its key.
    key: &'k str,
    /// Whether that is one of a phase of a series.
    phase: bool,
}

fn look_for_marks(
    within: &ValueKey<'_>,
    value: &Spanned<DeValue<'_>>,
    place: &PlanText<'_>,
) -> Result<(), Usage> {
    match value.get_ref() {
        DeValue::String(text) => known_marks(within, text).map_err(|why| place.error(value, why)),
        DeValue::Array(all) => all.iter().try_for_each(|one| look_for_marks(within, one, place)),
        DeValue::Table(table) => table.iter().try_for_each(|(key, one)| {
            let phase = within.phase || within.key == "phases";
            look_for_marks(&ValueKey { key: key.get_ref(), phase }, one, place)
        }),
        _ => Ok(()),
    }
}

fn known_marks(ValueKey { key, phase }: &ValueKey<'_>, text: &str) -> Result<(), String> {
    let line = *key == "ior" || ToolLine::keys().any(|known| known == *key);
    if text.contains("${") && !line {
        return Err(format!(
            "`{key}` has `${{`, and what a test exports is put into lines of workloads only; a name of \
             [parameters] ends with `}}`"
        ));
    }
    if text.contains("{step}") && !(*phase && (line || matches!(*key, "setup" | "argv"))) {
        return Err(format!(
            "`{key}` has `{{step}}`, which is known in lines, `setup` and `app.argv` of a phase of \
                a series only"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The strings of the file's own keys, by key.
    fn filled(text: &str, choice: &Choice) -> Result<BTreeMap<String, String>, String> {
        let mut file = DeTable::parse(text).unwrap();
        fill(&mut file, &PlanText::new(text, "p.toml"), choice).map_err(|error| error.0)?;
        let own = file.get_ref().iter();
        let strings = own.filter_map(|(key, value)| {
            Some((key.get_ref().to_string(), value.get_ref().as_str()?.to_owned()))
        });
        Ok(strings.collect())
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
            assert_eq!(filled(TEXT, &choice).unwrap()["x"], wanted);
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
        assert_eq!(filled(text, &chosen(None, &[])).unwrap()["x"], "${SMALLEST}");
    }

    #[test]
    fn strings_of_all_kinds_are_filled_and_comments_are_not() {
        let strings = "a = '#${n}'\nb = \"\\\"#${n}\"\nc = \"\"\"\n# \" ${n}\"\"\"\nd = '''\n#${n}'''\n";
        let text = &format!("{strings}# ${{other}}\nparameters.n = \"5\"");
        let filled = filled(text, &chosen(None, &[])).unwrap();
        let values: Vec<&str> = filled.values().map(String::as_str).collect();
        assert_eq!(values, ["#5", "\"#5", "# \" 5", "#5"]);
    }
}
