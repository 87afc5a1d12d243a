//! The paper about the lints, made of their table.

use super::table::LINTS;

/// Cases that rules of acceptance call errors, and that are less grave here: the lint, the case, and why.
pub const LESS_GRAVE: &[(&str, &str, &str)] = &[
    (
        "client-cache-fit",
        "a waiver",
        "where readers are shifted to other nodes: what was cached is INVALID by the records",
    ),
    (
        "dead-criterion",
        "a waiver",
        "where a rate has a ceiling, or a latency or errors a floor: that may be meant, and somebody signs",
    ),
    (
        "ls-walk",
        "a waiver",
        "for too few walks and for what may be in memory: names found in memory are INVALID by the records",
    ),
    ("missing-persist", "a waiver", "of reported and hero tests: no clause rests on them"),
    (
        "not-aged",
        "a waiver",
        "while there is only the plan: how full the file system is, is known when it is looked at",
    ),
    (
        "option-drift",
        "a waiver or an info",
        "where the line still runs: the option has another meaning, another name or none",
    ),
    (
        "stat-unnamed",
        "an info",
        "where no statistic is named: the mean is compared, and criterion and verdict say so",
    ),
    (
        "unchecked-data",
        "a waiver",
        "in both cases: the data may be compared by other means, for which somebody signs; wrong data that \
         is found fails a criterion about errors, and makes a rate INVALID",
    ),
    (
        "units",
        "a waiver",
        "where two clauses use one family each: all is compared in base units, and only readers can mix \
         them up",
    ),
];

/// `docs/LINTS.md`, whole.
pub fn paper() -> String {
    let mut text = String::from(
        "# The lints\n\n\
         Made of the table in `crates/campaign/src/lint/table.rs` by `assay lint --list --markdown`.\n\n\
         A lint is an opinion about storage tests turned into a check: it says what it found, with the\n\
         numbers, and what would satisfy it. `assay lint -- COMMAND` looks at one command as it was typed,\n\
         launcher included; `assay plan check` at a whole plan; later stages look at the machine, at what\n\
         was measured, and at what is reported.\n\n\
         An **error** makes the result INVALID, whoever signs, but where the records show afterwards that\n\
         what was foreseen did not happen. A **waiver** is needed for the others: a test says\n\
         `waive = [{ lint, why, by }]`, and the finding stays listed with the name under it. An **info** is\n\
         told. A finding may be less or more grave than its lint, where the case is.\n\n\
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
        "\n## Less grave here\n\nRules of acceptance call these errors; here they are less, because:\n\n",
    );
    for (id, level, why) in LESS_GRAVE {
        text.push_str(&format!("- `{id}` is {level} {why}\n"));
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
