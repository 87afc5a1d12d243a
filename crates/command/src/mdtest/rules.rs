//! Settings that are rejected before any rank starts, each with a remedy.
//!
//! The rules are those of mdtest 4.1, with its texts where it has some.
//! docs/reference/compatibility/mdtest.md lists the differences.

use units::Usage;

use super::counts::ItemCounts;
use super::operations::{names_of_files, operation_names};
use super::request::Request;
use crate::{Abilities, Packet};

impl Request {
    /// The abilities of the backend; `None` if it is unknown.
    fn abilities(&self) -> Option<Abilities> {
        crate::backend(&self.backend).ok().map(|backend| backend.abilities)
    }

    /// Whether the backend only counts and stores nothing.
    pub fn keeps_nothing(&self) -> bool {
        self.abilities().is_some_and(|abilities| !abilities.keeps_data)
    }

    /// Rejects, with one line, settings that cannot run on `ranks` ranks.
    pub fn check(&self, ranks: u32) -> Result<(), Usage> {
        let rules = self.rules_of_ranks(ranks).into_iter().chain(self.rules_of_names(ranks));
        let rules = rules.chain(self.rules_of_files(ranks)).chain(self.rules_of_time());
        if let Some((_, why)) = rules.into_iter().find(|(broken, _)| *broken) {
            return Err(Usage::new(why));
        }
        let unknown = |name: &&String| !operation_names().any(|known| known == name.as_str());
        if let Some(name) = self.extra.iter().find(unknown) {
            let known: Vec<_> = operation_names().collect();
            return Err(Usage(format!(
                "--operations: unknown operation {name}. Known operations: {}",
                known.join(", ")
            )));
        }
        let of_files = |name: &&str| self.extra.iter().any(|wanted| wanted == name) && !self.files;
        let never: Vec<_> = names_of_files().filter(of_files).collect();
        if !never.is_empty() {
            return Err(Usage(format!(
                "--operations: {} would do nothing, because -D leaves out files. Add -F or leave them out",
                never.join(", ")
            )));
        }
        Ok(())
    }

    fn rules_of_ranks(&self, ranks: u32) -> [(bool, &'static str); 6] {
        let able = self.abilities().is_some_and(|abilities| abilities.names && abilities.write_only);
        [
            (!able, "Backend doesn't support MDTest. Use -a POSIX, AIO, URING or DUMMY"),
            (self.iterations == 0, "-i 0: nothing would be done. Give 1 or more"),
            (
                self.last_ranks > 0 && self.first_ranks > self.last_ranks,
                "-f, -l: first > last doesn't make sense. Set -l to at least -f",
            ),
            (
                self.last_ranks > ranks,
                "-l: last > number of processes doesn't make sense. Start more ranks, or leave out -l",
            ),
            (
                self.last_ranks > 0 && self.first_ranks == 0,
                "-f 0: a run needs at least one rank. Give -f 1 or more",
            ),
            (self.last_ranks > 0 && self.stride == 0, "-s 0: the scan would never end. Give -s 1 or more"),
        ]
    }

    fn rules_of_names(&self, ranks: u32) -> [(bool, &'static str); 13] {
        let several = self.dirs.len() > 1;
        [
            (self.collective && self.shared_file, "-c not compatible with -S. Leave one of them out"),
            (
                self.collective && several,
                "-c not compatible with multiple test directories. Give one -d, or leave out -c",
            ),
            (self.unique_dir && self.shared_file, "-u not compatible with -S. Leave one of them out"),
            (
                several && self.shift != 0,
                "cannot have multiple directory paths with -N strides between neighbor tasks. \
                 Give one -d",
            ),
            (
                several && !self.unique_dir,
                "shared directory mode is not compatible with multiple directory paths. Add -u, \
                 or give one -d",
            ),
            (
                self.dirs.len() as u64 > u64::from(ranks),
                "cannot have more directory paths than MPI tasks. Start more ranks, or give fewer -d",
            ),
            (
                self.dirs.is_empty() || self.dirs.iter().any(String::is_empty),
                "-d contains an empty name. Give one directory, or several with `@` between them",
            ),
            (
                self.branching < 1 && self.depth > 0,
                "-b: branch factor must be greater than or equal to zero, and with -z at least 1",
            ),
            (
                self.items > 0 && self.items_per_dir > 0 && self.unique_dir,
                "only specify the number of items or the number of items per directory. -u takes -n or -I",
            ),
            (
                self.items_per_dir > 0 && !self.items.is_multiple_of(self.items_per_dir),
                "items must be a multiple of items per directory. Choose -n as a multiple of -I",
            ),
            (
                ItemCounts::from_request(self).is_none(),
                "-b, -z, -n, -I: more than 2^39 directories or items of a rank. Choose fewer",
            ),
            (self.preload >= 1 << 39, "--preload: more than 2^39 files in a directory. Choose fewer"),
            (
                self.preload > 0 && self.keeps_nothing(),
                "--preload: DUMMY keeps no files, so they cannot be counted. Use -a POSIX",
            ),
        ]
    }

    fn rules_of_files(&self, ranks: u32) -> [(bool, &'static str); 11] {
        let most = 1 << 40;
        let reads = self.read && self.files;
        let writes = self.create && self.files && self.write_bytes > 0;
        [
            (self.make_node && self.write_bytes > 0, "-k not compatible with -w. Leave one of them out"),
            (
                self.make_node && self.shared_file && self.create && ranks > 1,
                "-k not compatible with -S, because a name can be created only once. Leave one of them out",
            ),
            (
                self.verify_read && !reads,
                "Verify read requires that the read test is used. Add -E, or leave out -X",
            ),
            (
                self.verify_read && self.read_bytes == 0,
                "Verify read requires that read bytes is > 0. Give -e",
            ),
            (
                self.verify_read && !(self.create && self.write_bytes > 0) && self.signature.is_none(),
                "-X without -C and -w needs the seed of the written data. Add -G NUMBER",
            ),
            (
                (self.verify_read || self.verify_write) && self.keeps_nothing(),
                "-X, --verify-write: DUMMY keeps no data to compare. Use -a POSIX, or leave \
                 them out",
            ),
            (
                self.verify_write && self.collective,
                "--verify-write not compatible with -c, which opens files only for writing. Use -X",
            ),
            (
                self.verify_write && !writes,
                "--verify-write requires that files are created and written. Give -w, add -C if other \
                 phases are given and -F if -D is given, or leave out --verify-write",
            ),
            (
                self.write_bytes >= most || self.read_bytes >= most,
                "-w, -e: a file of 2^40 bytes or more is not supported. Choose less",
            ),
            (
                self.packet == Packet::Stamped
                    && (!self.write_bytes.is_multiple_of(8) || !self.read_bytes.is_multiple_of(8)),
                "--dataPacketType=s: stamped data consists of words. Choose -w and -e as multiples of 8",
            ),
            (
                self.create && reads && self.read_bytes > self.write_bytes,
                "When writing and reading files, read bytes must be smaller than write bytes. \
                 Set -e to at most -w",
            ),
        ]
    }

    fn rules_of_time(&self) -> [(bool, &'static str); 4] {
        [
            (
                self.key.is_given() && self.packet != Packet::Stamped,
                "--data-key, --nonce: only stamped data is keyed. Add --dataPacketType=stamped",
            ),
            (
                self.data_of.is_some() && self.packet != Packet::Stamped,
                "--data-of: only stamped data depends on a text. Add --dataPacketType=stamped",
            ),
            (
                self.deadline > 0 && self.branching > 1,
                "stone wall timer does only work with a branch factor <= 1. Leave out -W, or choose -b 1",
            ),
            (
                self.deadline > 0 && self.collective,
                "-W with -c: rank 0 creates all items, so no count is valid for each rank. \
                 Leave one of them out",
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejected(ranks: u32, change: impl Fn(&mut Request)) -> String {
        let mut parameters = Request { items: 10, ..Request::default() };
        parameters.check(ranks).expect("nothing wrong so far");
        change(&mut parameters);
        parameters.check(ranks).expect_err("must be rejected").0
    }

    #[test]
    fn every_rule_rejects_in_one_line_with_a_remedy() {
        type Change = fn(&mut Request);
        let cases: &[(Change, &str)] = &[
            (|p| p.backend = "MPIIO".into(), "Use -a POSIX"),
            (|p| p.iterations = 0, "-i 0"),
            (|p| (p.first_ranks, p.last_ranks) = (2, 1), "first > last"),
            (|p| p.last_ranks = 3, "last > number of processes"),
            (|p| (p.first_ranks, p.last_ranks) = (0, 1), "-f 0"),
            (|p| (p.last_ranks, p.stride) = (2, 0), "-s 0"),
            (|p| (p.collective, p.shared_file) = (true, true), "-c not compatible with -S"),
            (|p| (p.unique_dir, p.shared_file) = (true, true), "-u not compatible with -S"),
            (|p| p.dirs.push("b".into()), "shared directory mode"),
            (
                |p| (p.dirs, p.unique_dir, p.shift) = (vec!["a".into(), "b".into()], true, 1),
                "cannot have multiple directory paths with -N",
            ),
            (
                |p| (p.dirs, p.unique_dir, p.collective) = (vec!["a".into(), "b".into()], true, true),
                "-c not compatible with multiple",
            ),
            (|p| (p.dirs, p.unique_dir) = (vec!["a".into(); 3], true), "more directory paths than"),
            (|p| p.dirs = vec![String::new()], "contains an empty name"),
            (|p| (p.branching, p.depth) = (0, 1), "branch factor"),
            (|p| (p.items_per_dir, p.unique_dir) = (5, true), "only specify"),
            (|p| p.items_per_dir = 3, "must be a multiple"),
            (|p| (p.branching, p.depth) = (9, 40), "more than 2^39"),
            (|p| p.preload = u64::MAX, "--preload"),
            (|p| (p.preload, p.backend) = (1, "dummy".into()), "--preload: DUMMY"),
            (|p| (p.make_node, p.write_bytes) = (true, 1), "-k not compatible with -w"),
            (|p| (p.make_node, p.shared_file) = (true, true), "-k not compatible with -S"),
            (|p| (p.verify_read, p.read) = (true, false), "read test is used"),
            (|p| p.verify_read = true, "read bytes is > 0"),
            (|p| (p.write_bytes, p.read_bytes) = (8, 16), "must be smaller than write bytes"),
            (|p| p.read_bytes = 16, "must be smaller than write bytes"),
            (|p| (p.verify_read, p.read_bytes) = (true, 16), "Add -G NUMBER"),
            (
                |p| {
                    (p.verify_read, p.read_bytes, p.signature, p.backend) = (true, 8, Some(1), "dummy".into())
                },
                "DUMMY keeps no data",
            ),
            (|p| p.write_bytes = 1 << 50, "2^40"),
            (|p| (p.packet, p.write_bytes) = (Packet::Stamped, 9), "multiples of 8"),
            (|p| p.key.nonce = Some("n".into()), "only stamped data is keyed"),
            (|p| (p.deadline, p.branching) = (1, 2), "branch factor <= 1"),
            (|p| (p.deadline, p.collective) = (1, true), "-W with -c"),
            (
                |p| (p.files, p.extra) = (false, vec!["link".into(), "list".into(), "statx".into()]),
                "--operations: statx, link would do nothing",
            ),
            (
                |p| p.extra = vec!["link".into(), "lnk".into()],
                "unknown operation lnk. Known operations: statx, list,",
            ),
        ];
        for (change, wanted) in cases {
            let why = rejected(2, change);
            assert!(why.contains(wanted), "{why} does not contain {wanted}");
            assert!(!why.contains('\n') && !why.ends_with('.'), "{why}");
        }
    }

    #[test]
    fn a_verification_of_writes_without_data_to_compare_is_rejected() {
        type Change = fn(&mut Request);
        let cases: &[(Change, &str)] = &[
            (
                |p| (p.verify_write, p.write_bytes, p.backend) = (true, 8, "dummy".into()),
                "DUMMY keeps no data",
            ),
            (|p| (p.verify_write, p.collective) = (true, true), "--verify-write not compatible with -c"),
            (|p| p.verify_write = true, "--verify-write requires that files are created and written"),
            (
                |p| (p.verify_write, p.write_bytes, p.create) = (true, 8, false),
                "--verify-write requires that files are created and written",
            ),
            (
                |p| (p.verify_write, p.write_bytes, p.files) = (true, 8, false),
                "--verify-write requires that files are created and written",
            ),
        ];
        for (change, wanted) in cases {
            let why = rejected(2, change);
            assert!(why.contains(wanted), "{why} does not contain {wanted}");
        }
    }

    #[test]
    fn settings_that_mdtest_accepts_are_accepted() {
        type Change = fn(&mut Request);
        let cases: &[Change] = &[
            |p| p.items = 0,
            |p| (p.branching, p.depth, p.items_per_dir, p.items) = (3, 3, 900, 0),
            |p| (p.write_bytes, p.read_bytes, p.verify_read) = (3901, 3901, true),
            |p| (p.write_bytes, p.verify_write, p.read) = (3901, true, false),
            |p| (p.deadline, p.depth, p.status_file) = (1, 3, Some("s".into())),
            |p| (p.create, p.read_bytes) = (false, 16),
            |p| (p.create, p.status_file) = (false, Some("s".into())),
            |p| p.status_file = Some("s".into()),
            |p| (p.make_node, p.shared_file, p.create) = (true, true, false),
            |p| p.first_ranks = 7,
            |p| (p.files, p.extra) = (false, vec!["list".into()]),
            |p| (p.dirs, p.unique_dir) = (vec!["a".into(), "b".into()], true),
            |p| p.shift = -3,
        ];
        for (index, change) in cases.iter().enumerate() {
            let mut parameters = Request { items: 10, ..Request::default() };
            change(&mut parameters);
            assert_eq!(parameters.check(2), Ok(()), "case {index}");
        }
    }
}
