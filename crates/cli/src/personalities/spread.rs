//! Extremes, mean and deviation of values that are not kept.

/// The spread of the values so far (Welford's method).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ValueSpread {
    pub(crate) count: u64,
    pub(crate) max: f64,
    pub(crate) min: f64,
    mean: f64,
    /// The sum of squared distances from the mean.
    squares: f64,
}

impl ValueSpread {
    pub(crate) fn add(&mut self, value: f64) {
        let is_first = self.count == 0;
        self.max = if is_first { value } else { self.max.max(value) };
        self.min = if is_first { value } else { self.min.min(value) };
        self.count += 1;
        let distance = value - self.mean;
        self.mean += distance / self.count as f64;
        self.squares += distance * (value - self.mean);
    }

    /// The mean; 0 without values.
    pub(crate) fn mean(&self) -> f64 {
        self.mean
    }

    /// The sample standard deviation (n - 1); 0 for up to one value.
    pub(crate) fn sample_deviation(&self) -> f64 {
        if self.count > 1 { (self.squares / (self.count - 1) as f64).sqrt() } else { 0.0 }
    }

    /// The population standard deviation (n); 0 without values.
    pub(crate) fn population_deviation(&self) -> f64 {
        (self.squares / self.count.max(1) as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deviation_is_that_of_a_sample_or_of_the_population() {
        let spread = |values: &[f64]| {
            let mut spread = ValueSpread::default();
            values.iter().for_each(|value| spread.add(*value));
            spread
        };
        let two = spread(&[2.0, 4.0]);
        assert_eq!((two.max, two.min, two.mean(), two.population_deviation()), (4.0, 2.0, 3.0, 1.0));
        assert_eq!(two.sample_deviation(), 2.0_f64.sqrt());
        let once = spread(&[7.1]);
        assert_eq!((once.max, once.min, once.mean()), (7.1, 7.1, 7.1));
        assert_eq!((once.sample_deviation(), once.population_deviation()), (0.0, 0.0));
        // Equal values have exactly their value as mean, so that it is not above the largest.
        assert_eq!(spread(&[0.1; 3]).mean(), 0.1);
        // A mean far from zero costs no digits.
        assert_eq!(spread(&[1e12, 1e12 + 2.0, 1e12, 1e12 + 2.0]).population_deviation(), 1.0);
    }
}
