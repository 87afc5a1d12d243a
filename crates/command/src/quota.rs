//! The command line of `quota`: its options, and what they request.

use std::path::{Path, PathBuf};

use units::{Dimension, Quantity, Usage, size};

use crate::planned::{PlannedLine, check_options, check_stray};

/// Whose files a limit is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum QuotaOf {
    /// The files of a user.
    #[default]
    User,
    /// The files of a group.
    Group,
    /// The files of a project, which is usually a tree.
    Project,
}

impl QuotaOf {
    /// As in options, records and sentences.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Group => "group",
            Self::Project => "project",
        }
    }
}

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum QuotaCounts {
    /// Bytes.
    Bytes,
    /// Files and directories.
    Inodes,
}

/// Write, grow and create files until a quota rejects it
///
/// An administrator has set the limit for the user, group or project of new files in DIR. The ranks write,
/// grow and shorten files of their own, write again, and create empty files. Each step ends when all ranks
/// were rejected, or --beyond above the limit. All files are removed.
///
/// Limits and usage are those that the system reports. The limit of a project is reported to root only.
#[derive(Clone, Debug, PartialEq, clap::Args)]
pub struct QuotaArgs {
    /// Create the files in a new directory of this directory
    #[arg(value_name = "DIR", required = true)]
    pub dir: Option<PathBuf>,
    /// Test the quota of the user, the group or the project of the files
    #[arg(long, value_name = "WHOSE", value_enum, default_value_t)]
    pub of: QuotaOf,
    /// Test only the limit of bytes, or only that of inodes
    #[arg(long, value_name = "WHAT", value_enum)]
    pub only: Option<QuotaCounts>,
    /// Write this much with one call
    #[arg(short, long, value_name = "SIZE", default_value = "1MiB")]
    pub transfer: String,
    /// Flush after each write (fsync), so that no write is accepted only in memory
    #[arg(long)]
    pub fsync: bool,
    /// End a step at this share above the limit, at least one transfer or file of each rank
    #[arg(long, value_name = "SHARE", default_value = "10%")]
    pub beyond: String,
    /// Use this limit of bytes, where the system reports none
    #[arg(long, value_name = "SIZE")]
    pub limit: Option<String>,
    /// Count from this usage of bytes, where the system reports none
    #[arg(long, value_name = "SIZE", requires = "limit")]
    pub used: Option<String>,
    /// Use this limit of inodes, where the system reports none
    #[arg(long, value_name = "N")]
    pub limit_inodes: Option<u64>,
    /// Count from this usage of inodes, where the system reports none
    #[arg(long, value_name = "N", requires = "limit_inodes")]
    pub used_inodes: Option<u64>,
    /// End a step after this time
    #[arg(long, value_name = "TIME", default_value = "1h")]
    pub timeout: String,
    /// Wait this long for the usage to be shown, and for freed space to be usable
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub wait: String,
    /// Work as this user and group, without the rights of root (root only)
    #[arg(long = "as", value_name = "UID:GID")]
    pub acting: Option<String>,
    /// Also write for others in this directory: before, at each limit and at the end
    #[arg(long, value_name = "DIR")]
    pub other_dir: Option<PathBuf>,
    /// Write for others as this user and group (root only)
    #[arg(long, value_name = "UID:GID", requires = "other_dir")]
    pub other_as: Option<String>,
    /// Write the records as JSON lines to this new file
    #[arg(long, value_name = "FILE")]
    pub record: Option<String>,
}

/// A user and a group, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserAndGroup {
    /// The number of the user.
    pub uid: u32,
    /// The number of the group.
    pub gid: u32,
}

/// A limit that the command line states, and the usage before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatedLimit {
    /// Bytes or inodes.
    pub limit: u64,
    /// The usage; `None` if the system reports it.
    pub used: Option<u64>,
}

/// Where and as whom files of others are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherFiles {
    /// In this directory.
    pub dir: PathBuf,
    /// As this user; `None` for the one that started the run.
    pub acting: Option<UserAndGroup>,
}

/// What a command line requests.
#[derive(Clone, Debug, PartialEq)]
pub struct QuotaRequest {
    /// In this directory a new one is made.
    pub dir: PathBuf,
    /// Whose quota.
    pub of: QuotaOf,
    /// What is tested; `None` for bytes and inodes, as far as they have limits.
    pub only: Option<QuotaCounts>,
    /// Bytes that one call writes.
    pub transfer: u64,
    /// Whether an fsync follows each write.
    pub sync_each: bool,
    /// The share of the limit above which a step ends.
    pub beyond: f64,
    /// The limit of bytes, if it is stated.
    pub bytes: Option<StatedLimit>,
    /// The limit of inodes, if it is stated.
    pub inodes: Option<StatedLimit>,
    /// The longest time of a step, seconds.
    pub timeout_s: f64,
    /// How long usage and freed space are waited for, seconds.
    pub wait_s: f64,
    /// Who works; `None` for the user that started the run.
    pub acting: Option<UserAndGroup>,
    /// The files of others.
    pub others: Option<OtherFiles>,
}

impl QuotaRequest {
    /// Whether this kind of limit is tested.
    pub fn tests(&self, counts: QuotaCounts) -> bool {
        self.only.is_none_or(|only| only == counts)
    }
}

/// The most bytes of one call, so that each rank has memory for it.
const TRANSFER_MAX: f64 = (1 << 30) as f64;
/// The largest limit: sums over ranks stay below 2^63.
const LIMIT_MAX: u64 = 1 << 60;

impl QuotaArgs {
    /// Reads the values.
    pub fn request(&self) -> Result<QuotaRequest, Usage> {
        let transfer = bytes("--transfer", &self.transfer)?;
        if !(1.0..=TRANSFER_MAX).contains(&transfer) {
            return Err(Usage(format!("--transfer {}: give 1 B to 1 GiB.", self.transfer)));
        }
        let beyond = quantity("--beyond", &self.beyond, Dimension::Fraction)?;
        let [timeout_s, wait_s] = [("--timeout", &self.timeout), ("--wait", &self.wait)]
            .map(|(option, text)| quantity(option, text, Dimension::Seconds));
        let limit = self.limit.as_ref().map(|text| bytes("--limit", text)).transpose()?;
        let used = self.used.as_ref().map(|text| bytes("--used", text)).transpose()?;
        let whole = |bytes: f64| bytes as u64;
        let stated = |limit: Option<u64>, used| limit.map(|limit| StatedLimit { limit, used });
        let request = QuotaRequest {
            dir: self.dir.clone().unwrap_or_default(),
            of: self.of,
            only: self.only,
            transfer: transfer as u64,
            sync_each: self.fsync,
            beyond,
            bytes: stated(limit.map(whole), used.map(whole)),
            inodes: stated(self.limit_inodes, self.used_inodes),
            timeout_s: timeout_s?,
            wait_s: wait_s?,
            acting: self.acting.as_ref().map(|text| user_and_group("--as", text)).transpose()?,
            others: self.others()?,
        };
        request.check()?;
        Ok(request)
    }

    fn others(&self) -> Result<Option<OtherFiles>, Usage> {
        let acting = self.other_as.as_ref().map(|text| user_and_group("--other-as", text)).transpose()?;
        Ok(self.other_dir.clone().map(|dir| OtherFiles { dir, acting }))
    }
}

impl QuotaRequest {
    fn check(&self) -> Result<(), Usage> {
        for (option, stated) in [("--limit", self.bytes), ("--limit-inodes", self.inodes)] {
            let Some(StatedLimit { limit, used }) = stated else { continue };
            if !(1..=LIMIT_MAX).contains(&limit) || used.is_some_and(|used| used > LIMIT_MAX) {
                return Err(Usage(format!("{option}: give 1 to 2^60, also as usage.")));
            }
        }
        if self.only == Some(QuotaCounts::Inodes) && self.bytes.is_some() {
            return Err(Usage::new("--limit: not tested with --only inodes. Leave out one of them."));
        }
        if self.only == Some(QuotaCounts::Bytes) && self.inodes.is_some() {
            return Err(Usage::new("--limit-inodes: not tested with --only bytes. Leave out one of them."));
        }
        let acting = self.others.as_ref().and_then(|others| others.acting);
        if acting.is_none() && self.of == QuotaOf::User && self.others.is_some() {
            return Err(Usage::new(
                "--other-dir: the files there belong to the same user. Start as root with --as and \
                 --other-as, or test with --of group or project.",
            ));
        }
        Ok(())
    }
}

/// A size; a number without a unit is in bytes.
fn bytes(option: &str, text: &str) -> Result<f64, Usage> {
    let is_count = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    let bytes = size(&if is_count { format!("{text}B") } else { text.to_owned() })
        .map_err(|usage| Usage(format!("{option}: {usage}")))?;
    if bytes >= 0.0 { Ok(bytes) } else { Err(Usage(format!("{option} {text}: below 0. Give a size."))) }
}

/// A value above 0 of this dimension.
fn quantity(option: &str, text: &str, dimension: Dimension) -> Result<f64, Usage> {
    match text.parse::<Quantity>() {
        Ok(found) if found.dimension == dimension && found.value > 0.0 && found.value <= 1e9 => {
            Ok(found.value)
        }
        _ => Err(Usage(format!("{option} {text}: write it for example as `{}`.", dimension.example()))),
    }
}

fn user_and_group(option: &str, text: &str) -> Result<UserAndGroup, Usage> {
    let numbers = text.split_once(':').and_then(|(uid, gid)| Some((uid.parse().ok()?, gid.parse().ok()?)));
    match numbers {
        Some((uid, gid)) if uid > 0 && uid < u32::MAX && gid < u32::MAX => Ok(UserAndGroup { uid, gid }),
        _ => Err(Usage(format!(
            "{option} {text}: give the numbers of a user other than root and of a group, such as `1000:1000`."
        ))),
    }
}

impl PlannedLine for QuotaArgs {
    fn check_planned(&self) -> Result<(), Usage> {
        check_stray("quota", self.dir.as_deref().and_then(Path::to_str))?;
        check_options(&[("record", self.record.is_some())])
    }

    fn phases(&self) -> Vec<&'static str> {
        let tests = |counts| self.only.is_none_or(|only| only == counts);
        let (bytes, inodes) = (tests(QuotaCounts::Bytes), tests(QuotaCounts::Inodes));
        let all = [
            ("write", bytes),
            ("truncate", bytes),
            ("rewrite", bytes),
            ("create", inodes),
            ("others", self.other_dir.is_some()),
        ];
        all.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect()
    }

    // A limit that only the system reports is not known here.
    fn set_bytes(&self, ranks: u64) -> u64 {
        let Ok(QuotaRequest { bytes: Some(stated), beyond, transfer, .. }) = self.request() else { return 0 };
        let room = stated.limit.saturating_sub(stated.used.unwrap_or(0));
        room.saturating_add(most_beyond(stated.limit, beyond, ranks.saturating_mul(transfer)))
    }

    fn set_names(&self, ranks: u64, _preload: u64) -> u64 {
        let Ok(QuotaRequest { inodes: Some(stated), beyond, .. }) = self.request() else { return 2 * ranks };
        let room = stated.limit.saturating_sub(stated.used.unwrap_or(0));
        room.saturating_add(most_beyond(stated.limit, beyond, ranks)).saturating_add(2 * ranks)
    }
}

/// How far above a limit a step ends: a share of it, and at least `least`.
pub fn most_beyond(limit: u64, beyond: f64, least: u64) -> u64 {
    ((limit as f64 * beyond) as u64).max(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: QuotaArgs,
    }

    fn args(text: &str) -> QuotaArgs {
        use clap::Parser;
        Line::try_parse_from(std::iter::once("quota").chain(text.split_whitespace())).expect(text).args
    }

    #[test]
    fn a_line_without_options_tests_the_user_with_the_limits_of_the_system() {
        let request = args("/s").request().unwrap();
        assert_eq!((request.of, request.transfer, request.beyond), (QuotaOf::User, 1 << 20, 0.1));
        assert_eq!((request.timeout_s, request.wait_s), (3600.0, 60.0));
        assert!(request.bytes.is_none() && request.inodes.is_none() && request.others.is_none());
        assert!(request.tests(QuotaCounts::Bytes) && request.tests(QuotaCounts::Inodes));
    }

    #[test]
    fn stated_limits_users_and_directories_are_read() {
        let request =
            args("/s --of project --limit 1073741824 --used 4k --limit-inodes 100 --as 5:6 --other-dir /o")
                .request()
                .unwrap();
        assert_eq!(request.bytes, Some(StatedLimit { limit: 1 << 30, used: Some(4096) }));
        assert_eq!(request.inodes, Some(StatedLimit { limit: 100, used: None }));
        assert_eq!(request.acting, Some(UserAndGroup { uid: 5, gid: 6 }));
        assert_eq!(request.others, Some(OtherFiles { dir: "/o".into(), acting: None }));
    }

    #[test]
    fn values_that_no_run_can_use_are_rejected_with_their_option() {
        for (text, begin) in [
            ("/s --transfer 0B", "--transfer 0B: give"),
            ("/s --transfer 2g", "--transfer 2g: give"),
            ("/s --transfer 5x", "--transfer: "),
            ("/s --beyond 10", "--beyond 10: write it"),
            ("/s --timeout 5", "--timeout 5: write it"),
            ("/s --wait 0s", "--wait 0s: write it"),
            ("/s --limit 0B", "--limit: give"),
            ("/s --limit-inodes 0", "--limit-inodes: give"),
            ("/s --only inodes --limit 1g", "--limit: not tested"),
            ("/s --only bytes --limit-inodes 9", "--limit-inodes: not tested"),
            ("/s --as root", "--as root: give"),
            ("/s --as 0:0", "--as 0:0: give"),
            ("/s --other-dir /o", "--other-dir: the files there belong to the same user"),
        ] {
            let rejected = args(text).request().unwrap_err().0;
            assert!(rejected.starts_with(begin), "{text}: {rejected}");
        }
    }

    #[test]
    fn a_plan_knows_the_steps_and_what_a_stated_limit_lets_the_ranks_write() {
        assert_eq!(args("d --only bytes").phases(), ["write", "truncate", "rewrite"]);
        let line = args("d --of group --limit 100m --used 60m --limit-inodes 50 --other-dir /o");
        assert_eq!(line.phases(), ["write", "truncate", "rewrite", "create", "others"]);
        assert_eq!(line.set_bytes(4), 50 << 20, "10 % above the limit");
        assert_eq!(line.set_bytes(20), 60 << 20, "one transfer of each rank");
        assert_eq!(line.set_names(2, 0), 50 + 5 + 4);
        assert_eq!((args("d").set_bytes(4), args("d").set_names(4, 0)), (0, 8));
    }
}
