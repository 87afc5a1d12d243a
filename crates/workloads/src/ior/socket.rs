//! `-y`: a file system for each processor socket of a node (IOR 4.1).

use std::borrow::Cow;

use super::parameters::IorParameters;

/// The parameters as they are for this rank: with `-y` its files are `<o><socket>/data.<rank>`, by the
/// socket it runs on now; a rank that is moved later keeps its files.
pub(super) fn mounted(parameters: &IorParameters) -> Cow<'_, IorParameters> {
    if !parameters.dual_mount {
        return Cow::Borrowed(parameters);
    }
    Cow::Owned(on(parameters, here().unwrap_or(0)))
}

/// The same for a rank on `socket`.
fn on(parameters: &IorParameters, socket: u32) -> IorParameters {
    let base = |name: &str| format!("{name}{socket}/data");
    let test_file = parameters.files().into_iter().map(base).collect::<Vec<_>>().join("@");
    IorParameters { test_file, dual_mount: false, ..parameters.clone() }
}

/// The socket (physical package) of the processor that this thread runs on.
fn here() -> Option<u32> {
    let processor = processor(&std::fs::read_to_string("/proc/thread-self/stat").ok()?)?;
    let path = format!("/sys/devices/system/cpu/cpu{processor}/topology/physical_package_id");
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// The processor in the words of `/proc/…/stat`: the 39th, and the program's name, the second, may hold
/// anything up to its last `)`.
fn processor(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(36)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ior::names;

    #[test]
    fn each_socket_has_a_directory_of_its_own() {
        let parameters = IorParameters {
            test_file: "/mnt/fs".into(),
            file_per_rank: true,
            dual_mount: true,
            ..IorParameters::default()
        };
        let file = |socket| names::file(&on(&parameters, socket), 3, 0).display().to_string();
        assert_eq!((file(0), file(1)), ("/mnt/fs0/data.00000003".into(), "/mnt/fs1/data.00000003".into()));
        let twice = IorParameters { test_file: "a@b".into(), ..parameters };
        assert_eq!(names::file(&on(&twice, 1), 1, 0).display().to_string(), "b1/data.00000001");
    }

    #[test]
    fn the_processor_is_found_behind_a_strange_name() {
        let rest: Vec<String> = (3..=52).map(|field| field.to_string()).collect();
        assert_eq!(processor(&format!("12 (a) b (c) {}", rest.join(" "))), Some(39));
        assert_eq!(processor("nothing"), None);
    }

    #[test]
    fn this_machine_tells_its_socket_or_counts_as_socket_0() {
        let parameters = IorParameters { dual_mount: true, ..IorParameters::default() };
        let file = &mounted(&parameters).test_file;
        let socket: u32 = file.trim_start_matches("testFile").trim_end_matches("/data").parse().unwrap();
        assert_eq!(*file, format!("testFile{socket}/data"));
    }
}
