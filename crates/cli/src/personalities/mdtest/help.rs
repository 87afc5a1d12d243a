//! The help, from the same table that parses.

use command::MdtestOption;
use command::classic::{ClassicOption, described, help_of_options};
use workloads::mdtest::{self, MdtestParameters};

use crate::personalities::classic::help::modules;

/// The whole help text for a program called `name`.
pub(crate) fn text(name: &str) -> String {
    let mut text = help_of_options::<MdtestOption>(name) + &modules(has_names);
    text.push_str("\n\nSpellings of 1.9 that are still taken\n");
    for retired in MdtestOption::retired() {
        let letter = retired.short.unwrap_or_default();
        let value = if retired.takes_value { "=VALUE" } else { "" };
        text.push_str(&described(&format!("-{letter}{value}"), retired.about));
    }
    text.push_str(&format!(
        "  Also -B without a number, and -RSEED.\n\n\
         Operations for --operations: {}.\n\
         Numbers take k, m, g, t, p in powers of 1024. Without -C, -T, -E, -U or -r all five are done.\n\
         Ranks are those of mpirun or srun; `assay -n RANKS mdtest ...` makes local ones, as threads.\n",
        mdtest::operation_names().collect::<Vec<_>>().join(", ")
    ));
    text
}

/// Whether a backend has directories, which mdtest needs.
fn has_names(backend: &str) -> bool {
    MdtestParameters { backend: backend.to_owned(), ..MdtestParameters::default() }.check(1).is_ok()
}
