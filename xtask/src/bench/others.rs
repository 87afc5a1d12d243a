//! How much of the machine others use: what makes a number worthless unseen, and waiting until they stop.
//!
//! Invariant: waiting is bounded for the whole benchmark, whatever others do.
//! Never here: interrupts, which are the program's own I/O as often as not.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Cores that others may keep busy before a result is in doubt.
pub(super) const QUIET: f64 = 0.15;
const LOOK: Duration = Duration::from_millis(200);

/// Processor seconds of everything on this machine since it started, without idling and interrupts;
/// what a hypervisor gave to somebody else counts. 0 where the system does not tell.
pub(super) fn machine_cpu_s() -> f64 {
    busy_s(&fs::read_to_string("/proc/stat").unwrap_or_default()).unwrap_or(0.0)
}

/// Sums user, nice, system and steal of the line `cpu`, which counts in hundredths of a second.
fn busy_s(stat: &str) -> Option<f64> {
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<f64> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let sum: Option<f64> = [0, 1, 2, 7].iter().map(|at| ticks.get(*at)).sum();
    Some(sum? / 100.0)
}

/// Seconds that may still go into waiting for a quiet machine and into runs taken again.
#[derive(Debug)]
pub(super) struct Patience {
    left_s: f64,
    told: bool,
}

impl Patience {
    pub(super) fn new(seconds: f64) -> Self {
        Self { left_s: seconds, told: false }
    }

    /// Waits until others are quiet, or there is no patience left, or somebody asks to stop.
    pub(super) fn wait(&mut self, stop: &AtomicBool) {
        while self.left_s > 0.0 && !stop.load(Ordering::Relaxed) {
            let before = machine_cpu_s();
            std::thread::sleep(LOOK);
            if machine_cpu_s() - before <= QUIET * LOOK.as_secs_f64() {
                return;
            }
            if !std::mem::replace(&mut self.told, true) {
                eprintln!("others are busy here: waits up to {:.0} s in all for them", self.left_s);
            }
            self.left_s -= LOOK.as_secs_f64();
        }
    }

    /// Whether a run of so many seconds, in which others worked so many, should be taken again.
    pub(super) fn wants_again(&mut self, wall_s: f64, others_s: f64) -> bool {
        let again = others_s > QUIET * wall_s && self.left_s > 0.0;
        if again {
            self.left_s -= wall_s;
        }
        again
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idling_waiting_and_interrupts_are_nobodys_work() {
        let stat = "cpu  100 10 200 90000 5000 7 8 30 0 0\ncpu0 50 5 100 45000 2500 3 4 15 0 0\n";
        assert_eq!(busy_s(stat), Some(3.4));
        assert_eq!(busy_s("intr 1 2 3\n"), None);
    }

    #[test]
    fn patience_ends_however_busy_the_machine_stays() {
        let mut patience = Patience::new(5.0);
        assert!(!patience.wants_again(2.0, 0.1), "that was quiet");
        let again = (0..10).filter(|_| patience.wants_again(2.0, 3.0)).count();
        assert_eq!(again, 3);
        patience.wait(&AtomicBool::new(false));
        Patience::new(1e9).wait(&AtomicBool::new(true));
    }
}
