//! Numbers as the classic programs read them (IOR 4.1, mdtest 4.1).

/// A whole number with an optional suffix `k m g t p` (powers of 1024, either case), which `ib`, `iB`,
/// `b` or `B` may follow.
pub fn parse_number(text: &str) -> Result<i64, String> {
    let trimmed = text.trim_start();
    let end = trimmed.find(|c: char| !c.is_ascii_digit() && c != '-' && c != '+').unwrap_or(trimmed.len());
    let (digits, suffix) = trimmed.split_at(end);
    let number: i64 =
        digits.parse().map_err(|_| format!("`{text}` is not a whole number, such as 4096, 4k or 16m"))?;
    let mut letters = suffix.chars();
    let power = match letters.next().map(|letter| letter.to_ascii_lowercase()) {
        None => 0,
        Some('k') => 1,
        Some('m') => 2,
        Some('g') => 3,
        Some('t') => 4,
        Some('p') => 5,
        Some('.') => {
            return Err(format!("`{text}`: fractions are not taken; write it in the next smaller unit"));
        }
        Some(_) => {
            return Err(format!("unknown size suffix `{suffix}` in `{text}`; known are k, m, g, t, p"));
        }
    };
    if !matches!(letters.as_str().to_ascii_lowercase().as_str(), "" | "b" | "ib") {
        return Err(format!("unknown size suffix `{suffix}` in `{text}`; known are k, m, g, t, p"));
    }
    number.checked_mul(1 << (10 * power)).ok_or_else(|| format!("`{text}` is beyond 2^63"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_in_powers_of_1024_in_any_case() {
        assert_eq!(parse_number("4k"), Ok(4096));
        assert_eq!(parse_number("8G"), Ok(8 << 30));
        assert_eq!(parse_number("1p"), Ok(1 << 50));
        assert_eq!(parse_number("1mib"), Ok(1 << 20));
        assert_eq!(parse_number("1MB"), Ok(1 << 20));
        assert_eq!(parse_number("-3"), Ok(-3));
        for wrong in ["", "x", "1.5m", "8q", "4kk", "99999999999999p"] {
            assert!(parse_number(wrong).is_err(), "{wrong}");
        }
        assert!(parse_number("8q").unwrap_err().starts_with("unknown size suffix `q` in `8q`"));
    }
}
