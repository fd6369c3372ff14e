//! Golden files: written in lines that people can read, and compared so that the first differences are shown.

use std::{fmt::Write as _, fs, path::PathBuf};

use serde_json::Value;

/// Columns up to which a value stays on its line.
const WIDTH: usize = 120;
/// Differences that are printed.
const SHOWN: usize = 12;

pub fn path(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/golden")).join(name)
}

/// Whether the files are to be written.
pub fn updates() -> bool {
    std::env::var_os("UPDATE_GOLDEN").is_some()
}

/// Compares a value with the file of this name, or writes the file.
pub fn compare(name: &str, now: &Value) {
    let (path, text) = (path(name), pretty(now));
    if updates() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        return;
    }
    let stored = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    if stored == text {
        return;
    }
    let mut found = Vec::new();
    differences("", &serde_json::from_str(&stored).unwrap(), now, &mut found);
    let count = found.len();
    found.truncate(SHOWN);
    panic!(
        "golden/{name} has {count} differences. If they are meant, run the test with UPDATE_GOLDEN=1.\n{}",
        found.join("\n")
    );
}

/// Collects the differences between two values, each with its path.
fn differences(place: &str, stored: &Value, now: &Value, found: &mut Vec<String>) {
    match (stored, now) {
        (Value::Object(before), Value::Object(after)) => {
            for (name, value) in before {
                let place = format!("{place}/{name}");
                match after.get(name) {
                    Some(now) => differences(&place, value, now, found),
                    None => found.push(format!("{place}\n  - {value}")),
                }
            }
            for (name, value) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
                found.push(format!("{place}/{name}\n  + {value}"));
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            for (index, value) in before.iter().enumerate() {
                let place = format!("{place}/{}", name_of(value, index));
                match after.get(index) {
                    Some(now) => differences(&place, value, now, found),
                    None => found.push(format!("{place}\n  - {value}")),
                }
            }
            for (index, value) in after.iter().enumerate().skip(before.len()) {
                found.push(format!("{place}/{}\n  + {value}", name_of(value, index)));
            }
        }
        _ if stored == now => {}
        _ => found.push(format!("{place}\n  - {stored}\n  + {now}")),
    }
}

/// An item of a list by its title, or else by its number.
fn name_of(value: &Value, index: usize) -> String {
    value["title"]
        .as_str()
        .map_or_else(|| index.to_string(), |title| format!("{index} ({title})"))
}

/// JSON in which short values stay on one line.
pub fn pretty(value: &Value) -> String {
    let mut text = String::new();
    write(value, 0, 0, &mut text);
    text.push('\n');
    text
}

fn write(value: &Value, indent: usize, before: usize, text: &mut String) {
    let short = one_line(value);
    let is_empty = matches!(short.as_str(), "[]" | "{}");
    if is_empty || !(value.is_array() || value.is_object()) {
        text.push_str(&short);
        return;
    }
    if indent > 0 && indent + before + short.chars().count() < WIDTH {
        text.push_str(&short);
        return;
    }
    let (inner, mut rest) = (indent + 2, String::from("\n"));
    match value {
        Value::Object(members) => {
            text.push('{');
            for (name, value) in members {
                let name = format!("{}: ", Value::from(name.as_str()));
                let _ = write!(text, "{rest}{}{name}", " ".repeat(inner));
                write(value, inner, name.chars().count(), text);
                ",\n".clone_into(&mut rest);
            }
        }
        _ => {
            text.push('[');
            for value in value.as_array().into_iter().flatten() {
                let _ = write!(text, "{rest}{}", " ".repeat(inner));
                write(value, inner, 0, text);
                ",\n".clone_into(&mut rest);
            }
        }
    }
    let end = if value.is_object() { '}' } else { ']' };
    let _ = write!(text, "\n{}{end}", " ".repeat(indent));
}

fn one_line(value: &Value) -> String {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let members = members.iter().map(|(name, value)| {
                format!("{}: {}", Value::from(name.as_str()), one_line(value))
            });
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(one_line).collect();
            format!("[{}]", items.join(", "))
        }
        _ => value.to_string(),
    }
}
