//! The tools, one per file.

mod fetch_mails;
mod get_attachment_by_id;
mod get_contacts;
mod get_message_by_id;
mod get_thread_by_id;
mod list_drafts;
mod list_threads;
mod search_people;

mod format;
mod person_field;

use serde_json::{Value, json};

pub use fetch_mails::FetchMails;
pub use format::{MessageFormat, ThreadFormat};
pub use get_attachment_by_id::GetAttachmentById;
pub use get_contacts::GetContacts;
pub use get_message_by_id::GetMessageById;
pub use get_thread_by_id::GetThreadById;
pub use list_drafts::ListDrafts;
pub use list_threads::ListThreads;
pub use person_field::PersonField;
pub use search_people::SearchPeople;

/// A page of Gmail's: the product leaves a list out where it is empty, and the token where there is no next page.
fn page(name: &str, items: Vec<Value>, answer: &Value) -> Value {
    let mut page = json!({
        "next_page_token": answer["nextPageToken"],
        "result_size_estimate": answer["resultSizeEstimate"],
    });
    page[name] = Value::Array(items);
    page
}

/// The items of a list, none where the product leaves it out.
fn items(answer: &mut Value, name: &str) -> Vec<Value> {
    match answer.get_mut(name).map(Value::take) {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}
