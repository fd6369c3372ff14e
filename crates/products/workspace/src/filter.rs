//! Filters of rows, in the product's form (Notion API, "Filter data source entries").

use serde_json::{Map, Value};
use stead_core::error::{Violations, push_segment};

use crate::limits::{ITEMS, check_array};

/// A condition, or a group of conditions: `{"property": "Status", "select": {"equals": "Read"}}`, `{"and": […]}`.
pub(crate) type Filter = Map<String, Value>;

/// Levels of groups that the product allows.
const LEVELS: usize = 2;
const GROUPS: [&str; 2] = ["and", "or"];

/// Checks the form of a filter: its groups, and that each condition names a column or a time. Only the product knows the
/// columns, and what can be compared with them.
pub(crate) fn check(filter: &Filter, violations: &mut Violations) {
    check_level(filter, "/filter", 0, violations);
}

fn check_level(filter: &Filter, path: &str, level: usize, violations: &mut Violations) {
    let mut groups = GROUPS.iter().filter_map(|name| filter.get_key_value(*name));
    let Some((name, items)) = groups.next() else {
        check_condition(filter, path, violations);
        return;
    };
    if filter.len() > 1 {
        let message =
            "a filter is a single condition, or a list of them in either \"and\" or \"or\"";
        violations.add(path, "oneOf", message);
        return;
    }
    if level == LEVELS {
        let message =
            format!("has more than {LEVELS} levels of groups; the product allows {LEVELS}");
        violations.add(path, "maxDepth", message);
        return;
    }
    let path = format!("{path}/{name}");
    let Some(items) = items.as_array() else {
        violations.add(&path, "type", "expected a list of conditions");
        return;
    };
    check_array(items.len(), ITEMS, &path, violations);
    for (index, item) in items.iter().enumerate() {
        let path = format!("{path}/{index}");
        match item.as_object() {
            Some(item) => check_level(item, &path, level + 1, violations),
            None => violations.add(&path, "type", "expected a condition, which is an object"),
        }
    }
}

fn check_condition(condition: &Filter, path: &str, violations: &mut Violations) {
    let names = ["property", "timestamp"];
    if names
        .iter()
        .filter(|name| condition.contains_key(**name))
        .count()
        != 1
    {
        let message = "a condition needs exactly one of property and timestamp";
        violations.add(path, "oneOf", message);
    }
    for name in names {
        if condition.get(name).is_some_and(|value| !value.is_string()) {
            violations.add(&format!("{path}/{name}"), "type", "expected a text");
        }
    }
    let is_test = |name: &str| !names.contains(&name) && name != "type";
    let tests: Vec<_> = condition.iter().filter(|(name, _)| is_test(name)).collect();
    match tests.as_slice() {
        [(_, Value::Object(_))] => {}
        [(name, _)] => {
            let mut path = path.to_owned();
            push_segment(&mut path, name);
            let message = "expected an object with a comparison, such as {\"equals\": …}";
            violations.add(&path, "type", message);
        }
        _ => {
            let message = "a condition needs exactly one member with a comparison, named after the column's type: \"select\": {\"equals\": …}";
            violations.add(path, "oneOf", message);
        }
    }
}

/// The columns that a filter names, at any level.
pub(crate) fn columns(filter: &Filter) -> Vec<&str> {
    let own = filter.get("property").and_then(Value::as_str);
    let groups = GROUPS
        .iter()
        .filter_map(|name| filter.get(*name)?.as_array());
    let items = groups.flatten().filter_map(Value::as_object);
    own.into_iter().chain(items.flat_map(columns)).collect()
}
