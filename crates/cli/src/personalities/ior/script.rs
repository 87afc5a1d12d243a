//! Script files of `-f`: from their text to their tests.
//!
//! Settings accumulate from test to test. The first test begins with those of the command line.
//!
//! Invariant: an error in a line is reported with file and line number, and then no test runs.
//! Never here: files. The caller gives the text.

use command::ior::Parsed;
use units::Usage;

use command::classic::{self, ClassicLine, OptionNote};

/// One test, and its place in the script.
pub(crate) struct ScriptTest {
    /// The meaning of its options.
    pub(crate) parsed: Parsed,
    /// `file:line: ` for a script, empty for the command line.
    pub(crate) at: String,
}

/// The tests of `line` and of its script, whose text is `script`; at least one.
pub(crate) fn tests(mut line: Parsed, script: Option<&str>) -> Result<Vec<ScriptTest>, Usage> {
    let tests = match (line.script.take(), script) {
        (Some(name), Some(text)) => of_text(line, &name, text)?,
        _ => vec![(line, String::new())],
    };
    let mut written = Vec::new();
    for (number, (typed, at)) in (0..).zip(tests) {
        let mut parsed = typed.finished().map_err(|why| Usage(format!("{at}{why}")))?;
        parsed.request.test = number;
        written.push(ScriptTest { parsed, at });
    }
    // The output belongs to the whole run: the settings of the last test apply to all tests.
    if let Some((last, others)) = written.split_last_mut() {
        others.iter_mut().for_each(|test| test.parsed.output = last.parsed.output.clone());
    }
    Ok(written)
}

/// The options of each test, and its place in the script.
fn of_text(line: Parsed, name: &str, text: &str) -> Result<Vec<(Parsed, String)>, Usage> {
    let mut tests = Vec::new();
    let mut typed = line;
    let mut lines = (1..).zip(text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()));
    if !lines.any(|(_, line)| is(line, "IOR START")) {
        let text = format!("-f {name} has no line `IOR START`. The command line is the only test.");
        typed.taken.notes.push(OptionNote::changed("-f", text));
        return Ok(vec![(typed, String::new())]);
    }
    let mut last = 0;
    // Whether an option was set since the last `RUN`.
    let mut due = true;
    for (number, line) in lines {
        if is(line, "IOR STOP") {
            break;
        }
        last = number;
        if is(line, "RUN") {
            tests.push((typed.clone(), format!("{name}:{number}: ")));
            due = false;
        } else if !line.is_empty() {
            classic::take_directives(&mut typed, line)
                .map_err(|why| Usage(format!("{name}:{number}: {why}")))?;
            if typed.script.is_some() || typed.help {
                return Err(Usage(format!("{name}:{number}: -f and -h belong on the command line")));
            }
            due = true;
        }
    }
    if due {
        tests.push((typed, format!("{name}:{last}: ")));
    }
    Ok(tests)
}

/// Whether a line is this marker, in upper or lower case.
fn is(line: &str, marker: &str) -> bool {
    line.split_whitespace().map(str::to_uppercase).eq(marker.split(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str, text: &str) -> Result<Vec<ScriptTest>, Usage> {
        let tokens: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        tests(classic::parse(&tokens).expect(words), Some(text))
    }

    fn transfers(words: &str, text: &str) -> Vec<u64> {
        read(words, text).unwrap().iter().map(|test| test.parsed.request.transfer >> 10).collect()
    }

    #[test]
    fn settings_accumulate_and_run_ends_a_test() {
        let text = "before = ignored\n ior start \n# comment\n api=DUMMY\n\
                    blockSize=256k, transferSize=64k # so\n\
                    RUN\n transferSize=128k\nrun\nRUN\nIOR STOP\n nonsense";
        let all = read("-f s -s 2", text).unwrap();
        let seen: Vec<_> = all
            .iter()
            .map(|test| (test.parsed.request.test, test.parsed.request.transfer, test.at.as_str()))
            .collect();
        assert_eq!(seen, [(0, 64 << 10, "s:6: "), (1, 128 << 10, "s:8: "), (2, 128 << 10, "s:9: ")]);
        assert!(all.iter().all(|test| test.parsed.request.segments == 2));
        assert!(all.iter().all(|test| test.parsed.request.backend == "DUMMY"));
    }

    #[test]
    fn the_last_block_runs_without_run_and_without_stop() {
        assert_eq!(transfers("-f s", "IOR START\nRUN\ntransferSize=64k\n# end\n\n"), [256, 64]);
        assert_eq!(transfers("-f s", "IOR START\nRUN\n# end\n\nIOR STOP"), [256]);
        assert_eq!(transfers("-f s -t 8k", "IOR START\nIOR STOP"), [8]);
        assert_eq!(transfers("-f s -t 8k", "transferSize=64k\nRUN"), [8]);
    }

    #[test]
    fn an_error_in_a_line_has_its_file_and_number() {
        let error = |text| read("-f a/s", text).err().expect(text).0;
        assert_eq!(
            error("IOR START\n\nblocksiez=1m\n"),
            "a/s:3: blocksiez: unknown directive. Did you mean blockSize? `ior -h` lists all."
        );
        assert!(error("IOR START\nwriteFile=1 readFile=1").starts_with("a/s:2: `writeFile=1 readFile=1` in"));
        assert_eq!(error("IOR START\n-f=other"), "a/s:2: -f and -h belong on the command line");
        assert!(
            error("IOR START\nreorderTasks=1\nreorderTasksRandom=1\nRUN").starts_with("a/s:4: -C and -Z")
        );
    }

    #[test]
    fn a_test_without_a_phase_writes_and_reads() {
        let all = read("-f s", "IOR START\nRUN\nwriteFile=1\nRUN\nreadFile=1\nwriteFile=0\nRUN").unwrap();
        let seen: Vec<_> =
            all.iter().map(|test| (test.parsed.request.write, test.parsed.request.read)).collect();
        assert_eq!(seen, [(true, true), (true, false), (false, true)]);
    }
}
