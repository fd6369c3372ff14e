//! Partial responses over HTTP.

use serde_json::json;

use crate::client::Stage;

#[tokio::test]
async fn masks_cut_responses() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let list = stage
        .mail(
            "messages?maxResults=1&fields=messages(id),nextPageToken",
            &ada,
        )
        .await
        .ok();
    assert_eq!(list["messages"][0].as_object().unwrap().len(), 1);
    assert!(list["nextPageToken"].is_string());
    assert_eq!(list.get("resultSizeEstimate"), None);

    let id = stage.message_id(0, "Quarterly report & figures");
    let mask = "id,payload(parts(filename,body/size))";
    let message = stage
        .mail(&format!("messages/{id}?fields={mask}"), &ada)
        .await
        .ok();
    assert_eq!(
        message["payload"]["parts"][1]["body"],
        json!({"size": 1_048_576})
    );
    assert_eq!(message.as_object().unwrap().len(), 2);

    let people = stage
        .people(
            "people/me/connections?personFields=names&fields=connections/names/displayName",
            &ada,
        )
        .await
        .ok();
    assert_eq!(
        people["connections"][0],
        json!({"names": [{"displayName": "Charles Babbage"}]})
    );
}

#[tokio::test]
async fn bad_masks_are_refused() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    for mask in [
        "",
        "nothing",
        "messages(",
        "messages/subject",
        "messages(id),",
    ] {
        let reply = stage.mail(&format!("messages?fields={mask}"), &ada).await;
        assert_eq!(reply.status, 400, "{mask}");
        let error = &reply.json()["error"];
        assert_eq!(error["errors"][0]["reason"], "invalidParameter");
        assert_eq!(error["errors"][0]["location"], "fields");
    }
}
