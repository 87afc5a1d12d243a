//! The search for a parallel library at run time, and the check whether it was built on the running MPI.
//!
//! Two MPI libraries in one process destroy each other's files and messages. So the ELF header of a library
//! is read before it is loaded: it names the MPI library that is needed.
//!
//! Never here: loading, calls (a library's version comes from [`LibraryKind::version`]).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use object::Endianness;
use object::elf::{DT_NEEDED, DT_SONAME, FileHeader64};
use object::read::elf::{Dyn, FileHeader};

/// The file in which the loader keeps the paths of the system's libraries.
const CACHE: &str = "/etc/ld.so.cache";

/// Where libraries are, relative to an installation directory.
const FOLDERS: &[&str] = &["", "lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"];

/// The names of MPI libraries, before `.so`.
const MPI_NAMES: &[&str] = &["libmpi", "libmpich", "libmpi_abi", "libmpi_ibm"];

/// The prefixes of Cray's names, which end in a compiler's name and its version.
const CRAY_MPI_NAMES: &[&str] = &["libmpi_cray", "libmpi_gnu", "libmpi_intel", "libmpi_amd", "libmpi_nvidia"];

/// A library that the program searches for when it is first needed.
#[derive(Debug)]
pub struct LibraryKind {
    /// Its name for users.
    pub name: &'static str,
    /// The environment variable that names the library or its directory; if it is set, the search ends there.
    pub variable: &'static str,
    /// Environment variables by which sites and module files name the installation directory.
    pub homes: &'static [&'static str],
    /// Folders in which it is installed and the loader does not search.
    pub folders: &'static [&'static str],
    /// The names of its files, the preferred first; a `*` matches any characters.
    pub names: &'static [&'static str],
    /// Whether it works only with the MPI that it is built on.
    pub is_on_mpi: bool,
    /// Its version, as it reports it. The call loads the library: make it in a process that may die of it.
    pub version: fn(&Path) -> Result<String, String>,
    /// How to install it.
    pub advice: &'static str,
}

/// A library that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLibrary {
    /// Its path.
    pub path: PathBuf,
    /// The MPI library it was built on, by the name that the loader resolves; `None` for a build without MPI.
    pub mpi: Option<String>,
}

impl LibraryKind {
    /// The installed libraries, each once, in the order of the search.
    pub fn found(&self) -> Vec<FoundLibrary> {
        self.search(&|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    /// The first one built on the MPI library named `mpi`, or a one-line message with the ones that exist.
    pub fn fitting(&self, mpi: &str) -> Result<PathBuf, String> {
        fitting(self, self.found(), mpi)
    }

    /// The MPI library that one rank without a launcher loads for this library: that of the first build
    /// found. `None` if a build is on the MPICH family, because the usual search finds that family first.
    pub fn mpi_alone(&self) -> Option<String> {
        alone(&self.found())
    }

    /// The one-line message that no library was found, with a remedy.
    pub fn missing(&self) -> String {
        let Self { name, variable, advice, .. } = self;
        match std::env::var(variable).ok().filter(|value| !value.is_empty()) {
            Some(named) => format!("no {name} library was found: {variable} names {named}, which has none"),
            None => {
                let names = self.names.join(", ");
                format!("no {name} library was found ({names}). {advice}; or set {variable} to its path")
            }
        }
    }

    fn search(&self, lookup: &dyn Fn(&str) -> Option<String>) -> Vec<FoundLibrary> {
        let in_folder = |folder: &Path| named_in(folder, self.names);
        let mut paths = Vec::new();
        if let Some(named) = lookup(self.variable).map(PathBuf::from) {
            paths = if named.is_dir() { in_folder(&named) } else { vec![named] };
        } else {
            for home in self.homes.iter().filter_map(|name| lookup(name)) {
                for folder in FOLDERS {
                    paths.extend(in_folder(&Path::new(&home).join(folder)));
                }
            }
            let loader = lookup("LD_LIBRARY_PATH").unwrap_or_default();
            loader.split(':').filter(|folder| !folder.is_empty()).for_each(|folder| {
                paths.extend(in_folder(Path::new(folder)));
            });
            paths.extend(in_cache(&fs::read(CACHE).unwrap_or_default(), self.names));
            self.folders.iter().for_each(|folder| paths.extend(in_folder(Path::new(folder))));
        }
        let mut seen = BTreeSet::new();
        let there =
            paths.into_iter().filter(|path| fs::canonicalize(path).is_ok_and(|real| seen.insert(real)));
        there.map(|path| FoundLibrary { mpi: mpi_of(&path), path }).collect()
    }
}

fn alone(found: &[FoundLibrary]) -> Option<String> {
    let built: Vec<&str> = found.iter().filter_map(|found| found.mpi.as_deref()).collect();
    let of_mpich = |name: &str| name.starts_with("libmpich.") || name == "libmpi.so.12";
    if built.iter().any(|name| of_mpich(name)) { None } else { built.first().map(|name| (*name).to_owned()) }
}

fn fitting(kind: &LibraryKind, found: Vec<FoundLibrary>, mpi: &str) -> Result<PathBuf, String> {
    if let Some(fits) = found.iter().find(|found| found.mpi.as_deref() == Some(mpi)) {
        return Ok(fits.path.clone());
    }
    let LibraryKind { name, variable, .. } = kind;
    if found.is_empty() {
        return Err(kind.missing());
    }
    let each = found.iter().map(|found| {
        let on = found.mpi.as_ref().map_or("without MPI".to_owned(), |mpi| format!("on {mpi}"));
        format!("{} is built {on}", found.path.display())
    });
    let each = each.collect::<Vec<_>>().join(", ");
    Err(format!(
        "the ranks run on {mpi}, but {each}. Start them with the mpirun of that MPI, or set \
         {variable} to a {name} library built on {mpi}"
    ))
}

/// The MPI library that is loaded in this process, by the name under which other libraries need it; `None`
/// before one is loaded.
pub fn loaded_mpi() -> Option<String> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths: BTreeSet<&str> = maps.lines().filter_map(|line| Some(&line[line.find('/')?..])).collect();
    let named = paths.into_iter().filter(|path| path.contains("/libmpi"));
    named.filter_map(|path| names_in(Path::new(path), DT_SONAME).into_iter().next()).find(|name| is_mpi(name))
}

/// The MPI library that the library at `path` needs.
fn mpi_of(path: &Path) -> Option<String> {
    names_in(path, DT_NEEDED).into_iter().find(|name| is_mpi(name))
}

/// Whether this is the name of an MPI library, not of its Fortran, C++ or Java libraries.
fn is_mpi(name: &str) -> bool {
    let Some((stem, _)) = name.split_once(".so") else { return false };
    MPI_NAMES.contains(&stem) || CRAY_MPI_NAMES.iter().any(|begin| stem.starts_with(begin))
}

/// The names under this tag in the dynamic section of a 64-bit ELF file; empty for other files.
fn names_in(path: &Path, tag: u32) -> Vec<String> {
    fs::read(path).ok().and_then(|data| names_of(&data, tag)).unwrap_or_default()
}

fn names_of(data: &[u8], tag: u32) -> Option<Vec<String>> {
    let header = FileHeader64::<Endianness>::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, data).ok()?;
    let (entries, link) = sections.dynamic(endian, data).ok()??;
    let strings = sections.strings(endian, data, link).ok()?;
    let tagged = entries.iter().filter(|entry| entry.d_tag(endian) == u64::from(tag));
    let name = |entry: &object::elf::Dyn64<Endianness>| entry.string(endian, strings).ok();
    Some(tagged.filter_map(name).map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// The paths that the loader's cache has for `names`, in the order of the names. In the cache every text ends
/// in a zero byte.
fn in_cache(cache: &[u8], names: &[&str]) -> Vec<PathBuf> {
    let texts = cache.split(|byte| *byte == 0).filter(|text| text.first() == Some(&b'/'));
    let paths: Vec<_> = texts.map(|text| PathBuf::from(String::from_utf8_lossy(text).into_owned())).collect();
    let of = |name: &&str| paths.iter().filter(|path| is_called(path, name)).cloned().collect::<Vec<_>>();
    names.iter().flat_map(of).collect()
}

/// The files of a directory that match `names`, in the order of the names.
fn named_in(folder: &Path, names: &[&str]) -> Vec<PathBuf> {
    let of = |name: &&str| match name.contains('*') {
        false => vec![folder.join(name)],
        true => {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
            paths.retain(|path| is_called(path, name));
            paths.sort();
            paths
        }
    };
    names.iter().flat_map(of).collect()
}

/// Whether the last part of the path matches `name`, in which one `*` matches any characters.
fn is_called(path: &Path, name: &str) -> bool {
    let Some(found) = path.file_name().and_then(|name| name.to_str()) else { return false };
    match name.split_once('*') {
        None => found == name,
        Some((begin, end)) => found.strip_prefix(begin).is_some_and(|rest| rest.contains(end)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: LibraryKind = LibraryKind {
        name: "C",
        variable: "ASSAY_C_LIBRARY",
        homes: &["C_HOME"],
        folders: &[],
        names: &["libnowhere.so", "libc.so.6"],
        is_on_mpi: true,
        version: |_| Ok("2".to_owned()),
        advice: "Debian: apt-get install libc6",
    };

    #[test]
    fn a_library_is_found_in_the_cache_by_its_whole_name_in_the_order_of_the_names() {
        let cache = b"ld.so-1.7\0libc.so.6\0/lib/libc.so.6\0libz.so\0/opt/lib/libz.so\0/x/notlibc.so.6";
        assert_eq!(in_cache(cache, &["libc.so.6"]), [PathBuf::from("/lib/libc.so.6")]);
        assert_eq!(in_cache(cache, &["libz.so", "libc.so.6"])[0], PathBuf::from("/opt/lib/libz.so"));
        assert!(in_cache(b"", &["libc.so.6"]).is_empty());
    }

    #[test]
    fn a_star_in_a_name_matches_the_suffixes_of_sites() {
        let name = "libhdf5_parallel*.so";
        for found in ["libhdf5_parallel.so.103", "libhdf5_parallel_gnu_91.so.200.1.0"] {
            assert!(is_called(&Path::new("/opt/lib").join(found), name), "{found}");
        }
        for found in ["libhdf5_parallel.a", "libhdf5_hl_parallel.so", "libhdf5.so"] {
            assert!(!is_called(&Path::new("/opt/lib").join(found), name), "{found}");
        }
        let dir = tempfile::tempdir().unwrap();
        for file in ["libhdf5_parallel_b.so", "libhdf5_parallel_a.so", "other"] {
            fs::write(dir.path().join(file), "").unwrap();
        }
        let paths = named_in(dir.path(), &["c", name]);
        let expected = ["c", "libhdf5_parallel_a.so", "libhdf5_parallel_b.so"];
        assert_eq!(paths, expected.map(|file| dir.path().join(file)));
    }

    #[test]
    fn a_library_named_by_the_user_is_not_replaced_by_another() {
        let lookup = |name: &str| (name == "ASSAY_C_LIBRARY").then(|| "/nowhere/libc.so.6".to_owned());
        assert!(KIND.search(&lookup).is_empty());
        let system = KIND.search(&|_| None);
        assert!(system[0].path.ends_with("libc.so.6") && system[0].mpi.is_none(), "{system:?}");
    }

    #[test]
    fn the_elf_header_gives_the_name_of_a_library_and_the_libraries_it_needs() {
        let libc = &KIND.search(&|_| None)[0].path;
        assert_eq!(names_in(libc, DT_SONAME), ["libc.so.6"]);
        let own = names_in(&std::env::current_exe().unwrap(), DT_NEEDED);
        assert!(own.contains(&"libc.so.6".to_owned()), "{own:?}");
        assert!(names_of(b"\x7fELF and nothing else", DT_NEEDED).is_none());
        assert_eq!(loaded_mpi(), None);
    }

    #[test]
    #[allow(clippy::print_stdout)]
    fn an_installed_parallel_library_names_the_mpi_it_is_built_on() {
        for (name, mpi) in
            [("libhdf5_openmpi.so.103", "libmpi.so.40"), ("libhdf5_mpich.so.103", "libmpich.so.12")]
        {
            let paths = in_cache(&fs::read(CACHE).unwrap_or_default(), &[name]);
            let Some(path) = paths.first() else {
                println!("SKIPPED: {name} is not installed; Debian has it");
                continue;
            };
            assert_eq!(mpi_of(path).as_deref(), Some(mpi), "{name}");
        }
    }

    #[test]
    fn language_bindings_of_mpi_are_not_mpi_libraries() {
        for name in ["libmpi.so.40", "libmpich.so.12", "libmpi_abi.so.1", "libmpi_gnu_123.so.12"] {
            assert!(is_mpi(name), "{name}");
        }
        for name in ["libmpi_cxx.so.40", "libmpi_mpifh.so.40", "libmpi_java.so", "libhdf5.so", "libmpifort"] {
            assert!(!is_mpi(name), "{name}");
        }
    }

    #[test]
    fn a_library_built_on_another_mpi_is_rejected_with_both_names() {
        let found =
            |mpi: Option<&str>| FoundLibrary { path: "/x/libc.so".into(), mpi: mpi.map(str::to_owned) };
        assert_eq!(fitting(&KIND, vec![found(None), found(Some("a"))], "a"), Ok("/x/libc.so".into()));
        let why =
            fitting(&KIND, vec![found(None), found(Some("libmpi.so.40"))], "libmpich.so.12").unwrap_err();
        assert_eq!(
            why,
            "the ranks run on libmpich.so.12, but /x/libc.so is built without MPI, /x/libc.so is built on \
             libmpi.so.40. Start them with the mpirun of that MPI, or set ASSAY_C_LIBRARY to a C library \
             built on libmpich.so.12"
        );
        let mpi = |names: &[Option<&str>]| alone(&names.iter().map(|name| found(*name)).collect::<Vec<_>>());
        assert_eq!(mpi(&[None, Some("libmpi.so.40")]).as_deref(), Some("libmpi.so.40"), "no other MPI fits");
        assert_eq!(mpi(&[Some("libmpi.so.40"), Some("libmpich.so.12")]), None, "the usual search finds it");
        assert_eq!(mpi(&[None]), None);
        let why = fitting(&KIND, Vec::new(), "libmpi.so.40").unwrap_err();
        assert!(why.starts_with("no C library was found (libnowhere.so, libc.so.6). Debian: "), "{why}");
    }
}
