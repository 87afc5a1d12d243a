//! System calls by the processor's own instruction, without a function of the C library.
//!
//! A library that was loaded first (`LD_PRELOAD`, `/etc/ld.so.preload`) can replace every C function, also
//! `syscall`. It cannot replace an instruction. The answers that decide whether a measurement is valid come
//! from here.
//!
//! Never here: calls that rustix makes in the same way.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_long};

/// Clocks of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelClock {
    /// Seconds since 1970, as an administrator or NTP sets them.
    Realtime,
    /// Time since the start of the machine, at the pace of its hardware: NTP does not change it.
    MonotonicRaw,
}

/// The clock's reading, nanoseconds; `None` if the kernel does not have it.
pub fn read_clock(clock: KernelClock) -> Option<i128> {
    let number = match clock {
        KernelClock::Realtime => 0,
        KernelClock::MonotonicRaw => 4,
    };
    let mut time = [0_i64; 2];
    // SAFETY: the kernel writes one `timespec`, which is two 64-bit words on the targets of `call`.
    let result = unsafe { call(numbers::CLOCK_GETTIME, [number, (&raw mut time) as c_long, 0]) };
    (result == 0).then(|| i128::from(time[0]) * 1_000_000_000 + i128::from(time[1]))
}

/// Asks which pages of a mapping are in memory: bit 0 of one byte for each page. The error is an errno.
///
/// # Safety
///
/// `address` and `length` are a mapping of this process, and `states` has a byte for each of its pages.
pub unsafe fn mincore(address: *mut std::ffi::c_void, length: usize, states: &mut [u8]) -> Result<(), c_int> {
    let arguments = [address as c_long, length as c_long, states.as_mut_ptr() as c_long];
    // SAFETY: by the contract of this function.
    match unsafe { call(numbers::MINCORE, arguments) } {
        0 => Ok(()),
        error => Err(-error as c_int),
    }
}

#[cfg(target_arch = "x86_64")]
mod numbers {
    pub(super) const MINCORE: i64 = 27;
    pub(super) const CLOCK_GETTIME: i64 = 228;
}

#[cfg(target_arch = "x86_64")]
unsafe fn call(number: c_long, [first, second, third]: [c_long; 3]) -> c_long {
    let result;
    // SAFETY: the caller's arguments fit the call. The instruction changes no other registers.
    unsafe {
        std::arch::asm!("syscall", inlateout("rax") number => result, in("rdi") first, in("rsi") second,
            in("rdx") third, lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}

#[cfg(target_arch = "aarch64")]
mod numbers {
    pub(super) const MINCORE: i64 = 232;
    pub(super) const CLOCK_GETTIME: i64 = 113;
}

#[cfg(target_arch = "aarch64")]
unsafe fn call(number: c_long, [first, second, third]: [c_long; 3]) -> c_long {
    let result;
    // SAFETY: the caller's arguments fit the call. The instruction changes no other registers.
    unsafe {
        std::arch::asm!("svc 0", in("x8") number, inlateout("x0") first => result, in("x1") second,
            in("x2") third, options(nostack));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clocks_of_the_kernel_advance_and_agree_with_the_standard_ones() {
        let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let wall = read_clock(KernelClock::Realtime).expect("Linux has it");
        assert!((wall - since_1970.as_nanos() as i128).abs() < 1_000_000_000, "{wall}");
        let before = read_clock(KernelClock::MonotonicRaw).expect("Linux has it");
        std::thread::sleep(std::time::Duration::from_millis(5));
        let after = read_clock(KernelClock::MonotonicRaw).expect("Linux has it");
        assert!(after - before >= 4_000_000, "{before} {after}");
    }

    #[test]
    fn a_query_of_memory_that_is_not_mapped_is_an_error() {
        // SAFETY: nothing is mapped at the first page, so the kernel writes nothing.
        let result = unsafe { mincore(std::ptr::null_mut(), 4096, &mut [0]) };
        assert_eq!(result, Err(12), "ENOMEM");
    }
}
