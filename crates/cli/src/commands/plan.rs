//! `assay plan`: the bundled plans, and the check of a plan.

mod add;
mod ask;
pub(super) mod bundled;
#[cfg(test)]
mod corpus_tests;
mod init;
mod jobs;
mod power;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use command::WorkloadName;
use plan::launcher::LaunchKind;
use plan::line::Line;
use plan::schedule::{self, PlannedJob, Purpose};
use plan::{Choice, Criterion, Goal, Placement, Plan, PlanErrors, State, Test};
use units::{Usage, bytes_binary, several, utf8_text, visible};

use self::bundled::BundledPlan;
use super::lint;
use crate::personalities::{self, LineEffect};
use crate::session::RankStart;
use crate::speech::say;
use crate::status::{DONE, USAGE};

/// Check, create or print a plan
#[derive(clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct PlanArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Check a plan and print its jobs and their probable duration; nothing is run
    ///
    /// The duration comes from the rates and times that the plan states: thresholds, --rate, deadlines and
    /// minimum times. With --rates it comes from an earlier campaign. What is not known is listed as unknown.
    ///
    /// A plan with a lint error ends with exit status 2, because `assay run` rejects it.
    Check {
        /// The plan: a TOML file, or the name of a bundled plan
        #[arg(value_name = "PLAN")]
        plan: PathBuf,
        #[command(flatten)]
        values: Values,
        #[command(flatten)]
        variability: power::Variability,
        /// Estimate durations from the times and rates of this earlier campaign, where it has them
        #[arg(long, value_name = "FOLDER")]
        rates: Option<PathBuf>,
    },
    /// Append a commented clause to a plan
    ///
    /// Where the plan has a parameter such as `block`, the clause uses it. The thresholds are examples.
    Add {
        /// The kind of clause
        #[arg(value_name = "KIND", value_enum)]
        kind: add::ClauseKind,
        /// The plan: a TOML file
        #[arg(value_name = "PLAN")]
        plan: PathBuf,
        /// The id of the clause [default: the next free C.N]
        #[arg(long, value_name = "ID")]
        id: Option<String>,
        /// The threshold with its unit, such as `3 TB/s` [default: an example]
        #[arg(long, value_name = "VALUE")]
        value: Option<String>,
        /// The file system, if the plan has several
        #[arg(long, value_name = "NAME")]
        fs: Option<String>,
    },
    /// Write a plan to start from, and the JSON schema for editors; nothing is overwritten
    ///
    /// Without NAME the plan is made from five answers: file system, nodes, launcher, memory and clauses. On
    /// a terminal they are asked for.
    Init {
        /// `minimal`, or the name of a bundled plan
        #[arg(value_name = "NAME")]
        name: Option<String>,
        /// The file to write [default: NAME.toml or plan.toml, here]
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Without NAME: the file to write
        #[arg(long, value_name = "FILE", conflicts_with = "name")]
        out: Option<PathBuf>,
        #[command(flatten)]
        answers: ask::Answers,
    },
    /// List the bundled plans by who would use them
    List,
    /// Print the JSON schema of plans, for editors
    Schema,
    /// Print a bundled plan
    Show {
        /// A name from `assay plan list`
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// Values of a plan's parameters.
#[derive(clap::Args)]
pub(super) struct Values {
    /// Use the values of [scale.NAME] in the plan, such as those for a small machine
    #[arg(long, value_name = "NAME")]
    scale: Option<String>,
    /// Set a parameter of the plan; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = one_value)]
    set: Vec<(String, String)>,
}

/// `NAME=VALUE`.
pub(super) fn one_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

impl Values {
    /// The chosen values.
    pub(super) fn choice(&self) -> Choice {
        Choice { scale: self.scale.clone(), set: self.set.iter().cloned().collect(), ..Choice::default() }
    }

    /// Whether no value was chosen.
    pub(super) fn is_empty(&self) -> bool {
        self.scale.is_none() && self.set.is_empty()
    }
}

pub(crate) fn run(args: PlanArgs) -> Result<u8> {
    let mut status = DONE;
    let text = match args.action {
        Action::Check { plan, values, variability, rates } => {
            let plan = load(&plan, &values.choice())?;
            let jobs = schedule::jobs(&plan, &[])?;
            let earlier = jobs::earlier(rates.as_deref())?;
            let (found, is_grave) = lint::of_plan(&plan)?;
            status = if is_grave { USAGE } else { DONE };
            summary(&plan, &jobs)?
                + &jobs::table(&plan, &jobs, &earlier)
                + &power::table(&plan, &variability)?
                + &found
        }
        Action::List => bundled::list()?,
        Action::Add { kind, plan, id, value, fs } => {
            add::add(kind, &plan, &add::AddRequest { id, value, fs })?
        }
        Action::Init { name: Some(name), file, .. } => init::init(&name, file)?,
        Action::Init { name: None, out, answers, .. } => init::from_answers(answers, out)?,
        Action::Schema => init::schema()?,
        Action::Show { name } => bundled::named(&name)?.text.to_owned(),
    };
    say(&text)?;
    Ok(status)
}

/// Reads and checks the plan of a campaign that was started before.
pub(super) fn load_recorded(path: &Path, choice: &Choice) -> Result<Plan> {
    loaded(path, |text, name| Ok(Plan::recorded(text, name, choice)?))
}

/// Reads and checks the plan at `path`, or the bundled plan with this name, with all its command lines.
pub(super) fn load(path: &Path, choice: &Choice) -> Result<Plan> {
    loaded(path, |text, name| Ok(Plan::check(text, name, choice)?))
}

/// The plan that `read` makes of a text and the name of its file.
fn loaded(path: &Path, read: impl Fn(&str, &str) -> Result<Plan>) -> Result<Plan> {
    let bundled = path.to_str().filter(|_| !path.is_file()).and_then(bundled::find);
    let name = bundled.map_or_else(|| path.display().to_string(), BundledPlan::file);
    let text = match bundled {
        Some(bundled) => bundled.text.to_owned(),
        None => {
            let bytes = fs::read(path).map_err(|error| {
                Usage(format!(
                    "{name}: {error}. Give the file of a plan, or a bundled plan{}",
                    bundled::hint(&name, &[])
                ))
            })?;
            utf8_text(bytes).map_err(|error| Usage(format!("{name}:{error}")))?
        }
    };
    check_lines(read(&text, &name)?, &name)
}

/// The plan of the file `name`, if the program accepts all its command lines.
fn check_lines(plan: Plan, name: &str) -> Result<Plan> {
    let mut errors: Vec<((usize, usize), Usage)> = Vec::new();
    let mut note = |(row, column), who: &str, why: &str| {
        errors.push(((row, column), Usage(format!("{name}:{row}:{column}: {who}: {why}"))));
    };
    let datasets = plan.datasets.iter().map(|made| {
        let words = made.line.words().to_vec();
        (made.job(), &made.line, words, made.placement.ranks, made.at, &plan.launch)
    });
    let tests = plan.tests.iter().map(|test| {
        let (words, launch) = (arguments(&plan, test), plan.launch_of(test));
        (format!("test {}", test.id), &test.line, words, test.placement.ranks, test.at, launch)
    });
    for (who, line, words, ranks, at, launch) in datasets.chain(tests) {
        let words = [words, line.place()].concat();
        if let Err(why) = check_job(line, &words, ranks, launch.kind == LaunchKind::Local) {
            note(at, &who, &why.to_string());
        }
    }
    for state in plan.states.iter().filter(|state| state.is_made()) {
        if let Err(why) = personalities::age::check_state(state.words()) {
            note(state.at, &state.job(), &why.to_string());
        }
    }
    errors.sort_by_key(|(at, _)| *at);
    // Each step of a series has the errors of its command line again.
    errors.dedup_by_key(|(at, _)| *at);
    let errors: Vec<Usage> = errors.into_iter().map(|(_, error)| error).collect();
    if errors.is_empty() { Ok(plan) } else { Err(PlanErrors::of(errors).into()) }
}

/// Rejects a command line that would end its job with wrong usage. Only the machine that runs the job knows
/// what else it lacks; local ranks run on this one.
fn check_job(line: &Line, words: &[String], ranks: u32, is_local: bool) -> Result<(), Usage> {
    let start = match is_local {
        true => RankStart { launched: None, local: Some(ranks) },
        false => RankStart { launched: Some(ranks), local: None },
    };
    // A program of others has its own rules.
    let Some(workload) = WorkloadName::named(line.workload()) else { return Ok(()) };
    if personalities::check(workload, words, start)? == LineEffect::Prints {
        return Err(Usage::new(personalities::PRINTS));
    }
    if is_local && workload == WorkloadName::Ior {
        personalities::ior::check_here(words, start)
    } else {
        Ok(())
    }
}

/// The arguments of a test. Values that earlier tests export are replaced by the largest possible ones.
fn arguments(plan: &Plan, test: &Test) -> Vec<String> {
    let mut words = test.line.words().to_vec();
    for import in &test.imports {
        let most = plan.tests[import.test].line.as_ior().map_or(0, |line| line.bytes(1)).to_string();
        let mark = format!("${{{}}}", import.name);
        words.iter_mut().for_each(|word| *word = word.replace(&mark, &most));
    }
    words
}

/// A summary of the plan in a few lines.
fn summary(plan: &Plan, jobs: &[PlannedJob]) -> Result<String> {
    let mut lines = vec![format!("{}: {}", plan.id, plan.title)];
    let if_any = |number: usize, noun: &str| match number {
        0 => String::new(),
        number => format!(", {}", several(number as u64, noun)),
    };
    let (clauses, states) = (if_any(plan.clauses.len(), "clause"), if_any(plan.states.len(), "state"));
    lines.push(format!(
        "{}{clauses}, {}, {}{states}, {}",
        several(plan.tests.len() as u64, "test"),
        several(plan.criteria().count() as u64, "criterion"),
        several(plan.datasets.len() as u64, "dataset"),
        several(jobs.len() as u64, "job")
    ));
    for (fs, need) in schedule::needs(jobs) {
        let (all, peak) = (bytes_binary(need.written_bytes as f64), bytes_binary(need.peak_bytes as f64));
        let dir = plan.file_systems.get(&fs).map_or("", |fs| fs.dir.as_str());
        let dir = dir.replace("{dir}", "the DIR given with --dir");
        let names = format!("{} files and directories", need.peak_names);
        lines.push(format!(
            "fs.{fs}: writes at most {all} in total, {peak} at a time, in at most {names}, in {dir}"
        ));
        let made = |state: &&State| state.fs == fs && jobs.iter().any(|job| job.test == state.job());
        for state in plan.states.iter().filter(made) {
            let (name, words) = (state.job(), state.words().join(" "));
            lines.push(format!("fs.{fs}: in addition, {name} fills it: {words}"));
        }
    }
    let rules = node_rules(plan).into_iter().chain(shares(plan)).chain(randomized_orders(plan, jobs));
    for (who, rule) in rules {
        lines.push(format!("{who}: {rule}"));
    }
    let launch = run::launch::description(&plan.launch, &plan.clients, jobs);
    lines.push(format!("ranks are started {launch}"));
    Ok(lines.iter().map(|line| format!("{}\n", visible(line))).collect())
}

/// The results of rules for nodes, for tests and datasets.
fn node_rules(plan: &Plan) -> Vec<(String, String)> {
    let datasets = plan.datasets.iter().map(|dataset| (dataset.job(), &dataset.placement));
    let tests = plan.tests.iter().map(|test| (format!("test {}", test.id), &test.placement));
    let rule = |(who, placement): (String, &Placement)| {
        let (rule, ranks) = (placement.rule.as_ref()?, several(placement.ranks.into(), "rank"));
        Some((who, format!("{rule}, {ranks}")))
    };
    datasets.chain(tests).filter_map(rule).collect()
}

/// The thresholds of criteria that are a share of a known number.
fn shares(plan: &Plan) -> impl Iterator<Item = (String, String)> {
    let of_tests = plan.tests.iter().map(|test| (format!("test {}", test.id), &test.criteria));
    let of_groups = plan.groups.iter().map(|group| (format!("group {}", group.id), &group.criteria));
    of_tests.chain(of_groups).flat_map(|(who, criteria)| {
        let is_share = |criterion: &&Criterion| {
            matches!(criterion.goal, Goal::Value(_)) && criterion.written.contains(" of ")
        };
        let shares = criteria.iter().filter(is_share);
        shares.map(move |Criterion { metric, op, written, .. }| {
            (who.clone(), format!("{metric} {op} {written}"))
        })
    })
}

/// The largest number of jobs of an order that are listed.
const LISTED: usize = 12;

/// The randomized orders of jobs, by the ids of their tests.
fn randomized_orders(plan: &Plan, jobs: &[PlannedJob]) -> Vec<(String, String)> {
    let mut orders: Vec<(&str, Vec<String>)> = Vec::new();
    for job in jobs {
        let Purpose::Test(index) = job.purpose else { continue };
        let test = &plan.tests[index];
        if job.test != test.id || !test.course.turns.is_some_and(|turns| turns.randomized) {
            continue;
        }
        let name = format!("{}-r{}", job.test, job.repetition);
        match orders.last_mut() {
            Some((family, all)) if *family == test.family => all.push(name),
            _ => orders.push((&test.family, vec![name])),
        }
    }
    let shown = |(family, all): (&str, Vec<String>)| {
        let more = all.len().saturating_sub(LISTED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let listed: Vec<&str> = all.iter().take(LISTED).map(String::as_str).collect();
        (family.to_owned(), format!("randomized order: {}{more}", listed.join(", ")))
    };
    orders.into_iter().map(shown).collect()
}
