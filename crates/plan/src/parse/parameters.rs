//! Parameters of a plan: values that differ between the contract's machine and a smaller one.
//!
//! `${NAME}` in any string is replaced by the value in `[parameters]`, in the chosen `[scale.NAME]`, or on
//! the command line. This happens before the plan is read. A placeholder that nothing replaces is rejected.
//!
//! Never here: the meaning of the strings.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Choice;
use super::defaults::ParseResult;
use super::nearest::nearest;
use super::plan_text::PlanText;
use crate::language::form;
use crate::language::read::TableKeys as _;
use crate::language::rejections::Rejection;
use crate::language::wire::PlanFile;

/// The part of a plan that is read first.
struct ParameterTables {
    parameters: BTreeMap<String, Spanned<String>>,
    scale: BTreeMap<String, ScaleValues>,
}

impl ParameterTables {
    fn read(file: &DeTable<'_>, place: &PlanText<'_>) -> ParseResult<Self> {
        let table = |name: &str| {
            let Some((value, key)) = file.get(name).zip(PlanFile::TABLE.key(name)) else { return Ok(None) };
            match form::problem(PlanFile::TABLE, key, value) {
                Some((span, what)) => Err(place.at(span, &what)),
                None => Ok(value.get_ref().as_table()),
            }
        };
        let parameters = table("parameters")?.map(texts).unwrap_or_default();
        let scales = table("scale")?.into_iter().flatten();
        Ok(Self {
            parameters: parameters.into_iter().map(|(name, text)| (name.into_inner(), text)).collect(),
            scale: scales
                .filter_map(|(name, scale)| {
                    Some((name.get_ref().to_string(), texts(scale.get_ref().as_table()?)))
                })
                .collect(),
        })
    }
}

/// The texts of a table by their names.
fn texts(table: &DeTable<'_>) -> ScaleValues {
    let text = |(name, text): (&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
        let value = text.get_ref().as_str()?.to_owned();
        Some((Spanned::new(name.span(), name.get_ref().to_string()), Spanned::new(text.span(), value)))
    };
    table.iter().filter_map(text).collect()
}

/// Puts the values of `choice` into the strings of `file`, and gives the values in effect by name, with the
/// texts that name unknown parameters.
pub(super) fn fill(
    file: &mut Spanned<DeTable<'_>>,
    place: &PlanText<'_>,
    choice: &Choice,
) -> ParseResult<FilledValues> {
    let tables = ParameterTables::read(file.get_ref(), place)?;
    let mut exported = Vec::new();
    exports(file.get_ref(), &mut exported);
    if let Some((name, value)) = tables.parameters.iter().find(|(name, _)| exported.contains(name)) {
        let what = format!("a test already exports `${{{name}}}`. Give the parameter another name.");
        return Err(place.error(value, what));
    }
    let values = values(tables, place, choice)?;
    let filling = ParameterFill { values: &values, exported: &exported };
    let mut unknown = Vec::new();
    file.get_mut().iter_mut().for_each(|(_, value)| filling.put_into(value, &mut unknown));
    let known: Vec<&str> = values.keys().map(String::as_str).collect();
    let rejected = |(span, name): &UnknownParameter| {
        let mark = format!("${{{name}}}");
        let within = place.text.get(span.clone()).and_then(|text| text.find(&mark)).unwrap_or(0);
        let at = span.start + within;
        place.at(at..at, &format!("`{mark}` is not a parameter{}", super::defaults::among(name, &known)))
    };
    let errors = unknown.iter().map(rejected).collect();
    let unfilled = unknown.into_iter().map(|(span, _)| span).collect();
    Ok(FilledValues { values, unfilled, errors })
}

/// The result of filling in parameters.
pub(super) struct FilledValues {
    /// The values in effect, by name.
    pub(super) values: BTreeMap<String, String>,
    /// The places of texts that name unknown parameters.
    pub(super) unfilled: Vec<Range<usize>>,
    /// An error for each of them.
    pub(super) errors: Vec<Rejection>,
}

/// Replaces parameters by their values.
struct ParameterFill<'a> {
    values: &'a BTreeMap<String, String>,
    /// Names that are known only when tests have run. They stay unchanged.
    exported: &'a [String],
}

/// The position of a text that names an unknown parameter, and the name.
type UnknownParameter = (Range<usize>, String);

impl ParameterFill<'_> {
    /// Replaces the parameters in all strings of `value`.
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

    /// `text` with the values; `None` if it stays unchanged. The error is the first unknown name.
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

/// The key with which a scale has the values of another one.
const LIKE: &str = "like";

/// The values of one scale.
type ScaleValues = BTreeMap<Spanned<String>, Spanned<String>>;

/// Takes the `like` keys out of the scales, by the names of the scales.
fn take_likes(scales: &mut BTreeMap<String, ScaleValues>) -> BTreeMap<String, Spanned<String>> {
    let mut likes = BTreeMap::new();
    for (scale, values) in scales.iter_mut() {
        let key = values.keys().find(|name| name.get_ref() == LIKE).cloned();
        if let Some(other) = key.and_then(|key| values.remove(&key)) {
            likes.insert(scale.clone(), other);
        }
    }
    likes
}

/// The values of the scales that `wanted` is like, nearest first.
fn inherited<'s>(
    wanted: &str,
    likes: &BTreeMap<String, Spanned<String>>,
    scales: &'s BTreeMap<String, ScaleValues>,
    place: &PlanText<'_>,
) -> ParseResult<Vec<&'s ScaleValues>> {
    let (mut chain, mut found) = (vec![wanted], Vec::new());
    while let Some(like) = chain.last().and_then(|last| likes.get(*last)) {
        let other = like.get_ref().as_str();
        let Some(values) = scales.get(other) else {
            let known: Vec<&str> = scales.keys().map(String::as_str).collect();
            return Err(
                place.error(like, format!("no [scale.{other}]{}", super::defaults::among(other, &known)))
            );
        };
        if chain.contains(&other) {
            let what =
                format!("[scale.{other}] has its values from this scale. Write the values in one of them.");
            return Err(place.error(like, what));
        }
        found.push(values);
        chain.push(other);
    }
    Ok(found)
}

/// The values in effect. Every name of a scale and of the choice must be a parameter.
fn values(
    tables: ParameterTables,
    place: &PlanText<'_>,
    choice: &Choice,
) -> ParseResult<BTreeMap<String, String>> {
    let ParameterTables { mut parameters, scale } = tables;
    let known: Vec<String> = parameters.keys().cloned().collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    // A value from the command line has no position in the file.
    let rejected = |what: String| Err(Rejection::without_place(format!("{}: {what}", place.name)));
    let unknown = |name: &str, whose: &str| {
        format!("{whose} sets `{name}`, which is not a parameter{}", super::defaults::among(name, &known))
    };
    if let Some(value) = parameters.get(LIKE) {
        let what =
            "a parameter cannot be called `like`, which is a key of [scale.NAME]. Give it another name.";
        return Err(place.error(value, what));
    }
    let mut scale = scale;
    let likes = take_likes(&mut scale);
    for (scale, names) in &scale {
        if let Some(name) = names.keys().find(|name| !known.contains(&name.get_ref().as_str())) {
            return Err(place.error(name, unknown(name.get_ref(), &format!("scale.{scale}"))));
        }
    }
    for wanted in likes.keys() {
        inherited(wanted, &likes, &scale, place)?;
    }
    if let Some(wanted) = &choice.scale {
        let Some(chosen) = scale.get(wanted) else {
            let scales: Vec<&str> = scale.keys().map(String::as_str).collect();
            return rejected(match nearest(wanted, &scales) {
                Some(near) => format!("no [scale.{wanted}]. Did you mean `{near}`?"),
                None if scales.is_empty() => {
                    format!("no [scale.{wanted}]. The plan has no other scale. Leave out --scale.")
                }
                None => format!("no [scale.{wanted}]. Known: {}.", scales.join(", ")),
            });
        };
        let mut nearest_first = vec![chosen];
        nearest_first.extend(inherited(wanted, &likes, &scale, place)?);
        for values in nearest_first.into_iter().rev() {
            parameters.extend(values.iter().map(|(name, value)| (name.get_ref().clone(), value.clone())));
        }
    }
    if let Some(name) = choice.set.keys().find(|name| !known.contains(&name.as_str())) {
        return rejected(unknown(name, "--set"));
    }
    let signs = |c: char| matches!(c, '"' | '\'' | '\\') || c.is_control();
    // Values are inserted once, so a placeholder in a value would stay in the plan.
    let unfit = |value: &str| value.contains(signs) || value.contains("${");
    let unfit_text = |name: &str, value: &str| {
        format!("`{name}` is {value:?}. A value has no quote, backslash, line end or `${{`.")
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

/// All names that tests export, which are known only when they have run.
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

/// Rejects placeholders that nothing replaces in a value of the key `key` of the file, so that none reaches a
/// shell or a program. Gives an error for each.
///
/// The parameters of the file are already replaced. `${NAME}` is allowed in command lines of workloads, if a
/// test exports it. `{step}` is allowed in the phases of a series.
pub(super) fn stray_marks(key: &str, value: &Spanned<DeValue<'_>>, place: &PlanText<'_>) -> Vec<Rejection> {
    let mut found = Vec::new();
    look_for_marks(&ValueKey { key, phase: false }, value, place, &mut found);
    found
}

/// The key that holds a value.
struct ValueKey<'k> {
    /// The key.
    key: &'k str,
    /// Whether it is a key of a phase of a series.
    phase: bool,
}

fn look_for_marks(
    within: &ValueKey<'_>,
    value: &Spanned<DeValue<'_>>,
    place: &PlanText<'_>,
    found: &mut Vec<Rejection>,
) {
    match value.get_ref() {
        DeValue::String(text) => {
            found.extend(known_marks(within, text).err().map(|why| place.error(value, why)));
        }
        DeValue::Array(all) => all.iter().for_each(|one| look_for_marks(within, one, place, found)),
        DeValue::Table(table) => {
            for (key, one) in table {
                let phase = within.phase || within.key == "phases";
                look_for_marks(&ValueKey { key: key.get_ref(), phase }, one, place, found);
            }
        }
        _ => {}
    }
}

fn known_marks(ValueKey { key, phase }: &ValueKey<'_>, text: &str) -> Result<(), String> {
    let line = command::plan_keys().any(|known| known == *key);
    if text.contains("${") && !line {
        return Err(format!(
            "`{key}` has `${{`. A test's export is allowed only in command lines of workloads, and a name of \
             [parameters] ends with `}}`."
        ));
    }
    if text.contains("{step}") && !(*phase && (line || matches!(*key, "setup" | "argv"))) {
        return Err(format!(
            "`{key}` has `{{step}}`, which is allowed only in command lines, `setup` and `app.argv` of a \
             phase of a series"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The strings at the top of the file, by key.
    fn filled(text: &str, choice: &Choice) -> Result<BTreeMap<String, String>, String> {
        let mut file = DeTable::parse(text).unwrap();
        let said = |rejection: Rejection| match rejection {
            Rejection::Found { line, .. } => line,
            Rejection::Follows => String::new(),
        };
        let filled = fill(&mut file, &PlanText { text, name: "p.toml" }, choice).map_err(said)?;
        filled.errors.into_iter().next().map_or(Ok(()), |first| Err(said(first)))?;
        let own = file.get_ref().iter();
        let strings = own.filter_map(|(key, value)| {
            Some((key.get_ref().to_string(), value.get_ref().as_str()?.to_owned()))
        });
        Ok(strings.collect())
    }

    fn chosen(scale: Option<&str>, set: &[(&str, &str)]) -> Choice {
        let set = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Choice { scale: scale.map(str::to_owned), set: set.collect(), ..Choice::default() }
    }

    const TEXT: &str = "# ${comment}\nx = \"-b ${block} -s ${n}\" # ${more}\n[parameters]\nblock = \"1g\"\n\
                        n = \"7\"\n[scale.small]\nblock = \"1m\"\n";

    #[test]
    fn a_value_comes_from_the_plan_then_its_scale_then_the_command_line() {
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
    fn an_unknown_parameter_is_rejected_with_the_nearest_name() {
        for (text, choice, error) in [
            (
                "x = \"${blok}\"\nparameters.block = \"1\"",
                chosen(None, &[]),
                "p.toml:1:6: `${blok}` is not a parameter. Did you mean `block`?",
            ),
            ("x = \"${y}\"", chosen(None, &[]), "p.toml:1:6: `${y}` is not a parameter. There is none."),
            (TEXT, chosen(Some("smal"), &[]), "p.toml: no [scale.smal]. Did you mean `small`?"),
            (
                "x = 1",
                chosen(Some("small"), &[]),
                "p.toml: no [scale.small]. The plan has no other scale. Leave out --scale.",
            ),
            (
                TEXT,
                chosen(None, &[("blocks", "1")]),
                "p.toml: --set sets `blocks`, which is not a parameter. Did you mean `block`?",
            ),
            (
                "scale.s.z = \"1\"",
                chosen(None, &[]),
                "p.toml:1:9: scale.s sets `z`, which is not a parameter. There is none.",
            ),
            (
                TEXT,
                chosen(None, &[("n", "${block}")]),
                "p.toml: `n` is \"${block}\". A value has no quote, backslash, line end or `${`.",
            ),
            (
                "parameters.a = \"${b}\"\nparameters.b = \"1\"",
                chosen(None, &[]),
                "p.toml:1:16: `a` is \"${b}\". A value has no quote, backslash, line end or `${`.",
            ),
            (
                "parameters.S = \"1\"\n[[test]]\nexports = { S = \"min(file.size)\" }",
                chosen(None, &[]),
                "p.toml:1:16: a test already exports `${S}`. Give the parameter another name.",
            ),
            (
                TEXT,
                chosen(None, &[("n", "1\"")]),
                "p.toml: `n` is \"1\\\"\". A value has no quote, backslash, line end or `${`.",
            ),
        ] {
            assert_eq!(filled(text, &choice).unwrap_err(), error);
        }
    }

    #[test]
    fn an_exported_name_is_left_unchanged() {
        let text = "x = \"${SMALLEST}\"\n[[series]]\nphases = [{ exports = { SMALLEST = \"1\" } }]\n";
        assert_eq!(filled(text, &chosen(None, &[])).unwrap()["x"], "${SMALLEST}");
    }

    #[test]
    fn strings_of_all_kinds_are_filled_but_comments_are_not() {
        let strings = "a = '#${n}'\nb = \"\\\"#${n}\"\nc = \"\"\"\n# \" ${n}\"\"\"\nd = '''\n#${n}'''\n";
        let text = &format!("{strings}# ${{other}}\nparameters.n = \"5\"");
        let filled = filled(text, &chosen(None, &[])).unwrap();
        let values: Vec<&str> = filled.values().map(String::as_str).collect();
        assert_eq!(values, ["#5", "\"#5", "# \" 5", "#5"]);
    }
}
