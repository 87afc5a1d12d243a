//! The operations on items that are files (mdtest 4.1).

use std::io;
use std::path::Path;

use command::mdtest::ItemOperation;
use ranks::{Comm, Halt};
use storage::{Buffer, Mode, Open, Storage};

use super::data::FileData;
use super::directories::{OneCall, one_call};
use super::items::{Items, Stem};
use super::left_out;
use super::phase::{self, PhasePlan};
use super::state::{MdtestRun, ShiftTurn};
use super::status;
use super::verify::{self, Verifier};
use crate::kit::beneath::alone;
use crate::kit::contents::{read_all, write_all};
use crate::kit::operations::{Operation, OperationsDone};
use crate::kit::small_data::poison_buffer;

/// The mode of a file that is created without an open.
const NODE_PERMISSIONS: u32 = 0o400;

pub(super) fn create(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    let parameters = run.parameters;
    let (items, count) = run.share(ShiftTurn::Create, Stem::File);
    let deadline = parameters.deadline > 0;
    let persisted = parameters.sync_file && parameters.write_bytes > 0;
    let bytes_each = parameters.write_bytes;
    // With -c the operations only open. The writes follow after them.
    let logged = Some(if parameters.collective { 0 } else { bytes_each });
    let mut plan = PhasePlan { deadline, persisted, bytes_each, logged, ..PhasePlan::new(run, row, count) };
    if parameters.make_node {
        let make =
            |names: &dyn storage::Names, path: &std::ffi::CStr| names.make_node(path, NODE_PERMISSIONS);
        let mut operation = OneCall { names: run.names, items, call: "mknod", act: make };
        let done = phase::perform(run, &plan, &mut operation, None)?;
        return created(run, &mut plan, done);
    }
    let mut make =
        run.rank.comm.agree(row.label, Make::new(run, items, Mode::Write, !parameters.collective))?;
    let mut done;
    let verifier;
    if parameters.collective {
        let own = run.own(ShiftTurn::Create, Stem::File);
        let mut open = run.rank.comm.agree(row.label, Make::new(run, own, Mode::Update, true))?;
        let count = run.items;
        done = phase::perform(run, &plan, &mut make, Some((&mut open, count)))?;
        verifier = open.verifier;
    } else {
        done = phase::perform(run, &plan, &mut make, None)?;
        verifier = make.verifier;
    }
    done.phase.check = verify::over_ranks(run, row, verifier)?;
    done.phase.smallest_file_bytes = Some(bytes_each).filter(|bytes| *bytes > 0);
    created(run, &mut plan, done)
}

/// Ends a creation. Later phases use the items that exist now.
fn created(run: &mut MdtestRun<'_>, plan: &mut PhasePlan, mut done: OperationsDone) -> Result<(), Halt> {
    if let Some(wall) = phase::stonewalled(run, plan, &mut done) {
        run.observer.event(&wall);
    }
    if plan.deadline {
        status::leave(run, Stem::File)?;
    }
    phase::conclude(run, plan, done)
}

/// Creates or opens a file, writes into it, and closes it.
struct Make<'r> {
    storage: &'r dyn Storage,
    comm: &'r dyn Comm,
    items: Items<'r>,
    how: Open,
    /// The data and its buffer, if data is to be written.
    writing: Option<(FileData, Buffer)>,
    sync: bool,
    /// Compares the data at once. `read` is the buffer of that read, and `came` the number of bytes that it
    /// returned.
    verifier: Option<Verifier>,
    read: Buffer,
    came: usize,
    call: &'static str,
}

impl<'r> Make<'r> {
    fn new(run: &MdtestRun<'r>, items: Items<'r>, mode: Mode, writes: bool) -> io::Result<Self> {
        let parameters = run.parameters;
        let data = || FileData::new(parameters, run.signature, run.key);
        let bytes = if writes { parameters.write_bytes } else { 0 };
        let length = usize::try_from(bytes).unwrap_or(usize::MAX);
        let writing = if length > 0 { Some((data(), Buffer::new(length)?)) } else { None };
        let verifies = length > 0 && parameters.verify_write;
        Ok(Self {
            storage: run.storage,
            comm: run.rank.comm,
            items,
            how: alone(mode, bytes),
            writing,
            sync: parameters.sync_file,
            verifier: verifies.then(|| Verifier::new(data())),
            read: Buffer::new(if verifies { length } else { 0 })?,
            came: 0,
            call: "open",
        })
    }
}

impl Operation for Make<'_> {
    #[inline]
    fn before(&mut self, item: u64) {
        self.items.go(item);
        self.call = "open";
        if let Some((data, buffer)) = &mut self.writing {
            data.select(&self.items);
            data.make(buffer.bytes_mut(), &self.items);
        }
        if self.verifier.is_some() {
            poison_buffer(self.read.bytes_mut());
        }
    }

    #[inline]
    fn operate(&mut self, _item: u64) -> io::Result<()> {
        let mut file = self.storage.open(self.comm, self.items.path(), self.how)?;
        if let Some((_, buffer)) = &self.writing {
            self.call = "write";
            write_all(&mut *file, buffer.bytes())?;
            if self.sync {
                self.call = "fsync";
                file.sync()?;
            }
            if self.verifier.is_some() {
                self.call = "read";
                self.came = read_all(&mut *file, self.read.bytes_mut())?;
            }
        }
        self.call = "close";
        file.close()
    }

    fn after(&mut self, _item: u64) {
        if let Some(verifier) = &mut self.verifier
            && self.call == "close"
        {
            let bytes = self.read.bytes();
            verifier.compare(&bytes[..self.came], bytes.len(), &self.items);
        }
    }

    fn failed(&self) -> (&'static str, &Path) {
        (self.call, self.items.path())
    }

    fn direct_bytes(&self) -> Option<u64> {
        self.storage
            .direct()
            .then_some(self.writing.as_ref().map_or(0, |(_, buffer)| buffer.bytes().len()) as u64)
    }
}

pub(super) fn stat(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    let plan = PhasePlan { shuffled: true, logged: Some(0), ..PhasePlan::new(run, row, run.items) };
    let items = run.own(ShiftTurn::Stat, Stem::File);
    one_call(run, &plan, items, "stat", |names, path| names.stat(path).map(drop))
}

pub(super) fn read(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    let parameters = run.parameters;
    let bytes_each = parameters.read_bytes;
    let plan = PhasePlan {
        shuffled: true,
        logged: Some(bytes_each),
        bytes_each,
        ..PhasePlan::new(run, row, run.items)
    };
    let buffer = Buffer::new(usize::try_from(bytes_each).unwrap_or(usize::MAX));
    let buffer = run.rank.comm.agree(row.label, buffer)?;
    let verifies = parameters.verify_read && bytes_each > 0;
    let mut reading = Read {
        storage: run.storage,
        comm: run.rank.comm,
        items: run.own(ShiftTurn::Read, Stem::File),
        buffer,
        came: 0,
        verifier: verifies.then(|| Verifier::new(FileData::new(parameters, run.signature, run.key))),
        call: "open",
    };
    let mut done = phase::perform(run, &plan, &mut reading, None)?;
    done.phase.check = verify::over_ranks(run, row, reading.verifier)?;
    phase::conclude(run, &plan, done)
}

/// Opens a file, reads from it, and closes it.
struct Read<'r> {
    storage: &'r dyn Storage,
    comm: &'r dyn Comm,
    items: Items<'r>,
    buffer: Buffer,
    came: usize,
    verifier: Option<Verifier>,
    call: &'static str,
}

impl Operation for Read<'_> {
    #[inline]
    fn before(&mut self, item: u64) {
        self.items.go(item);
        self.call = "open";
        if self.verifier.is_some() {
            poison_buffer(self.buffer.bytes_mut());
        }
    }

    #[inline]
    fn operate(&mut self, _item: u64) -> io::Result<()> {
        let wanted = self.buffer.bytes().len();
        let mut file = self.storage.open(self.comm, self.items.path(), alone(Mode::Read, wanted as u64))?;
        if wanted > 0 {
            self.call = "read";
            self.came = read_all(&mut *file, self.buffer.bytes_mut())?;
            if self.came < wanted && self.verifier.is_none() {
                let text = format!("the file has {} of {wanted} bytes", self.came);
                return Err(storage::call_error::short_at(self.came as u64, text));
            }
        }
        self.call = "close";
        file.close()
    }

    #[inline]
    fn after(&mut self, _item: u64) {
        if let Some(verifier) = &mut self.verifier
            && self.call == "close"
        {
            let bytes = self.buffer.bytes();
            verifier.compare(&bytes[..self.came], bytes.len(), &self.items);
        }
    }

    fn failed(&self) -> (&'static str, &Path) {
        (self.call, self.items.path())
    }

    fn direct_bytes(&self) -> Option<u64> {
        self.storage.direct().then_some(self.buffer.bytes().len() as u64)
    }
}

/// Rank 0 removes the names of files that all ranks share.
pub(super) fn remove(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    let (items, mut count) = run.share(ShiftTurn::Remove, Stem::File);
    if run.parameters.shared_file && run.rank.comm.rank() > 0 {
        count = 0;
    }
    let plan = PhasePlan { logged: Some(0), ..PhasePlan::new(run, row, count) };
    left_out::remove(run, &plan, items, "unlink", |names, path| names.unlink(path))
}
