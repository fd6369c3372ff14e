//! Pages of the mail product's lists.

use serde_json::{Value, json};

/// A page of a list: the product leaves the token out where there is no next page.
pub(crate) fn page(name: &str, items: Vec<Value>, response: &Value) -> Value {
    let mut page = json!({
        "next_page_token": response["nextPageToken"],
        "result_size_estimate": response["resultSizeEstimate"],
    });
    page[name] = Value::Array(items);
    page
}
