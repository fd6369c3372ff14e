//! Checks that readable views only omit what their tool declares or what they mark.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use stead_core::{catalogue::CatalogueTool, tool::Whole};

use super::{Faults, Subject};
use crate::fixture::Case;

/// Every text and number of a result is in its readable view, or the fixture file declares it in `view_leaves_out`, or
/// the view marks it as omitted with a handle or `truncated`. Each declared path is omitted by some view.
pub(super) fn readable_views_lose_nothing_silently(
    subject: &Subject,
    tool: &CatalogueTool,
    faults: &mut Faults,
) {
    let name = tool.entry().name();
    let declared = subject.left_out_of(name);
    let mut used = BTreeSet::new();
    let mut lost: BTreeMap<String, String> = BTreeMap::new();
    for case in subject.cases_of(name) {
        let Some((view, wholes)) = view_of(tool, case) else {
            continue;
        };
        for loss in losses(case, &view, &wholes) {
            match declared.keys().find(|path| covers(path, &loss)) {
                Some(path) => _ = used.insert(path.as_str()),
                None => {
                    let text = format!("{:?}, {:?}", loss.text, case.name);
                    lost.entry(path_of(&loss.pointer)).or_insert(text);
                }
            }
        }
    }
    for (path, text) in lost {
        faults.add(format_args!("the view loses {path} ({text})"));
    }
    for path in declared.keys().filter(|path| !used.contains(path.as_str())) {
        faults.add(format_args!(
            "view_leaves_out names {path}, and no view leaves it out"
        ));
    }
}

/// The readable view of a case's result, and the values that it truncates.
fn view_of(tool: &CatalogueTool, case: &Case) -> Option<(Value, Vec<Whole>)> {
    let (result, view) = (case.result.as_ref()?, tool.entry().readable()?);
    view.with_wholes(result.data.clone()).ok()
}

/// A text or a number of a result that its view doesn't have, and doesn't mark as omitted.
struct Loss {
    pointer: String,
    text: String,
}

fn losses(case: &Case, view: &Value, wholes: &[Whole]) -> Vec<Loss> {
    let Some(result) = &case.result else {
        return Vec::new();
    };
    let mut leaves = Vec::new();
    leaves_of(&result.data, String::new(), &mut leaves);
    let is_marked = |pointer: &str| {
        let has_handle = wholes
            .iter()
            .any(|whole| is_within(pointer, &whole.pointer));
        has_handle || around(pointer).any(|around| says_that_it_is_cut(view.pointer(around)))
    };
    let is_lost = |(pointer, text): &(String, String)| {
        !is_marked(pointer) && !shows(&place_of(view, pointer), text)
    };
    let lost = leaves.into_iter().filter(is_lost);
    lost.map(|(pointer, text)| Loss { pointer, text }).collect()
}

/// The texts and numbers of a value with their JSON pointers.
fn leaves_of(value: &Value, pointer: String, leaves: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            leaves_of(
                value,
                format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")),
                leaves,
            )
        }),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, value)| leaves_of(value, format!("{pointer}/{index}"), leaves)),
        Value::String(text) if !text.trim().is_empty() => leaves.push((pointer, text.clone())),
        Value::Number(number) => leaves.push((pointer, number.to_string())),
        _ => {}
    }
}

/// All texts and numbers of one part of a view: the innermost list item around a place that the result and the view
/// both have, or the whole view.
fn place_of(view: &Value, pointer: &str) -> String {
    let is_item = |around: &&str| {
        let last = around.rsplit('/').next().unwrap_or_default();
        last.parse::<usize>().is_ok() && view.pointer(around).is_some()
    };
    let place = around(pointer).find(is_item).unwrap_or_default();
    let mut leaves = Vec::new();
    leaves_of(
        view.pointer(place).unwrap_or(view),
        String::new(),
        &mut leaves,
    );
    let texts: Vec<String> = leaves.into_iter().map(|(_, text)| words(&text)).collect();
    format!("\n{}\n", texts.join("\n"))
}

/// Whether the place has the text as whole words.
fn shows(place: &str, text: &str) -> bool {
    let text = words(text);
    let bounds = |one: Option<char>, other: Option<char>| !matches!((one, other), (Some(one), Some(other)) if one.is_alphanumeric() && other.is_alphanumeric());
    place.match_indices(&text).any(|(start, found)| {
        let (before, after) = (&place[..start], &place[start + found.len()..]);
        bounds(before.chars().next_back(), text.chars().next())
            && bounds(text.chars().next_back(), after.chars().next())
    })
}

/// The text with single spaces between its words.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether an object says that it omits something, with `truncated` or a member such as `rows_left_out`.
fn says_that_it_is_cut(value: Option<&Value>) -> bool {
    let members = value.and_then(Value::as_object).into_iter().flatten();
    let mut marks = members.filter(|(name, _)| *name == "truncated" || name.ends_with("left_out"));
    marks.any(|(_, mark)| !matches!(mark, Value::Null | Value::Bool(false)))
}

/// The pointer of a place, then those of everything around it, from the innermost to the root.
fn around(pointer: &str) -> impl Iterator<Item = &str> {
    let ends = pointer.rmatch_indices('/').map(|(end, _)| &pointer[..end]);
    std::iter::once(pointer).chain(ends)
}

fn is_within(pointer: &str, whole: &str) -> bool {
    let rest = pointer.strip_prefix(whole);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A pointer in the form of a declared path, such as `messages[].text`.
fn path_of(pointer: &str) -> String {
    let mut path = String::new();
    for step in pointer.split('/').skip(1) {
        match step.parse::<usize>() {
            Ok(_) => path.push_str("[]"),
            Err(_) if path.is_empty() => path.push_str(step),
            Err(_) => path.extend([".", step]),
        }
    }
    path
}

/// Whether a declared path names the lost value or something around it. `*` matches any member, and `**` any members
/// and lists. `status=confirmed` names only this value.
fn covers(path: &str, loss: &Loss) -> bool {
    let (path, value) = path
        .split_once('=')
        .map_or((path, None), |(path, value)| (path, Some(value)));
    let path = path.replace("[]", ".[]");
    let path: Vec<&str> = path.split('.').filter(|step| !step.is_empty()).collect();
    let place: Vec<&str> = loss.pointer.split('/').skip(1).collect();
    value.is_none_or(|value| value == loss.text) && matches(&path, &place)
}

fn matches(path: &[&str], place: &[&str]) -> bool {
    match (path, place) {
        ([], _) => true,
        (["**", rest @ ..], place) => {
            matches(rest, place)
                || place
                    .split_first()
                    .is_some_and(|(_, place)| matches(path, place))
        }
        ([step, path @ ..], [one, place @ ..]) => {
            let is_same = match *step {
                "[]" => one.parse::<usize>().is_ok(),
                "*" => true,
                step => step == *one,
            };
            is_same && matches(path, place)
        }
        (_, []) => false,
    }
}

/// Proves that the check above works on the product's own views. For each view, it must notice at least one removed
/// text and at least one cut text.
pub(super) fn cuts_in_readable_views_are_found(
    subject: &Subject,
    tool: &CatalogueTool,
    faults: &mut Faults,
) {
    let name = tool.entry().name();
    let declared = subject.left_out_of(name);
    let lost = |case: &Case, view: &Value, wholes: &[Whole]| {
        let lost = losses(case, view, wholes).into_iter();
        lost.filter(|loss| !declared.keys().any(|path| covers(path, loss)))
            .count()
    };
    let (mut taken_out, mut cut) = (0, 0);
    for case in subject.cases_of(name) {
        let Some((view, wholes)) = view_of(tool, case) else {
            continue;
        };
        let before = lost(case, &view, &wholes);
        let mut leaves = Vec::new();
        leaves_of(&view, String::new(), &mut leaves);
        for (pointer, text) in leaves {
            let with = |value: Value| {
                let mut view = view.clone();
                if let Some(leaf) = view.pointer_mut(&pointer) {
                    *leaf = value;
                }
                lost(case, &view, &wholes) > before
            };
            let half: String = text.chars().take(text.chars().count() / 2).collect();
            taken_out += usize::from(with(Value::Null));
            cut += usize::from(with(Value::String(half)));
        }
    }
    if tool.entry().readable().is_some() && (taken_out == 0 || cut == 0) {
        faults.add(format_args!("of its texts {taken_out} are missed when they are taken out, and {cut} when they are cut"));
    }
}
