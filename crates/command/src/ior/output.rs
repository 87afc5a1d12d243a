//! The form and the files of the results of `ior`.

/// The form of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultFormat {
    /// The classic tables.
    #[default]
    Text,
    /// One JSON document.
    Json,
    /// A row for each phase.
    Csv,
}

impl ResultFormat {
    pub(super) fn parse(name: &str) -> Result<Self, String> {
        match name.to_lowercase().as_str() {
            "default" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            "csv" => Ok(Self::Csv),
            other => Err(format!("`{other}` is not a format. Use default, JSON or CSV")),
        }
    }
}

/// The version of IOR whose text is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edition {
    /// 4.1
    #[default]
    Ior41,
    /// 3.3 (`--compat 3.3`)
    Ior33,
}

impl Edition {
    /// The version of this name.
    pub fn parse(name: &str) -> Result<Self, String> {
        match name {
            "3.3" => Ok(Self::Ior33),
            "4.1" => Ok(Self::Ior41),
            other => Err(format!("`{other}` is neither 3.3 nor 4.1")),
        }
    }

    /// The version as IOR prints it.
    pub fn version(self) -> &'static str {
        match self {
            Self::Ior41 => "4.1.0+dev",
            Self::Ior33 => "3.3.0",
        }
    }
}

/// The form and the files of the results of a run; the same for all tests of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// `-O summaryFormat`
    pub format: ResultFormat,
    /// `-O summaryFile`; `None` for the standard output.
    pub file: Option<String>,
    /// `-O summaryAlways`
    pub summary_always: bool,
    /// `--compat`, or the variable for the same; `None` for 4.1.
    pub edition: Option<Edition>,
    /// Whether the output has no own lines: the variable for that is on.
    pub plain: bool,
    /// The version of the library below the backend, once it is loaded; empty if there is none.
    pub api_version: String,
    /// `-O saveRankPerformanceDetailsCSV`
    pub rank_csv: Option<String>,
    /// `--record FILE`
    pub record: Option<String>,
    /// `--live FILE`
    pub live: Option<String>,
    /// `--progress FILE`
    pub progress: Option<String>,
}

impl Output {
    /// The version of the text.
    pub fn edition(&self) -> Edition {
        self.edition.unwrap_or_default()
    }

    /// Whether standard output has JSON or CSV and nothing else.
    pub fn is_data_on_stdout(&self) -> bool {
        self.file.is_none() && self.format != ResultFormat::Text
    }
}
