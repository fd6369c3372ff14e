//! Lists in responses of Google's products.

use serde_json::Value;

/// Takes the items of a list out of a response. The product omits an empty list.
pub fn items(response: &mut Value, name: &str) -> Vec<Value> {
    match response.get_mut(name).map(Value::take) {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}
