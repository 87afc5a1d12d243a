//! Tests: the recipes of `packaging` and the workflow name commands, files, links and versions that exist.
//!
//! They need no release build. What only a finished archive shows is in `installed`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{Release, output, tree};

/// Reads Python and prints, as JSON, the constants that it assigns and the calls that it makes.
const READER: &str = "
import ast, json, sys

def plain(node):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.List, ast.Tuple)):
        return [plain(one) for one in node.elts]
    if isinstance(node, ast.Dict):
        return {str(plain(key)): plain(value) for key, value in zip(node.keys, node.values)}
    if isinstance(node, ast.JoinedStr):
        return ''.join(one.value if isinstance(one, ast.Constant) else '*' for one in node.values)
    return ast.unparse(node)

tree = ast.parse(open(sys.argv[1]).read(), sys.argv[1])
compile(tree, sys.argv[1], 'exec')
found = {'assigned': {}, 'calls': []}
for node in ast.walk(tree):
    if isinstance(node, ast.Assign):
        for target in node.targets:
            found['assigned'][ast.unparse(target)] = plain(node.value)
    if isinstance(node, ast.Return):
        found['assigned'].setdefault('returned', []).append(plain(node.value))
    if isinstance(node, ast.Call):
        words = {word.arg: plain(word.value) for word in node.keywords}
        found['calls'].append([ast.unparse(node.func), [plain(one) for one in node.args], words])
print(json.dumps(found))
";

fn release() -> Release {
    let root = crate::root().unwrap();
    Release::of(&root, &root.join("target")).unwrap()
}

fn read(root: &Path, path: &str) -> String {
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What a file of Python has. The test fails if it is no valid Python.
fn python(path: &Path) -> Value {
    let found = output(Command::new("python3").args(["-c", READER]).arg(path)).unwrap();
    serde_json::from_str(&found).unwrap()
}

/// The arguments of each call of a function.
fn calls<'v>(found: &'v Value, name: &str) -> Vec<&'v Value> {
    let all = found["calls"].as_array().unwrap().iter();
    all.filter(|call| call[0] == name).map(|call| &call[1]).collect()
}

/// The texts in a list.
pub(super) fn texts(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// What the recipe of EasyBuild assigns.
pub(super) fn easybuild(root: &Path) -> Value {
    let folder = root.join("packaging/easybuild");
    let name = super::names_in(&folder).unwrap().remove(0);
    python(&folder.join(name))["assigned"].take()
}

/// The names of the links that `assay links` makes: those in its table of programs.
fn link_names(root: &Path) -> BTreeSet<String> {
    let table = read(root, "crates/command/src/workload.rs");
    let (_, rows) = table.split_once("WORKLOADS: &[Workload] = &[").expect("a table");
    let (rows, _) = rows.split_once("\n];").expect("its end");
    let classic = rows.split("Workload {").filter(|row| row.contains("help: \""));
    let named = classic.filter_map(|row| row.split_once("names: &[")?.1.split_once(']'));
    let names = named.flat_map(|(names, _)| names.split(", ").map(|name| name.trim_matches('"').to_owned()));
    let names: BTreeSet<String> = names.collect();
    assert!(names.len() >= 7, "{names:?}");
    names
}

/// Asserts that the command in `words`, after `assay`, is in the reference of commands.
fn assert_command(root: &Path, words: &str) {
    let command = words.split_whitespace().next().unwrap_or_default();
    let reference = read(root, "docs/reference/commands.md");
    let known = reference.lines().any(|line| line == format!("## assay {command}"));
    assert!(command.starts_with('-') || known, "`assay {words}`: not in docs/reference/commands.md");
}

/// The commands in the steps of a workflow, line by line.
fn steps(workflow: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut block: Option<usize> = None;
    for line in workflow.lines() {
        let indent = line.len() - line.trim_start().len();
        if block.is_some_and(|begin| indent > begin) {
            found.push(line.trim().to_owned());
            continue;
        }
        block = None;
        let Some((before, command)) = line.split_once("run: ") else { continue };
        if command == "|" {
            block = Some(before.trim_end_matches("- ").len());
        } else {
            found.push(command.to_owned());
        }
    }
    found
}

/// The values of a key of a workflow.
fn values<'t>(workflow: &'t str, key: &str) -> Vec<&'t str> {
    let key = format!("{key}: ");
    let of = |line: &'t str| line.trim().trim_start_matches("- ").strip_prefix(&*key);
    workflow.lines().filter_map(of).collect()
}

#[test]
fn the_steps_of_a_workflow_are_its_lines_after_run() {
    let text = "steps:\n  - run: one 1\n      - run: |\n          two\n          three\n  - uses: x\n";
    assert_eq!(steps(text), ["one 1", "two", "three"]);
    assert_eq!(values(text, "uses"), ["x"]);
}

#[test]
fn the_workflow_runs_chores_that_exist_and_names_files_that_exist() {
    let release = release();
    let workflow = read(&release.root, ".github/workflows/ci.yml");
    assert!(!workflow.contains('\t'), "tabs are not allowed in YAML");
    let steps = steps(&workflow);
    let chores: Vec<&str> = steps.iter().filter_map(|step| step.strip_prefix("cargo xtask ")).collect();
    assert_eq!(chores, ["test", "dist"], "{steps:#?}");
    for chore in chores {
        let is_listed = |line: &str| line.split_whitespace().next() == Some(chore);
        assert!(crate::HELP.lines().any(is_listed), "no chore {chore}");
    }
    // The steps install Rust with the version of this file.
    assert!(release.root.join("rust-toolchain.toml").is_file());
    assert_eq!(values(&workflow, "container"), ["debian:bookworm"; 2], "the tests have its file names");
    let keys = values(&workflow, "key");
    let (_, hashed) = keys[0].split_once("hashFiles(").expect("the key of the cache");
    for file in hashed.split('\'').skip(1).step_by(2) {
        let file = file.trim_end_matches("/*.rs");
        assert!(release.root.join(file).exists(), "hashFiles: {file}");
    }
    let place = release.out().strip_prefix(&release.root).unwrap().display().to_string();
    assert!(values(&workflow, "path").contains(&&*place), "the packages are uploaded from {place}");
}

#[test]
fn the_recipe_of_spack_is_valid_and_agrees_with_the_workspace() {
    let Release { root, version, .. } = release();
    let found = python(&root.join("packaging/spack/packages/assay/package.py"));
    let manifest: toml::Value = toml::from_str(&read(&root, "Cargo.toml")).unwrap();
    let workspace = &manifest["workspace"]["package"];
    assert_eq!(calls(&found, "version"), [&serde_json::json!([version])]);
    assert_eq!(found["assigned"]["url"], format!("file://*/assay-{version}.tar.gz"));
    assert_eq!(calls(&found, "license")[0][0], workspace["license"].as_str().unwrap());
    let rust = format!("rust@{}:", workspace["rust-version"].as_str().unwrap());
    assert!(calls(&found, "depends_on").iter().any(|call| call[0] == *rust), "{rust}: {found}");
    let links = texts(calls(&found, "any_combination_of")[0]);
    assert_eq!(links.into_iter().collect::<BTreeSet<_>>(), link_names(&root));

    let manifest: toml::Value = toml::from_str(&read(&root, "crates/cli/Cargo.toml")).unwrap();
    let bin = manifest["bin"][0]["name"].as_str().unwrap();
    let returned = &found["assigned"]["returned"];
    assert!(
        returned.as_array().unwrap().contains(&serde_json::json!(["--locked", "--bin", bin])),
        "{returned}"
    );
    let directory = "join_path(self.pkg.stage.source_path, 'crates', 'cli')";
    assert!(returned.as_array().unwrap().contains(&directory.into()), "{returned}");
    let variable = calls(&found, "env.set")[0][0].as_str().unwrap();
    assert!(read(&root, "crates/cli/src/commands/run.rs").contains(variable), "{variable}");

    for call in calls(&found, "assay") {
        assert_command(&root, call[0].as_str().unwrap());
    }
    let shells: Vec<(&str, &str)> = tree::COMPLETIONS.to_vec();
    let completions = found["assigned"]["completions"].as_object().unwrap();
    assert_eq!(completions.len(), shells.len());
    for (shell, path) in shells {
        let parts: Vec<String> = path.split('/').map(|part| format!("'{part}'")).collect();
        assert_eq!(completions[shell], format!("join_path(self.prefix, {})", parts.join(", ")), "{shell}");
    }
}

#[test]
fn the_recipe_of_easybuild_is_valid_and_names_files_of_the_archive() {
    let release = release();
    let folder = release.root.join("packaging/easybuild");
    let names = super::names_in(&folder).unwrap();
    assert_eq!(names, [format!("assay-{}.eb", release.version)]);
    let found = easybuild(&release.root);
    assert_eq!((&found["name"], &found["version"]), (&"assay".into(), &release.version.clone().into()));
    let source = texts(&found["sources"]).remove(0);
    let source = source.replace("%(name)s", "assay").replace("%(version)s", &release.version);
    assert_eq!(source, format!("assay-{}-x86_64-linux-gnu.tar.gz", release.version));
    for file in texts(&found["sanity_check_paths"]["files"]) {
        let folder = Path::new(&file).parent().unwrap().display().to_string();
        assert!(["bin", tree::LINKS, tree::PAGES].contains(&&*folder), "{file}");
        if folder == tree::LINKS {
            let name = file.rsplit('/').next().unwrap();
            assert!(link_names(&release.root).contains(name), "{file}");
        }
    }
    for command in texts(&found["sanity_check_commands"]) {
        assert_command(&release.root, command.strip_prefix("assay ").expect("a command of assay"));
    }
}

#[test]
fn the_image_files_copy_the_debian_package_and_have_its_paths() {
    let release = release();
    let deb = format!("{}/assay_*.deb", release.out().strip_prefix(&release.root).unwrap().display());
    let links = format!("/usr/{}", tree::LINKS);
    let place = Path::new("packaging/container");
    for (file, lines) in [
        ("Containerfile", [format!("COPY {deb} /tmp/"), format!("ENV PATH={links}:")]),
        ("assay.def", [format!("{deb} /tmp/"), format!("export PATH={links}:")]),
    ] {
        let text = read(&release.root, &place.join(file).display().to_string());
        for wanted in lines {
            assert!(text.lines().any(|line| line.trim().starts_with(&wanted)), "{file}: {wanted}");
        }
        let named = text.split_whitespace().filter(|word| word.starts_with("packaging/"));
        let named: Vec<PathBuf> = named.map(|word| release.root.join(word)).collect();
        assert!(!named.is_empty() && named.iter().all(|path| path.is_file()), "{file}: {named:?}");
        let commands = text.lines().filter_map(|line| line.trim().strip_prefix("assay "));
        commands.for_each(|words| assert_command(&release.root, words));
    }
}

#[test]
fn the_files_of_packages_in_the_instructions_have_the_version_of_the_workspace() {
    let Release { root, version, .. } = release();
    let mut count = 0;
    let recipe = format!("packaging/easybuild/assay-{version}.eb");
    for page in ["docs/how-to/install.md", &recipe] {
        for after in read(&root, page).split("assay").skip(1) {
            let after = after.trim_start_matches("_fs").trim_start_matches(['-', '_']);
            let number: String = after.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            if number.starts_with(|c: char| c.is_ascii_digit()) {
                assert_eq!(number.trim_end_matches('.'), version, "{page}");
                count += 1;
            }
        }
    }
    assert!(count >= 5, "{count} names of packages");
}
