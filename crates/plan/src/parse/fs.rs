//! The rules of a file system: its directory, and the commands with which a campaign asks and sets it.

use std::collections::BTreeMap;
use std::path::Path;

use toml::Spanned;
use units::{Dimension, Quantity};

use super::defaults::{ParseResult, known, whole};
use super::plan_text::PlanText;
use super::{FileSystem, wire};
use crate::language::rejections::Rejections;

/// The file systems of a plan without errors, each with a directory of its own.
pub(super) fn file_systems(
    file: &wire::PlanFile,
    place: &PlanText<'_>,
    errors: &Rejections,
) -> BTreeMap<String, FileSystem> {
    let mut all: BTreeMap<String, FileSystem> = BTreeMap::new();
    for (key, spanned) in &file.fs {
        let Some(fs) = errors.kept(file_system(key, spanned, place)) else {
            errors.spoil(format!("fs.{key}"));
            continue;
        };
        if let Some((other, _)) = all.iter().find(|(_, other)| Path::new(&other.dir) == Path::new(&fs.dir)) {
            let what =
                format!("fs.{key}: fs.{other} already has this `dir`. Give each file system one [fs.NAME].");
            errors.add(place.error(&spanned.get_ref().dir, what));
        }
        all.insert(key.clone(), fs);
    }
    all
}

fn file_system(key: &str, spanned: &Spanned<wire::FsKeys>, place: &PlanText<'_>) -> ParseResult<FileSystem> {
    let wire = spanned.get_ref();
    if wire.dir.get_ref().is_empty() {
        let what = format!("fs.{key} has no `dir`. Write `dir = \"{{dir}}\"` or a directory.");
        return Err(place.error(spanned, what));
    }
    let hook = |hook: &Option<Spanned<String>>, name: &str| match hook {
        Some(hook) if wire.servers.is_none() => {
            let what = format!("fs.{key}: `{name}` needs `servers`, the total number of servers. Add it.");
            Err(place.error(hook, what))
        }
        hook => Ok(hook.as_ref().map(|hook| hook.get_ref().clone())),
    };
    let set = hook(&wire.set_servers, "set_servers")?;
    if let Some(hook) = wire.set_servers.as_ref().filter(|hook| !hook.get_ref().contains("{servers}")) {
        let what = format!("fs.{key}: `set_servers` has no {{servers}}, the number of servers. Add it.");
        return Err(place.error(hook, what));
    }
    if let (Some(hook), None) = (&wire.set_servers, &wire.count_servers) {
        let what = "`set_servers` needs `count_servers`, a command that prints the number of online \
            servers. Add it.";
        return Err(place.error(hook, format!("fs.{key}: {what}")));
    }
    // Empty at a scale that may run on any file system.
    let said = |hook: &Option<Spanned<String>>| {
        hook.as_ref().map(Spanned::get_ref).filter(|hook| !hook.trim().is_empty()).cloned()
    };
    let who = format!("fs.{key}");
    let rate = |rate| place.quantity(&who, "rate", rate, Dimension::BytesPerSecond);
    Ok(FileSystem {
        dir: wire.dir.get_ref().clone(),
        kind: wire.kind.clone().filter(|kind| !kind.is_empty()),
        backing: wire.backing.map(super::wire::BackingWord::word),
        servers: whole(wire.servers.as_ref(), &format!("fs.{key}.servers"), place)?,
        targets: whole(known(wire.targets.as_ref()).as_ref(), &format!("fs.{key}.targets"), place)?,
        set_servers: set,
        count_servers: hook(&wire.count_servers, "count_servers")?,
        rate: wire.rate.as_ref().map(rate).transpose()?,
        health: said(&wire.health),
        traffic: said(&wire.traffic),
        quota: said(&wire.quota),
        fill: wire.fill.as_ref().map(|fill| band(key, fill, place)).transpose()?,
    })
}

/// The lowest and the highest utilization of the file system.
fn band(key: &str, fill: &Spanned<Vec<Spanned<String>>>, place: &PlanText<'_>) -> ParseResult<(f64, f64)> {
    let share = |text: &Spanned<String>| {
        let share = text.get_ref().parse::<Quantity>().ok();
        let share = share.filter(|share| share.dimension == Dimension::Fraction).map(|share| share.value);
        share.filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| {
            let what =
                format!("fs.{key}: `{}` is not a share of blocks. Write for example `60%`.", text.get_ref());
            place.error(text, what)
        })
    };
    match &fill.get_ref()[..] {
        [low, high] => match (share(low)?, share(high)?) {
            (low, high) if low < high => Ok((low, high)),
            _ => Err(place.error(fill, format!("fs.{key}: write the lower share of `fill` first"))),
        },
        _ => {
            let what = format!("fs.{key}: `fill` needs two shares. Write for example [\"60%\", \"70%\"].");
            Err(place.error(fill, what))
        }
    }
}
