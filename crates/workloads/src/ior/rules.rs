//! What is refused before any rank starts, each with what would do.
//!
//! The rules follow IOR 4.1's; docs/COMPATIBILITY.md lists where they differ.

use units::Usage;

use super::parameters::{Offsets, Parameters, Reorder};

impl Parameters {
    /// Says no, in one line, to what cannot be run on `ranks` ranks.
    pub fn check(&self, ranks: u32) -> Result<(), Usage> {
        let rules = self.rules_of_phases(ranks).into_iter().chain(self.rules_of_orders(ranks));
        match rules.into_iter().find(|(broken, _)| *broken) {
            Some((_, why)) => Err(Usage::new(why)),
            None => self.check_sizes(),
        }
    }

    fn rules_of_phases(&self, ranks: u32) -> [(bool, &'static str); 12] {
        [
            (
                self.status_file.is_some() && !self.keep,
                "-O stoneWallingStatusFile needs -k: it carries the count from one run to the next",
            ),
            (
                self.status_file.is_some() && self.write && !self.wear_out,
                "-O stoneWallingStatusFile needs -O stoneWallingWearOut=1 when writing",
            ),
            (
                self.wear_out && self.deadline == 0,
                "-O stoneWallingWearOut=1 needs a deadline; add -D SECONDS",
            ),
            (self.ranks == Some(0) || ranks == 0, "-N 0: a test needs at least one rank"),
            (
                self.read_check && !self.write && self.signature.is_none(),
                "-R without -w needs the signature the data was written with; add -G NUMBER",
            ),
            (
                self.write_check && !self.write && self.signature.is_none(),
                "-W without -w needs the signature the data was written with; add -G NUMBER",
            ),
            (self.transfer == 0, "-t 0: the test would never end"),
            (!self.transfer.is_multiple_of(8), "-t (transfer size) must be a multiple of 8 bytes"),
            (!self.block.is_multiple_of(8), "-b (block size) must be a multiple of 8 bytes"),
            (self.segments == 0, "-s 0: a test needs at least one segment"),
            (self.files().contains(&""), "-o names an empty file; name one, or several with `@` between"),
            (self.unique_dir && self.files().len() > 1, "-u works with one file name in -o, not with `@`"),
        ]
    }

    fn rules_of_orders(&self, ranks: u32) -> [(bool, &'static str); 8] {
        let shared = !self.file_per_rank;
        let blocks = self.offsets == Offsets::RandomBlocks;
        // Whether every transfer is a call that all ranks have to make together.
        let mpi = self.backend.eq_ignore_ascii_case("mpiio");
        let in_step = mpi && shared && (self.collective || self.sync_each);
        [
            (
                self.shuffled() && self.block == self.transfer,
                "-z shuffles the transfers of a block and -b equals -t; choose -b greater than -t",
            ),
            (
                self.shuffled() && shared && self.reorder != Reorder::Own,
                "-z on one shared file cannot be combined with -C or -Z",
            ),
            (
                self.offsets != Offsets::Sequential
                    && self.read_check
                    && self.offset_seed.is_none()
                    && !self.write,
                "-z with -R needs the seed the data was written with; add --random-offset-seed=NUMBER",
            ),
            (
                blocks && (self.write || self.write_check),
                "-z -z reads random blocks; it cannot write, because blocks may repeat",
            ),
            (
                blocks && self.read_check && shared,
                "-z -z reads blocks of other ranks from a shared file, which -R cannot compare; use -F or -r",
            ),
            (
                in_step && self.offsets != Offsets::Sequential,
                "-z and -c or -Y on a shared MPIIO file: ranks would not make the same calls",
            ),
            (
                in_step && self.deadline > 0,
                "-D and -c or -Y on a shared MPIIO file: ranks would stop at different transfers",
            ),
            (self.layout(ranks).total_bytes().is_none(), "-b times -s times the ranks is beyond 2^63 bytes"),
        ]
    }

    fn check_sizes(&self) -> Result<(), Usage> {
        let (block, transfer) = (self.block, self.transfer);
        if block < transfer || !block.is_multiple_of(transfer) {
            let nearest = (block / transfer).max(1) * transfer;
            return Err(Usage(format!(
                "-t {transfer} does not divide -b {block}: a block is a whole number of transfers, \
                 such as -b {nearest}"
            )));
        }
        Ok(())
    }

    pub(super) fn shuffled(&self) -> bool {
        matches!(self.offsets, Offsets::Shuffled | Offsets::IorShuffled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl Fn(&mut Parameters)) -> String {
        let mut parameters = Parameters { write: true, ..Parameters::default() };
        change(&mut parameters);
        parameters.check(4).expect_err("refused").0
    }

    #[test]
    fn what_cannot_be_run_is_refused_with_a_remedy() {
        assert!(refused(|p| p.transfer = 3 << 10).contains("-t 3072 does not divide -b 1048576"));
        assert!(refused(|p| p.transfer = 2 << 20).contains("such as -b 2097152"));
        assert!(refused(|p| p.transfer = 12).contains("multiple of 8"));
        assert!(refused(|p| p.transfer = 0).contains("never end"));
        assert!(refused(|p| p.wear_out = true).contains("add -D"));
        assert!(refused(|p| p.status_file = Some("s".into())).contains("needs -k"));
        assert!(refused(|p| (p.write, p.read_check) = (false, true)).contains("add -G"));
        assert!(refused(|p| p.offsets = Offsets::RandomBlocks).contains("cannot write"));
        assert!(
            refused(|p| (p.offsets, p.reorder) = (Offsets::Shuffled, Reorder::Constant)).contains("-C or -Z")
        );
        assert!(refused(|p| p.block = 1 << 61).contains("2^63"));
        assert!(Parameters { write: true, ..Parameters::default() }.check(4).is_ok());
    }
}
