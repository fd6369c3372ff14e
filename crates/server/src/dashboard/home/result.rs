//! A result as a short table: the list in it, with a few columns.

use serde::Serialize;
use serde_json::Value;

use crate::options::Sample;

/// The most items to show.
const ITEMS: usize = 6;
/// Characters of a cell, and of the whole text.
const CELL: usize = 160;
const TEXT: usize = 20_000;

/// The part of a result that the page shows.
#[derive(Debug, Serialize, PartialEq)]
pub(super) struct Shown {
    rows: Vec<Vec<String>>,
    /// How many more items there are.
    more: usize,
    /// The whole result, truncated after 20,000 characters.
    text: String,
}

pub(super) fn show(sample: &Sample, data: &str) -> Shown {
    let value: Value = serde_json::from_str(data).unwrap_or_default();
    let items = value.pointer(&sample.list).and_then(Value::as_array);
    let items = items.map(Vec::as_slice).unwrap_or_default();
    let rows = items.iter().take(ITEMS).map(|item| {
        let columns = sample.columns.iter().map(|pointers| cell(item, pointers));
        columns.collect()
    });
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    Shown {
        rows: rows.collect(),
        more: items.len().saturating_sub(ITEMS),
        text: cut(&text, TEXT),
    }
}

/// The first text that one of the pointers finds.
fn cell(item: &Value, pointers: &str) -> String {
    let mut found = pointers
        .split('|')
        .filter_map(|pointer| item.pointer(pointer))
        .filter_map(|value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        });
    cut(&found.next().unwrap_or_default(), CELL)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_is_shown_by_its_columns_and_anything_else_as_text() {
        let mut sample = Sample::new("mail", "mail_fetch_mails", json!({}));
        sample.list = String::from("/messages");
        sample.columns = vec![String::from("/subject|/title"), String::from("/n")];
        let messages: Vec<Value> = (0..9).map(|n| json!({ "title": "<b>", "n": n })).collect();
        let shown = show(&sample, &json!({ "messages": messages }).to_string());
        assert_eq!((shown.rows.len(), shown.more), (6, 3));
        assert_eq!(shown.rows[3], ["<b>", "3"]);
        let shown = show(&sample, "[1]");
        assert_eq!((shown.rows.len(), shown.text.as_str()), (0, "[\n  1\n]"));
    }
}
