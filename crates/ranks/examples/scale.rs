//! Simulates what a phase costs on very many ranks, and prints the table of docs/validation/scale.md:
//! `cargo run -p ranks --example scale`. An argument is the number of columns, from the left.
//!
//! The model is LogGP (Alexandrov, Ionescu, Schauser, Scheiman 1995). Its parameters are the defaults of
//! LogGOPSim (Hoefler, Schneider, Lumsdaine 2010), which are those of a slow network of today. All messages
//! cost the same, also those within a node. Every rank has its own time, and all begin at once.
//!
//! The calls are those that `crates/cli/tests/mpi/scale.rs` counts for a write of ior. Their sizes are the
//! largest that are possible.
#![allow(clippy::print_stdout)]

#[path = "../src/mpi/tree.rs"]
mod tree;

use std::{env, iter};

/// Nanoseconds: latency of the network, overhead of a send and of a receive, gap between two sends, and time
/// of a byte.
const LATENCY: f64 = 2500.0;
const OVERHEAD: f64 = 1500.0;
const GAP: f64 = 1000.0;
const PER_BYTE: f64 = 6.0;

/// The numbers of ranks.
const WORLDS: [(&str, u64); 4] =
    [("1,000", 1_000), ("10,000", 10_000), ("100,000", 100_000), ("1,000,000", 1_000_000)];

/// Ranks of a node.
const ON_NODE: u64 = 100;

/// Round trips of two nodes that compare their clocks.
const CLOCK_ROUNDS: u32 = 24;

/// Bytes of a short collective, of the reductions of all extremes and sums, of latencies with the timeline,
/// of a broadcast's first message, and of a rank's frame in a gather.
const SHORT: u64 = 16;
const NUMBERS: u64 = 320;
const LONG: u64 = 37_920 + 4_800;
const FRAME: u64 = 128;
const NODE_FRAME: u64 = ON_NODE * FRAME;

/// The time of every rank, nanoseconds.
struct Ranks(Vec<f64>);

impl Ranks {
    fn new(ranks: u64) -> Self {
        Self(vec![0.0; ranks as usize])
    }

    fn size(&self) -> usize {
        self.0.len()
    }

    /// One message. The receiver waits for it.
    fn message(&mut self, from: usize, to: usize, bytes: u64) {
        let sent = self.0[from] + OVERHEAD + (bytes - 1) as f64 * PER_BYTE;
        self.0[from] = sent.max(self.0[from] + GAP);
        self.0[to] = self.0[to].max(sent + LATENCY) + OVERHEAD;
    }

    /// All pairs exchange a message at the same time: rank `n` sends to `to(n)`.
    fn exchange(&mut self, bytes: u64, count: usize, to: impl Fn(usize) -> usize) {
        let sent: Vec<f64> = self.0.iter().map(|at| at + OVERHEAD + (bytes - 1) as f64 * PER_BYTE).collect();
        let mut next = self.0.clone();
        for from in 0..count {
            let receiver = to(from);
            next[receiver] = sent[receiver].max(sent[from] + LATENCY) + OVERHEAD;
        }
        self.0 = next;
    }

    /// A reduction whose result all ranks get: recursive doubling. The ranks beyond a power of two first send
    /// to others, and get the result from them.
    fn all_reduce(&mut self, bytes: u64) {
        let inner = 1 << self.size().ilog2();
        (inner..self.size()).for_each(|rank| self.message(rank, rank - inner, bytes));
        for bit in 0..self.size().ilog2() {
            self.exchange(bytes, inner, |rank| rank ^ 1 << bit);
        }
        (inner..self.size()).for_each(|rank| self.message(rank - inner, rank, bytes));
    }

    /// A barrier: dissemination.
    fn barrier(&mut self) {
        let size = self.size();
        for step in powers_below(size) {
            self.exchange(1, size, |rank| (rank + step) % size);
        }
    }

    /// A reduction to rank 0 along a binomial tree.
    fn reduce(&mut self, bytes: u64) {
        let size = self.size();
        for step in powers_below(size) {
            (step..size).step_by(2 * step).for_each(|rank| self.message(rank, rank - step, bytes));
        }
    }

    /// A broadcast by rank 0 along a binomial tree.
    fn broadcast(&mut self, bytes: u64) {
        let size = self.size();
        for step in powers_below(size).collect::<Vec<_>>().into_iter().rev() {
            (step..size).step_by(2 * step).for_each(|rank| self.message(rank - step, rank, bytes));
        }
    }

    /// The gather by nodes.
    fn gather_by_nodes(&mut self) {
        let each = ON_NODE as usize;
        for first in (0..self.size()).step_by(each) {
            (first + 1..(first + each).min(self.size())).for_each(|rank| self.message(rank, first, FRAME));
        }
        (each..self.size()).step_by(each).for_each(|first| self.message(first, 0, NODE_FRAME));
    }

    /// The alarm that all ranks raise: up and down the tree.
    fn alarm(&mut self) {
        let size = self.size() as u64;
        for rank in (1..size).rev() {
            self.message(rank as usize, tree::parent(rank).map_or(0, |up| up as usize), 16);
        }
        for rank in 0..size {
            tree::children(rank, size).for_each(|child| self.message(rank as usize, child as usize, 16));
        }
    }

    /// The first ranks of the nodes compare their clocks along the tree.
    fn clocks(&mut self) {
        let size = self.size() as u64;
        for rank in 0..size {
            let children: Vec<u64> = tree::children(rank, size).collect();
            children.into_iter().rev().for_each(|child| self.ping_pong(rank as usize, child as usize));
        }
    }

    fn ping_pong(&mut self, answers: usize, asks: usize) {
        for _ in 0..CLOCK_ROUNDS {
            self.message(asks, answers, 8);
            self.message(answers, asks, 16);
        }
    }

    /// Seconds until the last rank has ended.
    fn seconds(&self) -> f64 {
        self.0.iter().fold(0.0_f64, |most, at| most.max(*at)) * 1e-9
    }
}

fn powers_below(size: usize) -> impl Iterator<Item = usize> {
    iter::successors(Some(1), |step| Some(step * 2)).take_while(move |step| *step < size)
}

/// The seconds that `act` takes on this number of ranks.
fn took(ranks: u64, act: impl FnOnce(&mut Ranks)) -> f64 {
    let mut all = Ranks::new(ranks);
    act(&mut all);
    all.seconds()
}

/// The collectives of a write, without the comparison of clocks.
fn write(all: &mut Ranks) {
    all.all_reduce(SHORT);
    all.broadcast(40);
    all.barrier();
    (0..2).for_each(|_| all.all_reduce(SHORT));
    (0..2).for_each(|_| all.all_reduce(NUMBERS));
    all.all_reduce(SHORT);
    all.reduce(LONG);
    all.gather_by_nodes();
    all.all_reduce(SHORT);
}

fn main() {
    let columns = env::args().nth(1).map_or(WORLDS.len(), |word| word.parse().expect("a number of columns"));
    let worlds = &WORLDS[..columns];
    let row = |name: &str, seconds: &dyn Fn(u64) -> f64| {
        let cells: Vec<String> = worlds.iter().map(|(_, ranks)| text(seconds(*ranks))).collect();
        println!("| {name} | {} |", cells.join(" | "));
    };
    let heads: Vec<&str> = worlds.iter().map(|(head, _)| *head).collect();
    println!("| ranks, {ON_NODE} on a node | {} |", heads.join(" | "));
    println!("|{}", "---|".repeat(1 + worlds.len()));
    row("a short reduction", &|ranks| took(ranks, |all| all.all_reduce(SHORT)));
    row("latencies and timeline to rank 0", &|ranks| took(ranks, |all| all.reduce(LONG)));
    row("columns, gathered by nodes", &|ranks| took(ranks, Ranks::gather_by_nodes));
    row("clocks along the tree", &|ranks| took(ranks / ON_NODE, Ranks::clocks));
    row("alarm of all ranks along the tree", &|ranks| took(ranks, Ranks::alarm));
    row("**a write, with clocks**", &|ranks| took(ranks, write) + took(ranks / ON_NODE, Ranks::clocks));
}

/// A time in ms or s.
fn text(seconds: f64) -> String {
    match seconds {
        long if long >= 1.0 => format!("{long:.1} s"),
        short if short >= 0.01 => format!("{:.0} ms", short * 1e3),
        short => format!("{:.2} ms", short * 1e3),
    }
}
