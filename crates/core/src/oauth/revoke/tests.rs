//! Revocation requests to a product, and the meaning of its responses.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http::header;
use url::form_urlencoded;

use super::*;
use crate::{
    accounts,
    domain::AccountRef,
    oauth::visitor::connect,
    ports::{Runtime as _, Transport},
    product::{ClientAuthentication, OAuth},
    resource::{
        ChangeConnection, ConnectionChange, DeleteConnection, DisconnectAccount, Disconnection,
        NewConnection, RefreshAccount, Revocation,
    },
    state::AccountState,
    testing::{Flaky, ROTATING, Responses, STABLE, World, context, demo, insert_account, response},
};

static BASIC: Product = {
    let product = demo(crate::product::Rotation::Stable);
    Product {
        oauth: OAuth {
            client_authentication: ClientAuthentication::Basic,
            revoked_already: |status, members| status == 410 && members.contains_key("gone"),
            ..product.oauth
        },
        ..product
    }
};

/// Disconnects an account and revokes it at a product that gives these responses in order. Returns the requests that
/// the product received and the names of the events.
fn disconnected(
    product: &'static Product,
    responses: &[(u16, &'static str)],
) -> (Vec<(http::HeaderMap, Bytes)>, Vec<String>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (keep, responses) = (Arc::clone(&seen), responses.to_vec());
    let transport = Responses::by(move |request: http::Request<crate::ports::Body>| {
        let (keep, responses) = (Arc::clone(&keep), responses.clone());
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect(1024).await?;
            let mut seen = keep.lock().unwrap();
            let (status, text) = responses[seen.len().min(responses.len() - 1)];
            seen.push((head.headers, body));
            Ok(response(status, text))
        }
    });
    let world = World::new();
    let context = context(&world, product, transport);
    world.run(insert_account(&context, AccountState::Active));
    let told = world.send(
        &context,
        DisconnectAccount::new("demo", "ada").how(Disconnection::new().revoke_at_product(true)),
    );
    assert_eq!(told.revocation, Revocation::Requested);
    world.advance(Duration::from_secs(3 * 86_400));
    let events = world.ok(context.store.events(None, None, 100));
    let names = events.into_iter().map(|event| event.row.name);
    let names = names.filter(|name| name.contains("revo")).collect();
    let seen = seen.lock().unwrap().clone();
    (seen, names)
}

#[test]
fn the_client_proves_itself_as_at_the_token_endpoint() {
    let (seen, events) = disconnected(&STABLE, &[(200, "")]);
    assert_eq!(seen.len(), 1);
    assert_eq!(
        seen[0].1,
        "token=token-1&client_id=client&client_secret=secret"
    );
    assert_eq!(events, ["account.revoked_at_product"]);

    let (seen, _) = disconnected(&BASIC, &[(200, "")]);
    assert_eq!(seen[0].1, "token=token-1");
    assert_eq!(
        seen[0].0[header::AUTHORIZATION],
        "Basic Y2xpZW50OnNlY3JldA=="
    );
}

#[test]
fn only_a_dead_token_counts_as_revoked() {
    use Outcome::{Later, Refused, Revoked};
    let said = |text: &str| format!("the revocation endpoint returned {text}");
    for (status, body, outcome) in [
        (200, "", Revoked),
        (204, "", Revoked),
        (400, r#"{"error":"invalid_token"}"#, Revoked),
        (410, r#"{"gone":true}"#, Revoked),
        (
            400,
            r#"{"error":"invalid_request"}"#,
            Refused(said("400 invalid_request")),
        ),
        (
            401,
            r#"{"error":"invalid_client"}"#,
            Later(said("401 invalid_client")),
        ),
        (
            400,
            r#"{"error":"temporarily_unavailable"}"#,
            Later(said("400 temporarily_unavailable")),
        ),
        (404, "", Refused(said("404 "))),
        (408, "", Later(said("408 "))),
        (429, "", Later(said("429 "))),
        (503, "", Later(said("503 "))),
    ] {
        assert_eq!(
            outcome_of(status, body.as_bytes(), &BASIC, &Secrets::default()),
            outcome,
            "{status} {body}"
        );
    }
}

#[test]
fn a_refusal_ends_the_attempts_and_is_an_event() {
    let (seen, events) = disconnected(&STABLE, &[(400, r#"{"error":"invalid_request"}"#)]);
    assert_eq!(
        (seen.len(), events),
        (1, vec![String::from("account.revocation_failed")])
    );
    // If the secret is fixed in the meantime, the token is revoked after all.
    let (seen, events) = disconnected(
        &STABLE,
        &[(401, r#"{"error":"invalid_client"}"#), (200, "")],
    );
    assert_eq!(
        (seen.len(), events),
        (2, vec![String::from("account.revoked_at_product")])
    );
}

#[test]
fn a_failed_revocation_is_retried_and_then_ends_with_an_event() {
    let (seen, events) = disconnected(&STABLE, &[(503, ""), (503, ""), (200, "")]);
    assert_eq!(
        (seen.len(), events),
        (3, vec![String::from("account.revoked_at_product")])
    );
    let (seen, events) = disconnected(&STABLE, &[(503, "")]);
    assert_eq!(seen.len(), ATTEMPTS as usize);
    assert_eq!(events, ["account.revocation_failed"]);
}

/// A product that rotates refresh tokens and whose token endpoint takes five seconds. Collects the revocation requests
/// that it gets.
fn slow_product(
    world: &World,
    revoked: &Arc<Mutex<Vec<String>>>,
    status: u16,
) -> Arc<dyn Transport> {
    let (process, revoked) = (world.process(0), Arc::clone(revoked));
    let issued = Arc::new(AtomicU32::new(0));
    Responses::by(move |request: http::Request<crate::ports::Body>| {
        let (process, revoked, issued) = (
            Arc::clone(&process),
            Arc::clone(&revoked),
            Arc::clone(&issued),
        );
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect(4096).await?;
            let form: BTreeMap<String, String> =
                form_urlencoded::parse(&body).into_owned().collect();
            if head.uri.path() == "/revoke" {
                revoked.lock().unwrap().push(form["token"].clone());
                return Ok(response(status, ""));
            }
            process.sleep(Duration::from_secs(5)).await;
            let number = issued.fetch_add(1, Ordering::SeqCst);
            let tokens = json!({
                "access_token": "access",
                "refresh_token": format!("refresh-{number}"),
                "expires_in": 3600,
            });
            Ok(response(200, tokens.to_string()))
        }
    })
}

fn connected(world: &World, revoked: &Arc<Mutex<Vec<String>>>, status: u16) -> Context {
    let context = context(world, &ROTATING, slow_product(world, revoked, status));
    let new = NewConnection::new("demo", "demo").client("client", "secret");
    world.send(&context, new);
    world.run(connect(&context, "ada"));
    context
}

/// The events about revocations, with name, outcome and reason.
fn revocations(world: &World, context: &Context) -> Vec<(String, serde_json::Value)> {
    let events = world.ok(context.store.events(None, None, 100));
    events
        .into_iter()
        .filter(|event| event.row.name.contains("revo"))
        .map(|event| (event.row.name, event.row.data))
        .collect()
}

#[test]
fn tokens_refreshed_after_a_disconnection_are_revoked_if_requested() {
    for (revoke, expected) in [(true, vec!["refresh-0", "refresh-1"]), (false, vec![])] {
        let (world, revoked) = (World::new(), Arc::default());
        let context = connected(&world, &revoked, 200);
        let ada = AccountRef::new("demo", "ada").unwrap();
        world.advance(Duration::from_secs(3600));
        let (caller, of) = (context.clone(), ada.clone());
        world.process(0).spawn(Box::pin(async move {
            let _ = accounts::refresh(&caller, RefreshAccount::new(&of.connection, &of.identifier))
                .await;
        }));
        world.advance(Duration::from_secs(1));
        world.send(
            &context,
            DisconnectAccount::new("demo", "ada")
                .how(Disconnection::new().revoke_at_product(revoke)),
        );
        world.advance(Duration::from_secs(60));
        assert_eq!(*revoked.lock().unwrap(), expected);
        let events = revocations(&world, &context);
        assert_eq!(events.len(), expected.len());
        for (name, data) in events {
            assert_eq!(name, "account.revoked_at_product");
            let of = json!({ "connection_name": "demo", "product": "demo", "identifier": "ada" });
            let mut expected = json!({ "outcome": "revoked", "reason": null });
            expected
                .as_object_mut()
                .unwrap()
                .extend(of.as_object().unwrap().clone());
            assert_eq!(data, expected);
        }
    }
}

#[test]
fn a_revocation_of_a_deleted_connection_ends_with_an_event() {
    let (world, revoked) = (World::new(), Arc::default());
    let context = connected(&world, &revoked, 503);
    world.send(
        &context,
        DisconnectAccount::new("demo", "ada").how(Disconnection::new().revoke_at_product(true)),
    );
    world.run_until_idle();
    world.send(&context, DeleteConnection::new("demo"));
    world.advance(Duration::from_secs(600));
    assert_eq!(revoked.lock().unwrap().len(), 1);
    let failed = json!({
        "connection_name": "demo",
        "product": "demo",
        "outcome": "failed",
        "reason": "the connection was deleted",
    });
    assert_eq!(
        revocations(&world, &context),
        [(String::from("account.revocation_failed"), failed)]
    );
}

/// The token belongs to the client and the host that it was issued for.
#[test]
fn a_revocation_is_not_sent_for_another_client() {
    let (world, revoked) = (World::new(), Arc::default());
    let context = connected(&world, &revoked, 503);
    world.send(
        &context,
        DisconnectAccount::new("demo", "ada").how(Disconnection::new().revoke_at_product(true)),
    );
    world.run_until_idle();
    let change = ConnectionChange::default().client("other", "secret");
    world.send(&context, ChangeConnection::new("demo", change));
    world.advance(Duration::from_secs(600));
    assert_eq!(revoked.lock().unwrap().len(), 1);
    let events = revocations(&world, &context);
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].1["outcome"], "failed");
}

#[test]
fn an_outbox_that_refuses_claims_waits_for_the_next_round() {
    const ENTRIES: u64 = 60;
    let world = World::new();
    let store = Flaky::new(world.process(0));
    let sent = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&sent);
    let transport = Responses::by(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        std::future::ready(Ok(response(200, "")))
    });
    let context = world.open(0, &STABLE, transport, &store);
    let account = world.run(insert_account(&context, AccountState::Active));
    let connection = world
        .ok(context.connection_by_id(account.connection_id))
        .row;
    let mut batch = Batch::new();
    for number in 0..ENTRIES {
        let tokens = TokenSet::new(format!("token-{number}").into(), None, None);
        let entry = entry(&context, &connection, &account, number, &tokens, &[]);
        batch = batch.insert(entry.unwrap());
    }
    assert_eq!(world.ok(context.store.commit(batch)), Commit::Committed);
    store.doubt(500, false);
    work_off_outbox(&context);
    world.run_until_idle();
    assert_eq!(sent.load(Ordering::SeqCst), 0, "it asks again and again");
    store.doubt(0, false);
    world.advance(Duration::from_secs(60));
    assert_eq!(u64::from(sent.load(Ordering::SeqCst)), ENTRIES);
}
