//! A plan as it stands in its file: the TOML keys and nothing else.
//!
//! Invariant: every key of the file is a field here; an unknown one is an error with its place.
//! Never here: rules between keys, which `check` puts.

mod count;
mod course;
mod dataset;
mod parallel;
mod series;

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};
use toml::Spanned;

pub(crate) use count::{Count, CountOrNone, Nodes, Stripes};
pub(crate) use course::{ClientLimit, Order, Steady};
pub(crate) use dataset::{Cover, Dataset};
pub(crate) use parallel::{App, Group};
pub(crate) use series::{Over, Series};

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub(crate) schema: Spanned<i64>,
    pub(crate) plan: Head,
    /// Read before the rest, by `parameters`.
    #[serde(rename = "parameters")]
    _parameters: Option<IgnoredAny>,
    #[serde(rename = "scale")]
    _scale: Option<IgnoredAny>,
    pub(crate) fs: BTreeMap<String, Spanned<Fs>>,
    pub(crate) clients: Option<Clients>,
    pub(crate) launch: Option<Spanned<Launch>>,
    #[serde(default)]
    pub(crate) defaults: Defaults,
    #[serde(default)]
    pub(crate) known: BTreeMap<String, Spanned<Known>>,
    #[serde(default)]
    pub(crate) dataset: BTreeMap<String, Spanned<Dataset>>,
    #[serde(default)]
    pub(crate) state: BTreeMap<String, Spanned<State>>,
    #[serde(default)]
    pub(crate) test: Vec<Spanned<Test>>,
    #[serde(default)]
    pub(crate) series: Vec<Spanned<Series>>,
    #[serde(default)]
    pub(crate) group: Vec<Spanned<Group>>,
    #[serde(default)]
    pub(crate) system: BTreeMap<String, Spanned<System>>,
    #[serde(default)]
    pub(crate) projection: Vec<Projection>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub(crate) id: Spanned<String>,
    pub(crate) title: String,
    #[serde(default)]
    pub(crate) source: String,
    pub(crate) report: Option<Layout>,
    pub(crate) system: Option<Spanned<String>>,
}

/// How the report is laid out.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Layout {
    Usual,
    Procurement,
}

/// A system, as a table of systems has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct System {
    pub(crate) processor: String,
    pub(crate) clock: String,
    pub(crate) interconnect: String,
    pub(crate) cores: Count,
}

/// A rate of a system that is not measured.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Projection {
    pub(crate) of: Spanned<String>,
    pub(crate) from: Spanned<String>,
    pub(crate) to: Spanned<Count>,
    pub(crate) system: Spanned<String>,
    pub(crate) cap: Option<Spanned<String>>,
    pub(crate) confidence: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fs {
    pub(crate) dir: Spanned<String>,
    pub(crate) kind: Option<String>,
    pub(crate) servers: Option<Spanned<Count>>,
    pub(crate) targets: Option<Spanned<CountOrNone>>,
    pub(crate) set_servers: Option<Spanned<String>>,
    pub(crate) count_servers: Option<Spanned<String>>,
    pub(crate) health: Option<Spanned<String>>,
    pub(crate) traffic: Option<Spanned<String>>,
    pub(crate) quota: Option<Spanned<String>>,
    pub(crate) fill: Option<Spanned<Vec<Spanned<String>>>>,
    pub(crate) rate: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) waive: Vec<Waiver>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Clients {
    pub(crate) delivered: Option<Spanned<Count>>,
    pub(crate) hostfile: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) exclude: Vec<Spanned<String>>,
    pub(crate) memory: Option<Spanned<String>>,
    pub(crate) cores: Option<Spanned<CountOrNone>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Launch {
    pub(crate) kind: LaunchKind,
    pub(crate) program: Option<Spanned<String>>,
    pub(crate) argv: Option<Spanned<Vec<String>>>,
    pub(crate) options: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LaunchKind {
    Local,
    Mpirun,
    Aprun,
    Flux,
    Jsrun,
    Mpich,
    Openmpi,
    Pals,
    Srun,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Defaults {
    pub(crate) repetitions: Option<Spanned<Count>>,
    pub(crate) ranks: Option<Spanned<Count>>,
    pub(crate) nodes: Option<Spanned<Nodes>>,
    pub(crate) ppn: Option<Spanned<Count>>,
    pub(crate) timeout: Option<Spanned<String>>,
    pub(crate) decide: Option<Decide>,
    pub(crate) fs: Option<Spanned<String>>,
    pub(crate) cov_max: Option<Spanned<String>>,
    pub(crate) sustained: Option<Spanned<String>>,
    pub(crate) verify: Option<Verify>,
}

/// Whether what was written is read back and compared, outside of the time measured.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verify {
    After,
    No,
}

/// A number that is known beforehand, such as a published one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Known {
    pub(crate) value: String,
    pub(crate) source: String,
}

/// A finding that somebody answers for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Waiver {
    pub(crate) lint: Spanned<String>,
    pub(crate) why: String,
    pub(crate) by: Spanned<String>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decide {
    pub(crate) rule: Rule,
    pub(crate) confidence: Option<Spanned<f64>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Rule {
    Mean,
    Median,
    Min,
    LowerBound,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct State {
    pub(crate) age: Option<Spanned<String>>,
    pub(crate) preload: Option<Spanned<Count>>,
    pub(crate) degrade: Option<Spanned<String>>,
    pub(crate) mend: Option<Spanned<String>>,
    pub(crate) ranks: Option<Spanned<Count>>,
    pub(crate) nodes: Option<Spanned<Nodes>>,
    pub(crate) ppn: Option<Spanned<Count>>,
    pub(crate) fs: Option<Spanned<String>>,
    pub(crate) timeout: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) waive: Vec<Waiver>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Test {
    pub(crate) id: Spanned<String>,
    #[serde(default)]
    pub(crate) clause: String,
    pub(crate) ior: Option<Spanned<String>>,
    pub(crate) mdtest: Option<Spanned<String>>,
    pub(crate) fdtree: Option<Spanned<String>>,
    pub(crate) ls_lr: Option<Spanned<String>>,
    pub(crate) flash_io: Option<Spanned<String>>,
    pub(crate) mpi_io: Option<Spanned<String>>,
    pub(crate) app: Option<Spanned<App>>,
    pub(crate) ranks: Option<Spanned<Count>>,
    pub(crate) nodes: Option<Spanned<Nodes>>,
    pub(crate) ppn: Option<Spanned<Count>>,
    pub(crate) repetitions: Option<Spanned<Count>>,
    pub(crate) uses: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) setup: Vec<String>,
    #[serde(default)]
    pub(crate) exports: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) states: Vec<Spanned<String>>,
    #[serde(default)]
    pub(crate) degraded: bool,
    pub(crate) stripes: Option<Spanned<Stripes>>,
    #[serde(default)]
    pub(crate) role: Role,
    #[serde(default)]
    pub(crate) criterion: Criteria,
    pub(crate) timeout: Option<Spanned<String>>,
    pub(crate) cov_max: Option<Spanned<String>>,
    pub(crate) sustained: Option<Spanned<String>>,
    pub(crate) steady: Option<Spanned<Steady>>,
    pub(crate) warm_up: Option<Spanned<Count>>,
    pub(crate) order: Option<Spanned<Order>>,
    pub(crate) client_limit: Option<Spanned<ClientLimit>>,
    pub(crate) verify: Option<Verify>,
    pub(crate) compare_to: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) waive: Vec<Waiver>,
    #[serde(default)]
    pub(crate) cache: Cache,
    pub(crate) fs: Option<Spanned<String>>,
    pub(crate) decide: Option<Decide>,
}

impl Test {
    /// The lines that the test gives, each with the key of its workload.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (&'static str, &Spanned<String>)> {
        let all = [
            ("fdtree", &self.fdtree),
            ("flash_io", &self.flash_io),
            ("ior", &self.ior),
            ("ls_lr", &self.ls_lr),
            ("mdtest", &self.mdtest),
            ("mpi_io", &self.mpi_io),
        ];
        all.into_iter().filter_map(|(key, line)| Some((key, line.as_ref()?)))
    }
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    #[default]
    Contract,
    Reported,
    Hero,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cache {
    #[default]
    Cold,
    Warm,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Criterion {
    pub(crate) metric: Spanned<String>,
    pub(crate) stat: Option<Stat>,
    pub(crate) op: Option<Spanned<String>>,
    pub(crate) value: Option<Spanned<Value>>,
    pub(crate) linear_within: Option<Spanned<String>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stat {
    Mean,
    Median,
    Min,
    Max,
}

/// A criterion's value; a bare number is read so that its refusal can say more than "expected a string".
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Value {
    Text(String),
    Whole(i64),
    Decimal(f64),
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => out.write_str(text),
            Self::Whole(number) => write!(out, "{number}"),
            Self::Decimal(number) => write!(out, "{number}"),
        }
    }
}

/// One criterion or an array of them.
#[derive(Default)]
pub(crate) struct Criteria(pub(crate) Vec<Criterion>);

impl<'de> Deserialize<'de> for Criteria {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMore)
    }
}

struct OneOrMore;

impl<'de> Visitor<'de> for OneOrMore {
    type Value = Criteria;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(
            "a criterion such as { metric = \"write.bw\", op = \">=\", value = \"3.0 GB/s\" }, or \
             several in [ ]",
        )
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Criteria, A::Error> {
        Criterion::deserialize(MapAccessDeserializer::new(map)).map(|one| Criteria(vec![one]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Criteria, A::Error> {
        let mut all = Vec::new();
        while let Some(one) = seq.next_element()? {
            all.push(one);
        }
        Ok(Criteria(all))
    }
}
