//! The types of the data that workloads write.

/// Packet types, `-l`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Packet {
    /// `t`: rank and a running number from the signature; the same for every transfer of a rank.
    #[default]
    Timestamp,
    /// `o`: as `t`, but every 512th word holds the offset.
    Offset,
    /// `i`: one random word repeated, every 512th word holds the offset.
    Incompressible,
    /// `r`: pseudo-random words from signature, rank and offset.
    Random,
    /// `s`: every 4 KiB of the file identify their writer; not in IOR.
    Stamped,
}

impl Packet {
    /// Its first letter.
    pub fn letter(self) -> char {
        match self {
            Self::Timestamp => 't',
            Self::Offset => 'o',
            Self::Incompressible => 'i',
            Self::Random => 'r',
            Self::Stamped => 's',
        }
    }

    /// The type of `-l`, by its first letter (IOR 4.1, mdtest 4.1).
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.chars().next() {
            Some('t') => Ok(Self::Timestamp),
            Some('o') => Ok(Self::Offset),
            Some('i') => Ok(Self::Incompressible),
            Some('r') => Ok(Self::Random),
            Some('s') => Ok(Self::Stamped),
            _ => Err(format!(
                "unknown packet type `{text}`. Use timestamp, offset, incompressible, random or stamped."
            )),
        }
    }
}
