//! Which of several things an id names.

use crate::model::Plan;

/// What of the plan has the name `id` already, such as `test B.1`, but for the family of tests called `own`.
pub(super) fn holder(plan: &Plan, id: &str, own: Option<&str>) -> Option<String> {
    let dataset = plan.datasets.iter().map(super::Dataset::job).find(|job| job == id);
    let state = || plan.states.iter().map(super::State::job).find(|job| job == id);
    let test = || plan.tests.iter().find(|test| test.id == id).map(|test| format!("test {}", test.id));
    let family = || {
        let other = plan.tests.iter().find(|test| test.family == id && Some(id) != own)?;
        let kind = match (&other.step, other.part) {
            (Some(_), _) => "series",
            (_, Some(_)) => "group",
            _ => "test",
        };
        Some(format!("{kind} {id}"))
    };
    dataset.or_else(state).or_else(test).or_else(family)
}
