//! The campaigns that are served: the folders directly below the directories that the user named.
//!
//! Invariant: an address has only the id of a campaign, which is a hash of its path. So no address leads to a
//! folder that is not in this list. No link below a directory is followed.
//! Never here: what a campaign contains.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use results::folder::{self, names};

use super::pinned::PinnedFolder;

/// The most campaigns of a directory.
const FOLDERS_MAX: usize = 1000;
/// The length of an id, hexadecimal digits.
const ID_DIGITS: usize = 16;

/// A campaign folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundCampaign {
    /// Its id, which stays the same while its path does.
    pub(super) id: String,
    /// The directory that the user named.
    dir: PathBuf,
    /// Its name in the directory; absent if it is the directory itself.
    name: Option<OsString>,
}

impl FoundCampaign {
    fn new(dir: &Path, name: Option<OsString>) -> Self {
        let mut one = Self { id: String::new(), dir: dir.to_owned(), name };
        one.id = folder::sha256(one.place().as_os_str().as_bytes())[..ID_DIGITS].to_owned();
        one
    }

    fn place(&self) -> PathBuf {
        self.name.as_ref().map_or_else(|| self.dir.clone(), |name| self.dir.join(name))
    }

    /// Its path, as it is shown.
    pub(super) fn path(&self) -> String {
        self.place().display().to_string()
    }

    /// The last part of its path.
    pub(super) fn name(&self) -> String {
        let name = self.place().file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| self.path())
    }

    /// The address of its page.
    pub(super) fn address(&self) -> String {
        format!("/campaigns/{}", self.id)
    }

    /// Opens it.
    pub(super) fn open(&self) -> io::Result<PinnedFolder> {
        let dir = PinnedFolder::open(&self.dir)?;
        match &self.name {
            Some(name) => dir.within(name),
            None => Ok(dir),
        }
    }
}

/// The addresses of campaigns by the places at which a history has them. No file is accessed, so a page of
/// the history never waits for the file system of a campaign.
pub(super) struct CampaignAddresses(Vec<(PathBuf, PathBuf)>);

impl CampaignAddresses {
    /// Those of campaigns in these directories.
    pub(super) fn new(dirs: &[PathBuf]) -> Self {
        let resolved = |dir: &PathBuf| Some((fs::canonicalize(dir).ok()?, dir.clone()));
        Self(dirs.iter().filter_map(resolved).collect())
    }

    /// The address of the campaign folder at this place; `None` if it is outside of the directories.
    pub(super) fn of(&self, location: &Path) -> Option<String> {
        let one = |(resolved, dir): &(PathBuf, PathBuf)| {
            let below = location.strip_prefix(resolved).ok()?;
            let mut parts = below.iter();
            match (parts.next(), parts.next()) {
                (name, None) => Some(FoundCampaign::new(dir, name.map(OsString::from)).address()),
                _ => None,
            }
        };
        self.0.iter().find_map(one)
    }
}

/// What was found in the directories.
#[derive(Debug, Default)]
pub(super) struct FoundCampaigns {
    /// The campaigns, by their paths.
    pub(super) campaigns: Vec<FoundCampaign>,
    /// Directories that cannot be read or have too many campaigns, a sentence each.
    pub(super) problems: Vec<String>,
}

/// The campaigns in these directories now.
pub(super) fn find(dirs: &[PathBuf]) -> FoundCampaigns {
    let mut found = FoundCampaigns::default();
    for dir in dirs {
        if let Err(error) = within(dir, &mut found) {
            found.problems.push(format!("{} cannot be read: {error}.", dir.display()));
        }
    }
    found.campaigns.sort_by_key(FoundCampaign::place);
    found.campaigns.dedup_by(|one, other| one.id == other.id);
    found
}

fn within(dir: &Path, found: &mut FoundCampaigns) -> io::Result<()> {
    let handle = PinnedFolder::open(dir)?;
    if is_campaign(&handle) {
        found.campaigns.push(FoundCampaign::new(dir, None));
        return Ok(());
    }
    let names: io::Result<Vec<OsString>> =
        fs::read_dir(handle.path())?.map(|entry| Ok(entry?.file_name())).collect();
    let mut names = names?;
    names.retain(|name| handle.within(name).is_ok_and(|folder| is_campaign(&folder)));
    names.sort();
    // The names of campaigns begin with plan and time, so the last are the latest of a plan.
    let more = names.len().saturating_sub(FOLDERS_MAX);
    if more > 0 {
        let what = format!("{} has {more} more campaigns, which are not shown.", dir.display());
        found.problems.push(what);
    }
    found.campaigns.extend(names.drain(more..).map(|name| FoundCampaign::new(dir, Some(name))));
    Ok(())
}

/// Whether a folder is that of a campaign, also of one that begins.
fn is_campaign(folder: &PinnedFolder) -> bool {
    folder::has(folder.path(), names::CHAIN) || folder::has(folder.path(), names::CAMPAIGN)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_campaign_folders_are_found_and_no_link_is_one() {
        let place = tempfile::tempdir().unwrap();
        let (dir, other) = (place.path().join("dir"), place.path().join("other"));
        for folder in [dir.join("one"), dir.join("two"), dir.join("none"), other.join("three")] {
            fs::create_dir_all(&folder).unwrap();
            if !folder.ends_with("none") {
                fs::write(folder.join(names::CAMPAIGN), "{}").unwrap();
            }
        }
        symlink(other.join("three"), dir.join("link")).unwrap();
        symlink("one", dir.join("inside")).unwrap();
        fs::write(dir.join("file"), "").unwrap();
        let found = find(&[dir.clone(), dir.clone(), place.path().join("gone")]);
        let all: Vec<String> = found.campaigns.iter().map(FoundCampaign::name).collect();
        assert_eq!(all, ["one", "two"]);
        assert_eq!(found.problems.len(), 1, "{:?}", found.problems);
        let itself = find(&[other.join("three")]);
        assert_eq!(itself.campaigns.len(), 1);
        assert!(itself.campaigns[0].id.len() == ID_DIGITS && itself.campaigns[0].open().is_ok());
    }

    #[test]
    fn the_address_of_a_campaign_follows_from_its_place() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("dir");
        fs::create_dir_all(dir.join("one")).unwrap();
        fs::write(dir.join("one").join(names::CAMPAIGN), "{}").unwrap();
        symlink("dir", place.path().join("link")).unwrap();
        let location = fs::canonicalize(dir.join("one")).unwrap();
        for dirs in [["gone", "dir"], ["gone", "link"], ["dir/one", "dir"]] {
            let dirs = dirs.map(|dir| place.path().join(dir));
            let address = CampaignAddresses::new(&dirs).of(&location);
            let found: Vec<String> = find(&dirs).campaigns.iter().map(FoundCampaign::address).collect();
            assert!(address.is_some_and(|address| found.contains(&address)), "{dirs:?} {found:?}");
        }
        let addresses = CampaignAddresses::new(&[dir]);
        for other in ["/", "/dir/one", &format!("{}/more", location.display())] {
            assert_eq!(addresses.of(Path::new(other)), None, "{other}");
        }
    }

    #[test]
    fn a_folder_that_became_a_link_is_not_opened() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("dir/one");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(names::CAMPAIGN), "{}").unwrap();
        let found = find(&[place.path().join("dir")]).campaigns.remove(0);
        let before = found.open().unwrap().identity().unwrap();
        fs::rename(&folder, place.path().join("moved")).unwrap();
        symlink("../moved", &folder).unwrap();
        assert!(found.open().is_err());
        fs::remove_file(&folder).unwrap();
        fs::create_dir(&folder).unwrap();
        assert_ne!(found.open().unwrap().identity().unwrap(), before, "another folder has its name");
    }
}
