//! placeholder

/// To come
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: Args, _argv: &[String]) -> anyhow::Result<u8> {
    Ok(0)
}
