//! An MCP session can only call its tools, for its own user. Everything else is refused.

use std::{sync::Arc, time::Duration};

use http::Request;
use schemars::JsonSchema;
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{super::Verification, *};
use crate::{
    ErrorKind,
    api::Paging,
    caller::{self, Caller},
    identifier::AuthorizationId,
    ports::Body,
    product::{Product, Rotation},
    resource::{
        DeleteAppCredential, DeleteMcpSession, DisconnectAccount, Disconnection, ExecuteRequest,
        IssuedMcpSession, ListMcpSessions, McpSessionFilter, NewAccountToken, NewAppCredential,
        NewMcpSession, ProxyRequest, ReadMcpSession,
    },
    state::{AccountState, TokenAccess},
    testing::{
        ReadNote, World, always, context, demo, executions, insert_account, insert_account_of,
    },
    tool::{ApiRequest, Call, Effect, Io, Output, Tool, ToolEntry},
};

/// Write one note.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WriteNote {
    /// Note to write.
    note_id: String,
}

impl Tool for WriteNote {
    const NAME: &'static str = "demo_write_note";
    const EFFECT: Effect = Effect::Write;
    type Output = Value;

    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let request = ApiRequest::post(["notes", &self.note_id]);
        Ok(io.send(request).await?.into())
    }
}

static DEMO: Product = Product {
    tools: const { &[ToolEntry::of::<ReadNote>(), ToolEntry::of::<WriteNote>()] },
    core_tools: &[READ],
    ..demo(Rotation::Stable)
};

/// An environment with the accounts `ada` of the connections `demo` and `other`.
struct Stage {
    world: World,
    environment: Environment,
}

impl Stage {
    fn new() -> Self {
        let world = World::new();
        let context = world.configured(&world.store(), &DEMO, always(200, "{}"), |options| {
            options.verification = Verification::LinkPossession;
            options.tool_sets = [(String::from("own"), vec![WRITE.to_owned()])].into();
        });
        let environment = Environment(context.unwrap());
        world.run(async {
            insert_account(&environment.0, AccountState::Active).await;
            insert_account_of(&environment.0, "other", "demo", AccountState::Active).await;
        });
        Self { world, environment }
    }

    fn session(&self, new: NewMcpSession) -> IssuedMcpSession {
        let made = self.environment.send(new);
        self.world.ok(made)
    }

    /// The environment as the holder of a session's token sees it.
    fn of(&self, session: &IssuedMcpSession) -> Result<Environment> {
        let bearer = session.token.expose_secret();
        let caller = self.world.run(self.environment.authenticate(bearer))?;
        Ok(self.environment.acting_as(caller))
    }

    /// The outcome of a call: `ok`, or the error's kind.
    fn called(&self, holder: &Environment, tool: &str, of: (&str, &str)) -> String {
        let input = json!({ "note_id": "1" });
        let request = ExecuteRequest::new(of.0, of.1, input);
        match self.world.run(holder.execute(tool, request)) {
            Ok(_) => String::from("ok"),
            Err(error) => error.kind().to_string(),
        }
    }
}

const READ: &str = "demo_read_note";
const WRITE: &str = "demo_write_note";
const ADA: (&str, &str) = ("demo", "ada");

#[test]
fn a_list_shows_the_set_of_its_session() {
    let stage = Stage::new();
    let shown = |environment: &Environment| -> (Vec<&str>, usize) {
        let offer = stage.world.ok(environment.mcp_offer());
        let names = offer.listed().map(|tool| tool.entry().name()).collect();
        (names, offer.finders().unwrap().len())
    };
    let new = || NewMcpSession::new("ada");
    for (new, set, listed, finders) in [
        (new(), "core", &[READ][..], 3),
        (new().tool_set("read"), "read", &[READ], 3),
        (new().tool_set("own"), "own", &[WRITE], 3),
        (new().tool_set("search"), "search", &[], 3),
        (new().tool_set("all"), "all", &[READ, WRITE], 0),
        (new().tools([WRITE]), "all", &[WRITE], 0),
        (new().tools([WRITE]).tool_set("core"), "core", &[], 3),
        (new().read_only(true), "core", &[READ], 0),
    ] {
        let session = stage.session(new);
        assert_eq!(session.session.tool_set, set);
        let holder = stage.of(&session).unwrap();
        assert_eq!(shown(&holder), (listed.to_vec(), finders), "{set}");
    }
    // The operator removes the set while the session is active.
    let session = stage.session(new().tool_set("own"));
    let holder = stage.of(&session).unwrap();
    let Caller::McpSession(session) = holder.caller() else {
        panic!("not a session");
    };
    let session = caller::McpSession {
        tool_set: String::from("gone"),
        ..(**session).clone()
    };
    let holder = holder.acting_as(Caller::McpSession(Arc::new(session)));
    assert_eq!(shown(&holder), (vec![READ], 3));
    let sent = stage.environment.send(new().tool_set("gone"));
    let refused = stage.world.err(sent);
    assert_eq!(refused.violation_list()[0].path, "/tool_set");
}

#[test]
fn a_session_calls_its_tools_for_its_user_through_its_connections() {
    let stage = Stage::new();
    let all = stage.session(NewMcpSession::new("ada"));
    let reads = stage.session(NewMcpSession::new("ada").read_only(true));
    let writes = stage.session(NewMcpSession::new("ada").tools([WRITE]));
    let other = stage.session(NewMcpSession::new("ada").connections(["other"]));
    let refused = "insufficient_scope";
    for (session, tool, of, expected) in [
        (&all, READ, ADA, "ok"),
        (&all, WRITE, ("other", "ada"), "ok"),
        (&all, READ, ("demo", "grace"), refused),
        (&reads, READ, ADA, "ok"),
        (&reads, WRITE, ADA, refused),
        (&writes, WRITE, ADA, "ok"),
        (&writes, READ, ADA, refused),
        (&other, READ, ("other", "ada"), "ok"),
        (&other, READ, ADA, "unknown_connection"),
    ] {
        let holder = stage.of(session).unwrap();
        assert_eq!(stage.called(&holder, tool, of), expected, "{tool} {of:?}");
    }
    let holder = stage.of(&all).unwrap();
    let raw = ProxyRequest::new("demo", "ada", "GET", "/v1/notes");
    let streamed = Request::new(Body::Empty);
    let token = NewAccountToken::new("demo", "ada", TokenAccess::Read);
    let world = &stage.world;
    for error in [
        world.err(holder.proxy(raw)),
        world.err(holder.proxy_streaming("demo", "ada", streamed)),
        world.err(holder.proxy_host(Request::new(Body::Empty))),
        world.err(holder.send(NewMcpSession::new("ada"))),
        world.err(holder.send(token)),
    ] {
        assert_eq!(error.kind(), ErrorKind::InsufficientScope);
    }
}

#[test]
fn a_session_is_offered_only_tools_it_can_call() {
    let stage = Stage::new();
    let offered = |new: NewMcpSession| {
        let holder = stage.of(&stage.session(new)).unwrap();
        let offer = stage.world.ok(holder.mcp_offer());
        let tools = offer.tools.iter();
        let tools = tools.map(|tool| tool.entry().name().to_owned());
        let connections = offer.connections.iter();
        let connections = connections.map(|connection| connection.name.to_string());
        (tools.collect::<Vec<_>>(), connections.collect::<Vec<_>>())
    };
    let (tools, connections) = offered(NewMcpSession::new("ada"));
    assert_eq!((tools.len(), connections.len()), (2, 2));
    let new = NewMcpSession::new("ada").read_only(true);
    let expected = (vec![READ.to_owned()], vec!["other".to_owned()]);
    assert_eq!(offered(new.connections(["other"])), expected);
    let operator = stage.world.err(stage.environment.mcp_offer());
    assert_eq!(operator.kind(), ErrorKind::InsufficientScope);
}

#[test]
fn a_session_ends_with_its_time_its_deletion_and_its_maker() {
    let stage = Stage::new();
    let (world, environment) = (&stage.world, &stage.environment);
    let application = world.ok(environment.send(NewAppCredential::new("agent")));
    let application = application.credential.client_id;
    let maker = environment.acting_as(Caller::application(application.as_str()));
    let made = |new| world.ok(maker.send(new));
    let short = made(NewMcpSession::new("ada").expires_in(60));
    let deleted = made(NewMcpSession::new("ada"));
    let revoked = made(NewMcpSession::new("grace"));
    let id = deleted.session.session_id.to_string();
    let actor = serde_json::to_value(stage.of(&deleted).unwrap().caller().actor()).unwrap();
    let expected = json!({ "type": "mcp_session", "id": id, "client_id": application });
    assert_eq!(actor, expected);
    stage.called(&stage.of(&deleted).unwrap(), READ, ADA);
    world.advance(Duration::from_secs(1));
    let recorded = world.run(executions(&environment.0));
    let expected = format!("{application}/{id}");
    assert_eq!(recorded[0].actor.as_deref(), Some(expected.as_str()));

    let listed = |of: Option<&str>| {
        let list = ListMcpSessions::new().filter(McpSessionFilter::of(of));
        let list = list.page(Paging::new(None, 50));
        world.ok(environment.send(list)).items.len()
    };
    assert_eq!([None, Some("ada"), Some("x")].map(listed), [3, 2, 0]);
    let read = world.ok(environment.send(ReadMcpSession::new(&id)));
    assert_eq!(read, deleted.session);
    world.ok(environment.send(DeleteMcpSession::new(&id)));
    let gone = world.err(environment.send(ReadMcpSession::new(&id)));
    assert_eq!(gone.kind(), ErrorKind::NotFound);
    world.ok(environment.send(DeleteAppCredential::new(&application)));
    world.advance(Duration::from_secs(61));
    for ended in [&short, &deleted, &revoked] {
        let refused = stage.of(ended).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unauthenticated);
    }
    assert_eq!(listed(None), 1);
}

#[test]
fn an_invalid_session_is_refused_with_the_place() {
    let stage = Stage::new();
    let new = || NewMcpSession::new("ada");
    for (new, place) in [
        (new().expires_in(59), "/expires_in"),
        (new().expires_in(86_401), "/expires_in"),
        (new().tools([READ, "demo_no_note"]), "/tools/1"),
        (new().tools([""; 0]), "/tools"),
        (new().connections([""; 0]), "/connections"),
        (new().verify_url("http://far.test"), "/verify_url"),
    ] {
        let error = stage.world.err(stage.environment.send(new));
        assert_eq!(error.violation_list()[0].path, place);
    }
    let unknown = stage.environment.send(new().connections(["none"]));
    let error = stage.world.err(unknown);
    assert_eq!(error.kind(), ErrorKind::UnknownConnection);
}

#[test]
fn an_erasure_ends_the_sessions_of_its_user() {
    let stage = Stage::new();
    let ada = stage.session(NewMcpSession::new("ada"));
    let grace = stage.session(NewMcpSession::new("grace"));
    let erased = DisconnectAccount::new("demo", "ada").how(Disconnection::new().erase(true));
    stage.world.ok(stage.environment.send(erased));
    let error = stage.of(&ada).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthenticated);
    stage.of(&grace).unwrap();
}

#[test]
fn a_request_state_works_for_its_session_and_expires() {
    let stage = Stage::new();
    let [one, two] = ["ada", "ada"].map(|user| {
        let session = stage.session(NewMcpSession::new(user));
        stage.of(&session).unwrap()
    });
    let id = AuthorizationId::from_uuid(stage.environment.0.host.new_id());
    let sealed = one.seal_request_state(id, String::from("call")).unwrap();
    let open = |holder: &Environment, sealed: &str| {
        let opened = holder.open_request_state(sealed);
        stage.world.run(opened).map_err(|error| error.kind())
    };
    let opened = open(&one, &sealed).unwrap();
    assert_eq!(
        (opened.authorization_id, opened.call.as_str()),
        (id, "call")
    );
    assert!(!sealed.contains("call"));
    let last = sealed.len() - 1;
    let other = if sealed.ends_with('A') { "B" } else { "A" };
    let changed = format!("{}{other}", &sealed[..last - 8]);
    for wrong in [changed.as_str(), "", "%", "AAAA"] {
        assert_eq!(open(&one, wrong), Err(ErrorKind::InvalidRequest), "{wrong}");
    }
    assert_eq!(open(&two, &sealed), Err(ErrorKind::InvalidRequest));
    stage.world.advance(Duration::from_secs(15 * 60));
    assert_eq!(open(&one, &sealed), Err(ErrorKind::InvalidRequest));
}

#[test]
fn a_session_needs_a_verify_url_if_the_application_confirms_users() {
    let world = World::new();
    let environment = Environment(context(&world, &DEMO, always(200, "")));
    let made = |new| world.run(environment.send(new));
    let error = made(NewMcpSession::new("ada")).unwrap_err();
    assert_eq!(error.violation_list()[0].path, "/verify_url");
    let back = "https://app.test/back";
    let session = made(NewMcpSession::new("ada").verify_url(back)).unwrap();
    assert_eq!(session.session.verify_url.as_deref(), Some(back));
}
