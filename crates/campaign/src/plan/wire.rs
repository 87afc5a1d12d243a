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

pub(super) use count::{Count, CountOrNone, Nodes, Stripes};
pub(super) use course::{ClientLimit, Order, Steady};
pub(super) use dataset::{Cover, Dataset};
pub(super) use parallel::{App, Group};
pub(super) use series::{Over, Series};

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) schema: Spanned<i64>,
    pub(super) plan: Head,
    /// Read before the rest, by `parameters`.
    #[serde(rename = "parameters")]
    _parameters: Option<IgnoredAny>,
    #[serde(rename = "scale")]
    _scale: Option<IgnoredAny>,
    pub(super) fs: BTreeMap<String, Spanned<Fs>>,
    pub(super) clients: Option<Clients>,
    pub(super) launch: Option<Spanned<Launch>>,
    #[serde(default)]
    pub(super) defaults: Defaults,
    #[serde(default)]
    pub(super) known: BTreeMap<String, Spanned<Known>>,
    #[serde(default)]
    pub(super) dataset: BTreeMap<String, Spanned<Dataset>>,
    #[serde(default)]
    pub(super) state: BTreeMap<String, Spanned<State>>,
    #[serde(default)]
    pub(super) test: Vec<Spanned<Test>>,
    #[serde(default)]
    pub(super) series: Vec<Spanned<Series>>,
    #[serde(default)]
    pub(super) group: Vec<Spanned<Group>>,
    #[serde(default)]
    pub(super) system: BTreeMap<String, Spanned<System>>,
    #[serde(default)]
    pub(super) projection: Vec<Projection>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    pub(super) id: Spanned<String>,
    pub(super) title: String,
    #[serde(default)]
    pub(super) source: String,
    pub(super) report: Option<Layout>,
    pub(super) system: Option<Spanned<String>>,
}

/// How the report is laid out.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Layout {
    Usual,
    Procurement,
}

/// A system, as a table of systems has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct System {
    pub(super) processor: String,
    pub(super) clock: String,
    pub(super) interconnect: String,
    pub(super) cores: Count,
}

/// A rate of a system that is not measured.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Projection {
    pub(super) of: Spanned<String>,
    pub(super) from: Spanned<String>,
    pub(super) to: Spanned<Count>,
    pub(super) system: Spanned<String>,
    pub(super) cap: Option<Spanned<String>>,
    pub(super) confidence: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fs {
    pub(super) dir: Spanned<String>,
    pub(super) kind: Option<String>,
    pub(super) servers: Option<Spanned<Count>>,
    pub(super) targets: Option<Spanned<CountOrNone>>,
    pub(super) set_servers: Option<Spanned<String>>,
    pub(super) count_servers: Option<Spanned<String>>,
    pub(super) health: Option<Spanned<String>>,
    pub(super) traffic: Option<Spanned<String>>,
    pub(super) quota: Option<Spanned<String>>,
    pub(super) fill: Option<Spanned<Vec<Spanned<String>>>>,
    pub(super) rate: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) waive: Vec<Waiver>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Clients {
    pub(super) delivered: Option<Spanned<Count>>,
    pub(super) hostfile: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) exclude: Vec<Spanned<String>>,
    pub(super) memory: Option<Spanned<String>>,
    pub(super) cores: Option<Spanned<CountOrNone>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Launch {
    pub(super) kind: LaunchKind,
    pub(super) program: Option<Spanned<String>>,
    pub(super) argv: Option<Spanned<Vec<String>>>,
    pub(super) options: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    pub(super) env: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum LaunchKind {
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
pub(super) struct Defaults {
    pub(super) repetitions: Option<Spanned<Count>>,
    pub(super) ranks: Option<Spanned<Count>>,
    pub(super) nodes: Option<Spanned<Nodes>>,
    pub(super) ppn: Option<Spanned<Count>>,
    pub(super) timeout: Option<Spanned<String>>,
    pub(super) decide: Option<Decide>,
    pub(super) fs: Option<Spanned<String>>,
    pub(super) cov_max: Option<Spanned<String>>,
    pub(super) sustained: Option<Spanned<String>>,
    pub(super) verify: Option<Verify>,
}

/// Whether what was written is read back and compared, outside of the time measured.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verify {
    After,
    No,
}

/// A number that is known beforehand, such as a published one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Known {
    pub(super) value: String,
    pub(super) source: String,
}

/// A finding that somebody answers for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Waiver {
    pub(super) lint: Spanned<String>,
    pub(super) why: String,
    pub(super) by: Spanned<String>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Decide {
    pub(super) rule: Rule,
    pub(super) confidence: Option<Spanned<f64>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Rule {
    Mean,
    Median,
    Min,
    LowerBound,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    pub(super) age: Option<Spanned<String>>,
    pub(super) preload: Option<Spanned<Count>>,
    pub(super) degrade: Option<Spanned<String>>,
    pub(super) mend: Option<Spanned<String>>,
    pub(super) ranks: Option<Spanned<Count>>,
    pub(super) nodes: Option<Spanned<Nodes>>,
    pub(super) ppn: Option<Spanned<Count>>,
    pub(super) fs: Option<Spanned<String>>,
    pub(super) timeout: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) waive: Vec<Waiver>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Test {
    pub(super) id: Spanned<String>,
    #[serde(default)]
    pub(super) clause: String,
    pub(super) ior: Option<Spanned<String>>,
    pub(super) mdtest: Option<Spanned<String>>,
    pub(super) fdtree: Option<Spanned<String>>,
    pub(super) ls_lr: Option<Spanned<String>>,
    pub(super) flash_io: Option<Spanned<String>>,
    pub(super) mpi_io: Option<Spanned<String>>,
    pub(super) app: Option<Spanned<App>>,
    pub(super) ranks: Option<Spanned<Count>>,
    pub(super) nodes: Option<Spanned<Nodes>>,
    pub(super) ppn: Option<Spanned<Count>>,
    pub(super) repetitions: Option<Spanned<Count>>,
    pub(super) uses: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) setup: Vec<String>,
    #[serde(default)]
    pub(super) exports: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) states: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) degraded: bool,
    pub(super) stripes: Option<Spanned<Stripes>>,
    #[serde(default)]
    pub(super) role: Role,
    #[serde(default)]
    pub(super) criterion: Criteria,
    pub(super) timeout: Option<Spanned<String>>,
    pub(super) cov_max: Option<Spanned<String>>,
    pub(super) sustained: Option<Spanned<String>>,
    pub(super) steady: Option<Spanned<Steady>>,
    pub(super) warm_up: Option<Spanned<Count>>,
    pub(super) order: Option<Spanned<Order>>,
    pub(super) client_limit: Option<Spanned<ClientLimit>>,
    pub(super) verify: Option<Verify>,
    pub(super) compare_to: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) waive: Vec<Waiver>,
    #[serde(default)]
    pub(super) cache: Cache,
    pub(super) fs: Option<Spanned<String>>,
    pub(super) decide: Option<Decide>,
}

impl Test {
    /// The lines that the test gives, each with the key of its workload.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&'static str, &Spanned<String>)> {
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
pub(super) enum Role {
    #[default]
    Contract,
    Reported,
    Hero,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Cache {
    #[default]
    Cold,
    Warm,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Criterion {
    pub(super) metric: Spanned<String>,
    pub(super) stat: Option<Stat>,
    pub(super) op: Option<Spanned<String>>,
    pub(super) value: Option<Spanned<Value>>,
    pub(super) linear_within: Option<Spanned<String>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stat {
    Mean,
    Median,
    Min,
    Max,
}

/// A criterion's value; a bare number is read so that its refusal can say more than "expected a string".
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Value {
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
pub(super) struct Criteria(pub(super) Vec<Criterion>);

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
