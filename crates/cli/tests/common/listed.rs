//! Options from the help of a classic program, and all forms of writing them.

/// An option in the help.
#[derive(Debug, PartialEq)]
pub struct Listed {
    /// Its letter and its word.
    pub names: Vec<String>,
    /// Its names as a directive.
    pub directives: Vec<String>,
    /// Whether it takes a value.
    pub takes_value: bool,
}

/// Reads one line of the help; `None` if it lists no option.
pub fn listed(line: &str) -> Option<Listed> {
    let mut rest = line.strip_prefix("  ").filter(|rest| rest.starts_with('-'))?;
    let mut seen = Listed { names: Vec::new(), directives: Vec::new(), takes_value: false };
    loop {
        let directive = rest.strip_prefix("-O ");
        let word = directive.unwrap_or(rest).split(' ').next()?;
        rest = &directive.unwrap_or(rest)[word.len()..];
        seen.takes_value |= word.contains('=');
        let name = word.trim_end_matches(',').split('=').next()?;
        match directive {
            Some(_) => seen.directives.push(name.to_owned()),
            None => seen.names.push(name.to_owned()),
        }
        match word.ends_with(',') {
            true => rest = rest.trim_start(),
            false => break,
        }
    }
    if let Some((_, names)) = rest.strip_suffix(']').and_then(|rest| rest.rsplit_once(" [")) {
        seen.directives.extend(names.split(", ").map(str::to_owned));
    }
    Some(seen)
}

impl Listed {
    /// Its name in a row of a table.
    pub fn key(&self) -> String {
        self.names.first().cloned().unwrap_or_else(|| format!("-O {}", self.directives[0]))
    }

    /// All forms of writing it with this value. The value is empty for a flag without a number.
    pub fn forms(&self, value: &str) -> Vec<String> {
        let mut forms = Vec::new();
        for name in &self.names {
            forms.push(match (value, self.takes_value, name.starts_with("--")) {
                ("", ..) => name.clone(),
                (_, true, false) => format!("{name} {value}"),
                _ => format!("{name}={value}"),
            });
        }
        let value = if value.is_empty() { "1" } else { value };
        forms.extend(self.directives.iter().map(|name| format!("-O {name}={value}")));
        forms
    }
}
