//! A status file: a short text that one run leaves for the next. Only rank 0 reads and writes it.

use ranks::{Comm, Halt};

use super::failed_call::named;

/// The trimmed content of the file, on all ranks; empty if the file cannot be read. Collective.
pub fn read(comm: &dyn Comm, path: &str) -> Result<String, Halt> {
    let alone = comm.rank() == 0;
    let mut text = if alone { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
    comm.broadcast(0, &mut text)?;
    Ok(String::from_utf8_lossy(&text).trim().to_owned())
}

/// Writes the file. All ranks halt if that fails. Collective.
pub fn write(comm: &dyn Comm, path: &str, text: &str) -> Result<(), Halt> {
    let written = if comm.rank() == 0 { std::fs::write(path, text) } else { Ok(()) };
    comm.agree("status file", written.map_err(|error| named("write", path.as_ref(), &error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ranks_read_what_rank_0_wrote_and_a_failed_write_halts_all() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = |name: &str| dir.path().join(name).display().to_string();
        let all = ranks::local::run(3, |comm| {
            let none = read(comm, &path("status"))?;
            write(comm, &path("status"), "12\n7\n")?;
            let halt = write(comm, &path("no/status"), "1").expect_err("no such directory");
            Ok::<_, Halt>((none, read(comm, &path("status"))?, halt.why))
        });
        for rank in all {
            let (none, kept, why) = rank.expect("no panic").expect("no halt");
            assert_eq!((none.as_str(), kept.as_str()), ("", "12\n7"));
            assert_eq!(why, format!("{}: No such file or directory", path("no/status")));
        }
    }
}
