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

/// Each action: its path below `/dashboard`, the fields of its form, and a part of the response. After `->`, that's a
/// part of the redirect's address. Otherwise, it's a part of the page.
const ACTIONS: &str = r#"
/try/{connection_name}/connect | | This connection has no sample call
/try/{connection_name}/run | | This connection has no sample call
/connections/new/product/{product} | connection_name=mail-2 | -> /dashboard/connections/mail-2/set-up
/connections/{connection_name}/set-up | client_id=a&client_secret=b | -> /dashboard/connections/mail/client
/connections/{connection_name}/edit | permissions=gmail.readonly | -> done=connection-changed
/connections/{connection_name}/secret | client_secret=b | -> done=secret-replaced
/connections/{connection_name}/client | client_id=a&client_secret=b | -> done=client-replaced
/connections/{connection_name}/disable | | -> done=connection-disabled
/connections/{connection_name}/enable | | -> done=connection-enabled
/connections/{connection_name}/delete | | accounts
/connections/{connection_name}/test/start | | -> /connect/
/connections/{connection_name}/test/run | | You consent at Gmail
/connections/{connection_name}/test/disconnect | | no account
/accounts/connect | connection_name=mail&identifier=grace&verify_url=https://app.example.com/connected | The link is ready
/accounts/{connection_name}/{identifier}/link | | -> /dashboard/accounts/connect?connection_name=mail&identifier={identifier}
/accounts/{connection_name}/{identifier}/refresh | | -> done=account-refreshed
/accounts/{connection_name}/{identifier}/suspend | | -> done=account-suspended
/accounts/{connection_name}/{identifier}/resume | | Only a suspended account can be resumed
/accounts/{connection_name}/{identifier}/disconnect | | -> done=account-disconnected
/accounts/{connection_name}/{identifier}/erase | | -> done=user-erased
/approvals/deny | type=application&id=app_x | -> done=calls-denied
/approvals/{approval_id}/approve | reason=fine | -> done=call-approved
/approvals/{approval_id}/deny | | -> done=call-denied
/policies | document={"name":"new"} | -> /dashboard/policies/new?done=policy-set
/policies/{policy_name} | document={"name":"rules"} | -> done=policy-set
/policies/{policy_name}/test | connection_name=mail&identifier={identifier}&tool=mail_fetch_mails&input={} | Outcome
/policies/{policy_name}/delete | | -> done=policy-deleted
/playground/run | connection_name=mail&identifier={identifier}&tool=mail_fetch_mails&input={} | Result
/playground/dry-run | connection_name=mail&identifier={identifier}&tool=mail_fetch_mails&input={} | with the user’s token
/playground/proxy/send | connection_name=mail&identifier={identifier}&method=GET&path=/v1/users/me/profile | 200
/settings/credentials | name=new&scopes=tools:execute | Credential created
/settings/credentials/{client_id}/change | name=new&scopes=tools:execute | -> done=credential-changed
/settings/credentials/{client_id}/rotate | old_expires_in=0 | secret
/settings/credentials/{client_id}/secrets/{secret_id}/revoke | | secret
/settings/credentials/{client_id}/revoke | | -> done=credential-revoked
/settings/webhooks | url=https://app.example.com/more&groups=account.* | secret
/settings/webhooks/{webhook_id}/change | url=https://app.example.com/more&groups=account.* | -> done=webhook-changed
/settings/webhooks/{webhook_id}/pause | | -> done=webhook-paused
/settings/webhooks/{webhook_id}/resume | | -> done=webhook-resumed
/settings/webhooks/{webhook_id}/test | | -> done=webhook-tested
/settings/webhooks/{webhook_id}/replay | since=2026-05-04T00:00 | -> done=webhook-replayed
/settings/webhooks/{webhook_id}/deliveries/{event_id}/replay | | That didn’t work
/settings/webhooks/{webhook_id}/rotate-secret | | secret
/settings/webhooks/{webhook_id}/delete | | -> done=webhook-deleted
/settings/keys | | -> done=key-added
/settings/keys/{key_id}/activate | | -> done=key-activated
/settings/keys/reencrypt | | -> done=keys-reencrypting
/settings/keys/{key_id}/retire | | active
/settings/keys/rewrap | | -> done=keys-rewrapped
/settings/members | email=grace@example.com&role=viewer | grace@example.com
/settings/members/{member_id}/change | name=Ada&role=viewer | -> done=member-changed
/settings/members/{member_id}/disable | | -> done=member-disabled
/settings/members/{member_id}/enable | | -> done=member-enabled
/settings/members/{member_id}/reset | | link
/settings/members/{member_id}/delete | | -> done=member-deleted
/settings/mcp-sessions/{session_id}/revoke | | -> /dashboard/settings/mcp-sessions?done=deleted
/sign-out | | -> /dashboard/sign-in
/confirm | password=wrong | role="alert"
/you/password | present=wrong&password=short | role="alert"
/you/second-factor | | code
/you/second-factor/confirm | code=000000 | code
/you/second-factor/remove | | -> /dashboard/you
"#;

fn actions() -> Vec<[&'static str; 3]> {
    let rows = ACTIONS.trim().lines();
    let columns = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    columns.map(|row| row.try_into().unwrap()).collect()
}

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
    let (mut wrong, mut walked, actions) = (String::new(), 0, actions());
    for route in routes() {
        if route.route.method == "GET" || route.sandbox.is_some() {
            continue;
        }
        let path = route.route.path;
        let below = path.strip_prefix("/dashboard").unwrap();
        let row = actions.iter().find(|[listed, ..]| *listed == below);
        let [_, fields, shows] = row.copied().unwrap_or(["", "", "(no row)"]);
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
        let is_shown = match shows.strip_prefix("-> ") {
            Some(to) => {
                let to = parameters.iter().fold(to.to_owned(), fill);
                done.status == StatusCode::SEE_OTHER && done.header("location").contains(&to)
            }
            None => done.status != StatusCode::SEE_OTHER && visible(done.text()).contains(shows),
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
    assert_eq!(walked, actions.len(), "the list has more than the table");
}
