//! The templates of sentences about reasons: text with slots for data.
//!
//! `{name}` is a piece of data.
//!
//! `[...]` is a part that is left out if its data are missing.
//!
//! `{n|rank}` is a count (`1 rank`, `2 ranks`). `{n|directory|directories}` states another plural.
//!
//! `{gain+}` is a number that always has a sign.
//!
//! `{name?}` is no text, but the data must be present, and a flag must be set.
//!
//! `{when:before=Before;after=After}` is other words for a text.
//!
//! `{who}` is the job, from the data `job` and `repetition`.
//!
//! Never here: how data is written, which `report::sentences` decides.

/// The slot for the job that a reason is about. It needs no data.
pub const WHO: &str = "who";

/// A slot in a template.
pub struct Slot<'t> {
    /// The name of the data.
    pub name: &'t str,
    /// What follows the name: `|rank`, `+`, `?`, `:a=b`.
    pub how: &'t str,
    /// Whether it is in a part that may be left out.
    pub optional: bool,
}

/// The slots of a template.
pub fn slots(template: &str) -> impl Iterator<Item = Slot<'_>> {
    let mut optional = false;
    template.split_inclusive(['[', ']', '}']).filter_map(move |piece| {
        let slot = piece.strip_suffix('}').and_then(|piece| piece.rsplit_once('{')).map(|(_, slot)| {
            let (name, how) = parts(slot);
            Slot { name, how, optional }
        });
        match piece.chars().last() {
            Some('[') => optional = true,
            Some(']') => optional = false,
            _ => {}
        }
        slot
    })
}

/// Splits a slot into its name and what follows the name.
pub fn parts(slot: &str) -> (&str, &str) {
    let end = slot.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(slot.len());
    slot.split_at(end)
}

/// Whether the template has only slots with these names, or only such required slots. This is [`slots`] for
/// the compiler, which cannot run iterators.
pub(super) const fn only_uses(template: &str, names: &[&[&str]], only_required: bool) -> bool {
    let text = template.as_bytes();
    let (mut at, mut optional) = (0, false);
    while at < text.len() {
        match text[at] {
            b'[' => optional = true,
            b']' => optional = false,
            b'{' if !(optional && only_required) => {
                let mut end = at + 1;
                while text[end].is_ascii_alphanumeric() || text[end] == b'_' {
                    end += 1;
                }
                if !names_slot(WHO, text, at + 1, end) && !any_names_slot(names, text, at + 1, end) {
                    return false;
                }
            }
            _ => {}
        }
        at += 1;
    }
    true
}

const fn any_names_slot(names: &[&[&str]], text: &[u8], from: usize, to: usize) -> bool {
    let mut list = 0;
    while list < names.len() {
        let mut at = 0;
        while at < names[list].len() {
            if names_slot(names[list][at], text, from, to) {
                return true;
            }
            at += 1;
        }
        list += 1;
    }
    false
}

const fn names_slot(name: &str, text: &[u8], from: usize, to: usize) -> bool {
    let name = name.as_bytes();
    if name.len() != to - from {
        return false;
    }
    let mut at = 0;
    while at < name.len() {
        if name[at] != text[from + at] {
            return false;
        }
        at += 1;
    }
    true
}
