//! The progress of rank 0's own part, which is reported as that of all ranks.

use super::model::{AgeingModel, Leg};
use crate::kit::observer::EventObserver;

/// The shortest interval between two reports.
const TELL_NS: u64 = 200_000_000;

/// Progress, reported a few times a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgeingProgress {
    /// The step: `fill`, `age` or `settle`.
    pub step: &'static str,
    /// Written share of all bytes, 0 to 1.
    pub share: f64,
    /// The estimated remaining time, seconds; `None` before the first write.
    pub left_s: Option<f64>,
    /// Files of this rank.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Overwrite cycles up to now.
    pub cycles: f64,
    /// Bytes that this rank wrote per second, since the begin of this process.
    pub bytes_per_second: f64,
}

/// The listener, and the start values for the estimate.
pub(super) struct ProgressWatch<'a> {
    observer: Option<&'a mut dyn EventObserver<AgeingProgress>>,
    /// The expected bytes of this rank at the end.
    goal: f64,
    /// The start of this process, and the bytes written before.
    began_ns: u64,
    began_written: u64,
    reported_ns: u64,
}

impl<'a> ProgressWatch<'a> {
    /// The progress of a rank that fills by `model` and then overwrites this number of times.
    pub(super) fn new(
        observer: Option<&'a mut dyn EventObserver<AgeingProgress>>,
        model: &AgeingModel,
        cycles: f64,
    ) -> Self {
        let goal = model.bytes_to_fill() * (1.0 + cycles);
        Self { observer, goal, began_ns: 0, began_written: 0, reported_ns: 0 }
    }

    /// The remaining time is estimated from the data written since this moment.
    pub(super) fn begin(&mut self, now: u64, model: &AgeingModel) {
        (self.began_ns, self.began_written) = (now, model.written);
    }

    pub(super) fn tell(&mut self, now: u64, leg: Leg, model: &AgeingModel) {
        let Some(observer) = &mut self.observer else { return };
        if now < self.reported_ns + TELL_NS {
            return;
        }
        self.reported_ns = now;
        let written = model.written as f64;
        let rate = (model.written - self.began_written) as f64
            / now.saturating_sub(self.began_ns).max(1) as f64
            * 1e9;
        let left = (self.goal - written).max(0.0);
        observer.event(&AgeingProgress {
            step: step(leg),
            share: (written / self.goal.max(1.0)).min(1.0),
            left_s: (rate > 0.0).then(|| left / rate),
            files: model.files.len() as u64,
            bytes: model.bytes,
            cycles: model.cycles,
            bytes_per_second: rate,
        });
    }
}

fn step(leg: Leg) -> &'static str {
    match leg {
        Leg::Fill => "fill",
        Leg::Churn { .. } => "age",
        Leg::Adjust { .. } => "settle",
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::RankShare;
    use super::super::profile::Profile;
    use super::super::sizes::SizeFit;
    use super::*;

    #[derive(Default)]
    struct Reports(Vec<AgeingProgress>);

    impl EventObserver<AgeingProgress> for Reports {
        fn event(&mut self, progress: &AgeingProgress) {
            self.0.push(*progress);
        }
    }

    #[test]
    fn the_share_is_one_of_bytes_that_are_written_and_the_time_left_that_of_this_process() {
        // Files much smaller than a block.
        let profile = Profile::read("[size]\nmedian_bytes = 300\nsigma = 0.5\ntail_share = 0\n").unwrap();
        let fit = SizeFit { files: 500, block: 4096, largest: 40_000, mean: None };
        let share = RankShare { fit, dirs: 50 };
        let mut model = AgeingModel::new(1, (0, 1), &profile, share).unwrap();
        let mut reports = Reports::default();
        let mut watch = ProgressWatch::new(Some(&mut reports), &model, 1.0);
        let churn = Leg::Churn { cycles: 1.0 };
        for (number, leg) in [(1, Leg::Fill), (2, churn)] {
            model.begin(leg);
            while model.next().is_some() {}
            // Started again at the end of the fill, after the long check of the tree.
            watch.tell(number * 1_000_000_000, leg, &model);
            watch.begin(number * 1_000_000_000, &model);
        }
        watch.tell(9_000_000_000, Leg::Adjust { files: 0, bytes: None }, &model);
        let reported: Vec<_> =
            reports.0.iter().map(|report| (report.step, (report.share * 100.0).round())).collect();
        assert_eq!(reported, [("fill", 50.0), ("age", 100.0), ("settle", 100.0)]);
        assert!((reports.0[0].left_s.unwrap() - 1.0).abs() < 0.05, "{:?}", reports.0[0]);
        assert_eq!(reports.0[2].left_s, None, "nothing was written yet");
    }
}
