//! The help of a classic program, from the table that parses.

use super::row::{ClassicOption, OptionKind, OptionRow};

/// The program `name`: its flags, then its options with values, each with its default.
pub fn help_of_options<I: ClassicOption>(name: &str) -> String {
    let part = |flags: bool| -> String {
        I::rows().filter(|row| (row.kind == OptionKind::Flag) == flags).map(line).collect()
    };
    format!("Synopsis {name}\n\nFlags\n{}\nOptional arguments\n{}", part(true), part(false))
}

/// A line with what stands before the text, and the text.
pub fn described(names: &str, about: &str) -> String {
    // A name that fills its column still stands apart from what it means.
    format!("  {names:<29} {about}\n")
}

fn line<I>(row: &OptionRow<I>) -> String {
    let mut names: Vec<String> = row.short.map(|letter| format!("-{letter}")).into_iter().collect();
    names.extend(row.long.map(|word| format!("--{word}")));
    let mut directives = row.directives;
    if names.is_empty() {
        names.extend(directives.first().map(|directive| format!("-O {directive}")));
        directives = &[];
    }
    let mut names = names.join(", ");
    if row.kind != OptionKind::Flag {
        let shown = if row.default.is_empty() { "STRING" } else { row.default };
        names.push_str(&format!("={shown}"));
    }
    match directives {
        [] => described(&names, row.about),
        _ => described(&names, &format!("{} [{}]", row.about, directives.join(", "))),
    }
}
