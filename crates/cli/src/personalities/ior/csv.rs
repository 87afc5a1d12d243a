//! Results as comma-separated values (IOR 4.1): a heading for each test, and a row for each phase. Another
//! file has the times of every rank.

use units::exponential;
use workloads::ior::{IorEvent, IorRankTimes};

use super::shown::{row_name, row_numbers};

/// The heading of each test.
pub(super) const HEADING: &str = "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),\
                                  close(s),total(s),numTasks,iter\n";

/// The row of an event; empty if it has none.
pub(super) fn results_of(event: &IorEvent<'_>) -> String {
    let IorEvent::Phase(phase) = event else { return String::new() };
    let Some(name) = row_name(&phase.phase) else { return String::new() };
    let numbers = row_numbers(phase).map(number).join(",");
    format!("{name},{numbers},{},{}\n", phase.ranks, phase.repetition)
}

/// A number with nine decimals; empty if it is not finite.
fn number(value: f64) -> String {
    if value.is_finite() { format!("{value:.9}") } else { String::new() }
}

/// The heading of `-O saveRankPerformanceDetailsCSV`.
pub(super) const RANKS_HEADING: &str =
    "access,rank,runtime-with-openclose,runtime,throughput-withopenclose,throughput\n";

/// Gives the rows of that file about a phase to `put`, one for each rank. No rank is kept in memory.
pub(super) fn ranks(phase: &str, rows: &[IorRankTimes], mut put: impl FnMut(&str)) {
    let Some(access) = row_name(phase) else { return };
    // Rows are written in groups: one call per row is slow, and all rows of 100,000 ranks take much memory.
    for (parcel, times) in rows.chunks(1024).enumerate() {
        let rows = times.iter().enumerate().map(|(at, times)| rank_row(access, parcel * 1024 + at, times));
        put(&rows.collect::<String>());
    }
}

/// The row of one rank. The throughput is that of its own bytes, and 0 if it moved none.
fn rank_row(access: &str, rank: usize, times: &IorRankTimes) -> String {
    let rate = |seconds: f64| if seconds > 0.0 { times.bytes as f64 / seconds } else { 0.0 };
    let numbers = [times.total_s, times.transfer_s, rate(times.total_s), rate(times.transfer_s)];
    format!("{access},{rank},{}\n", numbers.map(|value| exponential(value, 10)).join(","))
}

#[cfg(test)]
mod tests {
    use command::ior::{Output, ResultFormat};
    use workloads::kit::observer::EventObserver;

    use super::super::output::IorOutput;
    use super::super::shown::tests::{beginning, parsed, phase};
    use super::super::streams::Streams;
    use super::*;
    use crate::personalities::printer::tests::Page;

    fn csv(page: &Page, chatter: &Page) -> IorOutput {
        let look = Output { format: ResultFormat::Csv, ..Output::default() };
        IorOutput::new(Streams::apart(page, chatter), &look, &[])
    }

    #[test]
    fn the_results_are_a_heading_per_test_and_a_row_per_phase_only() {
        let (page, chatter) = (Page::default(), Page::default());
        let mut csv = csv(&page, &chatter);
        csv.begin("");
        for test in 0..2 {
            csv.test(&parsed(|parameters| (parameters.test, parameters.verbose) = (test, 3)), None);
            csv.event(&IorEvent::Begins(beginning("write")));
            csv.event(&IorEvent::Warning("w"));
            for name in ["write", "write_check", "mixed_read", "read_check"] {
                csv.event(&IorEvent::Phase(&phase(name, 3)));
            }
            csv.event(&IorEvent::Removed { repetition: 3, seconds: 1.0 });
            csv.end_test();
        }
        csv.finish(true, None).unwrap();
        let row = "2.000000000,16.000000000,0.002000000,1024.000000000,256.000000000,0.100000000,0.500000000,\
                   0.200000000,1.000000000,2,3\n";
        let test = format!("{HEADING}write,{row}mix-read,{row}read,{row}");
        assert_eq!(page.text(), test.repeat(2));
        assert!(chatter.text().contains("WARNING: w\n") && chatter.text().contains("Commencing write"));
    }

    #[test]
    fn a_microsecond_is_not_zero_and_nan_is_empty() {
        let (page, chatter) = (Page::default(), Page::default());
        let mut csv = csv(&page, &chatter);
        csv.test(&parsed(|_| ()), None);
        let mut odd = phase("write", 0);
        odd.spans.open_s = 1.25e-6;
        odd.spans.close_s = f64::NAN;
        csv.event(&IorEvent::Phase(&odd));
        assert!(page.text().contains(",0.000001250,0.500000000,,1.000000000,"), "{}", page.text());
    }

    #[test]
    fn each_rank_has_the_throughput_of_its_own_bytes() {
        let mut file = String::new();
        let rows = [
            IorRankTimes { total_s: 2.0, transfer_s: 1.0, bytes: 1000 },
            IorRankTimes { total_s: 4.0, transfer_s: 0.0, bytes: 3000 },
        ];
        for (phase, rows) in [("write", &rows[..]), ("write_check", &rows), ("read_check", &rows[..1])] {
            ranks(phase, rows, |text| file.push_str(text));
        }
        assert_eq!(
            file,
            "write,0,2.0000000000e+00,1.0000000000e+00,5.0000000000e+02,1.0000000000e+03\n\
             write,1,4.0000000000e+00,0.0000000000e+00,7.5000000000e+02,0.0000000000e+00\n\
             read,0,2.0000000000e+00,1.0000000000e+00,5.0000000000e+02,1.0000000000e+03\n"
        );
    }
}
