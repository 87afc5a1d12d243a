//! `assay track show`: one series of the history on a terminal.

use anyhow::Result;
use report::history::series_text;
use units::Usage;

use super::list::one_or_more;
use super::{FallArgs, StorePlace, characters, view};
use crate::commands::terminal::columns_of_terminal;
use crate::speech::say;
use crate::status::DONE;

/// The most names of series in a message.
const NAMES_MAX: usize = 20;
/// The widest chart.
const WIDTH_MAX: usize = 80;

/// Show one series of the history: a chart, its changes, the last points
///
/// The texts select the series. If they select several, their names are listed, and nothing is shown.
#[derive(clap::Args)]
pub(super) struct ShowArgs {
    #[command(flatten)]
    store: StorePlace,
    #[command(flatten)]
    fall: FallArgs,
    /// The series with all of these texts in its name
    #[arg(value_name = "TEXT", required = true)]
    texts: Vec<String>,
}

pub(super) fn run(args: &ShowArgs) -> Result<u8> {
    let store = args.store.open()?;
    let series = one_or_more(&store, &args.texts)?;
    if series.len() > 1 {
        let names: Vec<String> =
            series.iter().take(NAMES_MAX).map(|one| format!("\n  {}", one.series)).collect();
        let more = match series.len().saturating_sub(NAMES_MAX) {
            0 => String::new(),
            more => format!("\n  and {more} more"),
        };
        let what = format!("{} series have these texts in their names. Give more of one name:", series.len());
        return Err(Usage(format!("{what}{}{more}", names.concat())).into());
    }
    let view = view::view(&store, series, args.fall.rule())?;
    say(&series_text(&view, 0, columns_of_terminal().clamp(40, WIDTH_MAX), characters()))?;
    Ok(DONE)
}
