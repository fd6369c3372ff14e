//! What users see of Stead, in files: its description, its responses, and a database that it wrote. A change that isn't
//! meant to be seen leaves them as they are.
//!
//! `UPDATE_GOLDEN=1 cargo test -p stead-stories --test stories -- golden` writes the files of `tests/golden` again.

mod file;
mod normal;
mod refusals;
mod walk;

mod access;
mod calls;
mod connect;
mod govern;
mod raw;

use serde_json::Value;

use self::{file::compare, normal::Normal};
use crate::stage::Stage;

#[tokio::test]
async fn the_openapi_document() {
    let stage = Stage::new().await;
    let reply = stage
        .http
        .get(&format!("{}/openapi.json", stage.url), "")
        .await;
    let document = Normal::of(&stage).addresses(&reply.body);
    compare("openapi.json", &document);
}

/// The operations of the document: tag, method and path.
fn operations(document: &Value) -> Vec<(String, String, String)> {
    let mut all = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let Some(tag) = operation["tags"][0].as_str() else {
                continue;
            };
            all.push((tag.to_owned(), method.to_uppercase(), path.clone()));
        }
    }
    all
}
