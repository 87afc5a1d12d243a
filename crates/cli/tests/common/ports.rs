//! Ports of this node for daemons that tests start.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};

/// Gives the first of `count` free ports in a row. No port is given twice in this process, because the
/// daemons of one test bind theirs while another test looks for ports. The ports are below those that the
/// kernel gives to daemons and clients of all tests.
pub fn free(count: u16) -> u16 {
    static TRIED: AtomicU32 = AtomicU32::new(0);
    loop {
        let tried = TRIED.fetch_add(u32::from(count), Ordering::Relaxed);
        let port = 10_000 + (std::process::id() * 64 + tried) % 20_000;
        let mut all = (port as u16..).take(usize::from(count));
        if all.all(|port| TcpListener::bind(("127.0.0.1", port)).is_ok()) {
            return port as u16;
        }
    }
}
