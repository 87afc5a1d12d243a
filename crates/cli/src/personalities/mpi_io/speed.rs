//! How fast small writes under a lock are in the directory under test. Time limits of cases grow with it.
//!
//! MPI libraries move the pieces of a view in this way. On a file system of a network each takes
//! milliseconds. So a case with thousands of pieces is slow there, and is no failure.
//!
//! Never here: what a limit means for a case.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use storage::locks::{self, Lock, Owner, Range};

/// The most pieces that a case moves, about: `access.*.much` has some thousands on each rank.
const PIECES: u32 = 20_000;
/// Most pieces that are measured.
const MEASURED: u32 = 64;
/// The measurement ends after this time.
const ENOUGH: Duration = Duration::from_secs(1);
/// A file system that does not complete the measurement in this time gets the longest limit.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of a piece.
const PIECE: usize = 512;
/// The longest limit, as a multiple of the requested one.
const LIMIT_FACTOR_MAX: u32 = 10;

/// The mean time of a piece in `dir`; `None` if it is not measured in time. `name` is that of a new file.
pub(super) fn time_of_piece(dir: &Path, name: &str) -> Option<Duration> {
    let path = dir.join(name);
    let (sender, receiver) = mpsc::channel();
    // Another thread works on the file, because the file system may hang.
    thread::spawn(move || sender.send(measured(&path)));
    match receiver.recv_timeout(PATIENCE) {
        Ok(Ok(time)) => Some(time),
        // The cases report an unusable directory better than this can.
        Ok(Err(_)) => Some(Duration::ZERO),
        Err(_) => None,
    }
}

fn measured(path: &Path) -> io::Result<Duration> {
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
    let moved = pieces(&file);
    drop(file);
    std::fs::remove_file(path)?;
    moved
}

fn pieces(file: &File) -> io::Result<Duration> {
    let mut data = [0x5a; PIECE];
    let begin = Instant::now();
    let mut done = 0;
    while done < MEASURED && begin.elapsed() < ENOUGH {
        let range = Range { start: u64::from(done) * PIECE as u64, length: PIECE as u64 };
        let set = |lock| locks::set(file.as_fd(), Owner::Process, lock, range, false);
        // A file system without locks is measured without them.
        let locked = set(Lock::Write).is_ok();
        file.write_all_at(&data, range.start)?;
        file.read_exact_at(&mut data, range.start)?;
        if locked {
            set(Lock::None)?;
        }
        done += 1;
    }
    Ok(begin.elapsed() / done.max(1))
}

/// The time limit of a case where a piece takes this time, if `requested` is the one of fast file systems.
pub(super) fn limit(requested: Duration, piece: Option<Duration>) -> Duration {
    let most = requested * LIMIT_FACTOR_MAX;
    piece.map_or(most, |piece| (piece * PIECES).clamp(requested, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_grows_with_the_time_of_a_piece_up_to_ten_times_the_requested_one() {
        let minute = Duration::from_secs(60);
        let of = |micros: u64| limit(minute, Some(Duration::from_micros(micros)));
        assert_eq!([of(0), of(10), of(3000)], [minute; 3], "fast enough");
        assert_eq!(of(9000), 3 * minute);
        assert_eq!(of(1_000_000), 10 * minute);
        assert_eq!(limit(minute, None), 10 * minute, "it did not answer");
    }

    #[test]
    fn a_piece_is_measured_and_its_file_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let time = time_of_piece(dir.path(), "speed").expect("measured");
        assert!(time > Duration::ZERO);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        assert_eq!(time_of_piece(&dir.path().join("no"), "speed"), Some(Duration::ZERO));
    }
}
