//! `/v1/audit`, through the router.

use serde_json::{Value, json};

use crate::testing::TestService;

#[tokio::test]
async fn a_change_is_listed_with_its_actor() {
    let service = TestService::new().await;
    let new = json!({ "connection_name": "mail", "product": "mail" });
    let made = service.post("/v1/connections", new).await;
    let listed: Value = serde_json::from_str(service.get("/v1/audit").await.text()).unwrap();
    let request_id = listed["items"][0]["request_id"].as_str().unwrap();
    assert_eq!(request_id, made.header("stead-request-id"));
    let all = service.get("/v1/audit").await.json();
    let [created, credential] = all["items"].as_array().unwrap().as_slice() else {
        panic!("{all}")
    };
    assert_eq!(credential["actor"], json!({ "type": "operator" }));
    let mut created = created.clone();
    for member in ["hash", "previous_hash"] {
        let hash = created[member].take();
        assert_eq!(hash.as_str().map(str::len), Some(64), "{hash}");
    }
    assert_eq!(created["previous_hash"], json!(null));
    assert_eq!(
        created,
        json!({
            "number": 2, "at": "time", "action": "connection.created",
            "actor": { "type": "application", "id": credential["target"]["id"] },
            "target": { "type": "connection", "id": "conn_…" },
            "facts": { "connection_name": "mail", "product": "mail" },
            "request_id": "req_…",
            "previous_hash": null, "hash": null,
        })
    );

    let mine = format!(
        "/v1/audit?actor={}",
        credential["target"]["id"].as_str().unwrap()
    );
    let mine = service.get(&mine).await.json();
    assert_eq!(mine["items"][0]["number"], 2);
    assert_eq!(mine["items"].as_array().map(Vec::len), Some(1));

    let verified = service.get("/v1/audit/verify").await.json();
    assert_eq!(verified["head"]["number"], 2);
    assert_eq!(verified["fault"], json!(null));
    let later = format!("/v1/audit/verify?expect=3:{}", "0".repeat(64));
    let cut = service.get(&later).await.json();
    assert_eq!(
        cut["fault"],
        json!({
            "number": 3,
            "message": "the log ends with entry 2, but it once had an entry 3, so its end was removed",
        })
    );
}

#[tokio::test]
async fn invalid_parameters_are_refused_with_the_place() {
    let service = TestService::new().await;
    for (path, place) in [
        ("/v1/audit/verify?expect=7", "/expect"),
        ("/v1/audit?page_token=x", "/page_token"),
        ("/v1/audit?who=x", "/who"),
    ] {
        let refused = service.get(path).await;
        assert_eq!(refused.status, 400, "{path}");
        assert_eq!(refused.problem()["violations"][0]["path"], place, "{path}");
    }
}
