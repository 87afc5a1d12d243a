//! The state of one test, and the values of it that all result formats show.
//!
//! Invariant: all numbers come from the parameters, a record or an event. The memory does not grow with the
//! repetitions.

use command::ior::{Edition, Hog, Offsets, Parsed, Request};
use results::record::Phase;
use units::MIB;
use workloads::ior::{IorEvent, RankPlacement};

use super::value::{JsonValue, Members};
use crate::personalities::spread::ValueSpread;

/// The state of one test.
#[derive(Debug)]
pub(crate) struct ShownTest {
    pub(crate) parsed: Parsed,
    pub(crate) place: RankPlacement,
    pub(crate) ranks: u32,
    /// Bytes of memory taken on each node and by each rank.
    pub(crate) hog: (u64, u64),
    /// What the tables at the end need of its phases.
    pub(crate) totals: PhaseTotals,
}

impl ShownTest {
    /// A test that has not begun.
    pub(crate) fn new(parsed: &Parsed) -> Self {
        let hog = match parsed.request.hog {
            Hog::PerNode(bytes) => (bytes, 0),
            Hog::PerRank(bytes) => (0, bytes),
            Hog::Nothing | Hog::PercentOfNode(_) => (0, 0),
        };
        let place = RankPlacement::default();
        Self { parsed: parsed.clone(), place, ranks: 0, hog, totals: PhaseTotals::default() }
    }

    /// Takes the values of an event.
    pub(crate) fn hear(&mut self, event: &IorEvent<'_>) {
        match event {
            IorEvent::Hog { node_bytes, rank_bytes } => self.hog = (*node_bytes, *rank_bytes),
            IorEvent::Test { place, ranks, .. } => (self.place, self.ranks) = (*place, *ranks),
            IorEvent::Phase(phase) => self.totals.add(phase),
            _ => {}
        }
    }

    /// The parameters of the test.
    pub(crate) fn parameters(&self) -> &Request {
        &self.parsed.request
    }

    /// The lines of the Options block.
    pub(crate) fn options(&self, edition: Edition) -> Members {
        let mut all = self.shape();
        let parameters = self.parameters();
        let newer = edition == Edition::Ior41;
        let (node_bytes, rank_bytes) = self.hog;
        // The share of a node is shown only per node. The classic program divides it among the ranks without
        // showing this.
        if rank_bytes > 0 && node_bytes == 0 {
            all.push(("memoryPerTask", JsonValue::Text(size(rank_bytes))));
        }
        if node_bytes > 0 {
            all.push(("memoryPerNode", JsonValue::Text(size(node_bytes))));
        }
        if newer {
            all.push(("memoryBuffer", JsonValue::text("CPU")));
            all.push(("dataAccess", JsonValue::text("CPU")));
            all.push(("GPUDirect", JsonValue::text("0")));
        }
        let total = parameters.total_bytes(self.ranks).unwrap_or(0);
        all.push(("repetitions", JsonValue::whole(parameters.repetitions)));
        all.push(("xfersize", JsonValue::Text(size(parameters.transfer))));
        all.push(("blocksize", JsonValue::Text(size(parameters.block))));
        all.push(("aggregate filesize", JsonValue::Text(size(total))));
        if parameters.dry_run {
            all.push(("dryRun", JsonValue::flag(true)));
        }
        if parameters.verbose > 0 && newer {
            all.push(("verbose", JsonValue::whole(parameters.verbose)));
        }
        if parameters.deadline > 0 {
            all.push(("stonewallingTime", JsonValue::whole(parameters.deadline)));
            all.push(("stoneWallingWearOut", JsonValue::flag(parameters.wear_out)));
        }
        all
    }

    /// The upper part of the Options block: the access, and the ranks.
    fn shape(&self) -> Members {
        let parameters = self.parameters();
        let shuffled = parameters.offsets != Offsets::Sequential;
        let access = if parameters.file_per_rank { "file-per-process" } else { "single-shared-file" };
        let mut all = vec![
            ("api", JsonValue::text(&parameters.backend)),
            ("apiVersion", JsonValue::text(&self.parsed.output.api_version)),
            ("test filename", JsonValue::text(&parameters.test_file)),
            ("access", JsonValue::text(access)),
            ("type", JsonValue::text(if parameters.collective { "collective" } else { "independent" })),
            ("segments", JsonValue::whole(parameters.segments)),
            ("ordering in a file", JsonValue::text(if shuffled { "random" } else { "sequential" })),
        ];
        let offset = ("task offset", JsonValue::whole(parameters.task_offset));
        match (self.parsed.constant, self.parsed.random_ranks) {
            (0, 0) => all.push(("ordering inter file", JsonValue::text("no tasks offsets"))),
            (1, _) => all.extend([("ordering inter file", JsonValue::text("constant task offset")), offset]),
            (_, 1) => all.extend([
                ("ordering inter file", JsonValue::text("random task offset")),
                offset,
                ("reorder random seed", JsonValue::whole(parameters.reorder_seed)),
            ]),
            _ => {}
        }
        all.push(("nodes", JsonValue::whole(self.place.nodes)));
        all.push(("tasks", JsonValue::whole(self.ranks)));
        all.push(("clients per node", JsonValue::whole(self.place.ranks_on_node0)));
        all
    }

    /// The lines of the Parameters block.
    pub(crate) fn settings(&self) -> Members {
        let parameters = self.parameters();
        let uname = rustix::system::uname();
        let platform =
            format!("{}({})", uname.nodename().to_string_lossy(), uname.sysname().to_string_lossy());
        let (node_bytes, rank_bytes) = self.hog;
        let per_rank = if node_bytes == 0 { rank_bytes } else { 0 };
        let mut all = vec![
            ("testID", JsonValue::whole(parameters.test)),
            ("refnum", JsonValue::whole(parameters.reference)),
            ("api", JsonValue::text(&parameters.backend)),
            ("platform", JsonValue::Text(platform)),
            ("testFileName", JsonValue::text(&parameters.test_file)),
            ("deadlineForStonewall", JsonValue::whole(parameters.deadline)),
            ("stoneWallingWearOut", JsonValue::flag(parameters.wear_out)),
            ("maxTimeDuration", JsonValue::whole(parameters.minutes_max)),
            ("outlierThreshold", JsonValue::whole(parameters.outlier_seconds)),
            ("options", JsonValue::text("(null)")),
            ("dryRun", JsonValue::flag(parameters.dry_run)),
            ("nodes", JsonValue::whole(self.place.nodes)),
            ("memoryPerTask", JsonValue::whole(per_rank)),
            ("memoryPerNode", JsonValue::whole(node_bytes)),
            ("tasksPerNode", JsonValue::whole(self.place.ranks_on_node0)),
            ("repetitions", JsonValue::whole(parameters.repetitions)),
            ("multiFile", JsonValue::flag(parameters.multi_file)),
            ("interTestDelay", JsonValue::whole(parameters.delay)),
            ("fsync", JsonValue::flag(parameters.sync)),
            ("fsyncperwrite", JsonValue::flag(parameters.sync_each)),
            ("useExistingTestFile", JsonValue::flag(parameters.use_existing)),
            ("uniqueDir", JsonValue::flag(parameters.unique_dir)),
            ("singleXferAttempt", JsonValue::flag(parameters.single_attempt)),
        ];
        all.extend(self.phases_and_data());
        all
    }

    /// The lower part of the Parameters block: phases, orders, data and sizes.
    fn phases_and_data(&self) -> Members {
        let parameters = self.parameters();
        let offsets = match parameters.offsets {
            Offsets::Sequential => 0,
            Offsets::Shuffled | Offsets::IorShuffled => 1,
            Offsets::RandomBlocks => 2,
        };
        let letter = parameters.packet.letter();
        // Stamped data, which the classic program lacks, follows its four types.
        let number = "toir".find(letter).unwrap_or(4) as u64;
        vec![
            ("readFile", JsonValue::flag(parameters.read)),
            ("writeFile", JsonValue::flag(parameters.write)),
            ("filePerProc", JsonValue::flag(parameters.file_per_rank)),
            ("reorderTasks", JsonValue::whole(self.parsed.constant)),
            ("reorderTasksRandom", JsonValue::whole(self.parsed.random_ranks)),
            ("reorderTasksRandomSeed", JsonValue::whole(parameters.reorder_seed)),
            ("randomOffset", JsonValue::whole(offsets)),
            ("checkWrite", JsonValue::flag(parameters.write_check)),
            ("checkRead", JsonValue::flag(parameters.read_check)),
            ("dataPacketType", JsonValue::whole(number)),
            ("keepFile", JsonValue::flag(parameters.keep)),
            ("keepFileWithError", JsonValue::flag(parameters.keep_with_error)),
            ("warningAsErrors", JsonValue::flag(parameters.warnings_fail)),
            ("verbose", JsonValue::whole(parameters.verbose)),
            ("data packet type", JsonValue::text(letter)),
            ("setTimeStampSignature/incompressibleSeed", JsonValue::whole(parameters.signature.unwrap_or(0))),
            ("collective", JsonValue::flag(parameters.collective)),
            ("segmentCount", JsonValue::whole(parameters.segments)),
            ("transferSize", JsonValue::whole(parameters.transfer)),
            ("blockSize", JsonValue::whole(parameters.block)),
        ]
    }
}

/// A size as in the Options block.
fn size(bytes: u64) -> String {
    let units = [(units::TIB, "TiB"), (units::GIB, "GiB"), (units::MIB, "MiB")];
    match units.iter().find(|(unit, _)| bytes >= *unit) {
        None => format!("{bytes} bytes"),
        Some((unit, name)) if bytes.is_multiple_of(*unit) => format!("{} {name}", bytes / unit),
        Some((unit, name)) => format!("{:.2} {name}", bytes as f64 / *unit as f64),
    }
}

/// The name of a phase's own row in the results; `None` if it has no row.
pub(crate) fn row_name(phase: &str) -> Option<&'static str> {
    match phase {
        "write" => Some("write"),
        "read" | "read_check" => Some("read"),
        "mixed" => Some("mix"),
        "mixed_write" => Some("mix-write"),
        "mixed_read" => Some("mix-read"),
        _ => None,
    }
}

/// The nine numbers of a row: bw in MiB/s, IOPS, latency, block and transfer in KiB. Then follow the spans of
/// open, transfers, close and total in seconds.
pub(crate) fn row_numbers(phase: &Phase) -> [f64; 9] {
    let metric = |name| phase.metric(name).map_or(0.0, |metric| metric.value);
    let latency = phase.latency.as_ref().map_or(0.0, |latency| latency.mean_ns * 1e-9);
    let spans = phase.spans;
    [
        metric("bw") / MIB as f64,
        metric("iops"),
        latency,
        phase.block_bytes as f64 / 1024.0,
        phase.transfer_bytes as f64 / 1024.0,
        spans.open_s,
        spans.transfer_s,
        spans.close_s,
        spans.total_s,
    ]
}

/// What the tables at the end need of the phases of a test.
#[derive(Debug)]
pub(crate) struct PhaseTotals {
    /// `write` and `read`. Halves of a mixed phase and write checks are in neither.
    operations: [OperationTotals; 2],
    /// Most transfers of a rank up to the deadline of the first phase, if the others then had to reach them.
    pub(crate) first_worn_out: Option<u64>,
    /// Number of phases of any name.
    pub(crate) phases: u64,
}

impl Default for PhaseTotals {
    fn default() -> Self {
        let operations = ["write", "read"].map(|name| OperationTotals { name, ..OperationTotals::default() });
        Self { operations, first_worn_out: None, phases: 0 }
    }
}

impl PhaseTotals {
    fn add(&mut self, phase: &Phase) {
        let worn_out = phase.stonewall.as_ref().filter(|wall| wall.wear_out);
        if self.phases == 0 {
            self.first_worn_out = worn_out.map(|wall| wall.transfers_max);
        }
        self.phases += 1;
        let name = row_name(&phase.phase);
        let Some(totals) = self.operations.iter_mut().find(|totals| Some(totals.name) == name) else {
            return;
        };
        if totals.rates.count == 0 {
            totals.first_bytes = phase.bytes;
        }
        let rate = phase.metric("bw").map_or(0.0, |metric| metric.value);
        totals.rates.add(rate / MIB as f64);
        totals.seconds += phase.spans.total_s;
        if let Some(wall) = worn_out {
            totals.walls += 1;
            totals.wall_seconds += wall.seconds;
            totals.wall_bytes += wall.bytes as f64;
        }
    }

    /// The operations that were measured.
    pub(crate) fn operations(&self) -> impl Iterator<Item = &OperationTotals> {
        self.operations.iter().filter(|totals| totals.rates.count > 0)
    }
}

/// The totals of one operation over the repetitions.
#[derive(Debug, Default)]
pub(crate) struct OperationTotals {
    /// `write` or `read`.
    pub(crate) name: &'static str,
    /// Mebibytes per second.
    rates: ValueSpread,
    /// Seconds of all phases.
    seconds: f64,
    /// Bytes of the first phase.
    first_bytes: u64,
    /// Phases with wear-out; their seconds and bytes until the deadline.
    walls: u64,
    wall_seconds: f64,
    wall_bytes: f64,
}

impl OperationTotals {
    /// The best rate in MiB/s and in MB/s.
    pub(crate) fn best_rates(&self) -> [f64; 2] {
        [self.rates.max, self.rates.max * MIB as f64 / 1e6]
    }

    /// Maximum, minimum, mean and population standard deviation: of mebibytes per second, and of transfers of
    /// this size per second of the whole phase.
    pub(crate) fn statistics(&self, transfer: u64) -> [[f64; 4]; 2] {
        let rates = &self.rates;
        let rates = [rates.max, rates.min, rates.mean(), rates.population_deviation()];
        [rates, rates.map(|mib| mib * MIB as f64 / transfer as f64)]
    }

    /// Mean seconds of a phase.
    pub(crate) fn mean_seconds(&self) -> f64 {
        self.seconds / self.rates.count as f64
    }

    /// With wear-out: seconds until the deadline, and mebibytes per second *of one rank* until then.
    pub(crate) fn stonewall(&self, ranks: u32) -> Option<(f64, f64)> {
        let per_rank = self.wall_bytes / f64::from(ranks.max(1)) / self.wall_seconds / MIB as f64;
        (self.walls > 0).then(|| (self.wall_seconds / self.walls as f64, per_rank))
    }

    /// Mebibytes moved in the first repetition.
    pub(crate) fn first_mib(&self) -> f64 {
        self.first_bytes as f64 / MIB as f64
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use results::record::{Balance, Latency, Phase, Spans};
    use workloads::ior::PhaseStart;

    use super::*;
    use command::classic::ClassicLine;

    /// The meaning of a command line without options, with `change` applied.
    pub(crate) fn parsed(change: impl Fn(&mut Request)) -> Parsed {
        let mut parsed = Parsed::default().finished().unwrap();
        change(&mut parsed.request);
        parsed
    }

    /// The same as a test of two ranks on one node.
    pub(crate) fn shown(change: impl Fn(&mut Request)) -> ShownTest {
        let place = RankPlacement { nodes: 1, ranks_on_node0: 2, by_block: true };
        ShownTest { place, ranks: 2, ..ShownTest::new(&parsed(change)) }
    }

    /// The beginning of a phase.
    pub(crate) fn beginning(phase: &'static str) -> PhaseStart {
        PhaseStart {
            phase,
            repetition: 0,
            transfers: 4,
            transfer_bytes: 262_144,
            ranks: 2,
            deadline: 0,
            least_seconds: 0,
        }
    }

    /// A phase of one second that moved 2 MiB in 8 transfers.
    pub(crate) fn phase(name: &str, repetition: u32) -> Phase {
        Phase {
            repetition,
            phase: name.into(),
            ranks: 2,
            transfer_bytes: 262_144,
            block_bytes: 1 << 20,
            segments: 1,
            bytes: 2 << 20,
            ops: 8,
            spans: Spans { open_s: 0.1, transfer_s: 0.5, close_s: 0.2, total_s: 1.0 },
            latency: Some(Latency { count: 8, mean_ns: 2e6, buckets: vec![(1, 8)], ..Latency::default() }),
            balance: Balance { slowest_node: "n0".into(), ..Balance::default() },
            depth: 1,
            ..Phase::default()
        }
    }

    fn value(members: &Members, key: &str) -> Option<String> {
        members.iter().find(|(known, _)| *known == key).map(|(_, value)| value.to_string())
    }

    #[test]
    fn lines_of_the_options_block_appear_only_if_they_apply() {
        let plain = shown(|_| ());
        let lines = plain.options(Edition::Ior41);
        for key in ["memoryPerTask", "memoryPerNode", "dryRun", "verbose", "stonewallingTime", "task offset"]
        {
            assert_eq!(value(&lines, key), None, "{key}");
        }
        let full = ShownTest {
            hog: (0, 8 << 20),
            ..shown(|p| (p.dry_run, p.verbose, p.deadline, p.wear_out) = (true, 2, 30, true))
        };
        let lines = full.options(Edition::Ior41);
        assert_eq!(value(&lines, "memoryPerTask").as_deref(), Some("8 MiB"));
        assert_eq!(value(&lines, "dryRun").as_deref(), Some("1"));
        assert_eq!(value(&lines, "verbose").as_deref(), Some("2"));
        assert_eq!(value(&lines, "stonewallingTime").as_deref(), Some("30"));
        let keys: Vec<_> = lines.iter().map(|(key, _)| *key).collect();
        assert_eq!(&keys[keys.len() - 3..], ["verbose", "stonewallingTime", "stoneWallingWearOut"]);
        let older = full.options(Edition::Ior33);
        assert_eq!((value(&older, "memoryBuffer"), value(&older, "verbose")), (None, None));
        assert_eq!(value(&older, "dryRun").as_deref(), Some("1"));
    }

    #[test]
    fn memory_of_a_node_hides_the_share_of_a_rank() {
        let mut hogged = shown(|parameters| parameters.hog = Hog::PercentOfNode(5));
        hogged.hear(&IorEvent::Hog { node_bytes: 32 << 20, rank_bytes: 16 << 20 });
        let lines = hogged.options(Edition::Ior41);
        assert_eq!(value(&lines, "memoryPerNode").as_deref(), Some("32 MiB"));
        assert_eq!(value(&lines, "memoryPerTask"), None);
        assert_eq!(value(&hogged.settings(), "memoryPerTask").as_deref(), Some("0"));
    }

    #[test]
    fn the_packet_type_has_the_letter_of_option_l() {
        for (number, letter) in ["t", "o", "i", "r"].into_iter().enumerate() {
            let typed = shown(|parameters| parameters.packet = command::Packet::parse(letter).unwrap());
            let settings = typed.settings();
            assert_eq!(value(&settings, "data packet type").as_deref(), Some(letter));
            assert_eq!(value(&settings, "dataPacketType"), Some(number.to_string()));
        }
    }

    #[test]
    fn halves_of_a_mixed_phase_have_their_own_rows_but_no_summary() {
        let names = ["mixed_write", "mixed_read", "write_check", "read_check"];
        assert_eq!(names.map(row_name), [Some("mix-write"), Some("mix-read"), None, Some("read")]);
        let mut totals = PhaseTotals::default();
        names.iter().for_each(|name| totals.add(&phase(name, 0)));
        assert_eq!(totals.operations().map(|totals| totals.name).collect::<Vec<_>>(), ["read"]);
    }

    #[test]
    fn sizes_have_the_form_of_the_options_block() {
        assert_eq!(size(262_144), "262144 bytes");
        assert_eq!(size(1 << 20), "1 MiB");
        assert_eq!(size(3 << 29), "1.50 GiB");
    }
}
