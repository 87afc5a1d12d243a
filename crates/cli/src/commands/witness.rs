//! `assay witness`: the buyer's listener for the hashes of campaigns.

use std::net::TcpListener;
use std::path::PathBuf;

use anyhow::Result;
use run::witness::{ListenerEvent, WitnessLog, listen};
use units::{Usage, visible};

use crate::speech::{complain, say};
use crate::status::DONE;

/// Log the hashes that a campaign hands out, on a machine of the buyer
///
/// `assay run --witness tcp://HOST:PORT` sends a hash at each begin and end of a job. The listener appends
/// it to its log with its own time, and answers. `assay verify --witness LOG` later finds a campaign that
/// was cut and continued. The listener has no access control: let only the site's network reach it. Ctrl-C
/// ends it.
#[derive(clap::Args)]
pub(crate) struct WitnessArgs {
    /// The address and port to listen on, such as 0.0.0.0:7117
    #[arg(long, value_name = "ADDR")]
    listen: String,
    /// The log: a new file, or one that the listener continues
    #[arg(long, value_name = "FILE", default_value = "assay-witness.jsonl")]
    log: PathBuf,
}

pub(crate) fn run(args: WitnessArgs) -> Result<u8> {
    let log = WitnessLog::open(&args.log);
    let log = log.map_err(|error| Usage(format!("--log {}: {error}", args.log.display())))?;
    let listener = TcpListener::bind(&args.listen);
    let listener = listener.map_err(|error| {
        Usage(format!("--listen {}: {error}. Give an address of this machine, and a free port.", args.listen))
    })?;
    say(&format!("Listening on {}\n", listener.local_addr()?))?;
    let stop = run::signals::stop_on_request()?;
    listen(&listener, log, &stop, &|event| match event {
        ListenerEvent::Taken(client, note) => {
            complain(&format!("{client}: entry {} of {:.12}", note.entry, note.campaign));
        }
        ListenerEvent::Rejected(client, why) => complain(&format!("{client}: rejected: {}", visible(why))),
    })?;
    Ok(DONE)
}
