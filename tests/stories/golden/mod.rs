//! Golden files of what users see: the API's description, responses, and a stored database. A change that users
//! shouldn't notice leaves them unchanged.
//!
//! `UPDATE_GOLDEN=1 cargo test -p stead-stories --test stories -- golden` writes the files of `tests/golden` again.

mod audited;
mod file;
mod normal;
mod refusals;
mod walk;

mod access;
mod calls;
mod connect;
mod database;
mod database_writer;
mod govern;
mod raw;

use std::fs;

use serde_json::Value;

use self::file::updates;
use crate::stage::Stage;

#[tokio::test]
async fn the_openapi_document() {
    let stage = Stage::new().await;
    let reply = stage
        .http
        .get(&format!("{}/openapi.json", stage.url), "")
        .await;
    let stored: Value =
        serde_json::from_str(include_str!("../../../docs/reference/openapi.json")).unwrap();
    let served = reply
        .text()
        .replace(&stage.url, "https://stead.example.com");
    let served: Value = serde_json::from_str(&served).unwrap();
    assert!(
        stored == served,
        "`cargo xtask codegen` writes the document again"
    );
}

/// Operations that never reject a request: they have no input, and need no token.
const WITHOUT_REFUSAL: [&str; 3] = ["GET /", "GET /healthz", "GET /openapi.json"];

#[tokio::test]
async fn every_operation_succeeds_and_is_refused_in_the_walks() {
    // While the files are being written, there's nothing to compare.
    if updates() {
        return;
    }
    let stage = Stage::new().await;
    let document = stage.get("/openapi.json").await.json();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let tag = operation["tags"][0].as_str().unwrap().replace('-', "_");
            let (method, mut statuses) = (method.to_uppercase(), Vec::new());
            for name in [
                format!("rest/{tag}.json"),
                format!("rest/refusals/{tag}.json"),
            ] {
                let records =
                    fs::read(file::path(&name)).unwrap_or_else(|error| panic!("{name}: {error}"));
                let records: Vec<Value> = serde_json::from_slice(&records).unwrap();
                let of_operation = records.iter().filter(|record| {
                    record["request"]["operation"] == *path && record["request"]["method"] == method
                });
                statuses.extend(
                    of_operation.filter_map(|record| record["response"]["status"].as_u64()),
                );
            }
            let operation = format!("{method} {path}");
            assert!(
                statuses.iter().any(|status| *status < 300),
                "{operation} never succeeds"
            );
            let is_refused = statuses.iter().any(|status| (400..500).contains(status));
            let is_expected = !WITHOUT_REFUSAL.contains(&operation.as_str());
            assert_eq!(is_refused, is_expected, "{operation}: {statuses:?}");
        }
    }
}
