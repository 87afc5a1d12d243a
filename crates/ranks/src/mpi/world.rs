//! The world of MPI: started once, checked against the launcher, and ended.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use units::Usage;

use super::calls::Mpi;
use super::comm::MpiComm;
use super::library::{LIBRARY_VARIABLE, find};
use crate::comm::{Comm, Halt, Reduce};
use crate::launcher::RankLaunch;

/// All ranks of the launch, or this one alone if no launcher started it.
///
/// End it with [`MpiWorld::finish`], or end all ranks with [`MpiWorld::abort`]. A rank that does neither may
/// keep the others waiting at their end.
#[derive(Debug)]
pub struct MpiWorld {
    mpi: Arc<Mpi>,
    comm: MpiComm,
    version: String,
}

impl MpiWorld {
    /// Finds the MPI library, starts MPI, and checks that its world is the launcher's.
    ///
    /// Without a launch the world has this one rank. Only the thread that calls it may use MPI.
    pub fn start(
        launch: Option<&RankLaunch>,
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, Usage> {
        let library = find(launch, lookup)?;
        let mpi = Arc::new(Mpi::new(library));
        let version = mpi.version();
        let path = library.path.display();
        let reject = |step: &str, code| {
            Usage::new(format!("{step} of {path} ({version}) failed: {}", mpi.error_text(code)))
        };
        if mpi.was_started() {
            return Err(Usage::new(format!("{path} ({version}) was already started in this process")));
        }
        mpi.init().map_err(|code| reject("MPI_Init_thread", code))?;
        let world = mpi.constants().comm_world;
        let (_, size) = mpi.place(world).map_err(|code| reject("MPI_Comm_size", code))?;
        if let Some(why) = launch.and_then(|launch| mismatch(launch, size)) {
            mpi.finalize().map_err(|code| reject("MPI_Finalize", code))?;
            let short = version.split(',').next().unwrap_or_default();
            return Err(Usage::new(format!("{why} of {path} ({short}): {}", advice(launch))));
        }
        let name = mpi.processor_name();
        let node = if name.is_empty() { crate::local::host_name() } else { name };
        let comm = mpi.world_comm().and_then(|own| MpiComm::own(Arc::clone(&mpi), own, node.into()));
        let comm = comm.map_err(|code| reject("MPI_Comm_idup", code))?;
        let beside = launch.and_then(|launch| launch.ranks_on_node);
        let place = note_one_node(&comm, beside).and_then(|()| is_oversubscribed(&comm));
        let oversubscribed = place.map_err(|halt| Usage::new(halt.to_string()))?;
        mpi.oversubscribed.store(oversubscribed, Ordering::Relaxed);
        Ok(Self { mpi, comm, version })
    }

    /// The communicator of all ranks.
    pub fn comm(&self) -> &MpiComm {
        &self.comm
    }

    /// The first line of the MPI library's version text.
    pub fn library(&self) -> &str {
        &self.version
    }

    /// The version of the MPI standard that the library follows.
    pub fn standard(&self) -> (i32, i32) {
        self.mpi.standard()
    }

    /// Whether a node has more ranks than processors: waiting ranks then sleep early.
    pub fn is_oversubscribed(&self) -> bool {
        self.mpi.is_oversubscribed()
    }

    /// Waits until all ranks have called it, also after a failure.
    pub fn meet(&self) -> Result<(), Halt> {
        self.comm.clear_alarm()?;
        self.comm.barrier()
    }

    /// Ends MPI; all ranks call it together. Fails while another communicator or an [`MpiInUse`] exists.
    pub fn finish(self) -> Result<(), Halt> {
        // MPI_Finalize blocks, and in some libraries ranks that block occupy their processors. So all ranks
        // first meet in a barrier, in which they sleep.
        self.meet()?;
        let Self { mpi, comm, .. } = self;
        let (rank, node) = (comm.rank(), comm.node_name().to_owned());
        drop(comm);
        let halt = |why| Halt { step: "MPI_Finalize".to_owned(), rank, node, why, call: None };
        if Arc::strong_count(&mpi) > 1 {
            return Err(halt("files or communicators of MPI are still open".to_owned()));
        }
        mpi.finalize().map_err(|code| halt(format!("MPI error {code}")))
    }

    /// Ends all ranks at once, also waiting ones; the launcher reports `code`.
    pub fn abort(&self, code: i32) -> ! {
        self.mpi.abort(code);
        std::process::abort()
    }
}

/// Notes that all ranks share one node if the launcher reports this on each rank. To ask MPI takes seconds
/// with many more ranks than processors. All ranks call it together.
fn note_one_node(world: &MpiComm, beside: Option<u32>) -> Result<(), Halt> {
    let all = beside == Some(world.size());
    if (world as &dyn Comm).reduce_one(u64::from(all), Reduce::Min)? == 1 {
        world.note_one_node();
    }
    Ok(())
}

/// Whether a node has more ranks than processors for them; the same on all ranks, which call it together.
///
/// The processors that the ranks of a node may use are counted together. Ranks that are bound to one core
/// each are not oversubscribed; many ranks in a small container on a large machine are.
fn is_oversubscribed(world: &MpiComm) -> Result<bool, Halt> {
    if world.size == 1 {
        return Ok(false);
    }
    let node = world.node_ranks()?;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let masks = node.gather(mask_of(&status).as_bytes())?;
    let mut answer = Vec::new();
    if let Some(masks) = masks {
        let masks: Vec<_> = masks.iter().map(|mask| String::from_utf8_lossy(mask)).collect();
        answer.push(u8::from(processors(masks.iter().map(AsRef::as_ref)) < node.size));
    }
    let here = u64::from(answer == [1]);
    Ok((world as &dyn Comm).reduce_one(here, Reduce::Max)? == 1)
}

/// The mask of processors in `/proc/self/status`: groups of hexadecimal digits separated by commas.
fn mask_of(status: &str) -> &str {
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed:"));
    line.map_or("", str::trim)
}

/// How many different processors are in the masks.
fn processors<'a>(masks: impl Iterator<Item = &'a str>) -> u32 {
    let mut union: Vec<u32> = Vec::new();
    for mask in masks {
        let digits = mask.chars().rev().filter_map(|digit| digit.to_digit(16));
        for (place, digit) in digits.enumerate() {
            if union.len() <= place {
                union.push(0);
            }
            union[place] |= digit;
        }
    }
    union.iter().map(|digit| digit.count_ones()).sum()
}

/// The difference between the launch and MPI's world of `size` ranks, if any.
fn mismatch(launch: &RankLaunch, size: u32) -> Option<String> {
    let name = launch.name;
    match launch.size {
        Some(started) if started != size => {
            Some(format!("{name} started {started} ranks, but there {} in the world", are(size)))
        }
        None if launch.rank >= size => {
            Some(format!("{name} started rank {}, but there {} in the world", launch.rank, are(size)))
        }
        _ => None,
    }
}

/// What the user can do about a world that is not the launcher's.
fn advice(launch: Option<&RankLaunch>) -> String {
    let srun = launch.is_some_and(|launch| launch.name.starts_with("srun"));
    let or = if srun { ", or give srun --mpi=pmi2 (MPICH) or --mpi=pmix (Open MPI)" } else { "" };
    format!(
        "the library does not belong to this launcher. Set {LIBRARY_VARIABLE} to the right one or its \
         directory{or}"
    )
}

fn are(size: u32) -> String {
    if size == 1 { "is only 1".to_owned() } else { format!("are {size}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launcher::LibraryFamily;

    #[test]
    fn a_world_that_is_not_the_launchers_is_detected() {
        let launch = |size, rank| RankLaunch {
            name: "srun",
            family: LibraryFamily::Mpich,
            size,
            rank,
            ranks_on_node: None,
        };
        let table = [
            (launch(Some(4), 0), 4, None),
            (launch(Some(1), 0), 1, None),
            (launch(Some(4), 0), 1, Some("srun started 4 ranks, but there is only 1 in the world")),
            (launch(Some(1), 0), 2, Some("srun started 1 ranks, but there are 2 in the world")),
            (launch(None, 0), 1, None),
            (launch(None, 3), 1, Some("srun started rank 3, but there is only 1 in the world")),
        ];
        for (launch, size, wanted) in table {
            assert_eq!(mismatch(&launch, size).as_deref(), wanted, "{launch:?}");
        }
    }

    #[test]
    fn processors_of_bound_ranks_are_counted_together() {
        assert_eq!(processors(["1", "2", "4", "8"].into_iter()), 4);
        assert_eq!(processors(["3", "3", "3"].into_iter()), 2);
        assert_eq!(processors(["ff,ffffffff", "1,00000000"].into_iter()), 40);
        assert_eq!(processors([].into_iter()), 0);
    }

    #[test]
    fn the_mask_is_read_from_the_status() {
        assert_eq!(mask_of("Name:\tx\nCpus_allowed:\tff,00000003\nCpus_allowed_list:\t0-1\n"), "ff,00000003");
        assert_eq!(mask_of(""), "");
    }
}
