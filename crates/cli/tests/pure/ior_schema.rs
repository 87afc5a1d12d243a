//! The JSON of `ior` follows its schema, `docs/reference/ior.schema.json`, and the schema has exactly the
//! keys of the original.

use std::collections::BTreeSet;

use serde_json::Value;
use testkit::schema::{faults, resolved};

use crate::common::ior;
use crate::common::masked::Golden;

/// Keys of the original in runs that no golden file has: memory given per node.
const WITHOUT_GOLDEN: [&str; 1] = ["/tests/Options/memoryPerNode"];

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../../docs/reference/ior.schema.json"))
        .expect("the schema is JSON")
}

/// The paths of all keys of a schema, without those below `assay`.
fn keys(root: &Value, schema: &Value, at: &str, all: &mut BTreeSet<String>) {
    let schema = resolved(root, schema);
    for (key, member) in schema["properties"].as_object().into_iter().flatten() {
        if key != "assay" {
            let path = format!("{at}/{key}");
            keys(root, member, &path, all);
            all.insert(path);
        }
    }
    if let Some(items) = schema.get("items") {
        keys(root, items, at, all);
    }
    for one in schema["oneOf"].as_array().into_iter().flatten() {
        keys(root, one, at, all);
    }
}

#[test]
fn the_schema_has_exactly_the_keys_of_the_original() {
    let golden: BTreeSet<String> = [
        include_str!("../golden/default.keys"),
        include_str!("../golden/fpp-shifted-v.keys"),
        include_str!("../golden/wear-out-v.keys"),
        include_str!("../golden/random-ranks.keys"),
        include_str!("../golden/script-v.keys"),
    ]
    .iter()
    .flat_map(|text| Golden::new(text).lines)
    .chain(WITHOUT_GOLDEN)
    .map(str::to_owned)
    .collect();
    let (schema, mut all) = (schema(), BTreeSet::new());
    keys(&schema, &schema, "", &mut all);
    let difference: Vec<&String> = all.symmetric_difference(&golden).collect();
    assert!(difference.is_empty(), "{difference:?}");
}

#[test]
fn the_json_of_every_kind_of_run_follows_the_schema() {
    let dir = tempfile::tempdir().unwrap();
    let script = "IOR START\ntestFile=sf\nblockSize=64k\ntransferSize=16k\nRUN\ntransferSize=32k\n\
                  filePerProc=1\nRUN\nIOR STOP\n";
    std::fs::write(dir.path().join("script"), script).unwrap();
    let schema = schema();
    for words in [
        "-w -r -b 64k -t 16k -o f",
        "-w -r -W -R -b 64k -t 16k -o f -i 2 -v -F -C",
        "-w -r -Z -X 3 -F -b 64k -t 16k -o f -O memoryPerTask=1m",
        "-Z -Z -F -b 64k -t 16k -o f -vvv -O memoryPerNode=1m",
        "-a DUMMY -w -r -D 1 -O stoneWallingWearOut=1 -b 1m -t 8",
        "-w --rwmix 50 -b 64k -t 4k -o f -v",
        "-f script -v -i 2",
        "-w -k -b 64k -t 16k -o g -G 3",
        "-R -k -b 64k -t 16k -o g -G 4",
        "-r -b 64k -t 16k -o missing",
        "-B -w -k -b 64k -t 16k -o g --warningAsErrors",
    ] {
        let ran = ior(dir.path(), 2, &format!("{words} -O summaryFormat=JSON"));
        let json: Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:#?}"));
        assert_eq!(faults(&schema, &json), [""; 0], "{words}: {ran:#?}");
    }
}

#[test]
fn a_document_with_a_key_too_many_or_too_few_does_not_follow_the_schema() {
    let dir = tempfile::tempdir().unwrap();
    let out = ior(dir.path(), 1, "-w -b 64k -t 64k -o f -O summaryFormat=JSON").ok();
    let (schema, json) = (schema(), serde_json::from_str::<Value>(&out).unwrap());
    let mut more = json.clone();
    more["tests"][0]["Results"][0]["assay"] = Value::Bool(true);
    assert_eq!(faults(&schema, &more).len(), 1);
    let mut fewer = json.clone();
    fewer["summary"][0].as_object_mut().unwrap().remove("bwMaxMIB");
    assert_eq!(faults(&schema, &fewer), ["/summary/0: bwMaxMIB is missing"]);
    let mut other = json;
    other["tests"][0]["TestID"] = Value::String("0".into());
    assert_eq!(faults(&schema, &other), ["/tests/0/TestID: \"0\" is not type \"integer\""]);
}
