//! Links that a member makes while the application confirms its users.

use http::StatusCode;
use stead_core::resource::{NewConnection, ReadConnection, Role};

use crate::dashboard::{
    actions_tests::{self, VERIFY_URL, send, visible},
    session::browse_as,
    tests::{ODD_AS_TEXT, ODD_IN_PATH},
};

#[tokio::test]
async fn a_link_needs_an_address_unless_the_operator_gives_one_for_all() {
    let account = format!("/dashboard/accounts/mail/{ODD_IN_PATH}/link");
    let connect = "/dashboard/accounts/connect";
    let service = actions_tests::service(|builder| builder).await;
    let asks = send(&service, &account, "").await;
    let form = browse_as(&service, Role::Owner, asks.header("location")).await;
    let shown = visible(form.text());
    let field = shown.split_once("id=\"verify_url\"").unwrap().1;
    assert!(
        field.split_once('>').unwrap().0.contains(" required"),
        "{shown}"
    );
    for filled in [ODD_AS_TEXT, "<option value=\"mail\" selected>"] {
        assert!(shown.contains(filled), "{filled}: {shown}");
    }
    let refused = send(&service, connect, "connection_name=mail&identifier=u").await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let shown = visible(refused.text());
    let said = shown.split_once("id=\"verify_url-hint\"").unwrap().1;
    let said = said.split_once("</p>").unwrap().0;
    for way in [
        "verify_url",
        "STEAD_VERIFY_URL",
        "--trust-whoever-has-the-link",
    ] {
        assert!(said.contains(way), "{way}: {said}");
    }

    let service = actions_tests::service(|builder| builder.verify_url(VERIFY_URL)).await;
    for (path, fields) in [
        (account.as_str(), ""),
        (connect, "connection_name=mail&identifier=grace"),
    ] {
        let made = send(&service, path, fields).await;
        assert_eq!(made.status, StatusCode::OK, "{path}: {}", made.text());
        made.assert_contains("The link is ready");
        made.assert_contains("your application needs to confirm the user");
    }
    let connection = service
        .platform
        .environment()
        .send(ReadConnection::new("mail"))
        .await;
    let id = connection.unwrap().id.to_string();
    let (state, cookie) = service.consent(&service.link("lin", None).await).await;
    let back = service.come_back(&id, &state, &cookie).await;
    let to = back.header("location");
    assert!(
        to.starts_with(&format!("{VERIFY_URL}?authorization_id=")),
        "{to}"
    );
}

#[tokio::test]
async fn the_form_keeps_a_connection_that_is_not_ready() {
    let service = actions_tests::service(|builder| builder).await;
    let environment = service.platform.environment();
    let other = NewConnection::sheets("sheets").client("client", "secret");
    environment.send(other).await.unwrap();
    send(&service, "/dashboard/connections/mail/disable", "").await;
    let path = "/dashboard/accounts/connect?connection_name=mail&identifier=u";
    let form = browse_as(&service, Role::Owner, path).await;
    form.assert_contains("The connection mail isn’t ready.");
    form.assert_contains("<option value=\"mail\" selected>mail (not ready)</option>");
}
