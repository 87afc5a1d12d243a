//! The ranks of this process: MPI's when a launcher started it, else local ones, as threads.

use std::cell::Cell;
use std::io::Write;
use std::time::Duration;

use ranks::launcher::{self, RankLaunch};
use ranks::mpi::{LIBRARY_VARIABLE, MpiWorld};
use ranks::{Comm, Halt, Reduce, local};
use storage::Backend;
use storage::libraries::LibraryKind;
use units::Usage;

use crate::speech::complain;
use crate::status::{DONE, ERROR};

/// Who runs a workload.
pub(crate) enum Session {
    /// So many threads of this process.
    Local(u32),
    /// MPI processes, of which this is one.
    Mpi(Box<MpiWorld>),
}

/// What a workload needs of its ranks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Needs {
    /// Nothing: they may be threads.
    Nothing,
    /// MPI.
    Mpi,
    /// The MPI that a library is built on.
    Library(&'static LibraryKind),
}

impl Needs {
    /// What a backend needs.
    pub(crate) fn of(backend: &Backend) -> Self {
        match backend.library {
            Some(kind) => Self::Library(kind),
            None if backend.needs_mpi => Self::Mpi,
            None => Self::Nothing,
        }
    }

    /// The variables of one rank that no launcher started: it may choose its MPI.
    fn variable_alone(self, name: &str) -> Option<String> {
        let chosen = || match self {
            Self::Library(kind) if name == LIBRARY_VARIABLE => kind.mpi_alone(),
            _ => None,
        };
        variable(name).filter(|value| !value.is_empty()).or_else(chosen)
    }
}

/// How long a rank that failed without MPI stays before it leaves.
const LINGER: Duration = Duration::from_secs(2);

/// MPI of a process whose workload has ended.
struct EndedWorld {
    world: Box<MpiWorld>,
    /// Whether MPI stays as it is: a library would wait for ever when MPI ends.
    is_left: bool,
}

thread_local! {
    /// MPI from the end of the workload to the end of the program: [`end`] ends it.
    static ENDED: Cell<Option<EndedWorld>> = const { Cell::new(None) };
}

/// Ends the ranks of this process and gives its exit status; called once all is said. Launchers kill all
/// ranks as soon as the first of them ends with a `status` other than 0, so all meet here behind the last
/// word of rank 0.
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

/// Lets rank 0 say why, where ranks that failed can't meet.
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

impl Session {
    /// Starts the ranks: those of `launch`, or `local` threads (one when not said). What `needs` MPI starts
    /// it also without a launcher.
    pub(crate) fn start(
        launch: Option<&RankLaunch>,
        local: Option<u32>,
        needs: Needs,
    ) -> Result<Self, Usage> {
        let needs_mpi = !matches!(needs, Needs::Nothing);
        let alone = launch.is_none_or(|launch| launch.size == Some(1));
        if local == Some(0) {
            return Err(Usage::new("-n 0: there has to be at least one rank"));
        }
        if let (Some(wanted), Some((most, limit))) = (local, local::most())
            && wanted > most
        {
            return Err(Usage(format!(
                "-n {wanted}: at most {most} local ranks fit into one process where vm.max_map_count is \
                 {limit}; raise that, or start the ranks by mpirun"
            )));
        }
        let needs_mpi_alone = needs_mpi && local.unwrap_or(1) == 1;
        match (launch, local) {
            (Some(launch), Some(local)) if !alone => Err(Usage(format!(
                "-n {local} makes local ranks, but {} has started this program already; leave -n out",
                launch.name
            ))),
            (None, _) if needs_mpi_alone => {
                Ok(Self::Mpi(Box::new(MpiWorld::start(launch, &|name| needs.variable_alone(name))?)))
            }
            _ if !alone || needs_mpi_alone => Ok(Self::Mpi(Box::new(MpiWorld::start(launch, &variable)?))),
            _ if needs_mpi => {
                Err(Usage::new("this backend needs MPI: start the ranks with mpirun instead of -n"))
            }
            // One rank of a launcher joins MPI where there is one, and is alone where there is none.
            (Some(_), None) => {
                Ok(MpiWorld::start(launch, &variable)
                    .map_or(Self::Local(1), |world| Self::Mpi(Box::new(world))))
            }
            _ => Ok(Self::Local(local.unwrap_or(1))),
        }
    }

    /// The MPI library in its own words, `None` for local ranks.
    pub(crate) fn mpi(&self) -> Option<&str> {
        match self {
            Self::Local(_) => None,
            Self::Mpi(world) => Some(world.library()),
        }
    }

    /// How many ranks there are.
    pub(crate) fn size(&self) -> u32 {
        match self {
            Self::Local(ranks) => *ranks,
            Self::Mpi(world) => world.comm().size(),
        }
    }

    /// The lowest rank that lives in this process.
    pub(crate) fn rank(&self) -> u32 {
        match self {
            Self::Local(_) => 0,
            Self::Mpi(world) => world.comm().rank(),
        }
    }

    /// Gives rank 0's bytes to every process.
    pub(crate) fn broadcast(&self, bytes: &mut Vec<u8>) -> Result<(), Usage> {
        match self {
            Self::Local(_) => Ok(()),
            Self::Mpi(world) => world.comm().broadcast(0, bytes).map_err(|halt| Usage::new(halt.to_string())),
        }
    }

    /// Ends the ranks together where one of them has to reject: all get their own value, or all the reason
    /// of the lowest rank that rejected.
    pub(crate) fn agree<T>(self, mine: Result<T, Usage>) -> Result<(Self, T), Usage> {
        let world = match self {
            Self::Local(_) => return mine.map(|value| (self, value)),
            Self::Mpi(world) => world,
        };
        let comm: &dyn Comm = world.comm();
        match comm.agree("options", mine) {
            Ok(value) => Ok((Self::Mpi(world), value)),
            Err(halt) => {
                ENDED.set(Some(EndedWorld { world, is_left: false }));
                Err(if halt.rank == 0 { Usage(halt.why) } else { Usage::new(halt.to_string()) })
            }
        }
    }

    /// Runs `body` on every rank that lives in this process; returns what rank 0 of this process returned, or
    /// the first failure. [`end`] leaves MPI as it is where `leaves` says so afterwards on some rank: a
    /// library would wait for ever when MPI ends.
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

/// Runs `body` on so many threads.
fn run_local<T: Send>(ranks: u32, body: impl Fn(&dyn Comm) -> Result<T, Halt> + Sync) -> Result<T, Halt> {
    let mut all = local::run(ranks, body).into_iter();
    let first = all.next().expect("there is at least one rank");
    // A rank that panicked says more than those that then found it gone.
    match all.find_map(Result::err).filter(|_| !matches!(first, Ok(Ok(_)))) {
        Some(panicked) => Err(panicked),
        None => first?,
    }
}
