//! Ranks as threads: the shared scenario, ranks that panic or leave, and a thousand ranks.

mod scenario;

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use ranks::{Comm, Halt, Reduce, local};

fn words(outcome: Result<(), Halt>) -> String {
    outcome.expect_err("this rank should have halted").to_string()
}

#[test]
fn the_scenario_holds_on_one_to_eight_ranks() {
    for ranks in 1..=8 {
        for outcome in local::run(ranks, |comm| scenario::all(comm, Some(1))) {
            outcome.expect("no rank halts");
        }
    }
}

#[test]
fn ranks_return_in_order() {
    let seen: Vec<_> = local::run(5, |comm| comm.rank()).into_iter().map(Result::unwrap).collect();
    assert_eq!(seen, [0, 1, 2, 3, 4]);
    assert!(local::run(0, |_| ()).is_empty());
}

#[test]
fn a_rank_that_panics_halts_the_ranks_that_wait_for_it() {
    for victim in 0..4 {
        let outcomes = local::run(4, |comm| {
            assert!(comm.rank() != victim, "out of luck");
            comm.barrier()
        });
        for (rank, outcome) in outcomes.into_iter().enumerate() {
            let words = match outcome {
                Ok(waited) => words(waited),
                Err(own) => {
                    assert_eq!(rank, victim as usize);
                    own.to_string()
                }
            };
            assert!(words.starts_with(&format!("run: rank {victim} (node ")), "{words}");
            assert!(words.ends_with("): panicked: out of luck"), "{words}");
        }
    }
}

#[test]
fn a_single_rank_that_panics_is_reported_too() {
    let outcome = local::run(1, |_| panic!("alone with {}", 1)).remove(0);
    assert!(words(outcome).ends_with("panicked: alone with 1"));
}

#[test]
fn a_rank_that_leaves_early_halts_the_ranks_that_wait_for_it() {
    let outcomes = local::run(3, |comm| {
        if comm.rank() == 1 {
            return Ok(());
        }
        comm.reduce_one(1, Reduce::Sum).map(drop)
    });
    for (rank, outcome) in outcomes.into_iter().enumerate() {
        let outcome = outcome.expect("no rank panics");
        if rank != 1 {
            let words = words(outcome);
            assert!(words.starts_with("wait: rank 1 (node "), "{words}");
            assert!(words.ends_with("ended while others waited for it"), "{words}");
        }
    }
}

#[test]
fn a_rank_that_waits_for_a_message_halts_if_another_panics() {
    let outcomes = local::run(3, |comm| {
        assert!(comm.rank() != 2, "out of luck");
        loop {
            if let Err(halt) = comm.poll() {
                return halt;
            }
        }
    });
    assert!(outcomes.into_iter().all(|outcome| outcome.unwrap_or_else(|halt| halt).rank == 2));
}

#[test]
fn a_rank_that_leaves_after_the_last_collective_disturbs_no_other() {
    for _ in 0..200 {
        for outcome in local::run(4, |comm| comm.barrier()) {
            outcome.expect("no panic").expect("the barrier had ended");
        }
    }
}

#[test]
fn a_rank_that_leaves_after_its_part_of_a_gather_or_a_reduction_disturbs_no_other() {
    for _ in 0..200 {
        let outcomes = local::run(4, |comm| {
            let parts = comm.gather(&[comm.rank().to_le_bytes()[0]])?;
            let mut sum = [1];
            comm.reduce(&mut sum, Reduce::Sum)?;
            Ok::<_, Halt>((parts, sum[0]))
        });
        let mut outcomes =
            outcomes.into_iter().map(|outcome| outcome.expect("no panic").expect("all joined"));
        let parts = vec![vec![0], vec![1], vec![2], vec![3]];
        assert_eq!(outcomes.next(), Some((Some(parts), 4)));
        assert!(outcomes.all(|outcome| outcome == (None, 1)));
    }
}

/// One rank waits until another one signals.
struct Signal(mpsc::Sender<()>, Mutex<mpsc::Receiver<()>>);

impl Signal {
    fn new() -> Self {
        let (send, receive) = mpsc::channel();
        Self(send, Mutex::new(receive))
    }

    fn send(&self) {
        self.0.send(()).unwrap();
    }

    fn wait(&self) {
        self.1.lock().unwrap().recv_timeout(Duration::from_secs(60)).expect("the other rank does not wait");
    }
}

#[test]
fn only_rank_0_waits_for_a_gather_and_a_reduction() {
    let (last_began, passed) = (AtomicBool::new(false), Signal::new());
    let outcomes = local::run(3, |comm| {
        if comm.rank() == 2 {
            passed.wait();
            last_began.store(true, Ordering::SeqCst);
        }
        for _ in 0..3 {
            comm.gather(b"part")?;
            comm.reduce(&mut [1], Reduce::Max)?;
        }
        match comm.rank() {
            0 => assert!(last_began.load(Ordering::SeqCst), "rank 0 has the parts of all ranks"),
            1 => passed.send(),
            _ => {}
        }
        comm.barrier()
    });
    for outcome in outcomes {
        outcome.expect("no panic").expect("no halt");
    }
}

/// How many parts a rank got from a gather, and which rank the halt of the barrier after it names.
type GatherAndBarrier = Result<(Option<usize>, u32), Halt>;

/// Rank 1 panics between a gather and a barrier. Then rank 2 does `late` and joins the gather, for which rank
/// 0 waits all the time.
fn gather_that_rank_1_has_left(late: impl Fn() + Sync) -> Vec<Result<GatherAndBarrier, Halt>> {
    let left = Signal::new();
    local::run(3, |comm| {
        if comm.rank() == 2 {
            left.wait();
            thread::sleep(Duration::from_millis(100));
            late();
        }
        let parts = comm.gather(b"x")?;
        if comm.rank() == 1 {
            left.send();
            panic!("after the gather");
        }
        let waited = comm.barrier();
        Ok((parts.map(|parts| parts.len()), waited.expect_err("one is missing").rank))
    })
}

#[test]
fn a_rank_that_panics_later_halts_no_collective_that_it_had_joined() {
    let outcomes = gather_that_rank_1_has_left(|| ());
    assert!(matches!(outcomes[0], Ok(Ok((Some(3), 1)))), "{:?}", outcomes[0]);
    assert!(matches!(outcomes[2], Ok(Ok((None, 1)))), "{:?}", outcomes[2]);
}

#[test]
fn the_halt_of_an_earlier_collective_comes_before_that_of_a_later_one() {
    let outcomes = gather_that_rank_1_has_left(|| panic!("before the gather"));
    let waited = outcomes[0].clone().expect("rank 0 did not panic");
    assert_eq!(waited.map_err(|halt| (halt.rank, halt.why)), Err((2, "panicked: before the gather".into())));
}

#[test]
fn a_rank_that_panics_in_a_half_halts_that_half() {
    let outcomes = local::run(4, |comm| {
        let half = comm.split(comm.rank() / 2)?;
        assert!(comm.rank() != 3, "the last one");
        half.barrier()
    });
    let halted: Vec<_> = outcomes.iter().map(|outcome| !matches!(outcome, Ok(Ok(())))).collect();
    assert_eq!(halted, [false, false, true, true]);
}

#[test]
fn ranks_that_call_different_collectives_are_halted() {
    let outcomes = local::run(2, |comm| match comm.rank() {
        0 => comm.barrier(),
        // The gather alone ends at once for this rank.
        _ => comm.gather(b"x").and_then(|_| comm.barrier()),
    });
    for outcome in outcomes {
        let words = words(outcome.expect("no rank panics"));
        assert!(words.contains("while others called another collective"), "{words}");
    }
}

#[test]
fn a_thousand_ranks_are_fast() {
    let begin = Instant::now();
    let outcomes = local::run(1000, |comm| {
        for _ in 0..10 {
            comm.barrier()?;
        }
        let half = comm.split(comm.rank() % 2)?;
        half.reduce_one(1, Reduce::Sum)
    });
    for outcome in outcomes {
        assert_eq!(outcome, Ok(Ok(500)));
    }
    assert!(begin.elapsed() < Duration::from_secs(120), "took {:?}", begin.elapsed());
}

#[test]
fn collectives_of_a_single_rank_end_at_once() {
    let comm = local::alone();
    scenario::all(&comm, Some(1));
    let begin = Instant::now();
    for _ in 0..100_000 {
        comm.barrier().expect("alone");
    }
    assert!(begin.elapsed() < Duration::from_secs(20), "a barrier alone costs nothing");
}

#[test]
fn the_table_of_the_documentation_is_what_the_simulation_prints() {
    const COLUMNS: &str = "3";
    let program = std::env::current_exe().unwrap();
    let program = program.parent().unwrap().with_file_name("examples").join("scale");
    let printed = Command::new(program).arg(COLUMNS).output().unwrap();
    assert!(printed.status.success());
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/validation/scale.md");
    let page = std::fs::read_to_string(page).unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert_eq!(printed.lines().count(), 8, "{printed}");
    for row in printed.lines() {
        // The page has one more column.
        let cells = row.trim_end_matches('|').trim_end();
        assert!(page.lines().any(|line| line.starts_with(cells)), "{row}");
    }
}
