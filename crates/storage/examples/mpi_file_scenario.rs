//! Every call of the safe wrapper of MPI files, on MPI ranks: `mpirun -n 4 mpi_file_scenario FILE`. Add the
//! argument `crashes` for a library that crashes in nonblocking collective calls.
//!
//! Prints `ok` and then, one per line, where this library deviates from the standard; the test
//! `tests/mpi/mpi_file.rs` starts it. Properties of the wrapper itself are asserted.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::process::ExitCode;

use ranks::mpi::{MpiComm, MpiWorld};
use ranks::{Comm, launcher};
use storage::Op;
use storage::mpi_file::{
    At, Class, Conversion, Datatype, DimensionOrder, Distribution, Elements, Flag, Handler, Info, MpiError,
    MpiFile, NamedDatatype, Opener, Participation, Pointer, RequestProgress, ViewStart, Whence,
    handler_calls, register_datarep,
};

/// Numbers of four bytes that each rank moves in a call.
const EACH: i32 = 64;

fn main() -> ExitCode {
    let lookup = |name: &str| std::env::var(name).ok();
    let path = std::env::args().nth(1).expect("the first argument is a path");
    let world =
        MpiWorld::start(launcher::detect(&lookup).as_ref(), &lookup).expect("an MPI library is installed");
    let (comm, path) = (world.comm(), Path::new(&path));
    let mut odd = Vec::new();
    datatypes(comm);
    cells(comm, path, std::env::args().nth(2).is_some(), &mut odd);
    outstanding(comm, path, &mut odd);
    views(comm, path, &mut odd);
    settings(comm, path, &mut odd);
    mistakes(comm, path, &mut odd);
    if comm.rank() == 0 {
        println!("ok");
        odd.iter().for_each(|words| println!("odd: {words}"));
    }
    world.finish().expect("MPI ends");
    ExitCode::SUCCESS
}

/// Opens an empty file; an existing one is replaced.
fn fresh(comm: &MpiComm, path: &Path) -> MpiFile {
    let info = Info::none(comm);
    if comm.rank() == 0 {
        let _ = MpiFile::delete(comm, path, &info);
    }
    comm.barrier().expect("all ranks reach the barrier");
    MpiFile::open(Opener::All(comm), path, &[Flag::Create, Flag::ReadWrite], &info).expect("it opens")
}

/// The data that a rank writes in the call with this number.
fn pattern(rank: u32, call: u32) -> Vec<u8> {
    (0..EACH as u32).flat_map(|index| (rank << 16 | call << 8 | index).to_ne_bytes()).collect()
}

fn datatypes(comm: &MpiComm) {
    let int = Datatype::named(comm, NamedDatatype::Int32);
    let facts = |kind: &Datatype| (kind.size(), kind.extent(), kind.true_lower(), kind.true_extent());
    assert_eq!(facts(&int), (4, 4, 0, 4));
    let made = [
        (int.contiguous(3), (12, 12, 0, 12)),
        (int.vector(3, 1, 2), (12, 20, 0, 20)),
        (int.hvector(2, 1, -16), (8, 20, -16, 20)),
        (int.indexed(&[1, 2], &[4, 1]), (12, 16, 4, 16)),
        (int.hindexed(&[1, 2], &[0, 32]), (12, 40, 0, 40)),
        (int.indexed_block(2, &[0, 3]), (16, 20, 0, 20)),
        (int.hindexed_block(1, &[8, 0]), (8, 12, 0, 12)),
        (int.resized(-4, 64), (4, 64, 0, 4)),
        (int.subarray(&[4, 4], &[2, 2], &[1, 1], DimensionOrder::C), (16, 64, 20, 24)),
        (int.subarray(&[4, 4], &[1, 2], &[1, 1], DimensionOrder::Fortran), (8, 64, 20, 20)),
    ];
    for (index, (kind, expected)) in made.into_iter().enumerate() {
        assert_eq!(facts(&kind.expect("it is made")), expected, "shape {index}");
    }
    let byte = Datatype::named(comm, NamedDatatype::Byte);
    let both = Datatype::structure(&[1, 2], &[0, 8], &[&int, &byte]).expect("it is made");
    assert_eq!((both.size(), both.true_extent()), (6, 10));
    let dealt = [Distribution::Cyclic(Some(3)), Distribution::Block(None), Distribution::None];
    let dealt = int.darray((1, 4), &[12, 4, 2], &dealt, &[2, 2, 1], DimensionOrder::C).expect("it is made");
    assert_eq!((dealt.size(), dealt.extent()), (4 * 6 * 2 * 2, 4 * 12 * 4 * 2));
    let huge = byte.many((3 << 30) + 5).expect("it is made");
    assert_eq!(
        (huge.size(), huge.extent(), huge.true_extent()),
        ((3 << 30) + 5, (3 << 30) + 5, (3 << 30) + 5)
    );
    let back = int.hvector(2, 1, -16).expect("it is made");
    let reach = Elements { origin: 16, ..Elements::new(&back, 2) }.reach();
    assert_eq!(reach, (0, 40), "the elements go backwards from the start");
}

/// The offset at which each rank moves its share in the round of this number, in a file seen as numbers of
/// four bytes.
fn share(comm: &MpiComm, round: u32) -> i64 {
    i64::from(round * comm.size() + comm.rank()) * i64::from(EACH)
}

/// Explicit, individual and shared offsets; independent and collective; blocking, nonblocking and split
/// calls.
fn cells(comm: &MpiComm, path: &Path, crashes: bool, odd: &mut Vec<String>) {
    let int = Datatype::named(comm, NamedDatatype::Int32);
    let all = Elements::new(&int, EACH);
    for at in [At::Offset(0), At::Individual, At::Shared] {
        for way in [Participation::Independent, Participation::Collective] {
            for how in 0..3 {
                let exists = match how {
                    1 => way == Participation::Independent || (at != At::Shared && !crashes),
                    2 => way == Participation::Collective,
                    _ => true,
                };
                if exists {
                    cell(comm, path, (at, way, how), all, odd);
                }
            }
        }
    }
}

fn cell(
    comm: &MpiComm,
    path: &Path,
    (at, way, how): (At, Participation, u32),
    all: Elements<'_>,
    odd: &mut Vec<String>,
) {
    let (file, info, bytes) = (fresh(comm, path), Info::none(comm), 4 * EACH as u64);
    let whole = i64::from(EACH) * i64::from(comm.size());
    file.set_view(ViewStart::Byte(0), all.kind, all.kind, "native", &info).expect("it is set");
    let place = |round| if let At::Offset(_) = at { At::Offset(share(comm, round)) } else { at };
    let go = |round| {
        if at == At::Individual {
            file.seek(Pointer::Individual, share(comm, round), Whence::Start).expect("it seeks");
        }
    };
    for round in 0..2 {
        go(round);
        let data = pattern(comm.rank(), round);
        let done = match how {
            0 => file.write(place(round), way, &data, all).expect("it writes"),
            1 => file
                .start(Op::Write, place(round), way, data, all)
                .expect("it begins")
                .wait()
                .0
                .expect("it ends"),
            _ => file.begin(Op::Write, place(round), data, all).expect("it begins").end().0.expect("it ends"),
        };
        assert_eq!(done.bytes(), Ok(bytes), "{at:?} {way:?} {how}");
        let counted = (done.count(all.kind), done.elements(all.kind));
        assert_eq!(counted, (Ok(Some(EACH as u64)), Ok(Some(EACH as u64))));
        if done.cancelled() != Ok(false) {
            odd.push(format!("{at:?} {way:?} {how}: reports an ended call as cancelled"));
        }
    }
    file.sync().expect("it syncs");
    comm.barrier().expect("all ranks reach the barrier");
    file.sync().expect("it syncs");
    if at == At::Shared {
        let position = file.position(Pointer::Shared).expect("MPI reports the position");
        if position != 2 * whole {
            odd.push(format!("{way:?} {how}: the shared pointer is at {position}, not {}", 2 * whole));
        }
        file.seek(Pointer::Shared, 0, Whence::Start).expect("it seeks");
    }
    for round in 0..2 {
        go(round);
        let room = vec![0; bytes as usize];
        let (done, data) = match how {
            0 => {
                let mut data = room;
                (file.read(place(round), way, &mut data, all), data)
            }
            1 => file.start(Op::Read, place(round), way, room, all).expect("it begins").wait(),
            _ => file.begin(Op::Read, place(round), room, all).expect("it begins").end(),
        };
        assert_eq!(done.expect("it reads").bytes(), Ok(bytes));
        // At the shared pointer, independent calls of ranks in any order read each other's data.
        if at != At::Shared || way == Participation::Collective {
            assert_eq!(data, pattern(comm.rank(), round), "{at:?} {way:?} {how}");
        }
    }
    assert_eq!(file.size(), Ok(2 * whole * 4));
    file.close().expect("it closes");
}

/// Several requests at once, tested until they end; a freed request; a cancelled request; an empty transfer.
fn outstanding(comm: &MpiComm, path: &Path, odd: &mut Vec<String>) {
    let (file, byte) = (fresh(comm, path), Datatype::named(comm, NamedDatatype::Byte));
    let kib = Elements::new(&byte, 1024);
    let place = |index: u32| At::Offset(i64::from(comm.rank() * 8 + index) * 1024);
    let begin = |index: u32| {
        file.start(Op::Write, place(index), Participation::Independent, vec![index as u8; 1024], kib)
            .expect("it begins")
    };
    let mut outstanding: Vec<_> = (0..8).map(begin).collect();
    let mut ended = 0;
    while let Some(request) = outstanding.pop() {
        match request.test() {
            RequestProgress::Outstanding(request) => outstanding.insert(0, request),
            RequestProgress::Ended(done, buffer) => {
                assert_eq!((done.expect("it ends").bytes(), buffer.len()), (Ok(1024), 1024));
                ended += 1;
            }
        }
    }
    assert_eq!(ended, 8);
    let mut asked = begin(0);
    let cancel = asked.cancel();
    let (done, buffer) = asked.wait();
    if !done.as_ref().is_ok_and(|done| done.cancelled() == Ok(false)) || buffer.len() != 1024 {
        odd.push(format!("cancel: {cancel:?}, then {done:?}"));
    }
    let _ = begin(1).free();
    let nothing = Elements::new(&byte, 0);
    let done =
        file.write(At::Offset(0), Participation::Collective, &[], nothing).expect("nothing is written");
    assert_eq!(done.bytes(), Ok(0));
    let far = At::Offset((1 << 41) + i64::from(comm.rank()));
    file.write(far, Participation::Independent, b"x", Elements::new(&byte, 1)).expect("it is sparse");
    let mut found = [0];
    file.read(far, Participation::Independent, &mut found, Elements::new(&byte, 1)).expect("it reads");
    assert_eq!(&found, b"x");
    file.close().expect("it closes");
}

fn views(comm: &MpiComm, path: &Path, odd: &mut Vec<String>) {
    let (file, info) = (fresh(comm, path), Info::none(comm));
    let (int, ranks) = (Datatype::named(comm, NamedDatatype::Int32), comm.size() as i32);
    let mine = int.resized(0, 4 * comm.size() as isize).expect("it is made");
    let start = ViewStart::Byte(100 + 4 * i64::from(comm.rank()));
    file.set_view(start, &int, &mine, "native", &info).expect("it is set");
    let view = file.view().expect("MPI reports the view");
    let start = 100 + 4 * i64::from(comm.rank());
    assert_eq!((view.displacement, &*view.datarep, view.etype.size), (start, "native", 4));
    assert!((view.filetype.size, view.filetype.extent) == (4, i64::from(4 * ranks)) && view.etype.is_named);
    assert_eq!(file.byte_offset(3), Ok(start + 12 * i64::from(ranks)));
    // Every second number of the memory goes into every nth of the file.
    let gaps = int.vector(EACH, 1, 2).expect("it is made");
    let mut memory = vec![0xa5; 8 * EACH as usize];
    for (number, bytes) in pattern(comm.rank(), 7).chunks(4).enumerate() {
        memory[8 * number..8 * number + 4].copy_from_slice(bytes);
    }
    let all = Elements::new(&gaps, 1);
    file.write(At::Individual, Participation::Collective, &memory, all).expect("it writes");
    assert_eq!(file.position(Pointer::Individual), Ok(EACH.into()));
    let mut back = vec![0xa5; memory.len()];
    file.seek(Pointer::Individual, 0, Whence::Start).expect("it seeks");
    let done = file.read(At::Individual, Participation::Collective, &mut back, all).expect("it reads");
    assert_eq!(back, memory, "the gaps did not change");
    assert_eq!(done.bytes(), Ok(4 * EACH as u64));
    // A rank with an empty view.
    let nothing = int.contiguous(0).and_then(|kind| kind.resized(0, 4)).expect("it is made");
    let some = if comm.rank() == 0 { &mine } else { &nothing };
    if let Err(error) = file.set_view(ViewStart::Byte(0), &int, some, "native", &info) {
        odd.push(format!("empty filetype: {error}"));
    } else {
        let count = if comm.rank() == 0 { 1 } else { 0 };
        let all = Elements::new(&int, count);
        file.write(At::Individual, Participation::Collective, &memory, all).expect("it writes");
    }
    file.close().expect("it closes");
    let how = [Flag::Sequential, Flag::Create, Flag::WriteOnly];
    let file = MpiFile::open(Opener::All(comm), path, &how, &info).expect("it opens");
    if let Err(error) = file.set_view(ViewStart::Current, &int, &int, "native", &info) {
        odd.push(format!("MPI_DISPLACEMENT_CURRENT: {error}"));
    }
    file.close().expect("it closes");
}

fn settings(comm: &MpiComm, path: &Path, odd: &mut Vec<String>) {
    let info = Info::new(comm, [("cb_buffer_size", "65536")]).expect("it is made");
    assert_eq!(info.pairs(), Ok(vec![("cb_buffer_size".to_owned(), "65536".to_owned())]));
    let file = fresh(comm, path);
    assert_eq!(file.amode(), Ok(vec![Flag::ReadWrite, Flag::Create]));
    assert_eq!(file.group_is(comm), Ok(true));
    file.set_info(&info).expect("MPI accepts the hints");
    if file.info().expect("MPI reports hints").pairs().expect("all").is_empty() {
        odd.push("a file reports no hints".into());
    }
    file.set_size(1000).expect("it grows");
    file.preallocate(5000).expect("there is free space");
    if file.size() != Ok(5000) {
        odd.push(format!("preallocated 5000 bytes, and the size is {:?}", file.size()));
    }
    assert_eq!(file.atomicity(), Ok(false));
    file.set_atomicity(true).expect("atomic mode can be set");
    assert_eq!(file.atomicity(), Ok(true));
    assert_eq!(file.type_extent(&Datatype::named(comm, NamedDatatype::Double)), Ok(8));
    assert_eq!(file.returns_errors(), Ok(true));
    file.close().expect("it closes");
    let own = path.with_extension(comm.rank().to_string());
    let how = [Flag::Create, Flag::ReadWrite, Flag::DeleteOnClose];
    let file = MpiFile::open(Opener::Alone(comm), &own, &how, &info).expect("it opens");
    assert_eq!(file.group_is(comm), Ok(comm.size() == 1));
    file.close().expect("it closes");
    assert!(!own.exists(), "the close deleted it");
    for (name, conversion) in [("assay-same", Conversion::None), ("assay-copy", Conversion::Copies)] {
        if let Err(error) = register_datarep(comm, name, conversion) {
            odd.push(format!("register_datarep {name}: {error}"));
        }
    }
    match register_datarep(comm, "assay-same", Conversion::None).map_err(|error| error.class) {
        Err(Class::DupDatarep) => {}
        other => odd.push(format!("a second register_datarep: {other:?}")),
    }
}

/// Notes a mistake that the library does not answer with an error of this class.
fn expect(odd: &mut Vec<String>, what: &str, class: Class, result: Result<(), MpiError>) {
    match result {
        Err(error) if error.class == class => assert!(!error.words.is_empty() && error.code != 0, "{what}"),
        other => odd.push(format!("{what}: {other:?}")),
    }
}

fn mistakes(comm: &MpiComm, path: &Path, odd: &mut Vec<String>) {
    let (info, byte) = (Info::none(comm), Datatype::named(comm, NamedDatatype::Byte));
    let open = |path: &Path, how: &[Flag]| MpiFile::open(Opener::All(comm), path, how, &info);
    let closed = |opened: Result<MpiFile, MpiError>| opened.and_then(MpiFile::close);
    expect(odd, "no file", Class::NoSuchFile, closed(open(Path::new("./nowhere"), &[Flag::ReadOnly])));
    expect(odd, "two modes", Class::Amode, closed(open(path, &[Flag::ReadOnly, Flag::ReadWrite])));
    let nul = closed(open(Path::new("a\0b"), &[Flag::ReadOnly]));
    assert_eq!(nul.map_err(|error| error.class), Err(Class::NoCall));
    let file = fresh(comm, path);
    file.set_handler(Handler::Counts).expect("it is set");
    assert_eq!(file.returns_errors(), Ok(false));
    let before = handler_calls();
    let _ = file.call_handler(Class::NoSpace);
    assert_eq!(handler_calls(), before + 1);
    let int = Datatype::named(comm, NamedDatatype::Int32);
    let set = |start, kind: &Datatype| file.set_view(ViewStart::Byte(start), &int, kind, "native", &info);
    expect(odd, "negative displacement", Class::Arg, set(-8, &int));
    let _ = set(0, &int);
    let three = byte.contiguous(3).expect("it is made");
    match set(0, &three) {
        Err(_) => {}
        Ok(()) => odd.push("a filetype that does not consist of the etype: no error".into()),
    }
    let unknown = file.set_view(ViewStart::Byte(0), &int, &int, "no such", &info);
    expect(odd, "unknown datarep", Class::UnsupportedDatarep, unknown);
    let null = Datatype::null(comm);
    let none =
        file.write(At::Offset(0), Participation::Independent, b"abcd", Elements::new(&null, 1)).map(drop);
    expect(odd, "null datatype", Class::Type, none);
    let ordered = file
        .start(Op::Write, At::Shared, Participation::Collective, vec![0; 4], Elements::new(&byte, 4))
        .map(drop);
    assert_eq!(ordered.map_err(|rejected| rejected.buffer), Err(vec![0; 4]), "the buffer is returned");
    let first = file.begin(Op::Write, At::Offset(0), vec![0; 4], Elements::new(&byte, 4)).expect("it begins");
    if let Ok(second) = file.begin(Op::Write, At::Offset(0), vec![0; 4], Elements::new(&byte, 4)) {
        odd.push("a second split call was accepted".into());
        let _ = second.end();
    }
    let _ = first.end();
    file.close().expect("it closes");
}
