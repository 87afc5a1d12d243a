//! A panic while the view is open, in a terminal of its own.

use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::*;

/// Set in the process that panics: when it does.
const WHEN: &str = "ASSAY_TEST_PANIC";
/// The test that is this process.
const CHILD: &str = "commands::watch::screen::tests::a_view_panics_where_another_test_wants_it";

#[test]
fn a_view_panics_where_another_test_wants_it() {
    let Some(when) = std::env::var_os(WHEN) else { return };
    assert!(ScreenStream::Out.can_show(), "this process is in the foreground of a terminal");
    assert!(show(ScreenStream::Out, &CampaignShown::default));
    if when == "drawing" {
        std::thread::sleep(FRAME_EVERY);
        show(ScreenStream::Out, &|| panic!("the mistake"));
    }
    panic!("the mistake");
}

/// What is written to a terminal in which the view panics, and whether its keys are echoed at the end.
fn panicked(when: &str) -> Option<(String, bool)> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).ok()?;
    grantpt(&master).ok()?;
    unlockpt(&master).ok()?;
    let name = ptsname(&master, Vec::new()).ok()?;
    let end = rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).ok()?;
    let stdio = || Stdio::from(end.try_clone().expect("a descriptor"));
    let mut own = Command::new("setsid");
    own.arg("--ctty").arg(std::env::current_exe().expect("this program"));
    own.args(["--exact", CHILD, "--nocapture"]).env(WHEN, when).env("TERM", "xterm");
    let mut child = own.stdin(stdio()).stdout(stdio()).stderr(stdio()).spawn().ok()?;
    drop(own);
    let master = File::from(master);
    let mut reading = master.try_clone().expect("a descriptor");
    let reader = std::thread::spawn(move || {
        let (mut all, mut bytes) = (Vec::new(), [0; 4096]);
        while let Ok(count @ 1..) = reading.read(&mut bytes) {
            all.extend_from_slice(&bytes[..count]);
        }
        String::from_utf8_lossy(&all).into_owned()
    });
    let status = child.wait().expect("its end");
    assert!(!status.success(), "it has panicked");
    let modes = termios::tcgetattr(&master).expect("the modes").local_modes;
    drop(end);
    Some((reader.join().expect("the output"), modes.contains(LocalModes::ECHO | LocalModes::ICANON)))
}

#[test]
fn a_panic_restores_the_terminal_before_its_message_also_while_a_frame_is_drawn() {
    for when in ["beside", "drawing"] {
        let Some((text, is_echoed)) = panicked(when) else {
            println!("SKIPPED: no pseudo-terminal, or no setsid");
            return;
        };
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{when}: no {what:?} in {text:?}"));
        assert!(at(ENTER) < at(LEAVE) && at(LEAVE) < at("the mistake"), "{when}: {text:?}");
        assert_eq!(text.matches(ENTER).count(), 1, "{when}: it stays closed: {text:?}");
        assert!(is_echoed, "{when}: {text:?}");
    }
}
