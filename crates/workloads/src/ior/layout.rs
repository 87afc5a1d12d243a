//! The shape of the data of a test, and how its files are opened.

use command::ior::Request;
use storage::{Mode, Open};

use crate::kit::layout::DataLayout;

/// The shape of the data with `ranks` participating ranks.
pub fn layout(request: &Request, ranks: u32) -> DataLayout {
    DataLayout {
        ranks: ranks.into(),
        segments: request.segments,
        block: request.block,
        transfer: request.transfer,
        file_per_rank: request.file_per_rank,
    }
}

/// How one of `ranks` ranks opens the file of a test.
pub(super) fn open(request: &Request, mode: Mode, ranks: u32) -> Open {
    let (layout, shared) = (layout(request, ranks), !request.file_per_rank);
    let (bytes, parts) = (layout.file_bytes(), layout.parts());
    Open { mode, shared, collective: request.collective, bytes, parts }
}
