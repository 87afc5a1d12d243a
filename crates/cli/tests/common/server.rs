//! `assay serve` as a child process, and a client of a few lines. Every wait has a limit.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::campaign::{Place, signal};
use super::{PATIENCE, Ran};

/// A running server. It is killed when it is dropped.
pub struct Server {
    child: Child,
    /// What it printed when it was ready.
    pub printed: String,
    /// The address on which it listens.
    pub address: SocketAddr,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The lines of the header, in small letters.
    pub header: String,
    /// The body.
    pub body: String,
}

impl Server {
    /// Starts `assay serve WORDS` in the place, on a free port of the loopback address.
    pub fn start(place: &Place, words: &str) -> Self {
        Self::listening(place, &format!("--listen 127.0.0.1:0 {words}"))
    }

    /// Starts `assay serve WORDS`.
    pub fn listening(place: &Place, words: &str) -> Self {
        Self::of(place.command(&format!("serve {words}")))
    }

    /// Starts this command.
    pub fn of(mut command: Command) -> Self {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut printed = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut printed).unwrap();
        let address = printed.split("http://").nth(1).and_then(|rest| rest.split('/').next()?.parse().ok());
        let Some(address) = address else {
            let out = child.wait_with_output().unwrap();
            panic!("{printed} {}", String::from_utf8_lossy(&out.stderr));
        };
        Self { child, printed, address }
    }

    /// A connection to it.
    pub fn connect(&self) -> TcpStream {
        let to = SocketAddr::from(([127, 0, 0, 1], self.address.port()));
        let stream = TcpStream::connect_timeout(&to, PATIENCE).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The answer to these bytes.
    pub fn raw(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        answer_of(&mut stream)
    }

    /// The answer to a request with this method and host for `path`.
    pub fn ask(&self, method: &str, host: &str, path: &str) -> Answer {
        self.raw(&format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
    }

    /// The answer to `GET path`.
    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", &self.address.to_string(), path)
    }

    /// The page `path`, which must be there.
    pub fn page(&self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {answer:#?}");
        answer.body
    }

    /// Waits until the page `path` has `text`, and returns it.
    pub fn page_with(&self, path: &str, text: &str) -> String {
        let began = Instant::now();
        loop {
            let page = self.page(path);
            if page.contains(text) {
                return page;
            }
            assert!(began.elapsed() < PATIENCE, "{path} never has `{text}`: {page}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Sends a signal, such as `-TERM`, and waits for the end.
    pub fn end(mut self, by: &str) -> Ran {
        signal(by, self.child.id());
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        };
        let mut err = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        Ran { status: status.code(), out: self.printed.clone(), err }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The answer on a connection that the server closes after it.
pub fn answer_of(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (header, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
    let status = header.split(' ').nth(1).unwrap().parse().unwrap();
    // Pages have non-breaking spaces between numbers and their units.
    Answer { status, header: header.to_lowercase(), body: body.replace('\u{a0}', " ") }
}

/// The addresses in a page that begin with `start`.
pub fn links(page: &str, start: &str) -> Vec<String> {
    let targets = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let plain = targets.map(|target| target.replace("&#x2f;", "/"));
    plain.filter(|target| target.starts_with(start)).collect()
}
