//! Settings that are rejected before any rank starts, each with a remedy.
//!
//! The rules follow those of IOR 4.1; docs/reference/compatibility/ior.md lists the differences.

use units::Usage;

use super::request::{Hog, Offsets, RateLimit, Reorder, Request};
use crate::{Abilities, FileForm, Packet};

impl Request {
    /// The abilities of the backend. An unknown backend passes all rules here; the lookup of the backend
    /// rejects it.
    pub fn abilities(&self) -> Abilities {
        crate::backend(&self.backend).map_or(Abilities::PLAIN, |backend| backend.abilities)
    }

    /// Rejects, with one line, settings that cannot run on `ranks` ranks of any machine.
    pub fn check(&self, ranks: u32) -> Result<(), Usage> {
        let rules = self.rules_of_phases(ranks).into_iter().chain(self.rules_of_orders(ranks));
        let rules = rules.chain(self.rules_of_backends(ranks)).chain(self.rules_of_pace());
        match rules.into_iter().find(|(broken, _)| *broken) {
            Some((_, why)) => Err(Usage::new(why)),
            None => self.check_sizes(),
        }
    }

    fn rules_of_phases(&self, ranks: u32) -> [(bool, &'static str); 14] {
        [
            (
                self.refuse_existing && self.use_existing,
                "--refuse-existing rejects the files into which -E writes. Leave one of them out",
            ),
            (self.refuse_existing && !self.write, "--refuse-existing is about files to be written. Add -w"),
            (
                self.status_file.is_some() && !self.keep,
                "-O stoneWallingStatusFile needs -k, because the next run reads the files. Add -k",
            ),
            (
                self.status_file.is_some() && self.write && !self.wear_out,
                "a write with -O stoneWallingStatusFile needs a wear-out. Add -O stoneWallingWearOut=1",
            ),
            (
                self.wear_out && self.deadline == 0,
                "-O stoneWallingWearOut=1 needs a deadline. Add -D SECONDS",
            ),
            (
                self.ranks == Some(0) || ranks == 0,
                "-N 0: a test needs at least one rank. Leave out -N to use all ranks",
            ),
            (
                self.read_check && !self.write && self.signature.is_none(),
                "-R without -w needs the signature of the written data. Add -G NUMBER",
            ),
            (
                self.write_check && !self.write && self.signature.is_none(),
                "-W without -w needs the signature of the written data. Add -G NUMBER",
            ),
            (self.transfer == 0, "-t 0: the test would never end. Set -t to a multiple of 8 bytes"),
            (!self.transfer.is_multiple_of(8), "-t (transfer size) must be a multiple of 8 bytes"),
            (!self.block.is_multiple_of(8), "-b (block size) must be a multiple of 8 bytes"),
            (self.segments == 0, "-s 0: a test needs at least one segment. Leave out -s for one segment"),
            (
                self.files().contains(&""),
                "-o contains an empty file name. Give one name, or several with `@` between them",
            ),
            (self.unique_dir && self.files().len() > 1, "-u needs one file name in -o. Remove the `@`"),
        ]
    }

    fn rules_of_orders(&self, ranks: u32) -> [(bool, &'static str); 8] {
        let shared = !self.file_per_rank;
        let blocks = self.offsets == Offsets::RandomBlocks;
        // Whether the ranks make every transfer together, although it may go to any offset.
        let abilities = self.abilities();
        let together = abilities.collective && abilities.random_access && shared;
        let in_step = together && (self.collective || self.sync_each);
        [
            (
                self.shuffled() && self.block == self.transfer && self.segments < 2,
                "-z has nothing to shuffle: each rank has one transfer. Choose -b greater than -t, or add -s",
            ),
            (
                self.offsets == Offsets::IorShuffled && self.block == self.transfer && self.segments > 1,
                "IOR's order of -z shuffles the transfers of a block, but -b equals -t. Choose -b greater \
                 than -t, or leave out --random-order=ior to shuffle the segments",
            ),
            (
                self.shuffled() && shared && self.reorder != Reorder::Own,
                "-z on a single shared file cannot be combined with -C or -Z. Leave one of them out",
            ),
            (
                self.offsets != Offsets::Sequential
                    && self.read_check
                    && self.offset_seed.is_none()
                    && !self.write,
                "-z with -R needs the seed of the written data. Add --random-offset-seed=NUMBER",
            ),
            (
                blocks && (self.write || self.write_check),
                "-z -z reads random blocks. It cannot write, because blocks may repeat. Use one -z",
            ),
            (
                blocks && self.read_check && shared,
                "-z -z reads blocks of other ranks from a shared file, which -R cannot compare. Use -F or -r",
            ),
            (
                in_step && self.offsets != Offsets::Sequential,
                "-z with -c or -Y on a shared MPIIO file: ranks would not make the same calls. Leave out -z",
            ),
            (
                self.total_bytes(ranks).is_none(),
                "-b times -s times the number of ranks is beyond 2^63 bytes. Choose less",
            ),
        ]
    }

    fn rules_of_backends(&self, ranks: u32) -> [(bool, &'static str); 8] {
        let abilities = self.abilities();
        let random = self.offsets != Offsets::Sequential;
        let no_random = random && !abilities.random_access;
        let datasets = matches!(abilities.form, FileForm::Datasets { .. });
        [
            (
                abilities.blocking && self.depth.is_some_and(|depth| depth > 1),
                "--iodepth: this backend moves one transfer at a time. Use -a URING or AIO",
            ),
            (no_random && datasets, "-z does not work with HDF5. Use -a POSIX or MPIIO, or leave out -z"),
            (
                no_random && !datasets,
                "-z: random offset not available with NCMPI. Use -a POSIX or MPIIO, or leave out -z",
            ),
            (
                self.file_per_rank && !abilities.file_per_rank,
                "-F: file-per-proc not available in current NCMPI, which has one shared file. Leave out -F",
            ),
            (
                random && abilities.file_views && self.settings.flag("mpiio.useFileView"),
                "-z with --mpiio.useFileView: a view has its own order. Leave one of them out",
            ),
            (
                self.has_individual_sets(abilities.form)
                    && (self.collective || self.settings.flag("hdf5.collectiveMetadata")),
                "--hdf5.individualDataSets: no call on the dataset of one rank is collective. Leave out -c \
                 and --hdf5.collectiveMetadata",
            ),
            (
                self.has_larger_chunks_than_datasets(abilities.form, ranks),
                "--hdf5.chunkSize: a chunk must be smaller than 4 GiB and must fit into a dataset. That is \
                 -b times the ranks (-b alone with -F or individualDataSets). It is counted in elements of 8 \
                 bytes. Choose less",
            ),
            (
                self.sync_each && !self.transfer.is_multiple_of(abilities.sync_bytes),
                "-Y with MMAP syncs whole pages. Choose -t as a multiple of 4k",
            ),
        ]
    }

    /// Whether each rank has datasets of its own in a shared file.
    fn has_individual_sets(&self, form: FileForm) -> bool {
        let datasets = matches!(form, FileForm::Datasets { .. });
        datasets && !self.file_per_rank && self.settings.flag("hdf5.individualDataSets")
    }

    fn has_larger_chunks_than_datasets(&self, form: FileForm, ranks: u32) -> bool {
        let FileForm::Datasets { element_bytes, chunk_bytes_max } = form else { return false };
        let chunk = self.settings.number("hdf5.chunkSize").and_then(|chunk| u64::try_from(chunk).ok());
        let is_of_one = self.file_per_rank || self.has_individual_sets(form);
        let sharers = if is_of_one { 1 } else { ranks.into() };
        let dataset = self.block.saturating_mul(sharers);
        chunk.unwrap_or(0) > dataset.min(chunk_bytes_max) / element_bytes
    }

    /// Rules for what a phase does in addition to its transfers, and for the rate limit.
    fn rules_of_pace(&self) -> [(bool, &'static str); 13] {
        let rate = self.rate.map(|(RateLimit::Bytes(rate) | RateLimit::Transfers(rate))| rate);
        [
            (self.depth == Some(0), "--iodepth 0: no transfer could be outstanding. Give 1 or more"),
            (
                self.mix.is_some_and(|mix| mix > 100),
                "--rwmix is the percentage of reads. Give a number from 0 to 100",
            ),
            (
                self.mix.is_some() && self.offsets == Offsets::RandomBlocks,
                "--rwmix also writes, but -z -z only reads. Use one -z",
            ),
            (
                self.mix.is_some() && !self.write && self.signature.is_none(),
                "--rwmix without -w rewrites existing data and needs its signature. Add -G NUMBER",
            ),
            (
                self.mix.is_some() && !self.write && self.shuffled() && self.offset_seed.is_none(),
                "--rwmix without -w needs the seed of -z that the data was written with. Add \
                 --random-offset-seed=NUMBER",
            ),
            (
                rate.is_some_and(|rate| !(rate.is_finite() && rate > 0.0)),
                "--rate: no data would be moved. Give more than 0, such as 200MB/s",
            ),
            (
                self.prefill > 0 && !self.shuffled(),
                "--randomPrefill fills the file before shuffled transfers. Add -z, or leave it out",
            ),
            (
                self.prefill > 0 && !self.block.is_multiple_of(self.prefill),
                "--randomPrefill must divide the block size. Change it or -b",
            ),
            (!self.prefill.is_multiple_of(8), "--randomPrefill must be a multiple of 8 bytes"),
            (
                self.key.is_given() && self.packet != Packet::Stamped,
                "--data-key, --nonce: only stamped data is keyed. Add -l stamped",
            ),
            (
                self.data_of.is_some() && self.packet != Packet::Stamped,
                "--data-of: only stamped data depends on a text. Add -l stamped",
            ),
            (self.dual_mount && !self.file_per_rank, "-y needs file per process. Add -F"),
            (
                matches!(self.hog, Hog::PercentOfNode(101..)),
                "-M: a node has 100% of its memory. Choose less than 101%",
            ),
        ]
    }

    fn check_sizes(&self) -> Result<(), Usage> {
        let (block, transfer) = (self.block, self.transfer);
        if block == 0 {
            let why = "a block holds at least one transfer";
            return Err(Usage(format!("-b 0: {why}. Give -b {transfer} or a multiple of it")));
        }
        if block < transfer || !block.is_multiple_of(transfer) {
            let nearest = (block / transfer).max(1) * transfer;
            return Err(Usage(format!(
                "-t {transfer} does not divide -b {block}. A block is a whole number of transfers, \
                 such as -b {nearest}"
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejected(change: impl Fn(&mut Request)) -> String {
        let mut parameters = Request { write: true, ..Request::default() };
        change(&mut parameters);
        parameters.check(4).expect_err("rejected").0
    }

    #[test]
    fn settings_that_cannot_run_are_rejected_with_a_remedy() {
        assert!(rejected(|p| p.transfer = 3 << 10).contains("-t 3072 does not divide -b 1048576"));
        assert!(rejected(|p| p.transfer = 2 << 20).contains("such as -b 2097152"));
        let empty = rejected(|p| p.block = 0);
        assert_eq!(empty, "-b 0: a block holds at least one transfer. Give -b 262144 or a multiple of it");
        assert!(rejected(|p| p.transfer = 12).contains("multiple of 8"));
        assert!(rejected(|p| p.transfer = 0).contains("never end"));
        assert!(rejected(|p| p.wear_out = true).contains("Add -D"));
        assert!(rejected(|p| p.status_file = Some("s".into())).contains("needs -k"));
        assert!(rejected(|p| (p.write, p.read_check) = (false, true)).contains("Add -G"));
        assert!(rejected(|p| p.offsets = Offsets::RandomBlocks).contains("cannot write"));
        assert!(
            rejected(|p| (p.offsets, p.reorder) = (Offsets::Shuffled, Reorder::Constant))
                .contains("-C or -Z")
        );
        assert!(rejected(|p| p.block = 1 << 61).contains("2^63"));
        assert!(Request { write: true, ..Request::default() }.check(4).is_ok());
    }

    #[test]
    fn the_other_rules_of_phases_and_orders_have_remedies_too() {
        assert!(rejected(|p| (p.keep, p.status_file) = (true, Some("s".into()))).contains("WearOut=1"));
        assert!(rejected(|p| p.ranks = Some(0)).contains("Leave out -N"));
        assert!(rejected(|p| (p.write, p.write_check) = (false, true)).contains("-W without -w"));
        let found = |p: &mut Request| (p.write, p.mix) = (false, Some(50));
        assert!(rejected(found).contains("--rwmix without -w"));
        let shuffled = |p: &mut Request| (p.signature, p.offsets) = (Some(1), Offsets::Shuffled);
        assert!(rejected(|p| (found(p), shuffled(p)).1).contains("Add --random-offset-seed"));
        assert!(rejected(|p| p.block = 12).contains("-b (block size) must be a multiple of 8"));
        assert!(rejected(|p| p.segments = 0).contains("at least one segment"));
        assert!(rejected(|p| p.test_file = "a@".into()).contains("several with `@`"));
        assert!(rejected(|p| (p.unique_dir, p.test_file) = (true, "a@b".into())).contains("one file name"));
        assert!(rejected(|p| (p.offsets, p.block) = (Offsets::Shuffled, p.transfer)).contains("or add -s"));
        let segments =
            |offsets| move |p: &mut Request| (p.offsets, p.block, p.segments) = (offsets, p.transfer, 8);
        assert!(rejected(segments(Offsets::IorShuffled)).contains("leave out --random-order=ior"));
        let unseeded = |p: &mut Request| {
            (p.write, p.read_check, p.signature) = (false, true, Some(1));
            p.offsets = Offsets::Shuffled;
        };
        assert!(rejected(unseeded).contains("Add --random-offset-seed"));
        let foreign = |p: &mut Request| {
            unseeded(p);
            (p.offsets, p.offset_seed) = (Offsets::RandomBlocks, Some(1));
        };
        assert!(rejected(foreign).contains("Use -F or -r"));
        let in_step = |p: &mut Request| (p.backend, p.collective) = ("MPIIO".into(), true);
        assert!(rejected(|p| (in_step(p), p.offsets = Offsets::Shuffled).1).contains("the same calls"));
    }

    #[test]
    fn what_a_backend_cannot_do_is_rejected_with_an_alternative() {
        let on = |backend: &'static str, change: fn(&mut Request)| {
            move |p: &mut Request| {
                p.backend = backend.into();
                change(p);
            }
        };
        for backend in ["POSIX", "mmap", "MPIIO", "HDF5", "NCMPI"] {
            assert!(
                rejected(on(backend, |p| p.depth = Some(8))).contains("Use -a URING or AIO"),
                "{backend}"
            );
        }
        for backend in ["POSIX", "AIO", "URING", "DUMMY"] {
            let depth = if backend == "POSIX" { 1 } else { 8 };
            let good =
                Request { write: true, backend: backend.into(), depth: Some(depth), ..Request::default() };
            assert!(good.check(2).is_ok(), "{backend}");
        }
        assert!(rejected(on("HDF5", |p| p.offsets = Offsets::Shuffled)).contains("-a POSIX or MPIIO"));
        let chunk = |p: &mut Request| {
            (p.block, p.transfer, p.file_per_rank) = (64, 8, true);
            p.settings.set("hdf5.chunkSize", "9");
        };
        assert!(rejected(on("HDF5", chunk)).contains("must fit into a dataset"));
        assert!(
            rejected(on("NCMPI", |p| p.offsets = Offsets::Shuffled)).contains("not available with NCMPI")
        );
        assert!(rejected(on("NCMPI", |p| p.file_per_rank = true)).contains("Leave out -F"));
        let view = |p: &mut Request| {
            p.offsets = Offsets::Shuffled;
            p.settings.set("mpiio.useFileView", "1");
        };
        assert!(rejected(on("MPIIO", view)).contains("Leave one of them out"));
        let individual = |p: &mut Request| {
            p.collective = true;
            p.settings.set("hdf5.individualDataSets", "1");
        };
        assert!(rejected(on("HDF5", individual)).contains("Leave out -c"));
        let chunk_of_two = |p: &mut Request| {
            (p.block, p.transfer) = (64, 8);
            p.settings.set("hdf5.individualDataSets", "1");
            p.settings.set("hdf5.chunkSize", "9");
        };
        assert!(rejected(on("HDF5", chunk_of_two)).contains("must fit into a dataset"));
        let small = |p: &mut Request| (p.sync_each, p.transfer) = (true, 512);
        assert!(rejected(on("MMAP", small)).contains("multiple of 4k"));
    }

    #[test]
    fn settings_that_would_never_move_or_count_data_are_rejected() {
        assert!(rejected(|p| p.depth = Some(0)).contains("Give 1 or more"));
        assert!(rejected(|p| p.mix = Some(101)).contains("from 0 to 100"));
        let blocks = |p: &mut Request| {
            (p.write, p.mix) = (false, Some(50));
            p.offsets = Offsets::RandomBlocks;
        };
        assert!(rejected(blocks).contains("Use one -z"));
        for rate in [RateLimit::Bytes(0.0), RateLimit::Transfers(-1.0), RateLimit::Bytes(f64::NAN)] {
            assert!(rejected(|p| p.rate = Some(rate)).contains("more than 0"), "{rate:?}");
        }
        let good = |ramp, deadline| {
            Request { write: true, ramp, deadline, mix: Some(100), ..Request::default() }.check(2)
        };
        // A deadline counts from the end of the ramp.
        assert!(good(2, 3).is_ok() && good(2, 0).is_ok() && good(9, 3).is_ok());
        assert!(rejected(|p| p.prefill = 1 << 20).contains("Add -z"));
        let filled = |bytes| move |p: &mut Request| (p.prefill, p.offsets) = (bytes, Offsets::Shuffled);
        assert!(rejected(filled(3 << 10)).contains("must divide the block size"));
        assert!(rejected(filled(4)).contains("multiple of 8"));
        assert!(rejected(|p| p.dual_mount = true).contains("Add -F"));
        assert!(rejected(|p| p.hog = Hog::PercentOfNode(101)).contains("Choose less"));
    }
}
