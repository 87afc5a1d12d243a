//! A system that moves nothing: the floor under every measurement.
//!
//! Every call succeeds at once. Files are remembered by nothing, so every path exists with size 0
//! after a write as before it; what is read is whatever the buffer held.

use std::io;
use std::path::Path;

use ranks::Comm;

use crate::backends::Backend;
use crate::{File, Open, Space, Storage};

pub(super) const BACKEND: Backend = Backend {
    name: "dummy",
    about: "moves nothing: what the program itself costs",
    options: &[],
    needs_mpi: false,
    open: |_| Ok(Box::new(Dummy)),
};

struct Dummy;

struct DummyFile {
    end: u64,
}

impl Storage for Dummy {
    fn open(&self, _comm: &dyn Comm, _path: &Path, _how: Open) -> io::Result<Box<dyn File>> {
        Ok(Box::new(DummyFile { end: 0 }))
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

    fn keeps_data(&self) -> bool {
        false
    }

    fn direct(&self) -> bool {
        false
    }
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
