//! `assay serve`: a history and campaigns for browsers, read-only.
//!
//! One thread answers. It never blocks: reading and rendering have threads of their own, and each wait has a
//! limit. `connections` has the clients, `guard` decides what is answered at all, `pages` has the addresses,
//! and `kept` makes each page once at a time.
//!
//! Invariant: nothing is written. No path comes from an address: `campaigns` has the list of what is served.
//! Never here: evaluating campaigns and finding changes, which other commands do in the same way.

mod campaigns;
mod connections;
mod guard;
mod history;
mod kept;
mod pages;
mod pinned;
mod running;
mod states;

use std::ffi::OsString;
use std::io;
use std::net::{IpAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::task::Poll;

use anyhow::{Context, Result};
use report::document::Cell;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};
use track::store::{Store, StoreError, StoreLocation};
use units::Usage;

use super::track::{StorePlace, usage};
use crate::speech::{complain, say};
use crate::status::DONE;
use pages::Site;

/// Where it listens without an option.
const LISTEN: &str = "127.0.0.1:7118";
/// The most threads that read and render. `kept` says how they are shared out.
const THREADS_MAX: usize = 8;

/// The links of every page.
fn navigation() -> Vec<Cell> {
    vec![Cell::new("History").linked("/"), Cell::new("Campaigns").linked("/campaigns")]
}

/// Show a history and campaigns in a browser, read-only
///
/// The history has a page for each series. A campaign that runs is shown as by `assay watch`, and one that
/// has ended with its report, made from its evidence. Only this machine can connect, unless --listen has
/// another address. There is no encryption and no login: use ssh -L, or a reverse proxy. Nothing is written.
/// Ctrl-C ends it.
#[derive(clap::Args)]
pub(crate) struct ServeArgs {
    /// The history: a file, or postgres://USER@HOST/DATABASE
    ///
    /// Without it the history is found as by `assay track`.
    #[arg(value_name = "STORE")]
    store: Option<OsString>,
    /// The address and port to listen on; port 0 for any free port
    #[arg(long, value_name = "ADDR:PORT", default_value = LISTEN)]
    listen: String,
    /// Show the campaigns in this directory; can be given several times
    ///
    /// Campaign folders directly below it are shown, or the directory itself if it is one. Links to other
    /// directories and archives are left out.
    #[arg(long, value_name = "DIR")]
    campaigns: Vec<PathBuf>,
}

pub(crate) fn run(args: &ServeArgs) -> Result<u8> {
    let place = StorePlace { store: args.store.clone() };
    let store = place.location()?;
    let is_needed = place.is_named() || args.campaigns.is_empty();
    check_store(&store, is_needed)?;
    args.campaigns.iter().try_for_each(|dir| check_dir(dir))?;
    let listener = TcpListener::bind(&args.listen).map_err(|error| unbound(&args.listen, &error))?;
    let address = listener.local_addr()?;
    let is_local = is_loopback(address.ip());
    say(&format!("Serving on http://{address}/ (Ctrl-C ends it)\n"))?;
    if !is_local {
        complain(&format!(
            "assay: note: {address} is not a loopback address. Everyone who can connect to it can read the \
             history and these campaigns."
        ));
    }
    let site = Arc::new(Site::new(store, args.campaigns.clone(), is_local));
    let runtime = runtime().context("cannot start the server")?;
    let served = runtime.block_on(serve(listener, site));
    // A thread that waits for a file system that hangs must not keep the program.
    runtime.shutdown_background();
    served.context("cannot serve")?;
    Ok(DONE)
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().max_blocking_threads(THREADS_MAX).build()
}

/// Answers until this process is asked to end.
async fn serve(listener: TcpListener, site: Arc<Site>) -> io::Result<()> {
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let mut signals = kinds.into_iter().map(signal).collect::<io::Result<Vec<_>>>()?;
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let connections = connections::Connections::default();
    let accepting = tokio::spawn(connections.clone().accept(listener, pages::router(site)));
    std::future::poll_fn(|context| {
        let is_asked = signals.iter_mut().any(|one| one.poll_recv(context).is_ready());
        if is_asked { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    accepting.abort();
    connections.finish().await;
    Ok(())
}

/// Rejects a history that `assay track` rejects. A missing one is accepted unless `is_needed` is set.
fn check_store(place: &StoreLocation, is_needed: bool) -> Result<()> {
    match Store::open(place) {
        Ok(_) => Ok(()),
        Err(StoreError::Missing(_)) if !is_needed => Ok(()),
        Err(error) => Err(usage(error)),
    }
}

fn check_dir(dir: &Path) -> Result<(), Usage> {
    let at = dir.display();
    match std::fs::read_dir(dir) {
        Ok(_) => Ok(()),
        Err(error) => Err(Usage(format!("--campaigns {at}: {error}. Give a directory that can be read."))),
    }
}

fn unbound(listen: &str, error: &io::Error) -> Usage {
    Usage(format!(
        "--listen {listen}: {error}. Give an address of this machine and a free port, such as {LISTEN}."
    ))
}

/// Whether only this machine can connect to an address.
fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}
