//! How long a file is that other clients wrote.

use std::io;
use std::path::Path;
use std::time::Duration;

use ranks::Comm;
use storage::{Mode, Open, Storage};

/// How often it is asked, a second apart.
const ASKED: u32 = 3;

/// The size of a file in bytes by opening it, a few times until it has `wanted` of them: a client may go on
/// showing the size it knew before other clients wrote, until it opens the file again. 0 where it cannot be
/// had. What `how` says beside the mode and the sharing is kept.
pub fn asked_anew(storage: &dyn Storage, comm: &dyn Comm, path: &Path, how: Open, wanted: u64) -> u64 {
    let how = Open { mode: Mode::Read, shared: false, collective: false, bytes: 0, ..how };
    let ask = || -> io::Result<u64> {
        let mut file = storage.open(comm, path, how)?;
        let size = file.size()?;
        file.close()?;
        Ok(size)
    };
    let mut found = ask().unwrap_or(0);
    for _ in 1..ASKED {
        if found >= wanted {
            break;
        }
        std::thread::sleep(Duration::from_secs(1));
        found = ask().unwrap_or(0);
    }
    found
}
