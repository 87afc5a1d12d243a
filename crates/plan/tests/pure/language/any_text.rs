//! Any text is a plan, or is rejected in one line with its position. A plan passes the schema.

use plan::Choice;
use plan::Plan;
use plan::schedule;
use plan::schema;
use proptest::collection::vec;
use proptest::prelude::*;

use super::changes::{WORDS, change};
use super::schema::read;
use testkit::documents::whole_plan;
use testkit::schema::faults;

/// Whether a rejection is one line with a position in the text.
fn has_position(rejection: &str, text: &str) -> bool {
    let Some(rest) = rejection.strip_prefix("p.toml:") else { return false };
    let mut parts = rest.splitn(3, ':');
    let mut number = || parts.next().and_then(|part| part.parse::<usize>().ok());
    let (Some(line), Some(column)) = (number(), number()) else { return false };
    let what = parts.next().unwrap_or_default();
    let lines = text.matches('\n').count() + 1;
    (1..=lines).contains(&line) && column >= 1 && what.len() > 1 && !rejection.contains(['\n', '\r', '\0'])
}

/// The plans that are changed.
fn bases() -> Vec<String> {
    let plans = super::plans().into_iter().map(|(_, text)| text);
    let pieces = super::documentation::pieces().into_iter().map(|piece| whole_plan(&piece.text));
    plans.chain(pieces).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 768, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_text_is_a_plan_or_is_rejected_in_one_line_with_its_position(
        base in any::<prop::sample::Index>(),
        changes in vec(change(), 1..5),
    ) {
        let bases = bases();
        let text = changes.iter().fold(base.get(&bases).clone(), |text, change| change.of(&text));
        match Plan::check(&text, "p.toml", &Choice::default()) {
            Err(rejections) => for rejection in rejections.all() {
                prop_assert!(has_position(&rejection.0, &text), "{}\n{text}", rejection.0);
            },
            Ok(plan) => {
                if let Ok(jobs) = schedule::jobs(&plan, &[]) {
                    schedule::needs(&jobs);
                    schedule::beside_states(&jobs);
                }
                let found = faults(&schema(), &read(&text));
                prop_assert!(found.is_empty(), "{found:?}\n{text}");
            }
        }
    }

    #[test]
    fn any_value_of_a_parameter_is_accepted_or_rejected_in_one_line(
        name in "[a-z]{1,3}",
        value in prop_oneof![".{0,12}", prop::sample::select(WORDS).prop_map(str::to_owned)],
        scale in prop::option::of("[a-z]{1,3}"),
        at_head in any::<bool>(),
    ) {
        let values = format!("[parameters]\n{name} = {value:?}\n[scale.s]\n{name} = \"4\"\n");
        let head = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.scratch = { dir = \"{dir}\" }\n";
        let test = format!(
            "[[test]]\nid = \"T\"\nior = \"-w -b ${{{name}}}\"\nranks = \"${{{name}}}\"\n\
             role = \"reported\"\n"
        );
        let text = match at_head {
            true => format!("{head}{values}{test}"),
            false => format!("{head}{test}{values}"),
        };
        let set = [(name, value)].into();
        let choice = Choice { scale: scale.clone(), set, ..Choice::default() };
        for choice in [Choice::default(), Choice { scale, ..Choice::default() }, choice] {
            if let Err(rejection) = Plan::parse_with(&text, "p.toml", &choice) {
                // A value from the command line has no position in the file.
                let chosen = choice != Choice::default() && !rejection.0.contains('\n');
                prop_assert!(has_position(&rejection.0, &text) || chosen, "{}\n{text}", rejection.0);
            }
        }
    }
}
