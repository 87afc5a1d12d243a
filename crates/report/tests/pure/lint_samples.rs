//! A sample of a finding for each template of the linter's sentences.
//!
//! Never here: findings of real plans; the tests of `lint` have those.

use results::reason::{Code, Datum, Reason};

// tidy: long because there is a sample for each sentence.
/// A reason for each template, in their order. The first one has a waiver that is not approved yet.
pub(crate) fn samples() -> Vec<Reason> {
    let of = Reason::new;
    vec![
        of(Code::WriteIopsBuffered)
            .with("transfer", Datum::bytes(4096.0))
            .with("approve_with", "--set approved_by=NAME"),
        of(Code::ClientCacheFit)
            .with("written", Datum::bytes(19.8e9))
            .with("deadline", Datum::seconds(45.0))
            .with("memory", Datum::bytes(549.8e9))
            .with("least", Datum::bytes(824.6e9)),
        of(Code::ClientCacheFit)
            .with("read", Datum::bytes(14.8e9))
            .with("memory", Datum::bytes(549.8e9))
            .with("least", Datum::bytes(824.6e9)),
        of(Code::MissingPersist),
        of(Code::WrSameLaunch).with("implied", "-w -r"),
        of(Code::WrSameLaunch),
        of(Code::ReaderIsWriter).with("shift", 4_u64).with("nodes", 4_u64),
        of(Code::ReaderIsWriter).with("nodes", 4_u64),
        of(Code::ReaderIsWriter),
        of(Code::ReadBeyondWritten).with("maker", "dataset.random").with("remove", "-F"),
        of(Code::ReadBeyondWritten).with("maker", "dataset.random").with("add", "-F"),
        of(Code::ReadBeyondWritten)
            .with("files_read", 9_u64)
            .with("maker", "dataset.random")
            .with("files_made", 8_u64),
        of(Code::ReadBeyondWritten)
            .with("read", Datum::bytes(14.8e9))
            .with("maker", "dataset.random")
            .with("written", Datum::bytes(19.8e9)),
        of(Code::ReadBeyondWritten)
            .with("maker", "dataset.random")
            .with("deadline", Datum::seconds(45.0))
            .with("full", Datum::bytes(126.4e12))
            .with("rate_full", Datum::rate(2.81e12)),
        of(Code::SparseRandomWrite),
        of(Code::WearoutOnMeasured).with("deadline", Datum::seconds(45.0)),
        of(Code::NoWearoutOnDataset).with("deadline", Datum::seconds(45.0)),
        of(Code::SustainedNotMet)
            .with("deadline", Datum::seconds(45.0))
            .with("sustained", Datum::seconds(60.0)),
        of(Code::SustainedNotMet)
            .with("rate", Datum::rate(1e12))
            .with("bytes", Datum::bytes(17.2e9))
            .with("lasts", Datum::seconds(0.0172))
            .with("sustained", Datum::seconds(60.0))
            .with("least", Datum::bytes(824.6e9)),
        of(Code::SustainedNotMet)
            .with("rate_max", Datum::rate(250e9))
            .with("sustained", Datum::seconds(60.0)),
        of(Code::OutOfData)
            .with("rate", Datum::rate(1e12))
            .with("bytes", Datum::bytes(17.2e9))
            .with("lasts", Datum::seconds(0.0172))
            .with("deadline", Datum::seconds(45.0))
            .with("least", Datum::bytes(824.6e9)),
        of(Code::OutOfData)
            .with("bytes", Datum::bytes(17.2e9))
            .with("deadline", Datum::seconds(45.0))
            .with("rate_max", Datum::rate(250e9)),
        of(Code::DatasetTooSmall)
            .with("maker", "dataset.random")
            .with("bytes", Datum::bytes(17.2e9))
            .with("deadline", Datum::seconds(45.0))
            .with("rate", Datum::rate(1e12))
            .with("read", Datum::bytes(14.8e9))
            .with("least", Datum::bytes(824.6e9)),
        of(Code::DatasetTooSmall)
            .with("rate", Datum::rate(1e12))
            .with("bytes", Datum::bytes(17.2e9))
            .with("lasts", Datum::seconds(0.0172))
            .with("sustained", Datum::seconds(60.0))
            .with("least", Datum::bytes(824.6e9)),
        of(Code::DatasetTooSmall)
            .with("deadline", Datum::seconds(45.0))
            .with("bytes", Datum::bytes(17.2e9))
            .with("rate_full", Datum::rate(2.81e12)),
        of(Code::HeroAsContract),
        of(Code::Geometry).with("launched", 8_u64).with("quantity", "ranks per node").with("stated", 4_u64),
        of(Code::Geometry)
            .with("nodes", 4_u64)
            .with("ppn", 8_u64)
            .with("product", 224_u64)
            .with("ranks", 184_u64)
            .with("nodes_of_ranks", 23_u64),
        of(Code::Geometry).with("taking_part", 32_u64).with("ranks", 184_u64),
        of(Code::Geometry).with("moved", Datum::bytes(24.8e12)).with("stated_bytes", Datum::bytes(26.4e12)),
        of(Code::RoleMismatch).with("role", "read").with("implied", "-w"),
        of(Code::RoleMismatch).with("role", "read").with("extra", "-w").with("missing", "-r"),
        of(Code::RoleMismatch).with("role", "read").with("missing", "-r"),
        of(Code::RoleMismatch).with("role", "read").with("lost", "-k"),
        of(Code::RoleMismatch).with("worded_role", "read").with("extra", "-w").with("missing", "-r"),
        of(Code::PathOnWrongFs).with("directory", "/scratch/").with("example", "/scratch/data"),
        of(Code::PathOnWrongFs)
            .with("path", "/home/f")
            .with("maker", "dataset.random")
            .with("maker_path", "/scratch/f"),
        of(Code::PathOnWrongFs).with("path", "/home/f").with("mount", "/scratch"),
        of(Code::PathOnWrongFs).with("relative", "data").with("mount", "/scratch"),
        of(Code::PathOnWrongFs).with("mount", "/scratch"),
        of(Code::LineRejected).with("rejected", "`-4` is not an option"),
        of(Code::OptionDrift).with("option", "-k").with("since", "IOR 3.3"),
        of(Code::OptionDrift).with("option", "-z").with("segments", 64_u64),
        of(Code::OptionDrift).with("renamed", "-H is --mpiio.showHints"),
        of(Code::OptionDrift).with("idle", "-g has no effect"),
        of(Code::OptionsInFile).with("file", "s.ior"),
        of(Code::LayoutUndeclared).with("layout", "all"),
        of(Code::LayoutUndeclared).with("stripes", 4_u64),
        of(Code::LayoutUndeclared).with("shared_on", 1_u64),
        of(Code::LayoutUndeclared).with("kind", "lustre"),
        of(Code::LayoutUndeclared).with("files", 4_u64).with("targets", 5_u64),
        of(Code::CbStateUnset),
        of(Code::FillRecorded).with("fs_without_size", "scratch"),
        of(Code::NotAged),
        of(Code::FillIsNotAge).with("options", "--blocks 80% --cycles 0"),
        of(Code::SharedUniquePair)
            .with("mentioned", vec!["shared", "separate"])
            .with("directories", "separate"),
        of(Code::SharedUniquePair).with("directories", "separate").with("other", "shared"),
        of(Code::MdSameNode).with("shift", 4_u64).with("ppn", 8_u64),
        of(Code::MdSameNode).with("nodes", 4_u64),
        of(Code::MdSameNode).with("ppn", 8_u64),
        of(Code::MdTooShort).with("items", 1600_u64).with("least", 1000000_u64).with("per_rank", 62500_u64),
        of(Code::RateTooShort).with("bytes", Datum::bytes(17.2e9)),
        of(Code::StatUnnamed).with("metric", "write.bw").with("statistic", "max"),
        of(Code::StatUnnamed).with("metric", "write.bw"),
        of(Code::RepsShort).with("mentioned", 10_u64).with("planned", 3_u64),
        of(Code::RepsShort).with("overwrites", 3_u64),
        of(Code::RepsShort).with("rereads", 3_u64),
        of(Code::LinearityBase)
            .with("step", "3/3")
            .with("nodes_per_server", 5.0)
            .with("before", "1/3")
            .with("nodes_per_server_before", 10.0),
        of(Code::LinearityBase)
            .with("step", "3/3")
            .with("servers", 4320_u64)
            .with("available", 360_u64)
            .with("nodes", 4_u64),
        of(Code::LinearityBase).with("step", "3/3").with("servers", 4320_u64).with("nodes", 4_u64),
        of(Code::LinearityBase).with("first_step", "1/3"),
        of(Code::LinearityBase),
        of(Code::OptimalUndefined).with("key", "nodes"),
        of(Code::ThresholdMissing),
        of(Code::AsWritten).with("metrics", vec!["write.bw"]),
        of(Code::ClauseUntested).with("clause", "4.2"),
        of(Code::TableLabel).with("label", "Table 4").with("tables", vec!["Table 2", "Table 3"]),
        of(Code::UncheckedData).with("option", "-k"),
        of(Code::UncheckedData),
        of(Code::Compressible).with("kind", "zfs"),
        of(Code::OneFsTwice)
            .with("group", "BOTH")
            .with("fs", "scratch")
            .with("other", "archive")
            .with("kind", "ext4")
            .with("device", "/dev/sda1")
            .with("mount", "/scratch")
            .with("other_mount", "/gscratch"),
        of(Code::OneFsTwice)
            .with("fs", "scratch")
            .with("other", "archive")
            .with("kind", "ext4")
            .with("device", "/dev/sda1")
            .with("mount", "/scratch")
            .with("other_mount", "/gscratch"),
        of(Code::LsWalk).with("entries", 5000_u64).with("least", 100000_u64),
        of(Code::LsWalk).with("command", "ls"),
        of(Code::LsWalk).with("walks", 8_u64).with("least_walks", 10_u64),
        of(Code::LsWalk),
        of(Code::NotPacked).with("cores", 64_u64).with("ranks", 4_u64),
        of(Code::DeadCriterion)
            .with("metric", "write.bw")
            .with("op", ">=")
            .with("value", "0 B/s")
            .with("certain", "PASS"),
        of(Code::DeadCriterion)
            .with("metric", "write.bw")
            .with("op", ">=")
            .with("value", "0 B/s")
            .with("meant", ">="),
        of(Code::ClauseNumber)
            .with("metric", "write.bw")
            .with("value", "9 GB/s")
            .with("clause_values", Datum::list(["900 GB/s"])),
        of(Code::ClauseNumber).with("metric", "write.bw").with("value", "9 GB/s"),
        of(Code::LowConfidence).with("confidence", Datum::share(0.5)).with("least", Datum::share(0.9)),
        of(Code::HighCovMax).with("cov_max", Datum::share(3.0)).with("limit", Datum::share(0.5)),
        of(Code::Units)
            .with("clause_units", "decimal")
            .with("metric", "write.bw")
            .with("value", "953674 MiB/s")
            .with("value_units", "binary"),
        of(Code::Units).with("decimal", "1 TB/s").with("other", "READ").with("binary", "1 TiB/s"),
        of(Code::Waiver).with("unknown", "no-such"),
        of(Code::Waiver).with("error", "missing-persist"),
        of(Code::Waiver).with("idle", "compressible"),
    ]
}
