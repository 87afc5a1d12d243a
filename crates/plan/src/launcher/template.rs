//! A launch line of the plan's own: words in which the placement stands as `{ranks}`, `{nodes}`, `{ppn}` and
//! `{hosts}`, and the command as `{cmd}`.

use units::Usage;

use super::{LaunchKind, LauncherJob};
use crate::placement::Placement;

/// What a word may hold, beside `{cmd}`, which is a word of its own.
const MARKS: [&str; 4] = ["{ranks}", "{nodes}", "{ppn}", "{hosts}"];

impl LaunchKind {
    /// Checks the words of a launch template: `{cmd}` once and alone, `{ranks}` (or `{nodes}` and `{ppn}`)
    /// somewhere, nothing unknown in braces.
    pub fn mpirun(template: Vec<String>) -> Result<Self, Usage> {
        if template.iter().filter(|word| *word == "{cmd}").count() != 1
            || template.first().is_none_or(|w| w == "{cmd}")
        {
            return Err(Usage::new(
                "a launch line needs a program first and `{cmd}` once, as a word of its own",
            ));
        }
        if !(says(&template, "{ranks}") || says(&template, "{nodes}") && says(&template, "{ppn}")) {
            return Err(Usage::new(
                "a launch line needs `{ranks}`, else every job has the same number of ranks",
            ));
        }
        for word in template.iter().filter(|word| *word != "{cmd}") {
            if MARKS.iter().fold(word.clone(), |word, mark| word.replace(mark, "")).contains(['{', '}']) {
                let known = MARKS.join("`, `");
                return Err(Usage(format!(
                    "unknown placeholder in `{word}`; known are `{known}` and `{{cmd}}`"
                )));
            }
        }
        Ok(Self::Mpirun(template))
    }
}

/// Whether a word of the line holds `mark`.
pub fn says(template: &[String], mark: &str) -> bool {
    template.iter().any(|word| word.contains(mark))
}

/// Why a job so placed cannot be started by these words, if so.
pub(crate) fn refuses_placement(template: &[String], placement: &Placement) -> Option<String> {
    for mark in ["{nodes}", "{hosts}"] {
        if placement.nodes.is_none() && says(template, mark) {
            return Some(format!("launch.argv says {mark}; give `nodes`, or `ppn` beside `ranks`"));
        }
    }
    let lacks = placement.ppn.is_none() && says(template, "{ppn}");
    lacks.then(|| "launch.argv says {ppn}; give `ppn`".to_owned())
}

/// The words before and behind `{cmd}` for one job.
pub(crate) fn around(template: &[String], job: &LauncherJob) -> (Vec<String>, Vec<String>) {
    let Placement { ranks, nodes, ppn, .. } = &job.placement;
    let number = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
    let values = [number(Some(*ranks)), number(*nodes), number(*ppn), job.nodes.first(*nodes).join(",")];
    let filled = |word: &String| {
        MARKS.iter().zip(&values).fold(word.clone(), |word, (mark, value)| word.replace(mark, value))
    };
    let mut parts = template.split(|word| word == "{cmd}").map(|part| part.iter().map(filled).collect());
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}
