//! Numbers that the kernel's counts of bytes and time contradict. Files that are not where their names are.

use results::finding::Severity;
use results::folder::{Campaign, DeviceWrites, FileSystemFacts, Machine};
use results::reason::{Code, row};
use results::record::{
    Clients, ClockPace, EachRank, KernelCount, MountCount, NodeIdentity, OpenedFiles, Phase, Record, Run,
    StrayFile,
};
use results::{Outcome, Verdict};

use super::{READ, WRITE, one, outcome, plan, rates};
use judge::evaluate;

const BYTES: u64 = 64 << 20;

/// Three repetitions of a phase of 64 MiB on `kind`, the second with `change`.
fn repetitions(name: &str, kind: &str, change: &dyn Fn(&mut Phase)) -> Campaign {
    let mut campaign = rates(name, [120, 121, 122]);
    campaign.before.as_mut().expect("a machine").memory_bytes = 1 << 40;
    for (number, job) in campaign.jobs.iter_mut().enumerate() {
        let phases = job.records.iter_mut().filter_map(|record| match record {
            Record::Phase(phase) => Some(phase),
            _ => None,
        });
        for phase in phases {
            phase.bytes = BYTES;
            phase.persisted = name == "write";
            phase.opened =
                Some(OpenedFiles { kind: kind.into(), device: "/dev/d".into(), ..Default::default() });
            phase.kernel = Some(counted(BYTES));
            if number == 1 {
                change(phase);
            }
        }
    }
    campaign
}

/// All bytes in both directions.
fn counted(bytes: u64) -> KernelCount {
    KernelCount { processes: 1, read_bytes: bytes, written_bytes: bytes, ..KernelCount::default() }
}

fn evaluated(keys: &str, name: &str, kind: &str, change: &dyn Fn(&mut Phase)) -> Verdict {
    one(&plan(keys), &repetitions(name, kind, change))
}

#[test]
fn a_cold_read_of_which_the_kernel_fetched_little_is_invalid() {
    let warm = |phase: &mut Phase| phase.kernel = Some(counted(BYTES / 2));
    let verdict = evaluated(READ, "read", "ext4", &warm);
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::KernelReadLess), "{verdict:#?}");
    let numbers =
        ["repetition", "bytes", "kernel_bytes"].map(|name| crate::data::number(&verdict.reason, name));
    assert_eq!(numbers, [Some(2.0), Some(BYTES as f64), Some((BYTES / 2) as f64)]);
    let allowed = evaluated(&format!("cache = \"warm\"\n{READ}"), "read", "ext4", &warm);
    assert_eq!(allowed.outcome, Outcome::Pass, "{allowed:#?}");
    let whole = evaluated(READ, "read", "ext4", &|_| {});
    assert_eq!(whole.outcome, Outcome::Pass, "{whole:#?}");
}

#[test]
fn a_flushed_write_of_which_the_kernel_wrote_little_is_invalid() {
    let verdict = evaluated(WRITE, "write", "xfs", &|phase| phase.kernel = Some(counted(BYTES / 2)));
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::KernelWroteLess), "{verdict:#?}");
}

#[test]
fn a_flushed_write_of_which_the_device_wrote_little_is_invalid_on_the_campaigns_node() {
    let launched = format!("{WRITE}\n[launch]\nkind = \"mpirun\"\n");
    let evaluated = |keys: &str, bytes: u64, boot_id: &str| {
        let mut campaign = repetitions("write", "ext4", &|_| {});
        for job in &mut campaign.jobs {
            job.info.device_writes = Some(DeviceWrites { number: "8:1".into(), bytes, boot_id: "n1".into() });
            for record in &mut job.records {
                if let Record::Phase(phase) = record {
                    phase.opened.as_mut().unwrap().number = "8:1".into();
                }
                if let Record::Run(run) = record {
                    let node = NodeIdentity { boot_id: boot_id.into(), ..NodeIdentity::default() };
                    run.clients = Some(Box::new(Clients { nodes: vec![node], ..Clients::default() }));
                }
            }
        }
        outcome(&one(&plan(keys), &campaign))
    };
    let (passes, invalid) = ((Outcome::Pass, Code::ThresholdMet), (Outcome::Invalid, Code::KernelWroteLess));
    assert_eq!(evaluated(WRITE, BYTES / 2, ""), invalid, "local ranks are on this node");
    assert_eq!(evaluated(WRITE, BYTES, ""), passes, "all was written");
    assert_eq!(evaluated(&launched, BYTES / 2, "n1"), invalid);
    assert_eq!(evaluated(&launched, BYTES / 2, "n2"), passes, "another node");
    assert_eq!(evaluated(&launched, BYTES / 2, ""), passes, "an unknown node");
}

#[test]
fn a_direct_write_on_a_journal_of_data_is_not_flushed_but_still_compared() {
    for (options, warns) in [("rw;rw,data=journal", true), ("rw;rw", false)] {
        let mut campaign = repetitions("write", "ext4", &|_| {});
        campaign.before.as_mut().unwrap().file_systems[0].options = options.into();
        for job in &mut campaign.jobs {
            for record in &mut job.records {
                if let Record::Phase(phase) = record {
                    (phase.persisted, phase.direct) = (false, true);
                }
            }
        }
        let direct = plan(&WRITE.replace("-w -e", "-w --posix.odirect"));
        let verdict = one(&direct, &campaign);
        let is_warned = verdict.warnings.iter().any(|one| one.code() == Code::NotFlushed);
        assert_eq!((verdict.outcome, is_warned), (Outcome::Pass, warns), "{options}: {verdict:#?}");
        for record in &mut campaign.jobs[1].records {
            if let Record::Phase(phase) = record {
                phase.kernel = Some(counted(BYTES / 2));
            }
        }
        assert_eq!(outcome(&one(&direct, &campaign)), (Outcome::Invalid, Code::KernelWroteLess), "{options}");
    }
}

#[test]
fn one_rank_whose_own_file_came_from_memory_makes_the_phase_invalid() {
    let of_ranks = |file_per_rank: bool, least: u64| {
        move |phase: &mut Phase| {
            phase.file_per_rank = file_per_rank;
            (phase.balance.bytes_min, phase.balance.bytes_max) = (BYTES / 16, BYTES / 16);
            phase.each_rank = Some(EachRank {
                ranks: 16,
                moved: vec![BYTES / 16; 16].into(),
                kernel_read: (0..16)
                    .map(|rank| if rank == 9 { least } else { BYTES / 16 })
                    .collect::<Vec<_>>()
                    .into(),
                ..EachRank::default()
            });
        }
    };
    let verdict = evaluated(READ, "read", "ext4", &of_ranks(true, 4096));
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::KernelReadLess), "{verdict:#?}");
    let numbers = ["rank", "bytes", "kernel_bytes"].map(|name| crate::data::number(&verdict.reason, name));
    assert_eq!(numbers, [Some(9.0), Some((BYTES / 16) as f64), Some(4096.0)]);
    for (file_per_rank, least) in [(true, BYTES / 16), (false, 4096)] {
        let verdict = evaluated(READ, "read", "ext4", &of_ranks(file_per_rank, least));
        assert_eq!(verdict.outcome, Outcome::Pass, "{file_per_rank}: {verdict:#?}");
    }
}

#[test]
fn where_the_kernel_does_not_count_nothing_is_concluded_from_it() {
    for kind in ["lustre", "fuse.glusterfs", "beegfs"] {
        let verdict = evaluated(READ, "read", kind, &|phase| phase.kernel = Some(counted(0)));
        assert_eq!(verdict.outcome, Outcome::Pass, "{kind}: {verdict:#?}");
    }
    let verdict = evaluated(READ, "read", "ext4", &|phase| phase.kernel = None);
    assert_eq!(verdict.outcome, Outcome::Pass, "{verdict:#?}");
}

#[test]
fn on_nfs_the_bytes_from_the_server_count() {
    let from_server = |bytes: u64| {
        move |phase: &mut Phase| {
            let mount =
                MountCount { source: MountCount::NFS.into(), read_bytes: bytes, written_bytes: bytes };
            phase.kernel = Some(KernelCount { mount: Some(mount), ..counted(0) });
        }
    };
    let verdict = evaluated(READ, "read", "nfs4", &from_server(BYTES / 2));
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::KernelReadLess));
    assert_eq!(verdict.reason.get(row::KernelReadLess::source), Some("mountstats"));
    let verdict = evaluated(READ, "read", "nfs4", &from_server(BYTES));
    assert_eq!(verdict.outcome, Outcome::Pass, "{verdict:#?}");
}

#[test]
fn repeated_data_is_invalid_unless_each_time_is_shown_to_reach_storage() {
    let again = |phase: &mut Phase| phase.repeated_bytes = BYTES / 2;
    for (keys, name) in [(READ, "read"), (WRITE, "write")] {
        let of = |change: &dyn Fn(&mut Phase)| {
            let change = |phase: &mut Phase| {
                again(phase);
                change(phase);
            };
            outcome(&evaluated(keys, name, "lustre", &change))
        };
        assert_eq!(of(&|_| {}), (Outcome::Invalid, Code::RepeatedData), "{name}");
        assert_eq!(of(&|phase| phase.direct = true).0, Outcome::Pass, "{name}");
    }
    let each = |phase: &mut Phase| {
        again(phase);
        phase.persisted_each = true;
    };
    assert_eq!(evaluated(WRITE, "write", "lustre", &each).outcome, Outcome::Pass);
    let mut small = repetitions("write", "lustre", &again);
    small.before.as_mut().expect("a machine").memory_bytes = BYTES / 4;
    assert_ne!(one(&plan(WRITE), &small).reason.code, Code::RepeatedData, "no client can hold the data");
    let counted = evaluated(WRITE, "write", "ext4", &again);
    assert_eq!(counted.outcome, Outcome::Pass, "the kernel counted every byte: {counted:#?}");
}

#[test]
fn a_clock_at_another_pace_than_the_kernels_is_invalid() {
    for (raw, wall, wrong) in [(0.011, 0.0, "raw"), (0.0, 0.011, "wall"), (0.005, 0.005, "")] {
        let verdict = evaluated(WRITE, "write", "ext4", &|phase| {
            phase.pace = Some(ClockPace { seconds: 1.0, raw, wall });
        });
        if wrong.is_empty() {
            assert_eq!(verdict.outcome, Outcome::Pass, "{verdict:#?}");
        } else {
            assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::ClockPace));
            assert_eq!(crate::data::number(&verdict.reason, wrong), Some(0.011));
        }
    }
}

#[test]
fn files_on_another_file_system_make_the_clause_invalid_and_links_need_a_waiver() {
    let elsewhere = |stray: u32, linked: u32| {
        move |phase: &mut Phase| {
            let first = vec![StrayFile { rank: 1, path: "/s/f".into(), ..StrayFile::default() }];
            let opened = phase.opened.take().unwrap();
            phase.opened = Some(OpenedFiles { stray, linked, first, ..opened });
        }
    };
    let verdict = evaluated(WRITE, "write", "ext4", &elsewhere(1, 0));
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::StrayFile), "{verdict:#?}");
    assert_eq!(verdict.reason.get(row::StrayFile::path), Some("/s/f"));
    let summary = evaluate(&plan(WRITE), &repetitions("write", "ext4", &elsewhere(0, 2))).summary;
    let found = summary.findings.iter().find(|one| one.code() == Code::LinkedFile).expect("a finding");
    assert_eq!((found.severity, found.about.as_str()), (Severity::NeedsWaiver, "T"));
    assert_eq!(found.reason.get(row::LinkedFile::ranks), Some(2.0));
}

#[test]
fn files_on_another_file_system_than_the_campaign_began_with_are_invalid_on_its_own_machine() {
    for (host, expected) in [("n1", Outcome::Invalid), ("n2", Outcome::Pass)] {
        let mut campaign = repetitions("write", "tmpfs", &|_| {});
        let facts = FileSystemFacts {
            name: "s".into(),
            bytes: 1 << 40,
            kind: "ext4".into(),
            device: "/dev/d".into(),
            ..Default::default()
        };
        campaign.before =
            Some(Machine { host: "n1".into(), file_systems: vec![facts], ..Machine::default() });
        for job in &mut campaign.jobs {
            job.records.retain(|record| !matches!(record, Record::Run(_)));
            job.records
                .insert(0, Record::Run(Run { host: host.into(), ranks: 1, nodes: 1, ..Run::default() }));
        }
        let verdict = one(&plan(WRITE), &campaign);
        assert_eq!(verdict.outcome, expected, "{host}: {verdict:#?}");
    }
}
