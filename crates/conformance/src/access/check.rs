//! One data access case: two calls write, the whole file is checked by the system's own reads, and two calls
//! read.

use std::path::{Path, PathBuf};

use ranks::mpi::MpiComm;
use storage::Op;
use storage::mpi_file::{
    Datatype, ElementCalls, Info, MpiFile, NamedDatatype, Opener, Pointer, ViewStart, Whence,
};

use super::memory::{GAP_BYTE, MemoryKind, MemoryLayout, PLAIN_MEMORY};
use super::routine::{Completion, Positioning, Routine, Transfer};
use super::view::{RankInGroup, ViewKind, ViewLayout};
use crate::context::CaseContext;
use crate::mpi_files::{CREATE_READ_WRITE, OpenFile};
use crate::problem::{CaseProblem, CaseResult, EarlyEnd, ProblemContext, check_bytes, check_equal};
use crate::system_file;
use crate::test_data;

/// How much a call moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessAmount {
    /// One and a half tiles of the view.
    Tiles,
    /// No data.
    Nothing,
    /// Tiles on even ranks, no data on odd ranks.
    NothingOnOddRanks,
    /// One four-byte integer.
    OneInteger,
    /// More than the buffers of libraries hold, and no multiple of their size.
    BeyondBuffers,
}

/// Who opens the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessGroup {
    /// All ranks.
    World,
    /// Each rank alone: a file per process.
    Alone,
    /// All ranks, in reversed order.
    Reversed,
    /// All ranks but rank 0, which opens a file of its own alone. A single rank opens its file alone too.
    Subset,
}

/// Hints by key and value.
pub(crate) type HintPairs = &'static [(&'static str, &'static str)];

/// The parameters of a case.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccessCase {
    pub(super) routine: &'static Routine,
    pub(super) view: &'static ViewKind,
    pub(super) memory: &'static MemoryKind,
    pub(super) amount: AccessAmount,
    pub(super) group: AccessGroup,
    pub(super) hints: HintPairs,
    pub(super) atomic: bool,
    pub(super) calls: ElementCalls,
    /// Offset of the first byte that the case uses, bytes.
    pub(super) base_offset: u64,
}

/// Bytes of a call that exceeds the buffers of [`SMALL_BUFFERS`]; no multiple of their size.
const BEYOND_BUFFERS: u64 = 80_008;

/// Hints that make buffers smaller than the data of a call.
pub(super) const SMALL_BUFFERS: HintPairs =
    &[("cb_buffer_size", "16384"), ("ind_wr_buffer_size", "16384"), ("ind_rd_buffer_size", "16384")];

/// Untouched bytes after the last byte that is written.
pub(super) const TAIL_BYTES: u64 = 96;

/// One rank's share of a data access case.
pub(super) struct RankAccess<'a> {
    pub(super) case: &'a AccessCase,
    pub(super) comm: &'a MpiComm,
    pub(super) member: RankInGroup,
    pub(super) whose: Opener<'a>,
    pub(super) path: PathBuf,
    /// Whether this rank checks the whole file.
    pub(super) checks_file: bool,
}

impl RankAccess<'_> {
    /// The file layout of rank `rank` of those that opened the file, with the amount that it moves in a call.
    pub(super) fn layout(&self, rank: u32) -> ViewLayout {
        let mut layout = (self.case.view.layout)(RankInGroup { rank, ..self.member });
        layout.each = match self.case.amount {
            AccessAmount::Tiles => layout.each,
            AccessAmount::Nothing => 0,
            AccessAmount::NothingOnOddRanks if rank % 2 == 1 => 0,
            AccessAmount::NothingOnOddRanks => layout.each,
            AccessAmount::OneInteger => 4 / layout.etype,
            AccessAmount::BeyondBuffers => BEYOND_BUFFERS / layout.etype,
        };
        layout.displacement += self.case.base_offset;
        layout
    }

    /// The data that rank `rank` writes in a call, in file order.
    fn data(&self, rank: u32, call: u32) -> Vec<u8> {
        let layout = self.layout(rank);
        self.piece(rank, call, (layout.each * layout.etype) as usize)
    }

    /// Data of `length` bytes that differs from that of every other rank and call.
    pub(super) fn piece(&self, rank: u32, call: u32, length: usize) -> Vec<u8> {
        if self.case.memory.write_only {
            // All elements share one place in memory, so they are all equal.
            test_data::key(rank, call).into_iter().cycle().take(length).collect()
        } else {
            test_data::bytes(rank, call, length)
        }
    }

    /// The expected bytes from `base_offset` on, after both calls of all ranks.
    fn expected_file(&self) -> Vec<u8> {
        let mut end = 0;
        let mut written = Vec::new();
        for rank in 0..self.member.size {
            let layout = self.layout(rank);
            for call in 0..2 {
                let first = (layout.start + u64::from(call) * layout.each) * layout.etype;
                for (at, byte) in self.data(rank, call).into_iter().enumerate() {
                    let place = layout.place(first + at as u64) - self.case.base_offset;
                    end = end.max(place);
                    written.push((place, byte));
                }
            }
        }
        let mut expected_file = vec![test_data::UNTOUCHED; (end + 1 + TAIL_BYTES) as usize];
        written.into_iter().for_each(|(place, byte)| expected_file[place as usize] = byte);
        expected_file
    }

    /// Writes untouched bytes where the case will write and check.
    pub(super) fn prefill(&self, length: usize) -> Result<(), CaseProblem> {
        let file = system_file::open(&self.path)?;
        let wrote = system_file::write_at(&file, &vec![test_data::UNTOUCHED; length], self.case.base_offset);
        wrote.map_err(|problem| {
            system_file::skipped_if_too_long(&self.path, self.case.base_offset + length as u64, problem)
        })
    }

    /// Opens the file with the view, hints and atomic mode of the case. Collective.
    pub(super) fn open(&self, cx: &CaseContext<'_>) -> Result<OpenFile, EarlyEnd> {
        let case = self.case;
        let info = cx.agree("make hints", Info::of(self.comm, case.hints.iter().copied()))?;
        let file = cx.open_as(self.whose, &self.path, &CREATE_READ_WRITE, &info)?;
        if let Some(make_filetype) = case.view.make_filetype {
            let etype = Datatype::named(self.comm, NamedDatatype::Int32);
            let filetype = cx.agree("make the view", make_filetype(&etype, self.member))?;
            let start = ViewStart::Byte(self.layout(self.member.rank).displacement as i64);
            let set = file.set_view(start, &etype, &filetype, "native", &info);
            cx.agree("MPI_File_set_view", set)?;
        }
        if case.atomic {
            cx.agree("MPI_File_set_atomicity", file.set_atomicity(true))?;
        }
        Ok(file)
    }

    pub(super) fn check(&self, cx: &CaseContext<'_>) -> CaseResult {
        let expected_file = self.expected_file();
        cx.all("prefill", || if self.checks_file { self.prefill(expected_file.len()) } else { Ok(()) })?;
        let file = self.open(cx)?;
        cx.agree("write", self.transfer(&file, Op::Write))?;
        cx.close(file)?;
        cx.all("check the whole file", || {
            if self.checks_file { self.check_file(&expected_file) } else { Ok(()) }
        })?;
        let file = self.open(cx)?;
        cx.agree("read", self.transfer(&file, Op::Read))?;
        cx.close(file)
    }

    fn check_file(&self, expected_file: &[u8]) -> Result<(), CaseProblem> {
        let file = system_file::open(&self.path)?;
        let length = file.metadata().context("fstat")?.len();
        let found = system_file::read_at(&file, expected_file.len(), self.case.base_offset)?;
        let what = format!("the file after {}", self.case.routine.name);
        check_bytes(&what, &self.path, self.case.base_offset, expected_file, &found)?;
        check_equal("length of the file", &(self.case.base_offset + expected_file.len() as u64), &length)
    }

    /// The transfers of this rank, one for each of the two calls, with their buffers.
    fn transfers<'m>(&self, memory: &'m MemoryLayout, buffers: [Vec<u8>; 2]) -> Vec<Transfer<'m>> {
        let layout = self.layout(self.member.rank);
        let transfer = |(call, buffer): (usize, Vec<u8>)| {
            let offset = (layout.start + call as u64 * layout.each) as i64;
            Transfer {
                datatype: &memory.datatype,
                count: memory.count,
                buffer,
                offset,
                calls: self.case.calls,
            }
        };
        buffers.into_iter().enumerate().map(transfer).collect()
    }

    /// The kind of memory that calls move: what cannot be read into is read into plain memory.
    pub(super) fn memory_kind(&self, op: Op) -> &'static MemoryKind {
        match op {
            Op::Read if self.case.memory.write_only => MemoryKind::named(PLAIN_MEMORY),
            _ => self.case.memory,
        }
    }

    /// Makes both calls, and checks their results, the buffers and the pointer.
    fn transfer(&self, file: &MpiFile, op: Op) -> Result<(), CaseProblem> {
        let layout = self.layout(self.member.rank);
        let memory = self.memory_kind(op).layout(self.comm, layout.each * layout.etype)?;
        let filled = [0, 1].map(|call| memory.buffer_with(&self.data(self.member.rank, call)));
        let name = self.case.routine.name_of(op);
        let (what, buffers) = match op {
            Op::Write => ("memory that was only to be read".to_owned(), filled.clone()),
            Op::Read => {
                let what = format!("the buffer of {name} (gaps hold 0x{GAP_BYTE:02x})");
                (what, [memory.empty_buffer(), memory.empty_buffer()])
            }
        };
        self.seek_to_start(file, &layout)?;
        let completions = self.case.routine.perform(file, op, self.transfers(&memory, buffers));
        check_statuses(&name, &completions, &memory, &layout)?;
        for (expected, (_, found)) in filled.iter().zip(&completions) {
            check_bytes(&what, Path::new("the buffer"), 0, expected, found)?;
        }
        self.check_pointer(file, &layout)
    }

    fn seek_to_start(&self, file: &MpiFile, layout: &ViewLayout) -> Result<(), CaseProblem> {
        if self.case.routine.positioning != Positioning::IndividualPointer {
            return Ok(());
        }
        file.seek(Pointer::Individual, layout.start as i64, Whence::Start).context("MPI_File_seek")
    }

    /// Calls with an explicit offset leave the individual file pointer; others advance it by what they moved.
    fn check_pointer(&self, file: &MpiFile, layout: &ViewLayout) -> Result<(), CaseProblem> {
        let wanted = if self.case.routine.positioning == Positioning::IndividualPointer {
            (layout.start + 2 * layout.each) as i64
        } else {
            0
        };
        let found = file.position(Pointer::Individual).context("MPI_File_get_position")?;
        check_equal("the rank's own pointer after both calls, in etypes", &wanted, &found)
    }
}

/// Fails unless all calls succeeded and their statuses report all the data.
pub(super) fn check_statuses(
    name: &str,
    completions: &[Completion],
    memory: &MemoryLayout,
    layout: &ViewLayout,
) -> Result<(), CaseProblem> {
    for (number, (done, _)) in completions.iter().enumerate() {
        let call = format!("call {number} of {name}");
        let done = done.clone().context(&call)?;
        let bytes = done.bytes().context("MPI_Get_elements")?;
        check_equal(&format!("bytes that {call} says it moved"), &(layout.each * layout.etype), &bytes)?;
        let count = done.count(&memory.datatype).context("MPI_Get_count")?;
        // For a datatype without data the standard allows any count.
        if memory.datatype.size() > 0 {
            check_equal(&format!("elements that {call} says it moved"), &Some(memory.count as u64), &count)?;
        }
    }
    Ok(())
}
