//! How much of the machine others used while a program ran: what makes a number worthless unseen.
//!
//! Never here: interrupts, which are the program's own I/O as often as not.

use std::fs;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idling_waiting_and_interrupts_are_nobodys_work() {
        let stat = "cpu  100 10 200 90000 5000 7 8 30 0 0\ncpu0 50 5 100 45000 2500 3 4 15 0 0\n";
        assert_eq!(busy_s(stat), Some(3.4));
        assert_eq!(busy_s("intr 1 2 3\n"), None);
    }
}
