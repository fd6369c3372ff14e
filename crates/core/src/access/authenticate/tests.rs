//! Bearer tokens while the store is unavailable.

use std::time::Duration;

use super::*;
use crate::{
    access::{app_credentials::create, issue_access_token},
    resource::{DeleteAppCredential, NewAppCredential},
    testing::{Flaky, Outage, STABLE, World, always},
};

/// How long cached data is used without the store.
const RELIABLE: Duration = Duration::from_secs(1);
const MILLISECOND: Duration = Duration::from_millis(1);

/// A bearer token, and the client ID of its credential.
fn token(world: &World, context: &Context) -> (String, String) {
    world.run(async {
        let new = NewAppCredential::new("app").scopes(["events:read"]);
        let issued = create(context, new).await.unwrap();
        let (id, secret) = (issued.credential.client_id, issued.client_secret);
        let token = issue_access_token(context, &id, secret.expose_secret(), None);
        let token = token.await.unwrap().access_token;
        (token.expose_secret().to_owned(), id)
    })
}

fn of(world: &World, process: u32, store: &Arc<Flaky>) -> Context {
    world.open(process, &STABLE, always(200, ""), store)
}

/// The result of a check, and how long it takes.
fn checked(world: &World, context: &Context, bearer: &str) -> (Option<ErrorKind>, Duration) {
    let began = context.host.monotonic();
    let failed = world.run(authenticate(context, bearer)).err();
    let failed = failed.map(|error| error.kind());
    (failed, context.host.monotonic() - began)
}

#[test]
fn a_known_token_is_valid_for_five_minutes_while_the_store_is_down() {
    let world = World::new();
    let store = Flaky::new(world.process(0));
    let context = of(&world, 0, &store);
    let (bearer, _) = token(&world, &context);
    let (unknown, _) = token(&world, &context);
    world.ok(authenticate(&context, &bearer));
    store.set_outage(Some(Outage::ReadsAndWrites));
    let away = Some(ErrorKind::StorageUnavailable);
    world.advance(RELIABLE);
    for _ in 0..100 {
        assert_eq!(checked(&world, &context, &bearer), (None, Duration::ZERO));
        assert_eq!(checked(&world, &context, &unknown), (away, Duration::ZERO));
    }
    world.advance(Duration::from_secs(299));
    assert_eq!(checked(&world, &context, &bearer).0, None);
    world.advance(MILLISECOND);
    assert_eq!(checked(&world, &context, &bearer).0, away);
    store.set_outage(None);
    world.advance(Duration::from_secs(1));
    assert_eq!(checked(&world, &context, &bearer).0, None);
    assert_eq!(checked(&world, &context, &unknown).0, None);
}

#[test]
fn a_refused_token_stays_refused_while_the_store_is_down() {
    let world = World::new();
    let store = Flaky::new(world.process(0));
    let (here, there) = (of(&world, 0, &store), of(&world, 1, &store));
    let (bearer, client_id) = token(&world, &here);
    world.ok(authenticate(&there, &bearer));
    world.send(&here, DeleteAppCredential::new(&client_id));
    world.advance(RELIABLE);
    let refused = Some(ErrorKind::Unauthenticated);
    assert_eq!(checked(&world, &there, &bearer).0, refused);
    store.set_outage(Some(Outage::ReadsAndWrites));
    let away = Some(ErrorKind::StorageUnavailable);
    assert_eq!(checked(&world, &there, &bearer).0, away);
}

#[test]
fn without_an_outage_window_no_token_is_valid_while_the_store_is_down() {
    let world = World::new();
    let store = Flaky::new(world.process(0));
    let opened = |outage| {
        world.configured(&store, &STABLE, always(200, ""), |options| {
            options.store_outage = outage;
        })
    };
    let context = opened(Duration::ZERO).unwrap();
    let (bearer, _) = token(&world, &context);
    world.ok(authenticate(&context, &bearer));
    store.set_outage(Some(Outage::ReadsAndWrites));
    world.advance(RELIABLE);
    assert_eq!(checked(&world, &context, &bearer).0, None);
    world.advance(MILLISECOND);
    let away = Some(ErrorKind::StorageUnavailable);
    assert_eq!(checked(&world, &context, &bearer).0, away);
    store.set_outage(None);
    let day = Duration::from_secs(24 * 60 * 60);
    assert!(opened(day).is_ok());
    let error = opened(day + Duration::from_secs(1)).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
}
