//! The rows of results that `ior` prints.

/// The largest difference of two computations of one number, as a share.
const SAME_NUMBER: f64 = 1e-9;
/// The columns of a row: access, nine numbers, and the repetition.
const COLUMNS: usize = 11;

/// A printed number, with the largest difference of its rounding.
#[derive(Clone, Copy)]
pub struct PrintedNumber<'a> {
    /// As printed.
    pub text: &'a str,
    value: f64,
    rounding: f64,
}

impl<'a> PrintedNumber<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
        let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        Some(Self { text, value, rounding: 0.5 * 10_f64.powi(-(decimals as i32)) })
    }

    /// Whether it is the rounded `found`.
    pub fn is(&self, found: f64) -> bool {
        (self.value - found).abs() <= self.rounding + SAME_NUMBER * found.abs()
    }
}

/// A row of the results.
pub struct IorRow<'a> {
    /// The kind of phase.
    pub access: &'a str,
    /// MiB/s.
    pub bw: PrintedNumber<'a>,
    /// Seconds.
    pub total_s: PrintedNumber<'a>,
    /// The number of its repetition.
    pub repetition: u32,
}

impl<'a> IorRow<'a> {
    /// A line that is a row of results.
    pub fn parse(line: &'a str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let numbers: Option<Vec<PrintedNumber<'_>>> =
            words.iter().skip(1).map(|word| PrintedNumber::parse(word)).collect();
        let numbers = numbers.filter(|_| words.len() == COLUMNS)?;
        let repetition = words.last()?.parse().ok()?;
        Some(Self { access: words[0], bw: numbers[0], total_s: numbers[COLUMNS - 3], repetition })
    }
}

/// The rows of results in what `ior` printed, a line each.
pub(crate) fn rows_of_ior(text: &str) -> String {
    text.lines().filter(|line| IorRow::parse(line).is_some()).flat_map(|line| [line, "\n"]).collect()
}
