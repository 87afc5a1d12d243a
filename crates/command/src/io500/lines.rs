//! The command lines of the phases, word by word those of IO500 02091cf.

use super::hash::text_hash;
use super::ini::Config;
use super::sections::{Effect, Phase, PhaseTool, ScoreGroup};

/// What the command lines of a run depend on.
#[derive(Clone, Debug)]
pub struct PhaseLines {
    /// As given, with the defaults of what is left out.
    pub config: Config,
    /// The directory of the data of this run.
    pub data_dir: String,
    /// The directory of its results.
    pub result_dir: String,
    /// Its time, or what was given instead.
    pub timestamp: String,
    /// Number of ranks.
    pub ranks: u32,
    /// What the names of the phases' own files begin with.
    pub file_prefix: &'static str,
}

/// The rate that md-workbench is planned for if mdtest has none, thousands of files per second.
const USUAL_RATE: f64 = 10.0;
/// The seconds that md-workbench is planned for.
const WORKBENCH_S: u64 = 60;
/// The data sets of a rank in md-workbench.
const SETS: u64 = 10;

impl PhaseLines {
    /// The words of a phase, from the name of its program. `rate` is that of mdtest-easy-write in thousands
    /// of files per second, if it is known; md-workbench depends on it.
    pub fn words(&self, phase: &Phase, rate: Option<f64>) -> Vec<String> {
        match phase.tool {
            PhaseTool::Ior => self.ior(phase),
            PhaseTool::Mdtest => self.mdtest(phase),
            PhaseTool::MdWorkbench => self.md_workbench(phase, rate),
            PhaseTool::Pfind => self.pfind(phase),
            PhaseTool::Timestamp => Vec::new(),
        }
    }

    /// The seconds that each write lasts, `-D`.
    pub fn stonewall(&self) -> u64 {
        self.config.number("debug", "stonewall-time").unwrap_or_default()
    }

    /// The directory of a phase's data.
    pub fn dir(&self, parent: &str) -> String {
        format!("{}/{parent}", self.data_dir)
    }

    /// A file among the results.
    pub fn result(&self, name: &str) -> String {
        format!("{}/{name}", self.result_dir)
    }

    /// The file of a phase with this ending, among the results.
    pub fn phase_file(&self, phase: &Phase, ending: &str) -> String {
        self.result(&format!("{}{}.{ending}", self.file_prefix, phase.name))
    }

    /// The number of `-v` for the program of a phase.
    pub fn verbosity(&self, phase: &Phase) -> usize {
        let has_it = matches!(phase.tool, PhaseTool::Ior | PhaseTool::MdWorkbench);
        has_it.then(|| self.config.number(phase.parent, "verbosity")).flatten().unwrap_or_default()
    }

    /// The backend of a phase, and its options; nothing for a search, which has none.
    pub fn backend(&self, phase: &Phase) -> impl Iterator<Item = &str> {
        let sections = match phase.tool {
            PhaseTool::Ior | PhaseTool::Mdtest => vec![phase.name, phase.parent],
            PhaseTool::MdWorkbench => vec![phase.parent],
            PhaseTool::Pfind | PhaseTool::Timestamp => Vec::new(),
        };
        let own = sections.iter().find_map(|section| self.config.text(section, "API"));
        let api = own.or_else(|| self.config.text("global", "api")).filter(|_| !sections.is_empty());
        api.unwrap_or_default().split_ascii_whitespace()
    }

    fn api(&self, phase: &Phase) -> Words {
        Words::default().add("-a").all(self.backend(phase))
    }

    fn start(&self, program: &str) -> Words {
        let packet = self.config.text("global", "dataPacketType").unwrap_or_default();
        Words::default().add(program).add(format!("--dataPacketType={packet}"))
    }

    fn verbose(&self, phase: &Phase) -> impl Iterator<Item = &'static str> {
        std::iter::repeat_n("-v", self.verbosity(phase))
    }

    fn ior(&self, phase: &Phase) -> Vec<String> {
        let is_random = phase.group == ScoreGroup::None;
        let words = self.start("./ior").all(self.verbose(phase));
        let words = match phase.parent {
            "ior-easy" => words.all(self.ior_easy(is_random)),
            _ => words.all(self.ior_hard()),
        };
        let csv = format!("saveRankPerformanceDetailsCSV={}", self.phase_file(phase, "csv"));
        let backend = self.api(phase).all(["-O", &csv]).0;
        let stonewall = ["-D".to_owned(), self.stonewall().to_string()];
        let wear_out = ["-O", "stoneWallingWearOut=1"];
        let words = match (phase.parent, phase.effect) {
            _ if is_random => {
                let words = words.add("-r").all(stonewall).all(["-z", "-z"]).all(backend);
                let words = words.all(["-t=4096", "-b=4096", "-s=10000000"]).all(wear_out);
                if self.has_own_files() { words.all(["-C", "-Q", "2"]) } else { words }
            }
            ("ior-easy", Effect::Writes) => words.add("-w").all(stonewall).all(wear_out).all(backend),
            ("ior-easy", _) => words.all(["-r", "-R"]).all(backend),
            (_, Effect::Writes) => {
                let words = words.add("-w").some("-c", self.is_collective(phase)).all(stonewall);
                words.all(backend).all(wear_out)
            }
            _ => words.all(["-r", "-R"]).some("-c", self.is_collective(phase)).all(backend),
        };
        words.0
    }

    /// Whether the calls of a phase of ior-hard are collective.
    fn is_collective(&self, phase: &Phase) -> bool {
        let given =
            [phase.name, phase.parent].iter().find_map(|section| self.config.text(section, "collective"));
        given == Some("TRUE")
    }

    /// Whether the files of ior-easy are the ranks' own.
    fn has_own_files(&self) -> bool {
        self.config.is_true("ior-easy", "filePerProc")
    }

    fn ior_easy(&self, random: bool) -> Vec<String> {
        let value = |name| self.config.text("ior-easy", name).unwrap_or_default();
        let number = text_hash("ior-easy", &self.timestamp).to_string();
        let file = self.dir("ior-easy/ior_file_easy");
        let words = Words::default().all(["-g", "-G", &number, "-k", "-e", "-o", &file]);
        let words = match random {
            true => words,
            false => {
                let status = format!("stoneWallingStatusFile={}", self.result("ior-easy.stonewall"));
                let words = words.all(["-C", "-Q", "1", "-O", &status]);
                words.all(["-t", value("transferSize"), "-b", value("blockSize")])
            }
        };
        words.some("-u", self.config.is_true("ior-easy", "uniqueDir")).some("-F", self.has_own_files()).0
    }

    fn ior_hard(&self) -> Vec<String> {
        let number = format!("-G={}", text_hash("ior-hard", &self.timestamp));
        let file = self.dir("ior-hard/file");
        let status = format!("stoneWallingStatusFile={}", self.result("ior-hard.stonewall"));
        let segments = self.config.text("ior-hard", "segmentCount").unwrap_or_default();
        let words =
            Words::default().all(["-C", "-Q", "1", "-g", &number, "-k", "-e", "-o", &file, "-O", &status]);
        words.all(["-t", "47008", "-b", "47008", "-s", segments]).0
    }

    /// The most files of a directory of mdtest-hard, if there is a limit.
    pub fn files_per_dir(&self) -> Option<u64> {
        self.config.number("mdtest-hard", "files-per-dir").filter(|files| *files > 0)
    }

    fn mdtest(&self, phase: &Phase) -> Vec<String> {
        let easy = phase.parent == "mdtest-easy";
        let files = self.config.text(phase.parent, "n").unwrap_or_default();
        let number = text_hash(phase.parent, &self.timestamp);
        let words = self.start("./mdtest").all(["-n", files]);
        let words = match easy {
            true => words.all(["-u", "-L", "-F", "-P", "-G", &number.to_string(), "-N", "1"]),
            false => {
                let limit = self.files_per_dir().map(|files| format!("-I={files}"));
                let words = words.all(limit).all(["-t", "-w", "3901", "-e", "3901", "-P"]);
                words.add(format!("-G={number}")).all(["-N", "1", "-F"])
            }
        };
        let status = self.result(&format!("{}.stonewall", phase.parent));
        let words = words.all(["-d", &self.dir(phase.parent), "-x", &status]);
        let words = match phase.record.0 {
            "file_creation" => {
                let stonewall = self.stonewall().to_string();
                let deadline = ["-W", &stonewall];
                let is_limited = !easy && self.files_per_dir().is_some();
                let words = words.all(["-C", "-Y"]);
                if is_limited { words } else { words.all(deadline) }
            }
            "file_stat" => words.add("-T"),
            "file_read" => words.all(["-E", "-X"]),
            _ => words.add("-r"),
        };
        let csv = self.phase_file(phase, "csv");
        words.add(format!("--saveRankPerformanceDetails={csv}")).all(self.api(phase).0).0
    }

    /// Objects of a set before md-workbench begins, and objects that it renews.
    pub fn objects(&self, rate: Option<f64>) -> [u64; 2] {
        let number = |name| self.config.number("mdworkbench", name);
        if let (Some(made), Some(renewed)) = (number("precreatePerSet"), number("filesPerProc")) {
            return [made, renewed];
        }
        let rate = rate.filter(|rate| *rate > 0.0).unwrap_or(USUAL_RATE);
        let seconds = self.stonewall().min(WORKBENCH_S) as f64;
        [(rate * seconds * 1000.0 / f64::from(self.ranks)) as u64 / SETS; 2]
    }

    fn md_workbench(&self, phase: &Phase, rate: Option<f64>) -> Vec<String> {
        let [made, renewed] = self.objects(rate);
        let waiting: f64 = self.config.number("mdworkbench", "waitingTime").unwrap_or_default();
        let words = self.start("./md-workbench").all(self.verbose(phase)).add("--process-reports");
        let words = words.all(self.api(phase).0).add(format!("-o={}", self.dir("mdworkbench")));
        let words = words.add(format!("-t={waiting:.6}")).add("-O=1");
        let words = words.add(format!("--run-info-file={}", self.result("mdworkbench.status")));
        let words =
            words.add(format!("-D={SETS}")).add(format!("-G={}", text_hash("md-workbench", &self.timestamp)));
        let words = words.add(format!("-P={made}")).add(format!("-I={renewed}"));
        match phase.record.0 {
            "precreate" => words.add("-1").0,
            "benchmark" => words.all(["-2", "-R=2", "-X"]).0,
            _ => words.add("-3").0,
        }
    }

    /// The directory and the conditions of a search.
    fn conditions(&self, phase: &Phase) -> Words {
        let dir = match phase.name {
            "find-easy" => self.dir("mdtest-easy/"),
            "find-hard" => self.dir("mdtest-hard/"),
            _ => self.data_dir.clone(),
        };
        let newer = self.result("timestampfile");
        let conditions = ["-newer", &newer, "-size", "3901c"];
        let conditions = if phase.name == "find-easy" { &[][..] } else { &conditions };
        Words::default().add(dir).all(conditions.iter().copied()).all(["-name", "*01*"])
    }

    fn pfind(&self, phase: &Phase) -> Vec<String> {
        let queue = self.config.text(phase.name, "pfind-queue-length").unwrap_or_default();
        let words = Words::default().add("./pfind").all(self.conditions(phase).0).add("-C");
        words.some("-N", self.config.is_true(phase.name, "pfind-steal-next")).all(["-q", queue]).0
    }

    /// The line for the shell that searches instead of `pfind`, if the configuration has one.
    pub fn external_search(&self, phase: &Phase) -> Option<String> {
        if phase.tool != PhaseTool::Pfind {
            return None;
        }
        let text = |name| self.config.text(phase.name, name).unwrap_or_default();
        self.config.text(phase.name, "external-script")?;
        let conditions: Vec<String> = self.conditions(phase).0.iter().map(|word| quoted(word)).collect();
        let conditions = conditions.join(" ");
        let words =
            [text("external-mpi-args"), text("external-script"), text("external-extra-args"), &conditions];
        Some(words.join(" "))
    }
}

/// A word as the shell needs it.
fn quoted(word: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_./:=+-,@%".contains(char);
    match word {
        "*01*" => format!("\"{word}\""),
        _ if word.chars().all(is_plain) => word.to_owned(),
        _ => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// The words of a command line.
#[derive(Default)]
struct Words(Vec<String>);

impl Words {
    fn add(mut self, word: impl Into<String>) -> Self {
        self.0.push(word.into());
        self
    }

    fn some(self, word: &str, is_wanted: bool) -> Self {
        if is_wanted { self.add(word) } else { self }
    }

    fn all<W: Into<String>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        self.0.extend(words.into_iter().map(Into::into));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::sections::phases;
    use super::*;

    /// The command lines of the original in a run with the configuration below.
    const LINES: &str = include_str!("lines.txt");
    const CONFIG: &str = "[global]\n[debug]\nstonewall-time = 1\n[ior-easy]\nblockSize = 64m\n[ior-hard]\n\
                          segmentCount = 2000\n[mdtest-easy]\nn = 2000\n[mdtest-hard]\nn = 500\n";

    fn lines(config: &str) -> PhaseLines {
        PhaseLines {
            config: Config::parse(config, "a.ini").unwrap(),
            data_dir: "/data".into(),
            result_dir: "/results".into(),
            timestamp: "2026.12.01-15.33.33".into(),
            ranks: 2,
            file_prefix: "",
        }
    }

    #[test]
    fn the_command_lines_of_all_phases_are_those_of_the_original() {
        let lines = lines(CONFIG);
        let phases = phases().filter(|phase| phase.tool != PhaseTool::Timestamp);
        let made: Vec<String> = phases
            .map(|phase| format!("{}: {}", phase.name, lines.words(phase, Some(15.199_177)).join(" ")))
            .collect();
        let expected: Vec<&str> = LINES.lines().collect();
        assert_eq!(made, expected);
    }

    fn line(config: &str, name: &str) -> String {
        let phase = phases().find(|phase| phase.name == name).unwrap();
        lines(config).words(phase, None).join(" ")
    }

    #[test]
    fn options_of_a_phase_precede_those_of_its_parent_and_of_all() {
        let config = "[global]\napi = POSIX --posix.odirect\n[ior-hard]\nAPI = MPIIO\ncollective = TRUE\n\
                      [ior-hard-read]\ncollective = FALSE\n[ior-easy]\nfilePerProc = FALSE\nuniqueDir=TRUE\n\
                      verbosity = 2\n[mdtest-hard]\nfiles-per-dir = 9\n[find]\npfind-steal-next = TRUE\n\
                      [mdworkbench]\nprecreatePerSet = 3\nfilesPerProc = 4\n";
        assert!(line(config, "ior-hard-write").contains(" -w -c -D 300 -a MPIIO -O saveRank"));
        assert!(line(config, "ior-hard-read").contains(" -r -R -a MPIIO -O saveRank"));
        let easy = line(config, "ior-easy-write");
        assert!(easy.starts_with("./ior --dataPacketType=timestamp -v -v -g -G "), "{easy}");
        assert!(
            easy.contains(" -u -w -D 300 -O stoneWallingWearOut=1 -a POSIX --posix.odirect -O "),
            "{easy}"
        );
        assert!(line(config, "ior-rnd4K-easy-read").ends_with(" -s=10000000 -O stoneWallingWearOut=1"));
        let hard = line(config, "mdtest-hard-write");
        assert!(
            hard.contains(" -n 1000000 -I=9 -t -w 3901 ") && hard.contains(" -C -Y --saveRank"),
            "{hard}"
        );
        assert!(line(config, "find").ends_with(" -C -N -q 10000"));
        assert!(line(config, "mdworkbench-create").contains(" -P=3 -I=4 -1"));
        let external = "[find]\nexternal-script = ./find.sh\nexternal-extra-args = -x\n";
        let phase = phases().find(|phase| phase.name == "find").unwrap();
        assert_eq!(
            lines(external).external_search(phase).unwrap(),
            " ./find.sh -x /data -newer /results/timestampfile -size 3901c -name \"*01*\""
        );
        assert_eq!(lines(config).external_search(phase), None);
        let hostile = PhaseLines { data_dir: "/a $(b)'c".into(), ..lines(external) };
        let line = hostile.external_search(phase).unwrap();
        assert!(line.starts_with(" ./find.sh -x '/a $(b)'\\''c' -newer /results/"), "{line}");
    }

    #[test]
    fn md_workbench_is_planned_for_a_minute_at_the_rate_of_mdtest() {
        let lines = lines("[debug]\nstonewall-time = 300\n");
        assert_eq!(lines.objects(Some(15.0)), [15 * 60 * 1000 / 2 / 10; 2]);
        assert_eq!(lines.objects(Some(0.0)), lines.objects(Some(10.0)));
        assert_eq!(lines.objects(None), [30_000; 2]);
    }
}
