//! The paper about the lints, made of their table.

use super::table::LINTS;

/// `docs/LINTS.md`, whole.
pub fn paper() -> String {
    let mut text = String::from(
        "# The lints\n\n\
         Made of the table in `crates/campaign/src/lint/table.rs` by `assay lint --list --markdown`.\n\n\
         A lint is an opinion about storage tests turned into a check: it says what it found, with the\n\
         numbers, and what would satisfy it. `assay lint -- COMMAND` looks at one command as it was typed,\n\
         launcher included; `assay plan check` at a whole plan; later stages look at the machine, at what\n\
         was measured, and at what is reported.\n\n\
         An **error** makes the result INVALID, whoever signs. A **waiver** is needed for the others: a\n\
         test says `waive = [{ lint, why, by }]`, and the finding stays listed with the name under it. An\n\
         **info** is told. A finding may be less or more grave than its lint, where the case is.\n\n\
         What a check would have to know and does not (the memory of a node, the rate asked for) is no\n\
         finding: `--ram`, `--cores`, `--mount`, `--role`, `--sustained` and `--target` tell it.\n\n\
         | lint | level | stages | why | source |\n|---|---|---|---|---|\n",
    );
    for lint in LINTS {
        let stages: Vec<String> = lint.stages().iter().map(ToString::to_string).collect();
        let (id, level, stages) = (lint.id, lint.level, stages.join(", "));
        text.push_str(&format!("| `{id}` | {level} | {stages} | {} | {} |\n", lint.reason, lint.source));
    }
    text.push_str(
        "\n## Told elsewhere\n\nThese are told, or refused, by other parts of the program too:\n\n",
    );
    for lint in LINTS {
        for how in lint.told() {
            text.push_str(&format!("- `{}`: {how}\n", lint.id));
        }
    }
    text
}
