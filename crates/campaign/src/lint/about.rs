//! Which findings are about a test: by what they are called that it is one of, or needs.
//!
//! Never here: whether a finding counts.

use plan::{Plan, Test, Uses};

/// Whether a finding called so is about the test, or about what it is one of or needs.
pub fn concerns(plan: &Plan, test: &Test, about: &str) -> bool {
    of_test(plan, test).iter().any(|own| own == about)
        || fs(test) == about
        || test.part.is_some_and(|part| plan.groups[part].id == about)
        || test.states.iter().any(|state| plan.states[*state].job() == about)
}

/// What findings about the test's file system are called.
pub(crate) fn fs(test: &Test) -> String {
    format!("fs.{}", test.fs)
}

/// The test itself, its series, the dataset that it reads, and the whole campaign, which has no name.
pub(crate) fn of_test(plan: &Plan, test: &Test) -> Vec<String> {
    let mut about = vec![test.id.clone(), String::new()];
    about.extend(test.step.as_ref().map(|step| plan.series[step.series].id.clone()));
    let mut uses = test.uses.as_ref();
    while let Some(Uses::Test(index)) = uses {
        uses = plan.tests[*index].uses.as_ref();
    }
    about.extend(uses.map(|dataset| dataset.maker(plan)));
    about
}
