//! The date, for stamps that are compared with other programs' logs.
//!
//! Never here: anything that is measured; a date may be set and go backwards.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since 1970 by this node's calendar clock.
pub fn unix_seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}
