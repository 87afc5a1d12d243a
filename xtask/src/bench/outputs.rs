//! Reads the outputs of programs: the number of transfers, and their seconds by the program's own clock.
//!
//! Each reader parses the machine-readable output of a program, or its table, and adds up the phases or
//! repetitions. Start-up, open, close and removal are excluded.
//!
//! Invariant: output without a phase is an error, never a zero.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The format of a program's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputFormat {
    /// The line `ops N seconds S` of this repository's examples.
    Line,
    /// Lines of this kind, each after the name of its phase; this phase is read.
    Phase(&'static str),
    /// The records of `assay`, in the file of `--record`.
    Records,
    /// The JSON of `fio`.
    Fio,
    /// The rows of IOR's table.
    Ior,
    /// The row of this name in mdtest's table of rates.
    Mdtest(&'static str),
    /// Nothing is read: the work is this number of jobs, whose time is that of the process.
    Jobs(u32),
}

/// Transfers and the seconds they took, summed over the phases of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Work {
    /// Number of transfers.
    pub(super) ops: f64,
    /// Seconds of the phases.
    pub(super) seconds: f64,
}

impl OutputFormat {
    /// The exit statuses after which the output is read.
    pub(super) fn statuses(self) -> &'static [i32] {
        // The status of an evaluation is that of its verdicts.
        if let Self::Jobs(_) = self { &[0, 3] } else { &[0] }
    }

    /// Reads a whole output.
    pub(super) fn read(self, text: &str) -> Result<Work> {
        let parts = match self {
            Self::Line => line(text),
            Self::Phase(name) => phase(text, name),
            Self::Records => records(text),
            Self::Fio => fio(text),
            Self::Ior => ior(text),
            Self::Mdtest(row) => mdtest(text, row),
            Self::Jobs(jobs) => Ok(vec![Work { ops: jobs.into(), seconds: 1.0 }]),
        }?;
        let mut sum = Work::default();
        for part in parts {
            sum.ops += part.ops;
            sum.seconds += part.seconds;
        }
        ensure!(sum.ops > 0.0 && sum.seconds > 0.0, "the output has no transfer or no time");
        Ok(sum)
    }
}

fn line(text: &str) -> Result<Vec<Work>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let ["ops", ops, "seconds", seconds] = words[..] else {
        anyhow::bail!("not `ops N seconds S`: {text:?}");
    };
    Ok(vec![Work { ops: ops.parse()?, seconds: seconds.parse()? }])
}

fn phase(text: &str, name: &str) -> Result<Vec<Work>> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line(rest.with_context(|| format!("no line of {name}"))?)
}

fn number(value: &Value, path: &str) -> Result<f64> {
    value.pointer(path).and_then(Value::as_f64).with_context(|| format!("no number at {path}"))
}

fn records(text: &str) -> Result<Vec<Work>> {
    let mut parts = Vec::new();
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).context("a record is not JSON")?;
        match record.pointer("/record").and_then(Value::as_str) {
            Some("failure") => anyhow::bail!("the records report a failure: {line}"),
            Some("phase") => parts
                .push(Work { ops: number(&record, "/ops")?, seconds: number(&record, "/spans/transfer_s")? }),
            _ => {}
        }
    }
    Ok(parts)
}

/// Warnings may precede the JSON. `runtime` is in milliseconds.
fn fio(text: &str) -> Result<Vec<Work>> {
    let begin = text.find('{').context("fio printed no JSON")?;
    let answer: Value = serde_json::from_str(&text[begin..]).context("fio's JSON does not parse")?;
    let jobs = answer.pointer("/jobs").and_then(Value::as_array).context("no jobs in fio's JSON")?;
    let mut parts = Vec::new();
    for job in jobs {
        ensure!(number(job, "/error")? == 0.0, "fio reports error {}", job["error"]);
        for direction in ["read", "write"] {
            parts.push(Work {
                ops: number(job, &format!("/{direction}/total_ios"))?,
                seconds: number(job, &format!("/{direction}/runtime"))? / 1000.0,
            });
        }
    }
    Ok(parts)
}

/// Reads the rows between the dashes and the blank line, and skips warnings. IOPS is transfers / `wr/rd(s)`.
fn ior(text: &str) -> Result<Vec<Work>> {
    let mut lines = text.lines();
    let head = lines
        .find(|line| line.starts_with("access ") && line.contains("bw(MiB/s)"))
        .context("no table in ior's output")?;
    let column = |name: &str| {
        let at = head.split_whitespace().position(|word| word == name);
        at.with_context(|| format!("no column {name} in ior's table"))
    };
    let (iops, seconds) = (column("IOPS")?, column("wr/rd(s)")?);
    let mut parts = Vec::new();
    for row in lines.skip(1).take_while(|line| !line.trim().is_empty()) {
        let cells: Vec<&str> = row.split_whitespace().collect();
        if !matches!(cells.first(), Some(&("read" | "write"))) {
            continue;
        }
        let cell = |at: usize| -> Result<f64> {
            let text = cells.get(at).with_context(|| format!("a short row of ior: {row}"))?;
            text.parse().with_context(|| format!("`{text}` in ior's row is not a number"))
        };
        parts.push(Work { ops: (cell(iops)? * cell(seconds)?).round(), seconds: cell(seconds)? });
    }
    Ok(parts)
}

/// The line `1 tasks, N files/directories` has the number of items. The row has the rate of one repetition.
fn mdtest(text: &str, row: &str) -> Result<Vec<Work>> {
    let items =
        text.lines().find_map(|line| line.strip_suffix(" files/directories")?.split_once("1 tasks, "));
    let items: f64 = items.context("no number of items of one task in mdtest's output")?.1.parse()?;
    let mut lines = text.lines().skip_while(|line| !line.starts_with("SUMMARY rate"));
    ensure!(
        lines.next().is_some_and(|line| line.contains("(of 1 iterations)")),
        "no table of one repetition"
    );
    let cells = lines.find_map(|line| line.trim_start().strip_prefix(row));
    let cells = cells.with_context(|| format!("no row `{row}` in mdtest's table"))?;
    let rate: f64 = cells.split_whitespace().next().context("a row without numbers")?.parse()?;
    Ok(vec![Work { ops: items, seconds: items / rate }])
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIO: &str = include_str!("samples/fio.json");
    const IOR: &str = include_str!("samples/ior.txt");
    const MDTEST: &str = include_str!("samples/mdtest.txt");
    const RECORDS: &str = include_str!("samples/records.jsonl");

    #[test]
    fn the_output_of_the_bare_loop_is_one_line() {
        let work = OutputFormat::Line.read("ops 1024 seconds 0.500000000\n").unwrap();
        assert_eq!(work, Work { ops: 1024.0, seconds: 0.5 });
        assert!(OutputFormat::Line.read("ops 1024 in 3 s").is_err());
    }

    #[test]
    fn the_run_time_of_fio_is_in_milliseconds_and_warnings_are_skipped() {
        let text = format!("fio: this is a warning\n{FIO}");
        assert_eq!(OutputFormat::Fio.read(&text).unwrap(), Work { ops: 4096.0, seconds: 0.008 });
    }

    #[test]
    fn a_fio_job_with_an_error_gives_no_rate() {
        let error = OutputFormat::Fio.read(&FIO.replace("\"error\" : 0", "\"error\" : 5")).unwrap_err();
        assert_eq!(error.to_string(), "fio reports error 5");
        assert!(OutputFormat::Fio.read("fio: engine not found\n").is_err());
    }

    #[test]
    fn all_rows_of_ior_are_added_up_without_the_summary() {
        let work = OutputFormat::Ior.read(IOR).unwrap();
        assert_eq!(work.ops, 4.0 * 1024.0);
        assert!((work.seconds - (0.007135 + 0.001669 + 0.002908 + 0.001557)).abs() < 1e-9, "{work:?}");
    }

    #[test]
    fn ior_output_without_rows_is_an_error() {
        let begin: String = IOR
            .lines()
            .take_while(|line| !line.starts_with("write"))
            .fold(String::new(), |text, line| text + line + "\n");
        assert!(OutputFormat::Ior.read(&begin).is_err());
        assert!(OutputFormat::Ior.read("ERROR: open64() failed").is_err());
        let cut = IOR.replace("wr/rd(s)", "xfer(s)");
        assert_eq!(
            OutputFormat::Ior.read(&cut).unwrap_err().to_string(),
            "no column wr/rd(s) in ior's table"
        );
    }

    #[test]
    fn a_phase_is_not_confused_with_one_of_a_similar_name() {
        let text = "file_stat_all ops 3 seconds 1\nfile_stat ops 10 seconds 2.5\n";
        assert_eq!(OutputFormat::Phase("file_stat").read(text).unwrap(), Work { ops: 10.0, seconds: 2.5 });
        assert!(OutputFormat::Phase("file").read(text).is_err());
    }

    #[test]
    fn a_row_of_mdtest_is_the_rate_of_its_items() {
        let work = OutputFormat::Mdtest("File stat").read(MDTEST).unwrap();
        assert_eq!(work.ops, 20_000.0);
        assert!((work.ops / work.seconds - 364_650.742).abs() < 1e-3, "{work:?}");
        assert!(
            OutputFormat::Mdtest("File link").read(MDTEST).unwrap_err().to_string().contains("`File link`")
        );
        let twice = MDTEST.replace("(of 1 iterations)", "(of 2 iterations)");
        assert!(
            OutputFormat::Mdtest("File stat").read(&twice).is_err(),
            "the best of two repetitions is not the rate of all items"
        );
    }

    #[test]
    fn phases_of_records_are_added_up_and_a_failure_is_an_error() {
        assert_eq!(OutputFormat::Records.read(RECORDS).unwrap(), Work { ops: 128.0, seconds: 0.75 });
        let failed = format!("{RECORDS}{{\"record\":\"failure\",\"step\":\"read\",\"rank\":0}}\n");
        assert!(OutputFormat::Records.read(&failed).unwrap_err().to_string().contains("failure"));
        assert!(OutputFormat::Records.read("").is_err());
    }
}
