//! Starts the example under an installed MPI, with a time limit, and cleans up after it.

use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time limit of a job. It takes a second or two with two free processors, and much longer with other load,
/// because waiting ranks spin.
const JOB_MAX: Duration = Duration::from_secs(300);

/// An environment variable of every process of a job. It identifies processes that hang.
const MARK: &str = "ASSAY_TEST_JOB";

/// Jobs run one at a time: their waiting ranks are enough load.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// An installed MPI.
pub(crate) struct Mpi {
    pub(crate) name: &'static str,
    /// The value of `ASSAY_MPI_LIBRARY` that would choose it.
    pub(crate) library: String,
    launcher: PathBuf,
    extra: &'static [&'static str],
    environment: Vec<(String, String)>,
}

/// Reports why a test was skipped.
pub(crate) fn skipped(why: &str) {
    println!("SKIPPED: {why}");
}

fn mpi(name: &'static str, launcher: PathBuf, library: &str, extra: &'static [&'static str]) -> Option<Mpi> {
    if !launcher.exists() {
        skipped(&format!("{name} is not installed: there is no {}", launcher.display()));
        return None;
    }
    Some(Mpi { name, library: library.to_owned(), launcher, extra, environment: Vec::new() })
}

/// Open MPI of Debian.
pub(crate) fn debian_open_mpi() -> Option<Mpi> {
    let mut found = mpi("Open MPI", "/usr/bin/mpirun.openmpi".into(), "libmpi.so.40", &["--oversubscribe"])?;
    for name in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] {
        found.environment.push((name.to_owned(), "1".to_owned()));
    }
    Some(found)
}

/// MPICH 4 of Debian.
pub(crate) fn debian_mpich() -> Option<Mpi> {
    mpi("Debian's MPICH", "/usr/bin/mpirun.mpich".into(), "libmpich.so.12", &[])
}

/// MPICH 5 from its wheel.
pub(crate) fn wheel() -> Option<Mpi> {
    let venv = std::env::var("ASSAY_TEST_MPICH_VENV").map_or_else(
        |_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mpich-venv"),
        PathBuf::from,
    );
    let library = venv.join("lib/libmpi.so.12").display().to_string();
    mpi("MPICH's wheel", venv.join("bin/mpiexec"), &library, &[])
}

/// MPICH 5 from its wheel, through the interface of the MPI 5 standard.
pub(crate) fn wheel_standard() -> Option<Mpi> {
    let mut found = wheel()?;
    found.library = found.library.replace("libmpi.so.12", "libmpi_abi.so.1");
    found.environment.push(("ASSAY_MPI_LIBRARY".to_owned(), found.library.clone()));
    Some(found)
}

/// One run of the example.
pub(crate) struct Job {
    command: Command,
    mark: String,
}

/// The result of a run.
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    /// Standard output and standard error.
    pub(crate) output: String,
    /// How long it ran, without the wait for other jobs.
    pub(crate) took: Duration,
}

impl Job {
    /// The example with argument `word` on `ranks` ranks of `mpi`.
    pub(crate) fn new(mpi: &Mpi, ranks: u32, word: &str) -> Self {
        let mut command = Command::new(&mpi.launcher);
        command.args(mpi.extra).arg("-n").arg(ranks.to_string()).arg(example()).arg(word);
        command.envs(mpi.environment.iter().map(|(name, value)| (name, value)));
        Self::of(command)
    }

    /// The example with `word` on two ranks of each of two hosts, which are both this machine; MPICH only.
    pub(crate) fn on_two_hosts(mpi: &Mpi, word: &str) -> Self {
        let mut command = Command::new(&mpi.launcher);
        command
            .args(["-n", "4", "-ppn", "2", "-hosts", "n1,n2", "-launcher", "fork"])
            .arg(example())
            .arg(word);
        command.envs(mpi.environment.iter().map(|(name, value)| (name, value)));
        Self::of(command)
    }

    /// The example with `word` on two ranks; the second has its own `CLOCK_MONOTONIC`. MPICH only.
    pub(crate) fn on_two_clocks(mpi: &Mpi, word: &str) -> Option<Self> {
        let own_clock = ["unshare", "--time", "--fork", "--monotonic", "5000"];
        let tried =
            Command::new(own_clock[0]).args(&own_clock[1..]).arg("true").stderr(Stdio::null()).status();
        if !tried.is_ok_and(|status| status.success()) {
            skipped("time namespaces cannot be created on this machine");
            return None;
        }
        let mut command = Command::new(&mpi.launcher);
        command.args(["-n", "1"]).arg(example()).args([word, ":", "-n", "1"]);
        command.args(own_clock).arg(example()).arg(word);
        command.envs(mpi.environment.iter().map(|(name, value)| (name, value)));
        Some(Self::of(command))
    }

    /// The example with `word`, without a launcher.
    pub(crate) fn alone(word: &str) -> Self {
        let mut command = Command::new(example());
        command.arg(word);
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        let nanos = std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos());
        let mark = format!("{}-{nanos}", std::process::id());
        command.env(MARK, &mark).stdin(Stdio::null()).process_group(0);
        Self { command, mark }
    }

    /// Adds a variable to its environment.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs it to its end, or kills it at the time limit, which fails the test.
    pub(crate) fn run(mut self) -> Done {
        let _alone = one_at_a_time();
        let folder = std::env::temp_dir().join(format!("assay-test-{}", self.mark));
        fs::create_dir_all(&folder).expect("the test creates its directory");
        let (out, err) = (folder.join("out"), folder.join("err"));
        self.command.stdout(fs::File::create(&out).expect("the test creates its file"));
        self.command.stderr(fs::File::create(&err).expect("the test creates its file"));
        let begin = Instant::now();
        let mut child = self.command.spawn().expect("the launcher starts");
        let code = wait(&mut child);
        let took = begin.elapsed();
        if code.is_none() {
            kill_all(&self.mark);
            child.wait().expect("it was killed");
        }
        let mut output = String::new();
        for path in [out, err] {
            let mut bytes = Vec::new();
            fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).expect("its output");
            output.push_str(&String::from_utf8_lossy(&bytes));
        }
        fs::remove_dir_all(&folder).expect("the test removes its directory");
        let Some(code) = code else {
            panic!("{:?} did not end in {JOB_MAX:?} and was killed:\n{output}", self.command);
        };
        Done { code, output, took }
    }
}

impl Done {
    /// Asserts that the job succeeded.
    pub(crate) fn assert_success(&self) {
        assert_eq!(self.code, Some(0), "{}", self.output);
    }

    /// Asserts that exactly one line of the program rejects the job, and that it contains `words`.
    pub(crate) fn assert_rejection(&self, words: &str) {
        assert_ne!(self.code, Some(0), "{}", self.output);
        let ours = self.output.lines().filter(|line| line.contains(words)).count();
        assert_eq!(ours, 1, "wanted one line with `{words}`:\n{}", self.output);
        assert!(!self.output.contains("panicked"), "{}", self.output);
    }

    /// Removes the shared memory that killed ranks reported.
    pub(crate) fn sweep_shared_memory(&self) {
        let named = self.output.lines().filter_map(|line| line.strip_prefix("shared: "));
        for path in named.filter(|path| path.starts_with("/dev/shm/") && Path::new(path).exists()) {
            let _ = fs::remove_file(path);
        }
    }
}

fn one_at_a_time() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The path of the example program, relative to the directory of this test program.
fn example() -> PathBuf {
    let test = std::env::current_exe().expect("the path of the test program is known");
    let folder = test.parent().and_then(Path::parent).expect("target/debug/deps");
    let example = folder.join("examples/comm_scenario");
    assert!(example.exists(), "no {}: run `cargo build -p ranks --examples`", example.display());
    example
}

/// The exit code within the time limit; the inner option is `None` after a signal.
fn wait(child: &mut Child) -> Option<Option<i32>> {
    let begin = Instant::now();
    while begin.elapsed() < JOB_MAX {
        if let Some(status) = child.try_wait().expect("it is a child of this process") {
            return Some(status.code());
        }
        thread::sleep(Duration::from_millis(10));
    }
    None
}

/// Kills every process that carries the mark, and removes its shared memory.
fn kill_all(mark: &str) {
    let mark = format!("{MARK}={mark}");
    let all = fs::read_dir("/proc").expect("processes are listed").flatten();
    let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let marked = |number: &u32| {
        let environment = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    };
    for number in numbers.filter(marked) {
        let maps = fs::read_to_string(format!("/proc/{number}/maps")).unwrap_or_default();
        let _ = Command::new("kill").args(["-KILL", &number.to_string()]).status();
        for path in maps.lines().filter_map(|line| line.find("/dev/shm/").map(|at| &line[at..])) {
            let _ = fs::remove_file(path);
        }
    }
}
