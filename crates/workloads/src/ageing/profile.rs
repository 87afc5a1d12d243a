//! The properties of an aged file system: sizes of files, shape of the tree, mix of operations.
//!
//! Invariant: a profile that was read is valid: each value was checked.
//! Never here: sampling.

use serde::{Deserialize, Serialize};
use units::Usage;

/// The built-in profile, as `--print-profile` prints it.
pub const DEFAULT_PROFILE: &str = include_str!("default_profile.toml");

/// All values of a profile. Values that are not in a file have those of the built-in profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Sizes of files.
    pub size: SizeProfile,
    /// Shape of the tree.
    pub tree: TreeProfile,
    /// The operations of the churn.
    pub churn: ChurnProfile,
}

/// Sizes of files: a lognormal body and a Pareto tail.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeProfile {
    /// Median of the body, bytes.
    pub median_bytes: f64,
    /// Standard deviation of the logarithm of the body.
    pub sigma: f64,
    /// Share of the files that are in the tail, 0 to 1.
    pub tail_share: f64,
    /// The smallest file of the tail, bytes.
    pub tail_from_bytes: f64,
    /// Exponent of the tail: a share of (x / `tail_from_bytes`)^-exponent of it is larger than x.
    pub tail_exponent: f64,
    /// The largest size of a file, bytes.
    pub largest_bytes: f64,
}

/// Shape of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeProfile {
    /// Mean number of files per directory.
    pub files_per_dir: f64,
    /// The offset of files: the probability that a directory gets the next file grows with its files plus
    /// this.
    pub file_offset: f64,
    /// The offset of directories: the probability that a directory gets the next one grows with its
    /// subdirectories plus this.
    pub dir_offset: f64,
    /// The largest depth of a directory below the root of a rank's tree.
    pub depth_max: u32,
}

/// The weights of the operations of the churn, and their properties.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChurnProfile {
    /// Weight of creating files.
    pub create: f64,
    /// Weight of removing files.
    pub delete: f64,
    /// Weight of appending to a growing file.
    pub append: f64,
    /// Weight of overwriting.
    pub overwrite: f64,
    /// Weight of renaming a file into another directory.
    pub rename: f64,
    /// Share of the new files that grow in steps, 0 to 1.
    pub growing: f64,
    /// Share of overwritten data that is truncated first and written again, 0 to 1. The rest is overwritten
    /// in place.
    pub rewrite: f64,
    /// Share of the writing operations that end with fsync, 0 to 1.
    pub fsync: f64,
}

impl Profile {
    /// Reads a profile. Missing values are those of the built-in profile.
    pub fn read(text: &str) -> Result<Self, Usage> {
        let wrong = |error: toml::de::Error| Usage(error.to_string().trim_end().replace('\n', " "));
        let mut all: toml::Table = toml::from_str(DEFAULT_PROFILE).map_err(wrong)?;
        let own: toml::Table = toml::from_str(text).map_err(wrong)?;
        for (section, own) in own {
            match (all.get_mut(&section), own) {
                (Some(toml::Value::Table(all)), toml::Value::Table(own)) => all.extend(own),
                _ => return Err(Usage(format!("no section `{section}`; there are size, tree and churn"))),
            }
        }
        // Whole numbers are accepted, too.
        for (_, section) in all.iter_mut() {
            let keys = section.as_table_mut().into_iter().flatten();
            for (_, value) in keys.filter(|(key, _)| *key != "depth_max") {
                if let Some(whole) = value.as_integer() {
                    *value = toml::Value::Float(whole as f64);
                }
            }
        }
        let profile: Self = all.try_into().map_err(wrong)?;
        profile.check()?;
        Ok(profile)
    }

    /// The text of a profile, which can be read again. The same values give the same text.
    pub fn text(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    fn check(&self) -> Result<(), Usage> {
        let Self { size, tree, churn } = self;
        let above_zero = [
            ("size.median_bytes", size.median_bytes),
            ("size.sigma", size.sigma),
            ("size.tail_from_bytes", size.tail_from_bytes),
            ("size.tail_exponent", size.tail_exponent),
            ("size.largest_bytes", size.largest_bytes),
            ("tree.files_per_dir", tree.files_per_dir),
            ("tree.file_offset", tree.file_offset),
            ("tree.dir_offset", tree.dir_offset),
            ("churn.create", churn.create),
            ("churn.delete", churn.delete),
        ];
        let shares = [
            ("size.tail_share", size.tail_share),
            ("churn.growing", churn.growing),
            ("churn.rewrite", churn.rewrite),
            ("churn.fsync", churn.fsync),
        ];
        let weights = [("append", churn.append), ("overwrite", churn.overwrite), ("rename", churn.rename)];
        for (name, value) in above_zero {
            if !(value.is_finite() && value > 0.0) {
                return Err(Usage(format!("{name} = {value}: give a number above 0")));
            }
        }
        for (name, value) in shares {
            if !(0.0..=1.0).contains(&value) {
                return Err(Usage(format!("{name} = {value}: give a share, 0 to 1")));
            }
        }
        for (name, value) in weights {
            if !(value.is_finite() && value >= 0.0) {
                return Err(Usage(format!("churn.{name} = {value}: give a weight, 0 or more")));
            }
        }
        match tree.depth_max {
            1..=64 => Ok(()),
            depth => Err(Usage(format!("tree.depth_max = {depth}: give 1 to 64"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_profile_is_sound_and_reads_back_from_its_own_text() {
        let profile: Profile = toml::from_str(DEFAULT_PROFILE).unwrap();
        assert_eq!(Profile::read("").unwrap(), profile);
        assert_eq!(Profile::read(&profile.text()).unwrap(), profile);
        assert_eq!(Profile::read(DEFAULT_PROFILE).unwrap(), profile);
    }

    #[test]
    fn a_profile_overrides_what_it_names_and_nothing_else() {
        let own = Profile::read("[size]\nsigma = 2\n[churn]\nfsync = 0.5\n").unwrap();
        let mut wanted = Profile::read("").unwrap();
        wanted.size.sigma = 2.0;
        wanted.churn.fsync = 0.5;
        assert_eq!(own, wanted);
    }

    #[test]
    fn what_cannot_be_drawn_from_is_rejected_by_name() {
        for (text, says) in [
            ("[size]\nsigma = 0\n", "size.sigma = 0: give a number above 0"),
            ("[size]\ntail_share = 1.5\n", "size.tail_share = 1.5: give a share, 0 to 1"),
            ("[churn]\nappend = -1\n", "churn.append = -1: give a weight, 0 or more"),
            ("[tree]\ndepth_max = 0\n", "tree.depth_max = 0: give 1 to 64"),
            ("[sizes]\nsigma = 1\n", "no section `sizes`; there are size, tree and churn"),
        ] {
            assert_eq!(Profile::read(text).unwrap_err().0, says);
        }
        assert!(Profile::read("[size]\nsgima = 1\n").unwrap_err().0.contains("sgima"));
        assert!(Profile::read("not toml").is_err());
    }
}
