//! Errors with their locations, and events.

use super::*;

#[test]
fn an_invalid_credential_is_refused_with_the_place() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    for (new, place) in [
        (NewAppCredential::new(""), "/name"),
        (new(&[]), "/scopes"),
        (new(&["events:read", "events:write"]), "/scopes/1"),
        (new(&["tools:execute:nothing"]), "/scopes/0"),
        (
            new(&["events:read"]).rate_per_minute(2_000_000),
            "/rate_per_minute",
        ),
    ] {
        let error = world.refused(&context, new);
        assert_eq!(error.violation_list()[0].path, place);
    }
    let long = SecretRotation::default().old_expires_in(u32::MAX);
    let error = world.refused(&context, RotateAppCredential::new("app_x", long));
    assert_eq!(error.violation_list()[0].path, "/old_expires_in");
    assert_eq!(
        world
            .refused(&context, ReadAppCredential::new("app_x"))
            .kind(),
        ErrorKind::NotFound
    );
}

#[test]
fn events_record_each_change_of_a_credential_and_its_actor() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let made = created(&world, &context, &["events:read"]);
    let id = made.credential.client_id.as_str();
    let other = context.acting_as(Caller::application("app_other"));
    world.send(
        &other,
        RotateAppCredential::new(id, SecretRotation::default()),
    );
    world.send(&other, RevokeAppSecret::new(id, &made.secret_id));
    let name = AppCredentialChange::default().name("another");
    world.send(&other, ChangeAppCredential::new(id, name.clone()));
    // Nothing changes, so there is no event.
    world.send(&other, ChangeAppCredential::new(id, name));
    world.send(&other, DeleteAppCredential::new(id));
    let events = world.ok(context.store.events(None, None, 10));
    let events: Vec<_> = events
        .iter()
        .map(|event| {
            assert_eq!(event.row.data["client_id"], id);
            let actor = event.row.actor.as_ref().unwrap();
            (
                event.row.name.as_str(),
                actor.id.as_deref().unwrap_or(&actor.kind),
            )
        })
        .collect();
    assert_eq!(
        events,
        [
            ("app_credential.created", "operator"),
            ("app_credential.rotated", "app_other"),
            ("app_credential.secret_revoked", "app_other"),
            ("app_credential.changed", "app_other"),
            ("app_credential.revoked", "app_other"),
        ]
    );
}
