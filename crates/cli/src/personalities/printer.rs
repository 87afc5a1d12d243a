//! The output of a program. Its first failure is kept for the end, because the measurement matters more than
//! its text.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use units::visible_lines;

use super::own_lines::own_lines;
use crate::speech::complain;

/// Writes the lines of a classic program, and own lines among them.
pub(crate) struct Printer {
    to: Box<dyn Write + Send>,
    /// Whether control characters, as in the names of files, are escaped.
    escapes: bool,
    /// Whether the output has no own lines.
    plain: bool,
    /// Whether a reader may leave. A file of results must be complete.
    may_close: bool,
    broken: Option<io::Error>,
}

impl Printer {
    pub(crate) fn new(to: impl Write + Send + 'static, plain: bool) -> Self {
        Self { to: Box::new(to), escapes: false, plain, may_close: true, broken: None }
    }

    pub(crate) fn to_file(file: impl Write + Send + 'static) -> Self {
        Self { may_close: false, ..Self::new(file, false) }
    }

    /// Prints to this file instead of standard output, which is created or emptied.
    pub(crate) fn in_place_of_stdout(path: &Path, plain: bool) -> io::Result<Self> {
        Ok(Self { plain, ..Self::to_file(File::create(path)?) })
    }

    /// Prints to standard output, with control characters escaped.
    pub(crate) fn to_stdout(plain: bool) -> Self {
        Self { escapes: true, ..Self::new(io::stdout(), plain) }
    }

    /// Writes text and flushes it. A closed pipe is not an error, except of a file.
    pub(crate) fn put(&mut self, text: &str) {
        self.put_later(text);
        self.flush();
    }

    /// Hands on what was written later.
    pub(crate) fn flush(&mut self) {
        let flushed = self.to.flush();
        self.remember_failure(flushed);
    }

    /// Writes text without a flush, for many short lines. [`flush`](Self::flush) follows.
    pub(crate) fn put_later(&mut self, text: &str) {
        let written = match self.escapes {
            true => self.to.write_all(visible_lines(text).as_bytes()),
            false => self.to.write_all(text.as_bytes()),
        };
        self.remember_failure(written);
    }

    /// Prints a text as own lines, unless the output has none.
    pub(crate) fn put_own(&mut self, text: &str) {
        if !self.plain {
            self.put(&own_lines(text));
        }
    }

    /// The same for a text about a fault, or about what stays. With plain output it goes to standard error.
    pub(crate) fn put_fault(&mut self, text: &str) {
        if !self.plain {
            self.put(&own_lines(text));
        } else if !text.is_empty() {
            complain(own_lines(text).trim_end());
        }
    }

    /// Gives the first failure.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.flush();
        self.broken.take().map_or(Ok(()), Err)
    }

    fn remember_failure(&mut self, done: io::Result<()>) {
        if let Err(error) = done
            && !(self.may_close && error.kind() == ErrorKind::BrokenPipe)
        {
            self.broken.get_or_insert(error);
        }
    }
}

/// Whether the results of a program are printed. If they are not, this reports it.
pub(crate) fn are_printed(program: &str, printed: io::Result<()>) -> bool {
    printed.map_err(|error| complain(&format!("{program}: cannot print the results: {error}"))).is_ok()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A page that can be read while others write to it.
    #[derive(Clone, Default)]
    pub(crate) struct Page(Arc<Mutex<Vec<u8>>>);

    impl Page {
        pub(crate) fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A writer that always fails with this error.
    pub(crate) struct Failing(pub(crate) ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_is_not_an_error_but_a_full_disk_is() {
        for (kind, failed) in [(ErrorKind::BrokenPipe, false), (ErrorKind::StorageFull, true)] {
            let mut printer = Printer::new(Failing(kind), false);
            printer.put("a");
            printer.put_own("b");
            assert_eq!(printer.finish().is_err(), failed, "{kind:?}");
            let mut file = Printer::to_file(Failing(kind));
            file.put("a");
            assert!(file.finish().is_err(), "{kind:?}");
            let mut late = Printer::new(io::BufWriter::new(Failing(kind)), false);
            late.put_later("a");
            assert_eq!(late.finish().is_err(), failed, "{kind:?}");
        }
    }
}
