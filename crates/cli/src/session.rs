//! The ranks of this process: MPI ranks if a launcher started it, else local ranks as threads.

use std::cell::Cell;
use std::io::Write;
use std::time::Duration;

use ranks::launcher::{self, RankLaunch};
use ranks::mpi::{LIBRARY_VARIABLE, MpiWorld};
use ranks::{Comm, Halt, Reduce, local};
use storage::libraries::LibraryKind;
use units::Usage;

use crate::speech::complain;
use crate::status::{DONE, ERROR};

/// The ranks that run a workload.
pub(crate) enum Session {
    /// This number of threads of this process.
    Local(u32),
    /// MPI processes; this is one of them.
    Mpi(Box<MpiWorld>),
}

/// What a workload needs from its ranks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Needs {
    /// Nothing: ranks may be threads.
    Nothing,
    /// MPI.
    Mpi,
    /// The MPI that a library is built on.
    Library(&'static LibraryKind),
}

impl Needs {
    /// What the backend of this name needs.
    pub(crate) fn of_backend(name: &str) -> Result<Self, Usage> {
        Ok(match storage::driver(name)?.library {
            Some(kind) if kind.is_on_mpi => Self::Library(kind),
            _ if command::backend(name)?.needs_mpi() => Self::Mpi,
            _ => Self::Nothing,
        })
    }

    /// An environment variable for a single rank without a launcher, which may choose its MPI.
    fn variable_alone(self, name: &str) -> Option<String> {
        let chosen = || match self {
            Self::Library(kind) if name == LIBRARY_VARIABLE => kind.mpi_alone(),
            _ => None,
        };
        variable(name).filter(|value| !value.is_empty()).or_else(chosen)
    }
}

/// How long a rank that failed without MPI waits before it exits.
const LINGER: Duration = Duration::from_secs(2);

/// MPI of a process whose workload has ended.
struct EndedWorld {
    world: Box<MpiWorld>,
    /// Whether MPI is not finalized, because a library would hang in the finalization.
    is_left: bool,
}

thread_local! {
    /// The MPI world from the end of the workload to the end of the program. [`end`] finalizes it.
    static ENDED: Cell<Option<EndedWorld>> = const { Cell::new(None) };
}

/// Ends the ranks of this process and gives its exit status. Call it after all output.
///
/// A launcher kills all ranks as soon as one exits with a `status` other than 0. So all ranks meet here after
/// the last output of rank 0.
pub(crate) fn end(status: u8) -> u8 {
    let _ = std::io::stdout().flush();
    let Some(EndedWorld { world, is_left }) = ENDED.take() else {
        linger(status);
        return status;
    };
    let done = if is_left {
        let met = world.meet();
        std::mem::forget(world);
        met
    } else {
        world.finish()
    };
    let status = match done {
        Ok(()) => status,
        Err(halt) if status == DONE => {
            complain(&format!("assay: {halt}"));
            ERROR
        }
        Err(_) => {
            linger(status);
            status
        }
    };
    if is_left { ffi::end::at_once(status) } else { status }
}

/// Gives rank 0 time to report the reason if failed ranks cannot meet.
fn linger(status: u8) {
    if status != DONE && launch().is_some_and(|launch| launch.rank != 0) {
        std::thread::sleep(LINGER);
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The launcher that started this process, if any.
pub(crate) fn launch() -> Option<RankLaunch> {
    launcher::detect(&variable)
}

/// How the ranks of a command line start, as far as the command line says it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RankStart {
    /// Ranks of a launcher.
    pub(crate) launched: Option<u32>,
    /// Local ranks, `-n`.
    pub(crate) local: Option<u32>,
}

impl RankStart {
    /// Number of ranks.
    pub(crate) fn ranks(self) -> u32 {
        self.launched.filter(|ranks| *ranks > 1).or(self.local).unwrap_or(1).max(1)
    }

    /// Rejects ranks that cannot be started on any machine.
    pub(crate) fn check(self, needs: Needs) -> Result<(), Usage> {
        check_start(self.launched.is_some_and(|ranks| ranks > 1), self.local, needs)
    }
}

/// Rejects `local` ranks beside those of a launcher (`is_parallel`), and where they cannot be threads.
fn check_start(is_parallel: bool, local: Option<u32>, needs: Needs) -> Result<(), Usage> {
    match local {
        Some(0) => Err(Usage::new("-n 0: at least one rank is needed. Give -n 1 or more.")),
        Some(local) if is_parallel => Err(Usage(format!(
            "-n {local} makes local ranks, but a launcher has already started this program. Leave -n out."
        ))),
        Some(2..) if !matches!(needs, Needs::Nothing) => {
            Err(Usage::new("this backend needs MPI. Start the ranks with mpirun instead of -n."))
        }
        _ => Ok(()),
    }
}

impl Session {
    /// Starts the ranks: those of `launch`, or `local` threads (default: one). With `needs` for MPI it starts
    /// MPI also without a launcher.
    pub(crate) fn start(
        launch: Option<&RankLaunch>,
        local: Option<u32>,
        needs: Needs,
    ) -> Result<Self, Usage> {
        let needs_mpi = !matches!(needs, Needs::Nothing);
        let alone = launch.is_none_or(|launch| launch.size == Some(1));
        check_start(!alone, local, needs)?;
        if let (Some(wanted), Some((most, limit))) = (local, local::most())
            && wanted > most
        {
            return Err(Usage(format!(
                "-n {wanted}: at most {most} local ranks fit into one process with vm.max_map_count = \
                 {limit}. Raise it, or start the ranks with mpirun."
            )));
        }
        let needs_mpi_alone = needs_mpi && local.unwrap_or(1) == 1;
        match (launch, local) {
            (None, _) if needs_mpi_alone => {
                Ok(Self::Mpi(Box::new(MpiWorld::start(launch, &|name| needs.variable_alone(name))?)))
            }
            _ if !alone || needs_mpi_alone => {
                let world = MpiWorld::start(launch, &variable)?;
                if launch.is_some() && world.comm().size() > 1 {
                    crate::orphan::watch(world.comm().rank());
                }
                Ok(Self::Mpi(Box::new(world)))
            }
            // A single rank of a launcher joins MPI if a library is found. Else it is a local rank.
            (Some(_), None) => {
                Ok(MpiWorld::start(launch, &variable)
                    .map_or(Self::Local(1), |world| Self::Mpi(Box::new(world))))
            }
            _ => Ok(Self::Local(local.unwrap_or(1))),
        }
    }

    /// The version text of the MPI library; `None` for local ranks.
    pub(crate) fn mpi(&self) -> Option<&str> {
        match self {
            Self::Local(_) => None,
            Self::Mpi(world) => Some(world.library()),
        }
    }

    /// The version of the MPI standard that the library follows; `None` for local ranks.
    pub(crate) fn mpi_standard(&self) -> Option<(i32, i32)> {
        match self {
            Self::Local(_) => None,
            Self::Mpi(world) => Some(world.standard()),
        }
    }

    /// Number of ranks.
    pub(crate) fn size(&self) -> u32 {
        match self {
            Self::Local(ranks) => *ranks,
            Self::Mpi(world) => world.comm().size(),
        }
    }

    /// The lowest rank in this process.
    pub(crate) fn rank(&self) -> u32 {
        match self {
            Self::Local(_) => 0,
            Self::Mpi(world) => world.comm().rank(),
        }
    }

    /// Sends the bytes of rank 0 to every process.
    pub(crate) fn broadcast(&self, bytes: &mut Vec<u8>) -> Result<(), Usage> {
        match self {
            Self::Local(_) => Ok(()),
            Self::Mpi(world) => world.comm().broadcast(0, bytes).map_err(|halt| Usage::new(halt.to_string())),
        }
    }

    /// Ends the ranks together if one of them rejects its arguments. Each rank gets its own value, or all get
    /// the reason of the lowest rank that rejected.
    pub(crate) fn agree<T>(self, mine: Result<T, Usage>) -> Result<(Self, T), Usage> {
        let world = match self {
            Self::Local(_) => return mine.map(|value| (self, value)),
            Self::Mpi(world) => world,
        };
        let comm: &dyn Comm = world.comm();
        match comm.agree("options", mine.map_err(|usage| usage.0)) {
            Ok(value) => Ok((Self::Mpi(world), value)),
            Err(halt) => {
                ENDED.set(Some(EndedWorld { world, is_left: false }));
                Err(if halt.rank == 0 { Usage(halt.why) } else { Usage::new(halt.to_string()) })
            }
        }
    }

    /// Runs `body` on every rank in this process. Returns the result of rank 0 of this process, or the first
    /// failure.
    ///
    /// If `leaves` is true on any rank afterwards, [`end`] does not finalize MPI, because a library would
    /// hang in it.
    pub(crate) fn run<T: Send>(
        self,
        leaves: &dyn Fn() -> bool,
        body: impl Fn(&dyn Comm) -> Result<T, Halt> + Sync,
    ) -> Result<T, Halt> {
        let world = match self {
            Self::Local(ranks) => return run_local(ranks, body),
            Self::Mpi(world) => world,
        };
        let done = body(world.comm());
        let comm: &dyn Comm = world.comm();
        let is_left = comm.reduce_one(leaves().into(), Reduce::Max).is_ok_and(|left| left > 0);
        ENDED.set(Some(EndedWorld { world, is_left }));
        done
    }
}

/// Runs `body` on `ranks` threads.
fn run_local<T: Send>(ranks: u32, body: impl Fn(&dyn Comm) -> Result<T, Halt> + Sync) -> Result<T, Halt> {
    let mut all = local::run(ranks, body).into_iter();
    let first = all.next().expect("there is at least one rank");
    // A rank that panicked gives the better reason: the others only found it missing.
    match all.find_map(Result::err).filter(|_| !matches!(first, Ok(Ok(_)))) {
        Some(panicked) => Err(panicked),
        None => first?,
    }
}
