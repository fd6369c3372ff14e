//! A caller that can't make a call can't read its handle either, and no request is sent.

use super::*;
use crate::resource::{DeleteConnection, DisconnectAccount, Disconnection, SetPolicy};

#[test]
fn a_handle_is_of_one_user_one_environment_and_for_one_day() {
    let world = World::new();
    let stage = Stage::in_world(&world, json!({ "text": long() }));
    let handle = stage.handle();
    let another = Stage::in_world(&world, json!({ "text": long() }));
    let unknown = stage.refused(&stage.environment, "file_AAAA");
    assert_eq!(unknown.0, ErrorKind::NotFound);

    let eve = stage.session(NewMcpSession::new("eve"));
    let mut elsewhere = NewMcpSession::new("ada");
    elsewhere.connections = Some(vec![String::from("other")]);
    let elsewhere = stage.session(elsewhere);
    for (who, caller) in [("another user", &eve), ("another connection", &elsewhere)] {
        assert_eq!(stage.refused(caller, &handle), unknown, "{who}");
    }
    assert_eq!(another.refused(&another.environment, &handle), unknown);
    let middle = handle.len() / 2;
    let flipped = if &handle[middle..=middle] == "A" {
        "B"
    } else {
        "A"
    };
    for (what, bad) in [
        (
            "changed",
            format!("{}{flipped}{}", &handle[..middle], &handle[middle + 1..]),
        ),
        // The first characters contain the ID of the data key.
        (
            "another key",
            format!("file_AQEB{}", &handle["file_AQEB".len()..]),
        ),
        ("cut", handle[..handle.len() - 4].to_owned()),
        ("another kind", handle.replace("file_", "exec_")),
        ("empty", String::new()),
        ("not base64", String::from("file_\u{e9}%%")),
        ("too long", format!("file_{}", "A".repeat(100_000))),
    ] {
        assert_eq!(stage.refused(&stage.environment, &bad), unknown, "{what}");
    }
    let own = stage.session(NewMcpSession::new("ada"));
    world.ok(own.read_result(&handle));
    world.set_back(&[0], SignedDuration::from_secs(-86_399));
    stage.read(&handle).unwrap();
    world.set_back(&[0], SignedDuration::from_secs(-2));
    let ended = stage.refused(&stage.environment, &handle);
    assert_eq!(ended.0, ErrorKind::NotFound);
    assert!(
        ended.1.contains("has expired; call the tool again"),
        "{}",
        ended.1
    );
}

#[test]
fn reading_a_handle_needs_permission_for_its_call() {
    let stage = Stage::new(json!({ "text": long() }));
    let handle = stage.handle();
    let mut other_tools = NewMcpSession::new("ada");
    other_tools.tools = Some(vec![String::from("demo_read_note")]);
    let session = stage.session(other_tools);
    assert_eq!(
        stage.refused(&session, &handle).0,
        ErrorKind::InsufficientScope
    );

    let limited = |scope: &str, connections: Connections| {
        let mut new = NewAppCredential::new("reader").scopes([scope]);
        new.connections = connections.to_texts();
        let made = stage.environment.send(new);
        let made = stage.world.ok(made);
        let (id, secret) = (made.credential.client_id, made.client_secret);
        let issued = stage
            .environment
            .issue_access_token(&id, secret.expose_secret(), None);
        let token = stage.world.ok(issued).access_token;
        let caller = stage.environment.authenticate(token.expose_secret());
        stage.environment.acting_as(stage.world.ok(caller))
    };
    let no_tools = limited("accounts:read", Connections::ALL);
    assert_eq!(
        stage.refused(&no_tools, &handle).0,
        ErrorKind::InsufficientScope
    );
    let name = ConnectionName::new("other").unwrap();
    let elsewhere = limited("tools:execute", Connections::only([name]));
    assert_eq!(stage.refused(&elsewhere, &handle).0, ErrorKind::NotFound);
    let reader = limited("tools:execute", Connections::ALL);
    stage.world.ok(reader.read_result(&handle));
    assert!(matches!(reader.caller(), Caller::Application(_)));

    let policy: Policy = serde_json::from_value(json!({
        "name": "no-letters", "environment": true, "tools": { "deny": [READ] },
    }))
    .unwrap();
    stage
        .world
        .ok(stage.environment.send(SetPolicy::from(policy)));
    assert_eq!(
        stage.refused(&stage.environment, &handle).0,
        ErrorKind::Forbidden
    );
}

#[test]
fn a_handle_ends_with_the_account() {
    let stage = Stage::new(json!({ "text": long() }));
    let handle = stage.handle();
    let ended = stage
        .environment
        .send(DisconnectAccount::new("demo", "ada").how(Disconnection::new().erase(true)));
    stage.world.ok(ended);
    assert_eq!(
        stage.refused(&stage.environment, &handle).0,
        ErrorKind::AuthorizationRequired
    );
    // The handle isn't valid for a later account with the same names.
    stage.world.advance(Duration::from_secs(6));
    let again = stage.world.run(async {
        let deleted = stage.environment.send(DeleteConnection::new("demo")).await;
        deleted.unwrap();
        insert_account(&stage.environment.0, AccountState::Active).await
    });
    stage.handle();
    assert_eq!(again.identifier.as_str(), "ada");
    assert_eq!(
        stage.refused(&stage.environment, &handle).0,
        ErrorKind::NotFound
    );
}
