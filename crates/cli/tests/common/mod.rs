//! Runs the real program, alone and under real launchers. Every wait has a limit.
#![allow(dead_code, unreachable_pub, clippy::print_stdout)]

pub mod age;
pub mod browser;
pub mod campaign;
pub mod cdf5;
pub mod fdtree;
pub mod forged;
pub mod fuse;
pub mod gluster;
pub mod hdf5;
pub mod known_cases;
pub mod linked;
pub mod listed;
pub mod ls_lr;
pub mod masked;
pub mod mdtest;
pub mod memory;
pub mod mounted;
pub mod options;
pub mod ports;
pub mod processes;
pub mod scripts;
pub mod searches;
pub mod server;
pub mod slurm;
pub mod system;
pub mod terminal;
pub mod throttled;
pub mod tmpfs;
pub mod witness;

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
pub use testkit::complete::{by_set, only_in_all};

/// The longest wait for one run, on a machine with other load.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// The longest wait for the end of a command that was killed.
const END_OF_KILLED: Duration = Duration::from_secs(10);

/// The result of a run.
#[derive(Debug)]
pub struct Ran {
    /// Exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

impl Ran {
    /// The lines that `ior` itself wrote to standard error: errors and notes.
    pub fn complaints(&self) -> Vec<&str> {
        let is_own = |line: &&str| line.starts_with("ior: ") || line.starts_with("assay: note: ");
        self.err.lines().filter(is_own).collect()
    }

    /// Asserts success and returns the output.
    pub fn ok(self) -> String {
        assert!(self.passed(), "{self:#?}");
        self.out
    }

    /// Whether it succeeded. Campaigns of tests are small, so findings such as `cov-missing` stay open. It is
    /// a success if all clauses of such a campaign PASS.
    pub fn passed(&self) -> bool {
        let has_open_findings = self.status == Some(3) && self.out.contains("PASS WITH OPEN FINDINGS: ");
        self.status == Some(0) || has_open_findings
    }

    /// Number of jobs that `assay verify` found unmodified. Fails if anything was changed.
    pub fn whole_jobs(&self) -> usize {
        assert_eq!(self.status, Some(0), "{self:#?}");
        let count = |line: &str, word: &str| Some(line.split_once(word)?.1.split(' ').next()?.to_owned());
        let words = [" is intact: ", " is unmodified so far: "];
        let jobs = self.out.lines().find_map(|line| words.iter().find_map(|word| count(line, word)));
        jobs.expect("verify counts the jobs").parse().expect("a number")
    }
}

/// The whole content of a stream as text.
fn read(stream: &mut dyn Read) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A command that runs. If it is dropped before its end, it is killed with all its children.
pub struct Running {
    what: String,
    child: Child,
    streams: [Option<JoinHandle<String>>; 2],
}

impl Running {
    /// Starts a command in a process group of its own. If its output is a pipe, that is read.
    pub fn start(command: &mut Command) -> Self {
        let what = format!("{command:?}");
        command.stdin(Stdio::null()).process_group(0);
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{what}: {error}"));
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let out = out.map(|mut out| std::thread::spawn(move || read(&mut out)));
        let err = err.map(|mut err| std::thread::spawn(move || read(&mut err)));
        Self { what, child, streams: [out, err] }
    }

    /// The same with pipes.
    pub fn piped(command: &mut Command) -> Self {
        Self::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))
    }

    /// Its process number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("the child was started here").is_some()
    }

    /// Its end. If it does not come in this time, the test fails.
    pub fn end(mut self, patience: Duration) -> Ran {
        let begin = Instant::now();
        while !self.has_ended() {
            if begin.elapsed() > patience {
                let texts = if self.kill() { self.texts() } else { Default::default() };
                panic!("{} did not end in {patience:?}: {texts:?}", self.what);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let [out, err] = self.texts();
        Ran { status: self.child.wait().unwrap().code(), out, err }
    }

    fn texts(&mut self) -> [String; 2] {
        self.streams.each_mut().map(|one| one.take().map(|one| one.join().unwrap()).unwrap_or_default())
    }

    /// Not by the program `kill`: that of procps 4.0.2 takes `-9 -1234` for all processes, because it reads
    /// only the first digit. False if it has not ended: a call in the kernel cannot be interrupted.
    fn kill(&mut self) -> bool {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let killed = Instant::now();
        while !self.has_ended() && killed.elapsed() < END_OF_KILLED {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.has_ended()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.has_ended() {
            let _ = self.kill();
        }
    }
}

/// Runs a command to its end. If it does not end, it is killed with all its children and the test fails.
pub fn run(command: &mut Command) -> Ran {
    run_for(command, PATIENCE)
}

/// Like [`run`], with another time limit.
pub fn run_for(command: &mut Command, patience: Duration) -> Ran {
    Running::piped(command).end(patience)
}

/// The program under test.
pub fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_assay"))
}

/// Copies the program to a file that will be run. Another process does this: a child that another thread just
/// starts inherits files that this process has open for writing, and then the copy cannot be run (ETXTBSY).
pub fn copy_of_program(to: &Path) {
    let status = Command::new("cp").arg(program()).arg(to).status();
    assert!(status.is_ok_and(|status| status.success()), "no copy at {}", to.display());
}

/// Writes a script that will be run, in the same way.
pub fn script(path: &Path, text: &str) {
    let line = "printf %s \"$1\" > \"$0\" && chmod 755 \"$0\"";
    let status = Command::new("sh").args(["-c", line]).arg(path).arg(text).status();
    assert!(status.is_ok_and(|status| status.success()), "no script at {}", path.display());
}

/// The library that breaks file operations, to be preloaded. It is in the directory of the tests.
pub fn shim() -> PathBuf {
    let shim = std::env::current_exe().unwrap().with_file_name("libassay_shim.so");
    assert!(shim.exists(), "no {}", shim.display());
    shim
}

/// A command of the program in `dir`, independent of a launcher around the tests.
pub fn assay(dir: &Path, words: &str) -> Command {
    let mut command = Command::new(program());
    command.current_dir(dir).args(words.split_whitespace());
    command
}

/// Runs `assay -n RANKS ior WORDS` in `dir`.
pub fn ior(dir: &Path, ranks: u32, words: &str) -> Ran {
    run(&mut assay(dir, &format!("-n {ranks} ior {words}")))
}

/// The only line of error of a run of `ior` that failed with `status`.
pub fn complaint(ran: &Ran, status: i32) -> String {
    assert_eq!(ran.status, Some(status), "{ran:#?}");
    let complaints = ran.complaints();
    assert_eq!(complaints.len(), 1, "{ran:#?}");
    complaints[0].to_owned()
}

/// Whether the tests run as root.
pub fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0)
}

/// An MPI to run under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mpi {
    /// Debian's Open MPI.
    Open,
    /// Debian's MPICH.
    Mpich,
    /// The Python wheel of MPICH 5, by its MPICH interface.
    Wheel,
    /// The same, by the interface of the MPI 5 standard.
    WheelAbi,
}

/// All MPIs; in the default set one of each maker. What differs between versions of MPICH is in the crate
/// `ranks`, whose tests start all of them.
pub fn mpis() -> &'static [Mpi] {
    by_set(&[Mpi::Open, Mpi::Mpich], &[Mpi::Open, Mpi::Mpich, Mpi::Wheel, Mpi::WheelAbi])
}

/// The directory of the wheel of MPICH 5.
pub fn venv() -> PathBuf {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mpich-venv");
    std::env::var_os("ASSAY_TEST_MPICH_VENV").map_or(default, PathBuf::from)
}

/// The same directory if it exists. If not, prints that the test is skipped.
pub fn wheel() -> Option<PathBuf> {
    let there = Some(venv()).filter(|venv| venv.join("bin/mpiexec").exists());
    if there.is_none() {
        println!("SKIPPED: MPICH 5 is not installed; `cargo xtask setup` installs it");
    }
    there
}

/// The path of the program with this name.
pub fn on_path(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|dir| dir.join(name)).find(|path| path.exists())
}

/// The program as a user other than root; `None` if that user cannot run it.
pub fn as_other_user(dir: &Path, words: &str) -> Option<Command> {
    if !rustix::process::geteuid().is_root() {
        return Some(assay(dir, words));
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program());
    command.current_dir(dir).args(words.split_whitespace());
    // Other users may have no access to the build directory.
    let mut probe = Command::new("setpriv");
    probe.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program()).arg("--version");
    let works = probe.output().is_ok_and(|ran| ran.status.success());
    if !works {
        println!("SKIPPED: another user cannot run {}", program().display());
    }
    works.then_some(command)
}

/// The number of lines that GNU find prints.
pub fn gnu_find(dir: &Path, words: &str) -> usize {
    let found = Command::new("find").current_dir(dir).args(words.split(' ')).output().unwrap();
    assert!(found.status.success(), "{found:?}");
    found.stdout.iter().filter(|byte| **byte == b'\n').count()
}

/// The variables with which Open MPI starts as root.
pub const OPEN_MPI_AS_ROOT: [(&str, &str); 2] =
    [("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")];

impl Mpi {
    /// The command `mpirun -n ranks assay WORDS` in `dir`. `None`, with the reason printed, if this MPI is
    /// not installed.
    pub fn command(self, dir: &Path, ranks: u32, words: &str) -> Option<Command> {
        let launcher = match self {
            Self::Open => on_path("mpirun.openmpi"),
            Self::Mpich => on_path("mpirun.mpich"),
            Self::Wheel | Self::WheelAbi => Some(venv().join("bin/mpiexec")).filter(|path| path.exists()),
        };
        let Some(launcher) = launcher else {
            println!("SKIPPED: {self:?} is not installed; `cargo xtask setup` installs it");
            return None;
        };
        let mut command = Command::new(launcher);
        command
            .current_dir(dir)
            .envs(OPEN_MPI_AS_ROOT)
            // mpirun sleeps for these seconds after a failed run; the default is 1.
            .env("OMPI_MCA_odls_base_sigkill_timeout", "0");
        if self == Self::Open {
            command.arg("--oversubscribe");
        }
        if self == Self::WheelAbi {
            let lib = venv().join("lib");
            let abi = ["libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so"].map(|name| lib.join(name));
            command.env("ASSAY_MPI_LIBRARY", abi.iter().find(|path| path.exists())?);
        }
        command.args(["-n", &ranks.to_string()]).arg(program()).args(words.split_whitespace());
        Some(command)
    }

    /// Runs `ior WORDS` on this number of ranks.
    pub fn ior(self, dir: &Path, ranks: u32, words: &str) -> Option<Ran> {
        Some(run(&mut self.command(dir, ranks, &format!("ior {words}"))?))
    }
}

/// Starts two local ranks that write with `words` for at most twenty seconds, with default signal handlers.
/// Sends them `signal` (`INT`, `TERM`) as soon as the files in `there` exist in `dir`. Gives the exit status
/// and the standard error.
pub fn stopped(dir: &Path, signal: &str, words: &str, there: &str) -> (Option<i32>, String) {
    let err = std::fs::File::create(dir.join("err")).unwrap();
    let program = program().display().to_string();
    let line =
        format!("--default-signal={signal} {program} -n 2 ior -w -b 64k -t 4k -O minTimeDuration=20 {words}");
    let mut child = Command::new("env")
        .current_dir(dir)
        .args(line.split_whitespace())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(err)
        .spawn()
        .unwrap();
    campaign::until(there, || there.split(' ').all(|file| dir.join(file).exists()));
    campaign::signal(&format!("-{signal}"), child.id());
    let status = child.wait().unwrap();
    (status.code(), std::fs::read_to_string(dir.join("err")).unwrap())
}
