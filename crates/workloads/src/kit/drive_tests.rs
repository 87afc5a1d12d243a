//! The measuring loop on storage with injected faults, with a clock that the test controls.

use std::io;
use std::path::Path;

use measure::{Meter, Scale, Tick};
use storage::{Buffer, EndedTransfer, File, Mode, Op, Open, Parts, Queue, Storage, Wait};
use testkit::{FakeClock, Fault, Faulty};

use super::checker::{Checker, DamageKind};
use super::drive::{LoopCourse, Stop, drive};
use super::layout::DataLayout;
use super::mix::Mix;
use super::order::TransferOrder;
use super::pace::Ending;
use super::pace::Pace;
use super::payload::{DataIdentity, Packet, Payload};
use super::queued::{Direction, QueueWork, drive_queue};
use super::steps::{Mixed, ONE_CALL, Reader, TransferTarget, Writer};
use super::tally::TransferTally;

const LAYOUT: DataLayout =
    DataLayout { ranks: 1, segments: 4, block: 4096, transfer: 512, file_per_rank: false };

fn payload() -> Payload {
    Payload::new(DataIdentity { packet: Packet::Offset, signature: 3, ..DataIdentity::default() })
}

fn tally() -> TransferTally {
    TransferTally::new(Meter::new(Scale::NANOSECONDS, LAYOUT.transfer))
}

fn course(stop: Stop) -> LoopCourse<'static> {
    LoopCourse { from: 0, stop, pace: Pace::FREE, alarm: &|| false }
}

#[test]
fn a_deadline_passes_only_after_its_moment_and_never_if_there_is_none() {
    let stop = Stop { transfers: 10, deadline: Tick(100) };
    assert!(!stop.passed(Tick(100)) && stop.passed(Tick(101)));
    assert!(!Stop::after(3).passed(Tick(u64::MAX)));
}

fn write(storage: &Faulty, stop: Stop, single_attempt: bool) -> (Result<(u64, Ending), String>, Meter, u64) {
    let comm = ranks::local::alone();
    let how = Open { mode: Mode::Write, shared: true, collective: false, bytes: 0, parts: Parts::NONE };
    let mut file = storage.open(&comm, Path::new("f"), how).unwrap();
    let mut buffer = Buffer::new(512).unwrap();
    payload().fill(buffer.bytes_mut(), 0);
    let target = TransferTarget { file: &mut *file, path: Path::new("f"), single_attempt, short: 0 };
    let mut step = Writer { target, buffer: &mut buffer, payload: payload(), sync_each: false };
    let (mut tally, clock) = (tally(), FakeClock::ticking(10));
    let mut order = TransferOrder::sequential(LAYOUT, 0);
    let ended = drive(&clock, &mut step, &mut order, &course(stop), &mut tally);
    let short = step.target.short;
    (ended.map_err(|trouble| trouble.to_string()), tally.meter, short)
}

fn read(storage: &Faulty) -> (Result<(u64, Ending), String>, Checker) {
    let comm = ranks::local::alone();
    let how = Open { mode: Mode::Read, shared: true, collective: false, bytes: 0, parts: Parts::NONE };
    let mut file = storage.open(&comm, Path::new("f"), how).unwrap();
    let mut buffer = Buffer::new(512).unwrap();
    let mut checker = Checker::new(payload(), 8);
    let target = TransferTarget { file: &mut *file, path: Path::new("f"), single_attempt: false, short: 0 };
    let mut step = Reader::new(target, &mut buffer, Some(&mut checker));
    let mut order = TransferOrder::shuffled(LAYOUT, 0, 5);
    let (stop, clock) = (Stop::after(32), FakeClock::ticking(10));
    let ended = drive(&clock, &mut step, &mut order, &course(stop), &mut tally());
    (ended.map_err(|trouble| trouble.to_string()), checker)
}

#[test]
fn all_transfers_are_moved_timed_and_compared_once() {
    let storage = Faulty::sound();
    let (ended, meter, _) = write(&storage, Stop::after(32), false);
    assert_eq!(ended, Ok((32, Ending::Complete)));
    assert_eq!((meter.latency.count(), meter.transfers()), (32, 32));
    // Between the two clock readings of a transfer lies one step of the clock and nothing else.
    assert_eq!((meter.latency.min(), meter.latency.max()), (Some(10), 10));
    let (ended, checker) = read(&storage);
    assert_eq!(ended, Ok((32, Ending::Complete)));
    assert_eq!((checker.bytes, checker.bad_transfers), (16384, 0));
}

#[test]
fn a_deadline_ends_the_loop_after_the_transfer_that_ends_beyond_it() {
    let (ended, meter, _) = write(&Faulty::sound(), Stop { transfers: 32, deadline: Tick(100) }, false);
    let (reached, ending) = ended.unwrap();
    assert_eq!(ending, Ending::Deadline);
    assert!(reached > 1 && reached < 10, "{reached} transfers");
    assert_eq!(meter.transfers(), reached);
}

#[test]
fn a_short_write_is_continued_and_counted_or_fails_with_single_attempt() {
    let storage = Faulty::on_rank(0, Fault::ShortWrite(1024));
    let (ended, _, short) = write(&storage, Stop::after(32), false);
    assert_eq!((ended, short), (Ok((32, Ending::Complete)), 1));
    assert_eq!(read(&storage).1.bad_transfers, 0);
    let (ended, ..) = write(&storage, Stop::after(32), true);
    assert_eq!(ended, Err("f at 1280: short write: moved 256 of 512 bytes".into()));
}

#[test]
fn a_failed_write_reports_its_offset_and_keeps_the_transfers_before_it() {
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
fn a_file_that_ends_early_is_an_error_or_truncates_every_later_transfer_of_a_comparison() {
    let storage = Faulty::sound();
    write(&storage, Stop::after(3), false).0.unwrap();
    let (ended, checker) = read(&storage);
    assert_eq!((ended, checker.bad_transfers), (Ok((32, Ending::Complete)), 29));
    assert_eq!(checker.bytes, 3 * 512);
    assert!(checker.bad.iter().all(|bad| bad.kind == DamageKind::Truncated && bad.offset >= 3 * 512));

    let comm = ranks::local::alone();
    let how = Open { mode: Mode::Read, shared: true, collective: false, bytes: 0, parts: Parts::NONE };
    let mut file = storage.open(&comm, Path::new("f"), how).unwrap();
    let mut buffer = Buffer::new(512).unwrap();
    let target = TransferTarget { file: &mut *file, path: Path::new("f"), single_attempt: false, short: 0 };
    let mut step = Reader::new(target, &mut buffer, None);
    let mut order = TransferOrder::sequential(LAYOUT, 0);
    let ended = drive(&FakeClock::ticking(10), &mut step, &mut order, &course(Stop::after(32)), &mut tally());
    assert_eq!(ended.unwrap_err().to_string(), "f at 1536: end of file: moved 0 of 512 bytes");
}

#[test]
fn a_mixed_phase_counts_reads_and_writes_separately_and_keeps_the_data() {
    let storage = Faulty::sound();
    write(&storage, Stop::after(32), false).0.unwrap();
    let before = storage.bytes(Path::new("f"));
    let comm = ranks::local::alone();
    let how = Open { mode: Mode::Write, shared: true, collective: false, bytes: 0, parts: Parts::NONE };
    let mut file = storage.open(&comm, Path::new("f"), how).unwrap();
    let (mut buffer, mut written) = (Buffer::new(512).unwrap(), Buffer::new(512).unwrap());
    payload().fill(written.bytes_mut(), 0);
    let target = TransferTarget { file: &mut *file, path: Path::new("f"), single_attempt: false, short: 0 };
    let reader = Reader::new(target, &mut buffer, None);
    let mix = Mix::new(25, 3);
    let mut step =
        Mixed { reader, written: &mut written, payload: payload(), sync_each: false, mix, number: 0 };
    let mut tally = tally().mixed(Meter::new(Scale::NANOSECONDS, LAYOUT.transfer));
    let mut order = TransferOrder::shuffled(LAYOUT, 0, 5);
    drive(&FakeClock::ticking(10), &mut step, &mut order, &course(Stop::after(200)), &mut tally).unwrap();
    let reads = tally.reads.as_ref().map(Meter::transfers);
    assert_eq!((tally.transfers(), tally.meter.transfers(), reads), (200, 150, Some(50)));
    assert_eq!(storage.bytes(Path::new("f")), before);
}

#[test]
fn under_a_rate_limit_a_slow_transfer_makes_the_next_ones_late() {
    let storage = Faulty::sound();
    let comm = ranks::local::alone();
    let how = Open { mode: Mode::Write, shared: true, collective: false, bytes: 0, parts: Parts::NONE };
    let mut file = storage.open(&comm, Path::new("f"), how).unwrap();
    let mut buffer = Buffer::new(512).unwrap();
    let target = TransferTarget { file: &mut *file, path: Path::new("f"), single_attempt: false, short: 0 };
    let mut step = Writer { target, buffer: &mut buffer, payload: payload(), sync_each: false };
    // Every reading of the clock is 100 ns later, so a rate of one transfer every 10 ns cannot be reached.
    let course = LoopCourse { pace: Pace::limited(Tick(0), 10.0), ..course(Stop::after(32)) };
    let (mut tally, mut order) = (tally(), TransferOrder::sequential(LAYOUT, 0));
    drive(&FakeClock::ticking(100), &mut step, &mut order, &course, &mut tally).unwrap();
    let latency = &tally.meter.latency;
    assert!(latency.min() >= Some(100) && latency.max() > 32 * 90, "{:?}..{}", latency.min(), latency.max());
}

/// The result of a queued loop over a file: how it ended, what it counted, and the wrong data it found.
struct Queued {
    ended: Result<(u64, Ending), String>,
    tally: TransferTally,
    checker: Checker,
    most: usize,
    short: u64,
}

fn queued(storage: &Faulty, op: Op, stop: Stop, depth: usize) -> Queued {
    queued_at(Pace::FREE, storage, op, stop, depth)
}

fn queued_at(pace: Pace, storage: &Faulty, op: Op, stop: Stop, depth: usize) -> Queued {
    let comm = ranks::local::alone();
    let how = Open { mode: Mode::Write, shared: true, collective: false, bytes: 0, parts: Parts::NONE };
    let mut file = storage.open(&comm, Path::new("f"), how).unwrap();
    let mut queue = storage.queue_on(&comm, Path::new("f"), depth, 512);
    let mut checker = Checker::new(payload(), 8);
    if op == Op::Write {
        (0..depth).for_each(|slot| payload().fill(queue.buffer(slot), 0));
    }
    let direction = if op == Op::Write { Direction::Write } else { Direction::Read(Some(&mut checker)) };
    let (path, file) = (Path::new("f"), &mut *file);
    let payload = payload();
    let (sync_each, single_attempt) = (false, false);
    let mut work =
        QueueWork { queue: &mut queue, file, path, direction, payload, sync_each, single_attempt, short: 0 };
    let (mut tally, mut order) = (tally(), TransferOrder::shuffled(LAYOUT, 0, 5));
    let course = LoopCourse { pace, ..course(stop) };
    let ended = drive_queue(&FakeClock::ticking(10), &mut work, &mut order, &course, &mut tally);
    let short = work.short;
    let ended = ended.map_err(|trouble| trouble.to_string());
    Queued { ended, tally, checker, most: queue.most, short }
}

#[test]
fn a_queue_is_kept_full_and_every_transfer_is_moved_and_compared_once() {
    for depth in [1, 3, 8, 50] {
        let storage = Faulty::sound();
        let wrote = queued(&storage, Op::Write, Stop::after(32), depth);
        assert_eq!(wrote.ended, Ok((32, Ending::Complete)));
        assert_eq!((wrote.tally.meter.latency.count(), wrote.most), (32, depth.min(32)));
        let read = queued(&storage, Op::Read, Stop::after(32), depth);
        assert_eq!(read.ended, Ok((32, Ending::Complete)));
        assert_eq!((read.checker.bytes, read.checker.bad_transfers), (32 * 512, 0));
    }
}

#[test]
fn at_a_deadline_outstanding_transfers_end_and_count() {
    let storage = Faulty::sound();
    let stop = Stop { transfers: 32, deadline: Tick(200) };
    let stopped = queued(&storage, Op::Write, stop, 4);
    let (reached, ending) = stopped.ended.unwrap();
    assert_eq!(ending, Ending::Deadline);
    assert!(reached < 32, "{reached}");
    assert_eq!((stopped.tally.transfers(), stopped.tally.meter.latency.count()), (reached, reached));
    let bytes = storage.bytes(Path::new("f")).unwrap();
    let written = bytes.chunks(512).filter(|piece| piece.iter().any(|byte| *byte != 0)).count();
    assert_eq!(written as u64, reached, "exactly the counted transfers are in the file");
}

#[test]
fn in_a_queue_faults_are_reported_as_without_a_queue() {
    let storage = Faulty::on_rank(0, Fault::ShortWrite(1024));
    let short = queued(&storage, Op::Write, Stop::after(32), 8);
    assert_eq!((short.ended, short.short), (Ok((32, Ending::Complete)), 1));
    let back = queued(&storage, Op::Read, Stop::after(32), 8);
    assert_eq!(back.checker.bad_transfers, 0, "the rest of the short write went to its place");

    let full = queued(&Faulty::on_rank(0, Fault::NoSpace(4096)), Op::Write, Stop::after(32), 8);
    let why = full.ended.unwrap_err();
    assert!(why.starts_with("f at ") && why.ends_with("no storage space"), "{why}");

    let no_ends = queued(&Faulty::on_rank(0, Fault::Reap), Op::Write, Stop::after(32), 8);
    assert_eq!((no_ends.ended, no_ends.tally.transfers()), (Err("f at 0: lost the ring".into()), 0));

    let storage = Faulty::on_rank(0, Fault::LostWrite(1536));
    queued(&storage, Op::Write, Stop::after(32), 8).ended.unwrap();
    let read = queued(&storage, Op::Read, Stop::after(32), 8);
    assert_eq!((read.checker.bad_transfers, read.checker.bad[0].offset), (1, 1536));

    let storage = Faulty::sound();
    queued(&storage, Op::Write, Stop::after(3), 8).ended.unwrap();
    let read = queued(&storage, Op::Read, Stop::after(32), 8);
    assert_eq!(read.ended, Ok((32, Ending::Complete)));
    assert!(read.checker.bad_transfers > 0, "the file ends early");
    assert_eq!(read.short, 0, "no transfer was continued");
    let (whole, meter) = (32 - read.checker.kinds[DamageKind::Truncated as usize], &read.tally.meter);
    assert_eq!((read.tally.transfers(), meter.transfers(), meter.bytes()), (32, whole, whole * 512));
}

#[test]
fn in_a_queue_a_transfer_that_waits_for_its_moment_is_timed_from_its_start() {
    // Clock readings are 10 ns apart, and the moments of the rate limit 1,003 ns.
    let pace = Pace::limited(Tick(500), 1003.0);
    let held = queued_at(pace, &Faulty::sound(), Op::Write, Stop::after(32), 8).tally.meter.latency;
    let (first, last) = (held.min().unwrap(), held.max());
    assert!(first == last && last <= 20, "{first}..{last}");
}

#[test]
fn in_a_full_queue_a_late_transfer_is_timed_from_its_moment() {
    let pace = Pace::limited(Tick(0), 1.0);
    let late = queued_at(pace, &Faulty::sound(), Op::Write, Stop::after(32), 2).tally.meter.latency;
    assert!(late.max() > 32 * 5, "{}", late.max());
}

#[test]
fn in_a_queue_a_transfer_that_ends_during_a_pause_is_noticed_at_once() {
    let pace = Pace::FREE.pausing(1);
    let all = queued_at(pace, &Faulty::sound(), Op::Write, Stop::after(32), 8).tally;
    assert!(all.meter.latency.max() <= 20, "{}", all.meter.latency.max());
    // The last of 32 transfers would begin after 31 pauses of a microsecond.
    let early = Stop { transfers: 32, deadline: Tick(31_000) };
    assert_eq!(queued_at(pace, &Faulty::sound(), Op::Write, early, 8).ended, Ok((31, Ending::Deadline)));
}

/// A queue of one slot that reports as much as one Linux call moves, and moves nothing.
struct Huge(Vec<u8>, Option<usize>);

impl Queue for Huge {
    fn depth(&self) -> usize {
        1
    }

    fn buffer(&mut self, _slot: usize) -> &mut [u8] {
        &mut self.0
    }

    fn attach(&mut self, _file: &dyn File) -> io::Result<()> {
        Ok(())
    }

    fn detach(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn submit(&mut self, _slot: usize, _op: Op, from: usize, _offset: u64) -> io::Result<()> {
        self.1 = Some((self.0.len() - from).min(ONE_CALL));
        Ok(())
    }

    fn reap(&mut self, _wait: Wait, ended: &mut Vec<EndedTransfer>) -> io::Result<()> {
        ended.extend(self.1.take().map(|moved| EndedTransfer { slot: 0, moved: Ok(moved) }));
        Ok(())
    }
}

#[test]
fn in_a_queue_a_transfer_beyond_the_limit_of_one_call_is_not_short() {
    let comm = ranks::local::alone();
    let how = Open { mode: Mode::Write, shared: true, collective: false, bytes: 0, parts: Parts::NONE };
    let mut file = Faulty::sound().open(&comm, Path::new("f"), how).unwrap();
    // Zeros that are never touched take no memory.
    let mut queue = Huge(vec![0; 2 * ONE_CALL + 8], None);
    let mut work = QueueWork {
        queue: &mut queue,
        file: &mut *file,
        path: Path::new("f"),
        direction: Direction::Read(None),
        payload: payload(),
        sync_each: false,
        single_attempt: true,
        short: 0,
    };
    let (mut tally, mut order) = (tally(), TransferOrder::sequential(LAYOUT, 0));
    let clock = FakeClock::ticking(10);
    let ended = drive_queue(&clock, &mut work, &mut order, &course(Stop::after(3)), &mut tally);
    assert_eq!((ended.map_err(|trouble| trouble.to_string()), work.short), (Ok((3, Ending::Complete)), 0));
}

#[test]
fn in_a_mixed_queue_a_read_does_not_wait_for_the_sync_of_writes() {
    let storage = Faulty::sound();
    write(&storage, Stop::after(4), false).0.unwrap();
    let comm = ranks::local::alone();
    let how = Open { mode: Mode::Write, shared: true, collective: false, bytes: 0, parts: Parts::NONE };
    let mut file = storage.open(&comm, Path::new("f"), how).unwrap();
    let mut queue = storage.queue_on(&comm, Path::new("f"), 4, 512);
    // The last two of four transfers end together: a write and a read.
    let mixes = (0..).map(|seed| Mix::new(50, seed));
    let mix = mixes.map(|mut mix| (mix.is_read(3) && !mix.is_read(2), mix)).find(|(fits, _)| *fits);
    let mut work = QueueWork {
        queue: &mut queue,
        file: &mut *file,
        path: Path::new("f"),
        direction: Direction::Mixed(mix.unwrap().1),
        payload: payload(),
        sync_each: true,
        single_attempt: false,
        short: 0,
    };
    let mut tally = tally().mixed(Meter::new(Scale::NANOSECONDS, LAYOUT.transfer));
    let (clock, mut order) = (FakeClock::ticking(10), TransferOrder::sequential(LAYOUT, 0));
    drive_queue(&clock, &mut work, &mut order, &course(Stop::after(4)), &mut tally).unwrap();
    assert_eq!(tally.reads.unwrap().latency.min(), Some(10), "one reading from its submission to its end");
    assert_eq!(
        tally.meter.latency.min(),
        Some(30),
        "the write began one clock reading earlier, and its sync takes one"
    );
}
