//! Datasets that are kept: used again by later campaigns, recreated if that is impossible, removed with care.

use std::fs;
use std::path::PathBuf;

use crate::common;
use crate::common::campaign::{Place, SmallFs, data_of, json, names, signal, until};

/// A dataset that is kept for `keep`, and a reader of it that compares every byte.
fn plan(keep: &str) -> String {
    format!(
        "[dataset.d]\nior = \"-w -e -F -t 64k -b 1m -k -G 7\"\nkeep = \"{keep}\"\n[[test]]\nid = \"A\"\n\
         uses = \"dataset.d\"\nior = \"-R -F -C -t 64k -b 1m -k -G 7\"\n\
         criterion = {{ metric = \"read_check.errors\", op = \"==\", value = \"0 errors\" }}\n"
    )
}

/// A change to a file.
type Change<'a> = &'a dyn Fn(&PathBuf);

/// The only dataset that is kept.
fn kept(place: &Place) -> PathBuf {
    let home = place.dir().join("assay-datasets");
    let mut found = names(&home);
    found.retain(|name| !name.starts_with('.'));
    assert_eq!(found.len(), 1, "{found:?}");
    home.join(&found[0])
}

/// Runs the plan in its own folder. Gives the folder and the error output.
fn campaign(place: &Place, number: u32) -> (PathBuf, String) {
    let folder = place.path(&format!("c{number}"));
    fs::create_dir(&folder).unwrap();
    let ran = place.assay(&format!("run p.toml --dir dir --campaigns c{number}"));
    assert!(ran.passed(), "{ran:#?}");
    assert_eq!(names(&place.dir()), ["assay-datasets"], "only kept datasets remain");
    let folder = folder.join(&names(&folder)[0]);
    assert_eq!(place.whole_jobs(&folder), 2);
    (folder, ran.err)
}

#[test]
fn a_later_campaign_uses_a_kept_dataset_and_reports_its_origin() {
    let place = Place::new();
    place.plan(&plan("7 days"));
    let (first, _) = campaign(&place, 1);
    let name = first.file_name().unwrap().to_str().unwrap().to_owned();
    let files = kept(&place).join("files");
    let before = common::campaign::tree(&files);
    let (second, err) = campaign(&place, 2);
    assert!(err.contains(&format!("reused: created by {name} at ")), "{err}");
    assert_eq!(common::campaign::tree(&files), before, "nothing was written");
    let job = "jobs/0001-dataset.d-r1";
    let records = |folder: &PathBuf| fs::read_to_string(folder.join(job).join("records.jsonl")).unwrap();
    assert_eq!(records(&first), records(&second), "the original records are in both");
    let made = json(&second.join(job).join("dataset.json"));
    assert_eq!(
        (&made["campaign"], &made["reused"]["samples"]),
        (&name.as_str().into(), &8.into()),
        "{made:#}"
    );
    let verdicts = json(&second.join("verdicts.json"));
    let reused = data_of(&verdicts[0]["notes"], "dataset-reused");
    assert_eq!((&reused["campaign"], &reused["files"]), (&name.as_str().into(), &2.into()), "{reused}");
    let listed = place.assay("datasets dir").ok();
    assert!(
        listed.contains("2.00 MiB") && listed.contains(&name) && listed.contains("1 dataset"),
        "{listed}"
    );
}

#[test]
fn an_expired_or_changed_dataset_is_recreated_and_reported() {
    let touched = |place: &Place, change: Change<'_>| {
        let file = kept(place).join("files/data.00000001");
        let time = fs::metadata(&file).unwrap().modified().unwrap();
        change(&file);
        if let Ok(file) = fs::File::options().write(true).open(&file) {
            file.set_modified(time).unwrap();
        }
    };
    let flip = |file: &PathBuf| {
        let mut bytes = fs::read(file).unwrap();
        bytes[0] ^= 1;
        fs::write(file, bytes).unwrap();
    };
    let shrink = |file: &PathBuf| fs::File::options().write(true).open(file).unwrap().set_len(5).unwrap();
    let remove = |file: &PathBuf| fs::remove_file(file).unwrap();
    let lose = |file: &PathBuf| fs::remove_file(file.with_file_name("../stderr.txt")).unwrap();
    let leave = |_: &PathBuf| {};
    let cases: [(&str, Change<'_>, &str); 5] = [
        ("7 days", &lose, "kept-incomplete"),
        ("1 ms", &leave, "kept-expired"),
        ("7 days", &flip, "kept-changed"),
        ("7 days", &shrink, "kept-changed"),
        ("7 days", &remove, "kept-changed"),
    ];
    for (keep, change, code) in cases {
        let place = Place::new();
        place.plan(&plan(keep));
        campaign(&place, 1);
        touched(&place, change);
        let (second, err) = campaign(&place, 2);
        assert!(err.contains("recreated: "), "{err}");
        let verdicts = json(&second.join("verdicts.json"));
        let recreated = data_of(&verdicts[0]["notes"], "dataset-recreated");
        assert_eq!(recreated["cause"]["code"], code, "{recreated}");
        let made = json(&kept(&place).join("dataset.json"));
        assert_eq!(made["campaign"], second.file_name().unwrap().to_str().unwrap(), "the new one is kept");
    }
}

#[test]
fn a_kept_dataset_needs_no_space_a_second_time() {
    let place = Place::new();
    let Some(_mounted) = SmallFs::mount(&place.dir(), "28m") else { return };
    place.plan(&plan("7 days").replace("-b 1m", "-b 8m"));
    campaign(&place, 1);
    let (_, err) = campaign(&place, 2);
    assert!(err.contains("reused: "), "{err}");
    let file = kept(&place).join("files/data.00000000");
    fs::File::options().write(true).open(file).unwrap().set_len(5).unwrap();
    let (_, err) = campaign(&place, 3);
    assert!(err.contains("recreated: "), "the old dataset is removed before the new one is created: {err}");
}

#[test]
fn another_recipe_is_another_dataset() {
    let place = Place::new();
    place.plan(&plan("7 days"));
    campaign(&place, 1);
    let home = place.dir().join("assay-datasets");
    place.plan(&plan("7 days").replace("-G 7", "-G 8"));
    let (_, err) = campaign(&place, 2);
    assert!(!err.contains("reused") && !err.contains("recreated"), "{err}");
    assert_eq!(names(&home).len(), 3, "two datasets and the marker: {:?}", names(&home));
    let listed = place.assay("datasets dir").ok();
    assert!(listed.contains("2 datasets, 4.00 MiB"), "{listed}");
}

#[test]
fn a_kept_dataset_that_is_too_small_is_recreated() {
    let place = Place::new();
    let line = "-w -e -F -t 64k -b 8m -k -G 7 --rate 40/s -D 1 -O stoneWallingWearOut=1,\
                stoneWallingStatusFile={dir}/pairs";
    let reads = "-R -F -t 64k -b 8m -k -G 7 -O stoneWallingStatusFile={dir}/pairs";
    let wants = |rate: &str| {
        let plan = plan("7 days").replace("-R -F -C -t 64k -b 1m -k -G 7", reads);
        let plan = plan.replace("-w -e -F -t 64k -b 1m -k -G 7", line);
        let cover = format!("cover = {{ rate = \"{rate}\", time = \"1 s\", margin = 1.0 }}\n[[test]]");
        plan.replace("[[test]]", &cover)
    };
    place.plan(&wants("1 kB/s"));
    campaign(&place, 1);
    place.plan(&wants("15 MB/s"));
    let ran = place.campaign();
    assert_eq!(ran.status, Some(3), "the new dataset is too small, too: {ran:#?}");
    assert!(ran.err.contains("recreated: "), "{ran:#?}");
    assert_eq!(place.outcomes(), ["A INVALID"]);
    assert_eq!(
        names(&place.dir()).len(),
        1,
        "a dataset that is too small is not kept: {:?}",
        names(&place.dir())
    );
}

#[test]
fn a_dataset_interrupted_while_it_was_made_is_locked_until_its_campaign_resumes() {
    let place = Place::new();
    let plan = format!("{}{}", place.hanging("-w"), plan("7 days"));
    place.plan(&plan);
    let mut child = place.start("run p.toml --dir dir");
    until("the job that hangs", || place.path("hang.pid").exists());
    let half = kept(&place).join("files/data.00000000");
    fs::write(&half, "half").unwrap();
    signal("-INT", child.id());
    child.wait().unwrap();
    let listed = place.assay("datasets dir").ok();
    assert!(listed.contains("incomplete") && listed.contains("/assay-p-"), "{listed}");
    fs::create_dir(place.path("other")).unwrap();
    let ran = place.assay("run p.toml --dir dir --campaigns other");
    assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
    let unfinished = "is an unfinished dataset of the stopped campaign in ";
    assert!(ran.err.contains(unfinished) && ran.err.contains("--resume"), "{ran:#?}");
    assert_eq!(fs::read_to_string(&half).unwrap(), "half", "the file is unchanged");
    assert!(names(&place.path("other")).is_empty(), "a rejected campaign leaves no folder");
    fs::remove_file(place.path("hang")).unwrap();
    let ran = place.assay(&format!("run --resume {}", place.folder().display()));
    assert!(ran.passed(), "{ran:#?}");
    assert_eq!(place.outcomes(), ["A PASS"]);
    assert_eq!(fs::metadata(half).unwrap().len(), 1 << 20);
    let made = json(&kept(&place).join("dataset.json"));
    assert_eq!(made["campaign"], place.folder().file_name().unwrap().to_str().unwrap());
    assert_eq!(names(&place.dir()).len(), 2, "{:?}", names(&place.dir()));
}

#[test]
fn a_dataset_in_use_cannot_be_used_or_removed_by_another_campaign() {
    let place = Place::new();
    place.plan(&format!("{}{}", place.hanging("-R"), plan("7 days")));
    let mut child = place.start("run p.toml --dir dir");
    until("the reader that hangs", || place.path("hang.pid").exists());
    let name = kept(&place).file_name().unwrap().to_str().unwrap().to_owned();
    fs::create_dir(place.path("other")).unwrap();
    for words in ["run p.toml --dir dir --campaigns other", &format!("datasets dir --remove {name}")] {
        let ran = place.assay(words);
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
        let busy = "another campaign, or a job that it left behind, still works on this dataset. Wait until";
        assert!(ran.err.contains(busy), "{ran:#?}");
    }
    let listed = place.assay("datasets dir").ok();
    assert!(listed.contains("being created"), "{listed}");
    signal("-INT", child.id());
    child.wait().unwrap();
    fs::remove_file(place.path("hang")).unwrap();
    place.assay(&format!("run --resume {}", place.folder().display())).ok();
    assert!(kept(&place).join("dataset.json").exists());
}

#[test]
fn only_datasets_of_campaigns_are_removed() {
    let place = Place::new();
    place.plan(&plan("1 ms"));
    campaign(&place, 1);
    let dataset = kept(&place);
    let name = dataset.file_name().unwrap().to_str().unwrap().to_owned();
    let home = place.dir().join("assay-datasets");
    fs::create_dir(home.join("mine")).unwrap();
    fs::write(home.join("mine/thesis"), "x").unwrap();
    let rejected = |words: &str, why: &str| {
        let ran = place.assay(&format!("datasets dir {words}"));
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
        assert!(ran.err.contains(why), "{ran:#?}");
    };
    rejected("--remove mine", "no dataset `mine` in ");
    for stranger in ["files/thesis", "thesis"] {
        fs::write(dataset.join(stranger), "x").unwrap();
        let why = format!("{stranger} is not part of the dataset but would be removed with it. Move it");
        rejected(&format!("--remove {name}"), &why);
        rejected("--remove-expired", &why);
        assert!(dataset.join("files/data.00000000").exists() && dataset.join("dataset.json").exists());
        fs::remove_file(dataset.join(stranger)).unwrap();
    }
    let mark = fs::read_to_string(dataset.join(".assay-dataset")).unwrap();
    fs::write(dataset.join(".assay-dataset"), "foreign").unwrap();
    rejected(&format!("--remove {name}"), "no dataset `");
    fs::write(dataset.join(".assay-dataset"), mark).unwrap();
    assert_eq!(place.assay("datasets dir --remove-expired").ok(), format!("removed {name}\n"));
    assert_eq!(names(&home), [".assay-datasets", "mine"], "foreign directories stay");
    assert_eq!(place.assay("datasets dir --remove-expired").ok(), "nothing has expired\n");
    fs::remove_dir_all(home.join("mine")).unwrap();
    campaign(&place, 2);
    let name = kept(&place).file_name().unwrap().to_str().unwrap().to_owned();
    place.assay(&format!("datasets dir --remove {name}")).ok();
    assert!(names(&place.dir()).is_empty(), "the directory goes with the last dataset");
}
