//! Datasets: files that are written once and read by several tests.

use std::fmt;

use super::Stripes;
use crate::line::Line;
use crate::placement::Placement;

/// Files that are written once, kept, and read by several tests.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// Its name. The job that makes it is called `dataset.NAME`.
    pub name: String,
    /// The command line that makes it: IOR that writes, or mdtest that only creates files and directories.
    pub line: Line,
    /// Shell commands that run before it.
    pub setup: Vec<String>,
    /// The number of storage targets of each of its files.
    pub stripes: Option<Stripes>,
    /// The state in which it is written, by its place in [`super::Plan::states`].
    pub state: Option<usize>,
    /// The ranks that write it.
    pub placement: Placement,
    /// Its file system.
    pub fs: String,
    /// Seconds after which the job is killed.
    pub timeout_s: f64,
    /// The data that its readers need.
    pub cover: Option<DatasetDemand>,
    /// Seconds for which later campaigns may use it; `None` if it is removed after its last reader.
    pub keep_s: Option<f64>,
    /// Line and column of its command line in the plan's file.
    pub at: (usize, usize),
}

/// The data that the readers of a dataset need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DatasetDemand {
    /// The highest rate of the readers, bytes per second.
    pub rate: f64,
    /// Seconds for which they read.
    pub seconds: f64,
    /// The factor by which the dataset exceeds that.
    pub margin: f64,
}

impl DatasetDemand {
    /// The bytes that the dataset needs.
    pub fn bytes(&self) -> u64 {
        (self.rate * self.seconds * self.margin).ceil() as u64
    }
}

impl fmt::Display for DatasetDemand {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rate, time) = (units::rate_decimal(self.rate), units::duration(self.seconds));
        write!(out, "{rate} for {time}, {} times", self.margin)
    }
}

impl Dataset {
    /// The name of the job that makes it.
    pub fn job(&self) -> String {
        format!("dataset.{}", self.name)
    }

    /// Its directory, relative to the campaign's directory for files.
    pub fn files(&self) -> String {
        format!("datasets/{}", self.name)
    }
}
