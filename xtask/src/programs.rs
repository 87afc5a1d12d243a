//! The test programs: builds them with cargo and runs them.
//!
//! Programs that mostly wait run at the same time as the others.
//!
//! Invariant: every program that cargo built is run. A program that ends without a result counts as one
//! failed test.
//! Never here: the counts of tests.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::step::{cargo, log_path};
use crate::tally::Tally;

/// One test program.
pub(crate) struct Program {
    /// Package and target, such as `cli timed`.
    name: String,
    /// The directory of its package, which is its working directory.
    folder: PathBuf,
    path: PathBuf,
}

/// Programs with tests that mostly wait (for devices of known speed, daemons, deadlines), and the number of
/// tests that run at once. They run at the same time as all others. The complete set has tests that compare
/// rates, so there they run after the others, one test at a time.
const WAITING: &[(&str, usize)] = &[("cli timed", 4)];

/// The program that builds all packages in the complete set, mostly on one processor. There it runs at the
/// same time as the others.
const PACKING: &str = "xtask xtask";

/// Tests that run at once on two processors, in all other programs. They also wait: two at once use 60 % of
/// two processors.
const TESTS_ON_TWO: usize = 4;

/// Environment variables of the programs.
type Variables<'v> = [(&'v str, &'v OsStr)];

/// The variable that selects the complete set of tests.
pub(crate) const COMPLETE: &str = "ASSAY_TEST_ALL";

/// The longest time for one program. A program that takes longer hangs. In the complete set one program runs
/// all tests with real servers, one after the other.
const LIMIT: Duration = Duration::from_secs(7200);

/// Builds all test programs and lists them. The output of cargo goes to a log.
pub(crate) fn build(root: &Path) -> Result<Vec<Program>> {
    let log = log_path(root, "build")?;
    let words = ["test", "--workspace", "--no-run", "--message-format=json-render-diagnostics"];
    let built = cargo(root, &words).stderr(File::create(&log)?).output().context("cannot start cargo")?;
    if !built.status.success() {
        bail!("{}", std::fs::read_to_string(&log)?);
    }
    let text = String::from_utf8_lossy(&built.stdout).into_owned();
    let programs: Vec<Program> = text.lines().filter_map(program).collect();
    if programs.is_empty() {
        bail!("cargo built no test program");
    }
    Ok(programs)
}

/// The test program in a message of cargo, if it has one.
fn program(line: &str) -> Option<Program> {
    let message: Value = serde_json::from_str(line).ok()?;
    let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
    let path = message["executable"].as_str().filter(|_| is_test)?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let package = folder.file_name()?.to_string_lossy();
    let name = format!("{package} {}", message["target"]["name"].as_str()?);
    Some(Program { name, folder: folder.to_owned(), path: path.into() })
}

/// The destinations of the programs' output: the log, the counts, and (for some lines) the terminal.
struct Output {
    log: File,
    tally: Tally,
    sound: bool,
}

/// Runs all programs with these variables and the arguments `filter`. False if one failed.
pub(crate) fn run(
    root: &Path,
    programs: &[Program],
    variables: &Variables<'_>,
    filter: &[&str],
    tally: &mut Tally,
) -> Result<bool> {
    let log = File::create(log_path(root, "test")?)?;
    let output = Mutex::new(Output { log, tally: std::mem::take(tally), sound: true });
    let waiting = |program: &&Program| WAITING.iter().any(|(name, _)| *name == program.name);
    let (mut beside, mut others): (Vec<&Program>, Vec<&Program>) = programs.iter().partition(waiting);
    let mut last = Vec::new();
    if is_complete(variables) {
        last = std::mem::take(&mut beside);
        (beside, others) = others.into_iter().partition(|program| program.name == PACKING);
    }
    let all = |programs: Vec<&Program>| -> Result<()> {
        programs.into_iter().try_for_each(|program| run_one(program, variables, filter, &output))
    };
    thread::scope(|scope| {
        let beside = scope.spawn(|| all(beside));
        let others = all(others);
        others.and(beside.join().unwrap_or_else(|_| bail!("a thread of the tests panicked")))
    })?;
    all(last)?;
    let Output { tally: counted, sound, .. } = output.into_inner().expect("no thread panicked");
    *tally = counted;
    Ok(sound)
}

/// Whether the complete set of tests runs.
fn is_complete(variables: &Variables<'_>) -> bool {
    variables.iter().any(|(name, _)| *name == COMPLETE)
}

fn run_one(
    program: &Program,
    variables: &Variables<'_>,
    filter: &[&str],
    output: &Mutex<Output>,
) -> Result<()> {
    let begun = Instant::now();
    println!("   {} runs", program.name);
    let (status, lines) = lines_of(program, variables, filter)?;
    let mut output = output.lock().expect("no thread panicked");
    let seconds = begun.elapsed().as_secs_f64();
    let title = format!("== {} ({seconds:.1} s)", program.name);
    println!("{title}");
    writeln!(output.log, "{title}")?;
    for (after_s, line) in lines {
        writeln!(output.log, "{after_s:7.1} {line}")?;
        if output.tally.count_line(&line) {
            println!("{line}");
        }
    }
    output.tally.program_ended(status.success());
    output.sound &= status.success();
    Ok(())
}

/// The exit status of a program and all lines of its output, each with the seconds after which it came: the
/// log shows which tests are slow. Kills the program after the time limit.
fn lines_of(
    program: &Program,
    variables: &Variables<'_>,
    filter: &[&str],
) -> Result<(ExitStatus, Vec<(f64, String)>)> {
    let mut command = Command::new(&program.path);
    command.current_dir(&program.folder).arg("--show-output").args(filter).stdin(Stdio::null());
    let threads = match WAITING.iter().find(|(name, _)| *name == program.name) {
        Some(_) if is_complete(variables) => 1,
        Some((_, threads)) => *threads,
        None => thread::available_parallelism().map_or(1, |count| count.get() * TESTS_ON_TWO / 2),
    };
    command.arg(format!("--test-threads={threads}"));
    command.envs(variables.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot start {}", program.path.display()))?;
    let out = child.stdout.take().context("no pipe")?;
    let err = child.stderr.take().context("no pipe")?;
    let begun = Instant::now();
    let read = |stream: Box<dyn std::io::Read + Send>| {
        thread::spawn(move || {
            let lines = BufReader::new(stream).split(b'\n').map_while(Result::ok);
            let text = |line: Vec<u8>| String::from_utf8_lossy(&line).into_owned();
            lines.map(|line| (begun.elapsed().as_secs_f64(), text(line))).collect::<Vec<_>>()
        })
    };
    let (out, err) = (read(Box::new(out)), read(Box::new(err)));
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if begun.elapsed() > LIMIT {
            child.kill()?;
        }
        thread::sleep(Duration::from_millis(20));
    };
    let lines = [out, err].into_iter().flat_map(|lines| lines.join().unwrap_or_default()).collect();
    Ok((status, lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_test_programs_are_read_from_the_messages_of_cargo() {
        let artifact = |test: bool, exe: &str| {
            let target = r#""manifest_path":"/r/crates/cli/Cargo.toml","target":{"name":"timed"}"#;
            format!(
                r#"{{"reason":"compiler-artifact",{target},"profile":{{"test":{test}}},"executable":{exe}}}"#
            )
        };
        let found = program(&artifact(true, r#""/r/target/debug/deps/timed-1""#)).unwrap();
        assert_eq!((found.name.as_str(), found.folder.as_path()), ("cli timed", Path::new("/r/crates/cli")));
        assert!(program(&artifact(false, r#""/r/target/debug/assay""#)).is_none(), "not a test program");
        assert!(program(&artifact(true, "null")).is_none(), "a library");
        assert!(program("{\"reason\":\"build-finished\"}").is_none() && program("words").is_none());
    }
}
