//! The help, from the same table that parses.

use storage::Takes;

use super::retired::RETIRED;
use super::table::{self, FLAGS, Kind, Row, VALUES};

/// The whole help text for a program called `name`.
pub(crate) fn text(name: &str) -> String {
    let mut text = format!("Synopsis {name}\n\nFlags\n");
    FLAGS.iter().for_each(|row| text.push_str(&line(row)));
    text.push_str("\nOptional arguments\n");
    VALUES.iter().for_each(|row| text.push_str(&line(row)));
    for backend in storage::BACKENDS {
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
    text.push_str("\n\nRetired options that are still taken\n");
    for retired in RETIRED {
        let letter = retired.short.map(|letter| format!("-{letter}, ")).unwrap_or_default();
        let value = if retired.takes_value { "=VALUE" } else { "" };
        text.push_str(&described(&format!("{letter}-O {}{value}", retired.directive), retired.about));
    }
    text.push_str(
        "\nNames in brackets are directives, for -O name=value,name=value and for the lines of scripts.\n\
         Sizes take k, m, g, t, p in powers of 1024. Without -w, -r, -W or -R a test writes and reads.\n\
         Ranks are those of mpirun or srun; `assay -n RANKS ior ...` makes local ones, as threads.\n",
    );
    text
}

fn described(names: &str, about: &str) -> String {
    // A name that fills its column still stands apart from what it means.
    format!("  {names:<29} {about}\n")
}

fn line(row: &Row) -> String {
    let mut names: Vec<String> = row.short.map(|letter| format!("-{letter}")).into_iter().collect();
    names.extend(row.long.map(|word| format!("--{word}")));
    let mut directives = row.directives;
    if names.is_empty() {
        names.extend(directives.first().map(|directive| format!("-O {directive}")));
        directives = &[];
    }
    let mut names = names.join(", ");
    if row.kind != Kind::Flag {
        let shown = match table::default_of(row) {
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
