//! `/v1/executions`, through the router.

use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};

use crate::testing::TestService;

/// A service with a call by `ada` that succeeded, and one by someone without an account.
async fn service() -> TestService {
    let service = TestService::new().await.with_account("ada").await;
    for identifier in ["ada", "nobody"] {
        let body = json!({ "connection_name": "mail", "identifier": identifier, "input": {} });
        service
            .post("/v1/tools/mail_list_drafts/execute", body)
            .await;
    }
    // Calls appear in the history a moment later, and this clock doesn't wait.
    tokio::time::sleep(Duration::from_secs(1)).await;
    service
}

fn identifiers(page: &Value) -> Vec<&str> {
    let items = page["items"].as_array().unwrap().iter();
    items
        .map(|call| call["identifier"].as_str().unwrap())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn calls_are_found_by_their_filters() {
    let service = service().await;
    let all = service.get("/v1/executions").await.json();
    assert_eq!(identifiers(&all), ["nobody", "ada"]);
    let first = &all["items"][0];
    assert_eq!(
        [&first["tool"], &first["connection_name"], &first["outcome"]],
        ["mail_list_drafts", "mail", "authorization_required"]
    );
    let actor = first["actor"].as_str().unwrap();
    for (query, expected) in [
        ("identifier=ada", vec!["ada"]),
        ("outcome=ok", vec!["ada"]),
        ("outcome=authorization_required", vec!["nobody"]),
        ("connection_name=other", vec![]),
        ("tool=mail_list_drafts&page_size=1", vec!["nobody"]),
        ("since=2000-01-01T00:00:00Z", vec!["nobody", "ada"]),
        ("before=2000-01-01T00:00:00%2B01:00", vec![]),
        (&format!("actor={actor}"), vec!["nobody", "ada"]),
        ("actor=app_other", vec![]),
    ] {
        let page = service.get(&format!("/v1/executions?{query}")).await.json();
        assert_eq!(identifiers(&page), expected, "{query}");
    }
    // Reads the text, because `json()` normalizes IDs.
    let shown = service.get("/v1/executions").await;
    let shown: Value = serde_json::from_str(shown.text()).unwrap();
    let id = shown["items"][0]["execution_id"].as_str().unwrap();
    let one = service.get(&format!("/v1/executions/{id}")).await.json();
    assert_eq!(&one, first);
    for missing in ["exec_00000000000000000000000000000000", "x"] {
        let missing = service.get(&format!("/v1/executions/{missing}")).await;
        assert_eq!(missing.status, StatusCode::NOT_FOUND);
        assert_eq!(missing.json()["kind"], "not_found");
    }
    let refused = service.get("/v1/executions?since=yesterday").await;
    assert_eq!(refused.json()["violations"][0]["path"], "/since");
}

#[tokio::test(start_paused = true)]
async fn totals_count_the_calls_by_the_minute_or_the_hour() {
    let service = service().await;
    for (query, seconds) in [("", 60), ("?by=minute", 60), ("?by=hour", 3600)] {
        let path = format!("/v1/executions/totals{query}");
        let totals = service.get(&path).await.json();
        let items = totals["items"].as_array().unwrap();
        let calls = items.iter().map(|one| one["calls"].as_u64().unwrap());
        assert_eq!(calls.sum::<u64>(), 2, "{totals}");
        assert!(
            items.iter().all(|one| one["seconds"] == seconds),
            "{totals}"
        );
    }
    let long = "since=2000-01-01T00:00:00Z";
    for (query, place) in [(long, "/since"), ("by=day", "/by")] {
        let refused = service.get(&format!("/v1/executions/totals?{query}")).await;
        assert_eq!(refused.json()["violations"][0]["path"], place);
    }
}
