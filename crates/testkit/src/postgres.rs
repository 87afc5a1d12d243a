//! A PostgreSQL server for a test: in a temporary directory, with a socket in it and without a port.
//!
//! PostgreSQL does not run as root, so root starts it as the user `postgres`.
//!
//! Invariant: the server ends when the value is dropped, and also when the test is killed. It must be
//! dropped by the thread that started it, because the server ends with that thread.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Where Debian puts the programs of each version.
const VERSIONS: &str = "/usr/lib/postgresql";
/// The role that owns all databases. It needs no password.
const OWNER: &str = "assay";
/// Longest wait for the server.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running server.
pub struct PostgresServer {
    root: TempDir,
    programs: PathBuf,
    server: Child,
}

impl PostgresServer {
    /// Starts a server, or returns why that is impossible here.
    pub fn start() -> Result<Self, String> {
        let programs = programs().ok_or("PostgreSQL is missing; `cargo xtask setup` installs it")?;
        let root = tempfile::Builder::new().prefix("assay-pg.").tempdir_in("/tmp").expect("a directory");
        fs::set_permissions(root.path(), PermissionsExt::from_mode(0o755)).expect("our directory");
        if is_root() {
            let owned = Command::new("chown").arg("postgres").arg(root.path()).status();
            assert!(owned.is_ok_and(|status| status.success()), "the package makes the user postgres");
        }
        let data = root.path().join("data");
        let mut made = as_server(&programs.join("initdb"));
        made.arg("-D").arg(&data).args(["-U", OWNER, "-A", "trust", "-N", "-E", "UTF8", "--locale=C.UTF-8"]);
        let made = made.stdin(Stdio::null()).output().expect("initdb runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        // The role `locked` needs a password: `address` takes it.
        let access = "local all locked scram-sha-256\nlocal all all trust\n";
        fs::write(data.join("pg_hba.conf"), access).expect("a new cluster");
        let mut server = as_server(&programs.join("postgres"));
        server.arg("-D").arg(&data).arg("-k").arg(root.path());
        for setting in ["listen_addresses=", "fsync=off", "shared_buffers=16MB", "max_connections=20"] {
            server.args(["-c", setting]);
        }
        let log = fs::File::create(root.path().join("log")).expect("our directory");
        let server =
            server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().expect("it starts");
        let mut all = Self { root, programs, server };
        all.wait();
        Ok(all)
    }

    fn wait(&mut self) {
        let begun = Instant::now();
        while !self.psql("postgres", "SELECT 1").status().is_ok_and(|status| status.success()) {
            let log = || fs::read_to_string(self.root.path().join("log")).unwrap_or_default();
            assert!(begun.elapsed() < PATIENCE, "{}", log());
            sleep(Duration::from_millis(100));
        }
    }

    fn psql(&self, database: &str, sql: &str) -> Command {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", OWNER, "-d", database, "-c", sql]);
        psql.arg("-h").arg(self.root.path()).stdin(Stdio::null()).stderr(Stdio::null());
        psql.stdout(Stdio::null());
        psql
    }

    /// The answer to a statement, as `psql` prints it.
    pub fn ask(&self, database: &str, sql: &str) -> String {
        let ran = self.psql(database, sql).stdout(Stdio::piped()).output().expect("psql runs");
        assert!(ran.status.success(), "{sql}");
        String::from_utf8_lossy(&ran.stdout).trim().to_owned()
    }

    /// Makes a database, and returns its address.
    pub fn new_database(&self, name: &str) -> String {
        self.ask("postgres", &format!("CREATE DATABASE {name}"));
        self.address(OWNER, name)
    }

    /// The address of a database for a role, which may have a password: `ROLE:PASSWORD`.
    pub fn address(&self, role: &str, database: &str) -> String {
        let dir = self.root.path().display().to_string().replace('/', "%2F");
        format!("postgres://{role}@{dir}/{database}")
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // The other processes of the server end when this one is gone.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The programs of the newest version.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir(VERSIONS).ok()?.flatten().map(|version| version.path().join("bin"));
    versions.filter(|bin| bin.join("initdb").is_file()).max()
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// A program of the server. It also ends if the test is killed.
fn as_server(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    if is_root() {
        command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]);
    }
    command.args(["--pdeathsig", "KILL"]).arg(program).current_dir("/");
    command
}
