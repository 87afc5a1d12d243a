//! Detection of stragglers on a parallel file system with bricks of known speeds, one of them slow.

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::campaign::{Place, json, names};
use crate::common::gluster::{Gluster, Volume};
use crate::common::{Mpi, run};

const MIB: u64 = 1 << 20;
const RANKS: usize = 16;

/// The result of a campaign on the volume: the warnings of its verdict, the ranks with files on each brick,
/// and the report.
struct CampaignResult {
    warnings: Vec<serde_json::Value>,
    on: Vec<BTreeSet<u64>>,
    report: String,
}

/// Runs a campaign in which each of sixteen ranks writes one file, twice.
fn campaign(gluster: &Gluster, bricks: usize) -> CampaignResult {
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
    CampaignResult { warnings, on, report }
}

/// The columns of the only phase that a job recorded.
fn each_rank(job: &Path) -> serde_json::Value {
    let records = std::fs::read_to_string(job.join("records.jsonl")).unwrap();
    let phase = records.lines().find(|line| line.contains(r#""record":"phase""#)).unwrap();
    serde_json::from_str::<serde_json::Value>(phase).unwrap()["each_rank"].take()
}

/// The brick with the file of a rank.
fn target(each: &serde_json::Value, rank: usize) -> &str {
    let layout = each["layout"].as_array().unwrap();
    let layout = layout[if layout.len() == 1 { 0 } else { rank }].as_u64().unwrap() as usize;
    each["targets"][each["layouts"][layout][0].as_u64().unwrap() as usize].as_str().unwrap()
}

#[test]
fn a_slow_brick_is_reported_with_its_ranks_and_others_are_not() {
    let sound = 4 * MIB;
    let Some(gluster) = Gluster::start(Volume::Distribute, &[sound; 4]) else { return };
    let result = campaign(&gluster, 4);
    let known: BTreeSet<u64> = result.on.iter().flatten().copied().collect();
    assert_eq!(known.len(), RANKS, "the brick of every file is known: {:?}", result.on);
    // The hash spreads files unevenly, so a brick with more files than others may be reported as overloaded.
    let slow_bricks = |result: &CampaignResult| -> Vec<serde_json::Value> {
        let slow = |one: &&serde_json::Value| one["code"] == "slow-group" && one["data"]["kind"] == "brick";
        result.warnings.iter().filter(slow).cloned().collect()
    };
    assert!(slow_bricks(&result).is_empty(), "{:#?}", result.warnings);
    gluster.throttle(3, MIB);
    // If the hash put almost no files on the slow brick, it was not measured. Another directory then has
    // other files there.
    let result = (0..5).map(|_| campaign(&gluster, 4)).find(|result| result.on[2].len() >= 2);
    let result = result.expect("no file on the slow brick in five campaigns");
    let slow_bricks = slow_bricks(&result);
    assert_eq!(slow_bricks.len(), 1, "{:#?}", result.warnings);
    let data = &slow_bricks[0]["data"];
    assert_eq!(
        (&data["phase"], &data["name"]),
        (&"write".into(), &gluster.name(3).into()),
        "{slow_bricks:?}"
    );
    let ranks: Vec<u64> = result.on[2].iter().copied().take(8).collect();
    assert_eq!(data["ranks"], serde_json::json!(ranks), "{slow_bricks:?} {:?}", result.on);
    let escaped = gluster.name(3).replace('/', "&#x2f;");
    assert!(result.report.contains(&escaped), "{escaped}");
}

#[test]
fn ranks_are_recorded_with_their_nodes() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let words = "ior -w -F -t 4k -b 64k -o f --record records.jsonl";
    let Some(mut command) = Mpi::Wheel.command(dir.path(), 5, words) else { return };
    // One machine that simulates two nodes. The library places ranks in blocks or round-robin.
    run(command.env("MPIR_CVAR_NUM_CLIQUES", "2")).ok();
    let each = each_rank(dir.path());
    let nodes: Vec<&str> =
        each["nodes"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(matches!(nodes[..], [one, two] if two == format!("{one}#2")), "{nodes:?}");
    let of: Vec<u64> = each["node"].as_array().unwrap().iter().map(|node| node.as_u64().unwrap()).collect();
    assert_eq!((of.len(), of[0], of.iter().max()), (5, 0, Some(&1)), "{of:?}");
    assert_eq!(each["moved"], serde_json::json!([65536]));
}
