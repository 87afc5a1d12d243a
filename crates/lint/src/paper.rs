//! The page about the lints, made of their table.

use crate::table::LINTS;

/// `docs/LINTS.md`, whole.
pub fn paper() -> String {
    let mut text = String::from(
        "# The lints\n\n\
         Made of the table in `crates/lint/src/table.rs` by `assay lint --list --markdown`.\n\n\
         A lint is an opinion about storage tests turned into a check before a run: it reports what it\n\
         found, with the numbers, and what to do. `assay lint -- COMMAND` checks one command as it was\n\
         typed, launcher included. `assay plan check` checks a whole plan, and `assay run` also the\n\
         machine. After a run only the records decide.\n\n\
         An **error** cannot be repaired after the run, so `assay run` does not start with it. A finding\n\
         that **needs a waiver** does not stop a run: a test gives `waive = [{ lint, why, by }]`, and the\n\
         finding stays listed with the name of the person who approved it. An **info** is reported. The\n\
         table has the most severe case of each lint. What the records of the run decide is info before\n\
         it. What a clause text suggests is info, because prose decides nothing.\n\n\
         A check that misses a fact (the memory of a node, the rate asked for) finds nothing: `--ram`,\n\
         `--cores`, `--mount`, `--role`, `--sustained` and `--target` give it.\n\n\
         | lint | severity | stage | records decide too | why | source |\n|---|---|---|---|---|---|\n",
    );
    for lint in LINTS {
        let (id, severity, stage) = (lint.id(), lint.severity, lint.stage());
        let judged = if lint.judged { "yes" } else { "" };
        let (why, source) = (lint.why, lint.source);
        text.push_str(&format!("| `{id}` | {severity} | {stage} | {judged} | {why} | {source} |\n"));
    }
    text.push_str(
        "\n## Less severe here\n\nRules of acceptance call these errors. Here they are less severe:\n\n",
    );
    let mut by_id: Vec<_> = LINTS.iter().collect();
    by_id.sort_by_key(|lint| lint.id());
    for (lint, (severity, why)) in by_id.into_iter().filter_map(|lint| Some((lint, lint.less_severe?))) {
        text.push_str(&format!("- `{}` is {severity} {why}.\n", lint.id()));
    }
    text.push_str("\n## Rejected plans\n\nA plan is not accepted with some of these:\n\n");
    for lint in LINTS.iter().filter(|lint| !lint.rejected.is_empty()) {
        text.push_str(&format!("- `{}`: {}\n", lint.id(), lint.rejected));
    }
    text
}
