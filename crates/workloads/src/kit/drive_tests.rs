//! The measuring loop on storage that fails on demand, with a clock that the test owns.

use std::path::Path;

use measure::{Meter, Scale, Stop, Tick};
use storage::{Buffer, Mode, Open, Storage};
use testkit::{FakeClock, Fault, Faulty};

use super::checker::Checker;
use super::drive::{Ending, Reader, Target, Writer, drive};
use super::layout::Layout;
use super::order::Order;
use super::payload::{Packet, Payload};

const LAYOUT: Layout = Layout { ranks: 1, segments: 4, block: 4096, transfer: 512, file_per_rank: false };

fn payload() -> Payload {
    Payload::new(Packet::Offset, 3, 0)
}

fn meter() -> Meter {
    Meter::new(Scale::NANOSECONDS, LAYOUT.transfer)
}

fn write(storage: &Faulty, stop: Stop, single_attempt: bool) -> (Result<(u64, Ending), String>, Meter, u64) {
    let comm = ranks::local::alone();
    let how = Open { mode: Mode::Write, shared: true, collective: false, bytes: 0 };
    let mut file = storage.open(&comm, Path::new("f"), how).unwrap();
    let mut buffer = Buffer::new(512).unwrap();
    payload().fill(buffer.bytes_mut(), 0);
    let target = Target { file: &mut *file, path: Path::new("f"), single_attempt, short: 0 };
    let mut step = Writer { target, buffer: &mut buffer, payload: payload(), sync_each: false };
    let (mut meter, clock) = (meter(), FakeClock::ticking(10));
    let mut order = Order::sequential(LAYOUT, 0);
    let ended = drive(&clock, &mut step, &mut order, 0, stop, &mut meter, &|| false);
    let short = step.target.short;
    (ended.map_err(|trouble| trouble.to_string()), meter, short)
}

fn read(storage: &Faulty) -> (Result<(u64, Ending), String>, Checker) {
    let comm = ranks::local::alone();
    let how = Open { mode: Mode::Read, shared: true, collective: false, bytes: 0 };
    let mut file = storage.open(&comm, Path::new("f"), how).unwrap();
    let mut buffer = Buffer::new(512).unwrap();
    let mut checker = Checker::new(payload(), 8);
    let target = Target { file: &mut *file, path: Path::new("f"), single_attempt: false, short: 0 };
    let mut step = Reader { target, buffer: &mut buffer, checker: Some(&mut checker) };
    let mut order = Order::shuffled(LAYOUT, 0, 5);
    let (stop, clock) = (Stop::after(32), FakeClock::ticking(10));
    let ended = drive(&clock, &mut step, &mut order, 0, stop, &mut meter(), &|| false);
    (ended.map_err(|trouble| trouble.to_string()), checker)
}

#[test]
fn all_transfers_are_moved_timed_and_compared_once() {
    let storage = Faulty::sound();
    let (ended, meter, _) = write(&storage, Stop::after(32), false);
    assert_eq!(ended, Ok((32, Ending::Complete)));
    assert_eq!((meter.latency.count(), meter.transfers()), (32, 32));
    // Between the two looks of a transfer lies one step of the clock and nothing else.
    assert_eq!((meter.latency.min(), meter.latency.max()), (Some(10), 10));
    let (ended, checker) = read(&storage);
    assert_eq!(ended, Ok((32, Ending::Complete)));
    assert_eq!((checker.bytes, checker.bad_transfers), (16384, 0));
}

#[test]
fn a_deadline_ends_the_loop_after_the_transfer_that_passes_it() {
    let (ended, meter, _) = write(&Faulty::sound(), Stop { transfers: 32, deadline: Tick(100) }, false);
    let (reached, ending) = ended.unwrap();
    assert_eq!(ending, Ending::Deadline);
    assert!(reached > 1 && reached < 10, "{reached} transfers");
    assert_eq!(meter.transfers(), reached);
}

#[test]
fn a_short_write_is_taken_up_again_and_counted_or_refused_when_asked() {
    let storage = Faulty::on_rank(0, Fault::ShortWrite(1024));
    let (ended, _, short) = write(&storage, Stop::after(32), false);
    assert_eq!((ended, short), (Ok((32, Ending::Complete)), 1));
    assert_eq!(read(&storage).1.bad_transfers, 0);
    let (ended, ..) = write(&storage, Stop::after(32), true);
    assert_eq!(ended, Err("f at 1024: short write: moved 256 of 512 bytes".into()));
}

#[test]
fn a_failed_write_names_its_place_and_keeps_the_transfers_before_it() {
    let (ended, meter, _) = write(&Faulty::on_rank(0, Fault::NoSpace(2048)), Stop::after(32), false);
    assert_eq!(ended, Err("f at 2048: no storage space".into()));
    assert_eq!(meter.transfers(), 4);
}

#[test]
fn a_lost_write_and_a_flipped_bit_are_found_where_they_are() {
    let storage = Faulty::on_rank(0, Fault::LostWrite(1536));
    write(&storage, Stop::after(32), false).0.unwrap();
    let (_, checker) = read(&storage);
    assert_eq!(checker.bad_transfers, 1);
    assert_eq!(checker.bad[0].offset, 1536);

    let storage = Faulty::on_rank(0, Fault::FlippedBit(512));
    write(&storage, Stop::after(32), false).0.unwrap();
    let (_, checker) = read(&storage);
    assert_eq!((checker.bad_transfers, checker.bad[0].offset), (1, 512 + 256));
}

#[test]
fn a_file_that_ends_early_names_where() {
    let storage = Faulty::sound();
    write(&storage, Stop::after(3), false).0.unwrap();
    let (ended, _) = read(&storage);
    let told = ended.unwrap_err();
    assert!(told.starts_with("f at ") && told.ends_with("end of file: moved 0 of 512 bytes"), "{told}");
}
