//! Changing values of a TOML file in place: what still says the same stays as written, and no comment is lost.

use crate::cpumask::CpuMask;
use toml_edit::{Array, Item, TableLike, Value};

/// Sets `key`. With `nr_cpus`, strings are cpulists: `0,1` and `0-1` are the same then.
pub(super) fn put(table: &mut dyn TableLike, key: &str, value: Value, nr_cpus: Option<usize>) {
    match (table.get_mut(key).and_then(Item::as_value_mut), value) {
        (Some(Value::Array(old)), Value::Array(new)) => merge(old, new, nr_cpus),
        (Some(old), new) if says(old, &new, nr_cpus) => {}
        (Some(old), new) => place(old, new),
        (None, new) => add(table, key, new),
    }
}

/// Adds a key that is not there yet.
pub(super) fn add(table: &mut dyn TableLike, key: &str, value: Value) {
    table.insert(key, Item::Value(value));
}

/// Puts `new` where `old` was, blanks and comments around it untouched.
pub(super) fn place(old: &mut Value, new: Value) {
    let around = old.decor().clone();
    *old = new;
    *old.decor_mut() = around;
}

/// Changes those items of a list that differ.
pub(super) fn merge(old: &mut Array, new: Array, nr_cpus: Option<usize>) {
    while old.len() > new.len() {
        old.remove(old.len() - 1);
    }
    for (at, value) in new.into_iter().enumerate() {
        match (old.get_mut(at), value) {
            (Some(Value::Array(old)), Value::Array(new)) => merge(old, new, nr_cpus),
            (Some(old), new) if says(old, &new, nr_cpus) => {}
            (Some(old), new) => place(old, new),
            (None, new) => push(old, new),
        }
    }
}

/// Appends an item that is set like the one before it.
fn push(list: &mut Array, mut value: Value) {
    match list.len().checked_sub(1).and_then(|at| list.get(at)) {
        // The first item of a line often has no blank before it, so a second one sets itself.
        Some(before) if list.len() > 1 => {
            *value.decor_mut() = before.decor().clone();
            list.push_formatted(value);
        }
        _ => list.push(value),
    }
}

/// Whether two scalars say the same, however they are written.
fn says(old: &Value, new: &Value, nr_cpus: Option<usize>) -> bool {
    match (old, new) {
        (Value::String(old), Value::String(new)) => {
            let mask = |text: &str| CpuMask::parse(text, nr_cpus).ok();
            old.value() == new.value() || (nr_cpus.is_some() && mask(old.value()) == mask(new.value()))
        }
        (Value::Integer(old), Value::Integer(new)) => old.value() == new.value(),
        (Value::Boolean(old), Value::Boolean(new)) => old.value() == new.value(),
        _ => false,
    }
}

/// Takes `key` away; comments above and beside it go to the key that follows, or else to the one before.
pub(super) fn drop_key(table: &mut dyn TableLike, key: &str) {
    let Some(comment) = comment_of(table, key) else { return };
    let keys: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
    table.remove(key);
    if comment.is_empty() {
        return;
    }
    let at = keys.iter().position(|known| known == key).unwrap_or(0);
    if let Some(mut next) = keys.get(at + 1).and_then(|next| table.key_mut(next)) {
        let decor = next.leaf_decor_mut();
        let before = decor.prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
        let joined = format!("{comment}{before}");
        decor.set_prefix(joined);
    } else if let Some(last) = at.checked_sub(1).and_then(|before| keys.get(before))
        && let Some(value) = table.get_mut(last).and_then(Item::as_value_mut)
    {
        let decor = value.decor_mut();
        let after = decor.suffix().and_then(|suffix| suffix.as_str()).unwrap_or_default();
        let joined = format!("{after}\n{}", comment.trim_end());
        decor.set_suffix(joined);
    }
}

/// The comments above and beside a key, one a line; `None` when the key is not there.
fn comment_of(table: &mut dyn TableLike, key: &str) -> Option<String> {
    let beside = table.get(key)?.as_value().and_then(|value| value.decor().suffix()?.as_str()).map(str::to_owned);
    let above = table.key(key).and_then(|key| key.leaf_decor().prefix()?.as_str());
    let lines = above.into_iter().chain(beside.as_deref()).flat_map(str::lines);
    let comments = lines.map(str::trim).filter(|line| line.starts_with('#'));
    Some(comments.flat_map(|line| [line, "\n"]).collect())
}
