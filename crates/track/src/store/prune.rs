//! Removes old imported points. Their entries stay, so that the same file is not added again.
//!
//! Never here: which points no check rests on.

use super::{Store, StoreError};

/// Old imported points of a series that no check rests on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RemovablePoints {
    /// The times of the points, in seconds since 1970: from the first of a pair to before the second.
    pub times: Vec<(f64, f64)>,
    /// How many imported points are there.
    pub points: usize,
}

const REMOVE: &str = "DELETE FROM points WHERE series = $1 AND time_s >= $2 AND time_s < $3 \
     AND entry IN (SELECT id FROM entries WHERE source <> 'campaign')";

impl Store {
    /// Removes these points of each series, by its id; all of them or, after an error, none. Returns how
    /// many. Points of campaigns are not removed.
    pub fn prune(&mut self, all: &[(i64, RemovablePoints)]) -> Result<u64, StoreError> {
        self.writing(|database| {
            let mut removed = 0;
            for (series, points) in all {
                for (from_s, to_s) in &points.times {
                    // Databases have no infinite times.
                    let from_s = from_s.max(f64::MIN);
                    let values = [(*series).into(), from_s.into(), (*to_s).into()];
                    removed += database.execute(REMOVE, &values)?;
                }
            }
            Ok(removed)
        })
    }
}
