//! The help, from the same table that parses.

use super::retired::RETIRED;
use super::table;
use crate::personalities::classic::help::{described, modules, options};

/// The whole help text for a program called `name`.
pub(crate) fn text(name: &str) -> String {
    let mut text = options(name, table::default_of) + &modules(|_| true);
    text.push_str("\n\nRetired options that are still taken\n");
    for retired in RETIRED {
        let letter = retired.short.map(|letter| format!("-{letter}, ")).unwrap_or_default();
        let value = if retired.takes_value { "=VALUE" } else { "" };
        text.push_str(&described(&format!("{letter}-O {}{value}", retired.directive), retired.about));
    }
    text.push_str(
        "\nNames in brackets are directives, for -O name=value,name=value and for the lines of scripts.\n\
         Sizes take k, m, g, t, p in powers of 1024. Without -w, -r, -W, -R or --rwmix a\n\
         test writes and reads.\n\
         Ranks are those of mpirun or srun; `assay -n RANKS ior ...` makes local ones, as threads.\n",
    );
    text
}
