//! Webhooks.

use serde_json::{Value, json};

use super::walk::{Ask, Walk};
use crate::{
    mirror::Mirror,
    stage::{ADA, Setting},
};

#[tokio::test]
async fn webhooks() {
    let mut walk = Walk::set(Setting {
        private_hosts: vec!["127.0.0.1"],
        ..Setting::default()
    })
    .await;
    // Takes tests, and fails at everything else.
    let receiver = Mirror::start(|heard| {
        let is_test = String::from_utf8_lossy(&heard.body).contains("webhook.test");
        let response = if is_test {
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
        } else {
            "HTTP/1.1 503 Service Unavailable\r\nretry-after: 7200\r\ncontent-length: 5\r\n\r\nouch!"
        };
        response.as_bytes().to_vec()
    })
    .await;
    walk.normal.address(&receiver.url, 8486);
    walk.stage.connect("user-1", ADA).await;
    let url = format!("{}/hook", receiver.url);
    let new = json!({ "url": url, "events": ["account.*"], "description": "the shop" });
    let made = walk.done(Ask::post("create", "/v1/webhooks", &new)).await;
    let id = made["id"].as_str().unwrap().to_owned();
    let one = format!("/v1/webhooks/{id}");
    let second = json!({ "url": "https://hooks.example.com/" });
    walk.done(Ask::post("create another", "/v1/webhooks", &second))
        .await;
    let list = Ask::get("list the first", "/v1/webhooks?page_size=1");
    let page = walk.done(list).await;
    let next = page["next_page_token"].as_str().unwrap();
    let list = Ask::get(
        "list the second",
        format!("/v1/webhooks?page_size=1&page_token={next}"),
    );
    let other = walk.done(list).await["items"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    walk.done(Ask::get("read", &one)).await;
    let change =
        json!({ "description": "the other shop", "events": ["account.*", "connection.*"] });
    walk.done(Ask::new("change", "PATCH", &one).json(&change))
        .await;
    walk.done(
        Ask::new("disable", "PATCH", format!("/v1/webhooks/{other}"))
            .json(&json!({ "disabled": true })),
    )
    .await;
    walk.done(
        Ask::new("enable", "PATCH", format!("/v1/webhooks/{other}"))
            .json(&json!({ "disabled": false })),
    )
    .await;
    walk.done(Ask::delete("delete", format!("/v1/webhooks/{other}")))
        .await;
    walk.done(Ask::new("test", "POST", format!("{one}/test")))
        .await;
    walk.done(Ask::new(
        "rotate the secret",
        "POST",
        format!("{one}/rotate-secret"),
    ))
    .await;

    let suspend = Ask::new("an event", "POST", "/v1/accounts/mail/user-1/suspend");
    walk.done(suspend).await;
    let deliveries = format!("{one}/deliveries");
    let waits = |page: &Value| {
        let items = page["items"].as_array().unwrap();
        items
            .iter()
            .any(|one| one["state"] == "waiting" && one["attempts"] == 1)
    };
    let waiting = walk.until(&deliveries, waits).await;
    walk.done(Ask::get("deliveries", &deliveries)).await;
    walk.done(Ask::get(
        "deliveries that wait",
        format!("{deliveries}?state=waiting"),
    ))
    .await;
    walk.done(Ask::get("read one that fails", &one)).await;
    let event = waiting["items"].as_array().unwrap().iter();
    let event = event.filter(|one| one["state"] == "waiting");
    let event = event
        .map(|one| one["event_id"].as_str().unwrap())
        .next()
        .unwrap()
        .to_owned();
    walk.done(Ask::new(
        "replay an event",
        "POST",
        format!("{deliveries}/{event}/replay"),
    ))
    .await;
    let since = json!({ "since": super::walk::START });
    walk.done(Ask::post("replay all", format!("{one}/replay"), &since))
        .await;
    let refused = json!({ "url": "http://10.0.0.1/", "events": ["accounts.*", "nothing"], "description": "x".repeat(201) });
    walk.refused(Ask::post("several faults", "/v1/webhooks", &refused))
        .await;
    walk.end("webhooks", "webhooks");
}
