//! Numbers and words as Fortran's formats write them: right in their field, asterisks where they do not fit.

/// `I` of that width.
pub(super) fn integer(value: u64, width: usize) -> String {
    field(value.to_string(), width)
}

/// `F` of that width, with two decimals.
pub(super) fn fixed(value: f64, width: usize) -> String {
    let text = format!("{value:.2}");
    // A zero before the point is left out before the number is.
    let bare = text.strip_prefix("0.").map(|decimals| format!(".{decimals}"));
    match bare {
        Some(bare) if text.len() > width => field(bare, width),
        _ => field(text, width),
    }
}

/// `A` of that width: the first letters of what is longer.
pub(super) fn letters(text: &str, width: usize) -> String {
    let cut: String = text.chars().take(width).collect();
    format!("{cut:>width$}")
}

fn field(text: String, width: usize) -> String {
    if text.len() > width { "*".repeat(width) } else { format!("{text:>width$}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stands_right_in_its_field_or_is_asterisks() {
        assert_eq!(
            [integer(4, 13), integer(99_999, 5), integer(100_000, 5)],
            ["            4", "99999", "*****"]
        );
        assert_eq!(
            [fixed(0.049_9, 7), fixed(9999.99, 7), fixed(9999.999, 7)],
            ["   0.05", "9999.99", "*******"]
        );
        assert_eq!(fixed(0.25, 3), ".25");
        assert_eq!(integer(1000, 3), "***");
    }

    #[test]
    fn words_are_cut_where_they_are_too_long() {
        assert_eq!([letters("cb_nodes", 10), letters("cb_nodes", 3)], ["  cb_nodes", "cb_"]);
    }
}
