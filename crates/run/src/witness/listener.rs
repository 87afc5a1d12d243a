//! The buyer's listener: takes hashes over TCP and appends them to its log.
//!
//! A client sends lines of JSON. The listener answers each with `ok HASH` when the line is in storage, or
//! with `error WHY` and the end of the connection.
//!
//! Invariant: a hash is answered only after it was flushed to storage. No client can stop the listener or
//! another client. The length of a line, the time of a connection and the number of clients are limited.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use results::folder::{WITNESS_LINE_BYTES_MAX, WitnessNote};

use super::{STEP, TAKEN, WitnessLog};

/// The most clients at the same time.
const CLIENTS_MAX: usize = 64;
/// How often the listener looks whether it must stop, and for new clients.
const POLL: Duration = Duration::from_millis(20);
/// The most bytes of all lines of a connection.
const CONNECTION_BYTES_MAX: usize = 1 << 20;

/// What the listener reports.
#[derive(Debug)]
pub enum ListenerEvent<'a> {
    /// A hash was logged.
    Taken(IpAddr, &'a WitnessNote),
    /// A client was rejected, for this reason.
    Rejected(IpAddr, &'a str),
}

/// Takes hashes until `stop` becomes true.
pub fn listen(
    listener: &TcpListener,
    log: WitnessLog,
    stop: &AtomicBool,
    observer: &(dyn Fn(&ListenerEvent<'_>) + Sync),
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let (log, clients) = (Mutex::new(log), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        while !stop.load(Ordering::Relaxed) {
            let (stream, address) = match listener.accept() {
                Ok(accepted) => accepted,
                // A client that left early, or too many open files, does not end the listener.
                Err(_) => {
                    std::thread::sleep(POLL);
                    continue;
                }
            };
            if clients.fetch_add(1, Ordering::AcqRel) >= CLIENTS_MAX {
                clients.fetch_sub(1, Ordering::AcqRel);
                reject(stream, "too many clients");
                observer(&ListenerEvent::Rejected(address.ip(), "too many clients"));
                continue;
            }
            let (log, clients) = (&log, &clients);
            scope.spawn(move || {
                let served =
                    serve(&stream, log, stop, &|note| observer(&ListenerEvent::Taken(address.ip(), note)));
                if let Err(error) = served {
                    let why = error.to_string();
                    reject(stream, &why);
                    observer(&ListenerEvent::Rejected(address.ip(), &why));
                }
                clients.fetch_sub(1, Ordering::AcqRel);
            });
        }
        Ok(())
    })
}

fn reject(mut stream: TcpStream, why: &str) {
    let _ = stream.set_nonblocking(false);
    let _ = stream.set_write_timeout(Some(Duration::from_secs(1)));
    let _ = stream.write_all(format!("error {why}\n").as_bytes());
}

/// Answers the lines of a client until it ends the connection.
fn serve(
    mut stream: &TcpStream,
    log: &Mutex<WitnessLog>,
    stop: &AtomicBool,
    taken: &dyn Fn(&WitnessNote),
) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(POLL))?;
    stream.set_write_timeout(Some(STEP))?;
    let (mut bytes, mut all, mut began) = (Vec::new(), 0, Instant::now());
    let rejected = |why: &str| Err(io::Error::other(why.to_owned()));
    loop {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = bytes.drain(..=end).collect();
            let note = std::str::from_utf8(&line).ok().and_then(|line| WitnessNote::read(line.trim_end()));
            let Some(note) = note else { return rejected("this is no hash of a campaign") };
            log.lock().unwrap_or_else(PoisonError::into_inner).append(&note)?;
            taken(&note);
            stream.write_all(format!("{TAKEN}{}\n", note.hash).as_bytes())?;
            began = Instant::now();
        }
        if bytes.len() > WITNESS_LINE_BYTES_MAX || all > CONNECTION_BYTES_MAX {
            return rejected("the line is too long");
        }
        if began.elapsed() > STEP || stop.load(Ordering::Relaxed) {
            return rejected("no line came in time");
        }
        let mut chunk = [0; 1024];
        match stream.read(&mut chunk) {
            Ok(0) if bytes.is_empty() => return Ok(()),
            Ok(0) => return rejected("the line has no end"),
            Ok(count) => {
                bytes.extend_from_slice(&chunk[..count]);
                all += count;
            }
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
                ) => {}
            Err(error) => return Err(error),
        }
    }
}
