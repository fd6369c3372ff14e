//! Every action of the dashboard in the default mode of a service: the application confirms its users, and there is no
//! trial and no sandbox.

use std::fmt::Write as _;

use axum::body::Body;
use http::{Request, StatusCode, header};
use serde_json::json;
use stead::PlatformBuilder;
use stead_core::{environment::Verification, resource::Role};

use super::{
    routes,
    session::session_of,
    tests::{ODD, parameters},
};
use crate::testing::{TestResponse, TestService, json_response};

pub(super) const VERIFY_URL: &str = "https://app.example.com/connected";

/// The result of an action: a part of the redirect's address, or otherwise a part of the page.
#[derive(Debug, Clone, Copy)]
enum Shows {
    Goes(&'static str),
    Page(&'static str),
}
use Shows::{Goes, Page};

/// Each action with the fields that its form sends, and what it then shows.
const ACTIONS: &[(&str, &str, Shows)] = &[
    (
        "/dashboard/try/{connection_name}/connect",
        "",
        Page("This connection has no sample call"),
    ),
    (
        "/dashboard/try/{connection_name}/run",
        "",
        Page("This connection has no sample call"),
    ),
    (
        "/dashboard/connections/new/product/{product}",
        "connection_name=mail-2",
        Goes("/dashboard/connections/mail-2/set-up"),
    ),
    (
        "/dashboard/connections/{connection_name}/set-up",
        "client_id=a&client_secret=b",
        Goes("/dashboard/connections/mail/client"),
    ),
    (
        "/dashboard/connections/{connection_name}/edit",
        "permissions=gmail.readonly",
        Goes("done=connection-changed"),
    ),
    (
        "/dashboard/connections/{connection_name}/secret",
        "client_secret=b",
        Goes("done=secret-replaced"),
    ),
    (
        "/dashboard/connections/{connection_name}/client",
        "client_id=a&client_secret=b",
        Goes("done=client-replaced"),
    ),
    (
        "/dashboard/connections/{connection_name}/disable",
        "",
        Goes("done=connection-disabled"),
    ),
    (
        "/dashboard/connections/{connection_name}/enable",
        "",
        Goes("done=connection-enabled"),
    ),
    (
        "/dashboard/connections/{connection_name}/delete",
        "",
        Page("accounts"),
    ),
    (
        "/dashboard/connections/{connection_name}/test/start",
        "",
        Goes("/connect/"),
    ),
    (
        "/dashboard/connections/{connection_name}/test/run",
        "",
        Page("You consent at Gmail"),
    ),
    (
        "/dashboard/connections/{connection_name}/test/disconnect",
        "",
        Page("no account"),
    ),
    (
        "/dashboard/accounts/connect",
        "connection_name=mail&identifier=grace&verify_url=https://app.example.com/connected",
        Page("The link is ready"),
    ),
    (
        "/dashboard/accounts/{connection_name}/{identifier}/link",
        "",
        Goes("/dashboard/accounts/connect?connection_name=mail&identifier={identifier}"),
    ),
    (
        "/dashboard/accounts/{connection_name}/{identifier}/refresh",
        "",
        Goes("done=account-refreshed"),
    ),
    (
        "/dashboard/accounts/{connection_name}/{identifier}/suspend",
        "",
        Goes("done=account-suspended"),
    ),
    (
        "/dashboard/accounts/{connection_name}/{identifier}/resume",
        "",
        Page("Only a suspended account can be resumed"),
    ),
    (
        "/dashboard/accounts/{connection_name}/{identifier}/disconnect",
        "",
        Goes("done=account-disconnected"),
    ),
    (
        "/dashboard/accounts/{connection_name}/{identifier}/erase",
        "",
        Goes("done=user-erased"),
    ),
    (
        "/dashboard/approvals/deny",
        "type=application&id=app_x",
        Goes("done=calls-denied"),
    ),
    (
        "/dashboard/approvals/{approval_id}/approve",
        "reason=fine",
        Goes("done=call-approved"),
    ),
    (
        "/dashboard/approvals/{approval_id}/deny",
        "",
        Goes("done=call-denied"),
    ),
    (
        "/dashboard/policies",
        r#"document={"name":"new"}"#,
        Goes("/dashboard/policies/new?done=policy-set"),
    ),
    (
        "/dashboard/policies/{policy_name}",
        r#"document={"name":"rules"}"#,
        Goes("done=policy-set"),
    ),
    (
        "/dashboard/policies/{policy_name}/test",
        "connection_name=mail&identifier={identifier}&tool=mail_fetch_mails&input={}",
        Page("Outcome"),
    ),
    (
        "/dashboard/policies/{policy_name}/delete",
        "",
        Goes("done=policy-deleted"),
    ),
    (
        "/dashboard/playground/run",
        "connection_name=mail&identifier={identifier}&tool=mail_fetch_mails&input={}",
        Page("Result"),
    ),
    (
        "/dashboard/playground/dry-run",
        "connection_name=mail&identifier={identifier}&tool=mail_fetch_mails&input={}",
        Page("with the user’s token"),
    ),
    (
        "/dashboard/playground/proxy/send",
        "connection_name=mail&identifier={identifier}&method=GET&path=/v1/users/me/profile",
        Page("200"),
    ),
    (
        "/dashboard/settings/credentials",
        "name=new&scopes=tools:execute",
        Page("Credential created"),
    ),
    (
        "/dashboard/settings/credentials/{client_id}/change",
        "name=new&scopes=tools:execute",
        Goes("done=credential-changed"),
    ),
    (
        "/dashboard/settings/credentials/{client_id}/rotate",
        "old_expires_in=0",
        Page("secret"),
    ),
    (
        "/dashboard/settings/credentials/{client_id}/secrets/{secret_id}/revoke",
        "",
        Page("secret"),
    ),
    (
        "/dashboard/settings/credentials/{client_id}/revoke",
        "",
        Goes("done=credential-revoked"),
    ),
    (
        "/dashboard/settings/webhooks",
        "url=https://app.example.com/more&groups=account.*",
        Page("secret"),
    ),
    (
        "/dashboard/settings/webhooks/{webhook_id}/change",
        "url=https://app.example.com/more&groups=account.*",
        Goes("done=webhook-changed"),
    ),
    (
        "/dashboard/settings/webhooks/{webhook_id}/pause",
        "",
        Goes("done=webhook-paused"),
    ),
    (
        "/dashboard/settings/webhooks/{webhook_id}/resume",
        "",
        Goes("done=webhook-resumed"),
    ),
    (
        "/dashboard/settings/webhooks/{webhook_id}/test",
        "",
        Goes("done=webhook-tested"),
    ),
    (
        "/dashboard/settings/webhooks/{webhook_id}/replay",
        "since=2026-05-04T00:00",
        Goes("done=webhook-replayed"),
    ),
    (
        "/dashboard/settings/webhooks/{webhook_id}/deliveries/{event_id}/replay",
        "",
        Page("That didn’t work"),
    ),
    (
        "/dashboard/settings/webhooks/{webhook_id}/rotate-secret",
        "",
        Page("secret"),
    ),
    (
        "/dashboard/settings/webhooks/{webhook_id}/delete",
        "",
        Goes("done=webhook-deleted"),
    ),
    ("/dashboard/settings/keys", "", Goes("done=key-added")),
    (
        "/dashboard/settings/keys/{key_id}/activate",
        "",
        Goes("done=key-activated"),
    ),
    (
        "/dashboard/settings/keys/reencrypt",
        "",
        Goes("done=keys-reencrypting"),
    ),
    (
        "/dashboard/settings/keys/{key_id}/retire",
        "",
        Page("active"),
    ),
    (
        "/dashboard/settings/keys/rewrap",
        "",
        Goes("done=keys-rewrapped"),
    ),
    (
        "/dashboard/settings/members",
        "email=grace@example.com&role=viewer",
        Page("grace@example.com"),
    ),
    (
        "/dashboard/settings/members/{member_id}/change",
        "name=Ada&role=viewer",
        Goes("done=member-changed"),
    ),
    (
        "/dashboard/settings/members/{member_id}/disable",
        "",
        Goes("done=member-disabled"),
    ),
    (
        "/dashboard/settings/members/{member_id}/enable",
        "",
        Goes("done=member-enabled"),
    ),
    (
        "/dashboard/settings/members/{member_id}/reset",
        "",
        Page("link"),
    ),
    (
        "/dashboard/settings/members/{member_id}/delete",
        "",
        Goes("done=member-deleted"),
    ),
    (
        "/dashboard/settings/mcp-sessions/{session_id}/revoke",
        "",
        Goes("/dashboard/settings/mcp-sessions?done=deleted"),
    ),
    ("/dashboard/sign-out", "", Goes("/dashboard/sign-in")),
    (
        "/dashboard/confirm",
        "password=wrong",
        Page("role=\"alert\""),
    ),
    (
        "/dashboard/you/password",
        "present=wrong&password=short",
        Page(r#"role="alert""#),
    ),
    ("/dashboard/you/second-factor", "", Page("code")),
    (
        "/dashboard/you/second-factor/confirm",
        "code=000000",
        Page("code"),
    ),
    (
        "/dashboard/you/second-factor/remove",
        "",
        Goes("/dashboard/you"),
    ),
];

/// A service with an account that an application has confirmed.
pub(super) async fn service(set: impl FnOnce(PlatformBuilder) -> PlatformBuilder) -> TestService {
    let service = TestService::open_with(
        "http://127.0.0.1",
        Verification::Application,
        |_| json_response(&json!({})),
        set,
    )
    .await;
    let connection_id = service.connect_mail().await;
    let (state, cookie) = service
        .consent(&service.link(ODD, Some(VERIFY_URL)).await)
        .await;
    let back = service.come_back(&connection_id, &state, &cookie).await;
    let back: url::Url = back.header("location").parse().unwrap();
    let (_, id) = back.query_pairs().next().unwrap();
    let verify = format!("/v1/authorizations/{id}/verify");
    let verified = service.post(&verify, json!({ "identifier": ODD })).await;
    assert_eq!(verified.status, StatusCode::OK, "{}", verified.text());
    service
}

/// Sends a form of an owner who has just signed in.
pub(super) async fn send(service: &TestService, path: &str, fields: &str) -> TestResponse {
    let environment = service.platform.environment();
    let (id, csrf) = session_of(environment, Role::Owner).await;
    let request = Request::builder()
        .method("POST")
        .uri(path)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header("sec-fetch-site", "same-origin")
        .header(header::COOKIE, format!("stead-80={id}"));
    let body = format!("csrf={csrf}&{fields}");
    service.send(request.body(Body::from(body)).unwrap()).await
}

/// The page without what a closed fold hides.
pub(super) fn visible(page: &str) -> String {
    let mut shown = String::new();
    let mut rest = page;
    while let Some((before, fold)) = rest.split_once("<details") {
        shown += before;
        let (opening, inside) = fold.split_once('>').unwrap();
        let (inside, after) = inside.split_once("</details>").unwrap();
        if opening.split(' ').any(|one| one == "open") {
            shown += inside;
        }
        rest = after;
    }
    shown + rest
}

/// Whether a response redirects, or is a page that shows the person what happened.
fn says_what_happened(response: &TestResponse) -> bool {
    if response.status == StatusCode::SEE_OTHER {
        return !response.header("location").is_empty();
    }
    let text = visible(response.text());
    let marks = ["class=\"error\"", "role=\"alert\"", "class=\"problem\""];
    response.status == StatusCode::OK || marks.iter().any(|mark| text.contains(mark))
}

#[tokio::test(start_paused = true)]
async fn every_action_works_or_shows_its_error() {
    let mut wrong = String::new();
    let mut walked = 0;
    for route in routes() {
        if route.route.method == "GET" || route.sandbox.is_some() {
            continue;
        }
        let path = route.route.path;
        let row = ACTIONS.iter().find(|(listed, ..)| *listed == path);
        let (fields, shows) = row.map_or(("", Page("(no row)")), |(_, fields, shows)| {
            (*fields, *shows)
        });
        walked += 1;
        let service = service(|builder| builder).await;
        let fill = |path: String, (name, value): &(&str, String)| path.replace(name, value);
        let parameters = parameters(&service).await;
        let path = parameters.iter().fold(path.to_owned(), fill);
        let done = send(
            &service,
            &path,
            &parameters.iter().fold(fields.to_owned(), fill),
        )
        .await;
        let is_shown = match shows {
            Goes(to) => {
                let to = parameters.iter().fold(to.to_owned(), fill);
                done.status == StatusCode::SEE_OTHER && done.header("location").contains(&to)
            }
            Page(text) => {
                done.status != StatusCode::SEE_OTHER && visible(done.text()).contains(text)
            }
        };
        let shown = done.text().split("<main").nth(1).unwrap_or_default();
        if !is_shown || !says_what_happened(&done) {
            let to = done.header("location");
            writeln!(wrong, "{path} {fields}: {} {to} {shown}\n", done.status).unwrap();
        }
        let empty = send(&service, &path, "").await;
        if !says_what_happened(&empty) {
            writeln!(
                wrong,
                "{path} without fields: {} {}\n",
                empty.status,
                empty.text()
            )
            .unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(walked, ACTIONS.len(), "the list has more than the table");
}
