//! The reference page of the lints, generated from their table.

use crate::table::LINTS;

/// The whole text of `docs/reference/lints/README.md`.
pub fn paper() -> String {
    let mut text = String::from(
        "# The lints\n\n\
         This page is generated from `crates/lint/src/table.rs` by `assay lint --list --markdown`.\n\n\
         A lint is a rule about good storage tests. The linter checks it before a run. It reports what it\n\
         found, with the numbers, and what to do. Three commands check:\n\n\
         - `assay lint -- COMMAND` checks one command as typed, including its launcher.\n\
         - `assay plan check` checks a whole plan.\n\
         - `assay run` also checks the machine.\n\n\
         After a run only the records decide.\n\n\
         A finding has one of three severities.\n\n\
         - **error**: The defect cannot be repaired after the run, so `assay run` does not start.\n\
         - **needs-waiver**: The finding does not stop a run. A waiver in the plan approves it:\n  \
           `waive = [{ lint = …, why = …, approved_by = … }]`. The finding stays listed, with the name\n  \
           of the person who approved it.\n\
         - **info**: The finding is only reported.\n\n\
         The table shows the greatest severity of each lint. A finding that the records of the run decide\n\
         is info before the run. A finding from a clause text is info, because prose decides nothing.\n\n\
         A check that lacks a fact (the memory of a node, the required rate) finds nothing. The options\n\
         `--ram`, `--cores`, `--mount`, `--role`, `--sustained` and `--target` give such facts.\n\n\
         | lint | severity | stage | records decide too | why | source |\n|---|---|---|---|---|---|\n",
    );
    for lint in LINTS {
        let (id, severity, stage) = (lint.id(), lint.severity, lint.stage());
        let records_decide = if lint.records_decide { "yes" } else { "" };
        let (why, source) = (lint.why, lint.source);
        text.push_str(&format!(
            "| [`{id}`]({id}.md) | {severity} | {stage} | {records_decide} | {why} | {source} |\n"
        ));
    }
    text.push_str(
        "\n## Less severe cases\n\nAcceptance rules call these cases errors. Here they are less severe:\n\n",
    );
    let mut by_id: Vec<_> = LINTS.iter().collect();
    by_id.sort_by_key(|lint| lint.id());
    for (lint, (severity, why)) in by_id.into_iter().filter_map(|lint| Some((lint, lint.less_severe?))) {
        text.push_str(&format!("- `{}` is {severity} {why}.\n", lint.id()));
    }
    text.push_str("\n## Rejected plans\n\nA plan with one of these defects is rejected:\n\n");
    for lint in LINTS.iter().filter(|lint| !lint.rejected.is_empty()) {
        text.push_str(&format!("- `{}`: {}\n", lint.id(), lint.rejected));
    }
    text
}
