//! Datasets: files that are made once and read by several tests.

use std::fmt;

use super::Stripes;
use crate::line::Line;
use crate::placement::Placement;

/// Files made once, kept, and read by several tests.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// Its name; the job that makes it is called `dataset.NAME`.
    pub name: String,
    /// The line that makes it: one of IOR that writes, or one of mdtest that only makes names.
    pub line: Line,
    /// Commands of the shell that run before it.
    pub setup: Vec<String>,
    /// How many targets each of its files is to lie on.
    pub stripes: Option<Stripes>,
    /// The ranks that write it.
    pub placement: Placement,
    /// The file system it lies on.
    pub fs: String,
    /// Seconds after which the job is killed.
    pub timeout_s: f64,
    /// How much it has to hold for its readers.
    pub cover: Option<DatasetDemand>,
    /// Seconds for which later campaigns may use it; `None` where it goes with its last reader.
    pub keep_s: Option<f64>,
    /// Line and column of its line in the plan's file.
    pub at: (usize, usize),
}

/// How much the readers of a dataset ask for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DatasetDemand {
    /// Bytes per second that they read at most.
    pub rate: f64,
    /// Seconds for which they read.
    pub seconds: f64,
    /// How many times as much there has to be.
    pub margin: f64,
}

impl DatasetDemand {
    /// Bytes that there have to be.
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
