//! Whether a workload moves stamped data, which can be keyed.

use crate::classic::{OptionValues, read_tokens};
use crate::{MdtestOption, Packet, ior};

/// Whether the command line of a workload writes or expects stamped data. Options in a script are not known.
pub fn has_stamped_data(workload: &str, words: &[String]) -> bool {
    let first = match workload {
        "ior" => return ior::Line::read(words).packet == Packet::Stamped,
        "mdtest" => {
            let occurrences = read_tokens::<MdtestOption>(words);
            let options = OptionValues::of(&occurrences);
            options.text(MdtestOption::PacketType).and_then(|text| text.chars().next())
        }
        _ => None,
    };
    first == Some('s')
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
