//! An application's identifier of a user can be any text.

use serde_json::json;

use crate::{
    browser::Browser,
    http_client::encode,
    stage::{ADA, Stage},
};

#[tokio::test]
async fn a_hostile_identifier_works_everywhere() {
    const IDENTIFIER: &str = "a/b %2F@ü";
    let stage = Stage::new().await;
    let link = stage.link(IDENTIFIER).await;
    assert_eq!(Browser::new().connect(&stage, &link, ADA).await.status, 200);

    let account = stage
        .get(&format!("/v1/accounts/mail/{}", encode(IDENTIFIER)))
        .await;
    assert_eq!(
        account.json()["identifier"],
        IDENTIFIER,
        "{}",
        account.text()
    );
    let drafts = stage.drafts(IDENTIFIER).await;
    assert_eq!(drafts.status, 200, "{}", drafts.text());
    let request = json!({ "connection_name": "mail", "identifier": IDENTIFIER, "path": "/v1/users/me/profile", "method": "GET" });
    assert_eq!(
        stage.post("/v1/proxy", &request).await.json()["emailAddress"],
        ADA
    );
    let streamed = stage
        .get(&format!(
            "/proxy/mail/{}/v1/users/me/profile",
            encode(IDENTIFIER)
        ))
        .await;
    assert_eq!(streamed.json()["emailAddress"], ADA, "{}", streamed.text());

    assert_eq!(
        stage
            .delete(&format!("/v1/accounts/mail/{}", encode(IDENTIFIER)))
            .await
            .status,
        200
    );
    assert_eq!(
        stage.drafts(IDENTIFIER).await.kind(),
        "authorization_required"
    );
}
