//! A board on which every rank of a node shows its progress to a watcher outside the loop.
//!
//! Each rank has a row, and only this rank writes it. It writes between two transfers, at most ten times a
//! second. This is one small write to memory that the ranks of a node share. The watcher reads all rows in
//! one call. It does not see ranks of other nodes.
//!
//! Invariant: a row that was read during a write is ignored.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use measure::{Histogram, Meter, Scale, Tick};
use ranks::{Comm, Halt};

/// Words of a row: stamp, phase, rank, transfers, counted transfers, p99, stamp again.
const WORDS: usize = 7;
const ROW_BYTES: usize = WORDS * 8;
/// Shortest time between two writes of a row.
const SHOW_EVERY_NS: u64 = 100_000_000;
/// The directory of named shared memory.
const SHARED: &str = "/dev/shm";

/// What a rank last showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShownProgress {
    /// The phase of the run, by [`phase_number`]; 0 before the first.
    pub phase: u64,
    /// The number of the rank.
    pub rank: u32,
    /// Transfers done in that phase.
    pub transfers: u64,
    /// The transfers that count: those after the ramp.
    pub counted: u64,
    /// 99th percentile of the latency of the transfers since the last write of the row, nanoseconds.
    pub p99_ns: u64,
}

/// The number of phase `count` (from 1) of test `test`.
pub fn phase_number(test: u32, count: u64) -> u64 {
    u64::from(test) << 32 | count
}

/// The board of one node.
#[derive(Clone, Debug)]
pub struct Board {
    file: Arc<File>,
    rows: u32,
    first: u32,
}

impl Board {
    /// A board for ranks that are threads of this process.
    pub fn for_threads(ranks: u32) -> io::Result<Self> {
        let (path, file) = Self::create()?;
        std::fs::remove_file(&path)?;
        Ok(Self { file: Arc::new(file), rows: ranks, first: 0 })
    }

    /// A board for the ranks of this node. All ranks of `comm` call this together. `None` if the node has no
    /// named shared memory.
    pub fn for_node(comm: &dyn Comm) -> Result<Option<Self>, Halt> {
        let node = comm.split_by_node()?;
        let made = if node.rank() == 0 { Self::create().ok() } else { None };
        let mut name = made.as_ref().map_or(Vec::new(), |(path, _)| path.display().to_string().into_bytes());
        node.broadcast(0, &mut name)?;
        let path = PathBuf::from(String::from_utf8_lossy(&name).into_owned());
        let file = match made {
            Some((_, file)) => Some(file),
            None => OpenOptions::new().read(true).write(true).open(&path).ok(),
        };
        node.barrier()?;
        if node.rank() == 0 && !name.is_empty() {
            // Every rank that uses the file has it open. Without a name it disappears with the last of them.
            let _ = std::fs::remove_file(&path);
        }
        Ok(file.map(|file| Self { file: Arc::new(file), rows: node.size(), first: node.rank() }))
    }

    /// A new file of shared memory, under the first free name.
    fn create() -> io::Result<(PathBuf, File)> {
        let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
        for number in 0..1000 {
            let path = Path::new(SHARED).join(format!("assay-board-{}-{number}", std::process::id()));
            match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((path, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
                Err(error) => return Err(error),
            }
        }
        Err(taken)
    }

    /// The row of `rank` for phase number `phase`. `index` is the number of the rank within this process (0
    /// for MPI ranks).
    pub fn row(&self, index: u32, rank: u32, phase: u64, scale: Scale) -> BoardRow {
        BoardRow {
            file: Arc::clone(&self.file),
            at: u64::from(self.first + index) * ROW_BYTES as u64,
            phase,
            rank,
            scale,
            next: Tick(0),
            before: [Histogram::new(), Histogram::new()],
        }
    }

    /// What each rank of this node last showed; `None` for a row that was being written.
    pub fn read_all(&self) -> Vec<Option<ShownProgress>> {
        let mut bytes = vec![0; self.rows as usize * ROW_BYTES];
        let mut filled = 0;
        while filled < bytes.len() {
            match self.file.read_at(&mut bytes[filled..], filled as u64) {
                Ok(0) | Err(_) => break,
                Ok(more) => filled += more,
            }
        }
        bytes.chunks_exact(ROW_BYTES).map(parse_row).collect()
    }
}

fn parse_row(row: &[u8]) -> Option<ShownProgress> {
    let mut words = row.chunks_exact(8).map(|word| word.try_into().map_or(0, u64::from_le_bytes));
    let mut next = || words.next().unwrap_or(0);
    let [stamp, phase, rank, transfers, counted, p99_ns, again]: [u64; WORDS] =
        std::array::from_fn(|_| next());
    (stamp == again).then_some(ShownProgress { phase, rank: rank as u32, transfers, counted, p99_ns })
}

/// The row of one rank in one phase.
pub struct BoardRow {
    file: Arc<File>,
    at: u64,
    phase: u64,
    rank: u32,
    scale: Scale,
    next: Tick,
    /// The latencies at the last write of the row.
    before: [Histogram; 2],
}

impl BoardRow {
    /// Shows the progress of the rank, if the last write is long enough ago.
    #[inline]
    pub fn show(&mut self, now: Tick, transfers: u64, meter: &Meter, reads: Option<&Meter>) {
        if now >= self.next {
            self.show_now(now, transfers, meter, reads);
        }
    }

    #[cold]
    fn show_now(&mut self, now: Tick, transfers: u64, meter: &Meter, reads: Option<&Meter>) {
        self.next = Tick(now.0 + self.scale.ticks(SHOW_EVERY_NS));
        let mut since = meter.latency.since(&self.before[0]);
        self.before[0].clone_from(&meter.latency);
        if let Some(reads) = reads {
            since.merge(&reads.latency.since(&self.before[1]));
            self.before[1].clone_from(&reads.latency);
        }
        let counted = meter.transfers() + reads.map_or(0, Meter::transfers);
        let words: [u64; WORDS] =
            [now.0, self.phase, self.rank.into(), transfers, counted, since.quantile(0.99), now.0];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        // A failed write of the board must not stop a measurement.
        let _ = self.file.write_at(&bytes, self.at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(latencies: &[u64]) -> Meter {
        let mut meter = Meter::new(Scale::NANOSECONDS, 8);
        let ends: Vec<Tick> = latencies.iter().map(|ns| Tick(*ns)).collect();
        meter.take(&vec![Tick(0); ends.len()], &ends);
        meter
    }

    #[test]
    fn every_rank_writes_its_own_row_and_the_watcher_reads_all() {
        let board = Board::for_threads(3).unwrap();
        let mut row = board.row(2, 2, 4, Scale::NANOSECONDS);
        row.show(Tick(50), 17, &meter(&[5, 5, 5]), None);
        let seen = board.read_all();
        assert_eq!(seen.len(), 3);
        assert_eq!(seen[2], Some(ShownProgress { phase: 4, rank: 2, transfers: 17, counted: 3, p99_ns: 5 }));
        assert_eq!(seen[0].map(|row| row.phase), Some(0), "nothing shown yet");
    }

    #[test]
    fn a_row_is_rewritten_only_after_a_while_and_then_holds_only_new_latencies() {
        let board = Board::for_threads(1).unwrap();
        let mut row = board.row(0, 0, 1, Scale::NANOSECONDS);
        row.show(Tick(1), 2, &meter(&[100, 100]), None);
        row.show(Tick(2), 3, &meter(&[100, 100, 7]), None);
        assert_eq!(board.read_all()[0].unwrap().transfers, 2);
        row.show(Tick(1 + SHOW_EVERY_NS), 3, &meter(&[100, 100, 7]), None);
        assert_eq!(
            board.read_all()[0],
            Some(ShownProgress { phase: 1, rank: 0, transfers: 3, counted: 3, p99_ns: 7 })
        );
    }

    #[test]
    fn a_torn_row_is_ignored() {
        let mut row = [0_u8; ROW_BYTES];
        row[0] = 1;
        assert_eq!(parse_row(&row), None);
    }

    #[test]
    fn ranks_of_one_node_share_a_board() {
        let seen = ranks::local::run(3, |comm| {
            let board = Board::for_node(comm)?.expect("this machine has shared memory");
            board.row(0, 0, 1, Scale::NANOSECONDS).show(
                Tick(9),
                u64::from(comm.rank()) + 10,
                &meter(&[1]),
                None,
            );
            comm.barrier()?;
            Ok::<_, Halt>(board.read_all().iter().map(|row| row.unwrap().transfers).collect::<Vec<_>>())
        });
        for rank in seen {
            assert_eq!(rank.unwrap().unwrap(), [10, 11, 12]);
        }
    }
}
