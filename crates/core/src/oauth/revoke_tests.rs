//! How the product is asked to end a token, and what its responses mean.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::header;

use super::*;
use crate::{
    accounts,
    domain::AccountRef,
    product::{ClientAuthentication, OAuth},
    resource::Revocation,
    state::AccountState,
    testing::{Responses, STABLE, World, context, demo, insert_account, response},
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

/// Disconnects an account with revocation at a product that gives these responses, one after the other; returns the
/// requests that it saw and the names of the events.
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
    let ada = AccountRef::new("demo", "ada").unwrap();
    let told = world
        .run(accounts::disconnect(&context, &ada, true))
        .unwrap();
    assert_eq!(told.revocation, Revocation::Requested);
    world.advance(std::time::Duration::from_secs(3 * 86_400));
    let events = world.run(context.store.events(None, 100)).unwrap();
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
    let said = |text: &str| format!("the revocation endpoint answered {text}");
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
            outcome_of(status, body.as_bytes(), &BASIC),
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
    // A secret that is corrected meanwhile ends the token after all.
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
fn a_product_that_fails_is_asked_again_and_then_given_up_with_an_event() {
    let (seen, events) = disconnected(&STABLE, &[(503, ""), (503, ""), (200, "")]);
    assert_eq!(
        (seen.len(), events),
        (3, vec![String::from("account.revoked_at_product")])
    );
    let (seen, events) = disconnected(&STABLE, &[(503, "")]);
    assert_eq!(seen.len(), ATTEMPTS as usize);
    assert_eq!(events, ["account.revocation_failed"]);
}
