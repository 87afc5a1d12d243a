//! Runs on local ranks, over a library in memory.

mod library;

use command::Settings;
use command::flash_io::{FlashIoParameters, Form};
use measure::CycleClock;
use ranks::{Comm, Halt, local};
use results::Record;
use std::sync::atomic::AtomicU64;
use storage::Storage;

use super::{FlashFile, FlashIoContext, FlashIoEvent, run};
use crate::kit::observer::EventObserver;
use library::Memory;

/// Stores every event as text.
#[derive(Default)]
struct Reports(Vec<String>);

impl EventObserver<FlashIoEvent<'_>> for Reports {
    fn event(&mut self, event: &FlashIoEvent<'_>) {
        self.0.push(format!("{event:?}"));
    }
}

/// The result of a rank: its return value, its records, and its events.
type Left = (Result<u64, Halt>, Vec<Record>, Vec<String>);

fn small(change: impl Fn(&mut FlashIoParameters)) -> FlashIoParameters {
    let mut parameters = FlashIoParameters {
        prefix: "m_".into(),
        zones: 2,
        guards: 1,
        blocks_max: 6,
        verify: true,
        ..FlashIoParameters::default()
    };
    change(&mut parameters);
    parameters
}

fn play(ranks: u32, parameters: &FlashIoParameters, memory: &Memory) -> Vec<Left> {
    parameters.check(ranks).expect("sound parameters");
    let storage = (storage::driver("dummy").unwrap().open)(&Settings::default()).unwrap();
    let storage: &dyn Storage = &*storage;
    let clock = CycleClock::new();
    let body = |comm: &dyn Comm| {
        let (mut clock, mut records, mut reports) = (clock.clone(), Vec::new(), Reports::default());
        let calls = AtomicU64::new(0);
        let mut cx = FlashIoContext {
            clock: &mut clock,
            records: &mut records,
            observer: &mut reports,
            calls: &calls,
        };
        let done = run(parameters, memory, storage, comm, &mut cx);
        assert!(done.is_err() || calls.into_inner() > 0, "each call on a file is counted");
        (done, records, reports.0)
    };
    local::run(ranks, body).into_iter().map(|rank| rank.expect("no rank panics")).collect()
}

#[test]
fn every_element_is_written_once_and_read_again_however_it_is_written() {
    for (nonblocking, independent) in [(true, false), (true, true), (false, false), (false, true)] {
        for ranks in [1, 2, 5] {
            let parameters = small(|p| (p.nonblocking, p.independent) = (nonblocking, independent));
            let memory = Memory::new("");
            for (done, ..) in play(ranks, &parameters, &memory) {
                assert_eq!(done, Ok(0), "{parameters:?} on {ranks}");
            }
            let files = memory.files.lock().unwrap();
            assert_eq!(files.len(), 3);
            let blocks = parameters.blocks_total(ranks);
            for file in FlashFile::ALL {
                let variables = &files[&file.path(parameters.form, "m_")];
                for array in file.arrays(parameters.form, 2) {
                    let wanted = vec![Some(array.value); (blocks * array.elements()) as usize];
                    assert_eq!(variables[&array.name], wanted, "{} of {file:?}", array.name);
                }
            }
        }
    }
}

#[test]
fn the_calls_are_those_of_the_original_in_its_order() {
    let calls = |change: &dyn Fn(&mut FlashIoParameters)| {
        let memory = Memory::new("");
        play(1, &small(|p| (p.verify, _) = (false, change(p))), &memory);
        memory.of(0)
    };
    let nonblocking = calls(&|_| {});
    let checkpoint = 2 + 1 + 30 + 1 + 1;
    assert_eq!(nonblocking[..4], ["create true", "open", "end", "post lrefine"]);
    assert_eq!(nonblocking[checkpoint - 3..checkpoint], ["post f13_", "wait", "close"]);
    let plot = &nonblocking[checkpoint..];
    let room = format!("attach {}", (27 + 8) * 6 * 4 * 4);
    assert_eq!(plot[3 + 5..3 + 8], ["post bndbox", &room, "copy dens"]);
    assert_eq!(plot[3 + 10..3 + 14], ["copy f1__", "wait", "detach", "close"]);
    let alone = calls(&|p| (p.nonblocking, p.independent) = (false, true));
    assert_eq!(alone[..5], ["create false", "open", "end", "Independent", "put lrefine"]);
    assert!(!alone.iter().any(|call| call.starts_with("wait") || call.starts_with("attach")), "{alone:?}");
}

#[test]
fn a_call_that_fails_on_one_rank_halts_all_of_them_after_the_same_calls() {
    let table = [
        ("create true", true, "checkpoint", "m_ncmpi_chk_0000.nc: create: torn out"),
        ("end", true, "checkpoint", "m_ncmpi_chk_0000.nc: define: torn out"),
        ("put velx", false, "checkpoint", "m_ncmpi_chk_0000.nc: velx: torn out"),
        ("post gid", true, "checkpoint", "m_ncmpi_chk_0000.nc: gid: torn out"),
        ("wait", true, "checkpoint", "m_ncmpi_chk_0000.nc: wait: torn out"),
        ("copy temp", true, "plot_centered", "m_ncmpi_plt_cnt_0000.nc: temp: torn out"),
        ("close", true, "checkpoint", "m_ncmpi_chk_0000.nc: close: torn out"),
        ("get pres", true, "checkpoint_check", "m_ncmpi_chk_0000.nc: pres: torn out"),
    ];
    for (fails, nonblocking, step, why) in table {
        let memory = Memory::new(fails);
        let left = play(3, &small(|p| p.nonblocking = nonblocking), &memory);
        for (done, records, _) in left {
            let halt = done.expect_err(fails);
            assert_eq!((halt.step.as_str(), halt.rank, halt.why.as_str()), (step, 1, why));
            let phases =
                records.iter().filter(|record| matches!(record, Record::Phase(phase) if phase.phase == step));
            assert_eq!(phases.count(), 0, "a phase that failed has no numbers");
        }
        let calls = |rank| memory.of(rank).len() + usize::from(rank == 1 && fails == "create true");
        assert_eq!([calls(0), calls(1)], [calls(2); 2], "{fails}: no rank leaves alone");
    }
}

fn by_hdf5(parameters: &mut FlashIoParameters) {
    (parameters.form, parameters.nonblocking) = (Form::Hdf5, false);
}

#[test]
fn a_file_by_hdf5_begins_with_its_records() {
    let memory = Memory::new("");
    play(1, &small(by_hdf5), &memory);
    let calls = memory.of(0);
    assert_eq!(calls[..2], ["create ", "open"], "without hints");
    let wanted = [
        "file creation time: [1] of 40, the last now",
        "FLASH version: [1] of 20, the last FLASH I/O benchmark",
        r#"simulation parameters: ("total blocks", Int(4)), ("time", Double(0.0))"#,
        "unknown names: [24, 1] of 4, the last f13 ",
        "end",
        "put refine level",
    ];
    assert_eq!(calls[2..8], wanted);
    assert!(
        calls.contains(&r#"simulation parameters: ("total blocks", Int(4)), ("time", Float(0.0))"#.into())
    );
    assert!(calls.contains(&"get f1  ".to_owned()) && calls.contains(&"put bounding box".to_owned()));
}

#[test]
fn a_file_of_a_fragile_library_is_left_open_by_all_ranks_when_a_call_failed_on_one() {
    for (fails, step, why) in [
        ("unknown names: [24, 1] of 4, the last f13 ", "checkpoint", "m_hdf5_chk_0000: define: torn out"),
        ("put velx", "checkpoint", "m_hdf5_chk_0000: velx: torn out"),
        ("get temp", "checkpoint_check", "m_hdf5_chk_0000: temp: torn out"),
    ] {
        let memory = Memory { fragile: true, ..Memory::new(fails) };
        for (done, ..) in play(3, &small(by_hdf5), &memory) {
            let halt = done.expect_err(fails);
            assert_eq!((halt.step.as_str(), halt.rank, halt.why.as_str()), (step, 1, why));
        }
        for rank in 0..3 {
            let calls = memory.of(rank);
            assert_eq!(calls.last().map(String::as_str), Some("abandon"), "rank {rank}, {fails}");
        }
        let failed = memory.of(1);
        assert_eq!(failed[failed.len() - 2], fails, "no call after the one that failed");
    }
}

#[test]
fn each_file_has_a_phase_and_what_was_read_again_another() {
    let mut left = play(3, &small(|p| p.repetitions = 2), &Memory::new(""));
    let (_, records, reported) = left.swap_remove(0);
    let phases: Vec<_> = records
        .iter()
        .filter_map(|record| match record {
            Record::Phase(phase) => Some(phase),
            _ => None,
        })
        .collect();
    let names = ["checkpoint", "plot_centered", "plot_corner"];
    let checks = ["checkpoint_check", "plot_centered_check", "plot_corner_check"];
    let wanted: Vec<_> = [names, checks, names, checks].concat();
    assert_eq!(phases.iter().map(|phase| phase.phase.as_str()).collect::<Vec<_>>(), wanted);
    let bytes = 15 * (164 + 192 * 8);
    for (phase, check) in [(phases[0], None), (phases[9], Some(bytes))] {
        assert_eq!((phase.bytes, phase.expected_bytes, phase.ops), (bytes, bytes, 90));
        assert_eq!(phase.latency.as_ref().map(|latency| latency.count), Some(90));
        assert_eq!(phase.check.as_ref().map(|check| check.bytes), check);
    }
    assert_eq!((phases[0].repetition, phases[9].repetition), (0, 1));
    assert!(
        reported[0].contains("amount: 3000") && reported[0].contains("striping_factor"),
        "{}",
        reported[0]
    );
    assert!(reported[3].contains("held: Some(LibraryMemory { most: 9, now: 3 })"), "{}", reported[3]);
}
