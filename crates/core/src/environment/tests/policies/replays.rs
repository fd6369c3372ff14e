//! The outcome of an earlier call with an idempotency key can only be read by a caller that can make the call now.
use crate::{
    resource::{DisconnectAccount, Disconnection, ResumeAccount, SuspendAccount},
    scope::Scopes,
};

use super::*;

/// One keyed call.
type Call = dyn Fn(&Stage, &Environment) -> Result<(), Error>;
/// Makes a call with a key, or reads its outcome.
type Repeat<'a> = dyn Fn(&Environment) -> Result<(), Error> + 'a;

/// Runs the check with a tool and with a raw request, each made once with a key.
fn each(check: impl Fn(&Stage, &Repeat<'_>)) {
    let tool = |stage: &Stage, by: &Environment| {
        let mut request = ExecuteRequest::new("demo", "ada", json!({ "to": [IN] }));
        request.idempotency_key = Some(String::from("key"));
        stage.world.run(by.execute(SEND, request)).map(drop)
    };
    let raw = |stage: &Stage, by: &Environment| {
        let mut request = ProxyRequest::new("demo", "ada", "POST", "/v1/notes");
        request.body = Some(json!({ "to": [IN] }));
        request.idempotency_key = Some(String::from("key"));
        stage.world.run(by.proxy(request)).map(drop)
    };
    let calls: [&Call; 2] = [&tool, &raw];
    for call in calls {
        let stage = Stage::new();
        let repeat = |by: &Environment| call(&stage, by);
        let app = stage.app("app");
        repeat(&app).unwrap();
        repeat(&app).unwrap();
        assert_eq!(stage.writes(), 1, "the second was made before");
        check(&stage, &repeat);
        assert_eq!(stage.writes(), 0);
    }
}

fn kind(repeat: &Repeat<'_>, by: &Environment) -> ErrorKind {
    repeat(by).unwrap_err().kind()
}

#[test]
fn no_replay_while_the_account_is_suspended_or_disconnected() {
    each(|stage, repeat| {
        let app = stage.app("app");
        let by = &stage.environment;
        stage.world.ok(by.send(SuspendAccount::new("demo", "ada")));
        assert_eq!(kind(repeat, &app), ErrorKind::AccountSuspended);
        stage.world.ok(by.send(ResumeAccount::new("demo", "ada")));
        repeat(&app).unwrap();
        let end = Disconnection::default();
        stage
            .world
            .ok(by.send(DisconnectAccount::new("demo", "ada").how(end)));
        assert_eq!(kind(repeat, &app), ErrorKind::AuthorizationRequired);
    });
}

#[test]
fn no_replay_for_a_credential_that_lost_its_scopes() {
    each(|stage, repeat| {
        let scopes =
            Scopes::parse(["accounts:read", "tools:execute:mail", "proxy:read:mail"]).unwrap();
        let caller = Caller::limited_application("app", scopes, None);
        let app = stage.environment.acting_as(caller);
        assert_eq!(kind(repeat, &app), ErrorKind::InsufficientScope);
    });
}

#[test]
fn no_replay_against_a_policy() {
    let of_tool = json!({ "tools": { "deny": ["demo_send_*"] }, "requests": [] });
    let recipients = json!({ "product": "demo", "kind": "recipient", "allow": [] });
    each(|stage, repeat| {
        let app = stage.app("app");
        stage.set(of_tool.clone());
        assert_eq!(kind(repeat, &app), ErrorKind::Forbidden);
        // The call has already run, so it isn't approved again.
        stage.set(json!({ "requires_approval": { "effects": ["write", "delete"] } }));
        repeat(&app).unwrap();
    });
    let stage = Stage::new();
    let app = stage.app("app");
    let raw = || {
        let mut request = ProxyRequest::new("demo", "ada", "POST", "/v1/notes");
        request.body = Some(json!({ "to": [IN] }));
        request.idempotency_key = Some(String::from("key"));
        stage.world.run(app.proxy(request)).map(drop)
    };
    raw().unwrap();
    stage.set(json!({ "facts": [recipients] }));
    assert_eq!(rule(&raw().unwrap_err()), (REFUSED, "/facts/0/allow"));
    stage.set(json!({ "read_only": true }));
    assert_eq!(rule(&raw().unwrap_err()), (REFUSED, "/read_only"));
    assert_eq!(stage.writes(), 1);
}
