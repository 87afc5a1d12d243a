//! The rules of an external program: its command line can be started, and its metrics can be found.

use toml::Spanned;

use super::defaults::{Defaults, ParseResult, among};
use super::launch::without_empty;
use super::wire;
use crate::app::{App, AppMetric};

impl Defaults<'_> {
    /// The program of a test.
    pub(super) fn app(&self, who: &str, spanned: &Spanned<wire::AppKeys>) -> ParseResult<App> {
        let wire::AppKeys { argv, metrics, parse, stream, tasks, seconds, writes } = spanned.get_ref();
        let argv = without_empty(argv);
        let stream = stream.unwrap_or_default();
        let rejected = |why: String| self.place.error(spanned, format!("{who}: app: {why}"));
        if argv.is_empty() {
            return Err(rejected(
                "give the program and its arguments as `argv = [\"./umt\", \"{dir}/dump\"]`".into(),
            ));
        }
        let metrics = match (parse, metrics.is_empty()) {
            (Some(name), true) => AppMetric::known(name.get_ref(), stream).map_err(|known| {
                let near = among(name.get_ref(), &known);
                self.place.error(name, format!("{who}: `{}` is not a known output{near}", name.get_ref()))
            })?,
            (Some(name), false) => {
                return Err(self
                    .place
                    .error(name, format!("{who}: give `parse` or `metrics`, but not both")));
            }
            (None, true) => {
                let what = "no metrics. Write `metrics = { \"step.bw\" = { line = \"rate: ([0-9.]+)\", \
                    unit = \"GB/s\" } }`, or `parse = \"ior\"`.";
                return Err(rejected(what.into()));
            }
            (None, false) => metrics
                .iter()
                .map(|(name, metric)| AppMetric {
                    name: name.clone(),
                    lines: vec![metric.line.clone()],
                    unit: metric.unit.clone(),
                    pick: metric.pick,
                    stream: metric.stream.unwrap_or(stream),
                })
                .collect(),
        };
        for metric in &metrics {
            if !metric.name.contains('.') {
                return Err(rejected(format!(
                    "`{}` has no phase. Write for example `step.bw`.",
                    metric.name
                )));
            }
            metric.dimension().map_err(|why| rejected(format!("{}: {why}", metric.name)))?;
        }
        for (name, line) in [("tasks", tasks), ("seconds", seconds)] {
            let why = line.as_ref().and_then(|line| crate::app::check(line).err());
            why.map_or(Ok(()), |why| Err(rejected(format!("{name}: {why}"))))?;
        }
        let writes_bytes = writes.as_ref().map_or(Ok(0), |text| self.size(who, text))?;
        Ok(App {
            words: argv,
            metrics,
            parse: parse.as_ref().map(|name| name.get_ref().clone()),
            tasks: tasks.clone(),
            seconds: seconds.clone(),
            stream,
            writes_bytes,
        })
    }

    /// The size that `writes` states.
    fn size(&self, who: &str, text: &Spanned<String>) -> ParseResult<u64> {
        match units::size(text.get_ref()) {
            Ok(bytes) => Ok(bytes as u64),
            _ => {
                let what = format!("{who}: writes is not a size. Write for example `1.4 TB`.");
                Err(self.place.error(text, what))
            }
        }
    }
}
