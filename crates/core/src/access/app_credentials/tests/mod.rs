//! Scopes, rotation and revocation of credentials.

mod events_and_refusals;

use std::time::Duration;

use secrecy::ExposeSecret as _;

use super::*;
use crate::{
    access::{authenticate, issue_access_token},
    caller::Caller,
    domain::AppCredential as Row,
    maintenance,
    resource::{
        AppCredentialChange, ChangeAppCredential, DeleteAppCredential, IssuedAppSecret,
        NewAppCredential, ReadAppCredential, RevokeAppSecret, RotateAppCredential, SecretRotation,
    },
    scope::ScopeName,
    store::{Batch, Commit},
    testing::{STABLE, World, always, context},
};

fn new(scopes: &[&str]) -> NewAppCredential {
    NewAppCredential::new("app").scopes(scopes.iter().copied())
}

/// A credential with these scopes.
fn created(world: &World, context: &Context, scopes: &[&str]) -> IssuedAppSecret {
    world.send(context, new(scopes))
}

/// Exchanges a secret for a bearer token.
fn token(world: &World, context: &Context, issued: &IssuedAppSecret) -> Result<String> {
    let (id, secret) = (&issued.credential.client_id, &issued.client_secret);
    let token = issue_access_token(context, id, secret.expose_secret(), None);
    Ok(world.run(token)?.access_token.expose_secret().to_owned())
}

fn kind<T>(result: Result<T>) -> ErrorKind {
    result.err().expect("an error").kind()
}

#[test]
fn a_rotated_credential_accepts_both_secrets_until_the_old_one_expires() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let old = created(&world, &context, &["events:read"]);
    let id = old.credential.client_id.clone();
    let with_old = token(&world, &context, &old).unwrap();
    let rotation = || RotateAppCredential::new(&id, SecretRotation::default());
    let new = world.send(&context, rotation());
    assert_eq!(new.credential.secrets.len(), 2);
    assert_ne!(new.secret_id, old.secret_id);
    let with_new = token(&world, &context, &new).unwrap();
    let again = token(&world, &context, &old).unwrap();
    for bearer in [&with_old, &with_new, &again] {
        world.ok(authenticate(&context, bearer));
    }
    // A credential has at most two secrets.
    let third = world.refused(&context, rotation());
    assert_eq!(third.kind(), ErrorKind::InvalidTransition);

    let left = world.send(&context, RevokeAppSecret::new(&id, &old.secret_id));
    assert_eq!(left.secrets.len(), 1);
    let refused = token(&world, &context, &old);
    assert_eq!(kind(refused), ErrorKind::Unauthenticated);
    let refused = world.run(authenticate(&context, &with_old));
    assert_eq!(kind(refused), ErrorKind::Unauthenticated);
    world.ok(authenticate(&context, &with_new));
    let last = world.refused(&context, RevokeAppSecret::new(&id, &new.secret_id));
    assert_eq!(last.kind(), ErrorKind::InvalidTransition);
    let unknown = world.refused(&context, RevokeAppSecret::new(&id, "0123"));
    assert_eq!(unknown.kind(), ErrorKind::NotFound);
}

#[test]
fn a_replaced_secret_expires_with_its_tokens() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let old = created(&world, &context, &["events:read"]);
    let id = old.credential.client_id.clone();
    let rotation = SecretRotation::default().old_expires_in(600);
    let new = world.send(&context, RotateAppCredential::new(&id, rotation));
    let issued = issue_access_token(&context, &id, old.client_secret.expose_secret(), None);
    let issued = world.ok(issued);
    assert_eq!(issued.expires_in, 600);
    world.advance(Duration::from_secs(599));
    let bearer = issued.access_token.expose_secret();
    world.ok(authenticate(&context, bearer));
    world.advance(Duration::from_secs(1));
    let refused = world.run(authenticate(&context, bearer));
    assert_eq!(kind(refused), ErrorKind::Unauthenticated);
    let refused = token(&world, &context, &old);
    assert_eq!(kind(refused), ErrorKind::Unauthenticated);
    token(&world, &context, &new).unwrap();
    let shown = world.send(&context, ReadAppCredential::new(&id));
    assert_eq!(shown.secrets.len(), 1);
    assert_eq!(shown.secrets[0].secret_id, new.secret_id);
    // Now another secret fits. It replaces the current one immediately.
    let at_once = SecretRotation::default().old_expires_in(0);
    world.send(&context, RotateAppCredential::new(&id, at_once));
    let refused = token(&world, &context, &new);
    assert_eq!(kind(refused), ErrorKind::Unauthenticated);
}

#[test]
fn a_credential_expires_with_its_tokens() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let short = new(&["events:read"]).expires_in(60);
    let issued = world.send(&context, short);
    let bearer = token(&world, &context, &issued).unwrap();
    world.advance(Duration::from_secs(59));
    world.ok(authenticate(&context, &bearer));
    world.advance(Duration::from_secs(1));
    for refused in [
        world.run(authenticate(&context, &bearer)).map(drop),
        token(&world, &context, &issued).map(drop),
    ] {
        assert_eq!(kind(refused), ErrorKind::Unauthenticated);
    }
}

#[test]
fn a_token_has_its_requested_scopes_that_the_credential_still_has() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let issued = created(&world, &context, &["tools:execute", "accounts:manage"]);
    let (id, secret) = (&issued.credential.client_id, &issued.client_secret);
    let ask = |scope| {
        let asked = issue_access_token(&context, id, secret.expose_secret(), Some(scope));
        world.run(asked)
    };
    let connections = "accounts:read connections:read";
    for beyond in ["events:read", connections, "nothing:known"] {
        assert_eq!(kind(ask(beyond)), ErrorKind::InvalidRequest, "{beyond}");
    }
    let asked = "tools:execute:demo accounts:manage";
    let narrow = ask(asked).unwrap();
    assert_eq!(narrow.scopes.to_string(), asked);
    let bearer = narrow.access_token.expose_secret();
    let caller = world.ok(authenticate(&context, bearer));
    assert!(caller.check_for(ScopeName::ToolsExecute, "other").is_err());

    let change = AppCredentialChange::default().scopes(["tools:execute", "accounts:read"]);
    world.send(&context, ChangeAppCredential::new(id, change));
    let caller = world.ok(authenticate(&context, bearer));
    let scopes = caller.scopes().unwrap().to_string();
    assert_eq!(scopes, "tools:execute:demo accounts:read");
}

#[test]
fn a_credential_grants_only_its_own_scopes() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let strong = created(&world, &context, &["tools:execute", "credentials:manage"]);
    let scopes = Scopes::parse(["events:read", "credentials:manage"]).unwrap();
    let weak = context.acting_as(Caller::limited_application("app_weak", scopes, None));
    let id = &strong.credential.client_id;
    let insufficient = ErrorKind::InsufficientScope;
    let strange = world.refused(&weak, new(&["audit:read"]));
    assert_eq!(strange.kind(), insufficient);
    // Without scopes, it would get the default ones.
    let usual = world.refused(&weak, NewAppCredential::new("usual"));
    assert_eq!(usual.kind(), insufficient);
    let rotation = RotateAppCredential::new(id, SecretRotation::default());
    let rotated = world.refused(&weak, rotation);
    assert_eq!(rotated.kind(), insufficient);
    let change = AppCredentialChange::default().scopes(["events:read"]);
    let changed = world.refused(&weak, ChangeAppCredential::new(id, change));
    assert_eq!(changed.kind(), insufficient);

    let own = world.send(&weak, new(&["events:read"]));
    let more = AppCredentialChange::default().scopes(["tools:execute"]);
    let more = ChangeAppCredential::new(&own.credential.client_id, more);
    let error = world.refused(&weak, more);
    assert_eq!(error.kind(), insufficient);
    assert_eq!(error.required_scopes(), ["tools:execute"]);
    // Deleting it needs no additional scopes.
    world.send(&weak, DeleteAppCredential::new(id));
}

#[test]
fn tokens_of_a_deleted_credential_are_refused_immediately() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let issued = created(&world, &context, &["events:read"]);
    let bearer = token(&world, &context, &issued).unwrap();
    world.ok(authenticate(&context, &bearer));
    world.send(
        &context,
        DeleteAppCredential::new(&issued.credential.client_id),
    );
    let refused = kind(world.run(authenticate(&context, &bearer)));
    assert_eq!(refused, ErrorKind::Unauthenticated);
}

#[test]
fn a_wrong_secret_and_an_unknown_client_id_are_refused_alike() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let issued = created(&world, &context, &["events:read"]);
    let id = issued.credential.client_id.as_str();
    let secret = issued.client_secret.expose_secret();
    let refusal = |id, secret| {
        let asked = issue_access_token(&context, id, secret, Some("nothing:known"));
        let error = world.err(asked);
        (error.kind(), error.message().to_owned())
    };
    let wrong = refusal(id, "stead_secret_wrong");
    assert_eq!(wrong.0, ErrorKind::Unauthenticated);
    assert_eq!(refusal("app_unknown", secret), wrong);
    assert_eq!(refusal("app_unknown", ""), wrong);
    assert_eq!(refusal(id, ""), wrong);
    world.send(&context, DeleteAppCredential::new(id));
    assert_eq!(refusal(id, secret), wrong);
}

#[test]
fn secrets_are_recognisable_and_never_shown_again() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let issued = created(&world, &context, &["events:read"]);
    let secret = issued.client_secret.expose_secret();
    let (text, checksum) = secret.split_at(secret.len() - 6);
    assert!(text.starts_with("stead_secret_") && secret.len() == 13 + 43 + 6);
    let mut crc = flate2::Crc::new();
    crc.update(text.as_bytes());
    let digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let sum = checksum.chars().fold(0, |sum, digit| {
        sum * 62 + u64::try_from(digits.find(digit).unwrap()).unwrap()
    });
    assert_eq!(sum, u64::from(crc.sum()));

    let id = &issued.credential.client_id;
    let shown = world.send(&context, ReadAppCredential::new(id));
    let end = secret.get(secret.len() - 4..);
    assert_eq!(shown.secrets[0].ends_with.as_deref(), end);
    let printed = serde_json::to_string(&shown).unwrap();
    for text in [format!("{issued:?}"), printed] {
        assert!(!text.contains(text_of(secret)), "{text}");
    }
    assert_eq!(
        serde_json::to_value(&issued).unwrap()["client_secret"],
        *secret
    );
}

/// The random part.
fn text_of(secret: &str) -> &str {
    &secret[13..56]
}

/// A row in the format of versions that had no scopes.
fn row_of_first_form(context: &Context, secret: &str) -> Row {
    let body = serde_json::json!({
        "client_id": "app_first", "name": "first", "secret": crate::digest::Digest::of(secret),
        "created_at": context.host.now(),
    });
    serde_json::from_value(body).unwrap()
}

#[test]
fn a_credential_from_before_scopes_keeps_its_permissions_and_can_be_rotated() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let row = row_of_first_form(&context, "stead_secret_first");
    let batch = Batch::new().insert(row);
    assert_eq!(world.ok(context.store.commit(batch)), Commit::Committed);
    let first = issue_access_token(&context, "app_first", "stead_secret_first", None);
    let first = world.ok(first);
    let could = [
        "tools:execute",
        "proxy:read",
        "proxy:write",
        "links:create",
        "accounts:read",
        "accounts:manage",
        "connections:read",
        "connections:manage",
    ];
    assert_eq!(first.scopes.words(), could);
    let bearer = first.access_token.expose_secret();
    world.ok(authenticate(&context, bearer));

    let at_once = SecretRotation::default().old_expires_in(0);
    let new = world.send(&context, RotateAppCredential::new("app_first", at_once));
    assert_eq!(new.credential.scopes.words(), could);
    let refused = world.run(authenticate(&context, bearer));
    assert_eq!(kind(refused), ErrorKind::Unauthenticated);
    token(&world, &context, &new).unwrap();
}

#[test]
fn the_last_use_is_written_by_maintenance_and_at_most_once_an_hour() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let issued = created(&world, &context, &["events:read"]);
    let id = issued.credential.client_id.as_str();
    let last_used = || {
        world.ok(maintenance::run(&context));
        let read = world.send(&context, ReadAppCredential::new(id));
        read.last_used_at
    };
    assert_eq!(last_used(), None);
    let bearer = token(&world, &context, &issued).unwrap();
    let first = context.host.now();
    assert_eq!(last_used(), Some(first));
    world.advance(Duration::from_secs(1_800));
    world.ok(authenticate(&context, &bearer));
    assert_eq!(last_used(), Some(first));
    world.advance(Duration::from_secs(1_800));
    token(&world, &context, &issued).unwrap();
    assert_eq!(last_used(), Some(context.host.now()));
}
