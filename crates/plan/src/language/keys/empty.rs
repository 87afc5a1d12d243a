//! Takes out optional keys whose value is an empty text, such as a parameter that is empty at a scale.
//!
//! Never here: keys whose empty value has a meaning of its own.

use toml::de::{DeTable, DeValue};

use super::{KeyForm, KeyTable, PlanKey};

/// Keys that keep an empty text: command lines without options, and values that are none in spite of
/// `[defaults]` or `[launch]`.
const KEPT: &[(&str, &[&str])] = &[
    (
        "test",
        &["ior", "mdtest", "md_workbench", "fdtree", "ls_lr", "flash_io", "mpi_io", "cov_max", "sustained"],
    ),
    ("dataset", &["ior", "mdtest"]),
    ("state", &["age", "degrade", "restore"]),
    ("launch", &["attempts"]),
    ("steady", &["window"]),
    ("criterion", &["cov_max"]),
    ("score-criterion", &["cov_max"]),
];

/// Whether an empty text means that the key is not given.
pub(super) fn may_be_empty(table: &KeyTable, key: &PlanKey) -> bool {
    let is_kept = |(name, keys): &(&str, &[&str])| *name == table.name && keys.contains(&key.name);
    let is_text = !matches!(
        key.form,
        KeyForm::Version
            | KeyForm::Truth
            | KeyForm::Number
            | KeyForm::Texts
            | KeyForm::Numbers
            | KeyForm::Entries
            | KeyForm::Scales
            | KeyForm::Table(_)
            | KeyForm::Named(_)
            | KeyForm::Several(_)
            | KeyForm::OneOrSeveral(_)
    );
    is_text && !key.must && !KEPT.iter().any(is_kept)
}

/// Removes such keys from `there`, which has the keys of `table`, and from the tables in it.
pub(crate) fn drop_empty(table: &'static KeyTable, there: &mut DeTable<'_>) {
    for key in table.keys {
        let Some(value) = there.get_mut(key.name) else { continue };
        match value.get_mut() {
            DeValue::String(text) if text.is_empty() && may_be_empty(table, key) => {
                there.remove(key.name);
            }
            DeValue::Array(all) => {
                let Some(inner) = key.form.table() else { continue };
                let tables = all.iter_mut().filter_map(|one| match one.get_mut() {
                    DeValue::Table(one) => Some(one),
                    _ => None,
                });
                tables.for_each(|one| drop_empty(inner, one));
            }
            DeValue::Table(one) => match &key.form {
                KeyForm::Named(inner) => {
                    for (_, entry) in one.iter_mut() {
                        if let DeValue::Table(entry) = entry.get_mut() {
                            drop_empty(inner, entry);
                        }
                    }
                }
                form => {
                    if let Some(inner) = form.table() {
                        drop_empty(inner, one);
                    }
                }
            },
            _ => {}
        }
    }
}
