//! Messages between single ranks, outside of collectives.
//!
//! Invariant: after [`Mailbox::settle`] no message is on its way.

use crate::comm::{Comm, Halt, Reduce};

/// What one rank has sent and received.
pub struct Mailbox<'c> {
    comm: &'c dyn Comm,
    posted: u64,
    polled: u64,
}

impl<'c> Mailbox<'c> {
    /// A mailbox without messages. Each rank has at most one at a time.
    pub fn new(comm: &'c dyn Comm) -> Self {
        Self { comm, posted: 0, polled: 0 }
    }

    /// Sends a message to another rank without waiting until it arrives.
    pub fn post(&mut self, to: u32, message: Vec<u8>) -> Result<(), Halt> {
        self.posted += 1;
        self.comm.post(to, message)
    }

    /// The next message that has arrived, and its sender; `None` if there is none now.
    pub fn poll(&mut self) -> Result<Option<(u32, Vec<u8>)>, Halt> {
        let arrived = self.comm.poll()?;
        self.polled += u64::from(arrived.is_some());
        Ok(arrived)
    }

    /// Receives and drops all messages that no rank has received. No rank sends one after this. Collective.
    pub fn settle(mut self) -> Result<(), Halt> {
        loop {
            while self.poll()?.is_some() {}
            let mut sums = [self.posted, self.polled];
            self.comm.all_reduce(&mut sums, Reduce::Sum)?;
            if sums[0] == sums[1] {
                break;
            }
        }
        // What was received is also sent, as soon as MPI notices.
        while self.comm.has_unsent()? {
            std::thread::yield_now();
        }
        Ok(())
    }
}
