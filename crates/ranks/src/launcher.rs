//! Which launcher started this program: `mpirun`, `srun` and similar programs set environment variables.
//!
//! Only variables that a launcher sets for each rank are evidence of a launch. A variable that a batch system
//! also sets without starting ranks (`SLURM_NTASKS` in a batch script) is not.
//!
//! Invariant: pure; the caller passes the environment as a function.
//! Never here: the search for a library.

/// The family of MPI libraries that a launcher most likely belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibraryFamily {
    /// Open MPI and its descendants.
    OpenMpi,
    /// MPICH and its descendants.
    Mpich,
}

/// A launch, from the view of one of its ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankLaunch {
    /// The launcher's name, for messages.
    pub name: &'static str,
    /// The family of libraries to try first.
    pub family: LibraryFamily,
    /// How many ranks were started; `None` if the launcher does not report it.
    pub size: Option<u32>,
    /// This rank's number among them.
    pub rank: u32,
    /// How many of them share this rank's node; `None` if the launcher does not report it, or if MPICH
    /// simulates several nodes on one.
    pub ranks_on_node: Option<u32>,
}

impl RankLaunch {
    /// Whether there may be other ranks, so that this one must not run alone.
    pub fn is_parallel(&self) -> bool {
        self.size != Some(1)
    }
}

/// A launcher, identified by the variables it sets.
struct KnownLauncher {
    name: &'static str,
    family: LibraryFamily,
    /// The variable with the number of ranks.
    size: Option<&'static str>,
    /// The variable with this rank's number.
    rank: &'static str,
    /// The variable with the number of ranks on this rank's node.
    ranks_on_node: Option<&'static str>,
    /// Further variables that must be set.
    also: &'static [&'static str],
}

/// A launcher that sets these two variables: the number of ranks, and this rank's number.
const fn known(
    name: &'static str,
    family: LibraryFamily,
    size: &'static str,
    rank: &'static str,
) -> KnownLauncher {
    KnownLauncher { name, family, size: Some(size), rank, ranks_on_node: None, also: &[] }
}

const OPEN_MPI: LibraryFamily = LibraryFamily::OpenMpi;
const MPICH: LibraryFamily = LibraryFamily::Mpich;

/// The first match applies. A launcher that starts its helpers with another launcher is listed before it,
/// because its ranks have the variables of both.
const KNOWN: &[KnownLauncher] = &[
    KnownLauncher {
        ranks_on_node: Some("OMPI_COMM_WORLD_LOCAL_SIZE"),
        ..known("Open MPI's mpirun", OPEN_MPI, "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK")
    },
    KnownLauncher {
        ranks_on_node: Some("MV2_COMM_WORLD_LOCAL_SIZE"),
        ..known("mpirun_rsh (MVAPICH)", MPICH, "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK")
    },
    KnownLauncher {
        ranks_on_node: Some("MPI_LOCALNRANKS"),
        also: &["MPI_LOCALNRANKS"],
        ..known("hydra (MPICH)", MPICH, "PMI_SIZE", "PMI_RANK")
    },
    KnownLauncher { also: &["PALS_APID"], ..known("PALS", MPICH, "PMI_SIZE", "PALS_RANKID") },
    known("jsrun", OPEN_MPI, "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK"),
    known("flux run", MPICH, "FLUX_JOB_SIZE", "FLUX_TASK_RANK"),
    KnownLauncher {
        also: &["PMIX_RANK"],
        ..known("srun (PMIx)", OPEN_MPI, "SLURM_STEP_NUM_TASKS", "SLURM_PROCID")
    },
    known("srun", MPICH, "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
    known("a PMI launcher", MPICH, "PMI_SIZE", "PMI_RANK"),
    KnownLauncher {
        name: "a PMIx launcher",
        family: OPEN_MPI,
        size: None,
        rank: "PMIX_RANK",
        ranks_on_node: None,
        also: &["PMIX_NAMESPACE"],
    },
];

/// The launch that this program is a rank of, if any; `lookup` reads an environment variable.
pub fn detect(lookup: &dyn Fn(&str) -> Option<String>) -> Option<RankLaunch> {
    let number = |name: &str| lookup(name)?.trim().parse().ok();
    KNOWN.iter().find_map(|known| {
        let rank = number(known.rank)?;
        let size = match known.size {
            Some(name) => Some(number(name).filter(|size| rank < *size)?),
            None => None,
        };
        let all = known.also.iter().all(|name| lookup(name).is_some());
        let ranks_on_node = known.ranks_on_node.filter(|_| !simulates_nodes(lookup)).and_then(number);
        all.then_some(RankLaunch { name: known.name, family: known.family, size, rank, ranks_on_node })
    })
}

/// Prefixes of MPICH's settings that make one node look like several; [`simulates_nodes`] has the rest.
const SETTINGS: [&str; 3] = ["MPIR_CVAR_", "MPIR_PARAM_", "MPICH_"];
const SIMULATED_NODES: [&str; 6] =
    ["NOLOCAL", "NO_LOCAL", "NUM_CLIQUES", "ODD_EVEN_CLIQUES", "EVEN_ODD_CLIQUES", "CLIQUES_BY_BLOCK"];

/// Whether MPICH may simulate several nodes on one, which the launcher does not know.
fn simulates_nodes(lookup: &dyn Fn(&str) -> Option<String>) -> bool {
    let is_set = |setting: &str, name: &str| lookup(&format!("{setting}{name}")).is_some();
    SETTINGS.iter().any(|setting| SIMULATED_NODES.iter().any(|name| is_set(setting, name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An environment, and the expected launch.
    type Row<'a> = (&'a [(&'a str, &'a str)], &'static str, LibraryFamily, Option<u32>, u32);

    fn seen(environment: &[(&str, &str)]) -> Option<RankLaunch> {
        detect(&|name| environment.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn each_launcher_is_detected_by_its_variables() {
        let open_mpi = [
            ("OMPI_COMM_WORLD_SIZE", "4"),
            ("OMPI_COMM_WORLD_RANK", "3"),
            ("PMIX_RANK", "3"),
            ("PMIX_NAMESPACE", "n"),
        ];
        let mvapich = [("MV2_COMM_WORLD_SIZE", "2"), ("MV2_COMM_WORLD_RANK", "1"), ("PMI_SIZE", "2")];
        let hydra = [("PMI_SIZE", "8"), ("PMI_RANK", "0"), ("MPI_LOCALNRANKS", "8")];
        let pals = [("PALS_APID", "x"), ("PALS_RANKID", "5"), ("PMI_SIZE", "6"), ("PMI_RANK", "5")];
        let jsrun = [("JSM_NAMESPACE_SIZE", "3"), ("JSM_NAMESPACE_RANK", "2")];
        let flux = [("FLUX_JOB_SIZE", "2"), ("FLUX_TASK_RANK", "1"), ("PMI_SIZE", "2"), ("PMI_RANK", "1")];
        let srun_pmix = [("SLURM_STEP_NUM_TASKS", "4"), ("SLURM_PROCID", "1"), ("PMIX_RANK", "1")];
        let srun_pmi2 = [("SLURM_STEP_NUM_TASKS", "4"), ("SLURM_PROCID", "1"), ("PMI_RANK", "1")];
        let pmi = [("PMI_SIZE", "2"), ("PMI_RANK", "1")];
        let table: &[Row<'_>] = &[
            (&open_mpi, "Open MPI's mpirun", LibraryFamily::OpenMpi, Some(4), 3),
            (&mvapich, "mpirun_rsh (MVAPICH)", LibraryFamily::Mpich, Some(2), 1),
            (&hydra, "hydra (MPICH)", LibraryFamily::Mpich, Some(8), 0),
            (&pals, "PALS", LibraryFamily::Mpich, Some(6), 5),
            (&jsrun, "jsrun", LibraryFamily::OpenMpi, Some(3), 2),
            (&flux, "flux run", LibraryFamily::Mpich, Some(2), 1),
            (&srun_pmix, "srun (PMIx)", LibraryFamily::OpenMpi, Some(4), 1),
            (&srun_pmi2, "srun", LibraryFamily::Mpich, Some(4), 1),
            (&pmi, "a PMI launcher", LibraryFamily::Mpich, Some(2), 1),
            (&open_mpi[2..], "a PMIx launcher", LibraryFamily::OpenMpi, None, 3),
        ];
        for (environment, name, family, size, rank) in table {
            let ranks_on_node = (*name == "hydra (MPICH)").then_some(8);
            let wanted = RankLaunch { name, family: *family, size: *size, rank: *rank, ranks_on_node };
            assert_eq!(seen(environment), Some(wanted), "{environment:?}");
        }
        assert!(
            KNOWN.iter().all(|known| table.iter().any(|row| row.1 == known.name)),
            "each launcher has a row in the test"
        );
    }

    #[test]
    fn ranks_on_the_node_are_known_if_the_launcher_reports_them_and_mpich_simulates_no_nodes() {
        let open_mpi = [
            ("OMPI_COMM_WORLD_SIZE", "4"),
            ("OMPI_COMM_WORLD_RANK", "3"),
            ("OMPI_COMM_WORLD_LOCAL_SIZE", "2"),
        ];
        let mvapich =
            [("MV2_COMM_WORLD_SIZE", "2"), ("MV2_COMM_WORLD_RANK", "1"), ("MV2_COMM_WORLD_LOCAL_SIZE", "1")];
        let hydra = [("PMI_SIZE", "8"), ("PMI_RANK", "0"), ("MPI_LOCALNRANKS", "8")];
        for (environment, wanted) in [(open_mpi, 2), (mvapich, 1), (hydra, 8)] {
            assert_eq!(seen(&environment).expect("a launch").ranks_on_node, Some(wanted), "{environment:?}");
        }
        for setting in ["MPIR_CVAR_NUM_CLIQUES", "MPICH_NOLOCAL", "MPIR_PARAM_ODD_EVEN_CLIQUES"] {
            let launch = seen(&[&hydra[..], &[(setting, "2")]].concat()).expect("a launch");
            assert_eq!(launch.ranks_on_node, None, "{setting}");
        }
    }

    #[test]
    fn mpirun_inside_a_batch_job_is_the_launcher_and_not_srun() {
        let helper = [("SLURM_STEP_NUM_TASKS", "2"), ("SLURM_PROCID", "1"), ("SLURM_NTASKS", "8")];
        let hydra = [("PMI_SIZE", "8"), ("PMI_RANK", "5"), ("MPI_LOCALNRANKS", "4")];
        let launch = seen(&[&helper[..], &hydra].concat()).expect("a launch");
        assert_eq!((launch.name, launch.size), ("hydra (MPICH)", Some(8)));
    }

    #[test]
    fn a_batch_script_is_not_a_launch() {
        assert!(!seen(&[("PMI_SIZE", "1"), ("PMI_RANK", "0")]).expect("a launch of one").is_parallel());
        assert!(seen(&[("PMIX_RANK", "0"), ("PMIX_NAMESPACE", "n")]).expect("a launch").is_parallel());
        let script = [("SLURM_NTASKS", "64"), ("SLURM_PROCID", "0"), ("SLURM_JOB_ID", "7")];
        assert_eq!(seen(&script), None);
        assert_eq!(seen(&[]), None);
    }

    #[test]
    fn an_invalid_value_is_not_a_launch() {
        for (size, rank) in [("", "0"), ("many", "0"), ("2", "-1"), ("2", "2"), ("0", "0")] {
            assert_eq!(seen(&[("PMI_SIZE", size), ("PMI_RANK", rank)]), None, "{size}, {rank}");
        }
    }
}
