//! `assay backends`: lists the backends and the libraries that were found.
//!
//! A library is queried for its version in a separate process with a time limit, so that a faulty library
//! cannot stop the list.

mod host;

use std::fmt::Write as _;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ranks::mpi;
use run::bounded;
use storage::LIBRARIES;
use storage::libraries::{self, FoundLibrary, LibraryKind};
use units::Usage;

use crate::session::launch;
use crate::speech::say;
use crate::status::DONE;

/// The time limit for the query of a library.
const PATIENCE: Duration = Duration::from_secs(10);
/// The beginning of each line of an answer. Libraries may print other lines.
const ANSWER: &str = "assay-probe\t";
/// The name of MPI, which is searched in another way than the other libraries.
const MPI: &str = "MPI";

/// List the I/O backends and the libraries found
///
/// Under mpirun, rank 0 lists the libraries that its ranks would use.
#[derive(clap::Args)]
#[command(after_help = variables())]
pub(crate) struct BackendsArgs {
    /// Query one library; this command starts itself with this option
    #[arg(long, value_name = "KIND", hide = true, group = "query")]
    probe: Option<String>,
    /// Report the facts of this host, with this launcher; a campaign starts this on each host of its plan
    #[arg(long, value_name = "LAUNCHER", hide = true, group = "query")]
    host_facts: Option<PathBuf>,
    /// The folder with copied files
    #[arg(long, value_name = "DIR", hide = true, requires = "host_facts")]
    copied: Option<PathBuf>,
    /// The path of the library, but not of MPI, which is searched; or the directories under test
    #[arg(requires = "query", hide = true)]
    path: Vec<PathBuf>,
}

pub(crate) fn run(args: BackendsArgs) -> anyhow::Result<u8> {
    if let Some(kind) = args.probe {
        say(&answer(&kind, args.path.first().map(PathBuf::as_path))?)?;
        return Ok(DONE);
    }
    if let Some(launcher) = args.host_facts {
        let facts = host::facts(&launcher, args.copied.as_deref(), &args.path)?;
        say(&format!("{}{}\n", run::hosts::ANSWER, serde_json::to_string(&facts)?))?;
        return Ok(DONE);
    }
    // Only rank 0 of a job prints the list.
    if launch().is_some_and(|launch| launch.rank != 0) {
        return Ok(DONE);
    }
    let mut text = String::from("Backends\n");
    for backend in command::BACKENDS {
        writeln!(text, "  {:<10} {}", backend.name.to_uppercase(), backend.about)?;
        for option in backend.options {
            writeln!(text, "  {:<10}   --{}.{}: {}", "", backend.name, option.name, option.about)?;
        }
    }
    text.push_str("\nLibraries\n");
    let mpi: Result<[String; 3], String> =
        query(MPI, None).and_then(|answer| answer.try_into().map_err(|_| "unexpected answer".to_owned()));
    let running = match mpi {
        Ok([path, name, version]) => {
            entry(
                &mut text,
                MPI,
                &path,
                &format!("{version} ({name}), without a launcher; mpirun may lead to another"),
            )?;
            Some(name)
        }
        Err(why) => {
            writeln!(text, "  {MPI:<10} not found: {why}")?;
            None
        }
    };
    for kind in LIBRARIES {
        list(&mut text, kind, running.as_deref())?;
    }
    say(&text)?;
    Ok(DONE)
}

/// The environment variables that lead to libraries.
fn variables() -> String {
    let mut text = String::from(
        "Environment variables with the path of a library or its folder. Then no other is searched:\n",
    );
    let mpi = (mpi::LIBRARY_VARIABLE, MPI, &mpi::HOMES[..]);
    let kinds = LIBRARIES.iter().map(|kind| (kind.variable, kind.name, kind.homes));
    let all: Vec<_> = std::iter::once(mpi).chain(kinds).collect();
    for (variable, name, _) in &all {
        text.push_str(&format!("  {variable:<22} {name}\n"));
    }
    text.push_str("Environment variables of sites and modules with the installation folder:\n");
    for (_, name, homes) in all.iter().filter(|(.., homes)| !homes.is_empty()) {
        text.push_str(&format!("  {name:<22} {}\n", homes.join(", ")));
    }
    text
}

/// A library and, below it, its version.
fn entry(text: &mut String, name: &str, path: &str, what: &str) -> std::fmt::Result {
    writeln!(text, "  {name:<10} {path}")?;
    writeln!(text, "  {:<10}   {what}", "")
}

/// All libraries of a kind.
fn list(text: &mut String, kind: &LibraryKind, running: Option<&str>) -> std::fmt::Result {
    let found = kind.found();
    if found.is_empty() {
        return writeln!(text, "  {:<10} {}", kind.name, kind.missing());
    }
    for found in found {
        let version = match query(kind.name, Some(&found.path)) {
            Ok(answer) => answer.join(" "),
            Err(why) => format!("version unknown: {why}"),
        };
        entry(
            text,
            kind.name,
            &found.path.display().to_string(),
            &format!("{version}; {}", usable(kind, &found, running)),
        )?;
    }
    Ok(())
}

/// Whether ranks on the found MPI can use it.
fn usable(kind: &LibraryKind, found: &FoundLibrary, running: Option<&str>) -> String {
    match (&found.mpi, running) {
        _ if !kind.is_on_mpi => "usable".to_owned(),
        (None, _) => "built without MPI: not usable".to_owned(),
        (Some(built), None) => format!("built on {built}, and no MPI was found: not usable"),
        (Some(built), Some(running)) if built == running => format!("built on {built}: usable"),
        (Some(built), Some(running)) => {
            format!("built on {built}: not usable with {running}, only with its own mpirun")
        }
    }
}

/// The answer of a library about itself, queried in a separate process.
fn query(kind: &str, path: Option<&Path>) -> Result<Vec<String>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    // Under the name of a classic program this would be that program.
    let mut command = Command::new(program);
    command.arg0("assay").args(["backends", "--probe", kind]).args(path);
    let ran = bounded::ended(&mut command, "", PATIENCE).map_err(|error| error.to_string())?;
    let answer: Vec<String> =
        ran.out.lines().filter_map(|line| line.strip_prefix(ANSWER)).map(str::to_owned).collect();
    let reason = ran.err.lines().find_map(|line| line.strip_prefix("assay: "));
    match (answer.is_empty(), reason) {
        (false, _) => Ok(answer),
        (true, Some(reason)) => Err(reason.to_owned()),
        (true, None) => Err(format!("the query ended with {}", ran.status)),
    }
}

/// The queried process: loads a library and prints its version.
fn answer(kind: &str, path: Option<&Path>) -> Result<String, Usage> {
    let lines = match (LIBRARIES.iter().find(|known| known.name == kind), path) {
        (Some(kind), Some(path)) => vec![(kind.version)(path).map_err(Usage)?],
        (None, None) if kind == MPI => {
            let library = mpi::find(crate::session::launch().as_ref(), &|name| std::env::var(name).ok())?;
            let name = libraries::loaded_mpi().unwrap_or_default();
            vec![library.path.display().to_string(), name, mpi::version(library)]
        }
        _ => return Err(Usage(format!("--probe {kind}: unknown library"))),
    };
    Ok(lines.iter().map(|line| format!("{ANSWER}{line}\n")).collect())
}
