//! The page about the lints, made of their table.

use results::reason::Code;

use crate::table::LINTS;

/// Cases that rules of acceptance call errors, and that are less severe here: code, severity, and why.
pub const LESS_SEVERE: &[(Code, &str, &str)] = &[
    (
        Code::ClientCacheFit,
        "info",
        "for reads: the records show what was cached, and cached reads are INVALID",
    ),
    (
        Code::DeadCriterion,
        "needs-waiver",
        "where a rate has a ceiling, or a latency or errors a floor: that may be meant",
    ),
    (
        Code::LsWalk,
        "info or needs-waiver",
        "because the records show how many entries were listed, and walks of cached trees are INVALID",
    ),
    (Code::MissingPersist, "needs-waiver", "of reported and hero tests: no clause depends on them"),
    (
        Code::NotAged,
        "needs-waiver",
        "while there is only the plan: the utilization is known when the file system is looked at",
    ),
    (
        Code::OptionDrift,
        "needs-waiver or info",
        "where the line still runs: the option has another meaning, another name or no effect",
    ),
    (Code::ReaderIsWriter, "info", "because the records show what was cached, and cached reads are INVALID"),
    (Code::RoleMismatch, "info", "where only the clause text says what the test is for"),
    (Code::StatUnnamed, "info", "because criterion and verdict name the statistic that is compared"),
    (
        Code::UncheckedData,
        "needs-waiver",
        "in both cases: the data may be compared by other means; wrong data that is found is never a PASS",
    ),
    (Code::Units, "info", "because all is compared in base units, and only readers can mix them up"),
    (Code::WrSameLaunch, "info", "because the records show what was cached, and cached reads are INVALID"),
];

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
    for (code, severity, why) in LESS_SEVERE {
        text.push_str(&format!("- `{code}` is {severity} {why}.\n"));
    }
    text.push_str("\n## Rejected plans\n\nA plan is not accepted with some of these:\n\n");
    for lint in LINTS.iter().filter(|lint| !lint.rejected.is_empty()) {
        text.push_str(&format!("- `{}`: {}\n", lint.id(), lint.rejected));
    }
    text
}
