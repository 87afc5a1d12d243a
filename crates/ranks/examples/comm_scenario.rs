//! The scenario of all communicators on MPI ranks: `mpirun -n 4 comm_scenario [all | barriers | die | NAME]`.
//!
//! `all` runs the scenario (`ASSAY_TEST_NODES` is the number of nodes). `barriers` prints the cost of a
//! barrier. `die` kills the last rank while the others wait for it. NAME is a collective, which runs
//! `ASSAY_TEST_TIMES` times. The tests in `tests/mpi.rs` start it.
#![allow(clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/scenario/mod.rs"]
mod scenario;

use std::process::{Command, ExitCode};
use std::time::Instant;

use ranks::mpi::MpiWorld;
use ranks::{Comm, Reduce, launcher};

/// The number of barriers that are timed.
const BARRIERS: u32 = 200;

fn main() -> ExitCode {
    let lookup = |name: &str| std::env::var(name).ok();
    let launch = launcher::detect(&lookup);
    let world = match MpiWorld::start(launch.as_ref(), &lookup) {
        Ok(world) => world,
        Err(usage) => {
            if launch.is_none_or(|launch| launch.rank == 0) {
                eprintln!("{usage}");
            }
            return ExitCode::from(2);
        }
    };
    match std::env::args().nth(1).as_deref() {
        Some("barriers") => barriers(&world),
        Some("die") => die(world.comm()),
        Some("in_use") => {
            let _file = world.comm().in_use();
            println!("{}", world.finish().expect_err("MPI does not end below an open file"));
            return ExitCode::FAILURE;
        }
        Some(name) if name != "all" => {
            let times = lookup("ASSAY_TEST_TIMES").and_then(|times| times.parse().ok()).unwrap_or(1);
            (0..times).for_each(|_| collective(world.comm(), name));
        }
        _ => scenario::all(world.comm(), lookup("ASSAY_TEST_NODES").and_then(|nodes| nodes.parse().ok())),
    }
    if world.comm().rank() == 0 {
        println!(
            "ok: {} ranks of {} at {}",
            world.comm().size(),
            world.library(),
            world.comm().library().path.display()
        );
    }
    world.finish().expect("MPI ends");
    ExitCode::SUCCESS
}

/// Runs the collective with this name once, with a few bytes.
fn collective(comm: &dyn Comm, name: &str) {
    let done = match name {
        "barrier" => comm.barrier(),
        "broadcast" => comm.broadcast(0, &mut vec![7; 60]),
        "gather" => comm.gather(&[7; 60]).map(drop),
        "reduce" => comm.reduce(&mut [7], Reduce::Sum),
        "all_reduce" => comm.all_reduce(&mut [7], Reduce::Sum),
        "agree" => comm.agree("agree", Ok::<_, String>(())),
        _ => panic!("no collective {name}"),
    };
    done.expect("a collective");
}

fn barriers(world: &MpiWorld) {
    let comm = world.comm();
    comm.barrier().expect("a barrier");
    let begin = Instant::now();
    for _ in 0..BARRIERS {
        comm.barrier().expect("a barrier");
    }
    let each = begin.elapsed() / BARRIERS;
    let begin = Instant::now();
    let offset = comm.clock_offset(&|| 0).expect("an offset");
    let questions = 1_000_000;
    let asked = Instant::now();
    let raised = (0..questions).filter(|_| comm.alarm_raised()).count();
    let question = asked.elapsed() / questions;
    assert_eq!(raised, 0, "no rank raised an alarm");
    if comm.rank() == 0 {
        println!("a check for an alarm: {question:?}");
        let oversubscribed = world.is_oversubscribed();
        println!(
            "barrier: {each:?}; clock offsets: {:?}; oversubscribed: {oversubscribed}; {offset:?}",
            begin.elapsed()
        );
    }
}

/// The last rank is killed; without the launcher the others would wait forever.
fn die(comm: &dyn Comm) {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    for file in maps.lines().filter_map(|line| line.find("/dev/shm/").map(|at| &line[at..])) {
        println!("shared: {file}");
    }
    comm.barrier().expect("a barrier");
    if comm.rank() + 1 == comm.size() {
        let me = std::process::id().to_string();
        Command::new("kill").args(["-KILL", &me]).status().expect("kill is installed");
    }
    comm.barrier().expect("the launcher ends this wait");
}
