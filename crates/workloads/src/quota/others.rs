//! A file of others, which a limit of this id must not concern: it is made, written, flushed and removed.

use std::io;
use std::path::{Path, PathBuf};

use command::quota::OtherFiles;
use ranks::{Comm, Halt};
use results::reason::reason;
use results::record::Phase;
use storage::{Mode, Names, Storage};

use super::acting::Acting;
use super::{QuotaEvent, QuotaRun, REJECTED};
use crate::kit::beneath::alone;
use crate::kit::drive::Stop;
use crate::kit::operations::{Operating, Operation, OperationSetting};
use crate::kit::order::TransferOrder;
use crate::kit::path::c_path;

/// When a file of others is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Before,
    AtBytes,
    AtInodes,
    AtEnd,
}

impl Moment {
    fn words(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::AtBytes => "at the limit of bytes",
            Self::AtInodes => "at the limit of inodes",
            Self::AtEnd => "at the end",
        }
    }
}

impl QuotaRun<'_, '_> {
    /// Writes a file of others on rank 0. If that fails before the limit is reached, the run is rejected.
    /// Collective.
    pub(super) fn others(&mut self, moment: Moment) -> Result<(), Halt> {
        let request = self.request;
        let Some(others) = &request.others else { return Ok(()) };
        let path = others.dir.join("assay-quota-other");
        let known = Phase {
            phase: "others".to_owned(),
            repetition: self.probes,
            backend: command::POSIX.to_owned(),
            file_per_rank: true,
            path: path.display().to_string(),
            transfer_bytes: request.transfer,
            ..Phase::default()
        };
        self.probes += 1;
        let mut writing = OtherWriting {
            run: (self.storage, self.names, self.rank.comm),
            others,
            is_own: self.id.map(|id| (id, request.of)),
            data: vec![b'o'; request.transfer as usize],
            path,
            call: "mknod",
        };
        let mut operating = Operating::begin(self.rank, OperationSetting { known, keep_going: true }, None)?;
        if self.rank.comm.rank() == 0 {
            operating.run(self.rank, &mut writing, &mut TransferOrder::items(1), 0, Stop::after(1));
        }
        let done = operating.end(self.rank, || Ok(()))?;
        let failed = done.phase.failed.as_ref();
        let first = failed.and_then(|failed| failed.first.first());
        let error = first.map(|first| format!("{}: {}: {}", first.path, first.operation, first.why));
        if moment == Moment::Before {
            let usable = error.map_or(Ok(()), |why| Err(format!("--other-dir: {why}")));
            self.rank.comm.agree(REJECTED, usable)?;
            self.observer.event(&QuotaEvent::Others { moment: moment.words(), error: None });
            return self.rank.record_phase(&done.phase);
        }
        self.observer.event(&QuotaEvent::Others { moment: moment.words(), error: error.as_deref() });
        self.rank.record_phase(&done.phase)?;
        if failed.is_some() {
            let (moment, error) = (moment.words(), error.unwrap_or_default());
            self.fault("others", reason!(OthersRejected { moment, error, .. }))?;
        }
        Ok(())
    }
}

/// Writes the file of others.
struct OtherWriting<'o> {
    run: (&'o dyn Storage, &'o dyn Names, &'o dyn Comm),
    others: &'o OtherFiles,
    /// The id that the file must not have.
    is_own: Option<(u32, command::quota::QuotaOf)>,
    data: Vec<u8>,
    path: PathBuf,
    call: &'static str,
}

impl OtherWriting<'_> {
    fn write(&mut self) -> io::Result<()> {
        let (storage, _, comm) = self.run;
        if let (Some((id, of)), Some(quotas)) = (self.is_own, storage.quotas())
            && quotas.id_of(&self.path, of).is_ok_and(|other| other == id)
        {
            return Err(io::Error::other(format!("this file belongs to {} {id}, too", of.word())));
        }
        self.call = "open";
        let mut file = storage.open(comm, &self.path, alone(Mode::Update, self.data.len() as u64))?;
        self.call = "write";
        let mut written = 0;
        while written < self.data.len() {
            match file.write_at(&self.data[written..], written as u64)? {
                0 => return Err(storage::call_error::short("the write call wrote 0 bytes")),
                moved => written += moved,
            }
        }
        self.call = "fsync";
        file.sync()?;
        self.call = "close";
        file.close()
    }
}

impl Operation for OtherWriting<'_> {
    fn before(&mut self, _item: u64) {}

    fn operate(&mut self, _item: u64) -> io::Result<()> {
        self.call = "setresuid";
        let _acting = Acting::begin(self.others.acting)?;
        let (names, path) = (self.run.1, c_path(&self.path));
        // An existing file is not this one.
        self.call = "mknod";
        names.make_node(&path, 0o644)?;
        let written = self.write();
        let removed = names.unlink(&path);
        written?;
        self.call = "unlink";
        removed
    }

    fn failed(&self) -> (&'static str, &Path) {
        (self.call, &self.path)
    }
}
