//! What a rank has done in a case so far: steps, and bytes that its thread moved by system calls.
//!
//! A rank that still does something when the time of a case is over is slow. One that does nothing hangs.

use std::time::{Duration, Instant};

/// The activity of a rank in a case, when it was last asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Activity {
    /// Steps that it has ended.
    pub(super) steps: u64,
    /// Bytes that it has read and written.
    pub(super) bytes: u64,
    /// Since when it has done nothing.
    pub(super) idle: Duration,
}

/// Follows the activity of one rank in one case.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActivityMeter {
    thread: i32,
    first_bytes: u64,
    bytes: u64,
    steps: u64,
    last: Instant,
}

impl ActivityMeter {
    /// Begins with the case, on the thread of the rank.
    pub(super) fn begin() -> Self {
        let thread = rustix::thread::gettid().as_raw_nonzero().get();
        let bytes = bytes_of(thread);
        Self { thread, first_bytes: bytes, bytes, steps: 0, last: Instant::now() }
    }

    /// The rank has done its part of a step. `ended` if all ranks have.
    pub(super) fn step(&mut self, ended: bool) {
        self.steps += u64::from(ended);
        self.last = Instant::now();
    }

    /// Notes whether bytes were moved since the last call.
    pub(super) fn sample(&mut self) {
        let bytes = bytes_of(self.thread);
        if bytes != self.bytes {
            (self.bytes, self.last) = (bytes, Instant::now());
        }
    }

    pub(super) fn activity(&self) -> Activity {
        let bytes = self.bytes.saturating_sub(self.first_bytes);
        Activity { steps: self.steps, bytes, idle: self.last.elapsed() }
    }
}

/// Bytes that a thread of this process has read and written by system calls; 0 if the kernel does not count
/// them. Polling calls move no bytes, so a rank that waits inside a library does not count as active.
fn bytes_of(thread: i32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/self/task/{thread}/io")).unwrap_or_default();
    let count = |line: &str| line.split_once(": ").and_then(|(_, count)| count.parse::<u64>().ok());
    let counted = text.lines().filter(|line| line.starts_with("rchar") || line.starts_with("wchar"));
    counted.filter_map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moved_bytes_end_the_idle_time_and_the_reading_of_counters_does_not() {
        let mut meter = ActivityMeter::begin();
        let file = tempfile::tempfile().unwrap();
        std::os::unix::fs::FileExt::write_all_at(&file, &[1; 3000], 0).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        std::thread::scope(|scope| {
            scope.spawn(|| meter.sample());
        });
        let first = meter.activity();
        if first.bytes == 0 {
            println!("SKIPPED: this kernel does not count the bytes of threads");
            return;
        }
        assert!(first.bytes >= 3000, "{first:?}");
        std::thread::sleep(Duration::from_millis(20));
        std::thread::scope(|scope| {
            scope.spawn(|| meter.sample());
        });
        let second = meter.activity();
        assert!(second.idle >= Duration::from_millis(20) && second.bytes == first.bytes, "{second:?}");
        meter.step(true);
        assert!(meter.activity().idle < second.idle && meter.activity().steps == 1);
    }
}
