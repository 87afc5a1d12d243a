//! The help, from the same table that parses.

use command::IorOption;
use command::classic::{ClassicOption, described, help_of_options};

use crate::personalities::classic::help::modules;

/// The whole help text for a program called `name`.
pub(crate) fn text(name: &str) -> String {
    let mut text = help_of_options::<IorOption>(name) + &modules(|_| true);
    text.push_str("\n\nRetired options that are still taken\n");
    for retired in IorOption::retired() {
        let letter = retired.short.map(|letter| format!("-{letter}, ")).unwrap_or_default();
        let directive = retired.directive.unwrap_or_default();
        let value = if retired.takes_value { "=VALUE" } else { "" };
        text.push_str(&described(&format!("{letter}-O {}{value}", directive), retired.about));
    }
    text.push_str(
        "\nNames in brackets are directives, for -O name=value,name=value and for the lines of scripts.\n\
         Sizes take k, m, g, t, p in powers of 1024. Without -w, -r, -W, -R or --rwmix a\n\
         test writes and reads.\n\
         Ranks are those of mpirun or srun; `assay -n RANKS ior ...` makes local ones, as threads.\n",
    );
    text
}
