//! Policies apply to tools and raw requests alike, and a refused request isn't sent.
use crate::resource::{
    ChangeAppCredential, DeleteAppCredential, DeletePolicy, NewAppCredential, Policy, PolicyTest,
    SetPolicy,
};

use super::*;

/// Sends a note to someone.
type Send<'a> = dyn Fn(&str) -> Result<(), Error> + 'a;

#[test]
fn tools_are_allowed_by_name() {
    let stage = Stage::new();
    let by = &stage.environment;
    stage.set(json!({ "tools": { "allow": ["demo_read_*"] } }));
    assert!(stage.tool(by, READ, json!({ "note_id": "1" })).is_ok());
    let refused = stage.send_note(by, &[IN]).unwrap_err();
    assert_eq!(rule(&refused), (REFUSED, "/tools/allow"));
    stage.set(json!({ "tools": { "deny": ["demo_send_*"] } }));
    let refused = stage.send_note(by, &[IN]).unwrap_err();
    assert_eq!(rule(&refused), (REFUSED, "/tools/deny/0"));
    assert_eq!(refused.context()["policy"], "all");
    assert_eq!((stage.writes(), stage.sent.load(Ordering::SeqCst)), (0, 1));
}

#[test]
fn a_read_only_policy_allows_requests_that_the_product_classifies_as_reads() {
    let stage = Stage::new();
    let by = &stage.environment;
    stage.set(json!({ "read_only": true }));
    let query = |text: &str| {
        let text = text.as_bytes().to_vec();
        over_http(Method::POST, "/v1/query", "text/plain", text)
    };
    assert!(stage.streamed(by, query("select")).is_ok());
    assert_eq!(stage.writes(), 1, "the query is a POST");
    for refused in [
        stage.streamed(by, query("drop")),
        stage.streamed(by, batch(IN)),
        stage.raw(by, "DELETE", "/v1/other", None),
        stage.send_note(by, &[IN]).map(drop),
    ] {
        assert_eq!(rule(&refused.unwrap_err()), (REFUSED, "/read_only"));
    }
    assert!(stage.raw(by, "GET", "/v1/other", None).is_ok());
    assert_eq!(stage.writes(), 0);
}

#[test]
fn a_policy_checks_recipients_of_every_kind_of_request() {
    let stage = Stage::new();
    let by = &stage.environment;
    let recipients = json!({ "product": "demo", "kind": "recipient", "allow": ["*@example.com"], "deny": ["EVE@*"] });
    stage.set(json!({ "facts": [recipients] }));
    let json = "application/json";
    let note = |to: &str| json!({ "to": [IN, to] });
    let all: [&Send<'_>; 5] = [
        &|to| stage.send_note(by, &[IN, to]).map(drop),
        &|to| stage.raw(by, "POST", "/v1/notes", Some(note(to))),
        &|to| {
            let note = note(to).to_string().into_bytes();
            stage.streamed(by, over_http(Method::POST, "/v1/notes", json, note))
        },
        &|to| {
            let note = stream(to, 100_000);
            stage.streamed(by, over_http(Method::POST, "/v1/notes", json, note))
        },
        &|to| stage.streamed(by, batch(to)),
    ];
    for send in all {
        assert!(send("bob@example.com").is_ok());
        assert_eq!(stage.writes(), 1);
        let other = send("bob@example.com.test").unwrap_err();
        assert_eq!(rule(&other), (REFUSED, "/facts/0/allow"));
        let eve = send("eve@example.com").unwrap_err();
        assert_eq!(rule(&eve), (REFUSED, "/facts/0/deny/0"));
        assert_eq!(stage.writes(), 0);
    }
    stage.allow(&["tell_everyone"]).unwrap();
    // The body of the first request is unreadable, the product's rules don't know the second, and the third is too
    // large to be read.
    let unreadable = over_http(Method::POST, "/v1/notes", "", b"no json".to_vec());
    let unreadable = stage.streamed(by, unreadable).unwrap_err();
    assert_eq!(rule(&unreadable), (REFUSED, "/facts/0"));
    let unknown = stage.raw(by, "GET", "/v1/other", None).unwrap_err();
    assert_eq!(rule(&unknown), (REFUSED, "/facts/0"));
    let large = over_http(Method::POST, "/v1/notes", json, stream(IN, 11 << 20));
    let large = stage.streamed(by, large).unwrap_err();
    assert_eq!(large.kind(), ErrorKind::RequestTooLarge);
    assert_eq!(stage.writes(), 0);
}

#[test]
fn a_list_of_raw_requests_does_not_apply_to_tools() {
    let stage = Stage::new();
    let by = &stage.environment;
    let one = json!({ "product": "demo", "methods": ["GET"], "paths": ["/v1/notes/*"] });
    stage.set(json!({ "requests": [one] }));
    assert!(stage.raw(by, "GET", "/v1/notes/1", None).is_ok());
    for (method, path) in [("GET", "/v1/notes"), ("DELETE", "/v1/notes/1")] {
        let refused = stage.raw(by, method, path, None).unwrap_err();
        assert_eq!(rule(&refused), (REFUSED, "/requests"));
    }
    let refused = stage.streamed(by, batch(IN)).unwrap_err();
    assert_eq!(rule(&refused), (REFUSED, "/requests"));
    assert_eq!(stage.writes(), 0);
    assert!(stage.send_note(by, &[IN]).is_ok());
    stage.set(json!({ "requests": [] }));
    assert!(stage.raw(by, "GET", "/v1/notes/1", None).is_err());
}

#[test]
fn credentials_sessions_and_the_environment_all_have_to_allow() {
    let stage = Stage::new();
    stage.set_named("readers", false, json!({ "read_only": true }));
    stage.set_named("known", false, json!({ "tools": { "deny": [READ] } }));
    let world = &stage.world;
    let mut new = NewAppCredential::new("agent");
    new.policy = Some(String::from("readers"));
    let issued = world.ok(stage.environment.send(new));
    assert_eq!(issued.credential.policy.as_deref(), Some("readers"));
    let id = issued.credential.client_id.clone();
    let secret = issued.client_secret.expose_secret();
    let token = stage.environment.issue_access_token(&id, secret, None);
    let token = world.ok(token).access_token;
    let holder = || {
        let caller = world.run(stage.environment.authenticate(token.expose_secret()));
        stage.environment.acting_as(caller.unwrap())
    };
    let app = holder();
    let refused = stage.send_note(&app, &[IN]).unwrap_err();
    assert_eq!(rule(&refused).1, "/read_only");
    assert!(stage.tool(&app, READ, json!({ "note_id": "1" })).is_ok());
    // The library itself has no credential.
    assert!(stage.send_note(&stage.environment, &[IN]).is_ok());
    assert_eq!(stage.writes(), 1);

    // A session has its own policy and that of its creator.
    let new = NewMcpSession::new("ada").policy("known");
    let session = world.ok(app.send(new));
    assert_eq!(session.session.policy.as_deref(), Some("known"));
    let caller = world.run(app.authenticate(session.token.expose_secret()));
    let agent = stage.environment.acting_as(caller.unwrap());
    let refused = stage.send_note(&agent, &[IN]).unwrap_err();
    assert_eq!(rule(&refused).1, "/read_only");
    let refused = stage.tool(&agent, READ, json!({ "note_id": "1" }));
    assert_eq!(rule(&refused.unwrap_err()).1, "/tools/deny/0");
    assert_eq!(stage.writes(), 0);

    let offer = world.ok(agent.mcp_offer());
    let shown: Vec<&str> = offer.tools.iter().map(|tool| tool.entry().name()).collect();
    assert_eq!(shown, [SEND]);

    // Credentials that are created by a caller with a policy get the same policy.
    let without = world.ok(app.send(NewAppCredential::new("b").scopes(["events:read"])));
    assert_eq!(without.credential.policy.as_deref(), Some("readers"));
    let mut other = NewAppCredential::new("c").scopes(["events:read"]);
    other.policy = Some(String::from("known"));
    let other = world.err(app.send(other));
    assert_eq!(other.kind(), ErrorKind::InsufficientScope);

    // Policies in use can't be deleted.
    for name in ["readers", "known"] {
        let used = world.err(stage.environment.send(DeletePolicy::new(name)));
        assert_eq!(used.kind(), ErrorKind::InvalidTransition, "{name}");
    }
    let none = AppCredentialChange::default().policy("");
    world.ok(stage.environment.send(ChangeAppCredential::new(&id, none)));
    assert!(stage.send_note(&holder(), &[IN]).is_ok());
    let mut unknown = NewMcpSession::new("ada");
    unknown.policy = Some(String::from("nope"));
    let unknown = world.err(stage.environment.send(unknown));
    assert_eq!(unknown.violation_list()[0].path, "/policy");
}

#[test]
fn a_policy_of_another_process_acts_within_a_second() {
    let stage = Stage::new();
    let other = stage.other();
    assert!(stage.send_note(&other, &[IN]).is_ok());
    stage.set(json!({ "read_only": true }));
    stage.world.advance(Duration::from_secs(1));
    let refused = stage.send_note(&other, &[IN]).unwrap_err();
    assert_eq!(rule(&refused).1, "/read_only");
    stage.send(DeletePolicy::new("all"));
    stage.world.advance(Duration::from_secs(1));
    assert!(stage.send_note(&other, &[IN]).is_ok());
}

#[test]
fn a_policy_that_this_version_does_not_know_allows_nothing() {
    let stage = Stage::new();
    let row = crate::domain::Policy {
        name: String::from("newer"),
        environment: true,
        document: json!({ "name": "newer", "phases_of_the_moon": ["full"] }),
        updated_at: stage.environment.0.host.now(),
        extra: Default::default(),
    };
    let batch = crate::store::Batch::new().insert(row);
    let committed = stage.environment.0.store.commit(batch);
    let _ = stage.world.ok(committed);
    let refused = stage.tool(&stage.environment, READ, json!({ "note_id": "1" }));
    assert_eq!(refused.unwrap_err().kind(), REFUSED);
    assert_eq!(stage.sent.load(Ordering::SeqCst), 0);
}

#[test]
fn a_policy_with_unknown_names_is_refused_with_the_places() {
    let stage = Stage::new();
    let policy: Policy = serde_json::from_value(json!({
        "name": "a b",
        "tools": { "allow": ["demo_sned_note"], "deny": [""] },
        "facts": [{ "product": "demo", "kind": "reciever", "allow": ["x"] }, { "product": "demos", "kind": "recipient" }],
        "requests": [{ "product": "x", "methods": ["get"], "paths": ["v1/**/a"] }, { "paths": [] }],
        "requires_approval": {}, "approval_expires_in": 5,
    }))
    .unwrap();
    let set = stage.environment.send(SetPolicy::from(policy));
    let error = stage.world.err(set);
    let places = error.violation_list().iter().map(|one| one.path.as_str());
    let mut places: Vec<&str> = places.collect();
    places.dedup();
    let expected = "/name /tools/allow/0 /tools/deny/0 /facts/0/kind /facts/1/product /facts/1 \
                    /requests/0/product /requests/0/methods/0 /requests/0/paths/0 /requests/1/paths \
                    /requires_approval /approval_expires_in";
    assert_eq!(places.join(" "), expected);
}

#[test]
fn a_test_explains_a_decision_and_sends_nothing() {
    let stage = Stage::new();
    let recipients = json!({ "product": "demo", "kind": "recipient", "allow": ["*@example.com"] });
    stage.set_named("notes", false, json!({ "facts": [recipients] }));
    let decide = |test: Value| {
        let test: PolicyTest = serde_json::from_value(test).unwrap();
        stage.world.run(stage.environment.send(test))
    };
    let raw = |to: &str| json!({ "policies": ["notes"], "product": "demo", "method": "POST", "path": "/v1/notes", "body": { "to": [to] } });
    let refused = decide(raw(OUT)).unwrap();
    assert_eq!(refused.outcome, PolicyOutcome::Refused);
    assert_eq!(refused.rule.as_deref(), Some("/facts/0/allow"));
    assert_eq!(refused.requests[0].facts[0].value.as_deref(), Some(OUT));
    assert_eq!(decide(raw(IN)).unwrap().outcome, PolicyOutcome::Allowed);
    let tool = decide(json!({ "policies": ["notes"], "tool": SEND, "input": { "to": [OUT] } }));
    let tool = tool.unwrap();
    // Only the tool's first read is known. Its next request depends on the response.
    assert_eq!(tool.outcome, PolicyOutcome::Allowed);
    assert_eq!(tool.requests.len(), 1);
    let error = decide(json!({})).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    let unknown = decide(json!({ "policies": ["x"], "tool": SEND, "input": { "to": [] } }));
    assert_eq!(unknown.unwrap_err().violation_list()[0].path, "/policies/0");
    assert_eq!(stage.sent.load(Ordering::SeqCst), 0);
}

#[test]
fn a_test_of_a_caller_explains_its_policies_scopes_and_session() {
    let stage = Stage::new();
    stage.set_named("quiet", false, json!({ "tools": { "deny": [SEND] } }));
    stage.set_named("few", false, json!({ "requests": [] }));
    let by = |by: &Environment, caller: &str, changes: Value| {
        let mut test = json!({ "tool": READ, "input": { "note_id": "1" }, "caller": caller });
        let members = test.as_object_mut().unwrap();
        members.extend(changes.as_object().unwrap().clone());
        members.retain(|_, value| !value.is_null());
        let test: PolicyTest = serde_json::from_value(test).unwrap();
        stage.world.run(by.send(test))
    };
    let outcome = |caller: &str, changes: Value| {
        let decision = by(&stage.environment, caller, changes).unwrap();
        (decision.outcome, decision.rule)
    };
    let send = || json!({ "tool": SEND, "input": { "to": [IN] } });
    let raw = || json!({ "tool": null, "input": null, "product": "demo", "method": "GET", "path": "/v1/notes/1" });
    let mut new =
        NewAppCredential::new("agent").scopes(["tools:execute", "proxy:read", "policies:read"]);
    new.policy = Some(String::from("quiet"));
    let credential = stage.send(new).credential.client_id;
    let allowed = (PolicyOutcome::Allowed, None);
    assert_eq!(outcome(&credential, json!({})), allowed);
    let denied = Some(String::from("/tools/deny/0"));
    let denied = (PolicyOutcome::Refused, denied);
    assert_eq!(outcome(&credential, send()), denied);
    assert_eq!(outcome(&credential, raw()).0, PolicyOutcome::Allowed);
    // The credential's scopes don't allow writes. No rule refuses the call, so the outcome names no rule.
    let mut write = raw();
    write["method"] = json!("POST");
    assert_eq!(outcome(&credential, write), (PolicyOutcome::Refused, None));

    let scopes = crate::scope::Scopes::parse(["tools:execute"]).unwrap();
    let agent = Caller::limited_application(credential.clone(), scopes, None);
    let agent = stage.environment.acting_as(agent);
    let mut new = NewMcpSession::new("ada");
    new.policy = Some(String::from("few"));
    new.tools = Some(vec![READ.to_owned()]);
    let session = stage.world.ok(agent.send(new));
    let session = session.session.session_id.to_string();
    assert_eq!(outcome(&session, json!({})), allowed);
    assert_eq!(outcome(&session, send()), (PolicyOutcome::Refused, None));
    assert_eq!(outcome(&session, raw()).0, PolicyOutcome::Refused);

    for (caller, changes) in [
        ("nobody", json!({})),
        ("mcp_00000000000000000000000000000000", json!({})),
        (credential.as_str(), json!({ "policies": ["few"] })),
    ] {
        let error = by(&stage.environment, caller, changes).unwrap_err();
        assert_eq!(error.violation_list()[0].path, "/caller", "{error}");
    }
    let gone = stage
        .environment
        .send(DeleteAppCredential::new(&credential));
    stage.world.ok(gone);
    assert!(by(&stage.environment, &session, json!({})).is_err());
}
