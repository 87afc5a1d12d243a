//! The results of a run, on rank 0: the lines on standard output and in `result_summary.txt`, and the pairs
//! in `result.txt`. Their form is that of IO500 02091cf.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;

use command::io500::{Effect, Mode, Phase, PhaseTool, ScoreGroup, ScoreHash};
use jiff::Zoned;
use results::record;
use units::Usage;

use super::ReadyIo500;
use super::phase_run::PhaseOutcome;
use crate::personalities::latency;
use crate::personalities::living::LivingText;
use crate::personalities::own_lines::complain_own;
use crate::personalities::printer::Printer;

/// The version in the results. Official ones have that of IO500.
const VERSION: &str = concat!("assay-", env!("CARGO_PKG_VERSION"));
/// Seconds that each write of a valid run lasts: as usual, and in the student competition.
const WRITE_S: [u64; 2] = [300, 30];

/// The outputs of a run.
pub(super) struct RunOutputs {
    screen: LivingText,
    summary: Printer,
    pairs: Printer,
    is_plain: bool,
    is_extended: bool,
    verbosity: u32,
    /// The least seconds of a write.
    write_s: u64,
    stonewall_s: u64,
    result_dir: String,
    /// The phases so far, with their scores.
    scored: Vec<(&'static Phase, f64)>,
    hash: ScoreHash,
    hash_extended: ScoreHash,
    is_valid: bool,
    is_valid_extended: bool,
    is_phase_valid: bool,
    /// Lines about the latencies of the phases.
    latencies: Vec<String>,
}

fn moment() -> String {
    Zoned::now().strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// The directory of the results, which only the user who runs it may use.
fn make_dir(dir: &str) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

impl RunOutputs {
    /// Creates the directory of the results and their files. A directory that has files is rejected, unless
    /// the run only removes: then the files stay as they are.
    pub(super) fn open(ready: &ReadyIo500, screen: LivingText, is_plain: bool) -> Result<Self, Usage> {
        let lines = &ready.lines;
        let failed = |error: io::Error| Usage(format!("[global] resultdir = {}: {error}.", lines.result_dir));
        if !ready.cleanup {
            make_dir(&lines.result_dir).map_err(failed)?;
            if std::fs::read_dir(&lines.result_dir).map_err(failed)?.next().is_some() {
                let dir = &lines.result_dir;
                return Err(Usage(format!(
                    "[global] resultdir = {dir}: it has files already. Choose another one."
                )));
            }
        }
        let file = |name: &str| match ready.cleanup {
            true => Ok(Printer::to_file(io::sink())),
            false => File::create_new(lines.result(name)).map(Printer::to_file).map_err(failed),
        };
        let (pairs, summary) = (file("result.txt")?, file("result_summary.txt")?);
        file("config-orig.ini")?.put(&ready.given);
        file("config.ini")?.put(&lines.config.print(false, |_| true));
        let write_s = WRITE_S[usize::from(ready.flag("scc"))];
        let mut results = Self {
            screen,
            summary,
            pairs,
            is_plain,
            is_extended: ready.mode == Mode::Extended,
            verbosity: ready.verbosity,
            write_s,
            stonewall_s: lines.stonewall(),
            result_dir: lines.result_dir.clone(),
            scored: Vec::new(),
            hash: ScoreHash::default(),
            hash_extended: ScoreHash::default(),
            is_valid: true,
            is_valid_extended: true,
            is_phase_valid: true,
            latencies: Vec::new(),
        };
        results.begin(ready);
        Ok(results)
    }

    fn begin(&mut self, ready: &ReadyIo500) {
        let (lines, mode) = (&ready.lines, ready.mode.word());
        self.pairs.put("[run]\n");
        self.pair("procs", lines.ranks);
        self.pair("version", VERSION);
        self.pair("config-hash", lines.config.hash());
        self.pair("result-dir", &lines.result_dir);
        self.pair("mode", mode);
        self.hash.add("version", VERSION);
        self.moment("; START ");
        self.both(&format!("IO500 version {VERSION} ({mode})\n"));
        let mut against = Vec::new();
        if self.stonewall_s != self.write_s {
            against.push(format!("stonewall-time {}s != {}s", self.stonewall_s, self.write_s));
        }
        if lines.files_per_dir().is_some() {
            against.push("files-per-dir is set".to_owned());
        }
        if lines.config.text("debug", "pause-dir").is_some() {
            against.push("pause-dir is set".to_owned());
        }
        for why in against {
            self.invalid("run", &why);
            (self.is_valid, self.is_valid_extended) = (false, false);
        }
        self.pairs.put("\n");
    }

    /// Whether the outputs have no own lines.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// A line with the time, unless little is wanted.
    fn moment(&mut self, before: &str) {
        if self.verbosity > 0 {
            self.pairs.put(&format!("{before}{}\n", moment()));
        }
    }

    fn pair(&mut self, key: &str, value: impl std::fmt::Display) {
        self.pairs.put(&format!("{key:<15} = {value}\n"));
    }

    fn both(&mut self, text: &str) {
        self.summary.put(text);
        self.screen.put(text);
    }

    fn invalid(&mut self, place: &str, why: &str) {
        self.pairs.put(&format!("; ERROR INVALID {why}\n"));
        self.screen.put(&format!("ERROR INVALID ({place}) {why}\n"));
        self.is_phase_valid = false;
    }

    /// A phase is next. It may wait for a file of `pause-dir` first.
    pub(super) fn next(&mut self, phase: &Phase) {
        self.pairs.put(&format!("\n[{}]\n", phase.name));
        self.screen.progress(format!("{} is running", phase.name));
        self.is_phase_valid = true;
    }

    /// The phase waits until the file `path` is gone.
    pub(super) fn pauses(&mut self, path: &str) {
        self.moment(&format!("{:<15} = ", "t_pause"));
        self.pairs.put(&format!("; Checking for pause file {path}\n"));
        self.screen.progress(format!("waiting until {path} is removed"));
    }

    /// The phase begins, with this command line. `facts` are pairs before it, and `more` after it.
    pub(super) fn begins(&mut self, facts: &[(&str, u64)], line: &str, more: &[(&str, u64)]) {
        self.moment(&format!("{:<15} = ", "t_start"));
        facts.iter().for_each(|(key, value)| self.pair(key, value));
        if !line.is_empty() {
            self.pair("exe", line);
        }
        more.iter().for_each(|(key, value)| self.pair(key, value));
    }

    /// The phase ended after `seconds`.
    pub(super) fn ended(&mut self, phase: &'static Phase, outcome: &PhaseOutcome, seconds: f64) {
        outcome.pairs.iter().for_each(|(key, value)| self.pair(key, value));
        let short = self.too_short(phase, outcome, seconds);
        outcome.faults.iter().map(String::as_str).chain(short).for_each(|why| self.invalid(phase.name, why));
        let is_measured = phase.tool != PhaseTool::Timestamp;
        if outcome.score == 0.0 && is_measured && outcome.faults.is_empty() {
            self.invalid(phase.name, "the score is 0");
        }
        self.is_valid_extended &= self.is_phase_valid;
        self.is_valid &= self.is_phase_valid || phase.is_optional;
        let score = format!("{:.6}", outcome.score);
        if is_measured {
            self.pair("score", &score);
        }
        let (name, mark) = (phase.name, mark(self.is_phase_valid));
        let (tag, unit) = (
            if phase.group == ScoreGroup::None { "[      ]" } else { "[RESULT]" },
            if name.starts_with('i') { "GiB/s" } else { "kIOPS" },
        );
        self.both(&format!("{tag} {name:>20} {score:>15} {unit} : time {seconds:.3} seconds{mark}\n"));
        if phase.group != ScoreGroup::None {
            let hash = if phase.is_optional { &mut self.hash_extended } else { &mut self.hash };
            hash.add(name, &score);
        }
        self.scored.push((phase, outcome.score));
        if self.verbosity > 0 {
            self.pair("t_delta", format!("{seconds:.4}"));
            self.moment(&format!("{:<15} = ", "t_end"));
        }
        self.about(phase, outcome);
    }

    /// Why a write was too short.
    fn too_short(&self, phase: &Phase, outcome: &PhaseOutcome, seconds: f64) -> Vec<&'static str> {
        let writes = phase.effect == Effect::Writes;
        let short = |seconds: f64| writes && seconds < self.stonewall_s as f64;
        [
            (outcome.write_s.is_some_and(short), "the write took less than stonewall-time"),
            (short(seconds), "the phase took less than stonewall-time"),
            (writes && seconds < self.write_s as f64, "the phase took less than the rules ask for"),
        ]
        .into_iter()
        .filter_map(|(is_so, why)| is_so.then_some(why))
        .collect()
    }

    /// Keeps the own lines about a phase for the end.
    fn about(&mut self, phase: &Phase, outcome: &PhaseOutcome) {
        for text in &outcome.warnings {
            self.pairs.put(&format!("; WARNING {text}\n"));
            self.warn(format!("{}: {text}", phase.name));
        }
        let Some(record) = &outcome.record else { return };
        let Some(latency) = &record.latency else { return };
        let slowest = slowest(&record.balance);
        self.latencies.push(format!("{:<20}{}{slowest}", phase.name, latency::columns(latency)));
    }

    /// Keeps a warning for the end.
    pub(super) fn warn(&mut self, text: String) {
        match self.is_plain {
            true => complain_own(&format!("warning: {text}")),
            false => self.screen.warn(text),
        }
    }

    /// All phases have ended. Prints the scores.
    pub(super) fn scores(&mut self) {
        let (hash, is_valid) = (self.hash, self.is_valid);
        self.score("SCORE", hash, is_valid, false);
        if self.is_extended {
            let (hash, is_valid) = (self.hash_extended, self.is_valid_extended);
            self.score("SCOREX", hash, is_valid, true);
        }
        self.screen.put(&format!("\nThe result files are stored in the directory: {}\n", self.result_dir));
        if !self.is_plain && !self.latencies.is_empty() {
            self.screen.put(&format!("assay: {:<20}{}  slowest rank\n", "latency", latency::headings()));
            let lines: Vec<String> =
                self.latencies.drain(..).map(|line| format!("assay: {line}\n")).collect();
            self.screen.put(&lines.concat());
        }
    }

    fn score(&mut self, name: &str, mut hash: ScoreHash, is_valid: bool, is_extended: bool) {
        self.pairs.put(&format!("\n[{name}]\n"));
        let mean = |group| {
            let counted = self.scored.iter().filter(|(phase, _)| is_extended || !phase.is_optional);
            geometric_mean(counted.filter(|(phase, _)| phase.group == group).map(|(_, score)| *score))
        };
        let (metadata, bandwidth) = (mean(ScoreGroup::Metadata), mean(ScoreGroup::Bandwidth));
        let total = (metadata * bandwidth).sqrt();
        for (key, value) in [("MD", metadata), ("BW", bandwidth)] {
            self.pair(key, format!("{value:.6}"));
            hash.add_number(key, value);
        }
        let mark = mark(is_valid);
        self.pair("SCORE", format!("{total:.6}{mark}"));
        hash.add_number("SCORE", total);
        if !is_valid {
            hash.add("valid", "NO");
        }
        self.pair("hash", hash);
        self.both(&format!(
            "[{name:<6}] Bandwidth {bandwidth:.6} GiB/s : IOPS {metadata:.6} kiops : TOTAL {total:.6}{mark}\n"
        ));
    }

    /// Ends the outputs. `failure` is why the run ended early. Fails if something could not be written.
    pub(super) fn finish(&mut self, failure: Option<&str>) -> io::Result<()> {
        match failure {
            Some(why) => self.pairs.put(&format!("; ERROR {}\n", why.replace('\n', " "))),
            None => self.moment("; END "),
        }
        let printed = self.screen.finish("");
        printed.and(self.summary.finish()).and(self.pairs.finish())
    }
}

fn mark(is_valid: bool) -> &'static str {
    if is_valid { "" } else { " [INVALID]" }
}

/// The slowest rank of a phase, with its share of the median rate.
fn slowest(balance: &record::Balance) -> String {
    if balance.median_rate <= 0.0 {
        return String::new();
    }
    let share = units::percent(balance.slowest_rate / balance.median_rate, 0);
    format!("  {} on {}: {share} of the median", balance.slowest_rank, balance.slowest_node)
}

/// The geometric mean of the scores above 0; 0 if there are none. IO500 leaves the others out.
fn geometric_mean(scores: impl Iterator<Item = f64>) -> f64 {
    let positive: Vec<f64> = scores.filter(|score| *score > 0.0).collect();
    match positive.len() {
        0 => 0.0,
        count => positive.iter().product::<f64>().powf(1.0 / count as f64),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use command::io500::Io500Options;

    use super::super::{Inputs, verification};
    use super::*;
    use crate::personalities::ior::Outside;

    /// A run of all phases, each of which takes `seconds` and has the score 1.
    fn summary(config: &str, seconds: f64) -> (String, String) {
        let dir = tempfile::tempdir().unwrap();
        let (text, timestamp) = (format!("[global]\nresultdir = {}\n{config}", dir.path().display()), "t");
        let inputs = Inputs { text, timestamp: timestamp.to_owned() };
        let options = Io500Options::read(&["c.ini".to_owned()]);
        let ready = inputs.ready(Path::new("c.ini"), &options, Outside::default(), 2).unwrap();
        let mut outputs = RunOutputs::open(&ready, LivingText::to_nowhere(), false).unwrap();
        for phase in ready.phases() {
            let score = if phase.tool == PhaseTool::Timestamp { 0.0 } else { 1.0 };
            let write_s = Some(seconds).filter(|_| phase.effect == Effect::Writes);
            outputs.next(phase);
            outputs.ended(phase, &PhaseOutcome { score, write_s, ..PhaseOutcome::default() }, seconds);
        }
        outputs.scores();
        outputs.finish(None).unwrap();
        let lines = verification::outcome(
            &verification::ResultHashes::read(
                &std::fs::read_to_string(ready.lines.result("result.txt")).unwrap(),
            ),
            &ready.lines.config.hash().to_string(),
        );
        (std::fs::read_to_string(ready.lines.result("result_summary.txt")).unwrap(), lines.1)
    }

    #[test]
    fn only_a_run_with_the_times_of_the_rules_is_valid() {
        let student = "scc = TRUE\n[debug]\nstonewall-time = 30\n";
        for (config, seconds, is_valid) in [
            ("", 300.0, true),
            ("", 299.9, false),
            (student, 30.0, true),
            (student, 29.9, false),
            ("[debug]\nstonewall-time = 30\n", 300.0, false),
            ("[debug]\nstonewall-time = 301\n", 301.0, false),
            ("[debug]\npause-dir = p\n", 300.0, false),
            ("[mdtest-hard]\nfiles-per-dir = 9\n", 300.0, false),
        ] {
            let (summary, lines) = summary(config, seconds);
            let score = summary.lines().last().unwrap();
            assert_eq!(!score.ends_with("[INVALID]"), is_valid, "{config}: {summary}");
            let expected = if is_valid { "\n[OK]\n" } else { "\n[OK] But this is an invalid run!\n" };
            assert_eq!(lines, expected, "{config}");
            let total = "[SCORE ] Bandwidth 1.000000 GiB/s : IOPS 1.000000 kiops : TOTAL 1.000000";
            assert!(score.starts_with(total), "{score}");
        }
        let (summary, _) = summary("", 300.0);
        let row = "[RESULT]       ior-easy-write        1.000000 GiB/s : time 300.000 seconds\n";
        assert!(summary.contains(row) && !summary.contains("INVALID"), "{summary}");
    }

    #[test]
    fn the_scores_of_the_original_are_reproduced_and_those_of_0_are_left_out() {
        let metadata = [
            15.199_177,
            157.695_388,
            7.640_580,
            786.628_657,
            828.422_674,
            161.393_874,
            277.236_037,
            0.897_122,
        ];
        let bandwidth = [0.796_727, 0.758_512, 2.735_054, 2.585_230];
        let means = [&metadata[..], &bandwidth].map(|scores| geometric_mean(scores.iter().copied()));
        // The scores that it printed are rounded.
        let total = (means[0] * means[1]).sqrt();
        for (mean, printed) in [(means[0], 68.398_551), (means[1], 1.437_753), (total, 9.916_665)] {
            assert!((mean / printed - 1.0).abs() < 1e-6, "{mean} {printed}");
        }
        assert_eq!(geometric_mean([4.0, 0.0, 9.0, -1.0].into_iter()), 6.0);
        assert_eq!(geometric_mean([0.0].into_iter()), 0.0);
    }
}
