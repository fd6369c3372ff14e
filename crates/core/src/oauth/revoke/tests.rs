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

fn disconnection(revoke: bool) -> DisconnectAccount {
    let how = Disconnection::new().revoke_at_product(revoke);
    DisconnectAccount::new("demo", "ada").how(how)
}

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
    let told = world.send(&context, disconnection(true));
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
    let form = "token=token-1&client_id=client&client_secret=secret";
    assert_eq!(seen[0].1, form);
    assert_eq!(events, ["account.revoked_at_product"]);

    let (seen, _) = disconnected(&BASIC, &[(200, "")]);
    assert_eq!(seen[0].1, "token=token-1");
    let basic = "Basic Y2xpZW50OnNlY3JldA==";
    assert_eq!(seen[0].0[header::AUTHORIZATION], basic);
}

#[test]
fn only_a_dead_token_counts_as_revoked() {
    use Outcome::{Later, Refused, Revoked};
    let outcome =
        |status, body: &str| outcome_of(status, body.as_bytes(), &BASIC, &Secrets::default());
    for (status, body) in [
        (200, ""),
        (204, ""),
        (400, r#"{"error":"invalid_token"}"#),
        (410, r#"{"gone":true}"#),
    ] {
        assert_eq!(outcome(status, body), Revoked, "{status} {body}");
    }
    for (status, code, expected) in [
        (400, "invalid_request", Refused as fn(String) -> Outcome),
        (401, "invalid_client", Later),
        (400, "temporarily_unavailable", Later),
        (404, "", Refused),
        (408, "", Later),
        (429, "", Later),
        (503, "", Later),
    ] {
        let body = match code {
            "" => String::new(),
            code => json!({ "error": code }).to_string(),
        };
        let said = format!("the revocation endpoint returned {status} {code}");
        assert_eq!(outcome(status, &body), expected(said));
    }
}

#[test]
fn a_refusal_ends_the_attempts_and_is_an_event() {
    let (seen, events) = disconnected(&STABLE, &[(400, r#"{"error":"invalid_request"}"#)]);
    assert_eq!(seen.len(), 1);
    assert_eq!(events, ["account.revocation_failed"]);
    // If the secret is fixed in the meantime, the token is revoked after all.
    let responses = [(401, r#"{"error":"invalid_client"}"#), (200, "")];
    let (seen, events) = disconnected(&STABLE, &responses);
    assert_eq!(seen.len(), 2);
    assert_eq!(events, ["account.revoked_at_product"]);
}

#[test]
fn a_failed_revocation_is_retried_and_then_ends_with_an_event() {
    let (seen, events) = disconnected(&STABLE, &[(503, ""), (503, ""), (200, "")]);
    assert_eq!(seen.len(), 3);
    assert_eq!(events, ["account.revoked_at_product"]);
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
        let (process, revoked) = (Arc::clone(&process), Arc::clone(&revoked));
        let issued = Arc::clone(&issued);
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect(4096).await?;
            let form = form_urlencoded::parse(&body).into_owned();
            let form: BTreeMap<String, String> = form.collect();
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
    let events = events
        .into_iter()
        .map(|event| (event.row.name, event.row.data));
    events.filter(|(name, _)| name.contains("revo")).collect()
}

#[test]
fn tokens_refreshed_after_a_disconnection_are_revoked_if_requested() {
    for (revoke, expected) in [(true, vec!["refresh-0", "refresh-1"]), (false, vec![])] {
        let (world, revoked) = (World::new(), Arc::default());
        let context = connected(&world, &revoked, 200);
        world.advance(Duration::from_secs(3600));
        let caller = context.clone();
        world.process(0).spawn(Box::pin(async move {
            let _ = accounts::refresh(&caller, RefreshAccount::new("demo", "ada")).await;
        }));
        world.advance(Duration::from_secs(1));
        world.send(&context, disconnection(revoke));
        world.advance(Duration::from_secs(60));
        assert_eq!(*revoked.lock().unwrap(), expected);
        let events = revocations(&world, &context);
        assert_eq!(events.len(), expected.len());
        for (name, data) in events {
            assert_eq!(name, "account.revoked_at_product");
            let expected = json!({
                "connection_name": "demo", "product": "demo", "identifier": "ada",
                "outcome": "revoked", "reason": null,
            });
            assert_eq!(data, expected);
        }
    }
}

#[test]
fn a_revocation_of_a_deleted_connection_ends_with_an_event() {
    let (world, revoked) = (World::new(), Arc::default());
    let context = connected(&world, &revoked, 503);
    world.send(&context, disconnection(true));
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
    let expected = (String::from("account.revocation_failed"), failed);
    assert_eq!(revocations(&world, &context), [expected]);
}

/// The token belongs to the client and the host that it was issued for.
#[test]
fn a_revocation_is_not_sent_for_another_client() {
    let (world, revoked) = (World::new(), Arc::default());
    let context = connected(&world, &revoked, 503);
    world.send(&context, disconnection(true));
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
