//! Truth for who is slow: a parallel file system whose bricks have known speeds, one of them planted.

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::campaign::{Place, json, names};
use crate::common::gluster::{Gluster, Volume};
use crate::common::{Mpi, run};

const MIB: u64 = 1 << 20;
const RANKS: usize = 16;

/// What one campaign on the volume left: the warnings of its verdict, which ranks' files lay on each brick,
/// and the report.
struct Told {
    warnings: Vec<serde_json::Value>,
    on: Vec<BTreeSet<u64>>,
    report: String,
}

/// Sixteen ranks write a file each, twice.
fn campaign(gluster: &Gluster, bricks: usize) -> Told {
    let place = Place::new();
    place.plan(&format!(
        "[[test]]\nid = \"W\"\nior = \"-w -F -e -t 128k -b 2m -k\"\nranks = {RANKS}\nrepetitions = 2\n\
         criterion = {{ metric = \"write.bw\", stat = \"max\", op = \">=\", value = \"1 kB/s\" }}\n"
    ));
    std::fs::create_dir(place.path("evidence")).unwrap();
    let mount = gluster.mount();
    place.assay(&format!("run p.toml --dir {} --campaigns evidence", mount.display())).ok();
    let folder = place.path("evidence").join(&names(&place.path("evidence"))[0]);
    let verdicts = json(&folder.join("verdicts.json"));
    let warnings = verdicts[0]["warnings"].as_array().unwrap();
    let warnings = warnings.iter().map(|warning| warning["reason"].clone()).collect();
    let mut on = vec![BTreeSet::new(); bricks];
    for job in names(&folder.join("jobs")) {
        let each = each_rank(&folder.join("jobs").join(job));
        for (brick, on) in (1..).zip(&mut on) {
            let name = gluster.name(brick);
            on.extend((0..RANKS).filter(|rank| target(&each, *rank) == name).map(|rank| rank as u64));
        }
    }
    let report = std::fs::read_to_string(folder.join("report.html")).unwrap().replace('\u{a0}', " ");
    Told { warnings, on, report }
}

/// The columns of the one phase that a job recorded.
fn each_rank(job: &Path) -> serde_json::Value {
    let records = std::fs::read_to_string(job.join("records.jsonl")).unwrap();
    let phase = records.lines().find(|line| line.contains(r#""record":"phase""#)).unwrap();
    serde_json::from_str::<serde_json::Value>(phase).unwrap()["each_rank"].take()
}

/// The brick that a rank's file lay on.
fn target(each: &serde_json::Value, rank: usize) -> &str {
    let layout = each["layout"].as_array().unwrap();
    let layout = layout[if layout.len() == 1 { 0 } else { rank }].as_u64().unwrap() as usize;
    each["targets"][each["layouts"][layout][0].as_u64().unwrap() as usize].as_str().unwrap()
}

#[test]
fn a_slow_brick_is_named_with_its_ranks_and_sound_ones_are_not_accused() {
    let sound = 4 * MIB;
    let Some(gluster) = Gluster::start(Volume::Distribute, &[sound; 4]) else { return };
    let told = campaign(&gluster, 4);
    let known: BTreeSet<u64> = told.on.iter().flatten().copied().collect();
    assert_eq!(known.len(), RANKS, "of every file it is known where it lay: {:?}", told.on);
    // Hashes spread files unevenly: a brick that holds more of them than others may be told to.
    let accused = |told: &Told| -> Vec<serde_json::Value> {
        let slow = |one: &&serde_json::Value| one["code"] == "slow-group" && one["data"]["kind"] == "brick";
        told.warnings.iter().filter(slow).cloned().collect()
    };
    assert!(accused(&told).is_empty(), "{:#?}", told.warnings);
    gluster.throttle(3, MIB);
    // Where the hash put next to nothing on the slow brick, it is no measurement of it; names then differ.
    let told = (0..5).map(|_| campaign(&gluster, 4)).find(|told| told.on[2].len() >= 2);
    let told = told.expect("five directories hash alike");
    let accused = accused(&told);
    assert_eq!(accused.len(), 1, "{:#?}", told.warnings);
    let data = &accused[0]["data"];
    assert_eq!((&data["phase"], &data["name"]), (&"write".into(), &gluster.name(3).into()), "{accused:?}");
    let ranks: Vec<u64> = told.on[2].iter().copied().take(8).collect();
    assert_eq!(data["ranks"], serde_json::json!(ranks), "{accused:?} {:?}", told.on);
    let escaped = gluster.name(3).replace('/', "&#x2f;");
    assert!(told.report.contains(&escaped), "{escaped}");
}

#[test]
fn ranks_of_several_nodes_are_recorded_on_theirs() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let words = "ior -w -F -t 4k -b 64k -o f --record records.jsonl";
    let Some(mut command) = Mpi::Wheel.command(dir.path(), 5, words) else { return };
    // One machine that looks like two; ranks go round or stand side by side, as the library likes.
    run(command.env("MPIR_CVAR_NUM_CLIQUES", "2")).ok();
    let each = each_rank(dir.path());
    let nodes: Vec<&str> =
        each["nodes"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(matches!(nodes[..], [one, two] if two == format!("{one}#2")), "{nodes:?}");
    let of: Vec<u64> = each["node"].as_array().unwrap().iter().map(|node| node.as_u64().unwrap()).collect();
    assert_eq!((of.len(), of[0], of.iter().max()), (5, 0, Some(&1)), "{of:?}");
    assert_eq!(each["moved"], serde_json::json!([65536]));
}
