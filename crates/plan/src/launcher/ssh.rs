//! The hosts of `launch.kind = "ssh"`: how a plan lists them, and how they are reached.
//!
//! Invariant: a name has only letters, digits, `.`, `_` and `-`, and does not begin with `-`. So it is no
//! option of a program.
//! Never here: reading files, connections.

use units::Usage;

use super::allocation::{Allocation, expanded};

/// How the ranks of a plan are started by ssh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ssh {
    /// Those that ranks may be started on.
    pub hosts: HostList,
    /// The program in place of `ssh`.
    pub program: Option<String>,
    /// The directory on each host into which program, launcher and MPI are copied.
    pub copy: Option<String>,
}

/// Where the names of hosts come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostList {
    /// The allocation of Slurm around the campaign.
    Slurm,
    /// A file with one host per line.
    File(String),
    /// The plan, host by host.
    Names(Vec<Host>),
}

/// A host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// Its name or address.
    pub name: String,
    /// The most ranks that it may have.
    pub slots: Option<u32>,
}

impl HostList {
    /// The value of `launch.hosts` that is one text.
    pub(crate) fn from_text(text: &str) -> Result<Self, String> {
        match text.trim() {
            "" => Err("is empty. List the hosts.".to_owned()),
            "slurm" => Ok(Self::Slurm),
            pattern if pattern.contains(['{', '[']) => Self::from_texts(&[pattern.to_owned()]),
            file => Ok(Self::File(file.to_owned())),
        }
    }

    /// The value of `launch.hosts` that is a list.
    pub(crate) fn from_texts(texts: &[String]) -> Result<Self, String> {
        let hosts: Result<Vec<Vec<Host>>, String> = texts.iter().map(|text| hosts(text)).collect();
        distinct(hosts?.concat()).map(Self::Names)
    }

    /// The hosts. `allocation` is that of the batch system, and `read` gives the text of a file.
    pub fn hosts(
        &self,
        allocation: Option<&Allocation>,
        read: &dyn Fn(&str) -> std::io::Result<String>,
    ) -> Result<Vec<Host>, Usage> {
        match self {
            Self::Names(hosts) => Ok(hosts.clone()),
            Self::Slurm => {
                let slurm = allocation.filter(|allocation| allocation.system == "Slurm");
                let names = slurm.map(|allocation| &allocation.hosts[..]).unwrap_or_default();
                if names.is_empty() {
                    return Err(Usage::new(
                        "launch.hosts is `slurm`, but this is not an allocation of Slurm. Start the campaign \
                         by `salloc`, or list the hosts.",
                    ));
                }
                Ok(names.iter().map(|name| Host { name: name.clone(), slots: None }).collect())
            }
            Self::File(file) => {
                let text = read(file).map_err(|error| {
                    Usage(format!(
                        "launch.hosts {file}: {error}. Give a file with one host per line, or a list: \
                         [\"n1\", \"n2\"]."
                    ))
                })?;
                of_file(&text).map_err(|why| Usage(format!("launch.hosts {file}: {why}")))
            }
        }
    }
}

/// The hosts in the text of a file: `n1`, `n1:4` or `n1 slots=4` on each line. `#` begins a comment.
fn of_file(text: &str) -> Result<Vec<Host>, String> {
    let mut all = Vec::new();
    for line in text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()) {
        let mut words = line.split_whitespace();
        let Some(name) = words.next() else { continue };
        let slots = words.next().map(|word| word.strip_prefix("slots=").unwrap_or(word));
        let text = slots.map_or(name.to_owned(), |slots| format!("{name}:{slots}"));
        all.extend(hosts(&text)?);
    }
    distinct(all)
}

/// The hosts of one text: a name or a pattern, and the most ranks of each after `:`.
fn hosts(text: &str) -> Result<Vec<Host>, String> {
    let unfit = || format!("`{text}` does not name hosts. Write `n1`, `n[1-8]:4` or `pod-{{0..7}}.service`.");
    let (names, slots) = match text.trim().rsplit_once(':') {
        Some((names, slots)) => {
            (names, Some(slots.parse().ok().filter(|slots| *slots > 0).ok_or_else(unfit)?))
        }
        None => (text.trim(), None),
    };
    let ranges = names.replace('{', "[").replace("..", "-").replace('}', "]");
    let names = expanded(if names.contains('{') { &ranges } else { names }).ok_or_else(unfit)?;
    let is_name = |name: &String| {
        let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        !name.starts_with('-') && name.chars().all(fits)
    };
    match names.iter().all(is_name) {
        true => Ok(names.into_iter().map(|name| Host { name, slots }).collect()),
        false => Err(unfit()),
    }
}

/// The hosts, if there is one and each is listed once.
fn distinct(hosts: Vec<Host>) -> Result<Vec<Host>, String> {
    let twice = hosts.iter().enumerate().find(|(at, host)| hosts[..*at].iter().any(|b| b.name == host.name));
    match twice {
        Some((_, host)) => Err(format!("{} is listed twice. List each host once.", host.name)),
        None if hosts.is_empty() => Err("has no host. List the hosts.".to_owned()),
        None => Ok(hosts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(hosts: Vec<Host>) -> String {
        let shown = |host: Host| match host.slots {
            Some(slots) => format!("{}:{slots}", host.name),
            None => host.name,
        };
        hosts.into_iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    fn hosts(list: &HostList) -> Result<String, String> {
        let read = |file: &str| match file {
            "h" => Ok("# two\nn1 slots=4\n\nn2:2 # last\n".to_owned()),
            _ => Err(std::io::ErrorKind::NotFound.into()),
        };
        let slurm =
            Allocation { system: "Slurm", hosts: vec!["s1".into(), "s2".into()], ..Default::default() };
        list.hosts(Some(&slurm), &read).map(shown).map_err(|usage| usage.0)
    }

    #[test]
    fn hosts_come_from_a_list_a_pattern_a_file_or_slurm() {
        for (text, names) in [
            ("pod-{0..2}.service", "pod-0.service pod-1.service pod-2.service"),
            ("n[08-10]:4", "n08:4 n09:4 n10:4"),
            ("slurm", "s1 s2"),
            ("h", "n1:4 n2:2"),
        ] {
            assert_eq!(hosts(&HostList::from_text(text).unwrap()).unwrap(), names, "{text}");
        }
        let list = ["n1:2".to_owned(), "10.0.0.7".to_owned()];
        assert_eq!(hosts(&HostList::from_texts(&list).unwrap()).unwrap(), "n1:2 10.0.0.7");
        let missing = hosts(&HostList::from_text("none").unwrap()).unwrap_err();
        assert!(
            missing.starts_with("launch.hosts none: ") && missing.contains("one host per line"),
            "{missing}"
        );
        let outside = HostList::Slurm.hosts(None, &|_| unreachable!("no file")).unwrap_err().0;
        assert!(outside.contains("not an allocation of Slurm"), "{outside}");
    }

    #[test]
    fn what_is_no_host_or_is_listed_twice_is_rejected() {
        for text in ["-oProxyCommand=x", "a b", "n1:0", "n1:x", "fe80::1", "n[1-", "user@n1", "n;1"] {
            let why = HostList::from_texts(&[text.to_owned()]).unwrap_err();
            assert!(why.starts_with(&format!("`{text}` does not name hosts")), "{why}");
        }
        let twice = ["n[1-3]".to_owned(), "n2:4".to_owned()];
        assert_eq!(HostList::from_texts(&twice).unwrap_err(), "n2 is listed twice. List each host once.");
        assert_eq!(HostList::from_texts(&[]).unwrap_err(), "has no host. List the hosts.");
        assert!(of_file("# none\n").is_err() && HostList::from_text(" ").is_err());
    }
}
