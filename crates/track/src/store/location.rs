//! Where a store is: a file, or a database of a server.
//!
//! Invariant: a password is not shown.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ::postgres::Config;
use ::postgres::config::Host;
use units::Usage;

/// How addresses of servers begin.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
/// The port that an address does not name.
const PORT: u16 = 5432;

/// The place of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreLocation {
    /// A file of SQLite.
    File(PathBuf),
    /// A database of PostgreSQL.
    Postgres(PostgresAddress),
}

impl StoreLocation {
    /// The place with this password, if it is a database whose address has none.
    pub fn or_password(self, password: &str) -> Self {
        match self {
            Self::Postgres(mut address) if address.0.get_password().is_none() => {
                address.0.password(password);
                Self::Postgres(address)
            }
            other => other,
        }
    }
}

impl FromStr for StoreLocation {
    type Err = Usage;

    /// Reads `postgres://USER@HOST/DATABASE`. Any other text is the name of a file.
    fn from_str(text: &str) -> Result<Self, Usage> {
        if SCHEMES.iter().any(|scheme| text.starts_with(scheme)) {
            // The text may have a password, so the message does not have the text.
            let wrong = |_| {
                Usage::new("the address of the history cannot be read. Write postgres://USER@HOST/DATABASE.")
            };
            return Ok(Self::Postgres(PostgresAddress(Box::new(text.parse().map_err(wrong)?))));
        }
        match text.split_once("://") {
            Some((scheme, _)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) => Err(Usage(
                format!("a history cannot be in {scheme}://. Give a file, or postgres://USER@HOST/DATABASE."),
            )),
            _ => Ok(Self::File(PathBuf::from(text))),
        }
    }
}

/// The address of a database.
#[derive(Clone)]
pub struct PostgresAddress(Box<Config>);

/// Equal addresses have the same user, servers and database. The password does not matter.
impl PartialEq for PostgresAddress {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for PostgresAddress {}

impl PostgresAddress {
    pub(super) fn config(&self) -> &Config {
        &self.0
    }
}

impl fmt::Display for PostgresAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = |(at, host): (usize, &Host)| {
            let name = match host {
                Host::Tcp(name) => name.clone(),
                Host::Unix(dir) => dir.display().to_string().replace('/', "%2F"),
            };
            let ports = self.0.get_ports();
            match ports.get(at).or(ports.first()) {
                Some(port) if *port != PORT => format!("{name}:{port}"),
                _ => name,
            }
        };
        let hosts: Vec<String> = self.0.get_hosts().iter().enumerate().map(host).collect();
        out.write_str(SCHEMES[0])?;
        if let Some(user) = self.0.get_user() {
            write!(out, "{user}@")?;
        }
        write!(out, "{}/{}", hosts.join(","), self.0.get_dbname().unwrap_or_default())
    }
}

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl fmt::Display for StoreLocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(out),
            Self::Postgres(address) => address.fmt(out),
        }
    }
}

impl From<&Path> for StoreLocation {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

impl From<&PathBuf> for StoreLocation {
    fn from(path: &PathBuf) -> Self {
        Self::File(path.clone())
    }
}

impl From<&StoreLocation> for StoreLocation {
    fn from(location: &StoreLocation) -> Self {
        location.clone()
    }
}
