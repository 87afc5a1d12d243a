//! The table of commands, one file each.

mod backends;
mod datasets;
mod judge;
mod links;
mod lint;
mod pack;
mod paper;
mod plan;
mod report;
mod run;
mod submit;
mod try_campaign;
mod verify;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use crate::personalities::{self, named};
use crate::speech::complain;

/// Settles whether a parallel file system does what the contract says, and proves it.
///
/// Exit status: 0 done, or all clauses passed; 1 failed; 2 wrong usage; 3 undecided.
#[derive(Parser)]
#[command(name = "assay", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Assay {
    /// Local ranks, as threads of this process; under mpirun or srun the ranks are MPI's
    #[arg(short = 'n', value_name = "RANKS")]
    ranks: Option<u32>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Try(try_campaign::TryArgs),
    Run(run::RunArgs),
    Judge(judge::JudgeArgs),
    Report(report::ReportArgs),
    Verify(verify::VerifyArgs),
    Pack(pack::PackArgs),
    Plan(plan::PlanArgs),
    Datasets(datasets::DatasetsArgs),
    Backends(backends::BackendsArgs),
    Links(links::LinksArgs),
    Lint(lint::LintArgs),
    Completions(paper::Completions),
    Man(paper::Man),
    /// One workload with the options and the output of the classic `ior` (`assay ior -h` lists them)
    #[command(disable_help_flag = true)]
    Ior(Classic),
    /// A tree of directories and files made and removed, as the classic `fdtree` does it (`assay fdtree -h`)
    #[command(disable_help_flag = true)]
    Fdtree(Classic),
    /// A checkpoint and two plot files, with the options and the output of FLASH-IO (`assay flash-io -h`)
    #[command(disable_help_flag = true, visible_alias = "flash_benchmark_io")]
    FlashIo(Classic),
    /// Many `ls -lR` at once, each in a large tree of its own (`assay ls-lr --help` lists the options)
    #[command(disable_help_flag = true)]
    LsLr(Classic),
    Age(personalities::age::AgeArgs),
    /// Operations on names, with the options and the output of the classic `mdtest` (`assay mdtest -h`)
    #[command(disable_help_flag = true)]
    Mdtest(Classic),
    MpiIo(personalities::mpi_io::MpiIoArgs),
}

/// The words of a classic program, which it reads itself.
#[derive(clap::Args)]
struct Classic {
    /// Options of the classic program
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    tokens: Vec<String>,
}

/// Runs the command line `argv` and gives the exit status. Under the name of a classic program this
/// is that program.
pub(crate) fn run(argv: &[String]) -> u8 {
    if let Some(classic) = argv.first().and_then(|program| named(program)) {
        return (classic.run)(argv, &argv[1..], None);
    }
    let assay = match Assay::try_parse_from(argv) {
        Ok(assay) => assay,
        Err(error) => return rejected(&error, argv),
    };
    let ranks = assay.ranks;
    let done = match assay.command {
        Command::Fdtree(classic) => return personalities::fdtree::run(argv, &classic.tokens, ranks),
        Command::FlashIo(classic) => return personalities::flash_io::run(argv, &classic.tokens, ranks),
        Command::Ior(classic) => return personalities::ior::run(argv, &classic.tokens, ranks),
        Command::LsLr(own) => return personalities::ls_lr::run(argv, &own.tokens, ranks),
        Command::Age(args) => return personalities::age::run(argv, args, ranks),
        Command::MpiIo(args) => return personalities::mpi_io::run(argv, args, ranks),
        Command::Mdtest(classic) => return personalities::mdtest::run(argv, &classic.tokens, ranks),
        _ if let Some(ranks) = ranks => Err(units::Usage(format!(
            "-n {ranks} is for workloads (assay -n {ranks} ior ...); leave it out here"
        ))
        .into()),
        Command::Try(args) => try_campaign::run(args, argv),
        Command::Run(args) => run::run(args, argv),
        Command::Judge(args) => judge::run(args),
        Command::Report(args) => report::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Pack(args) => pack::run(args),
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
            complain(&format!("assay: {error:#}"));
            if error.is::<units::Usage>() { 2 } else { 1 }
        }
    }
}

/// Prints the help that was asked for, or what is wrong with the words, and gives the exit status.
fn rejected(error: &clap::Error, argv: &[String]) -> u8 {
    let help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || help {
        // A reader of the help that has gone away is no failure.
        let _ = error.print();
        return if error.use_stderr() { 2 } else { 0 };
    }
    let is_command = error.kind() == ErrorKind::UnknownArgument
        && argv.get(1).is_some_and(|word| word == "lint")
        && !argv.iter().any(|word| word == "--");
    let hint = if is_command { "; the command stands behind `--`: assay lint -- ior -w" } else { "" };
    complain(&format!("assay: {}{hint}", one_line(&error.to_string())));
    2
}

/// What clap says in paragraphs: what is wrong, sometimes a tip, and the usage.
fn one_line(text: &str) -> String {
    let said = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("For more"));
    let mut line = String::new();
    for part in said {
        let part = part.strip_prefix("error: ").unwrap_or(part);
        match part.split_once(": ") {
            Some((word @ ("tip" | "Usage"), rest)) => line += &format!("; {}: {rest}", word.to_lowercase()),
            _ if line.is_empty() => line += part,
            _ => line += &format!(" {part}"),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn what_is_wrong_with_the_words_is_one_line() {
        for (words, line) in [
            ("run", "the following required arguments were not provided: <PLAN>; usage: assay run <PLAN>"),
            ("age", "the following required arguments were not provided: <DIR>; usage: assay age <DIR>"),
            (
                "judge --foo",
                "unexpected argument '--foo' found; tip: to pass '--foo' as a value, use '-- --foo'; usage: \
                 assay judge <FOLDER>",
            ),
        ] {
            let words = ["assay"].into_iter().chain(words.split(' '));
            let error = Assay::try_parse_from(words).err().expect(line);
            assert_eq!(one_line(&error.to_string()), line);
        }
    }

    #[test]
    fn the_command_line_is_sound_and_every_personality_has_its_command() {
        Assay::command().debug_assert();
        for personality in personalities::PERSONALITIES {
            assert!(Assay::command().find_subcommand(personality.name).is_some(), "{}", personality.name);
        }
    }
}
