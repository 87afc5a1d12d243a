//! Running the real program, alone and under real launchers, with an end to every wait.
#![allow(dead_code, unreachable_pub, clippy::print_stdout)]

pub mod age;
pub mod campaign;
pub mod cdf5;
pub mod fdtree;
pub mod gluster;
pub mod hdf5;
pub mod listed;
pub mod ls_lr;
pub mod masked;
pub mod mdtest;

pub mod options;
pub mod ports;
pub mod scripts;
pub mod slurm;
pub mod tmpfs;

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Longest wait for one run, on a machine that does other things.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Whether tests run that are only in the complete set, which `ASSAY_TEST_ALL=1` selects (`cargo xtask test
/// --all` sets it). If not, prints the reason why the test is not in the default set.
pub fn only_in_all(reason: &str) -> bool {
    let all = std::env::var_os("ASSAY_TEST_ALL").is_some_and(|value| value == "1");
    if !all {
        println!("ONLY IN --all: {reason}");
    }
    all
}

/// What a run left.
#[derive(Debug)]
pub struct Ran {
    /// Exit status; `None` when a signal ended it.
    pub status: Option<i32>,
    /// What it printed.
    pub out: String,
    /// What it complained.
    pub err: String,
}

impl Ran {
    /// The lines of the error stream that `ior` itself wrote.
    pub fn complaints(&self) -> Vec<&str> {
        self.err.lines().filter(|line| line.starts_with("ior: ")).collect()
    }

    /// Asserts success and returns the output.
    pub fn ok(self) -> String {
        assert_eq!(self.status, Some(0), "{self:#?}");
        self.out
    }

    /// How many jobs `assay verify` found as their campaign left them; fails where anything changed.
    pub fn whole_jobs(&self) -> usize {
        assert_eq!(self.status, Some(0), "{self:#?}");
        let jobs = self.out.lines().find_map(|line| line.split_once(" is whole: ")?.1.split(' ').next());
        jobs.expect("verify counts the jobs").parse().expect("a number")
    }
}

/// All that a stream gives, as text.
fn read(stream: &mut dyn Read) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Runs a command to its end; one that does not end is killed with all its children, and the test fails.
pub fn run(command: &mut Command) -> Ran {
    run_for(command, PATIENCE)
}

/// The same, of one that may take so long.
pub fn run_for(command: &mut Command, patience: Duration) -> Ran {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let out = std::thread::spawn(move || read(&mut out));
    let err = std::thread::spawn(move || read(&mut err));
    let begin = Instant::now();
    let ended = loop {
        if let Some(status) = child.try_wait().expect("the child is ours") {
            break status;
        }
        if begin.elapsed() > patience {
            let _ = Command::new("kill").args(["-9", &format!("-{}", child.id())]).status();
            let _ = child.wait();
            panic!("{command:?} did not end in {patience:?}: {}", err.join().unwrap_or_default());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let (out, err) = (out.join().unwrap(), err.join().unwrap());
    Ran { status: ended.code(), out, err }
}

/// The program under test.
pub fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_assay"))
}

/// Makes a copy of the program that is to be run. A process of its own copies: what this one has open to
/// write, a child that another thread just starts has open too, and then it cannot be run (ETXTBSY).
pub fn copy_of_program(to: &Path) {
    let status = Command::new("cp").arg(program()).arg(to).status();
    assert!(status.is_ok_and(|status| status.success()), "no copy at {}", to.display());
}

/// Makes a script that is to be run, in the same way.
pub fn script(path: &Path, text: &str) {
    let line = "printf %s \"$1\" > \"$0\" && chmod 755 \"$0\"";
    let status = Command::new("sh").args(["-c", line]).arg(path).arg(text).status();
    assert!(status.is_ok_and(|status| status.success()), "no script at {}", path.display());
}

/// The library that breaks files, to be preloaded; it lies beside the tests.
pub fn shim() -> PathBuf {
    let shim = std::env::current_exe().unwrap().with_file_name("libassay_shim.so");
    assert!(shim.exists(), "no {}", shim.display());
    shim
}

/// A command of the program in `dir`, without anything of a launcher around the tests.
pub fn assay(dir: &Path, words: &str) -> Command {
    let mut command = Command::new(program());
    command.current_dir(dir).args(words.split_whitespace());
    command
}

/// Runs `assay -n RANKS ior WORDS` in `dir`.
pub fn ior(dir: &Path, ranks: u32, words: &str) -> Ran {
    run(&mut assay(dir, &format!("-n {ranks} ior {words}")))
}

/// The one complaint of a run of `ior` that failed with `status`.
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

/// One MPI to run under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mpi {
    /// Debian's Open MPI.
    Open,
    /// Debian's MPICH.
    Mpich,
    /// The wheel of MPICH 5, by its MPICH interface.
    Wheel,
    /// The same, by the interface of the MPI 5 standard.
    WheelAbi,
}

/// All of them.
pub const ALL_MPI: [Mpi; 4] = [Mpi::Open, Mpi::Mpich, Mpi::Wheel, Mpi::WheelAbi];

/// Where the wheel of MPICH 5 is.
pub fn venv() -> PathBuf {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mpich-venv");
    std::env::var_os("ASSAY_TEST_MPICH_VENV").map_or(default, PathBuf::from)
}

/// The same where it is; says so where it is not.
pub fn wheel() -> Option<PathBuf> {
    let there = Some(venv()).filter(|venv| venv.join("bin/mpiexec").exists());
    if there.is_none() {
        println!("SKIPPED: MPICH 5 is not installed; `cargo xtask setup` installs it");
    }
    there
}

/// The program of that name.
pub fn on_path(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|dir| dir.join(name)).find(|path| path.exists())
}

impl Mpi {
    /// `mpirun -n ranks assay WORDS` in `dir`; `None`, with the reason printed, where this MPI is not.
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
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            // Seconds that mpirun sleeps behind the end of every run that fails; 1 when not said.
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

    /// Runs `ior WORDS` on so many ranks.
    pub fn ior(self, dir: &Path, ranks: u32, words: &str) -> Option<Ran> {
        Some(run(&mut self.command(dir, ranks, &format!("ior {words}"))?))
    }
}

/// Starts two local ranks that write `words` for at most twenty seconds, with signals as by default, and
/// sends them `signal` (`INT`, `TERM`) as soon as the files `there` are in `dir`. Gives the exit status and
/// what was complained.
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
