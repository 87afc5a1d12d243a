//! Which environment variables are recorded, and how those with secrets are.
//!
//! Invariant: the value of a variable with the name of a secret, or with an address that has a password, is
//! never recorded.

use std::collections::BTreeMap;

use results::folder::sha256;

/// The variables that are recorded, because they influence how a job runs. A name that ends with `_` is a
/// prefix.
const RECORDED: &[&str] = &[
    "PATH",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "LOADEDMODULES",
    "_LMFILES_",
    "MODULEPATH",
    "CRAY_",
    "DARSHAN_",
    "FI_",
    "FLUX_",
    "HDF5_",
    "HYDRA_",
    "I_MPI_",
    "IOR_HINT_",
    "LSB_",
    "MPICH_",
    "MPIR_CVAR_",
    "OMPI_",
    "OMP_",
    "PALS_",
    "PBS_",
    "PMI_",
    "PMIX_",
    "PNETCDF_",
    "PRTE_",
    "ROMIO_",
    "SLURM_",
    "UCX_",
    "ASSAY_",
];
/// Parts of the names of secrets, in capitals.
const SECRET: &[&str] =
    &["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "KEY", "COOKIE"];
/// The number of hexadecimal digits of a secret's hash that are kept. They show a change, but are too few to
/// find the secret by trying.
const SECRET_DIGITS: usize = 8;

/// The recorded part of `environment`: variables that influence jobs, and those in `also`.
pub fn recorded(
    environment: &BTreeMap<String, String>,
    also: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let wanted = |key: &str| {
        also.contains_key(key)
            || RECORDED.iter().any(|name| key == *name || (name.ends_with('_') && key.starts_with(name)))
    };
    let shown = |(key, value): (&String, &String)| (key.clone(), shown(key, value));
    environment.iter().filter(|(key, _)| wanted(key)).map(shown).collect()
}

fn shown(key: &str, value: &str) -> String {
    let name = key.to_uppercase();
    if !SECRET.iter().any(|word| name.contains(word)) && !has_password(value) {
        return value.to_owned();
    }
    let hash = sha256(value.as_bytes());
    format!("(redacted; SHA-256 begins with {})", &hash[..SECRET_DIGITS])
}

/// Whether a value has an address with a password, such as that of a database.
fn has_password(value: &str) -> bool {
    let mut addresses = value.split("://").skip(1);
    addresses.any(|address| {
        let host = address.split(['/', '?', '#']).next().unwrap_or_default();
        let is_before_host = host.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'));
        is_before_host || address.to_ascii_lowercase().contains("password=")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_influence_jobs_are_recorded_and_secrets_are_redacted() {
        let environment = [
            ("PATH", "/bin"),
            ("PATHS", "no"),
            ("HOME", "/root"),
            ("LOADEDMODULES", "mpi/5"),
            ("SLURM_JOB_ID", "7"),
            ("SLURM_JWT_TOKEN", "geheim"),
            ("OMPI_MCA_api_key", "geheim"),
            ("MINE", "yes"),
        ];
        let environment = environment.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
        let found = recorded(&environment, &BTreeMap::from([("MINE".into(), "yes".into())]));
        let keys: Vec<&str> = found.keys().map(String::as_str).collect();
        let all = ["LOADEDMODULES", "MINE", "OMPI_MCA_api_key", "PATH", "SLURM_JOB_ID", "SLURM_JWT_TOKEN"];
        assert_eq!(keys, all);
        assert_eq!(found["SLURM_JWT_TOKEN"], "(redacted; SHA-256 begins with addb0f5e)");
        assert!(!found.values().any(|value| value.contains("geheim")));
    }

    #[test]
    fn addresses_with_a_password_are_redacted_and_others_are_kept() {
        let shown = |value: &str| {
            let environment = BTreeMap::from([("ASSAY_STORE".to_owned(), value.to_owned())]);
            recorded(&environment, &BTreeMap::new())["ASSAY_STORE"].clone()
        };
        for secret in [
            "postgres://ann:geheim@db/perf",
            "postgresql://ann@db/perf?password=geheim",
            "http://proxy/ http://ann:ge@heim@host:80/",
        ] {
            assert!(shown(secret).starts_with("(redacted; SHA-256 begins with "), "{}", shown(secret));
        }
        for open in ["/data/h.sqlite", "postgres://ann@db:5433/perf", "tcp://10.0.0.1:7000/a:b@c"] {
            assert_eq!(shown(open), open);
        }
    }
}
