//! Names of the user's own labels. The product returns only their ids with a mail.

use std::collections::HashMap;

use serde_json::Value;
use stead_core::tool::{ApiRequest, Call, Io};
use stead_google::items;

/// Prefix of the ids of labels that the user created. The product's own ids, such as `INBOX`, are names (Gmail API,
/// `Label`).
const OWN: &str = "Label_";

/// Replaces the ids of labels by names, if the caller asks for the readable view. It takes one request, and only if a mail
/// has such a label (Gmail API, `users.labels.list`). If the names can't be read, the ids stay.
pub(crate) async fn name_labels(call: &Call, io: &Io<'_>, mails: &mut [Value]) {
    let own = mails
        .iter_mut()
        .flat_map(labels)
        .filter(|label| is_own(label));
    if !call.is_readable || own.count() == 0 {
        return;
    }
    let Ok(response) = io.send(ApiRequest::get(["labels"])).await else {
        return;
    };
    let Ok(mut list) = response.json::<Value>() else {
        return;
    };
    let known = items(&mut list, "labels").into_iter();
    let known: HashMap<String, Value> = known
        .filter_map(|mut label| Some((label["id"].as_str()?.to_owned(), label["name"].take())))
        .collect();
    for label in mails.iter_mut().flat_map(labels) {
        let name = label.as_str().and_then(|id| known.get(id));
        if let Some(name) = name.filter(|name| name.is_string() && is_own(label)) {
            *label = name.clone();
        }
    }
}

fn labels(mail: &mut Value) -> impl Iterator<Item = &mut Value> {
    let labels = mail.pointer_mut("/readable/labels");
    labels.and_then(Value::as_array_mut).into_iter().flatten()
}

fn is_own(label: &Value) -> bool {
    label.as_str().is_some_and(|id| id.starts_with(OWN))
}
