//! The schema accepts what a plan may contain and rejects everything else.

use serde_json::{Value, json};
use testkit::schema::faults;

/// A plan's text as an editor reads it.
pub(super) fn read(text: &str) -> Value {
    let table: toml::Table = toml::from_str(text).expect(text);
    serde_json::to_value(table).expect("TOML is JSON")
}

#[test]
fn every_plan_of_the_repository_passes() {
    let schema = plan::schema();
    for (path, text) in super::plans() {
        assert_eq!(faults(&schema, &read(&text)), Vec::<String>::new(), "{}", path.display());
    }
}

/// A plan with these lines.
fn with(rest: &str) -> String {
    format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.scratch = {{ dir = \"{{dir}}\" }}\n{rest}"
    )
}

#[test]
fn each_allowed_form_of_a_value_passes() {
    let schema = plan::schema();
    let test =
        |keys: &str| with(&format!("[[test]]\nid = \"T\"\nior = \"-w\"\nrole = \"reported\"\n{keys}\n"));
    let criterion = |rest: &str| test(&format!("criterion = {{ metric = \"write.bw\", {rest} }}"));
    for text in [
        test("ranks = 4"),
        test("ranks = \"4\""),
        test("ranks = \"${ranks}\""),
        test("nodes = 4\nppn = 2"),
        test("nodes = \"90%\""),
        test("nodes = \"${nodes}\""),
        test("nodes = { steps = [1, \"50 %\", \"${most}\"] }"),
        test("nodes = { search = [2, 4, 8], gain = \"3 %\" }"),
        test("timeout = \"${minutes} min\""),
        test("timeout = \"1.5 h\""),
        test("role = \"${role}\"").replacen("role = \"reported\"\n", "", 1),
        criterion("op = \">=\", value = \"2.5 GB/s\""),
        criterion("op = \">\", value = \"25000/s\""),
        criterion("op = \"<=\", value = \"50ms\""),
        criterion("op = \"==\", value = \"0 errors\""),
        criterion("op = \">=\", value = \"50% of B.1.write.bw\""),
        criterion("op = \">=\", value = \"${threshold}\""),
        criterion("linear_within = \"10 %\""),
        test("criterion = []"),
        test("waive = []\nsetup = []\nexports = {}"),
    ] {
        assert_eq!(faults(&schema, &read(&text)), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn an_invalid_plan_does_not_pass() {
    let schema = plan::schema();
    let test = |keys: &str| with(&format!("[[test]]\nid = \"T\"\n{keys}\n"));
    let criterion = |rest: &str| test(&format!("ior = \"-w\"\ncriterion = {{ {rest} }}"));
    for text in [
        "schema = 1\n".to_owned(),
        with("").replace("schema = 1", "schema = 2"),
        with("").replace("id = \"p\"", "id = \"p/q\""),
        with("").replace("dir =", "mount ="),
        with("[test]\nid = \"T\"\nior = \"-w\"\n"),
        with("[[fs]]\ndir = \"/x\"\n").replacen("fs.scratch", "# ", 1),
        with("[clients]\nmemory = 256\n"),
        with("[clients]\nmemory = \"256\"\n"),
        with("[clients]\nmemory = \"256 GB/s\"\n"),
        with("[launch]\nkind = \"slurm\"\n"),
        with("[parameters]\nblock = 32\n"),
        with("[defaults]\nsustained = \"30\"\n"),
        with("[state.s]\nage = \"--blocks 80%\"\npreload = 5\n"),
        test("role = \"reported\""),
        test("ior = \"-w\"\nmdtest = \"-F\""),
        test("ior = \"-w\"\nreps = 3"),
        test("ior = \"-w\"\nranks = 0"),
        test("ior = \"-w\"\nranks = 1.5"),
        test("ior = \"-w\"\nranks = \"four\""),
        test("ior = \"-w\"\nnodes = [1, 2]"),
        test("ior = \"-w\"\nnodes = { search = [1] }"),
        test("ior = \"-w\"\ntimeout = 600"),
        test("ior = \"-w\"\ntimeout = \"10 minutes\""),
        test("ior = \"-w\"\nsetup = \"true\""),
        test("ior = \"-w\"\nwaive = { lint = \"x\", why = \"y\", approved_by = \"lead\" }"),
        criterion("metric = \"write.bw\""),
        criterion("metric = \"write.bw\", op = \"=>\", value = \"3 GB/s\""),
        criterion("metric = \"write.bw\", op = \">=\", value = 3"),
        criterion("metric = \"write.bw\", op = \">=\", value = \"3\""),
        criterion("metric = \"write.bw\", op = \">=\", value = \"3 Gb/s\""),
        criterion("metric = \"write.bw\", op = \">=\", value = \"3 GB/s\", linear_within = \"10 %\""),
    ] {
        assert!(!faults(&schema, &read(&text)).is_empty(), "{text}");
    }
}

#[test]
fn no_description_is_next_to_a_reference() {
    fn check(schema: &Value, at: &str) {
        if let Some(table) = schema.as_object() {
            // Readers of draft 7 ignore everything next to it.
            assert!(!table.contains_key("$ref") || table.len() == 1, "{at}");
            table.iter().for_each(|(key, inner)| check(inner, &format!("{at}/{key}")));
        }
        schema.as_array().into_iter().flatten().for_each(|inner| check(inner, at));
    }
    let schema = plan::schema();
    assert_eq!(schema["$schema"], json!("http://json-schema.org/draft-07/schema#"));
    check(&schema, "");
}
