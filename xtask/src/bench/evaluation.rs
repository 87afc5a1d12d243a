//! The groups of evaluations: `judge`, `verify` and `report` on campaigns of more and more jobs.
//!
//! Never here: what an evaluation finds.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::group::{Bound, Group, Unit};
use super::outputs::OutputFormat;
use super::scratch::Scratch;
use super::tools::Tools;

/// The commands that read a whole campaign.
pub(super) const COMMANDS: [&str; 3] = ["judge", "verify", "report"];
/// Repetitions of each test.
const REPETITIONS: u32 = 10;
/// The goals for the largest campaign: seconds, and MiB.
const LARGEST: (f64, f64) = (10.0, 300.0);

/// The title of a command's groups.
pub(super) fn title(command: &str) -> String {
    format!("evaluation by assay {command}")
}

/// Runs a campaign for each number of jobs, and returns their folders.
pub(super) fn campaigns(tools: &Tools, disk: &Scratch, jobs: &[u32]) -> Result<Vec<(u32, String)>> {
    let one = |jobs: &u32| {
        let folder = disk.name(&format!("campaign-{jobs}"));
        let (plan, files) = (format!("{folder}.toml"), format!("{folder}.files"));
        fs::write(&plan, text(*jobs)).with_context(|| format!("cannot write {plan}"))?;
        fs::create_dir(&files)?;
        let words = ["run", &plan, "--dir", &files, "--folder", &folder];
        let ran = Command::new(&tools.assay).args(words).stdin(Stdio::null()).output()?;
        let evidence = Path::new(&folder).join("report.html").exists();
        ensure!(
            evidence,
            "the campaign of {jobs} jobs has no report: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
        Ok((*jobs, folder))
    };
    jobs.iter().map(one).collect()
}

/// A plan of this number of jobs, which all pass.
fn text(jobs: u32) -> String {
    let head = format!(
        "schema = 1\nplan = {{ id = \"evaluation\", title = \"Many jobs\" }}\n\
         fs.s = {{ dir = \"{{dir}}\" }}\nclients.delivered = 1\n\
         defaults = {{ ranks = 1, repetitions = {REPETITIONS} }}\n"
    );
    let test = |number: u32| {
        format!(
            "[[test]]\nid = \"T{number}\"\nior = \"-w -e -t 16k -b 64k\"\n\
             criterion = {{ metric = \"write.bw\", op = \">=\", value = \"1 B/s\", rule = \"as-written\" }}\n"
        )
    };
    head + &(0..jobs / REPETITIONS).map(test).collect::<String>()
}

/// The groups of a command: its time, and its memory.
pub(super) fn groups(tools: &Tools, command: &str, campaigns: &[(u32, String)]) -> Vec<Group> {
    let (seconds, mib) = LARGEST;
    let of = |what: &str, unit, bound| {
        let mut group = Group::against_first(format!("{}{what}", title(command)), unit);
        for (jobs, folder) in campaigns {
            let words = vec![tools.assay.clone(), command.to_owned(), folder.clone()];
            group.add(format!("{jobs} jobs"), words, OutputFormat::Jobs(*jobs));
        }
        if let Some((jobs, _)) = campaigns.last() {
            group.add_goal(&format!("{jobs} jobs"), None, Bound::AtMost(bound));
        }
        group
    };
    vec![of("", Unit::Seconds, seconds), of(", memory", Unit::PeakMib, mib)]
}

#[cfg(test)]
mod tests {
    use super::super::tools::named;
    use super::*;

    #[test]
    fn a_plan_has_as_many_jobs_as_asked_and_each_command_a_group_of_time_and_one_of_memory() {
        assert_eq!(text(500).matches("[[test]]").count() as u32 * REPETITIONS, 500);
        let campaigns = [(10, "a".to_owned()), (20, "b".to_owned())];
        let groups = groups(&named(), "verify", &campaigns);
        let titles: Vec<&str> = groups.iter().map(|group| group.title.as_str()).collect();
        assert_eq!(titles, ["evaluation by assay verify", "evaluation by assay verify, memory"]);
        assert!(groups.iter().all(|group| group.contenders.len() == 2 && group.goals[0].of == "20 jobs"));
    }
}
