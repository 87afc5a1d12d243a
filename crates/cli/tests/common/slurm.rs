//! A private Slurm on this machine: munge, a controller and several nodes, all children of the test.
//!
//! Invariant: everything that was started ends with the cluster, also if the test fails. This includes all
//! daemons and all ranks: the processes whose environment has the settings of this cluster.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::campaign::until;
use super::{on_path, ports, venv, wheel};

/// The daemons and commands that the tests use. Without `sbin` in `PATH` they are in /usr/sbin.
const PROGRAMS: [&str; 7] = ["munged", "slurmctld", "slurmd", "srun", "sbatch", "squeue", "scontrol"];

/// A cluster of nodes `node1`, `node2`, ….
pub struct Slurm {
    root: tempfile::TempDir,
    munged: Child,
    controller: Child,
    nodes: Vec<Child>,
}

fn program(name: &str) -> PathBuf {
    on_path(name).unwrap_or_else(|| Path::new("/usr/sbin").join(name))
}

fn daemon(name: &str, words: &[String]) -> Child {
    // The daemon also ends if the test is killed.
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL"]).arg(program(name)).args(words);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

impl Slurm {
    /// Starts a cluster of `nodes` nodes. `None`, with the reason printed, if that is impossible.
    pub fn start(nodes: u16) -> Option<Self> {
        if let Some(missing) = PROGRAMS.iter().find(|name| !program(name).exists()) {
            println!("SKIPPED: {missing} is missing; `cargo xtask setup` installs it");
            return None;
        }
        if !rustix::process::geteuid().is_root() {
            println!("SKIPPED: daemons of Slurm need root; run the tests as root");
            return None;
        }
        wheel()?;
        // Sockets have short names, and munge requires that other users cannot write to its parent
        // directories.
        let root = tempfile::Builder::new().prefix("assay-slurm.").tempdir_in("/run").unwrap();
        fs::set_permissions(root.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let at = root.path().display().to_string();
        for dir in ["state", "log", "munge"] {
            fs::create_dir(root.path().join(dir)).unwrap();
        }
        for node in 1..=nodes {
            fs::create_dir_all(root.path().join(format!("spool/node{node}"))).unwrap();
            fs::create_dir_all(root.path().join(format!("tmp/node{node}"))).unwrap();
        }
        fs::write(root.path().join("munge/key"), key()).unwrap();
        fs::set_permissions(root.path().join("munge/key"), PermissionsExt::from_mode(0o600)).unwrap();
        fs::set_permissions(root.path().join("munge"), PermissionsExt::from_mode(0o711)).unwrap();
        fs::write(root.path().join("slurm.conf"), settings(&at, nodes)).unwrap();
        fs::write(root.path().join("cgroup.conf"), "CgroupPlugin=cgroup/v1\n").unwrap();
        let words = |text: String| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
        let munged = daemon(
            "munged",
            &words(format!(
                "-F --force --key-file={at}/munge/key --socket={at}/munge/sock --pid-file={at}/munge/pid \
                 --log-file={at}/munge/log --seed-file={at}/munge/seed"
            )),
        );
        until("munge", || root.path().join("munge/sock").exists());
        let controller = daemon("slurmctld", &words(format!("-D -f {at}/slurm.conf")));
        let node = |n| daemon("slurmd", &words(format!("-D -N node{n} -f {at}/slurm.conf")));
        let nodes: Vec<Child> = (1..=nodes).map(node).collect();
        let cluster = Self { root, munged, controller, nodes };
        until("all nodes of the cluster", || cluster.idle() == cluster.nodes.len());
        Some(cluster)
    }

    fn settings(&self) -> PathBuf {
        self.root.path().join("slurm.conf")
    }

    /// Lets `command` use this cluster, and its ranks find an MPI that Slurm can start.
    ///
    /// Slurm reads a PMI-1 request in one call of at most 1024 bytes. The UCX addresses of MPICH 5.0 contain
    /// memory that was not set, so the length of their requests varies, and long ones break the start. The
    /// addresses of libfabric have 72 bytes.
    pub fn around<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .env("SLURM_CONF", self.settings())
            .env("ASSAY_MPI_LIBRARY", venv().join("lib/libmpi.so.12"))
            .env("MPIR_CVAR_CH4_NETMOD", "ofi")
    }

    /// The output of a command of Slurm.
    pub fn ask(&self, words: &str) -> String {
        let mut words = words.split_whitespace();
        let mut command = Command::new(program(words.next().unwrap()));
        let ran = self.around(command.args(words)).stdin(Stdio::null()).output().unwrap();
        String::from_utf8_lossy(&ran.stdout).into_owned()
    }

    fn idle(&self) -> usize {
        let idle = self.ask("sinfo -h -t idle -o %D");
        idle.split_whitespace().filter_map(|number| number.parse::<usize>().ok()).sum()
    }

    /// The nodes on which ranks run now, sorted.
    pub fn busy(&self) -> Vec<String> {
        let rank = |environment: &Vec<String>| {
            let of_step = environment.iter().any(|one| one.starts_with("SLURM_STEP_NUM_TASKS="));
            let node = environment.iter().find_map(|one| one.strip_prefix("SLURMD_NODENAME="));
            node.filter(|_| of_step).map(str::to_owned)
        };
        let processes = self.processes();
        let mut nodes: Vec<String> =
            processes.iter().filter_map(|(_, environment)| rank(environment)).collect();
        nodes.sort();
        nodes.dedup();
        nodes
    }

    /// Kills a node as a power cut would: its daemon, its `slurmstepd`, and its ranks. The controller is
    /// informed at once, without its own timeout.
    pub fn kill_node(&mut self, number: usize) {
        let name = format!("SLURMD_NODENAME=node{number}");
        let ours: Vec<i32> = self
            .processes()
            .into_iter()
            .filter(|(_, environment)| environment.contains(&name))
            .map(|(pid, _)| pid)
            .collect();
        let parents = ours.iter().filter_map(|pid| parent(*pid)).filter(|pid| comm(*pid) == "slurmstepd");
        let all: Vec<i32> = parents.chain(ours.iter().copied()).collect();
        assert!(!all.is_empty(), "no rank runs on node{number}");
        let _ = self.nodes[number - 1].kill();
        let _ = self.nodes[number - 1].wait();
        all.into_iter().for_each(kill);
        self.ask(&format!("scontrol update NodeName=node{number} State=DOWN Reason=killed"));
    }

    /// All processes that Slurm started here, with their environment.
    fn processes(&self) -> Vec<(i32, Vec<String>)> {
        let ours = format!("SLURM_CONF={}", self.settings().display());
        let mut all = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let Ok(pid) = entry.file_name().to_string_lossy().parse::<i32>() else { continue };
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            let environment: Vec<String> = environment
                .split(|byte| *byte == 0)
                .map(|one| String::from_utf8_lossy(one).into_owned())
                .collect();
            let started = environment.iter().any(|one| one.starts_with("SLURM_JOB_ID="));
            if started && environment.contains(&ours) {
                all.push((pid, environment));
            }
        }
        all
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        self.ask("scancel -u root");
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(5) && !self.ask("squeue -h").trim().is_empty() {
            std::thread::sleep(Duration::from_millis(50));
        }
        for (pid, _) in self.processes() {
            parent(pid).into_iter().filter(|parent| comm(*parent) == "slurmstepd").for_each(kill);
            kill(pid);
        }
        // Nodes first. Without its controller a node waits for ever for the `slurmstepd` of ranks that have
        // ended.
        for child in self.nodes.iter_mut().chain([&mut self.controller, &mut self.munged]) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn kill(pid: i32) {
    let _ = Command::new("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status();
}

fn comm(pid: i32) -> String {
    fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default().trim().to_owned()
}

fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// A key for munge. A cluster that exists for seconds on one machine needs no secret.
fn key() -> Vec<u8> {
    (0..128_u32).map(|byte| (byte.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

fn settings(at: &str, nodes: u16) -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let host = host.trim().split('.').next().unwrap_or_default().to_owned();
    // The controller, then the nodes.
    let port = ports::free(nodes + 1);
    let (first, last) = (port + 1, port + nodes);
    // MPICH names its shared memory after the number of the job. That of a killed rank may still exist.
    let first_job = u32::from(port) * 1000 + std::process::id() % 1000;
    format!(
        "ClusterName=assay\n\
         SlurmctldHost={host}(127.0.0.1)\n\
         SlurmctldPort={port}\n\
         AuthType=auth/munge\n\
         AuthInfo=socket={at}/munge/sock\n\
         CredType=cred/munge\n\
         SlurmUser=root\n\
         FirstJobId={first_job}\n\
         StateSaveLocation={at}/state\n\
         SlurmdSpoolDir={at}/spool/%n\n\
         TmpFS={at}/tmp/%n\n\
         SlurmctldPidFile={at}/slurmctld.pid\n\
         SlurmdPidFile={at}/slurmd-%n.pid\n\
         SlurmctldLogFile={at}/log/slurmctld.log\n\
         SlurmdLogFile={at}/log/slurmd-%n.log\n\
         ProctrackType=proctrack/linuxproc\n\
         TaskPlugin=task/none\n\
         JobAcctGatherType=jobacct_gather/none\n\
         SelectType=select/cons_tres\n\
         SelectTypeParameters=CR_CPU\n\
         SchedulerParameters=sched_min_interval=0,batch_sched_delay=0\n\
         ReturnToService=2\n\
         KillWait=2\n\
         SlurmdParameters=config_overrides\n\
         NodeName=node[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=8 \
         RealMemory=1000\n\
         PartitionName=debug Nodes=ALL Default=YES State=UP\n"
    )
}
