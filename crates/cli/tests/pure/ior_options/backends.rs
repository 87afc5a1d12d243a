//! The rows of options of backends.

use crate::common::options::{
    Row, Seen, calls, fails, no_beegfs, no_create_sharing, no_gpfs, not_on_lustre, works,
};

/// The option is accepted, and the calls are the same: one for each transfer.
fn same(seen: &Seen) {
    assert_eq!(seen.phase("write")["ops"].as_u64(), Some(12), "{:#?}", seen.ran);
    assert_eq!(seen.bytes("f")[..4], *b"CDF\x05");
}

/// The number of calls of each rank equals the number of transfers in a block.
fn strided(seen: &Seen) {
    let phase = seen.phase("write");
    assert_eq!(phase["ops"].as_u64(), phase["ranks"].as_u64().map(|ranks| 4 * ranks));
}

fn direct(seen: &Seen) {
    seen.direct("write", "\"f\"");
}

pub(super) const ROWS: &[Row] = &[
    calls("--aio.granularity", "-a AIO -w -b 64k -t 4k -o f {4}", |seen| {
        assert_eq!(seen.called(&["io_submit(", ", 4, ["]), 8, "16 transfers a rank in groups of 4");
    }),
    calls("--aio.max-pending", "-a AIO -w -b 64k -t 4k -o f {32}", |seen| {
        assert_eq!(seen.called(&["io_setup(32, "]), 3, "one test call, and one call of each rank");
    }),
    fails("--aio.max-pending", "-a AIO -w -o f {4}", 2, |seen| seen.err("give at least 8")),
    calls("--aio.odirect", "-a AIO -w -b 64k -t 4k -o f {}", direct),
    works("--dummy.delay-close", "-a DUMMY -w {200000}", |seen| {
        assert!(seen.number("write", "spans.close_s") >= 0.2);
    }),
    works("--dummy.delay-create", "-a DUMMY -w {200000}", |seen| {
        assert!(seen.number("write", "spans.open_s") >= 0.2);
    }),
    works("--dummy.delay-only-rank0", "-a DUMMY -w -b 8 -t 8 --dummy.delay-xfer=200000 {}", |seen| {
        assert_eq!(seen.number("write", "balance.slowest_rank"), 0.0);
    }),
    works("--dummy.delay-sync", "-a DUMMY -w -e {200000}", |seen| {
        assert!(seen.number("write", "spans.transfer_s") >= 0.2);
    }),
    works("--dummy.delay-xfer", "-a DUMMY -w -b 32 -t 8 {50000}", |seen| {
        assert!(seen.number("write", "spans.transfer_s") >= 0.2);
    }),
    calls("--hdf5.chunkSize", "-a HDF5 -w -k -b 64k -t 64k -o f {1024}", |seen| {
        assert!(
            seen.called(&["pwrite64(", "/f>", ", 8192, "]) >= 8,
            "a write for each chunk: {}",
            seen.trace
        );
    }),
    calls("--hdf5.collectiveMetadata", "-a HDF5 -w -k -b 64k -t 64k -o f {}", |seen| {
        assert_eq!(
            seen.called(&["pwrite64(", "/f>"]),
            3,
            "all metadata except the header in one write: {}",
            seen.trace
        );
    }),
    works("--hdf5.hintsFileName", "-a HDF5 -w -b 64k -t 64k -o f --hdf5.showHints {hints}", |seen| {
        seen.out("hints passed to access property list {\n\tcb_nodes = 1\n}\n");
    }),
    fails("--hdf5.individualDataSets", "-a HDF5 -w -c -o f {}", 2, |seen| seen.err("Leave out -c")),
    calls("--hdf5.noFill", "-a HDF5 -w -k -b 64k -t 64k --hdf5.chunkSize=8192 -o f {}", |seen| {
        assert_eq!(seen.called(&["pwrite64(", "/f>", ", 65536, "]), 1, "the data only: {}", seen.trace);
    }),
    calls("--hdf5.setAlignment", "-a HDF5 -w -k -b 64k -t 64k -o f {4k}", |seen| {
        assert_eq!(seen.called(&["pwrite64(", "/f>", ", 65536, 4096)"]), 1, "{}", seen.trace);
    }),
    works("--hdf5.showHints", "-a HDF5 -w -b 64k -t 64k -o f {}", |seen| {
        seen.out("hints passed to access property list {\n");
        seen.out("hints returned from opened file {\n");
    }),
    calls("--mmap.madv_dont_need", "-a MMAP -w -b 64k -t 4k -o f {}", |seen| {
        assert!(seen.called(&["madvise(", "MADV_DONTNEED"]) > 0);
    }),
    calls("--mmap.madv_pattern", "-a MMAP -w -b 64k -t 4k -o f {}", |seen| {
        assert!(seen.called(&["madvise(", "MADV_SEQUENTIAL"]) > 0);
    }),
    calls("--mmap.madv_pattern", "-a MMAP -w -b 64k -t 4k -o f {2}", |seen| {
        assert!(seen.called(&["madvise(", "MADV_RANDOM"]) > 0);
    }),
    works("--mpiio.hintsFileName", "-a MPIIO -w -b 64k -t 64k -o f --mpiio.showHints {hints}", |seen| {
        seen.out("hints passed to MPI_File_open() {\n\tcb_nodes = 1\n}\n");
    }),
    calls("--mpiio.preallocate", "-a MPIIO -w -b 64k -t 16k -o f {}", |seen| {
        assert!(seen.called(&["/f>", ", 65536"]) > 0, "all of it at once: {}", seen.trace);
    }),
    works("--mpiio.showHints", "-a MPIIO -w -b 64k -t 64k -o f {}", |seen| {
        seen.out("hints passed to MPI_File_open() {\n");
        seen.out("hints returned from opened file {\n");
    }),
    // Without a file view each segment has its own calls.
    works(
        "--mpiio.useFileView",
        "-a MPIIO --mpiio.useStridedDatatype -w -b 64k -t 16k -s 3 -o f {}",
        strided,
    ),
    works(
        "--mpiio.useStridedDatatype",
        "-a MPIIO --mpiio.useFileView -w -b 64k -t 16k -s 3 -o f {}",
        strided,
    ),
    works("--ncmpi.hintsFileName", "-a NCMPI -w -b 64k -t 64k -o f --ncmpi.showHints {hints}", |seen| {
        seen.out("hints passed to MPI_File_open() {\n\tcb_nodes = 1\n}\n");
    }),
    works("--ncmpi.preallocate", "-a NCMPI -w -k -b 64k -t 16k -s 3 -o f {}", same),
    works("--ncmpi.showHints", "-a NCMPI -w -b 64k -t 64k -o f {}", |seen| {
        seen.out("hints passed to MPI_File_open() {\n");
        seen.out("hints returned from opened file {\n");
    }),
    works("--ncmpi.useFileView", "-a NCMPI -w -k -b 64k -t 16k -s 3 -o f {}", same),
    works("--ncmpi.useStridedDatatype", "-a NCMPI -w -k -b 64k -t 16k -s 3 -o f {}", same),
    works("--posix.beegfs.ChunkSize", "-a DUMMY -w {64k}", no_beegfs),
    works("--posix.beegfs.NumTargets", "-a DUMMY -w {4}", no_beegfs),
    works("--posix.gpfs.createsharing", "-a DUMMY -w {}", no_create_sharing),
    works("--posix.gpfs.finegrainreadsharing", "-w -b 64k -t 64k -o f {}", no_gpfs),
    works("--posix.gpfs.finegrainwritesharing", "-w -b 64k -t 64k -o f {}", no_gpfs),
    works("--posix.gpfs.hintaccess", "-w -b 64k -t 64k -o f {}", no_gpfs),
    works("--posix.gpfs.releasetoken", "-w -b 64k -t 64k -o f {}", no_gpfs),
    fails("--posix.lustre.ignorelocks", "-w -b 64k -t 64k -o f {}", 4, not_on_lustre),
    fails("--posix.lustre.pool", "-w -b 64k -t 64k -o f --posix.lustre.stripecount=1 {p}", 4, not_on_lustre),
    fails(
        "--posix.lustre.startost",
        "-w -b 64k -t 64k -o f --posix.lustre.stripecount=1 {1}",
        4,
        not_on_lustre,
    ),
    fails("--posix.lustre.stripecount", "-w -b 64k -t 64k -o f {2}", 4, not_on_lustre),
    fails("--posix.lustre.stripesize", "-w -b 64k -t 64k -o f {64k}", 4, not_on_lustre),
    calls("--posix.odirect", "-w -b 64k -t 4k -o f {}", direct),
    calls("--posix.odirect", "-a URING -w -b 64k -t 4k -o f {}", direct),
    calls("--posix.rangelocks", "-w -b 64k -t 16k -o f {}", |seen| {
        assert_eq!(seen.called(&["fcntl(", "F_WRLCK"]), 8, "a lock for each transfer");
    }),
    calls("--uring.odirect", "-a URING -w -b 64k -t 4k -o f {}", direct),
    calls("--uring.plain-buffers", "-a URING -w -b 64k -t 4k -o f {}", |seen| {
        assert!(seen.called(&["io_uring_setup("]) > 0);
        assert_eq!(seen.called(&["io_uring_register(", "IORING_REGISTER_BUFFERS"]), 0);
    }),
];
