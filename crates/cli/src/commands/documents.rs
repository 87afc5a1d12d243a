//! The command lines and plans in the documents are accepted by this program.
//!
//! Never here: links, which `cargo xtask docs` checks; the plan language page, which `plan` tests.

use std::path::Path;

use clap::FromArgMatches;
use command::WorkloadName;
use testkit::documents::{Example, documents, examples, whole_plan};

use super::{Assay, ClassicCommand, Command, help};
use crate::personalities;
use crate::session::RankStart;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The page with the contract of ten clauses, and its plan, without their endings.
const TEN_CLAUSES: &str = "docs/tutorial/ten-clauses";

/// Programs of the system in command lines of the documents. Their arguments are not checked.
const OTHERS: &[&str] = &[
    ".ci/run",
    "apptainer",
    "buildah",
    "cargo",
    "cat",
    "cd",
    "chmod",
    "cp",
    "df",
    "eb",
    "exec",
    "export",
    "fuser",
    "git",
    "head",
    "iops",
    "jube",
    "kubectl",
    "less",
    "ln",
    "ls",
    "mail",
    "man",
    "mkdir",
    "mkfs.ext4",
    "module",
    "mount",
    "pav",
    "pip",
    "pipx",
    "python3",
    "ramble",
    "reframe",
    "rm",
    "rmdir",
    "sbatch",
    "sed",
    "setquota",
    "sh",
    "sha256sum",
    "spack",
    "ssh",
    "ssh-keygen",
    "sudo",
    "systemctl",
    "tail",
    "tar",
    "test",
    "tr",
    "truncate",
    "umount",
    "watch",
];

/// Launchers, which start the program after their options.
const LAUNCHERS: &[&str] = &["mpirun", "mpiexec", "salloc", "srun", "flux", "aprun", "jsrun"];

/// The words of a shell command line, split at `|`, `&&`, `;` and redirections. Comments are left out.
pub(super) fn shell_words(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, '|' | '&' | ';' | '>') => {
                commands.last_mut().expect("one has begun").extend(word.take());
                while characters.next_if(|next| "|&>".contains(*next)).is_some() {}
                commands.push(if c == '>' { vec![">".to_owned()] } else { Vec::new() });
            }
            (None, c) if c.is_whitespace() => {
                commands.last_mut().expect("one has begun").extend(word.take());
            }
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    commands.last_mut().expect("one has begun").extend(word);
    commands.retain(|words| !words.is_empty() && words[0] != ">");
    commands
}

/// Rejects a command line that this program would reject.
fn check(words: &[String]) -> Result<(), String> {
    let is_setting = |word: &&String| word.split_once('=').is_some_and(|(name, _)| !name.contains('-'));
    let settings = words.iter().take_while(is_setting).count();
    let words = &words[settings..];
    let Some(first) = words.first().map(String::as_str) else { return Ok(()) };
    if LAUNCHERS.contains(&first) {
        let own = |word: &String| word == "assay" || personalities::named(word).is_some();
        return match words.iter().position(own) {
            Some(at) => check(&words[at..]),
            None => Err(format!("`{first}` starts no program of assay")),
        };
    }
    if let Some(workload) = personalities::named(first) {
        return rejected(workload, &words[1..]);
    }
    match first {
        "assay" => parsed(words),
        other if OTHERS.contains(&other) => Ok(()),
        other => Err(format!("`{other}` is not a known program")),
    }
}

fn rejected(workload: WorkloadName, words: &[String]) -> Result<(), String> {
    let start = RankStart { launched: Some(1), local: None };
    personalities::check(workload, words, start).map(drop).map_err(|why| why.0)
}

fn parsed(words: &[String]) -> Result<(), String> {
    let matches = match help::command().try_get_matches_from(words) {
        Err(error) if error.use_stderr() => return Err(error.to_string()),
        Err(_) => return Ok(()),
        Ok(matches) => matches,
    };
    let assay = Assay::from_arg_matches(&matches).map_err(|error| error.to_string())?;
    match assay.command {
        Command::Classic(ClassicCommand { workload, tokens }) => rejected(workload, &tokens),
        _ => Ok(()),
    }
}

/// The command lines of an example: a `\` at the end of a line continues it.
fn lines(example: &Example) -> Vec<String> {
    example.text.replace("\\\n", " ").lines().map(str::to_owned).collect()
}

#[test]
fn every_command_line_in_the_documents_is_accepted() {
    let mut rejected = Vec::new();
    let mut count = 0;
    let all = documents(Path::new(ROOT)).iter().flat_map(|path| examples(path)).collect::<Vec<_>>();
    for example in all.iter().filter(|example| example.language == "sh") {
        for line in lines(example) {
            for words in shell_words(&line) {
                count += 1;
                if let Err(why) = check(&words) {
                    rejected.push(format!("{}: {line}: {why}", example.place));
                }
            }
        }
    }
    assert!(rejected.is_empty(), "\n{}", rejected.join("\n"));
    assert!(count > 60, "{count} command lines");
}

#[test]
fn every_plan_in_the_documents_is_valid() {
    let (mut count, mut rejected) = (0, Vec::new());
    // The examples of the lints, and the parts of the plan of ten clauses, have tests of their own.
    let others = |path: &Path| {
        path.ends_with("docs/reference/lints.md") || path.ends_with(format!("{TEN_CLAUSES}.md"))
    };
    let paths = documents(Path::new(ROOT)).into_iter().filter(|path| !others(path));
    for example in paths.flat_map(|path| examples(&path)).filter(|example| example.language == "toml") {
        count += 1;
        let text = whole_plan(&example.text);
        if let Err(why) = plan::Plan::parse(&text, "example") {
            rejected.push(format!("{}: {why}", example.place));
        }
    }
    assert!(rejected.is_empty(), "\n{}", rejected.join("\n"));
    assert!(count > 20, "{count} plans");
}

#[test]
fn the_tutorial_shows_the_ten_clauses_as_their_plan_has_them() {
    let path = |ending: &str| Path::new(ROOT).join(format!("{TEN_CLAUSES}.{ending}"));
    let plan = std::fs::read_to_string(path("toml")).unwrap();
    let shown: Vec<Example> =
        examples(&path("md")).into_iter().filter(|example| example.language == "toml").collect();
    assert!(shown.len() > 5, "{} parts", shown.len());
    for Example { place, text, .. } in shown {
        assert!(plan.contains(&text), "{place}: not so in {TEN_CLAUSES}.toml:\n{text}");
    }
}

#[test]
fn every_block_in_the_documents_has_a_known_language() {
    let known = ["sh", "text", "toml", "json", "python", "yaml"];
    let all = documents(Path::new(ROOT)).into_iter().flat_map(|path| examples(&path));
    let other = all.filter(|example| !known.contains(&example.language.as_str()));
    let other: Vec<String> =
        other.map(|example| format!("{} `{}`", example.place, example.language)).collect();
    assert!(other.is_empty(), "give each block one of {known:?}:\n{}", other.join("\n"));
}

/// Reads the documents of YAML on its input and prints them as a list of JSON.
const READ_YAML: &str = "import json, sys, yaml\njson.dump(list(yaml.safe_load_all(sys.stdin)), sys.stdout)";

#[test]
fn the_manifest_for_kubernetes_is_yaml_whose_parts_refer_to_each_other() {
    let page = Path::new(ROOT).join("docs/how-to/kubernetes.md");
    let blocks = examples(&page);
    let manifest = blocks.iter().find(|example| example.language == "yaml").expect("a manifest");
    let mut python = std::process::Command::new("python3");
    let limit = std::time::Duration::from_secs(60);
    let read = run::bounded::ended(python.args(["-c", READ_YAML]), &manifest.text, limit);
    let read = match read {
        Ok(read) if !read.err.contains("ModuleNotFoundError") => read,
        _ => return println!("SKIPPED: python3 has no module yaml; the package python3-yaml has it"),
    };
    let parts: serde_json::Value = serde_json::from_str(&read.out).expect(&read.err);
    let (service, set) = (&parts[0], &parts[1]);
    let pod = &set["spec"]["template"];
    assert_eq!((&service["kind"], &service["spec"]["clusterIP"]), (&"Service".into(), &"None".into()));
    assert_eq!(
        (&set["kind"], &set["spec"]["serviceName"]),
        (&"StatefulSet".into(), &service["metadata"]["name"])
    );
    for labels in [&service["spec"]["selector"], &set["spec"]["selector"]["matchLabels"]] {
        assert_eq!(*labels, pod["metadata"]["labels"]);
    }
    let names = |list: &serde_json::Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    let container = &pod["spec"]["containers"][0];
    assert_eq!(names(&container["volumeMounts"]), names(&pod["spec"]["volumes"]));
    // The plan of the page names these pods.
    let (name, replicas) =
        (set["metadata"]["name"].as_str().unwrap(), set["spec"]["replicas"].as_u64().unwrap());
    let hosts = format!("hosts = \"{name}-{{0..{}}}.{name}\"", replicas - 1);
    assert!(blocks.iter().any(|example| example.text.contains(&hosts)), "{hosts}");
}

#[test]
fn words_are_split_like_in_a_shell() {
    let split = |line: &str| shell_words(line).iter().map(|words| words.join("·")).collect::<Vec<_>>();
    assert_eq!(split("a 'b c' \"d\" # e"), ["a·b c·d"]);
    assert_eq!(split("a | b && c; d > e"), ["a", "b", "c", "d"]);
    assert_eq!(split("a --x='b c'"), ["a·--x=b c"]);
}

#[test]
fn a_wrong_command_line_is_rejected() {
    let check = |line: &str| shell_words(line).iter().try_for_each(|words| super::documents::check(words));
    for line in
        ["assay run p.toml --dir /s", "X=1 mpirun -n 4 assay ior -w -t 1m", "ior -r -F", "assay ior -h"]
    {
        assert_eq!(check(line), Ok(()), "{line}");
    }
    for line in
        ["assay runs", "assay run p --dirr /s", "mpirun -n 4 assay ior -w --nope", "ior -t", "asay run"]
    {
        assert!(check(line).is_err(), "{line}");
    }
}
