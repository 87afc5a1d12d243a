//! The load of other processes on this machine, and the wait for a quiet machine.
//!
//! Invariant: the total wait of a benchmark is limited.
//! Never here: the time of interrupts, which the program's own I/O causes, too.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The most cores that other processes may keep busy without disturbing a result.
pub(super) const QUIET_CORES: f64 = 0.15;
const SAMPLE_INTERVAL: Duration = Duration::from_millis(200);

/// Processor seconds of all processes on this machine since it started, without idle time and interrupts.
/// Time that a hypervisor gave to other machines counts too. 0 if the system does not report it.
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

/// The remaining seconds for waits and for repeated runs.
#[derive(Debug)]
pub(super) struct Patience {
    left_s: f64,
    announced: bool,
}

impl Patience {
    pub(super) fn new(seconds: f64) -> Self {
        Self { left_s: seconds, announced: false }
    }

    /// Waits until the machine is quiet, the time is used up, or the user asks to stop.
    pub(super) fn wait(&mut self, stop: &AtomicBool) {
        while self.left_s > 0.0 && !stop.load(Ordering::Relaxed) {
            let before = machine_cpu_s();
            std::thread::sleep(SAMPLE_INTERVAL);
            if machine_cpu_s() - before <= QUIET_CORES * SAMPLE_INTERVAL.as_secs_f64() {
                return;
            }
            if !std::mem::replace(&mut self.announced, true) {
                eprintln!("other processes are busy: waiting up to {:.0} s in total", self.left_s);
            }
            self.left_s -= SAMPLE_INTERVAL.as_secs_f64();
        }
    }

    /// Whether to repeat a run of `wall_s` seconds with `others_s` processor seconds of other processes.
    pub(super) fn wants_again(&mut self, wall_s: f64, others_s: f64) -> bool {
        let again = others_s > QUIET_CORES * wall_s && self.left_s > 0.0;
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
    fn idle_time_waits_and_interrupts_do_not_count() {
        let stat = "cpu  100 10 200 90000 5000 7 8 30 0 0\ncpu0 50 5 100 45000 2500 3 4 15 0 0\n";
        assert_eq!(busy_s(stat), Some(3.4));
        assert_eq!(busy_s("intr 1 2 3\n"), None);
    }

    #[test]
    fn patience_ends_on_a_machine_that_stays_busy() {
        let mut patience = Patience::new(5.0);
        assert!(!patience.wants_again(2.0, 0.1), "the machine was quiet");
        let again = (0..10).filter(|_| patience.wants_again(2.0, 3.0)).count();
        assert_eq!(again, 3);
        patience.wait(&AtomicBool::new(false));
        Patience::new(1e9).wait(&AtomicBool::new(true));
    }
}
