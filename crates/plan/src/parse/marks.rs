//! What in a plan's texts stands for something else, and where that is known: `${NAME}` of what a test
//! exports in lines of workloads, `{step}` in what the phases of a series run.
//!
//! Invariant: what is not put in is refused, so that no mark goes to a shell or a program as it is.
//! Never here: putting anything in.

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use units::Usage;

use super::plan_text::PlanText;
use command::tool_line::ToolLine;

/// Refuses marks in `file`, whose parameters are filled in, that nothing will stand for.
pub(super) fn stray(file: &DeTable<'_>, place: &PlanText<'_>) -> Result<(), Usage> {
    file.iter().try_for_each(|(key, value)| {
        let within = ValueKey { key: key.get_ref(), phase: false };
        // Values of parameters were put in where they belong.
        if matches!(within.key, "parameters" | "scale") { Ok(()) } else { look(&within, value, place) }
    })
}

/// Where a value stands.
struct ValueKey<'k> {
    /// Its key.
    key: &'k str,
    /// Whether that is one of a phase of a series.
    phase: bool,
}

fn look(within: &ValueKey<'_>, value: &Spanned<DeValue<'_>>, place: &PlanText<'_>) -> Result<(), Usage> {
    match value.get_ref() {
        DeValue::String(text) => fits(within, text).map_err(|why| place.error(value, why)),
        DeValue::Array(all) => all.iter().try_for_each(|one| look(within, one, place)),
        DeValue::Table(table) => table.iter().try_for_each(|(key, one)| {
            let phase = within.phase || within.key == "phases";
            look(&ValueKey { key: key.get_ref(), phase }, one, place)
        }),
        _ => Ok(()),
    }
}

fn fits(ValueKey { key, phase }: &ValueKey<'_>, text: &str) -> Result<(), String> {
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
