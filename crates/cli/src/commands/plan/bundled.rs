//! The bundled plans, by who would use them.
//!
//! Invariant: each plan is in one group, and its file is `plans/NAME.toml`.

use plan::{Plan, among};
use units::Usage;

/// A plan that is part of the program.
pub(in crate::commands) struct BundledPlan {
    pub(super) name: &'static str,
    pub(super) text: &'static str,
}

/// Plans for the same users.
struct PlanGroup {
    title: &'static str,
    plans: &'static [BundledPlan],
}

macro_rules! bundled_plans {
    ($($name:literal)*) => {
        &[$(BundledPlan {
            name: $name,
            text: include_str!(concat!("../../../../../plans/", $name, ".toml")),
        }),*]
    };
}

/// All bundled plans.
const GROUPS: &[PlanGroup] = &[
    PlanGroup { title: "One machine, such as a laptop", plans: bundled_plans!["try"] },
    PlanGroup { title: "Regular checks", plans: bundled_plans!["nightly" "eurohpc"] },
    PlanGroup {
        title: "Procurement of a site",
        plans: bundled_plans!["ats5" "esif-hpc4" "io500" "jubench" "nersc10" "orion" "uknnss"],
    },
    PlanGroup { title: "AI cluster", plans: bundled_plans!["ncp-hss" "superpod"] },
    PlanGroup {
        title: "Historic: machines that are switched off, and earlier phases and rules",
        plans: bundled_plans![
            "bluewaters-flash-io" "bluewaters-io2017" "cfs-phase1" "cori-phase1" "cori-phase2"
            "datawarp-phase1" "datawarp-phase2" "mlperf-storage" "perlmutter-phase1" "purple-bandwidth"
            "purple-functional" "purple-metadata"
        ],
    },
];

impl BundledPlan {
    /// The plan, checked.
    pub(in crate::commands) fn plan(&self) -> Result<Plan, Usage> {
        Plan::parse(self.text, &self.file())
    }

    /// Its name in messages.
    pub(super) fn file(&self) -> String {
        format!("plans/{}.toml", self.name)
    }
}

/// All bundled plans.
fn all() -> impl Iterator<Item = &'static BundledPlan> {
    GROUPS.iter().flat_map(|group| group.plans)
}

/// The bundled plan with this name, if there is one.
pub(super) fn find(name: &str) -> Option<&'static BundledPlan> {
    all().find(|plan| plan.name == name)
}

/// The bundled plan with this name.
pub(in crate::commands) fn named(name: &str) -> Result<&'static BundledPlan, Usage> {
    find(name).ok_or_else(|| Usage(format!("there is no bundled plan `{name}`{}", hint(name, &[]))))
}

/// A hint for an unknown name: the bundled plan or the name in `more` that is probably meant, or all of them.
pub(super) fn hint(name: &str, more: &[&str]) -> String {
    let known: Vec<&str> = all().map(|plan| plan.name).chain(more.iter().copied()).collect();
    among(name, &known)
}

/// The names and titles of all plans, below the title of their group.
pub(super) fn list() -> Result<String, Usage> {
    let groups: Result<Vec<String>, Usage> = GROUPS.iter().map(PlanGroup::list).collect();
    Ok(groups?.join("\n"))
}

impl PlanGroup {
    fn list(&self) -> Result<String, Usage> {
        let line = |plan: &BundledPlan| Ok(format!("  {:<19} {}\n", plan.name, plan.plan()?.title));
        let lines = self.plans.iter().map(line).collect::<Result<String, Usage>>()?;
        Ok(format!("{}:\n{lines}", self.title))
    }
}
