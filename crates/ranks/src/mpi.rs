//! placeholder
/// placeholder
pub struct MpiComm;
