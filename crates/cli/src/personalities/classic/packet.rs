//! Packet types as the classic programs read them (IOR 4.1, mdtest 4.1).

use workloads::kit::payload::Packet;

/// The packet type of `-l`, by its first letter.
pub(crate) fn packet(text: &str) -> Result<Packet, String> {
    match text.chars().next() {
        Some('t') => Ok(Packet::Timestamp),
        Some('o') => Ok(Packet::Offset),
        Some('i') => Ok(Packet::Incompressible),
        Some('r') => Ok(Packet::Random),
        Some('s') => Ok(Packet::Stamped),
        _ => Err(format!(
            "unknown packet type `{text}`; known are timestamp, offset, incompressible, random, stamped"
        )),
    }
}
