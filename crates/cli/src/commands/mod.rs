//! The table of commands, one file each.

mod run;
mod try_campaign;

use clap::{Parser, Subcommand};

/// Settles whether a parallel file system does what the contract says, and proves it.
#[derive(Parser)]
#[command(name = "assay", version, about, max_term_width = 100)]
pub(crate) struct Assay {
    /// Local ranks, as threads of this process; under mpirun or srun the ranks are MPI's.
    #[arg(short = 'n', value_name = "RANKS")]
    ranks: Option<u32>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Try(try_campaign::Args),
    Run(run::Args),
}

/// Runs the command line `argv` and gives the exit status.
pub(crate) fn run(argv: &[String]) -> u8 {
    let assay = match Assay::try_parse_from(argv) {
        Ok(assay) => assay,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { 2 } else { 0 };
        }
    };
    let _ = assay.ranks;
    let done = match assay.command {
        Command::Try(args) => try_campaign::run(args, argv),
        Command::Run(args) => run::run(args, argv),
    };
    match done {
        Ok(status) => status,
        Err(error) if error.is::<units::Usage>() => {
            eprintln!("assay: {error:#}");
            2
        }
        Err(error) => {
            eprintln!("assay: {error:#}");
            1
        }
    }
}
