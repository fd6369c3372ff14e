//! A request that deletes a mail permanently is only sent after the operator has allowed such requests on the
//! connection.

use http::Method;
use serde_json::json;

use crate::stage::Stage;

#[tokio::test]
async fn a_mail_is_deleted_permanently_only_if_the_connection_allows_it() {
    let stage = Stage::connected().await;
    let path = "/gmail/v1/users/me/messages/none";
    let raw = json!({ "connection_name": "mail", "identifier": "user-1", "method": "DELETE", "path": path });
    let before = stage.received();
    for dry_run in [false, true] {
        let mut raw = raw.clone();
        raw["dry_run"] = json!(dry_run);
        let refused = stage.post("/v1/proxy", &raw).await;
        assert_eq!(refused.status, 403, "{}", refused.text());
        let problem = refused.json();
        assert_eq!(problem["kind"], "forbidden");
        assert_eq!(problem["act_by"], "operator");
        assert_eq!(problem["context"]["allowed_request"], "delete_messages");
    }
    let url = format!("{}/proxy/mail/user-1{path}", stage.url);
    let refused = stage.http.delete(&url, &stage.bearer).await;
    assert_eq!(refused.status, 403, "{}", refused.text());
    let batch = json!({ "ids": ["none"] });
    let url = format!(
        "{}/proxy/mail/user-1/gmail/v1/users/me/messages/batchDelete",
        stage.url
    );
    let refused = stage
        .http
        .json(Method::POST, &url, &stage.bearer, &batch)
        .await;
    assert_eq!(refused.status, 403, "{}", refused.text());
    assert_eq!(stage.received(), before, "nothing was sent");

    let wrong = json!({ "allowed_requests": ["delete_mails"] });
    let wrong = stage.patch("/v1/connections/mail", &wrong).await;
    assert_eq!(wrong.status, 400, "{}", wrong.text());
    assert_eq!(wrong.json()["violations"][0]["path"], "/allowed_requests/0");
    let right = json!({ "allowed_requests": ["delete_messages"] });
    let right = stage.patch("/v1/connections/mail", &right).await;
    assert_eq!(right.json()["allowed_requests"], json!(["delete_messages"]));
    // Now the product refuses it, because the user hasn't granted the scope.
    let sent = stage.post("/v1/proxy", &raw).await;
    assert_eq!(stage.received(), before + 1);
    assert_eq!(sent.header("stead-error"), "", "{}", sent.text());
}
