//! `assay backends`: what can be tested here, and with which library.
//!
//! A library is asked for its version in a process of its own, which has to end soon: whatever a foreign
//! library does there, the list goes on.

use std::fmt::Write as _;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use ranks::mpi;
use storage::LIBRARIES;
use storage::libraries::{self, FoundLibrary, LibraryKind};
use units::Usage;

use crate::session::launch;
use crate::speech::say;
use crate::status::DONE;

/// How long a library may take to say what it is.
const PATIENCE: Duration = Duration::from_secs(10);
/// How the lines begin that a probe answers with; libraries may print what they like.
const ANSWER: &str = "assay-probe\t";
/// The name of MPI, which is looked for otherwise than the others.
const MPI: &str = "MPI";

/// List the I/O backends and the MPI, HDF5 and PnetCDF libraries found
///
/// Under mpirun, rank 0 lists the libraries that its ranks would use.
#[derive(clap::Args)]
#[command(after_help = variables())]
pub(crate) struct BackendsArgs {
    /// Say what one library is, as this command asks itself in a process of its own
    #[arg(long, value_name = "KIND", hide = true)]
    probe: Option<String>,
    /// Where that library is; not for MPI, which is looked for
    #[arg(requires = "probe", hide = true)]
    path: Option<PathBuf>,
}

pub(crate) fn run(args: BackendsArgs) -> anyhow::Result<u8> {
    if let Some(kind) = args.probe {
        say(&answer(&kind, args.path.as_deref())?)?;
        return Ok(DONE);
    }
    // What a launcher starts many times says it once.
    if launch().is_some_and(|launch| launch.rank != 0) {
        return Ok(DONE);
    }
    let mut text = String::from("Backends\n");
    for backend in storage::BACKENDS {
        writeln!(text, "  {:<10} {}", backend.name.to_uppercase(), backend.about)?;
        for option in backend.options {
            writeln!(text, "  {:<10}   --{}.{}: {}", "", backend.name, option.name, option.about)?;
        }
    }
    text.push_str("\nLibraries\n");
    let mpi: Result<[String; 3], String> =
        ask(MPI, None).and_then(|answer| answer.try_into().map_err(|_| "does not tell".to_owned()));
    let running = match mpi {
        Ok([path, name, version]) => {
            entry(
                &mut text,
                MPI,
                &path,
                &format!("{version} ({name}), as this is started; mpirun may bring another"),
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

/// The variables that lead to libraries.
fn variables() -> String {
    let mut text = String::from("Variables that name a library, or its folder, and end the search there:\n");
    let mpi = (mpi::LIBRARY_VARIABLE, MPI, &mpi::HOMES[..]);
    let kinds = LIBRARIES.iter().map(|kind| (kind.variable, kind.name, kind.homes));
    let all: Vec<_> = std::iter::once(mpi).chain(kinds).collect();
    for (variable, name, _) in &all {
        text.push_str(&format!("  {variable:<22} {name}\n"));
    }
    text.push_str("Variables of sites and modules that say where it is installed:\n");
    for (_, name, homes) in &all {
        text.push_str(&format!("  {name:<22} {}\n", homes.join(", ")));
    }
    text
}

/// A library and, below it, what it is.
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
        let version = match ask(kind.name, Some(&found.path)) {
            Ok(answer) => answer.join(" "),
            Err(why) => format!("version unknown: {why}"),
        };
        entry(
            text,
            kind.name,
            &found.path.display().to_string(),
            &format!("{version}; {}", usable(&found, running)),
        )?;
    }
    Ok(())
}

/// Whether ranks on the MPI that was found can use it.
fn usable(found: &FoundLibrary, running: Option<&str>) -> String {
    match (&found.mpi, running) {
        (None, _) => "built without MPI: not usable".to_owned(),
        (Some(built), None) => format!("built on {built}, and no MPI was found: not usable"),
        (Some(built), Some(running)) if built == running => format!("built on {built}: usable"),
        (Some(built), Some(running)) => {
            format!("built on {built}: not usable with {running}, only with its own mpirun")
        }
    }
}

/// What a library says of itself, line by line, from a process of its own.
fn ask(kind: &str, path: Option<&Path>) -> Result<Vec<String>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    // The name decides what the program is.
    let mut command = Command::new(program);
    command.arg0("assay").args(["backends", "--probe", kind]).args(path);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let said = child.stdout.take().map(|mut stream| thread::spawn(move || all_of(&mut stream)));
    let complained = child.stderr.take().map(|mut stream| thread::spawn(move || all_of(&mut stream)));
    let ended = wait(&mut child)?;
    let text = |thread: Option<thread::JoinHandle<String>>| {
        thread.and_then(|thread| thread.join().ok()).unwrap_or_default()
    };
    let (said, complained) = (text(said), text(complained));
    let answer: Vec<String> =
        said.lines().filter_map(|line| line.strip_prefix(ANSWER)).map(str::to_owned).collect();
    let reason = complained.lines().find_map(|line| line.strip_prefix("assay: "));
    match (answer.is_empty(), reason) {
        (false, _) => Ok(answer),
        (true, Some(reason)) => Err(reason.to_owned()),
        (true, None) => Err(format!("asking it ended with {ended}")),
    }
}

fn all_of(stream: &mut dyn Read) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// How the process ended; one that does not is killed.
fn wait(child: &mut Child) -> Result<String, String> {
    let begin = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.to_string()),
            Ok(None) if begin.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(2)),
            Ok(None) => {
                let _ = child.kill().and_then(|()| child.wait());
                return Err(format!("it did not answer within {} s", PATIENCE.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

/// The probe's part: loads a library and says what it is.
fn answer(kind: &str, path: Option<&Path>) -> Result<String, Usage> {
    let lines = match (LIBRARIES.iter().find(|known| known.name == kind), path) {
        (Some(kind), Some(path)) => vec![(kind.version)(path).map_err(Usage)?],
        (None, None) if kind == MPI => {
            let library = mpi::find(crate::session::launch().as_ref(), &|name| std::env::var(name).ok())?;
            let name = libraries::loaded_mpi().unwrap_or_default();
            vec![library.path.display().to_string(), name, mpi::version(library)]
        }
        _ => return Err(Usage(format!("--probe {kind}: there is no such library to be asked"))),
    };
    Ok(lines.iter().map(|line| format!("{ANSWER}{line}\n")).collect())
}
