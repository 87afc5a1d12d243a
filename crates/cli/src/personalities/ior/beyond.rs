//! The lines below the classic text: percentiles, the slow rank, wrong data, what was cached.
//!
//! They come after `Finished`, and none begins with a word that readers of the classic text look for.

use results::record::Phase;
use units::{duration, rate_binary};

use super::summary::Shown;

/// A rank below this share of the median rate is named.
const SLOW: f64 = 0.8;

/// The lines, an empty string where there is nothing to tell.
pub(crate) fn lines(tests: &[Shown], warnings: &[String]) -> String {
    let phases: Vec<&Phase> = tests.iter().flat_map(|test| &test.phases).collect();
    if phases.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\nassay: latency of single transfers over all ranks\n  \
         {:<12} {:>4} {:>10} {:>10} {:>10} {:>10} {:>10}  {}\n",
        "phase", "iter", "p50", "p90", "p99", "p99.9", "max", "slowest rank (median of all)"
    );
    for phase in &phases {
        let Some(latency) = &phase.latency else { continue };
        text.push_str(&format!("  {:<12} {:>4}", phase.phase.replace('_', " "), phase.repetition));
        for ns in [latency.p50_ns, latency.p90_ns, latency.p99_ns, latency.p999_ns, latency.max_ns] {
            text.push_str(&format!(" {:>10}", duration(ns as f64 * 1e-9)));
        }
        let balance = &phase.balance;
        let mark = if balance.slowest_rate < SLOW * balance.median_rate { "  <- slow" } else { "" };
        text.push_str(&format!(
            "  {} on {}: {} ({}){mark}\n",
            balance.slowest_rank,
            balance.slowest_node,
            rate_binary(balance.slowest_rate),
            rate_binary(balance.median_rate)
        ));
    }
    for phase in phases {
        if let Some(check) = &phase.check {
            let name = phase.phase.replace('_', " ");
            let bytes = units::bytes_binary(check.bytes as f64);
            let verdict = match check.bad_transfers {
                0 => "all as written".to_owned(),
                bad => format!("{bad} transfers WRONG"),
            };
            text.push_str(&format!(
                "assay: {name}, iter {}: {bytes} compared, {verdict}\n",
                phase.repetition
            ));
        }
    }
    for warning in warnings {
        text.push_str(&format!("assay: warning: {warning}\n"));
    }
    text
}
