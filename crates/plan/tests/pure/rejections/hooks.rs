//! File systems with commands, and states in which a part is offline.

use plan::Plan;
use plan::Stripes;

use super::{HEAD, rejection, test_with};

const LOST: &str = "[state.s]\ndegrade = \"off\"\nrestore = \"on\"\n";

/// A plan whose file system has these keys.
fn on(fs: &str, rest: &str) -> Result<Plan, String> {
    let head = HEAD.replace("\"{dir}\" }", &format!("\"{{dir}}\"{fs} }}"));
    let test = test_with("ior = \"-w\"\nrole = \"reported\"");
    Plan::parse(&format!("{head}{rest}{test}"), "p.toml").map_err(|rejected| rejected.0)
}

#[test]
fn fill_needs_two_shares_of_blocks_with_the_lower_one_first() {
    assert_eq!(
        on(", fill = [\"50%\", \"75 %\"]", "").unwrap().file_systems["scratch"].fill,
        Some((0.5, 0.75))
    );
    for (fill, error) in [
        (
            "[\"60%\"]",
            "p.toml:3:38: fs.scratch: `fill` needs two shares. Write for example [\"60%\", \
                       \"70%\"].",
        ),
        ("[\"70%\", \"60%\"]", "p.toml:3:38: fs.scratch: write the lower share of `fill` first"),
        (
            "[\"60%\", \"110%\"]",
            "p.toml:3:46: fs.scratch: `110%` is not a share of blocks. Write for \
                                 example `60%`.",
        ),
        (
            "[\"60\", \"70%\"]",
            "p.toml:3:39: fs.scratch: `60` is not a share of blocks. Write for example \
                               `60%`.",
        ),
    ] {
        assert_eq!(on(&format!(", fill = {fill}"), "").unwrap_err(), error);
    }
}

#[test]
fn a_degraded_state_needs_both_commands_and_a_way_to_see_the_offline_part() {
    let keys = |keys: &str| on("", &format!("[state.s]\n{keys}\n")).unwrap_err();
    assert_eq!(keys("degrade = \"off\""), "p.toml:5:11: state.s: give both `degrade` and `restore`");
    assert_eq!(
        keys("degrade = \"off\"\nrestore = \" \""),
        "p.toml:6:11: state.s: the command is empty. Write one."
    );
    assert_eq!(
        keys("degrade = \"off\"\nrestore = \"on\"\nppn = 2"),
        "p.toml:7:7: state.s: `ppn` has no effect with `degrade`, which is a command. Remove it."
    );
    assert_eq!(
        on(", kind = \"ext4\"", LOST).unwrap_err(),
        "p.toml:4:1: state.s: ext4 does not report its offline parts. Give fs.scratch a `health` command."
    );
    for fs in ["", ", kind = \"lustre\"", ", kind = \"ext4\", health = \"down\""] {
        on(fs, LOST).unwrap();
    }
}

#[test]
fn simultaneous_tests_on_one_file_system_share_its_degraded_state() {
    let part = |id: &str, keys: &str| {
        format!("[[group.parts]]\nid = \"{id}\"\nior = \"-w\"\nrole = \"reported\"\n{keys}\n")
    };
    let lost = "states = [\"s\"]";
    let group = format!("{LOST}[[group]]\nid = \"G\"\n{}", part("a", lost));
    assert_eq!(
        rejection(&format!("{group}{}", part("b", ""))),
        "p.toml:8:6: group G: G.a needs state.s, but G.b runs at the same time on fs.scratch without it. \
         Give both the same `states`."
    );
    Plan::parse(&format!("{HEAD}{group}{}", part("b", lost)), "p.toml").unwrap();
    let two = format!("{LOST}{}", LOST.replace("[state.s]", "[state.t]"));
    let both = test_with("ior = \"-w\"\nrole = \"reported\"\nstates = [\"s\", \"t\"]");
    assert_eq!(
        rejection(&format!("{two}{both}")),
        "p.toml:14:16: test T: state.t and state.s would be offline together. Make one state of both."
    );
}

#[test]
fn a_reader_has_the_stripes_of_its_files_unless_it_sets_them() {
    let reader = |keys: &str| {
        let test = test_with(&format!("ior = \"-r -k\"\nuses = \"dataset.d\"\nrole = \"reported\"\n{keys}"));
        let text = format!("{HEAD}[dataset.d]\nior = \"-w -k\"\nstripes = \"4\"\n{test}");
        Plan::parse(&text, "p.toml").map(|plan| plan.tests[0].stripes).map_err(|rejected| rejected.0)
    };
    assert_eq!(reader("").unwrap(), Some(Stripes::Count(4)));
    assert_eq!(reader("stripes = \"all\"").unwrap(), Some(Stripes::All));
    for (wrong, found) in [("0", "the number 0"), ("\"most\"", "the text `most`"), ("true", "`true`")] {
        assert_eq!(
            reader(&format!("stripes = {wrong}")).unwrap_err(),
            format!(
                "p.toml:12:11: `stripes` of [[test]] must be a whole number above 0, or `\"all\"`, such \
                 as `stripes = 1`, but it is {found}"
            )
        );
    }
    assert_eq!(
        reader("degraded = \"yes\"").unwrap_err(),
        "p.toml:12:12: `degraded` of [[test]] must be `true` or `false`, without quotes, such as \
         `degraded = true`, but it is the text `yes`"
    );
}
