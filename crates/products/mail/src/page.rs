//! Pages of the mail product's lists.

use std::collections::BTreeMap;

use serde_json::{
    Value, json,
    value::{RawValue, to_raw_value},
};
use stead_core::{
    Error, ErrorKind, Result,
    tool::{Output, Response},
};

/// A page whose items are copied byte by byte from the response. The product omits an empty list, and omits the token on
/// the last page.
pub(crate) fn page(name: &str, response: &Response) -> Result<Output> {
    let members: Option<BTreeMap<String, &RawValue>> = response.json()?;
    let member = |name: &str| members.as_ref().and_then(|members| members.get(name));
    let or_null = |name| member(name).copied().unwrap_or(RawValue::NULL);
    let written = || {
        let none = serde_json::from_str("[]")?;
        let items = member(name).filter(|items| items.get().starts_with('['));
        to_raw_value(&BTreeMap::from([
            (name, items.copied().unwrap_or(none)),
            ("next_page_token", or_null("nextPageToken")),
            ("result_size_estimate", or_null("resultSizeEstimate")),
        ]))
    };
    let page = written().map_err(|error: serde_json::Error| {
        let message = "the page can't be written as JSON";
        Error::new(ErrorKind::Internal, message).with_source(error)
    })?;
    Ok(page.into())
}

/// A page of these items.
pub(crate) fn page_of(name: &str, items: Vec<Value>, response: &Value) -> Value {
    let mut page = json!({
        "next_page_token": response["nextPageToken"],
        "result_size_estimate": response["resultSizeEstimate"],
    });
    page[name] = Value::Array(items);
    page
}
