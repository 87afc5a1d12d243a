//! The witness of a campaign: a file, a command or a listener that receives the hash of the chain.
//!
//! Invariant: handing out ends after [`LIMIT`], also if the witness hangs. A file that is no log of a witness
//! is never written.
//! Never here: what a log proves, which `results` compares.

mod listener;
mod log;

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use results::folder::{WITNESS_LINE_BYTES_MAX, WitnessNote};
use units::Usage;

use crate::bounded;
pub use listener::{ListenerEvent, listen};
pub use log::WitnessLog;

/// The time limit for a witness to take a hash.
pub const LIMIT: Duration = Duration::from_secs(15);
/// The time limit of each step of a connection, and of a command.
const STEP: Duration = Duration::from_secs(10);
/// The answer of a listener that took a hash, which follows it.
const TAKEN: &str = "ok ";

/// A witness.
#[derive(Clone, Debug)]
pub struct Witness {
    text: String,
    place: WitnessPlace,
    /// Whether the witness has not answered an earlier hash.
    busy: Arc<AtomicBool>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum WitnessPlace {
    File(PathBuf),
    Command(String),
    Listener(String),
}

impl Witness {
    /// Reads `--witness`: `tcp://HOST:PORT`, `exec:COMMAND`, or a file.
    pub fn parse(text: &str) -> Result<Self, Usage> {
        let rejected = |why: &str| Err(Usage(format!("--witness {text}: {why}")));
        let place = if let Some(address) = text.strip_prefix("tcp://") {
            let port = address.rsplit_once(':').map(|(host, port)| (host, port.parse::<u16>()));
            if !matches!(port, Some((host, Ok(1..))) if !host.is_empty()) {
                return rejected("this is no address. Give `tcp://HOST:PORT`.");
            }
            WitnessPlace::Listener(address.to_owned())
        } else if let Some(command) = text.strip_prefix("exec:") {
            if command.trim().is_empty() {
                return rejected("the command is missing. Give `exec:COMMAND`.");
            }
            WitnessPlace::Command(command.to_owned())
        } else if text.is_empty() || text.contains("://") {
            return rejected("this is no witness. Give a file, `exec:COMMAND` or `tcp://HOST:PORT`.");
        } else {
            let path = std::path::absolute(text);
            let path = path.map_err(|error| Usage(format!("--witness {text}: {error}. Give a file.")))?;
            WitnessPlace::File(path)
        };
        let text = match &place {
            WitnessPlace::File(path) => path.to_string_lossy().into_owned(),
            _ => text.to_owned(),
        };
        Ok(Self { text, place, busy: Arc::default() })
    }

    /// The witness as it is recorded. A path is absolute.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Rejects a file that is no log of a witness.
    pub fn check(&self) -> Result<(), Usage> {
        let WitnessPlace::File(path) = &self.place else { return Ok(()) };
        let path = path.clone();
        let opened = within(LIMIT, move || WitnessLog::open(&path).map(drop));
        opened
            .unwrap_or_else(|| Err(slow()))
            .map_err(|error| Usage(format!("--witness {}: {error}", self.text)))
    }

    /// Hands out a state of the chain. Fails with the reason if the witness does not take it in time.
    pub fn tell(&self, note: &WitnessNote) -> Result<(), String> {
        if self.busy.swap(true, Ordering::AcqRel) {
            return Err("the witness still hangs".to_owned());
        }
        let (place, note, busy) = (self.place.clone(), note.clone(), Arc::clone(&self.busy));
        let told = within(LIMIT, move || {
            let told = match place {
                WitnessPlace::File(path) => WitnessLog::open(&path).and_then(|mut log| log.append(&note)),
                WitnessPlace::Command(command) => by_command(&command, &note),
                WitnessPlace::Listener(address) => by_listener(&address, &note),
            };
            busy.store(false, Ordering::Release);
            told
        });
        told.unwrap_or_else(|| Err(slow())).map_err(|error| error.to_string())
    }
}

fn slow() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, format!("no answer within {} s", LIMIT.as_secs()))
}

/// The result of `what`, or `None` if it takes longer. Its thread then stays.
fn within<T: Send + 'static>(limit: Duration, what: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        // Nothing waits for a late result.
        let _ = sender.send(what());
    });
    receiver.recv_timeout(limit).ok()
}

/// Runs a command of the shell, with the note on its standard input and the hash as `$1`.
fn by_command(command: &str, note: &WitnessNote) -> io::Result<()> {
    let mut shell = Command::new("sh");
    bounded::succeeded(
        shell.args(["-c", command, "witness", &note.hash]),
        &format!("{}\n", note.line()),
        STEP,
    )
}

/// Sends the note to a listener, and waits for its answer.
fn by_listener(address: &str, note: &WitnessNote) -> io::Result<()> {
    let mut failed = io::Error::other("the name has no address");
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, STEP / 2) {
            Ok(stream) => return told(stream, note),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

fn told(mut stream: TcpStream, note: &WitnessNote) -> io::Result<()> {
    stream.set_read_timeout(Some(STEP))?;
    stream.set_write_timeout(Some(STEP))?;
    stream.write_all(format!("{}\n", note.line()).as_bytes())?;
    let mut answer = String::new();
    BufReader::new(stream.take(WITNESS_LINE_BYTES_MAX as u64)).read_line(&mut answer)?;
    match answer.trim_end().strip_prefix(TAKEN) {
        Some(hash) if hash == note.hash => Ok(()),
        _ => Err(io::Error::other(format!("the listener answered `{}`", units::visible(answer.trim_end())))),
    }
}

#[cfg(test)]
mod tests;
