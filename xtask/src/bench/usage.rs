//! How much of the processors a child has used, by the kernel's count.
#![allow(unsafe_code)]

/// User and system seconds of all children of this process that were waited for, with their children.
///
/// The difference around one child is that child's, as long as one runs at a time.
pub(super) fn children_cpu_s() -> f64 {
    // SAFETY: a `rusage` is numbers only, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a `rusage` of this function, which the call only writes to.
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
    fn a_child_that_worked_shows_up_once_it_was_waited_for() {
        let before = children_cpu_s();
        let busy = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
        assert!(Command::new("sh").args(["-c", busy]).status().unwrap().success());
        assert!(children_cpu_s() > before);
    }
}
