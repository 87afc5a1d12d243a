//! Whether a workload moves stamped data, which can be keyed.

use crate::{Packet, ior, mdtest};

/// Whether the command line of a workload writes or expects stamped data. Options in a script are not known.
pub fn has_stamped_data(workload: &str, words: &[String]) -> bool {
    let packet = match workload {
        "ior" => ior::Line::read(words).packet,
        "mdtest" => mdtest::Line::read(words).packet,
        _ => return false,
    };
    packet == Packet::Stamped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stamped_packets_can_be_keyed() {
        let has = |workload: &str, line: &str| {
            has_stamped_data(workload, &line.split(' ').map(str::to_owned).collect::<Vec<_>>())
        };
        assert!(
            has("ior", "-w -l stamped") && has("ior", "-w -l s") && has("mdtest", "--dataPacketType=s -w 8")
        );
        assert!(!has("ior", "-w") && !has("ior", "-w -l random") && !has("mdtest", "-n 3"));
        assert!(!has("fdtree", "-l 3") && !has("app", "-l s"));
    }
}
