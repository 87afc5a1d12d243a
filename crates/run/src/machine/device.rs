//! The bytes that the block device of a directory wrote, by the kernel's own count.
//!
//! Writers of other programs make the count larger, never smaller.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use results::folder::DeviceWrites;
use results::mounts::mount_of;
use rustix::fs::{major, minor};

use crate::process::boot;

/// File systems that write each byte to their device, not compressed.
const UNCOMPRESSED: &[&str] = &["ext2", "ext3", "ext4", "xfs"];
/// The unit of `/sys/block/*/stat`, bytes, for every block size.
const SECTOR: u64 = 512;
/// The place of the sectors written in that file.
const WRITTEN: usize = 6;

/// The count of a device at one moment.
pub(crate) struct DeviceCount {
    stat: PathBuf,
    writes: DeviceWrites,
}

/// The count for the device of `dir`; `None` if it has no device of its own, or one that does not count.
pub(crate) fn written(dir: &Path) -> Option<DeviceCount> {
    let dir = dir.canonicalize().ok()?;
    let number = dir.metadata().ok()?.dev();
    let number = format!("{}:{}", major(number), minor(number));
    let mount = mount_of(&fs::read_to_string("/proc/self/mountinfo").ok()?, &dir);
    let device = Path::new("/sys/dev/block").join(&number).canonicalize().ok()?;
    let mut counts = [Some(&*device), device.parent()].into_iter().flatten();
    let counts = counts.find_map(|place| fs::read_to_string(place.join("queue/iostats")).ok());
    let is_counted = counts.is_some_and(|text| text.trim() == "1");
    if !is_counted || !UNCOMPRESSED.contains(&mount.kind.as_str()) || writes_elsewhere(&mount.options) {
        return None;
    }
    let stat = device.join("stat");
    let bytes = count(&stat)?;
    Some(DeviceCount { stat, writes: DeviceWrites { number, bytes, boot_id: boot() } })
}

/// Whether flushed data may not be on the device yet. The processor stores it into persistent memory, or it
/// goes to a realtime device or to a journal, which may be another device.
fn writes_elsewhere(options: &str) -> bool {
    let elsewhere = |option: &str| {
        option.starts_with("dax") && option != "dax=never"
            || option.starts_with("rtdev=")
            || option == "data=journal"
    };
    options.split([',', ';']).any(elsewhere)
}

impl DeviceCount {
    /// What the device wrote since then; `None` if it never counted anything.
    pub(crate) fn since(&self) -> Option<DeviceWrites> {
        let now = count(&self.stat).filter(|now| *now > 0)?;
        Some(DeviceWrites { bytes: now.checked_sub(self.writes.bytes)?, ..self.writes.clone() })
    }
}

fn count(stat: &Path) -> Option<u64> {
    let text = fs::read_to_string(stat).ok()?;
    text.split_whitespace().nth(WRITTEN)?.parse::<u64>().ok()?.checked_mul(SECTOR)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn data_that_is_flushed_to_another_place_is_not_expected_on_the_device() {
        for options in ["rw,dax;rw", "rw;rw,dax=always", "rw;data=journal", "rw;rw,rtdev=/dev/b,noquota"] {
            assert!(writes_elsewhere(options), "{options}");
        }
        assert!(!writes_elsewhere("rw,relatime;rw,dax=never,data=ordered,journal_checksum"));
    }

    #[test]
    #[allow(clippy::print_stdout)]
    fn what_is_flushed_is_counted_and_memory_has_no_count() {
        assert!(written(Path::new("/proc")).is_none());
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let Some(before) = written(dir.path()) else {
            return println!("SKIPPED: the device of the source does not count what it writes");
        };
        let mut file = fs::File::create(dir.path().join("data")).unwrap();
        file.write_all(&[7; 4 << 20]).unwrap();
        file.sync_all().unwrap();
        let since = before.since().expect("a count");
        assert!(since.bytes >= 4 << 20, "{since:?}");
    }
}
