//! Every action of the dashboard, in a session whose last step-up was long ago.

use std::time::Duration;

use axum::body::Body;
use http::{StatusCode, header};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use stead_core::resource::Role;

use super::{PageRoute, routes, session::session_of, table::StepUp};
use crate::testing::{TestResponse, TestService, request_to};

/// Actions that grant rights, lift a block, or can't be undone.
const ASKS: [&str; 28] = [
    "/dashboard/accounts/{connection_name}/{identifier}/erase",
    "/dashboard/accounts/{connection_name}/{identifier}/resume",
    "/dashboard/approvals/{approval_id}/approve",
    "/dashboard/connections/{connection_name}/client",
    "/dashboard/connections/{connection_name}/delete",
    "/dashboard/connections/{connection_name}/edit",
    "/dashboard/connections/{connection_name}/enable",
    "/dashboard/connections/{connection_name}/secret",
    "/dashboard/policies",
    "/dashboard/policies/{policy_name}",
    "/dashboard/policies/{policy_name}/delete",
    "/dashboard/settings/credentials",
    "/dashboard/settings/credentials/{client_id}/change",
    "/dashboard/settings/credentials/{client_id}/revoke",
    "/dashboard/settings/credentials/{client_id}/rotate",
    "/dashboard/settings/credentials/{client_id}/secrets/{secret_id}/revoke",
    "/dashboard/settings/keys/{key_id}/retire",
    "/dashboard/settings/mcp-sessions/{session_id}/revoke",
    "/dashboard/settings/members",
    "/dashboard/settings/members/{member_id}/change",
    "/dashboard/settings/members/{member_id}/delete",
    "/dashboard/settings/members/{member_id}/enable",
    "/dashboard/settings/members/{member_id}/reset",
    "/dashboard/settings/webhooks",
    "/dashboard/settings/webhooks/{webhook_id}/change",
    "/dashboard/settings/webhooks/{webhook_id}/delete",
    "/dashboard/settings/webhooks/{webhook_id}/resume",
    "/dashboard/settings/webhooks/{webhook_id}/rotate-secret",
];
/// The same, about a member's own second factor.
const ASKS_ITS_OWN: [&str; 2] = [
    "/dashboard/you/second-factor",
    "/dashboard/you/second-factor/remove",
];
/// Actions that call, test, create links or pause, and those about the member's own session.
const DOES_NOT_ASK: [&str; 32] = [
    "/dashboard/accounts/connect",
    "/dashboard/accounts/{connection_name}/{identifier}/disconnect",
    "/dashboard/accounts/{connection_name}/{identifier}/link",
    "/dashboard/accounts/{connection_name}/{identifier}/refresh",
    "/dashboard/accounts/{connection_name}/{identifier}/suspend",
    "/dashboard/approvals/deny",
    "/dashboard/approvals/{approval_id}/deny",
    "/dashboard/confirm",
    "/dashboard/connections/new/product/{product}",
    "/dashboard/connections/{connection_name}/disable",
    "/dashboard/connections/{connection_name}/set-up",
    "/dashboard/connections/{connection_name}/test/disconnect",
    "/dashboard/connections/{connection_name}/test/run",
    "/dashboard/connections/{connection_name}/test/start",
    "/dashboard/playground/dry-run",
    "/dashboard/playground/proxy/send",
    "/dashboard/playground/run",
    "/dashboard/policies/{policy_name}/test",
    "/dashboard/settings/keys",
    "/dashboard/settings/keys/reencrypt",
    "/dashboard/settings/keys/rewrap",
    "/dashboard/settings/keys/{key_id}/activate",
    "/dashboard/settings/members/{member_id}/disable",
    "/dashboard/settings/webhooks/{webhook_id}/deliveries/{event_id}/replay",
    "/dashboard/settings/webhooks/{webhook_id}/pause",
    "/dashboard/settings/webhooks/{webhook_id}/replay",
    "/dashboard/settings/webhooks/{webhook_id}/test",
    "/dashboard/sign-out",
    "/dashboard/try/{connection_name}/connect",
    "/dashboard/try/{connection_name}/run",
    "/dashboard/you/password",
    "/dashboard/you/second-factor/confirm",
];

async fn send(
    service: &TestService,
    route: &PageRoute,
    session: &(String, String),
) -> TestResponse {
    let (id, csrf) = session;
    let request = request_to(&route.route)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header("sec-fetch-site", "same-origin")
        .header(header::COOKIE, format!("stead-80={id}"));
    let body = Body::from(format!("csrf={csrf}"));
    service.send(request.body(body).unwrap()).await
}

fn asks(response: &TestResponse) -> bool {
    let to = response.header("location");
    response.status == StatusCode::SEE_OTHER && to.starts_with("/dashboard/confirm?next=")
}

#[tokio::test]
async fn every_action_asks_for_a_step_up_as_listed() {
    let service = TestService::new().await;
    let environment = service.platform.environment();
    let mut walked = 0;
    for route in routes() {
        let (method, path) = (route.route.method, route.route.path);
        let what = format!("{method} {path}");
        let lists = [&ASKS[..], &ASKS_ITS_OWN, &DOES_NOT_ASK];
        let lists = lists.map(|list| list.contains(&path));
        if method != "GET" && route.sandbox.is_none() {
            let listed = lists.iter().filter(|listed| **listed).count();
            assert_eq!(listed, 1, "{what} is in {listed} of the lists");
            assert_eq!(route.step_up == StepUp::No, lists[2], "{what}");
            walked += 1;
        }
        let session = session_of(environment, Role::Owner).await;
        let fresh = send(&service, &route, &session).await;
        assert!(!asks(&fresh), "{what}: it asks at once");
        let session = session_of(environment, Role::Owner).await;
        service.pass(Duration::from_secs(601));
        let stale = send(&service, &route, &session).await;
        let StepUp::First(form) = route.step_up else {
            assert!(!asks(&stale), "{what}: {}", stale.header("location"));
            continue;
        };
        assert!(asks(&stale), "{what}: {} {}", stale.status, stale.text());
        let form: Vec<&str> = form
            .split('/')
            .map(|step| if step.starts_with('{') { "x" } else { step })
            .collect();
        let next = utf8_percent_encode(&form.join("/"), NON_ALPHANUMERIC).to_string();
        let to = stale.header("location");
        assert_eq!(to, format!("/dashboard/confirm?next={next}"), "{what}");
    }
    let listed = ASKS.len() + ASKS_ITS_OWN.len() + DOES_NOT_ASK.len();
    assert_eq!(walked, listed, "a list has more than the table");
}

#[tokio::test]
async fn a_form_that_needs_a_step_up_is_a_page() {
    let pages = routes();
    for action in &pages {
        let StepUp::First(form) = action.step_up else {
            continue;
        };
        let page = pages
            .iter()
            .find(|page| page.route.method == "GET" && page.route.path == form);
        assert!(page.is_some(), "{}: no page {form}", action.route.path);
    }
}
