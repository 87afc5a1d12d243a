//! Student's t and the normal distribution: quantiles and probabilities.
//!
//! Invariant: the distribution function of a quantile returns its probability, to 1e-9.
//! Never here: samples.

/// Quantile of Student's t: a t variable with `freedom` degrees is below it with probability `p`, for `p` in
/// 0.5..1.
pub fn t_quantile(p: f64, freedom: u32) -> f64 {
    t_quantile_of(p, f64::from(freedom))
}

/// [`t_quantile`] for degrees of freedom that are not an integer, such as Welch's.
pub fn t_quantile_of(p: f64, freedom: f64) -> f64 {
    assert!((0.5..1.0).contains(&p) && freedom > 0.0, "t quantile of p = {p} with {freedom} degrees");
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut t = near_quantile(p, freedom);
    for _ in 0..200 {
        let missing = p - t_below(t, freedom);
        if missing > 0.0 {
            low = t;
        } else {
            high = t;
        }
        // Newton's step if it stays inside the known range, otherwise bisection: few iterations are enough.
        let newton = t + missing / t_density(t, freedom);
        let next = match (newton > low && newton < high, high.is_finite()) {
            (true, _) => newton,
            (false, true) => f64::midpoint(low, high),
            (false, false) => 2.0 * t + 1.0,
        };
        if (next - t).abs() <= 1e-11 * (1.0 + t) {
            return next;
        }
        t = next;
    }
    t
}

/// A start value: the normal quantile within 0.0005 (Abramowitz & Stegun 26.2.23), adjusted for the degrees
/// of freedom (26.7.5).
fn near_quantile(p: f64, freedom: f64) -> f64 {
    let root = (-2.0 * (1.0 - p).ln()).sqrt();
    let over = 2.515_517 + root * (0.802_853 + root * 0.010_328);
    let z = root - over / (1.0 + root * (1.432_788 + root * (0.189_269 + root * 0.001_308)));
    let cube = z * z * z;
    let second = (5.0 * cube * z * z + 16.0 * cube + 3.0 * z) / (96.0 * freedom * freedom);
    (z + (cube + z) / (4.0 * freedom) + second).max(0.0)
}

/// Probability that a t variable with `freedom` degrees is farther from zero than `t`.
pub fn t_beyond(t: f64, freedom: f64) -> f64 {
    incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5)
}

/// Probability that an F variable with these degrees, `over` of the numerator and `under` of the denominator,
/// is above `f`.
pub fn f_beyond(f: f64, over: f64, under: f64) -> f64 {
    incomplete_beta(under / (under + over * f), under / 2.0, over / 2.0)
}

/// Probability that a t variable with `freedom` degrees is above `t`.
pub(crate) fn t_above(t: f64, freedom: f64) -> f64 {
    let tail = if t.is_finite() { t_beyond(t, freedom) / 2.0 } else { 0.0 };
    if t < 0.0 { 1.0 - tail } else { tail }
}

/// Probability that a normal variable is below `z`.
pub(crate) fn normal_below(z: f64) -> f64 {
    let above = |z: f64| {
        if z > 4.0 {
            // The continued fraction of the tail (Abramowitz & Stegun 26.2.14).
            return normal_density(z) / (1..60).rev().fold(z, |below, k| z + f64::from(k) / below);
        }
        let (mut term, mut sum) = (z, z);
        for k in 1..60 {
            term *= z * z / f64::from(2 * k + 1);
            sum += term;
            if term <= 1e-17 * sum {
                break;
            }
        }
        0.5 - normal_density(z) * sum
    };
    if z < 0.0 { above(-z) } else { 1.0 - above(z) }
}

/// The quantile of the normal distribution with probability `p`, for `p` above 0 and below 1.
pub fn normal_quantile(p: f64) -> f64 {
    assert!(p > 0.0 && p < 1.0, "normal quantile of p = {p}");
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if normal_below(middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

fn normal_density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt()
}

/// P(T <= t) for t >= 0.
fn t_below(t: f64, freedom: f64) -> f64 {
    1.0 - 0.5 * incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5)
}

fn t_density(t: f64, freedom: f64) -> f64 {
    let half = f64::midpoint(freedom, 1.0);
    let log_front = log_gamma(half) - log_gamma(freedom / 2.0) - 0.5 * (freedom * std::f64::consts::PI).ln();
    (log_front - half * (t * t / freedom).ln_1p()).exp()
}

/// Regularised incomplete beta function, by Lentz's continued fraction (Abramowitz & Stegun 26.5.8).
pub(crate) fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let log_front = a * x.ln() + b * (1.0 - x).ln() + log_gamma(a + b) - log_gamma(a) - log_gamma(b);
    let away_from_zero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let (mut c, mut d) = (1.0, 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for step in 1..500 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = fraction;
        for term in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + term * d);
            c = away_from_zero(1.0 + term / c);
            fraction *= c * d;
        }
        if (fraction / before - 1.0).abs() < 1e-15 {
            break;
        }
    }
    log_front.exp() * fraction / a
}

/// Logarithm of the gamma function for `x` > 0, by Stirling's series after shifting `x` above 10.
pub(crate) fn log_gamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x, 0.0);
    while x < 10.0 {
        shift += x.ln();
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found} is not {expected} within {within}");
    }

    #[test]
    fn student_quantiles_equal_the_published_tables() {
        for (freedom, expected) in
            [(1, 6.314), (2, 2.920), (3, 2.353), (9, 1.833), (19, 1.729), (1_000_000, 1.645)]
        {
            near(t_quantile(0.95, freedom), expected, 0.0005);
        }
        near(t_quantile(0.975, 10), 2.228, 0.0005);
        near(t_quantile(0.99, 5), 3.365, 0.0005);
        near(t_quantile(0.5, 7), 0.0, 1e-9);
    }

    #[test]
    fn quantiles_with_one_and_two_degrees_equal_their_closed_forms() {
        for p in [0.51, 0.6, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999] {
            let one = (std::f64::consts::PI * (p - 0.5)).tan();
            near(t_quantile(p, 1) / one, 1.0, 1e-8);
            let two = (2.0 * p - 1.0) * (1.0 / (2.0 * p * (1.0 - p))).sqrt();
            near(t_quantile(p, 2) / two, 1.0, 1e-8);
        }
    }

    #[test]
    fn fractional_degrees_have_quantiles_between_those_of_the_integers() {
        let quantiles: Vec<f64> =
            [2.0, 2.3, 2.9, 3.0, 3.5, 4.0].iter().map(|freedom| t_quantile_of(0.95, *freedom)).collect();
        assert!(quantiles.is_sorted_by(|one, next| one > next), "{quantiles:?}");
    }

    #[test]
    fn the_normal_distribution_equals_the_published_tables() {
        near(normal_quantile(0.975), 1.959_964, 1e-5);
        near(normal_quantile(0.05), -1.644_854, 1e-5);
        near(normal_below(-1.0), 0.158_655, 1e-5);
        near(normal_below(2.0), 0.977_250, 1e-5);
        near(normal_below(-5.0) / 2.866_516e-7, 1.0, 1e-5);
        near(t_beyond(-2.228, 10.0), 0.05, 1e-4);
    }

    #[test]
    fn tails_of_f_equal_the_published_tables() {
        near(f_beyond(2.098, 6.0, 133.0), 0.0577, 2e-4);
        near(f_beyond(4.965, 1.0, 10.0), 0.05, 1e-4);
        near(f_beyond(9.0, 1.0, 7.5), t_beyond(3.0, 7.5), 1e-12);
        near(f_beyond(3.478, 4.0, 10.0), 0.05, 1e-4);
    }

    #[test]
    fn the_gamma_function_is_right_at_known_values() {
        near(log_gamma(5.0), 24_f64.ln(), 1e-10);
        near(log_gamma(0.5), std::f64::consts::PI.sqrt().ln(), 1e-9);
    }
}
