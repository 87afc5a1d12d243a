//! `cargo xtask bench`: one table of the cost of this program, the bare system calls and the peer programs.
//!
//! Each program is a separate process and measures its own time. The kernel counts the processor time of the
//! whole process. `groups` defines the groups, `group` the method.
//!
//! Invariant: all peers are optional. The table gives the reason for each missing measurement. Files are in
//! temporary directories, which are removed at the end.
//! Never here: a time limit that fails a build; the table only reports whether goals are met.

mod child;
mod evaluation;
mod group;
mod groups;
mod lines;
mod metadata;
mod options;
mod others;
mod outputs;
mod scratch;
mod search;
mod starts;
mod text;
mod tools;
mod usage;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};

use self::group::Group;
use self::options::{Options, Sizes};
use self::others::Patience;
use self::scratch::Scratch;
use self::tools::Tools;

/// A running benchmark.
struct Bench {
    tools: Tools,
    sizes: Sizes,
    rounds: usize,
    only: String,
    /// The directory in memory.
    memory: Scratch,
    /// The directory on a disk.
    disk: Scratch,
    patience: Patience,
    stop: Arc<AtomicBool>,
    done: Vec<Group>,
}

/// Builds all programs and prints the table; false if a program failed.
pub(crate) fn run(root: &Path, words: &[&str]) -> Result<bool> {
    let options = Options::parse(words)?;
    let tools = tools::provide(root, options.before.as_deref())?;
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    let target = Path::new(&tools.assay).parent().context("the program has no parent directory")?;
    let mut bench = Bench {
        sizes: options.sizes(),
        rounds: options.rounds,
        only: options.only.clone(),
        memory: Scratch::new(&options.memory)?,
        disk: Scratch::new(options.dir.as_deref().unwrap_or(target))?,
        tools,
        patience: Patience::new(options.patience_s),
        stop,
        done: Vec::new(),
    };
    bench.head(&options);
    bench.in_memory()?;
    bench.on_disk()?;
    bench.searches()?;
    bench.evaluations()?;
    anyhow::ensure!(!bench.done.is_empty(), "--only {}: no group has this text in its title", options.only);
    Ok(bench.foot())
}

impl Bench {
    fn head(&self, options: &Options) {
        let read = |path| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        println!("{cores} cores, Linux {}, load {}", read("/proc/sys/kernel/osrelease"), load());
        println!("files in {} and {}", self.memory.path().display(), self.disk.path().display());
        for line in &self.tools.about_peers {
            println!("{line}");
        }
        let rounds = self.rounds;
        println!(
            "medians of {rounds} rounds; each round runs all programs of a group; ratios within a round;"
        );
        println!("rates by each program's own clock; CPU: user and system time of the whole process;");
        println!("others: cores that other processes kept busy during the runs, ideally near 0");
        if options.smoke {
            println!("SMOKE: small sizes to show that it runs; the numbers are not usable");
        }
    }

    /// Runs a group, if it is selected, and prints its block.
    fn measure(&mut self, group: Group) -> Result<()> {
        self.measure_all(vec![group])
    }

    /// Runs the selected ones of some groups that share their runs.
    fn measure_all(&mut self, mut groups: Vec<Group>) -> Result<()> {
        groups.retain(|group| group.title.contains(&self.only));
        groups.iter_mut().for_each(|group| groups::add_earlier_build(&self.tools, group));
        group::run(&mut groups, self.rounds, self.memory.path(), &mut self.patience, &self.stop)?;
        for group in groups {
            print!("{}", text::block(&group));
            self.done.push(group);
        }
        Ok(())
    }

    /// Searches in memory, of trees that are made only for selected groups.
    fn searches(&mut self) -> Result<()> {
        if !search::TITLE.contains(&self.only) && !self.only.starts_with(search::TITLE) {
            return Ok(());
        }
        let tree = |entries| Ok((entries, search::tree(&self.tools, &self.memory, entries)?));
        let trees: Result<Vec<(u64, String)>> =
            [self.sizes.names / 2, self.sizes.names * 5].map(tree).into_iter().collect();
        let trees = trees?;
        for group in search::groups(&self.tools, [&trees[0], &trees[1]]) {
            self.measure(group)?;
        }
        Ok(trees.iter().try_for_each(|(_, tree)| fs::remove_dir_all(tree))?)
    }

    /// The evaluation of campaigns, which are made only for selected groups.
    fn evaluations(&mut self) -> Result<()> {
        let titles = evaluation::COMMANDS.map(evaluation::title);
        if !titles.iter().any(|title| title.contains(&self.only)) {
            return Ok(());
        }
        let campaigns = evaluation::campaigns(&self.tools, &self.disk, &self.sizes.jobs)?;
        for command in evaluation::COMMANDS {
            self.measure_all(evaluation::groups(&self.tools, command, &campaigns))?;
        }
        Ok(())
    }

    fn in_memory(&mut self) -> Result<()> {
        let asked = [self.tools.inside.clone(), "packets".to_owned()];
        let answer = child::run(&asked, self.memory.path(), &self.stop)?;
        let packets: Vec<String> = answer.output.lines().map(str::to_owned).collect();
        self.measure(groups::dummy(&self.tools, &self.sizes))?;
        self.measure(groups::phases(&self.tools, &self.sizes))?;
        self.measure(groups::data(&self.tools, &self.sizes, &packets))?;
        self.measure(groups::memory(&self.tools))?;
        self.measure(starts::local(&self.tools))?;
        self.measure(starts::mpi(&self.tools, &self.sizes))?;
        self.measure_all(metadata::nothing(&self.tools, &self.sizes))?;
        let dir = self.memory.path().display().to_string();
        self.measure_all(metadata::phases(&self.tools, &self.sizes, "tmpfs", &dir))?;
        let file = self.memory.file("cached", self.sizes.file)?;
        self.measure(groups::cached(&self.tools, &self.sizes, "tmpfs", &file))?;
        self.measure(groups::stream(&self.tools, &self.sizes, false, &file))?;
        fs::remove_file(&file)?;
        let fresh = self.memory.name("fresh");
        self.measure(groups::stream(&self.tools, &self.sizes, true, &fresh))?;
        self.measure(groups::verified(&self.tools, &self.sizes, &packets, &fresh))
    }

    fn on_disk(&mut self) -> Result<()> {
        let dir = self.disk.path().display().to_string();
        self.measure_all(metadata::phases(&self.tools, &self.sizes, "disk", &dir))?;
        let file = self.disk.file("cached", self.sizes.file)?;
        let cached = groups::cached(&self.tools, &self.sizes, "disk", &file);
        child::run(&cached.contenders[0].words, self.memory.path(), &self.stop)?;
        self.measure(cached)?;
        fs::remove_file(&file)?;
        let (single, deep) = self.sizes.direct;
        let single = groups::direct_job(&self.disk.file("single", single)?, single);
        let attempt = groups::attempt(&self.tools, &single);
        if let Err(why) = child::run(&attempt, self.memory.path(), &self.stop) {
            println!("\n4 KiB reads with O_DIRECT: not tried in {}: {why:#}", self.disk.path().display());
            return Ok(());
        }
        let deep = groups::direct_job(&self.disk.file("deep", deep)?, deep);
        self.measure(groups::direct_single(&self.tools, &single))?;
        self.measure(groups::direct_deep(&self.tools, &deep))
    }

    /// Prints the goals; false if a contender failed.
    fn foot(&self) -> bool {
        println!("\nload at the end {}\n\ngoals", load());
        for group in &self.done {
            for goal in &group.goals {
                print!("{}", text::verdict(group, goal));
            }
        }
        self.done.iter().all(|group| group.contenders.iter().all(|contender| contender.runs.is_ok()))
    }
}

/// The load averages of 1, 5 and 15 minutes.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().take(3).collect::<Vec<_>>().join(" ")
}
