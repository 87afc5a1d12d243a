//! Rules: calls that are allowed in some places only, and attributes that are not allowed at all.
//!
//! Invariant: one row per ban, with the allowed places and the alternative.
//! Never here: rules on `unsafe`, which have their own file.

use super::Finding;
use super::tokens::{Token, close_of, reads};
use super::tree::{Source, Tree};

struct Ban {
    /// The banned tokens; `!` means a macro call.
    call: &'static [&'static str],
    /// The allowed places: prefixes of paths.
    allowed: &'static [&'static str],
    /// True if tests, benches, examples, build scripts and chores may call it.
    tests_may: bool,
    advice: &'static str,
}

const INK: &[&str] = &["crates/cli/"];
const CLOCKS: &[&str] = &["crates/measure/", "crates/cli/", "crates/run/"];
const RETURN_IT: &str = "return it; only `cli` prints and exits";
const BRING_IT: &str = "take a `Clock` as an argument";
const FINISH_IT: &str = "finish it or leave it out";

const BANS: &[Ban] = &[
    Ban { call: &["todo", "!"], allowed: &[], tests_may: false, advice: FINISH_IT },
    Ban { call: &["unimplemented", "!"], allowed: &[], tests_may: false, advice: FINISH_IT },
    Ban { call: &["dbg", "!"], allowed: &[], tests_may: false, advice: "remove it" },
    Ban { call: &["println", "!"], allowed: INK, tests_may: true, advice: RETURN_IT },
    Ban { call: &["print", "!"], allowed: INK, tests_may: true, advice: RETURN_IT },
    Ban { call: &["eprintln", "!"], allowed: INK, tests_may: true, advice: RETURN_IT },
    Ban { call: &["eprint", "!"], allowed: INK, tests_may: true, advice: RETURN_IT },
    Ban { call: &["process", ":", ":", "exit"], allowed: INK, tests_may: true, advice: RETURN_IT },
    Ban { call: &["Instant", ":", ":", "now"], allowed: CLOCKS, tests_may: true, advice: BRING_IT },
    Ban { call: &["SystemTime", ":", ":", "now"], allowed: CLOCKS, tests_may: true, advice: BRING_IT },
];

/// Rule: banned calls are only in the places of their row.
pub(super) fn calls(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(calls_in).collect()
}

fn calls_in(source: &Source) -> Vec<Finding> {
    let tokens = &source.tokens;
    let mut findings = Vec::new();
    for at in 0..tokens.len() {
        let Some(ban) = BANS.iter().find(|ban| is_call(tokens, at, ban.call)) else { continue };
        let beside = source.is_beside_the_program() || tokens[at].is_test;
        let allowed = ban.allowed.iter().any(|place| source.path.starts_with(place));
        if !(allowed || ban.tests_may && beside) {
            let what = format!("`{}` may not be here ({})", ban.call.concat(), ban.advice);
            findings.push(Finding::new(&source.path, tokens[at].line, what));
        }
    }
    findings
}

/// Whether the tokens at `at` are this call. `name!` is a macro call only if a bracket follows.
fn is_call(tokens: &[Token], at: usize, call: &[&str]) -> bool {
    let bracket = || tokens.get(at + call.len()).is_some_and(|t| ["(", "[", "{"].contains(&t.text.as_str()));
    reads(tokens, at, call) && (call.last() != Some(&"!") || bracket())
}

/// Rule: no test is disabled.
pub(super) fn attributes(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(ignored_in).collect()
}

fn ignored_in(source: &Source) -> Vec<Finding> {
    let tokens = &source.tokens;
    let marks = (0..tokens.len()).filter(|at| reads(tokens, *at, &["#", "["]));
    let ignores =
        |at: &usize| tokens[*at..close_of(tokens, at + 1)].iter().any(|token| token.text == "ignore");
    let what = "`#[ignore]` may not be here (print `SKIPPED: reason` in a test that cannot run)";
    marks.filter(ignores).map(|at| Finding::new(&source.path, tokens[at].line, what)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        let tree = Tree::of(&[(path, text)]);
        calls(&tree).len() + attributes(&tree).len()
    }

    #[test]
    fn unfinished_code_is_found_everywhere() {
        for call in ["todo!()", "unimplemented!(\"later\")", "dbg!(1)"] {
            assert_eq!(found("crates/cli/src/a.rs", &format!("fn f() {{ {call}; }}")), 1, "{call}");
            assert_eq!(found("xtask/tests/a.rs", &format!("fn f() {{ {call}; }}")), 1, "{call}");
        }
        assert_eq!(found("crates/cli/src/a.rs", "fn todo(dbg: u8) -> bool { dbg != 1 } // todo!()"), 0);
    }

    #[test]
    fn only_cli_prints_and_exits() {
        for call in ["println!(\"a\")", "eprint!(\"a\")", "std::process::exit(1)"] {
            let text = format!("fn f() {{ {call}; }}");
            assert_eq!(found("crates/report/src/a.rs", &text), 1, "{call}");
            for place in
                ["crates/cli/src/a.rs", "xtask/src/a.rs", "crates/ranks/examples/a.rs", "crates/ffi/build.rs"]
            {
                assert_eq!(found(place, &text), 0, "{call} in {place}");
            }
        }
        assert_eq!(found("crates/report/src/a.rs", "fn f() { writeln!(w, \"println!()\"); }"), 0);
    }

    #[test]
    fn tests_may_print_and_read_the_clock() {
        let text = "#[cfg(test)]\nmod tests {\n    fn f() { println!(\"{:?}\", Instant::now()); }\n}";
        assert_eq!(found("crates/ranks/src/a.rs", text), 0);
        assert_eq!(found("crates/ranks/src/a.rs", &text.replace("#[cfg(test)]", "")), 2);
        assert_eq!(found("crates/ranks/src/a/tests.rs", "fn f() { Instant::now(); }"), 0);
    }

    #[test]
    fn the_clock_is_read_in_measure_run_and_cli_only() {
        let text = "fn f() { let a = std::time::Instant::now(); let b = list.map(SystemTime::now); }";
        assert_eq!(found("crates/storage/src/a.rs", text), 2);
        assert_eq!(found("crates/measure/src/a.rs", text), 0);
        assert_eq!(found("crates/run/src/a.rs", text), 0);
    }

    #[test]
    fn a_disabled_test_is_found() {
        assert_eq!(found("crates/units/src/a.rs", "#[test]\n#[ignore = \"slow\"]\nfn f() {}"), 1);
        assert_eq!(found("crates/units/src/a.rs", "#[cfg_attr(miri, ignore)]\nfn f() {}"), 1);
        assert_eq!(found("crates/units/src/a.rs", "#[arg(ignore_case)]\nfn f() { ignore(); }"), 0);
    }
}
