//! A pseudo-terminal with a program in its foreground, and the screen that a person would see.
//!
//! It obeys the escapes that the program uses, and fails on any other.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use super::campaign::{skipped, there, until};

/// The longest wait for a frame.
const SCREEN_PATIENCE: Duration = Duration::from_secs(90);

/// One screen: the usual one, or the alternate one.
#[derive(Clone, Default)]
struct Grid {
    cells: Vec<Vec<char>>,
    row: usize,
    column: usize,
}

impl Grid {
    fn put(&mut self, c: char, columns: usize) {
        while self.cells.len() <= self.row {
            self.cells.push(vec![' '; columns]);
        }
        if let Some(cell) = self.cells[self.row].get_mut(self.column) {
            *cell = c;
        }
        self.column += 1;
    }
}

/// What the terminal shows.
#[derive(Default)]
struct Screen {
    columns: usize,
    usual: Grid,
    alternate: Grid,
    is_alternate: bool,
    is_cursor_hidden: bool,
    /// An escape that has begun.
    escape: String,
    /// Everything that was written.
    raw: String,
}

impl Screen {
    fn grid(&mut self) -> &mut Grid {
        if self.is_alternate { &mut self.alternate } else { &mut self.usual }
    }

    fn take(&mut self, c: char) {
        self.raw.push(c);
        let columns = self.columns;
        if !self.escape.is_empty() {
            self.escape.push(c);
            if self.escape.len() > 2 && c.is_ascii_alphabetic() {
                let escape = std::mem::take(&mut self.escape);
                self.obey(&escape[2..]);
            }
            return;
        }
        match c {
            '\u{1b}' => self.escape.push(c),
            '\n' => self.grid().row += 1,
            '\r' => self.grid().column = 0,
            c => self.grid().put(c, columns),
        }
    }

    fn obey(&mut self, escape: &str) {
        match escape {
            "?1049h" => (self.is_alternate, self.alternate) = (true, Grid::default()),
            "?1049l" => self.is_alternate = false,
            "?25l" => self.is_cursor_hidden = true,
            "?25h" => self.is_cursor_hidden = false,
            "2J" => self.grid().cells.clear(),
            "J" => {
                let (row, column) = (self.grid().row, self.grid().column);
                assert_eq!((row, column), (0, 0), "only the whole screen is cleared");
                self.grid().cells.clear();
            }
            style if style.ends_with('m') => {}
            place if place.ends_with('H') => {
                let mut numbers =
                    place.trim_end_matches('H').split(';').map(|number| number.parse().unwrap());
                let mut next = || numbers.next().unwrap_or(1_usize) - 1;
                (self.grid().row, self.grid().column) = (next(), next());
            }
            other => panic!("the escape {other:?}"),
        }
    }
}

/// A terminal with a running program.
pub struct PseudoTerminal {
    master: File,
    screen: Arc<Mutex<Screen>>,
    reader: Option<JoinHandle<()>>,
    child: Child,
}

fn size(columns: u16, rows: u16) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

impl PseudoTerminal {
    /// Starts `command` in the foreground of a new terminal of this size. `None`, with the reason printed, if
    /// this machine has none.
    pub fn start(command: &Command, columns: u16, rows: u16) -> Option<Self> {
        if !there("setsid") {
            return None;
        }
        let master = match openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY) {
            Ok(master) => master,
            Err(error) => {
                skipped(&format!("no pseudo-terminal here: {error}"));
                return None;
            }
        };
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        tcsetwinsize(&master, size(columns, rows)).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let end = rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let stdio = || end.try_clone().unwrap();
        // It makes the terminal that of a new session, and then becomes the program.
        let mut own = Command::new("setsid");
        own.arg("--ctty").arg(command.get_program()).args(command.get_args());
        own.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        if let Some(dir) = command.get_current_dir() {
            own.current_dir(dir);
        }
        own.env("TERM", "xterm").stdin(stdio()).stdout(stdio()).stderr(stdio());
        let child = own.spawn().unwrap();
        let master = File::from(master);
        let screen = Arc::new(Mutex::new(Screen { columns: 500, ..Screen::default() }));
        let reader = std::thread::spawn({
            let (mut master, screen) = (master.try_clone().unwrap(), Arc::clone(&screen));
            move || {
                let mut bytes = [0; 4096];
                let mut rest = Vec::new();
                while let Ok(count) = master.read(&mut bytes) {
                    rest.extend_from_slice(&bytes[..count]);
                    let whole = std::str::from_utf8(&rest).map_or_else(|error| error.valid_up_to(), str::len);
                    let text = String::from_utf8(rest.drain(..whole).collect()).unwrap();
                    let mut screen = screen.lock().unwrap();
                    text.chars().for_each(|c| screen.take(c));
                }
            }
        });
        Some(Self { master, screen, reader: Some(reader), child })
    }

    /// The rows that are visible now, without blanks at their ends.
    pub fn rows(&self) -> Vec<String> {
        let mut screen = self.screen.lock().unwrap_or_else(|poisoned| panic!("{poisoned}"));
        let rows = screen.grid().cells.iter();
        rows.map(|row| row.iter().collect::<String>().trim_end().to_owned()).collect()
    }

    /// Waits until the visible rows are as wanted, and returns them.
    pub fn until(&self, what: &str, wanted: impl Fn(&[String]) -> bool) -> Vec<String> {
        let begin = Instant::now();
        loop {
            let rows = self.rows();
            if wanted(&rows) {
                return rows;
            }
            assert!(begin.elapsed() < SCREEN_PATIENCE, "{what} did not come: {rows:#?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Everything that was written to the terminal.
    pub fn raw(&self) -> String {
        self.screen.lock().unwrap().raw.clone()
    }

    /// Whether the terminal is as it was before: the usual screen, the cursor, and the echo of keys.
    pub fn is_restored(&self) -> bool {
        let screen = self.screen.lock().unwrap();
        let modes = tcgetattr(&self.master).unwrap().local_modes;
        let has_modes = modes.contains(LocalModes::ECHO | LocalModes::ICANON);
        !screen.is_alternate && !screen.is_cursor_hidden && has_modes
    }

    /// Changes the size.
    pub fn resize(&self, columns: u16, rows: u16) {
        tcsetwinsize(&self.master, size(columns, rows)).unwrap();
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    /// The number of the process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the end of the program and for the last that it wrote.
    pub fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        until("the end of the program", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        if let Some(reader) = self.reader.take() {
            // The last end of the terminal is closed with the program, so its reading ends.
            reader.join().unwrap();
        }
        status.unwrap()
    }

    /// The usual screen after the end of the program.
    pub fn last_text(&self) -> String {
        self.rows().join("\n")
    }
}

impl Drop for PseudoTerminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
