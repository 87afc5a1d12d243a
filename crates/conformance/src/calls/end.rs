//! Reading past the end of the file, by every data access routine.

use storage::Op;
use storage::mpi_file::{ElementCalls, Flag};

use super::byte;
use crate::access::{GAP_BYTE, Positioning, ROUTINES, Routine, Transfer};
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::problem::{CaseResult, ProblemContext, check_bytes, check_equal};
use crate::test_data;

pub(super) fn cases() -> Vec<ConformanceCase> {
    let case = |routine: &'static Routine| {
        let name = routine.read_name();
        let promise =
            format!("{name} brings what is before the end of the file, says how much, and touches no more");
        ConformanceCase::new(format!("end.{name}"), routine.document, promise, move |cx| {
            read_past_end(cx, routine)
        })
        .mpi()
    };
    ROUTINES.iter().map(case).collect()
}

/// Bytes of the file, and bytes that a read requests.
const LENGTH: usize = 500;
const ASKED: usize = 800;

fn read_past_end(cx: &CaseContext<'_>, routine: &Routine) -> CaseResult {
    let (path, name) = (cx.path("file"), routine.read_name());
    let data = test_data::bytes(0, 1, LENGTH);
    cx.on_rank_0("make", || std::fs::write(&path, &data).context("write"))?;
    let file = cx.open(&path, &[Flag::ReadOnly])?;
    let byte = byte(cx)?;
    let read = || {
        let transfer = Transfer {
            datatype: &byte,
            count: ASKED as i32,
            buffer: vec![GAP_BYTE; ASKED],
            offset: 0,
            calls: ElementCalls::Plain,
        };
        routine.perform(&file, Op::Read, vec![transfer]).remove(0)
    };
    let (done, buffer) = read();
    let found =
        cx.agree("read", done.context(&name).and_then(|done| done.bytes().context("MPI_Get_elements")))?;
    cx.all("look", || {
        // With the shared file pointer the first read gets all the data; the others find the end.
        let wanted = if routine.positioning == Positioning::SharedPointer && found == 0 { 0 } else { LENGTH };
        check_equal("bytes in the status", &(wanted as u64), &found)?;
        let mut expected = data[..wanted].to_vec();
        expected.resize(ASKED, GAP_BYTE);
        check_bytes("the buffer", "the buffer".as_ref(), 0, &expected, &buffer)
    })?;
    if routine.positioning == Positioning::SharedPointer {
        let all = cx.comm.reduce_one(found, ranks::Reduce::Sum)?;
        cx.all("count", || check_equal("bytes that all ranks read together", &(LENGTH as u64), &all))?;
    }
    let (done, _) = read();
    cx.all("read at the end", || {
        let bytes = done.context(&name)?.bytes().context("MPI_Get_elements")?;
        let wanted = if routine.positioning == Positioning::ExplicitOffset { LENGTH as u64 } else { 0 };
        check_equal::<u64>("bytes of a second read", &wanted, &bytes).context(&name)
    })?;
    cx.close(file)
}
