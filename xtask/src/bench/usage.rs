//! The processor time of child processes, as the kernel counts it.
#![allow(unsafe_code)]

/// User and system seconds of all ended children of this process, with their children.
///
/// If one child runs at a time, the difference between two calls is the time of that child.
pub(super) fn children_cpu_s() -> f64 {
    // SAFETY: a `rusage` has only numbers, and zero is valid for each.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a local `rusage`; the call only writes there.
    let status = unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    assert_eq!(status, 0, "getrusage knows RUSAGE_CHILDREN");
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_time_of_an_ended_child_is_counted() {
        let before = children_cpu_s();
        let busy = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
        assert!(Command::new("sh").args(["-c", busy]).status().unwrap().success());
        assert!(children_cpu_s() > before);
    }
}
