//! The help of `assay`: its commands in groups, with examples and exit statuses.

use std::fmt::Write as _;

use clap::{Command, CommandFactory};

use super::Assay;

/// Commands that a user meets at the same time.
struct CommandGroup {
    title: &'static str,
    commands: &'static [CommandHelp],
}

/// What the help of a command has below its options.
struct CommandHelp {
    name: &'static str,
    /// Command lines that can be pasted. The first is the most common one.
    examples: &'static [&'static str],
    exit: ExitStatuses,
}

/// The exit statuses that a command can have.
#[derive(Clone, Copy)]
enum ExitStatuses {
    /// It runs a campaign.
    Campaign,
    /// It evaluates clauses.
    Verdict,
    /// It follows a campaign.
    Watch,
    /// It checks evidence.
    Evidence,
    /// It shows a campaign again.
    Report,
    /// It compares campaigns.
    Comparison,
    /// It lists campaigns.
    Index,
    /// It lints a command.
    Lint,
    /// It checks a plan.
    Plan,
    /// It tries cases of a conformance suite.
    Cases,
    /// It tests a quota.
    Quota,
    /// It adds to a history, or reads it.
    History,
    /// It serves pages until it is asked to end.
    Server,
    /// It does something.
    Work,
}

impl ExitStatuses {
    /// One line for each status.
    // tidy: long because it is a table.
    const fn rows(self) -> &'static [&'static str] {
        match self {
            Self::Campaign => &[
                "0  all clauses PASS",
                "1  a clause is FAIL",
                "2  wrong usage, or a rejected plan",
                "3  a clause is INVALID, INCONCLUSIVE or NOT RUN; stopped or paused",
                "4  an error of the program or of I/O",
                "5  a file system of the campaign is full or read-only; resume it later",
            ],
            Self::Verdict => &[
                "0  all clauses PASS",
                "1  a clause is FAIL",
                "2  wrong usage, or a rejected plan",
                "3  a clause is INVALID, INCONCLUSIVE or NOT RUN",
                "4  an error of the program or of I/O",
            ],
            Self::Watch => &[
                "0  the campaign has ended, and all clauses PASS",
                "1  it has ended, and a clause is FAIL",
                "2  wrong usage, or not a campaign folder",
                "3  it has not ended, or a clause is INVALID, INCONCLUSIVE or NOT RUN",
                "4  an error of the program or of I/O",
            ],
            Self::Evidence => &[
                "0  the folder is intact, and its verdicts and its report are reproduced",
                "1  this program derives other outcomes from the records",
                "2  wrong usage, or not a campaign folder",
                "3  the folder was modified, or is not verified",
                "4  an error of the program or of I/O",
            ],
            Self::Report => &[
                "0  done",
                "2  wrong usage, or not a campaign folder",
                "3  done, but the folder was modified",
                "4  an error of the program or of I/O",
            ],
            Self::Comparison => &[
                "0  compared",
                "1  with --fail-below: a row is shown slower than the share",
                "2  wrong usage, or not a campaign folder",
                "3  compared, but the evidence of a campaign is not intact",
                "   with --fail-below also: a row of the baseline cannot be compared",
                "4  an error of the program or of I/O",
            ],
            Self::History => &[
                "0  done; no checked series fell",
                "1  a series fell by more than the share; with --last also a slow newest point",
                "2  wrong usage, or the file is not a history",
                "3  something was not added, no series has enough points to check, or",
                "   the last 5 points of a series have no usable values",
                "4  an error of the program or of I/O",
            ],
            Self::Server => &[
                "0  it was asked to end: Ctrl-C, or kill",
                "2  wrong usage, the file is not a history, or the address cannot be used",
                "4  an error of the program or of I/O",
            ],
            Self::Index => &[
                "0  written; all campaigns are intact",
                "2  wrong usage, or the file exists and is not an index",
                "3  written, but a folder cannot be read, or its evidence is not intact",
                "4  an error of the program or of I/O",
            ],
            Self::Lint => &[
                "0  no finding needs a correction or a waiver",
                "2  wrong usage, or the input cannot be read",
                "3  a finding needs a correction or a waiver",
                "4  an error of the program or of I/O",
            ],
            Self::Plan => &["0  done; the plan can run", "2  wrong usage, or a rejected plan"],
            Self::Cases => &[
                "0  no case failed",
                "1  a case failed",
                "2  wrong usage",
                "3  a case has no outcome",
                "4  an error of the program or of I/O",
            ],
            Self::Quota => &[
                "0  the quota was kept",
                "2  wrong usage, or no limit to test",
                "4  the quota was not kept, others were rejected, or an error of the program or of I/O",
            ],
            Self::Work => {
                &["0  done", "2  wrong usage", "4  an error of the program or of I/O, or wrong data"]
            }
        }
    }
}

const fn help(name: &'static str, exit: ExitStatuses, examples: &'static [&'static str]) -> CommandHelp {
    CommandHelp { name, examples, exit }
}

use ExitStatuses::{
    Campaign, Cases, Comparison, Evidence, History, Index, Lint, Plan, Quota, Report, Server, Verdict, Watch,
    Work,
};

const GROUPS: &[CommandGroup] = &[
    CommandGroup {
        title: "Start",
        commands: &[
            help("try", Campaign, &["assay try /scratch/you", "assay try --only WRITE"]),
            help(
                "plan",
                Plan,
                &[
                    "assay plan init minimal contract.toml",
                    "assay plan init --fs-kind lustre --nodes 64 --launcher srun --memory 256GiB",
                    "assay plan add iops contract.toml",
                    "assay plan check contract.toml",
                    "assay plan check contract.toml --rates assay-contract-20261124-101500",
                    "assay plan list",
                ],
            ),
            help(
                "lint",
                Lint,
                &["assay lint -- srun -N 4 ior -w -r -F -t 1m -b 4g", "assay lint --explain missing-persist"],
            ),
        ],
    },
    CommandGroup {
        title: "Campaigns",
        commands: &[
            help(
                "run",
                Campaign,
                &[
                    "assay run contract.toml --dir /scratch/you",
                    "assay run perlmutter-phase1 --scale small --dir /scratch/you",
                    "assay run contract.toml --dir /scratch/you --submit=slurm --print-batch",
                    "assay run --resume assay-contract-20261124-101500",
                    "assay run --extend assay-contract-20261124-101500 --repeat B.4 --reason 'node died'",
                ],
            ),
            help(
                "watch",
                Watch,
                &[
                    "assay watch /scratch/you/assay-contract-20261124-101500",
                    "assay watch --once /scratch/you/assay-contract-20261124-101500",
                ],
            ),
            help(
                "verify",
                Evidence,
                &[
                    "assay verify assay-contract-20261124-101500",
                    "assay verify contract.tar.gz --plan contract.toml",
                ],
            ),
            help(
                "judge",
                Verdict,
                &["assay judge assay-contract-20261124-101500", "assay judge contract.tar.gz"],
            ),
            help(
                "report",
                Report,
                &[
                    "assay report assay-contract-20261124-101500",
                    "assay report --csv contract.tar.gz",
                    "assay report --pdf contract.pdf contract.tar.gz",
                    "assay report --answers csv --sheet ior nfs scratch",
                ],
            ),
            help(
                "compare",
                Comparison,
                &[
                    "assay compare phase1.tar.gz phase2.tar.gz",
                    "assay compare before after --html upgrade.html --fail-below 95%",
                ],
            ),
            help(
                "index",
                Index,
                &[
                    "assay index phase1.tar.gz phase2.tar.gz",
                    "assay index assay-contract-20261124-101500 -o campaigns.html",
                ],
            ),
            help(
                "track",
                History,
                &[
                    "assay track add assay-contract-20261124-101500 contract.tar.gz",
                    "assay track add probes.csv --map time=epoch --set unit=MiB/s --set test=write",
                    "assay track list scratch1 write",
                    "assay track report -o pages",
                    "assay track show scratch1 write",
                    "assay track check --since 2026-11-25 --fall 10%",
                    "assay track export --format openmetrics -o /var/lib/node_exporter/assay.prom",
                ],
            ),
            help(
                "serve",
                Server,
                &[
                    "assay serve --campaigns /scratch/you",
                    "assay serve history.sqlite --listen 127.0.0.1:8080 --campaigns /scratch/you",
                ],
            ),
            help(
                "pack",
                Work,
                &[
                    "assay pack assay-contract-20261124-101500",
                    "assay pack assay-contract-20261124-101500 -o contract.tar.gz",
                ],
            ),
            help(
                "witness",
                Work,
                &[
                    "assay witness --listen 0.0.0.0:7117",
                    "assay witness --listen 0.0.0.0:7117 --log contract.witness.jsonl",
                ],
            ),
            help(
                "datasets",
                Work,
                &["assay datasets /scratch/you", "assay datasets --remove /scratch/you stream"],
            ),
        ],
    },
    CommandGroup {
        title: "Workloads",
        commands: &[
            help("ior", Work, &[]),
            help("mdtest", Work, &[]),
            help("md-workbench", Work, &[]),
            help("fdtree", Work, &[]),
            help("flash-io", Work, &[]),
            help("ls-lr", Work, &[]),
            help("io500", Work, &["assay -n 4 io500 config.ini"]),
            help("pfind", Work, &[]),
            help(
                "mpi-io",
                Cases,
                &[
                    "assay mpi-io --launch 'mpirun -n 4' /scratch/you",
                    "assay -n 4 mpi-io --only 'posix.*' /scratch/you",
                ],
            ),
            help(
                "quota",
                Quota,
                &[
                    "assay -n 4 quota /scratch/you",
                    "assay -n 4 quota --of project --as 1000:1000 /scratch/project",
                    "srun -n 64 assay quota --limit 1TiB --used 200GiB /lustre/you",
                ],
            ),
            help(
                "age",
                Work,
                &[
                    "assay -n 8 age /scratch/you/aged --blocks 80% --inodes 20% --cycles 2",
                    "assay age --remove /scratch/you/aged",
                ],
            ),
        ],
    },
    CommandGroup {
        title: "System",
        commands: &[
            help("backends", Work, &["assay backends", "mpirun -n 1 assay backends"]),
            help("links", Work, &["assay links /usr/local/bin", "assay links --help"]),
            help("completions", Work, &["assay completions bash", "assay completions zsh"]),
            help("man", Work, &["assay man", "assay man run", "assay man --all /usr/local/share/man/man1"]),
        ],
    },
];

/// The command line of `assay` with the help of all its commands.
pub(super) fn command() -> Command {
    let mut command = Assay::command();
    let mut groups = String::new();
    for CommandGroup { title, commands } in GROUPS {
        let _ = writeln!(groups, "{title}:");
        for help in *commands {
            let about = command.find_subcommand(help.name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(groups, "  {:<12} {about}", help.name);
        }
        groups.push('\n');
    }
    for help in GROUPS.iter().flat_map(|group| group.commands) {
        command = command.mut_subcommand(help.name, |own| {
            let more = own.get_after_help().map(|text| format!("{text}\n\n")).unwrap_or_default();
            own.after_long_help(more + &below(help))
        });
    }
    let template = "{about-with-newline}
{usage-heading} {usage}

"
    .to_owned()
        + &groups
        + "Options:
{options}{after-help}";
    command.help_template(template).after_long_help(OVERALL)
}

/// What `assay --help` has below its options.
const OVERALL: &str = "Examples:
  assay try /scratch/you                          a small complete campaign
  assay -n 4 ior -w -r -t 1m -b 64m -o testFile   the classic ior, with 4 local ranks
  mpirun -n 4 assay ior -w -r -t 1m -b 64m -o testFile
  assay run contract.toml --dir /scratch/you      a campaign of your own

Exit status:
  0  done; all clauses PASS
  1  a clause is FAIL, or a case of mpi-io failed
  2  wrong usage, or a rejected plan
  3  a clause is INVALID, INCONCLUSIVE or NOT RUN; evidence does not verify; a finding is not waived
  4  an error of the program or of I/O, or wrong data in a workload
  5  a file system of the campaign is full or read-only; resume it later

`assay COMMAND --help` shows the options and examples of one command.";

/// Examples and exit statuses of one command.
fn below(help: &CommandHelp) -> String {
    let mut text = String::new();
    if !help.examples.is_empty() {
        text.push_str("Examples:\n");
        help.examples.iter().for_each(|example| text += &format!("  {example}\n"));
        text.push('\n');
    }
    text.push_str("Exit status:");
    help.exit.rows().iter().for_each(|row| text += &format!("\n  {row}"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::documents::shell_words;

    #[test]
    fn every_command_is_in_one_group() {
        let mut listed: Vec<&str> =
            GROUPS.iter().flat_map(|group| group.commands).map(|help| help.name).collect();
        let command = Assay::command();
        let mut known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        listed.sort_unstable();
        known.sort_unstable();
        assert_eq!(listed, known);
    }

    #[test]
    fn every_example_is_a_command_line() {
        let all = GROUPS.iter().flat_map(|group| group.commands);
        for example in all.flat_map(|help| help.examples).filter(|example| example.starts_with("assay ")) {
            let words = shell_words(example).remove(0);
            let parsed = super::command().try_get_matches_from(words);
            let is_help = |error: &clap::Error| error.kind() == clap::error::ErrorKind::DisplayHelp;
            assert!(parsed.as_ref().err().is_none_or(is_help), "{example}: {parsed:?}");
        }
    }

    #[test]
    fn each_line_of_the_overview_is_short() {
        for line in command().render_help().to_string().lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
        for own in command().get_subcommands() {
            let about = own.get_about().map(ToString::to_string).unwrap_or_default();
            assert!((10..72).contains(&about.chars().count()) && !about.ends_with('.'), "{about}");
        }
    }
}
