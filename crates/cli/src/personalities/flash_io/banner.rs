//! What the first benchmark, by HDF5, prints: the run, and a line and a time for each file. Of the original
//! only the words are known here, not how its numbers stand.

use super::text::{FlashIoLook, WrittenFile};

/// All of it, of one repetition on the machine `node`.
pub(super) fn of_hdf5(look: &FlashIoLook, node: &str, told: &[WrittenFile]) -> String {
    let FlashIoLook { parameters, version, ranks, .. } = look;
    let (zones, blocks) = (parameters.zones, parameters.blocks_total(*ranks));
    let mut text = format!(
        " HDF 5 v {version} test on {node}\n processors = {ranks}\n \
         nxb, nyb, nzb = {zones} {zones} {zones}\n nguard = {}\n number of blocks = {}\n nvar = 24\n",
        parameters.guards,
        parameters.blocks()
    );
    for told in told {
        let (path, seconds) = (&told.phase.path, told.seconds.total);
        text.push_str(&format!(" *** Wrote output to {path} ( {blocks} blocks ) ***\n"));
        text.push_str(&format!(" time to output = {seconds:.6}\n"));
    }
    text
}
