//! The rows of options of older versions of IOR.

use crate::common::options::{Row, Seen, calls, fails, works};

/// The program reports that the option has no effect here, and its new name.
fn renamed_and_idle(seen: &Seen) {
    seen.err("assay: note: ");
    seen.err(" is now --");
}

fn no_effect(seen: &Seen) {
    seen.err("no effect");
}

fn lustre(seen: &Seen) {
    seen.err(" is now --posix.lustre.");
    seen.err("not on Lustre");
}

pub(super) const ROWS: &[Row] = &[
    calls("-B", "-w -b 64k -t 4k -o f {}", |seen| {
        assert!(seen.called(&["open", "\"f\"", "O_DIRECT"]) > 0, "{}", seen.trace);
        seen.err(" is now --posix.odirect");
    }),
    works("-H", "-a DUMMY -w {}", renamed_and_idle),
    works("-I", "-a DUMMY -w {}", renamed_and_idle),
    fails("-I", "-a HDF5 -w -c -o f {}", 2, |seen| seen.err("Leave out -c")),
    works("-J", "-a DUMMY -w {4k}", renamed_and_idle),
    works("-n", "-a DUMMY -w {}", renamed_and_idle),
    works("-p", "-a DUMMY -w {}", renamed_and_idle),
    works("-P", "-a DUMMY -w {}", no_effect),
    works("-q", "-a DUMMY -w {}", no_effect),
    works("-S", "-a DUMMY -w {}", renamed_and_idle),
    works("-U", "-a DUMMY -w {hints}", renamed_and_idle),
    works("-V", "-a DUMMY -w {}", renamed_and_idle),
    works("-O storeFileOffset", "-w -k -G 7 -b 64k -t 64k -o f {1}", |seen| {
        assert_eq!((seen.word("f", 0), seen.word("f", 1), seen.word("f", 512)), (0, 8, 0));
        seen.err(" is now -l offset");
    }),
    works("-O nodes", "-a DUMMY -w {3}", |seen| seen.out("nodes               : 3\n")),
    fails("-O showHelp", "{1}", 0, |seen| assert!(seen.ran.out.starts_with("Synopsis ior\n"))),
    works("-O testnum", "-a DUMMY -w {5}", no_effect),
    works("-O gpfsHintAccess", "-a DUMMY -w {1}", renamed_and_idle),
    works("-O gpfsReleaseToken", "-a DUMMY -w {1}", renamed_and_idle),
    works("-O beegfsNumTargets", "-a DUMMY -w {1}", no_effect),
    works("-O beegfsChunkSize", "-a DUMMY -w {64K}", no_effect),
    fails("-O lustreStripeCount", "-w -b 64k -t 64k -o f {2}", 4, lustre),
    fails("-O lustreStripeSize", "-w -b 64k -t 64k -o f {64K}", 4, lustre),
    fails("-O lustreStartOST", "-w -b 64k -t 64k -o f -O lustreStripeCount=2 {1}", 4, lustre),
    fails("-O lustreIgnoreLocks", "-w -b 64k -t 64k -o f {1}", 4, lustre),
    fails("-O lustrePool", "-w -b 64k -t 64k -o f -O lustreStripeCount=2 {p}", 4, lustre),
];
