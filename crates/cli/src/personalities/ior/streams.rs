//! Where the words of a run go: results to one place, what happens on the way to the same or another.
//!
//! Invariant: with JSON or CSV on the standard output nothing else is written there.

use std::fs::File;
use std::io::{self, ErrorKind, Write};

use units::Usage;

use super::output::{Format, Look};

/// A place to write to; the first failure is kept for the end.
struct Stream {
    to: Box<dyn Write + Send>,
    broken: Option<io::Error>,
}

impl Stream {
    fn new(to: impl Write + Send + 'static) -> Self {
        Self { to: Box::new(to), broken: None }
    }

    /// Writes text. A reader that has gone away (a closed pipe) is no failure; any other error is kept
    /// for the end, because a measurement that runs is worth more than its text.
    fn write(&mut self, text: &str) {
        let written = self.to.write_all(text.as_bytes()).and_then(|()| self.to.flush());
        if let Err(error) = written
            && error.kind() != ErrorKind::BrokenPipe
        {
            self.broken.get_or_insert(error);
        }
    }
}

/// The two places.
pub(crate) struct Streams {
    results: Stream,
    /// `None`: among the results.
    chatter: Option<Stream>,
    /// Said once, at the start.
    opening: Option<String>,
}

impl Streams {
    /// Opens what `look` names; a summary file is emptied at once, as the classic does it.
    pub(crate) fn open(look: &Look) -> Result<Self, Usage> {
        match (&look.file, look.format) {
            (Some(path), _) => {
                let results = Stream::new(create("-O summaryFile", path)?);
                let opening = Some(format!("Writing output to {path}\n"));
                Ok(Self { results, chatter: Some(Stream::new(io::stdout())), opening })
            }
            (None, Format::Text) => {
                Ok(Self { results: Stream::new(io::stdout()), chatter: None, opening: None })
            }
            (None, Format::Json | Format::Csv) => {
                let (results, chatter) = (Stream::new(io::stdout()), Stream::new(io::stderr()));
                Ok(Self { results, chatter: Some(chatter), opening: None })
            }
        }
    }

    /// Says what has to be said before everything else.
    pub(crate) fn begin(&mut self) {
        if let Some(text) = self.opening.take() {
            self.say(&text);
        }
    }

    /// Writes a part of the results.
    pub(crate) fn put(&mut self, text: &str) {
        self.results.write(text);
    }

    /// Writes what happens on the way.
    pub(crate) fn say(&mut self, text: &str) {
        if !text.is_empty() {
            self.chatter.as_mut().unwrap_or(&mut self.results).write(text);
        }
    }

    /// What could not be written.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let mut streams = std::iter::once(&mut self.results).chain(&mut self.chatter);
        streams.find_map(|stream| stream.broken.take()).map_or(Ok(()), Err)
    }
}

/// Creates or empties the file that the option `what` names.
pub(crate) fn create(what: &str, path: &str) -> Result<File, Usage> {
    File::create(path).map_err(|error| {
        Usage(format!("{what}: cannot write {path}: {error}; name a file in a directory you may write"))
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A page that can be read while others write on it.
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

    impl Streams {
        /// Results and chatter on two pages.
        pub(crate) fn apart(results: &Page, chatter: &Page) -> Self {
            let chatter = Some(Stream::new(chatter.clone()));
            Self { results: Stream::new(results.clone()), chatter, opening: None }
        }

        /// Both on one page.
        pub(crate) fn together(page: &Page) -> Self {
            Self { results: Stream::new(page.clone()), chatter: None, opening: None }
        }
    }

    /// Fails with this.
    struct Failing(ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_has_gone_is_no_failure_and_a_full_disk_is() {
        let of = |kind| {
            let results = Stream::new(Failing(kind));
            let mut streams = Streams { results, chatter: None, opening: None };
            streams.put("a");
            streams.say("b");
            streams.finish()
        };
        assert!(of(ErrorKind::BrokenPipe).is_ok());
        assert_eq!(of(ErrorKind::StorageFull).unwrap_err().kind(), ErrorKind::StorageFull);
    }

    #[test]
    fn what_happens_on_the_way_stays_among_the_results_unless_they_are_elsewhere() {
        let (page, other) = (Page::default(), Page::default());
        let mut streams = Streams::together(&page);
        streams.put("a");
        streams.say("b");
        assert_eq!(page.text(), "ab");
        let mut streams = Streams::apart(&page, &other);
        streams.put("c");
        streams.say("d");
        assert_eq!((page.text(), other.text()), ("abc".into(), "d".into()));
    }

    #[test]
    fn a_summary_file_that_cannot_be_written_is_refused_in_one_line() {
        let look = Look { file: Some("nowhere/at/all".into()), ..Look::default() };
        let refused = Streams::open(&look).err().unwrap().0;
        assert!(
            refused.starts_with("-O summaryFile: cannot write nowhere/at/all: No such file"),
            "{refused}"
        );
        assert!(!refused.contains('\n'));
    }
}
