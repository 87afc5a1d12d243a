//! A storage system that moves nothing: the lower limit of every measurement.
//!
//! Every call succeeds at once, or after the delay that the options `delay-…` set (microseconds; with
//! `delay-only-rank0` on rank 0 alone). No file is stored: every path exists with size 0, before and after a
//! write. A read leaves the buffer as it was.

use std::ffi::CStr;
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use command::Settings;
use ranks::Comm;
use units::Usage;

use crate::backends::Driver;
use crate::{File, Mode, NameStatus, Names, Open, Space, Storage};

pub(super) const DRIVER: Driver = Driver { name: "dummy", library: None, open };

/// How long calls take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Delays {
    create: Duration,
    close: Duration,
    transfer: Duration,
    sync: Duration,
}

struct Dummy {
    delays: Delays,
    only_rank_0: bool,
}

fn open(settings: &Settings) -> Result<Box<dyn Storage>, Usage> {
    let delay = |name: &str| {
        let given = settings.number(&format!("dummy.{name}")).unwrap_or(0);
        let rejected = |_| Usage(format!("--dummy.{name}={given}: give 0 or more microseconds"));
        u64::try_from(given).map(Duration::from_micros).map_err(rejected)
    };
    let delays = Delays {
        create: delay("delay-create")?,
        close: delay("delay-close")?,
        transfer: delay("delay-xfer")?,
        sync: delay("delay-sync")?,
    };
    Ok(Box::new(Dummy { delays, only_rank_0: settings.flag("dummy.delay-only-rank0") }))
}

impl Storage for Dummy {
    fn open(&self, comm: &dyn Comm, _path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let file = DummyFile { end: 0 };
        if self.delays == Delays::default() || self.only_rank_0 && comm.rank() != 0 {
            return Ok(Box::new(file));
        }
        if matches!(how.mode, Mode::Write | Mode::Truncate) {
            pause(self.delays.create);
        }
        Ok(Box::new(SlowFile { file, delays: self.delays }))
    }

    fn remove(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    fn size(&self, _path: &Path) -> io::Result<Option<u64>> {
        Ok(None)
    }

    fn space(&self, _path: &Path) -> io::Result<Option<Space>> {
        Ok(None)
    }

    fn names(&self) -> Option<&dyn Names> {
        Some(self)
    }

    fn mounted(&self) -> Option<&dyn Names> {
        None
    }

    fn direct(&self) -> bool {
        false
    }
}

/// A file that is created without an open has the create delay, on every rank. All others have no delay.
impl Names for Dummy {
    fn make_dir(&self, _path: &CStr, _permissions: u32) -> io::Result<()> {
        Ok(())
    }

    fn remove_dir(&self, _path: &CStr) -> io::Result<()> {
        Ok(())
    }

    fn make_node(&self, _path: &CStr, _permissions: u32) -> io::Result<()> {
        pause(self.delays.create);
        Ok(())
    }

    fn unlink(&self, _path: &CStr) -> io::Result<()> {
        Ok(())
    }

    fn stat(&self, _path: &CStr) -> io::Result<NameStatus> {
        Ok(NameStatus::default())
    }

    fn lstat(&self, _path: &CStr) -> io::Result<NameStatus> {
        Ok(NameStatus::default())
    }

    fn statx(&self, _path: &CStr) -> io::Result<NameStatus> {
        Ok(NameStatus::default())
    }

    fn rename(&self, _from: &CStr, _to: &CStr) -> io::Result<()> {
        Ok(())
    }

    fn link(&self, _from: &CStr, _to: &CStr) -> io::Result<()> {
        Ok(())
    }

    fn symlink(&self, _target: &CStr, _path: &CStr) -> io::Result<()> {
        Ok(())
    }

    fn chmod(&self, _path: &CStr, _permissions: u32) -> io::Result<()> {
        Ok(())
    }

    fn truncate(&self, _path: &CStr, _bytes: u64) -> io::Result<()> {
        Ok(())
    }

    fn set_attribute(&self, _path: &CStr, _name: &CStr, _value: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn get_attribute(&self, _path: &CStr, _name: &CStr, value: &mut [u8]) -> io::Result<usize> {
        Ok(value.len())
    }

    fn remove_attribute(&self, _path: &CStr, _name: &CStr) -> io::Result<()> {
        Ok(())
    }

    fn list(&self, _path: &CStr, _each: &mut dyn FnMut(&CStr, Option<bool>)) -> io::Result<u64> {
        Ok(0)
    }
}

struct DummyFile {
    end: u64,
}

impl File for DummyFile {
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize> {
        self.end = self.end.max(offset + data.len() as u64);
        Ok(data.len())
    }

    fn read_at(&mut self, data: &mut [u8], _offset: u64) -> io::Result<usize> {
        Ok(data.len())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn size(&mut self) -> io::Result<u64> {
        Ok(self.end)
    }

    fn close(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

/// A separate type, so that a file without delays makes no test for each transfer.
struct SlowFile {
    file: DummyFile,
    delays: Delays,
}

impl File for SlowFile {
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize> {
        pause(self.delays.transfer);
        self.file.write_at(data, offset)
    }

    fn read_at(&mut self, data: &mut [u8], offset: u64) -> io::Result<usize> {
        pause(self.delays.transfer);
        self.file.read_at(data, offset)
    }

    fn sync(&mut self) -> io::Result<()> {
        pause(self.delays.sync);
        self.file.sync()
    }

    fn size(&mut self) -> io::Result<u64> {
        self.file.size()
    }

    fn close(self: Box<Self>) -> io::Result<()> {
        pause(self.delays.close);
        Ok(())
    }
}

/// Sleeps; a time of zero makes no call, because even that call could let other threads run.
fn pause(time: Duration) {
    if !time.is_zero() {
        thread::sleep(time);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::Parts;

    const WRITE: Open =
        Open { mode: Mode::Write, shared: true, collective: false, bytes: 0, parts: Parts::NONE };
    const DELAY: Duration = Duration::from_millis(20);

    fn opened(words: &[(&str, &str)]) -> Result<Box<dyn Storage>, Usage> {
        let mut settings = Settings::default();
        words.iter().for_each(|(name, value)| settings.set(&format!("dummy.{name}"), *value));
        open(&settings)
    }

    /// Whether create, transfer, sync and close each took at least the delay.
    fn slow(storage: &dyn Storage, comm: &dyn Comm) -> [bool; 4] {
        let begin = Instant::now();
        let mut file = storage.open(comm, Path::new("f"), WRITE).unwrap();
        let create = begin.elapsed();
        let begin = Instant::now();
        file.write_at(&[0; 8], 0).unwrap();
        file.read_at(&mut [0; 8], 0).unwrap();
        let transfer = begin.elapsed() / 2;
        let begin = Instant::now();
        file.sync().unwrap();
        let sync = begin.elapsed();
        let begin = Instant::now();
        file.close().unwrap();
        [create, transfer, sync, begin.elapsed()].map(|time| time >= DELAY)
    }

    #[test]
    fn each_delay_sleeps_in_its_own_call() {
        let comm = ranks::local::alone();
        for (index, name) in ["delay-create", "delay-xfer", "delay-sync", "delay-close"].iter().enumerate() {
            let storage = opened(&[(name, "20000")]).unwrap();
            // On a machine under load other calls may be slow too, so the test checks only the call that must
            // sleep.
            assert!(slow(&*storage, &comm)[index], "{name}");
        }
    }

    #[test]
    fn the_delay_of_creations_is_one_of_files_and_not_of_directories() {
        let storage = opened(&[("delay-create", "200000")]).unwrap();
        let names = storage.names().unwrap();
        let seconds = |call: &dyn Fn() -> io::Result<()>| {
            let begin = Instant::now();
            call().unwrap();
            begin.elapsed()
        };
        let delay = Duration::from_millis(200);
        assert!(seconds(&|| names.make_node(c"f", 0)) >= delay);
        // The fastest of several calls, because load on the machine may slow down some of them.
        assert!((0..20).map(|_| seconds(&|| names.make_dir(c"d", 0))).min().unwrap() < delay);
    }

    #[test]
    fn with_delay_only_rank0_the_other_ranks_do_not_sleep() {
        let delays = Delays { close: DELAY, ..Delays::default() };
        let dummy = Dummy { delays, only_rank_0: true };
        let kinds = ranks::local::run(2, |comm| {
            // The fastest of several closes: load on the machine may slow down some of them, but not all.
            let closes = (0..20).map(|_| {
                let begin = Instant::now();
                dummy.open(comm, Path::new("f"), WRITE).unwrap().close().unwrap();
                begin.elapsed()
            });
            closes.min().expect("there are some") >= DELAY
        });
        let kinds: Vec<_> = kinds.into_iter().map(Result::unwrap).collect();
        assert_eq!(kinds, [true, false]);
    }

    #[test]
    fn a_delay_below_zero_is_rejected() {
        let error = opened(&[("delay-xfer", "-1")]).err().unwrap();
        assert_eq!(error.0, "--dummy.delay-xfer=-1: give 0 or more microseconds");
    }
}
