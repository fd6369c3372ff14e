//! A person approves one call with its exact arguments. It runs once, and before the approval expires.

use super::*;
use crate::{
    api::Paging,
    digest::Digest,
    resource::{
        Approval, ApprovalDecision, ApprovalFilter, ApproveCall, DenyCall, ListApprovals,
        NewAppCredential, NewMcpSession, ReadApproval,
    },
    store::{Batch, Commit},
};

fn asking() -> Stage {
    let stage = Stage::new();
    stage.set(json!({ "requires_approval": { "effects": ["write", "delete"] }, "approval_expires_in": 600 }));
    stage
}

/// The ID of the approval that a call requests.
fn asked(result: Result<String, Error>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ApprovalRequired, "{error}");
    assert!(error.context().contains_key("expires_at"));
    error.context()["approval_id"].as_str().unwrap().to_owned()
}

fn approve(stage: &Stage, id: &str) -> Result<Approval> {
    let person = ApprovalDecision::because("asked the customer");
    let approved = stage.environment.send(ApproveCall::new(id, person));
    stage.world.run(approved)
}

fn state(stage: &Stage, id: &str) -> ApprovalState {
    stage.send(ReadApproval::new(id)).state
}

/// An application with a credential.
fn agents(stage: &Stage, name: &str) -> Environment {
    let made = stage.send(NewAppCredential::new(name));
    stage.app(&made.credential.client_id)
}

/// A session that this application made.
fn session(stage: &Stage, app: &Environment) -> Environment {
    let session = stage.world.ok(app.send(NewMcpSession::new("ada")));
    let bearer = session.token.expose_secret();
    let caller = stage.world.ok(app.authenticate(bearer));
    stage.environment.acting_as(caller)
}

#[test]
fn an_approval_runs_exactly_its_call_and_once() {
    let stage = asking();
    let app = stage.app("app");
    let id = asked(stage.send_note(&app, &[IN]));
    let again = asked(stage.send_note(&app, &[IN]));
    assert_eq!(id, again, "there is one that waits");
    let shown = stage.send(ReadApproval::new(&id));
    assert_eq!(shown.arguments, Some(json!({ "to": [IN] })));
    assert_eq!(shown.tool.as_deref(), Some(SEND));
    assert_eq!(shown.asked_by.id.as_deref(), Some("app"));
    let pending = ApprovalFilter::in_state(ApprovalState::Pending);
    let list = ListApprovals::new().filter(pending);
    let listed = stage.send(list.page(Paging::new(None, 10)));
    assert_eq!(listed.items.len(), 1);
    assert_eq!(listed.items[0].arguments, None);
    assert_eq!(stage.writes(), 0);

    approve(&stage, &id).unwrap();
    // Other arguments or another caller need their own approval.
    assert_ne!(id, asked(stage.send_note(&app, &[OUT])));
    assert_ne!(id, asked(stage.send_note(&stage.app("other"), &[IN])));
    assert_eq!(stage.writes(), 0);
    assert_eq!(state(&stage, &id), ApprovalState::Approved);
    assert!(stage.send_note(&app, &[IN]).is_ok());
    assert_eq!(stage.writes(), 1);
    assert_eq!(state(&stage, &id), ApprovalState::Used);
    assert_ne!(id, asked(stage.send_note(&app, &[IN])));
    assert_eq!(stage.writes(), 0);
}

/// Stored rows have such digests. If one changes, an approved call needs another approval.
#[test]
fn the_digest_of_a_held_call_is_the_same_in_every_version() {
    let stage = asking();
    let id = asked(stage.send_note(&stage.app("app"), &[IN]));
    let store = &stage.environment.0.store;
    let found = stage.world.ok(store.approval(id.parse().unwrap()));
    let row = found.unwrap().row;
    let (connection, account) = (row.connection_id, row.account_id);
    let of_caller = format!("application\0app\0{connection}\x000\0{account}\x000");
    let of_call = format!("tool\0{SEND}\x002026-11-21\0{{\"to\":[\"{IN}\"]}}");
    let call = Digest::of(&format!("{of_caller}\0{of_call}"));
    let shown = stage.send(ReadApproval::new(&id));
    let request = json!(shown.request.unwrap()).to_string();
    // The ID differs in each run.
    let (before, after) = request.split_once("\\\"id\\\":\\\"").unwrap();
    let request = format!("{before}\\\"id\\\":\\\"*{}", &after[36..]);
    let expected = Digest::of(&format!("{}\0{request}", call.as_str()));
    assert_eq!(row.call, expected);
}

#[test]
fn an_approval_is_for_the_request_that_a_person_saw() {
    let stage = asking();
    let app = stage.app("app");
    let id = asked(stage.send_note(&app, &[IN]));
    let request = stage.send(ReadApproval::new(&id)).request.unwrap();
    assert_eq!(request.method, "POST");
    assert!(request.body.unwrap().contains(IN), "the recipient is shown");
    approve(&stage, &id).unwrap();
    // The draft that the tool reads first has changed, so the tool would send another request.
    stage.draft.store(2, Ordering::SeqCst);
    let other = asked(stage.send_note(&app, &[IN]));
    assert_ne!(id, other);
    assert_eq!(stage.writes(), 0);
    stage.draft.store(0, Ordering::SeqCst);
    assert!(stage.send_note(&app, &[IN]).is_ok());
    assert_eq!(state(&stage, &id), ApprovalState::Used);
    assert_eq!(state(&stage, &other), ApprovalState::Pending);
}

/// Older versions approve a call by its arguments, without the request.
#[test]
fn an_approval_from_before_an_update_is_found() {
    let stage = asking();
    let app = stage.app("app");
    let id = asked(stage.send_note(&app, &[IN]));
    stage.world.run(async {
        let store = &stage.environment.0.store;
        let found = store.approval(id.parse().unwrap()).await.unwrap().unwrap();
        let (connection, account) = (found.row.connection_id, found.row.account_id);
        let call = format!(
            "application\0app\0{connection}\x000\0{account}\x000\0tool\0{SEND}\x002026-11-21\0{{\"to\":[\"{IN}\"]}}"
        );
        let mut old = found.row.clone();
        (old.call, old.request_to_send) = (Digest::of(&call), None);
        let batch = Batch::new().update(old, found.version);
        assert_eq!(store.commit(batch).await.unwrap(), Commit::Committed);
    });
    approve(&stage, &id).unwrap();
    assert!(stage.send_note(&app, &[IN]).is_ok());
    assert_eq!(stage.writes(), 1);
    assert_eq!(state(&stage, &id), ApprovalState::Used);
}

#[test]
fn concurrent_calls_use_an_approval_once() {
    let stage = asking();
    let app = stage.app("app");
    let id = asked(stage.send_note(&app, &[IN]));
    approve(&stage, &id).unwrap();
    let other = stage.other().acting_as(Caller::application("app"));
    let call = |by: &Environment| {
        let by = by.clone();
        async move {
            let request = ExecuteRequest::new("demo", "ada", json!({ "to": [IN] }));
            by.execute(SEND, request).await.is_ok()
        }
    };
    let all = [&app, &app, &other, &other].map(call);
    let ended = stage.world.run(futures_util::future::join_all(all));
    assert_eq!(ended.iter().filter(|ok| **ok).count(), 1);
    assert_eq!(stage.writes(), 1);
}

#[test]
fn an_approval_expires_before_and_after_its_decision() {
    let stage = asking();
    let app = stage.app("app");
    let [waits, good] = [IN, OUT].map(|to| asked(stage.send_note(&app, &[to])));
    approve(&stage, &good).unwrap();
    stage.world.advance(Duration::from_secs(601));
    assert_ne!(good, asked(stage.send_note(&app, &[OUT])));
    let late = approve(&stage, &waits).unwrap_err();
    assert_eq!(late.kind(), ErrorKind::InvalidTransition);
    stage.world.ok(stage.environment.maintain());
    for id in [waits, good] {
        assert_eq!(state(&stage, &id), ApprovalState::Expired);
    }
    assert_eq!(stage.writes(), 0);
}

#[test]
fn a_caller_cannot_approve_its_own_call() {
    let stage = asking();
    let app = stage.app("app");
    let id = asked(stage.send_note(&app, &[IN]));
    let decision = ApprovalDecision::default;
    let own = stage.world.err(app.send(ApproveCall::new(&id, decision())));
    assert_eq!(own.kind(), ErrorKind::Forbidden);
    let other = stage.app("other");
    let approve = || ApproveCall::new(&id, decision());
    stage.world.ok(other.send(approve()));
    // An approved call that hasn't run yet can be denied.
    let denied = stage.world.ok(other.send(DenyCall::new(&id, decision())));
    assert_eq!(denied.state, ApprovalState::Denied);
    assert_eq!(denied.decided_by.unwrap().id.as_deref(), Some("other"));
    assert_ne!(id, asked(stage.send_note(&app, &[IN])));

    // An application can't decide on calls of its own sessions either, and a session can't decide on any call.
    let stage = asking();
    let app = agents(&stage, "agents");
    let agent = session(&stage, &app);
    let id = asked(stage.send_note(&agent, &[IN]));
    let approve = || ApproveCall::new(&id, decision());
    let own = stage.world.err(app.send(approve()));
    assert_eq!(own.kind(), ErrorKind::Forbidden);
    let own = stage.world.err(agent.send(approve()));
    assert_eq!(own.kind(), ErrorKind::InsufficientScope);
    let id_of_member = crate::identifier::MemberId::from_uuid(uuid::Uuid::nil());
    let member = Caller::member(id_of_member, crate::state::Role::Operator);
    let member = stage.environment.acting_as(member);
    stage.world.ok(member.send(approve()));
    assert!(stage.send_note(&agent, &[IN]).is_ok());
    assert_eq!(stage.writes(), 1);
}

#[test]
fn raw_requests_need_approval_and_a_stream_must_match_it() {
    let stage = asking();
    let app = stage.app("app");
    let json = "application/json";
    let streamed = |to: &str| {
        let request = over_http(Method::POST, "/v1/notes?a=1", json, stream(to, 100_000));
        stage.streamed(&app, request).map(|()| String::new())
    };
    let batched = |to: &str| stage.streamed(&app, batch(to)).map(|()| String::new());
    let id = asked(streamed(IN));
    let shown = stage.send(ReadApproval::new(&id));
    assert_eq!(shown.method.as_deref(), Some("POST"));
    assert_eq!(shown.path.as_deref(), Some("/v1/notes"));
    let request = &shown.arguments.unwrap()["requests"][0];
    assert_eq!(request["path"], "/v1/notes?a=1");
    approve(&stage, &id).unwrap();
    assert_ne!(id, asked(streamed(OUT)));
    assert!(streamed(IN).is_ok());
    let id = asked(batched(IN));
    approve(&stage, &id).unwrap();
    assert_ne!(id, asked(batched(OUT)));
    assert!(batched(IN).is_ok());
    assert_eq!(stage.writes(), 2);
}

#[test]
fn a_tool_that_needs_approval_changes_nothing_before_it() {
    let stage = Stage::new();
    stage.set(json!({ "requires_approval": { "tools": ["demo_*"] } }));
    let by = &stage.environment;
    let read = |note: &str| stage.tool(by, READ, json!({ "note_id": note }));
    let one = asked(read("1"));
    assert_eq!(stage.sent.load(Ordering::SeqCst), 0);
    let two = asked(stage.send_note(by, &[IN]));
    assert_eq!(stage.writes(), 0);
    approve(&stage, &one).unwrap();
    approve(&stage, &two).unwrap();
    assert!(read("1").is_ok() && read("1").is_err());
    assert!(stage.send_note(by, &[IN]).is_ok());
    assert_eq!(stage.writes(), 1);
    assert_eq!(state(&stage, &two), ApprovalState::Used);
}

#[test]
fn unknown_recipients_need_approval() {
    let stage = Stage::new();
    let recipients = json!({ "product": "demo", "kind": "recipient", "allow": ["*@example.com"] });
    stage.set(json!({ "requires_approval": { "facts": [recipients] } }));
    let by = &stage.environment;
    assert!(stage.send_note(by, &[IN]).is_ok());
    assert_eq!(stage.writes(), 1);
    let error = stage.send_note(by, &[IN, OUT]).unwrap_err();
    assert_eq!(rule(&error).1, "/requires_approval/facts/0/allow");
    approve(&stage, &asked(Err(error))).unwrap();
    assert!(stage.send_note(by, &[IN, OUT]).is_ok());
    assert_eq!(stage.writes(), 1);
}

#[test]
fn a_dry_run_says_that_an_approval_is_needed_and_asks_for_none() {
    let stage = asking();
    let by = &stage.environment;
    let mut request = ExecuteRequest::new("demo", "ada", json!({ "to": [IN] }));
    request.dry_run = true;
    let planned = stage.world.ok(by.execute(SEND, request));
    assert_eq!(planned.json::<Value>().unwrap()["requires_approval"], true);
    assert_eq!(planned.warnings[0].code, "requires_approval");
    let mut request = ProxyRequest::new("demo", "ada", "DELETE", "/v1/notes/1");
    request.dry_run = true;
    stage.world.ok(by.proxy(request));
    // A read that needs approval isn't sent either.
    stage.set(json!({ "requires_approval": { "tools": ["demo_read_*"] } }));
    let sent = stage.sent.load(Ordering::SeqCst);
    let mut request = ExecuteRequest::new("demo", "ada", json!({ "note_id": "1" }));
    request.dry_run = true;
    let planned = stage.world.ok(by.execute(READ, request));
    let planned = planned.json::<Value>().unwrap();
    assert_eq!(planned["requests"][0]["sent"], false);
    assert_eq!(stage.sent.load(Ordering::SeqCst), sent);
    let all = stage.send(ListApprovals::new().page(Paging::new(None, 10)));
    assert!(all.items.is_empty());
    assert_eq!(stage.writes(), 0);
}

#[test]
fn a_call_with_an_idempotency_key_is_made_after_its_approval() {
    let stage = asking();
    let app = stage.app("app");
    let call = || {
        let mut request = ExecuteRequest::new("demo", "ada", json!({ "to": [IN] }));
        request.idempotency_key = Some(String::from("key"));
        let called = stage.world.run(app.execute(SEND, request));
        called.map(|_| String::from("ok"))
    };
    approve(&stage, &asked(call())).unwrap();
    assert!(call().is_ok() && call().is_ok());
    assert_eq!(stage.writes(), 1, "the second was made before");
}

#[test]
fn waiting_approvals_are_limited_per_credential_and_account() {
    let stage = asking();
    // Requests this many different calls, and returns how many of them wait for approval.
    let asks = |by: &Environment, count: usize| {
        let to = |number: usize| format!("{number}@example.com");
        let results = (0..count).map(|number| stage.send_note(by, &[&to(number)]).unwrap_err());
        let kinds: Vec<ErrorKind> = results.map(|error| error.kind()).collect();
        let mut ended = kinds.into_iter().peekable();
        let waits = |kind: &ErrorKind| *kind == ErrorKind::ApprovalRequired;
        let waiting = std::iter::from_fn(|| ended.next_if(waits)).count();
        assert!(ended.all(|kind| kind == ErrorKind::Overloaded));
        waiting
    };
    let first = agents(&stage, "first");
    for _ in 0..6 {
        assert_eq!(asks(&session(&stage, &first), 22), 20);
    }
    // A credential can use at most a quarter of the places for pending approvals.
    assert_eq!(asks(&session(&stage, &first), 22), 5);
    assert_eq!(asks(&first, 1), 0);
    let second = agents(&stage, "second");
    assert_eq!(asks(&second, 22), 20, "for one account");
    assert_eq!(asks(&session(&stage, &second), 1), 1);
    // Expired approvals make room for new ones.
    stage.world.advance(Duration::from_secs(601));
    assert_eq!(asks(&session(&stage, &first), 1), 1);
}
