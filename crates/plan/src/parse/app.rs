//! The rules of an external program: its command line can be started, and its metrics can be found.

use toml::Spanned;

use super::defaults::{Defaults, ParseResult, among};
use super::launch::without_empty;
use super::wire;
use crate::app::{App, AppMetric, KnownProgram};

impl Defaults<'_> {
    /// The program of a test.
    pub(super) fn app(&self, who: &str, spanned: &Spanned<wire::AppKeys>) -> ParseResult<App> {
        let wire::AppKeys { argv, stream, tasks, seconds, writes, .. } = spanned.get_ref();
        let argv = without_empty(argv);
        let rejected = |why: String| self.place.error(spanned, format!("{who}: app: {why}"));
        if argv.is_empty() {
            return Err(rejected(
                "give the program and its arguments as `argv = [\"./umt\", \"{dir}/dump\"]`".into(),
            ));
        }
        let (parse, metrics) = self.app_metrics(who, spanned)?;
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
        Ok(App {
            words: argv,
            metrics,
            parse,
            tasks: tasks.clone(),
            seconds: seconds.clone(),
            stream: stream.unwrap_or_default(),
            writes_bytes: writes.as_ref().map_or(Ok(0), |text| self.size(who, text))?,
        })
    }

    /// The metrics of a program, with the known program whose metrics they are.
    fn app_metrics(
        &self,
        who: &str,
        spanned: &Spanned<wire::AppKeys>,
    ) -> ParseResult<(Option<KnownProgram>, Vec<AppMetric>)> {
        let wire::AppKeys { metrics, parse, stream, .. } = spanned.get_ref();
        let stream = stream.unwrap_or_default();
        let rejected = |at, why: String| Err(self.place.error(at, format!("{who}: {why}")));
        match (parse, metrics.is_empty()) {
            (Some(name), true) => match KnownProgram::named(name.get_ref()) {
                Some(program) => Ok((Some(program), AppMetric::known(program, stream))),
                None => {
                    let near = among(name.get_ref(), KnownProgram::WORDS);
                    rejected(name, format!("`{}` is not a known output{near}", name.get_ref()))
                }
            },
            (Some(name), false) => rejected(name, "give `parse` or `metrics`, but not both".into()),
            (None, true) => {
                let what = "app: no metrics. Write `metrics = { \"step.bw\" = { line = \"rate: \
                    ([0-9.]+)\", unit = \"GB/s\" } }`, or `parse = \"ior\"`.";
                Err(self.place.error(spanned, format!("{who}: {what}")))
            }
            (None, false) => {
                let metric = |(name, metric): (&String, &wire::MetricKeys)| AppMetric {
                    name: name.clone(),
                    lines: vec![metric.line.clone()],
                    unit: metric.unit.clone(),
                    pick: metric.pick,
                    stream: metric.stream.unwrap_or(stream),
                };
                Ok((None, metrics.iter().map(metric).collect()))
            }
        }
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
