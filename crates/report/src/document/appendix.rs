//! The appendix: a section for each test, then those of the whole campaign.
//!
//! Sections are made one after another, because all sections of a large campaign need much more memory than
//! its records.
//!
//! Invariant: headings and sections have the same order.
//! Never here: the contents of sections.

use std::borrow::Cow;
use std::collections::BTreeMap;

use results::Verdict;
use results::folder::Campaign;

use super::anchors::TestAnchors;
use super::build::{anchors, shown_verdicts, test_ids};
use super::constants::{self, SharedNotes};
use super::jobs::JobAnchors;
use super::plots::{self, PlotDetail, TestParts};
use super::{Cell, Section, jobs, machine, method, summary, test_section};

/// The appendix of a report: everything that is not signed, in reading order.
pub struct Appendix<'c> {
    campaign: &'c Campaign,
    verdicts: Cow<'c, [Verdict]>,
    tests: TestAnchors,
    jobs: JobAnchors,
}

impl<'c> Appendix<'c> {
    /// The appendix of a campaign.
    pub fn new(campaign: &'c Campaign) -> Self {
        let verdicts = shown_verdicts(campaign);
        let (tests, jobs) = anchors(campaign, &verdicts);
        Self { campaign, verdicts, tests, jobs }
    }

    /// The heading of each section, with its link.
    pub fn headings(&self) -> Vec<Cell> {
        let of_tests = test_ids(self.campaign, &self.verdicts).into_iter();
        let of_tests = of_tests.map(|id| (self.tests.name(id).to_owned(), test_section::title(id)));
        let others = self.of_campaign().into_iter().map(|section| (section.id, section.title));
        of_tests.chain(others).map(|(id, title)| Cell::new(title).linked(format!("#{id}"))).collect()
    }

    /// The sections in reading order, each made when it is asked for.
    pub fn sections(&self) -> impl Iterator<Item = Section> {
        let detail = PlotDetail::for_campaign(self.campaign);
        let of_tests = self.of_tests(detail).map(|test| test_section::section(&test, &self.jobs));
        let mut notes = SharedNotes::default();
        of_tests.chain(self.of_campaign()).map(move |mut section| {
            constants::fold(&mut section);
            if !detail.usual_texts {
                notes.share(&mut section);
            }
            section
        })
    }

    fn of_tests(&self, detail: PlotDetail) -> impl Iterator<Item = TestParts<'_>> {
        let (mut jobs, mut verdicts) = (BTreeMap::<&str, Vec<_>>::new(), BTreeMap::<&str, Vec<_>>::new());
        for job in &self.campaign.jobs {
            jobs.entry(&job.info.test).or_default().push(job);
        }
        for verdict in self.verdicts.iter() {
            verdicts.entry(&verdict.test).or_default().push(verdict);
        }
        test_ids(self.campaign, &self.verdicts).into_iter().map(move |id| TestParts {
            id,
            anchor: self.tests.name(id),
            jobs: jobs.remove(id).unwrap_or_default(),
            verdicts: verdicts.remove(id).unwrap_or_default(),
            detail,
        })
    }

    fn of_campaign(&self) -> Vec<Section> {
        let mut sections = summary::sections(self.campaign);
        sections.push(jobs::section(self.campaign, &self.jobs));
        sections.push(machine::section(self.campaign));
        plots::add_to(&mut sections, self.campaign);
        sections.push(method::numbers());
        sections.push(method::evidence(self.campaign));
        sections
    }
}
