//! The command line of a job, for each program.
//!
//! By default, fio drops the file from the page cache first, and allocates a new file before it writes.
//! IOR and assay remove the file after the read. The options below switch this off.

use super::group::Contender;
use super::outputs::OutputFormat;
use super::tools::Tools;

/// Transfers of one file by one process.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) file: String,
    pub(super) bytes: u64,
    pub(super) transfer: u64,
    /// How often the whole file is transferred.
    pub(super) passes: u64,
    pub(super) random: bool,
    /// Writes a new file and removes it, instead of reading an existing one.
    pub(super) write: bool,
    pub(super) direct: bool,
}

/// A program with the arguments in `line`, separated by blanks.
pub(super) fn command(program: &str, line: &str) -> Vec<String> {
    std::iter::once(program).chain(line.split_whitespace()).map(str::to_owned).collect()
}

/// The same with the file of a job. The path may contain blanks.
fn command_on(program: &str, line: &str, job: &Job) -> Vec<String> {
    [command(program, line), vec!["-o".to_owned(), job.file.clone()]].concat()
}

/// The bare loop of system calls.
pub(super) fn bare(tools: &Tools, job: &Job) -> Contender {
    let order = match (job.random, job.direct) {
        (true, true) => "direct-random",
        (true, false) => "random",
        (false, _) => "sequential",
    };
    let mut line = vec![tools.bare.clone(), if job.write { "write" } else { "read" }.into(), order.into()];
    line.push(job.file.clone());
    line.extend([job.bytes, job.transfer, job.passes].map(|number| number.to_string()));
    let name = if job.write { "bare pwrite loop" } else { "bare pread loop" };
    Contender::new(name, line, OutputFormat::Line)
}

/// The arguments that `ior` and `assay ior` share.
fn ior_words(job: &Job, engine: &str) -> String {
    let mut line = format!("-a {engine} -t {} -b {} -i {}", job.transfer, job.bytes, job.passes);
    line += if job.write { " -w" } else { " -r -k" };
    if job.random {
        line += " -z";
    }
    if job.direct {
        line += &format!(" --{}.odirect", engine.to_lowercase());
    }
    line
}

/// `assay ior` with an engine and more arguments.
pub(super) fn assay(tools: &Tools, job: &Job, engine: &str, more: &str) -> Contender {
    let line = format!("ior {} {more}", ior_words(job, engine));
    let name = format!("assay {engine} {}", more.replace("--", "")).trim_end().to_owned();
    Contender::new(name, command_on(&tools.assay, &line, job), OutputFormat::Records)
}

/// The original IOR, if it is installed.
pub(super) fn ior(tools: &Tools, job: &Job) -> Option<Contender> {
    let line = ior_words(job, "POSIX");
    let program = tools.ior.as_ref()?;
    Some(Contender::new("ior POSIX", command_on(program, &line, job), OutputFormat::Ior))
}

/// fio with an engine and more arguments, if it is installed.
pub(super) fn fio(tools: &Tools, job: &Job, name: &str, engine: &str) -> Option<Contender> {
    let rw = match (job.write, job.random) {
        (true, false) => "write --fallocate=none --unlink=1",
        (true, true) => "randwrite --fallocate=none --unlink=1",
        (false, false) => "read",
        (false, true) => "randread",
    };
    let line = format!(
        "--name=bench --output-format=json --invalidate=0 --rw={rw} --bs={} --size={} --loops={} --direct={} \
         --ioengine={engine}",
        job.transfer,
        job.bytes,
        job.passes,
        u8::from(job.direct)
    );
    let mut all = command(tools.fio.as_ref()?, &line);
    // fio separates files by colons.
    all.push(format!("--filename={}", job.file.replace(':', "\\:")));
    Some(Contender::new(name, all, OutputFormat::Fio))
}

#[cfg(test)]
mod tests {
    use super::super::tools::named as tools;
    use super::*;

    fn job() -> Job {
        let (file, bytes) = ("/mnt/a b:c/file".to_owned(), 1 << 20);
        Job { file, bytes, transfer: 4096, passes: 2, random: true, write: false, direct: true }
    }

    #[test]
    fn a_path_with_a_blank_is_one_argument() {
        for contender in [bare(&tools(), &job()), assay(&tools(), &job(), "URING", "")] {
            assert!(contender.words.iter().any(|word| word == "/mnt/a b:c/file"), "{contender:?}");
        }
        let fio = fio(&tools(), &job(), "fio", "psync").unwrap();
        assert_eq!(fio.words.last().unwrap(), "--filename=/mnt/a b\\:c/file");
    }

    #[test]
    fn reads_keep_the_file_and_the_page_cache() {
        let ours = assay(&tools(), &job(), "POSIX", "").words.join(" ");
        assert!(ours.contains("-r -k -z --posix.odirect"), "{ours}");
        let fio = fio(&tools(), &job(), "fio", "psync").unwrap().words.join(" ");
        assert!(fio.contains("--invalidate=0 --rw=randread"), "{fio}");
        assert!(fio.contains("--loops=2 --direct=1"), "{fio}");
    }

    #[test]
    fn a_missing_peer_is_not_a_contender() {
        assert!(ior(&tools(), &job()).is_none());
    }
}
