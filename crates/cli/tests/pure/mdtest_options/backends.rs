//! The rows of options of backends.

use super::Left as _;
use crate::common::options::{
    Row, Seen, calls, fails, no_beegfs, no_create_sharing, no_gpfs, not_on_lustre, works,
};

fn direct(seen: &Seen) {
    seen.direct("file_creation", "file.mdtest");
}

fn slept(seen: &Seen) {
    seen.slept("file_creation");
}

pub(super) const ROWS: &[Row] = &[
    works("--aio.granularity", "-a AIO -C -F -n 1 -w 4096 {4}", |seen| assert_eq!(seen.items(), (2, 0))),
    works("--aio.max-pending", "-a AIO -C -F -n 1 -w 4096 {32}", |seen| assert_eq!(seen.items(), (2, 0))),
    fails("--aio.max-pending", "-a AIO -C -F -n 1 -w 4096 {4}", 2, |seen| seen.err("give at least 8")),
    calls("--aio.odirect", "-a AIO -C -F -n 1 -w 4096 {}", direct),
    works("--dummy.delay-close", "-a DUMMY -C -F -n 1 {100000}", slept),
    works("--dummy.delay-create", "-a DUMMY -C -F -n 1 {100000}", slept),
    works("--dummy.delay-only-rank0", "-a DUMMY -C -F -n 1 --dummy.delay-create=100000 {}", |seen| {
        assert_eq!(seen.phase("file_creation")["balance"]["slowest_rank"], 0);
    }),
    works("--dummy.delay-sync", "-a DUMMY -C -F -n 1 -w 8 -y {100000}", slept),
    works("--dummy.delay-xfer", "-a DUMMY -C -F -n 1 -w 8 {100000}", slept),
    works("--posix.beegfs.ChunkSize", "-C -F -n 1 {64k}", no_beegfs),
    works("--posix.beegfs.NumTargets", "-C -F -n 1 {4}", no_beegfs),
    works("--posix.gpfs.createsharing", "-C -F -n 1 {}", no_create_sharing),
    works("--posix.gpfs.finegrainreadsharing", "-C -F -n 1 {}", no_gpfs),
    works("--posix.gpfs.finegrainwritesharing", "-C -F -n 1 {}", no_gpfs),
    works("--posix.gpfs.hintaccess", "-C -F -n 1 {}", no_gpfs),
    works("--posix.gpfs.releasetoken", "-C -F -n 1 {}", no_gpfs),
    fails("--posix.lustre.ignorelocks", "-C -F -n 1 {}", 4, not_on_lustre),
    fails("--posix.lustre.pool", "-C -F -n 1 --posix.lustre.stripecount=1 {p}", 4, not_on_lustre),
    fails("--posix.lustre.startost", "-C -F -n 1 --posix.lustre.stripecount=1 {1}", 4, not_on_lustre),
    fails("--posix.lustre.stripecount", "-C -F -n 1 {2}", 4, not_on_lustre),
    fails("--posix.lustre.stripesize", "-C -F -n 1 {64k}", 4, not_on_lustre),
    calls("--posix.odirect", "-C -F -n 1 -w 4096 {}", direct),
    calls("--posix.rangelocks", "-C -F -n 1 -w 64 {}", |seen| {
        assert_eq!(seen.called(&["fcntl(", "F_WRLCK"]), 2, "a lock for each write: {}", seen.trace);
    }),
    calls("--uring.odirect", "-a URING -C -F -n 1 -w 4096 {}", direct),
    works("--uring.plain-buffers", "-a URING -C -F -n 1 -w 4096 {}", |seen| assert_eq!(seen.items(), (2, 0))),
];
