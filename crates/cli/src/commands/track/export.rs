//! `assay track export`: the points of the history for other programs.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::ValueEnum;
use track::export::{self, ExportError};

use super::StorePlace;
use super::list::selected;
use crate::status::DONE;

/// Write the points of the history for other programs
///
/// Values are in base units: bytes per second, operations per second, seconds.
#[derive(clap::Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    store: StorePlace,
    /// The format
    #[arg(long, value_enum, default_value = "csv")]
    format: ExportFormat,
    /// The file to write; standard output without it
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Only series with all of these texts in their names
    #[arg(value_name = "TEXT")]
    texts: Vec<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum ExportFormat {
    /// Comma-separated values, a line for each point
    Csv,
    /// A JSON object for each point, on a line of its own
    Jsonl,
    /// The last point of each series, for the textfile collector of the node exporter of Prometheus
    Openmetrics,
}

pub(super) fn run(args: &ExportArgs) -> Result<u8> {
    let store = args.store.open()?;
    let series = selected(&store, &args.texts)?;
    let write = |out: &mut (dyn Write + Send)| match args.format {
        ExportFormat::Csv => export::csv(&store, &series, out),
        ExportFormat::Jsonl => export::json_lines(&store, &series, out),
        ExportFormat::Openmetrics => export::open_metrics(&store, &series, out),
    };
    match &args.out {
        Some(file) => {
            // A reader such as the node exporter never sees half a file.
            let written = results::folder::write_whole_by(file, |out| {
                let mut out = BufWriter::new(out);
                write(&mut out)?;
                Ok::<(), ExportError>(out.flush()?)
            });
            written.with_context(|| format!("cannot write {}", file.display()))?;
        }
        None => {
            let mut out = BufWriter::new(io::stdout());
            let written = write(&mut out).and_then(|()| Ok(out.flush()?));
            match written {
                Err(ExportError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {}
                other => other?,
            }
        }
    }
    Ok(DONE)
}
