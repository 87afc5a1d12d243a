//! Series, groups and searches that cannot work, and ids that stand for two things.

use campaign::Plan;

use super::{HEAD, refusal, test_with};

fn reported(id: &str) -> String {
    test_with("ior = \"-w\"\nrole = \"reported\"").replace("\"T\"", &format!("\"{id}\""))
}

fn group(id: &str, keys: &str) -> String {
    let part = |id: &str| format!("[[group.parts]]\nid = \"{id}\"\nior = \"-w\"\nrole = \"reported\"\n");
    format!("[[group]]\nid = \"{id}\"\n{keys}{}{}", part("a"), part("b"))
}

fn series(id: &str, phase: &str) -> String {
    format!(
        "[[series]]\nid = \"{id}\"\nover = \"transfer\"\nsteps = [\"64k\", \"1m\"]\n[[series.phases]]\n\
         id = \"{phase}\"\nior = \"-w -t {{step}}\"\nrole = \"reported\"\n"
    )
}

#[test]
fn an_id_stands_for_one_thing_only() {
    let made = "[dataset.big]\nior = \"-w -k\"\n[state.full]\npreload = 5\n";
    for (rest, error) in [
        (made.to_owned() + &reported("dataset.big"), "test dataset.big: dataset.big has this id already"),
        (made.to_owned() + &reported("state.full"), "test state.full: state.full has this id already"),
        (group("G", "") + &group("G", ""), "group G: group G has this id already"),
        (group("G", "") + &reported("G"), "test G: group G has this id already"),
        (reported("G") + &group("G", ""), "group G: test G has this id already"),
        (group("G", "") + &reported("G.a"), "test G.a: test G.a has this id already"),
        (series("S", "w") + &series("S", "x"), "series S: series S has this id already"),
        (reported("S.t1m.w") + &series("S", "w"), "test S.t1m.w: test S.t1m.w has this id already"),
        (group("S.t1m.w", "") + &series("S", "w"), "test S.t1m.w: group S.t1m.w has this id already"),
    ] {
        let said = refusal(&rest);
        assert!(said.ends_with(&format!(": {error}")), "{said}");
    }
    let apart = made.to_owned() + &reported("big") + &group("full", "") + &series("S", "w");
    assert_eq!(Plan::parse(&format!("{HEAD}{apart}"), "p.toml").unwrap().tests.len(), 5);
}
