//! The help, from the same tables that parse.

use storage::Takes;

use super::row::{ClassicLine, OptionKind, OptionRow};

/// The program `name`: its flags, then its options with values, each with its default.
pub(crate) fn options<T: ClassicLine>(name: &str, default_of: fn(&OptionRow<T>) -> String) -> String {
    let part = |flags: bool| -> String {
        let rows = T::rows().filter(|row| (row.kind == OptionKind::Flag) == flags);
        rows.map(|row| line(row, default_of)).collect()
    };
    format!("Synopsis {name}\n\nFlags\n{}\nOptional arguments\n{}", part(true), part(false))
}

/// A block for each backend that `listed` takes.
pub(crate) fn modules(listed: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    for backend in storage::BACKENDS.iter().filter(|backend| listed(backend.name)) {
        text.push_str(&format!("\n\nModule {}: {}\n", backend.name.to_uppercase(), backend.about));
        for option in backend.options {
            let value = match option.takes {
                Takes::Flag => "",
                Takes::Number => "=N",
                Takes::Size => "=BYTES",
                Takes::Text => "=STRING",
            };
            text.push_str(&described(&format!("--{}.{}{value}", backend.name, option.name), option.about));
        }
    }
    text
}

/// A line with what stands before the text, and the text.
pub(crate) fn described(names: &str, about: &str) -> String {
    // A name that fills its column still stands apart from what it means.
    format!("  {names:<29} {about}\n")
}

fn line<T>(row: &OptionRow<T>, default_of: fn(&OptionRow<T>) -> String) -> String {
    let mut names: Vec<String> = row.short.map(|letter| format!("-{letter}")).into_iter().collect();
    names.extend(row.long.map(|word| format!("--{word}")));
    let mut directives = row.directives;
    if names.is_empty() {
        names.extend(directives.first().map(|directive| format!("-O {directive}")));
        directives = &[];
    }
    let mut names = names.join(", ");
    if row.kind != OptionKind::Flag {
        let shown = match default_of(row) {
            default if default.is_empty() => "STRING".to_owned(),
            default => default,
        };
        names.push_str(&format!("={shown}"));
    }
    match directives {
        [] => described(&names, row.about),
        _ => described(&names, &format!("{} [{}]", row.about, directives.join(", "))),
    }
}
