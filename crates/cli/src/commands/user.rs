//! The user of this process.

/// The user of this process: the name that the system has for it, or its number.
pub(super) fn user() -> String {
    let id = rustix::process::getuid().as_raw();
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, number) = (fields.next()?, fields.nth(1)?);
        (number.parse() == Ok(id)).then(|| name.to_owned())
    });
    name.unwrap_or_else(|| format!("user {id}"))
}
