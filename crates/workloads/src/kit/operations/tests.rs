//! Phases of operations that do nothing, except that they fail where the test asks for it.

use measure::CycleClock;
use results::Record;
use results::records::{Nowhere, Sink};

use super::*;

/// Fails for every item whose number divided by `modulo` leaves `rest`.
struct Failing {
    modulo: u64,
    rest: u64,
    done: Vec<u64>,
    path: String,
}

impl Operation for Failing {
    fn before(&mut self, item: u64) {
        self.path = format!("/tree/f{item}");
    }

    fn operate(&mut self, item: u64) -> io::Result<()> {
        self.done.push(item);
        match item % self.modulo == self.rest {
            true => Err(io::Error::from_raw_os_error(if item.is_multiple_of(2) { 28 } else { 2 })),
            false => Ok(()),
        }
    }

    fn failed(&self) -> (&'static str, &Path) {
        ("mkdir", Path::new(&self.path))
    }
}

/// Runs `items` items on each of `ranks` ranks. On rank 1 every item fails whose number is a multiple of
/// `modulo`.
fn run(
    ranks: u32,
    items: u64,
    keep_going: bool,
    modulo: u64,
) -> Vec<Result<(OperationsDone, Vec<u64>), Halt>> {
    let clock = CycleClock::new();
    let known = Phase { phase: "directory_creation".to_owned(), transfer_bytes: 3, ..Phase::default() };
    let setting = OperationSetting { known, keep_going };
    let all = ranks::local::run(ranks, |comm| {
        let mut clock = clock.clone();
        let mut nowhere = Nowhere;
        let mut rank = Rank::begin(comm, &mut clock, &mut nowhere, None, &[])?;
        let rest = if comm.rank() == 1 { 0 } else { u64::MAX };
        let mut operation = Failing { modulo, rest, done: Vec::new(), path: String::new() };
        let mut doing = Operating::begin(&mut rank, setting.clone(), None)?;
        let mut order = TransferOrder::items(items);
        let (reached, _) = doing.run(&rank, &mut operation, &mut order, 0, Stop::after(items / 2));
        doing.run(&rank, &mut operation, &mut order, reached, Stop::after(items));
        let done = doing.end(&mut rank, || Ok(()))?;
        rank.record(&Record::Phase(Box::new(done.phase.clone())))?;
        Ok::<_, Halt>((done, operation.done))
    });
    all.into_iter().map(|rank| rank.expect("no panic")).collect()
}

#[test]
fn every_item_is_done_once_and_counted_on_all_ranks() {
    for ranks in [1, 3] {
        for done in run(ranks, 1000, false, 1) {
            // Rank 1 fails at its first item, so only a single rank succeeds.
            if ranks > 1 {
                let halt = done.unwrap_err();
                assert_eq!(
                    (halt.step.as_str(), halt.rank, halt.why.as_str()),
                    ("directory creation", 1, "/tree/f0: mkdir: No space left on device")
                );
                continue;
            }
            let (done, items) = done.unwrap();
            assert_eq!(items, (0..1000).collect::<Vec<_>>());
            let phase = &done.phase;
            assert_eq!((phase.ops, phase.bytes, done.operations), (1000, 3000, 1000));
            assert_eq!(phase.latency.as_ref().map(|latency| latency.count), Some(1000));
            assert_eq!(phase.timeline.as_ref().map(|line| line.bytes.iter().sum()), Some(1000_u64));
            assert!(phase.failed.is_none() && phase.spans.total_s >= done.own_seconds);
            assert_eq!(phase.metric("failures").map(|metric| metric.value), Some(0.0));
            assert!(phase.metric("rate").unwrap().value > 0.0);
        }
    }
}

#[test]
fn failures_are_counted_by_reason_and_listed_while_the_run_continues() {
    let all = run(3, 100, true, 5);
    let (done, items) = all[1].as_ref().unwrap();
    assert_eq!((items.len(), done.operations), (100, 80));
    let phase = &all[0].as_ref().unwrap().0.phase;
    assert_eq!((phase.ops, phase.balance.bytes_min, phase.balance.bytes_max), (280, 80, 100));
    let failed = phase.failed.as_ref().unwrap();
    assert_eq!(failed.operations, 20);
    let reasons = [("No space left on device", 10), ("No such file or directory", 10)];
    let mut counted = failed.counted();
    counted.sort_unstable();
    assert_eq!(counted, reasons);
    assert_eq!(failed.first.len(), 8);
    assert_eq!((failed.first[1].rank, failed.first[1].path.as_str()), (1, "/tree/f5"));
    assert_eq!((failed.first[1].operation.as_str(), failed.first[1].why.as_str()), ("mkdir", reasons[1].0));
    assert_eq!(phase.metric("failures").map(|metric| metric.value), Some(20.0));
}

#[test]
fn a_failed_last_step_of_a_phase_fails_it_on_all_ranks() {
    let clock = CycleClock::new();
    let known = Phase { phase: "file_stat".to_owned(), ..Phase::default() };
    let setting = OperationSetting { known, keep_going: false };
    let all = ranks::local::run(2, |comm| {
        let mut clock = clock.clone();
        let mut kept: Vec<Record> = Vec::new();
        let sink: &mut dyn Sink = &mut kept;
        let mut rank = Rank::begin(comm, &mut clock, sink, None, &[])?;
        let doing = Operating::begin(&mut rank, setting.clone(), None)?;
        let last = || if comm.rank() == 1 { Err("sync: status 1".into()) } else { Ok(()) };
        doing.end(&mut rank, last).map(drop)
    });
    for rank in all {
        let halt = rank.expect("no panic").unwrap_err();
        assert_eq!((halt.rank, halt.why.as_str()), (1, "sync: status 1"));
    }
}

#[test]
fn failed_calls_outside_the_operations_count_as_failures_but_not_as_operations() {
    for keep_going in [true, false] {
        let clock = CycleClock::new();
        let setting = OperationSetting { keep_going, ..OperationSetting::default() };
        let all = ranks::local::run(2, |comm| {
            let mut clock = clock.clone();
            let mut nowhere = Nowhere;
            let mut rank = Rank::begin(comm, &mut clock, &mut nowhere, None, &[])?;
            let mut operation = Failing { modulo: 1, rest: 1, done: Vec::new(), path: String::new() };
            let mut doing = Operating::begin(&mut rank, setting.clone(), None)?;
            doing.run(&rank, &mut operation, &mut TransferOrder::items(10), 0, Stop::after(10));
            if comm.rank() == 1 {
                let denied = io::Error::from_raw_os_error(13);
                doing.failed_outside(&rank, "open", Path::new("/tree/d"), &denied);
            }
            doing.end(&mut rank, || Ok(())).map(|done| done.phase)
        });
        for phase in all {
            match phase.expect("no panic") {
                Ok(phase) => {
                    assert!(keep_going);
                    assert_eq!((phase.ops, phase.failed.map(|failed| failed.operations)), (20, Some(1)));
                }
                Err(halt) => {
                    assert!(!keep_going);
                    assert_eq!((halt.rank, halt.why.as_str()), (1, "/tree/d: open: Permission denied"));
                }
            }
        }
    }
}
