//! Collective calls of several groups of ranks, outstanding at the same time.

use storage::Op;
use storage::mpi_file::{At, Info, MpiRequest, Opener, Participation, Pointer, Whence};

use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::mpi_files::{CREATE_READ_WRITE, OpenFile, mpi_part};
use crate::problem::{CaseProblem, CaseResult, ProblemContext, check_bytes, check_equal};
use crate::system_file;
use crate::test_data;

pub(super) fn cases() -> Vec<ConformanceCase> {
    let row = |name, call: &str, explicit: bool| {
        let promise = format!(
            "several groups of ranks may have {call} and its twin outstanding at the same time, which end \
             in any order"
        );
        let body = move |cx: &mut CaseContext<'_>| concurrent(cx, explicit);
        ConformanceCase::new(name, "MPI 4.1 section 14.6.5", promise, body).mpi()
    };
    vec![
        row("groups.iwrite_all", "MPI_File_iwrite_all", false),
        row("groups.iwrite_at_all", "MPI_File_iwrite_at_all", true),
    ]
}

const EACH: usize = 5000;

/// Every rank is in three groups: all ranks, all ranks in reversed order, and the even or the odd ranks.
fn concurrent(cx: &CaseContext<'_>, explicit: bool) -> CaseResult {
    let world = cx.mpi()?;
    let (half, reversed) = (cx.comm.split(cx.rank() % 2)?, world.reversed()?);
    let names = ["world".to_owned(), "reversed".to_owned(), format!("half.{}", cx.rank() % 2)];
    let groups = [world, &reversed, mpi_part(&*half)];
    let none = Info::none(world);
    let mut files: Vec<OpenFile> = Vec::new();
    for (name, group) in names.iter().zip(groups) {
        files.push(cx.open_as(Opener::All(group), &cx.path(name), &CREATE_READ_WRITE, &none)?);
    }
    let ranks = groups.map(ranks::Comm::rank);
    for op in [Op::Write, Op::Read] {
        let mut pending = Vec::new();
        for (number, file) in files.iter().enumerate() {
            let begun = begin(file, op, (ranks[number], number as u32), explicit);
            pending.push(cx.agree("begin", begun)?);
        }
        // Ranks wait for their requests in different orders.
        let mut numbered: Vec<_> = pending.into_iter().enumerate().collect();
        numbered.rotate_left(cx.rank() as usize % 3);
        cx.agree("end", check_ended(numbered, ranks, op))?;
    }
    for file in files {
        cx.close(file)?;
    }
    cx.all("look", || {
        names.iter().zip(groups).enumerate().try_for_each(|(number, (name, group))| {
            let all = test_data::of_ranks(ranks::Comm::size(group), number as u32, EACH);
            system_file::check_all("the file of a group", &cx.path(name), &all)
        })
    })
}

/// Begins to move the data of a rank in one of its groups.
fn begin(
    file: &OpenFile,
    op: Op,
    (rank, number): (u32, u32),
    explicit: bool,
) -> Result<MpiRequest<'_>, CaseProblem> {
    let place = i64::from(rank) * EACH as i64;
    let at = if explicit { At::Offset(place) } else { At::Individual };
    if !explicit {
        file.seek(Pointer::Individual, place, Whence::Start).context("MPI_File_seek")?;
    }
    let buffer = match op {
        Op::Write => test_data::bytes(rank, number, EACH),
        Op::Read => vec![0; EACH],
    };
    file.start(op, at, Participation::Collective, buffer, file.bytes(EACH)).context("begin")
}

fn check_ended(pending: Vec<(usize, MpiRequest<'_>)>, ranks: [u32; 3], op: Op) -> Result<(), CaseProblem> {
    for (number, request) in pending {
        let (done, buffer) = request.wait();
        check_equal("bytes moved", &(EACH as u64), &done.context("MPI_Wait")?.bytes().context("status")?)?;
        let wanted = test_data::bytes(ranks[number], number as u32, EACH);
        let what = match op {
            Op::Write => "memory that was only to be read",
            Op::Read => "read by one of three groups",
        };
        check_bytes(what, "the buffer".as_ref(), 0, &wanted, &buffer)?;
    }
    Ok(())
}
