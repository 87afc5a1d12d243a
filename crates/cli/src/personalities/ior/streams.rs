//! The output streams of a run: one for the results, and others for messages and own lines.
//!
//! Invariant: with JSON or CSV on standard output nothing else is written there. Standard error has only what
//! these results lack, so that both streams may go to one file.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};

use command::ior::{Output, ResultFormat};
use units::Usage;
use workloads::kit::failed_call::words;

use crate::personalities::printer::Printer;

/// An output, and the beginning of the error message if a write to it fails.
pub(super) struct OutputStream {
    pub(super) printer: Printer,
    what: String,
}

impl OutputStream {
    fn new(to: impl Write + Send + 'static, what: &str) -> Self {
        Self { printer: Printer::new(to, false), what: what.to_owned() }
    }

    /// Creates or empties the file that `option` names.
    pub(super) fn create(option: &str, path: &str) -> Result<Self, Usage> {
        let file = File::create(path).map_err(|error| rejection(option, path, &error))?;
        Ok(Self::to_file(file, option, path))
    }

    /// Results in a file must be complete, also if it is a pipe.
    fn to_file(file: impl Write + Send + 'static, option: &str, path: &str) -> Self {
        Self { printer: Printer::to_file(file), what: cannot_write(option, path) }
    }

    /// Fails with the output if it could not be written.
    pub(super) fn finish(&mut self) -> Result<(), String> {
        self.printer.finish().map_err(|error| format!("{}: {}", self.what, words(&error)))
    }
}

/// Where messages of one kind go.
enum MessageStream {
    /// To the results.
    Results,
    /// To an output of their own.
    Apart(OutputStream),
    /// Nowhere, because the results have them.
    Nowhere,
}

/// The outputs for results and messages.
pub(crate) struct Streams {
    results: OutputStream,
    /// The messages of the classic program.
    chatter: MessageStream,
    /// The own lines: warnings and wrong data.
    own: MessageStream,
    /// The first message, printed once.
    opening: Option<String>,
}

impl Streams {
    /// Opens the outputs that `look` requests. A summary file is emptied at once, as in the classic program.
    /// A JSON document is written as a whole at the end, and replaces an earlier file only then.
    pub(crate) fn open(look: &Output) -> Result<Self, Usage> {
        const OPTION: &str = "-O summaryFile";
        const PRINT: &str = "cannot print the results";
        let Some(path) = &look.file else {
            let results = OutputStream::new(io::stdout(), PRINT);
            let (chatter, own) = match (look.format, look.plain) {
                (ResultFormat::Text, false) => (MessageStream::Results, MessageStream::Results),
                (ResultFormat::Text, true) => (MessageStream::Results, on_stderr()),
                (ResultFormat::Json, _) => (MessageStream::Nowhere, MessageStream::Nowhere),
                // Only wrong data. CSV has no place for it, and the exit status alone does not explain it.
                (ResultFormat::Csv, _) => (MessageStream::Nowhere, on_stderr()),
            };
            return Ok(Self { results, chatter, own, opening: None });
        };
        let results = match look.format {
            ResultFormat::Json => OutputStream::to_file(AtTheEnd::new(OPTION, path)?, OPTION, path),
            ResultFormat::Text | ResultFormat::Csv => OutputStream::create(OPTION, path)?,
        };
        let opening = Some(format!("Writing output to {path}\n"));
        let own = match (look.plain, look.format) {
            (true, _) => on_stderr(),
            (false, ResultFormat::Text) => MessageStream::Results,
            (false, _) => on_stdout(),
        };
        Ok(Self { results, chatter: on_stdout(), own, opening })
    }

    /// All in one output.
    pub(crate) fn together(printer: Printer) -> Self {
        let results = OutputStream { printer, what: "cannot write the results".to_owned() };
        Self { results, chatter: MessageStream::Results, own: MessageStream::Results, opening: None }
    }

    /// Prints the first message and these warnings.
    pub(crate) fn begin(&mut self, warnings: &str) {
        let text = self.opening.take().unwrap_or_default() + warnings;
        self.say(&text);
    }

    /// Writes a part of the results.
    pub(crate) fn put(&mut self, text: &str) {
        self.results.printer.put(text);
    }

    /// Writes a message of the classic program.
    pub(crate) fn say(&mut self, text: &str) {
        self.chatter.write(&mut self.results, text);
    }

    /// Writes own lines.
    pub(crate) fn say_own(&mut self, text: &str) {
        self.own.write(&mut self.results, text);
    }

    /// Fails with the output that could not be written.
    pub(crate) fn finish(&mut self) -> Result<(), String> {
        let apart = [&mut self.chatter, &mut self.own].into_iter().filter_map(MessageStream::apart);
        std::iter::once(&mut self.results).chain(apart).try_for_each(OutputStream::finish)
    }
}

/// The beginning of the error message if a message cannot be printed.
const SAY: &str = "cannot print the messages of the run";

fn on_stdout() -> MessageStream {
    MessageStream::Apart(OutputStream::new(io::stdout(), SAY))
}

fn on_stderr() -> MessageStream {
    MessageStream::Apart(OutputStream::new(io::stderr(), SAY))
}

impl MessageStream {
    fn write(&mut self, results: &mut OutputStream, text: &str) {
        match self {
            Self::Results if !text.is_empty() => results.printer.put(text),
            Self::Apart(stream) if !text.is_empty() => stream.printer.put(text),
            _ => {}
        }
    }

    fn apart(&mut self) -> Option<&mut OutputStream> {
        match self {
            Self::Apart(stream) => Some(stream),
            Self::Results | Self::Nowhere => None,
        }
    }
}

/// A file that the first write creates or empties.
struct AtTheEnd {
    path: String,
    file: Option<File>,
}

impl AtTheEnd {
    /// Only checks that the file can be written. A pipe or a device stays open.
    fn new(option: &str, path: &str) -> Result<Self, Usage> {
        let mut how = OpenOptions::new();
        let file = match how.write(true).create_new(true).open(path) {
            Ok(_) => std::fs::remove_file(path).map(|()| None),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                how.create_new(false).open(path).map(Some)
            }
            Err(error) => Err(error),
        };
        let is_file = |file: &File| file.metadata().is_ok_and(|about| about.is_file());
        let file = file.map_err(|error| rejection(option, path, &error))?.filter(|file| !is_file(file));
        Ok(Self { path: path.to_owned(), file })
    }
}

impl Write for AtTheEnd {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.file {
            Some(file) => file.write(bytes),
            None => self.file.insert(File::create(&self.path)?).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

/// The beginning of the error message for a file that cannot be written.
fn cannot_write(option: &str, path: &str) -> String {
    format!("{option}: cannot write {path}")
}

fn rejection(option: &str, path: &str, error: &io::Error) -> Usage {
    let what = cannot_write(option, path);
    Usage(format!("{what}: {error}. Choose a file in a directory that you may write to."))
}

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};

    use super::*;
    use crate::personalities::printer::tests::{Failing, Page};

    impl Streams {
        /// Results and messages on separate pages.
        pub(crate) fn apart(results: &Page, chatter: &Page) -> Self {
            let apart = || MessageStream::Apart(OutputStream::new(chatter.clone(), "chatter"));
            let results = OutputStream::new(results.clone(), "results");
            Self { results, chatter: apart(), own: apart(), opening: None }
        }

        /// Results and messages on a page, own lines on another.
        pub(crate) fn own_apart(page: &Page, own: &Page) -> Self {
            let own = MessageStream::Apart(OutputStream::new(own.clone(), "own"));
            Self { own, ..Self::on(page) }
        }

        /// All on one page.
        pub(crate) fn on(page: &Page) -> Self {
            Self::together(Printer::new(page.clone(), false))
        }
    }

    #[test]
    fn a_closed_pipe_is_not_an_error_but_a_full_disk_is() {
        let of = |kind| {
            let results = OutputStream::new(Failing(kind), "cannot print");
            let (chatter, own) = (MessageStream::Results, MessageStream::Results);
            let mut streams = Streams { results, chatter, own, opening: None };
            streams.put("a");
            streams.say("b");
            streams.finish()
        };
        assert!(of(ErrorKind::BrokenPipe).is_ok());
        assert_eq!(of(ErrorKind::StorageFull).unwrap_err(), "cannot print: no storage space");
    }

    #[test]
    fn a_pipe_as_summary_file_must_be_read_to_its_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap();
        for format in [ResultFormat::Text, ResultFormat::Json, ResultFormat::Csv] {
            let reader = rustix::fs::open(&path, OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty()).unwrap();
            let file = Some(path.display().to_string());
            let mut streams = Streams::open(&Output { file, format, ..Output::default() }).unwrap();
            drop(reader);
            streams.put("a");
            let failed = streams.finish().unwrap_err();
            assert!(failed.starts_with("-O summaryFile: cannot write "), "{format:?}: {failed}");
        }
    }

    #[test]
    fn messages_go_to_the_results_unless_they_have_their_own_stream() {
        let (page, other) = (Page::default(), Page::default());
        let mut streams = Streams::on(&page);
        streams.put("a");
        streams.say("b");
        assert_eq!(page.text(), "ab");
        let mut streams = Streams::apart(&page, &other);
        streams.put("c");
        streams.say("d");
        assert_eq!((page.text(), other.text()), ("abc".into(), "d".into()));
    }

    #[test]
    fn a_summary_file_that_cannot_be_written_is_rejected_in_one_line() {
        let look = Output { file: Some("nowhere/at/all".into()), ..Output::default() };
        let rejected = Streams::open(&look).err().unwrap().0;
        assert!(
            rejected.starts_with("-O summaryFile: cannot write nowhere/at/all: No such file"),
            "{rejected}"
        );
        assert!(!rejected.contains('\n'));
    }
}
