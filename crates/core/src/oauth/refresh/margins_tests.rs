//! How often short-lived tokens are refreshed, and tokens that can't be sent in a header.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use serde_json::json;

use super::flow_tests::Stage;
use crate::{
    ErrorKind, Result, call,
    context::{Context, TokenSet},
    domain::{Account, Credential},
    resource::{ExecuteRequest, Execution},
    state::AccountState,
    store::{Batch, Commit},
    testing::{Responses, STABLE, START, STRICT, World, context, insert_account, response},
};

/// An account whose access tokens live for `life` seconds and whose calls get this status, and the number of token
/// requests.
fn account(world: &World, life: u64, status: u16) -> (Context, Arc<AtomicU32>) {
    let asked = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&asked);
    let transport = Responses::by(move |request: http::Request<crate::ports::Body>| {
        let (status, body) = if request.uri().path() == "/token" {
            let number = count.fetch_add(1, Ordering::SeqCst) + 2;
            let tokens = json!({ "access_token": format!("token-{number}"), "expires_in": life });
            (200, tokens)
        } else {
            (status, json!({}))
        };
        std::future::ready(Ok(response(status, body.to_string())))
    });
    let context = context(world, &STABLE, transport);
    world.run(async {
        let account = insert_account(&context, AccountState::Active).await;
        let ends = START + Duration::from_secs(life);
        let tokens = TokenSet::new("token-1".into(), Some("refresh".into()), Some(ends));
        let stored = context.store.account(account.id).await.unwrap().unwrap();
        let credential = context
            .store
            .credential(account.id, 1)
            .await
            .unwrap()
            .unwrap();
        let account = Account {
            token_expires_at: Some(ends),
            ..account
        };
        let sealed = Some(tokens.seal(&context.store.vault, &account, 1).unwrap());
        let batch = Batch::new().update(account, stored.version).update(
            Credential {
                sealed,
                ..credential.row
            },
            credential.version,
        );
        assert_eq!(
            context.store.commit(batch).await.unwrap(),
            Commit::Committed
        );
    });
    (context, asked)
}

fn read_note(world: &World, context: &Context) -> Result<Execution> {
    let request = ExecuteRequest::new("demo", "ada", json!({ "note_id": "n1" }));
    world.run(call::execute(context, "demo_read_note", request))
}

/// Counts the token requests of 100 calls with this pause between them.
fn token_requests(life: u64, pause: Duration) -> u32 {
    let world = World::new();
    let (context, asked) = account(&world, life, 200);
    for _ in 0..100 {
        read_note(&world, &context).unwrap();
        world.advance(pause);
    }
    asked.load(Ordering::SeqCst)
}

#[test]
fn a_short_token_is_refreshed_at_most_once_in_half_of_its_life() {
    for (life, counted) in [(30, 12), (60, 12), (299, 12), (600, 12), (3600, 9)] {
        // A hundred calls over ten lifetimes.
        let requests = token_requests(life, Duration::from_secs(life) / 10);
        assert_eq!(requests, counted, "life of {life} s");
        assert!(requests <= 20);
    }
}

#[test]
fn a_burst_of_calls_refreshes_no_new_token() {
    for life in [0, 1, 30, 60, 299] {
        assert_eq!(
            token_requests(life, Duration::from_millis(30)),
            0,
            "life of {life} s"
        );
    }
}

#[test]
fn a_new_token_that_the_product_refuses_is_not_refreshed_with_every_call() {
    let world = World::new();
    let (context, asked) = account(&world, 3600, 401);
    let hundred = || {
        for _ in 0..100 {
            let error = read_note(&world, &context).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ProductRejectedToken);
            assert!(error.authorization_request().is_some());
            world.advance(Duration::from_millis(30));
        }
        asked.load(Ordering::SeqCst)
    };
    assert_eq!(hundred(), 2, "the user may have ended the grant");
    world.advance(Duration::from_secs(60));
    assert_eq!(hundred(), 2);
    world.advance(Duration::from_secs(60));
    assert_eq!(hundred(), 3, "two minutes later it is tried once more");
}

#[test]
fn a_product_that_refuses_every_token_gets_few_token_requests() {
    for (life, at_most) in [(3600, 7), (30, 3600 / 30 * 2 + 60)] {
        let world = World::new();
        let (context, asked) = account(&world, life, 401);
        for _ in 0..3600 {
            assert!(read_note(&world, &context).is_err());
            world.advance(Duration::from_secs(1));
        }
        let asked = asked.load(Ordering::SeqCst);
        assert!((2..=at_most).contains(&asked), "life of {life} s: {asked}");
        let row = world.ok(context.store.accounts(None, None, 1));
        assert_eq!(row[0].row.state, AccountState::Active);
    }
}

#[test]
fn a_refresh_token_outlives_an_access_token_that_no_header_can_carry() {
    let stage = Stage::new(&STRICT, -1);
    let bad = [
        r#"{"access_token":"a\nb","refresh_token":"refresh-2","expires_in":3600}"#,
        r#"{"access_token":"a\nb","refresh_token":"refresh-3","expires_in":3600}"#,
    ];
    stage.script(bad.map(|body| (200, body, None)));
    for _ in 0..10 {
        assert_eq!(stage.fails(), ErrorKind::ProductProtocolError);
    }
    assert_eq!(stage.presented(), ["refresh-1", "refresh-2"]);
    stage.seconds(120);
    stage.read().unwrap();
    assert_eq!(stage.presented(), ["refresh-1", "refresh-2", "refresh-3"]);
    assert_eq!(stage.account().state, AccountState::Active);
}
