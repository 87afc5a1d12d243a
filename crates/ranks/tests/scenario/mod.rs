//! The behavior of every communicator, as one scenario: it runs on threads and on MPI processes.

use std::io;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ranks::{Comm, FailedAt, Halt, Mailbox, Reduce};

/// Longer than any rank should wait for an alarm.
const ALARM_WAIT_MAX: Duration = Duration::from_secs(20);

/// The whole scenario, on every rank; `nodes` is the number of nodes of the ranks.
pub(crate) fn all(comm: &dyn Comm, nodes: Option<u32>) {
    values_are_reduced(comm);
    values_are_reduced_to_rank_0(comm);
    bytes_are_broadcast(comm);
    bytes_are_gathered(comm);
    ranks_fail_together(comm);
    the_first_failure_is_the_one_of_all(comm);
    an_alarm_reaches_all(comm);
    an_alarm_passes_ranks_that_wait(comm);
    an_unnoticed_alarm_is_cleared(comm);
    messages_arrive_whole_and_in_order(comm);
    halves_work_independently(comm);
    nodes_are_found(comm, nodes);
    clocks_are_compared(comm);
    comm.barrier().expect("the last barrier");
}

fn values_are_reduced(comm: &dyn Comm) {
    let (rank, size) = (u64::from(comm.rank()), u64::from(comm.size()));
    comm.barrier().expect("a barrier");
    for length in [0, 1, 3, 10_000] {
        for (how, wanted) in [(Reduce::Sum, size * (size - 1) / 2), (Reduce::Min, 0), (Reduce::Max, size - 1)]
        {
            let mut values: Vec<u64> = (0..length).map(|i| i * 1000 + rank).collect();
            comm.all_reduce(&mut values, how).expect("a reduction");
            let base = |i| if how == Reduce::Sum { i * 1000 * size } else { i * 1000 };
            assert!((0..length).zip(values).all(|(i, value)| value == base(i) + wanted), "{how:?}");
        }
    }
    let mut many = vec![1; (1 << 20) + 3];
    comm.all_reduce(&mut many, Reduce::Sum).expect("a sum of more than one piece");
    assert!(many.iter().all(|value| *value == size));
    let large = (1 << 63) - 1 - rank;
    assert_eq!(comm.reduce_one(large, Reduce::Max).expect("a maximum"), (1 << 63) - 1);
    assert_eq!(comm.reduce_one(large, Reduce::Min).expect("a minimum"), (1 << 63) - size);
}

fn values_are_reduced_to_rank_0(comm: &dyn Comm) {
    let (rank, size) = (u64::from(comm.rank()), u64::from(comm.size()));
    for length in [0, 1, 10_000] {
        for (how, wanted) in [(Reduce::Sum, size * (size - 1) / 2), (Reduce::Min, 0), (Reduce::Max, size - 1)]
        {
            let mut values = vec![rank; length];
            comm.reduce(&mut values, how).expect("a reduction");
            let wanted = if rank == 0 { wanted } else { rank };
            assert_eq!(values, vec![wanted; length], "{how:?}: other ranks keep their values");
        }
    }
}

fn bytes_are_broadcast(comm: &dyn Comm) {
    for root in 0..comm.size() {
        for length in [0, 1, 1015, 1016, 1017, 100_000] {
            let text: Vec<u8> = (0..length).map(|i: u32| (i + root) as u8).collect();
            let mut seen = if comm.rank() == root { text.clone() } else { vec![7; comm.rank() as usize] };
            comm.broadcast(root, &mut seen).expect("a broadcast");
            assert_eq!(seen, text);
        }
    }
    let long = vec![9; (1 << 25) + 1];
    let mut seen = if comm.rank() == 0 { long.clone() } else { Vec::new() };
    comm.broadcast(0, &mut seen).expect("a broadcast of more than one piece");
    assert!(seen == long);
}

fn bytes_are_gathered(comm: &dyn Comm) {
    // The first bytes of a rank are sent in a frame, and those of a node in a longer one.
    for unit in [0, 1, 60, 61, 30_011] {
        let of = |rank: u32| vec![rank as u8; (rank as usize % 3) * unit];
        let all = comm.gather(&of(comm.rank())).expect("a gather");
        let wanted = (comm.rank() == 0).then(|| (0..comm.size()).map(of).collect::<Vec<_>>());
        assert_eq!(all, wanted);
    }
    let long = |rank: u32| vec![3; if rank + 1 == comm.size() { 40 << 20 } else { rank as usize }];
    let all = comm.gather(&long(comm.rank())).expect("a gather of more than one round");
    assert!(all.is_none_or(|all| all == (0..comm.size()).map(long).collect::<Vec<_>>()));
}

fn ranks_fail_together(comm: &dyn Comm) {
    let fine = comm.agree("open", Ok::<_, io::Error>(comm.rank()));
    assert_eq!(fine, Ok(comm.rank()), "each rank keeps its own value");
    for first in 0..comm.size() {
        let mine = if comm.rank() < first { Ok(()) } else { Err(format!("no space for {}", comm.rank())) };
        let halt = comm.agree("write", mine).expect_err("some rank failed");
        let why = format!("no space for {first}");
        let node = halt.node.clone();
        assert_eq!(halt, Halt { step: "write".to_owned(), rank: first, node, why, call: None });
        assert!(!halt.node.is_empty() && halt.node != "?");
    }
}

/// Each rank sends to each other rank messages that fit into a frame and longer ones. The last one of each
/// remains for the end.
fn messages_arrive_whole_and_in_order(comm: &dyn Comm) {
    const LENGTHS: [usize; 6] = [0, 1, 248, 249, 100_000, 3 << 20];
    let others: Vec<u32> = (0..comm.size()).filter(|rank| *rank != comm.rank()).collect();
    for _ in 0..2 {
        let mut mailbox = Mailbox::new(comm);
        for length in LENGTHS.into_iter().chain([7]) {
            for to in &others {
                mailbox.post(*to, vec![comm.rank() as u8; length]).expect("a message");
            }
        }
        let mut arrived = vec![0; comm.size() as usize];
        while others.iter().any(|rank| arrived[*rank as usize] < LENGTHS.len()) {
            let Some((from, message)) = mailbox.poll().expect("messages") else { continue };
            let number = &mut arrived[from as usize];
            assert!(message.iter().all(|byte| u32::from(*byte) == from));
            assert_eq!(message.len(), LENGTHS.get(*number).copied().unwrap_or(7), "from {from}");
            *number += 1;
        }
        mailbox.settle().expect("all messages have arrived");
        assert_eq!(comm.poll(), Ok(None), "none is left");
        // A faster rank may already send the next ones.
        comm.barrier().expect("a barrier");
    }
}

/// The moments count down with the ranks, and rank 0 may not have failed at all.
fn the_first_failure_is_the_one_of_all(comm: &dyn Comm) {
    let (rank, last) = (comm.rank(), comm.size() - 1);
    let at_ns = u64::from(comm.size() - rank) << 40;
    let failed = |why: String| Err::<(), _>(FailedAt { at_ns, why });
    let mine = if rank == 0 && last > 0 { Ok(()) } else { failed(format!("no space for {rank}")) };
    let halt = comm.agree_on_first("write", mine).expect_err("some rank failed");
    assert_eq!((halt.rank, halt.why), (last, format!("no space for {last}")));
    let same =
        comm.agree_on_first("write", Err::<(), _>(FailedAt { at_ns: u64::MAX, why: rank.to_string() }));
    assert_eq!(same.expect_err("all failed").rank, 0, "the lowest of one moment");
    assert_eq!(comm.agree_on_first("read", Ok::<_, FailedAt<String>>(rank)), Ok(rank));
}

/// Waits until the alarm is known here.
fn wait_for_alarm(comm: &dyn Comm) {
    let begin = Instant::now();
    while !comm.alarm_raised() {
        assert!(begin.elapsed() < ALARM_WAIT_MAX, "rank {} learned of no alarm", comm.rank());
        thread::sleep(Duration::from_millis(1));
    }
}

fn an_alarm_reaches_all(comm: &dyn Comm) {
    for generation in 0..3 {
        let sender = (comm.size() - 1).saturating_sub(generation);
        assert!(!comm.alarm_raised(), "a cleared alarm is not reported again");
        comm.barrier().expect("a barrier");
        let mine = if comm.rank() == sender { Err("disk on fire") } else { Ok(()) };
        if mine.is_err() {
            comm.raise_alarm();
        }
        wait_for_alarm(comm);
        let halt = comm.agree("write", mine).expect_err("the sender failed");
        assert_eq!(halt.rank, sender);
    }
    comm.barrier().expect("a barrier");
    assert!(!comm.alarm_raised());
    comm.barrier().expect("a barrier");
}

/// Rank 0 and others are already in the next collective when the last rank raises the alarm; the rest still
/// learns of it.
fn an_alarm_passes_ranks_that_wait(comm: &dyn Comm) {
    let last = comm.size() - 1;
    let mine = if comm.rank() == last { Err("late") } else { Ok(()) };
    if comm.rank() == last {
        thread::sleep(Duration::from_millis(30));
        comm.raise_alarm();
    } else if comm.rank() % 2 == 1 {
        wait_for_alarm(comm);
    }
    comm.agree("write", mine).expect_err("the last rank failed");
    assert_eq!(comm.agree("read", Ok::<_, String>(1)), Ok(1));
}

fn an_unnoticed_alarm_is_cleared(comm: &dyn Comm) {
    for _ in 0..20 {
        comm.raise_alarm();
        comm.agree("write", Err::<(), _>("all failed")).expect_err("all failed");
        assert!(!comm.alarm_raised(), "agree clears the alarm");
        comm.barrier().expect("a barrier");
    }
    if comm.rank() == comm.size() / 2 {
        comm.raise_alarm();
    }
    assert_eq!(comm.agree("read", Ok::<_, String>(())), Ok(()), "an alarm is not a failure");
    comm.barrier().expect("a barrier");
    assert!(!comm.alarm_raised(), "agree clears the alarm also if no rank failed");
    comm.barrier().expect("a barrier");
}

fn halves_work_independently(comm: &dyn Comm) {
    for _ in 0..3 {
        let color = comm.rank() % 2;
        let half = comm.split(color).expect("a split");
        assert_eq!(half.rank(), comm.rank() / 2, "ordered by rank");
        assert_eq!(half.size(), (comm.size() + 1 - color) / 2);
        let sum = half.reduce_one(u64::from(comm.rank()), Reduce::Sum).expect("a sum");
        let wanted: u32 = (0..comm.size()).filter(|rank| rank % 2 == color).sum();
        assert_eq!(sum, u64::from(wanted));
        let mine = if comm.rank() == 0 { Err("only the even half fails") } else { Ok(()) };
        assert_eq!(half.agree("half", mine).is_err(), color == 0);
        let quarter = half.split(half.rank() % 2).expect("a split of a split");
        quarter.barrier().expect("a barrier of few");
    }
    let alone = comm.split(comm.rank()).expect("a split into single ranks");
    assert_eq!((alone.rank(), alone.size()), (0, 1));
    assert_eq!(alone.gather(b"me").expect("a gather"), Some(vec![b"me".to_vec()]));
}

fn nodes_are_found(comm: &dyn Comm, nodes: Option<u32>) {
    let node = comm.split_by_node().expect("a split");
    let leaders = comm.reduce_one(u64::from(node.rank() == 0), Reduce::Sum).expect("a sum");
    if let Some(nodes) = nodes {
        assert_eq!(leaders, u64::from(nodes), "how many nodes there are");
    }
    assert!(!comm.node_name().is_empty());
    let again = comm.split_by_node().expect("a split");
    assert_eq!((again.rank(), again.size()), (node.rank(), node.size()), "the node is the same");
    drop(again);
    node.barrier().expect("a barrier of one node");
    let half = comm.split(comm.rank() % 2).expect("a split");
    let part = half.split_by_node().expect("a split of a split");
    let mine = part.reduce_one(node.rank().into(), Reduce::Min).expect("a minimum");
    assert!(part.size() <= node.size() && mine <= node.rank().into(), "ranks of one node");
    drop((node, half));
    part.barrier().expect("a barrier of what is left");
}

/// The clocks of MPI ranks differ by seconds, and the ranks measure it; threads share one clock. The second
/// comparison follows at once, and the third one after the first has become old.
fn clocks_are_compared(comm: &dyn Comm) {
    let ahead = if comm.mpi().is_some() { u64::from(comm.rank()) * 5_000_000_000 } else { 0 };
    let epoch = || SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_nanos() as u64;
    for pause_ms in [0, 0, 600] {
        thread::sleep(Duration::from_millis(pause_ms));
        let seen = comm.clock_offset(&|| epoch() + ahead).expect("an offset");
        let miss = seen.offset_ns.abs_diff(-i64::try_from(ahead).expect("small"));
        assert!(miss <= seen.uncertainty_ns + 1000, "{seen:?} misses by {miss} ns");
        assert!(seen.uncertainty_ns < 200_000_000, "{seen:?}");
    }
}
