//! The rows of flags.

use crate::common::options::{Row, calls, fails, works};

pub(super) const ROWS: &[Row] = &[
    works("-c", "-a DUMMY -w {}", |seen| seen.out("type                : collective\n")),
    works("-C", "-a DUMMY -w {}", |seen| seen.out("ordering inter file : constant task offset\n")),
    calls("-e", "-w -b 64k -t 16k -o f {}", |seen| assert_eq!(seen.called(&["fsync(", "/f>"]), 2)),
    works("-E", "-w -k -b 64k -t 64k -o old {}", |seen| {
        assert_eq!(seen.size("old"), Some(1 << 20), "the old file was overwritten, not recreated");
        seen.out("exists already and will be overwritten");
    }),
    works("-F", "-w -k -b 64k -t 64k -o f {}", |seen| {
        assert_eq!((seen.size("f.00000000"), seen.size("f.00000001")), (Some(65536), Some(65536)));
        assert_eq!(seen.size("f"), None);
    }),
    works("-g", "-w -F -b 4m -t 64k -o f {}", |seen| {
        let span = |name: &str| seen.number("write", &format!("spans.{name}"));
        let sum = span("open_s") + span("transfer_s") + span("close_s");
        assert!(sum <= span("total_s") + 1e-6, "with barriers the parts do not overlap: {sum}");
    }),
    fails("--refuse-existing", "-w -b 64k -t 64k -o old {}", 4, |seen| {
        assert_eq!(seen.size("old"), Some(1 << 20), "the old file is as it was");
        seen.err("old exists, and --refuse-existing keeps it");
    }),
    works("--refuse-existing", "-w -k -i 2 -b 64k -t 64k -o f {}", |seen| {
        assert_eq!(seen.size("f"), Some(131_072), "the second repetition replaces the file of the first");
    }),
    fails("-h", "{}", 0, |seen| assert!(seen.ran.out.starts_with("Synopsis ior\n"))),
    fails("--version", "{}", 0, |seen| assert!(seen.ran.out.starts_with("IOR-4.1.0+dev (assay "))),
    fails("--version", "--compat 3.3 {}", 0, |seen| assert!(seen.ran.out.starts_with("IOR-3.3.0 (assay "))),
    works("-k", "-w -b 64k -t 64k -o f {}", |seen| assert_eq!(seen.size("f"), Some(131_072))),
    fails("-K", "-R -G 1 -b 64k -t 64k -o old {}", 4, |seen| assert_eq!(seen.size("old"), Some(1 << 20))),
    works("-m", "-w -k -i 2 -b 64k -t 64k -o f {}", |seen| {
        assert_eq!(
            (seen.size("f.0"), seen.size("f.1"), seen.size("f")),
            (Some(131_072), Some(131_072), None)
        );
    }),
    works("-r", "-b 64k -t 64k -o old {}", |seen| assert_eq!(seen.phases(), ["read"])),
    fails("-R", "-G 1 -b 64k -t 64k -o old {}", 4, |seen| {
        assert_eq!(seen.phases(), ["read_check"]);
        assert_eq!(seen.number("read_check", "check.bad_transfers"), 2.0);
    }),
    works("-u", "-w -k -F -b 64k -t 64k -o f {}", |seen| {
        assert_eq!((seen.size("0/f.00000000"), seen.size("1/f.00000001")), (Some(65536), Some(65536)));
    }),
    works("-v", "-a DUMMY -w {}", |seen| seen.out("verbose             : 1\n")),
    works("-v", "-a DUMMY -w {3}", |seen| seen.out("verbose             : 3\n")),
    works("-w", "-b 64k -t 64k -o f {}", |seen| assert_eq!(seen.phases(), ["write"])),
    works("-W", "-w -b 64k -t 64k -o f {}", |seen| {
        assert_eq!(seen.phases(), ["write", "write_check"]);
        assert_eq!(seen.number("write_check", "check.bad_transfers"), 0.0);
    }),
    Row {
        option: "-x",
        before: "",
        between: |_| {},
        words: "-r -k -b 300k -t 300k -o short {}",
        status: 4,
        traced: true,
        sees: |seen| {
            seen.err("end of file: moved 204800 of 307200 bytes");
            assert_eq!(seen.called(&["pread64(", "/short>"]), 2, "no transfer is resumed");
        },
    },
    works("-y", "-w -k -F -b 64k -t 64k -o d {}", |seen| {
        let there =
            |rank: u32| (0..4).any(|socket| seen.size(&format!("d{socket}/data.{rank:08}")).is_some());
        assert!(there(0) && there(1), "{:#?}", seen.ran);
    }),
    calls("-Y", "-w -b 64k -t 16k -o f {}", |seen| assert_eq!(seen.called(&["fsync(", "/f>"]), 8)),
    works("-z", "-w -b 64k -t 4k -o f {}", |seen| seen.out("ordering in a file  : random\n")),
    calls("-z", "-r -k -F -N 1 -b 64k -t 64k -o d0/x -O testFile=old@old -F=0 {2}", |seen| {
        seen.out("ordering in a file  : random\n");
        assert_eq!(seen.called(&["pread64(", "/old>"]), 1, "a block anywhere in the file");
    }),
    works("-Z", "-a DUMMY -w {}", |seen| seen.out("ordering inter file : random task offset\n")),
    works("--dryRun", "-w -k -b 64k -t 64k -o f {}", |seen| {
        assert!(seen.ran.out.starts_with("Dry run: nothing is opened, written or deleted.\n"));
        assert_eq!((seen.size("f"), seen.size("record")), (None, None));
    }),
    fails("--warningAsErrors", "-w -b 64k -t 64k -o old {}", 4, |seen| {
        seen.err("ior: --warningAsErrors: rank 0 ");
        seen.err("the file old already existed");
        assert!(seen.size("old").is_some());
    }),
    fails("--gpuDirect", "-w -o f {}", 2, |seen| seen.err("this program does not support CUDA")),
    works("--gpuDirect", "-a DUMMY -w {0}", |seen| seen.out("GPUDirect           : 0\n")),
    calls("--drop-caches", "-w -r -b 64k -t 64k -o f {}", |seen| {
        assert!(seen.called(&["fadvise64(", "POSIX_FADV_DONTNEED"]) > 0, "{}", seen.trace);
    }),
];
