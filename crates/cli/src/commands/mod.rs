//! The table of commands, one file each.

mod aligned;
mod backends;
mod compare;
mod datasets;
#[cfg(test)]
mod documents;
mod help;
mod index;
mod judge;
mod links;
mod lint;
mod notes;
mod output_file;
mod pack;
mod paper;
mod plan;
mod report;
mod run;
mod serve;
mod terminal;
mod track;
mod try_campaign;
mod user;
mod verify;
mod watch;
mod witness;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgMatches, FromArgMatches, Parser, Subcommand};
use command::{WORKLOADS, Workload, WorkloadName};

use crate::personalities::{self, named};
use crate::session::launch;
use crate::speech::complain;
use crate::status::{DONE, ERROR, USAGE};

/// Tests whether a parallel file system does what the contract says, and proves it
#[derive(Parser)]
#[command(name = "assay", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Assay {
    /// Local ranks of a workload, as threads; leave it out under mpirun or srun
    #[arg(short = 'n', value_name = "RANKS")]
    ranks: Option<u32>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Try(try_campaign::TryArgs),
    Run(Box<run::RunArgs>),
    Judge(judge::JudgeArgs),
    Report(report::ReportArgs),
    Watch(watch::WatchArgs),
    Verify(verify::VerifyArgs),
    Pack(pack::PackArgs),
    Compare(compare::CompareArgs),
    Index(index::IndexArgs),
    Track(track::TrackArgs),
    Serve(serve::ServeArgs),
    Witness(witness::WitnessArgs),
    Plan(plan::PlanArgs),
    Datasets(datasets::DatasetsArgs),
    Backends(backends::BackendsArgs),
    Links(links::LinksArgs),
    Lint(lint::LintArgs),
    Completions(paper::Completions),
    Man(paper::Man),
    #[command(flatten)]
    Classic(ClassicCommand),
    Age(command::age::AgeArgs),
    MpiIo(command::mpi_io::MpiIoArgs),
    Quota(command::quota::QuotaArgs),
}

/// A classic program, which has a parser of its own.
struct ClassicCommand {
    workload: WorkloadName,
    tokens: Vec<String>,
}

impl Subcommand for ClassicCommand {
    fn augment_subcommands(assay: clap::Command) -> clap::Command {
        let tokens = Arg::new("tokens")
            .num_args(0..)
            .trailing_var_arg(true)
            .allow_hyphen_values(true)
            .value_name("OPTIONS")
            .help("Options of the classic program");
        let row = |row: &Workload| {
            let command = clap::Command::new(row.names[0]).about(row.help);
            command.visible_aliases(&row.names[1..]).disable_help_flag(true).arg(tokens.clone())
        };
        assay.subcommands(WORKLOADS.iter().filter(|row| row.is_classic()).map(row))
    }

    fn augment_subcommands_for_update(assay: clap::Command) -> clap::Command {
        Self::augment_subcommands(assay)
    }

    fn has_subcommand(name: &str) -> bool {
        named(name).is_some()
    }
}

impl FromArgMatches for ClassicCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let (name, matches) = matches.subcommand().ok_or(clap::Error::new(ErrorKind::MissingSubcommand))?;
        let workload = named(name).ok_or(clap::Error::new(ErrorKind::InvalidSubcommand))?;
        let tokens = matches.get_many("tokens").map_or(Vec::new(), |all| all.cloned().collect());
        Ok(Self { workload, tokens })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Runs the command line `argv` and gives the exit status. Under the name of a classic program this
/// is that program.
pub(crate) fn run(argv: &[String]) -> u8 {
    if let Some(workload) = argv.first().and_then(|program| named(program)) {
        return personalities::run(workload, argv, &argv[1..], None);
    }
    let parsed = help::command().try_get_matches_from(argv);
    let assay = match parsed.and_then(|matches| Assay::from_arg_matches(&matches)) {
        Ok(assay) => assay,
        Err(error) => return unparsed(error, argv),
    };
    let ranks = assay.ranks;
    let done = match assay.command {
        Command::Classic(ClassicCommand { workload, tokens }) => {
            return personalities::run(workload, argv, &tokens, ranks);
        }
        Command::Age(args) => return personalities::age::run(argv, args, ranks),
        Command::MpiIo(args) => return personalities::mpi_io::run(argv, args, ranks),
        Command::Quota(args) => return personalities::quota::run(argv, args, ranks),
        _ if let Some(ranks) = ranks => Err(units::Usage(format!(
            "-n {ranks} is an option of workloads, such as `assay -n {ranks} ior`. Leave it out here."
        ))
        .into()),
        Command::Try(args) => try_campaign::run(args, argv),
        Command::Run(args) => run::run(*args, argv),
        Command::Judge(args) => judge::run(args),
        Command::Report(args) => report::run(args),
        Command::Watch(args) => watch::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Pack(args) => pack::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Index(args) => index::run(args),
        Command::Track(args) => track::run(args),
        Command::Serve(args) => serve::run(&args),
        Command::Witness(args) => witness::run(args),
        Command::Plan(args) => plan::run(args),
        Command::Datasets(args) => datasets::run(args),
        Command::Backends(args) => backends::run(args),
        Command::Links(args) => links::run(args),
        Command::Lint(args) => lint::run(args),
        Command::Completions(args) => paper::completions(args),
        Command::Man(args) => paper::man(args),
    };
    match done {
        Ok(status) => status,
        Err(error) => {
            if let Some(errors) = error.downcast_ref::<::plan::PlanErrors>() {
                errors.lines().iter().for_each(|line| complain(&format!("assay: {line}")));
                return USAGE;
            }
            complain(&format!("assay: {error:#}"));
            if error.is::<units::Usage>() { USAGE } else { ERROR }
        }
    }
}

/// Prints the help, or clap's error with its usage hint, on one rank of a job. Gives the exit status.
fn unparsed(mut error: clap::Error, argv: &[String]) -> u8 {
    let lints = argv.get(1).is_some_and(|word| word == "lint") && !argv.iter().any(|word| word == "--");
    if lints && error.kind() == ErrorKind::UnknownArgument {
        let tip = "put the command after `--`: assay lint -- ior -w".to_owned();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    if launch().is_none_or(|launch| launch.rank == 0) {
        // A reader of the help may close the pipe early.
        let _ = error.print();
    }
    if error.use_stderr() { USAGE } else { DONE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound_and_every_classic_program_has_its_command() {
        Assay::command().debug_assert();
        for (_, name) in personalities::programs() {
            assert!(Assay::command().find_subcommand(name).is_some(), "{name}");
        }
    }
}
