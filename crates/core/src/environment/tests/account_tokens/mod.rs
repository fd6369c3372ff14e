//! An account token only allows raw requests for its own accounts. Everything else is refused.

mod scopes;
mod several;

use std::sync::{Arc, Mutex};

use http::{Method, Request, header};
use jiff::SignedDuration;
use secrecy::ExposeSecret as _;
use serde_json::json;

use crate::{
    ErrorKind, Result,
    api::{Paging, Run},
    caller::Caller,
    catalogue::Catalogue,
    domain::{Account, AccountRef},
    environment::{Environment, EnvironmentOptions},
    identifier::AccountId,
    ports::Body,
    product::{Product, ProxyRoute, ProxyRules, Rotation},
    resource::{
        DeleteAccountToken, DisconnectAccount, ExecuteRequest, IssuedAccountToken,
        ListAccountTokens, NewAccountToken, ProxyRequest, SuspendAccount, TokensOfAccount,
    },
    state::{AccountState, TokenAccess},
    store::{Batch, Commit},
    testing::{
        Responses, World, account, demo, insert_account, insert_account_of, ports, response,
    },
};

static DEMO: Product = Product {
    proxy: ProxyRules {
        routes: &[
            ProxyRoute::new("/v1", "api"),
            ProxyRoute::new("/upload", "api").upload(),
            ProxyRoute::new("/batch", "api").batch(),
        ],
        reading_posts: &["/v1/search"],
        ..ProxyRules::BASE
    },
    ..demo(Rotation::Stable)
};

/// Another product, at another path.
static TABLES: Product = Product {
    name: "tables",
    proxy: ProxyRules {
        routes: &[ProxyRoute::new("/v4", "api")],
        ..ProxyRules::BASE
    },
    ..demo(Rotation::Stable)
};

const PROXY: &str = "https://proxy.stead.test";

/// An environment with the accounts `ada` of the connections `demo` and `other`, and the requests that the product has
/// received.
struct Stage {
    world: World,
    environment: Environment,
    received: Arc<Mutex<Vec<String>>>,
}

impl Stage {
    fn new() -> Self {
        let world = World::new();
        let received = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&received);
        let transport = Responses::by(move |request: Request<Body>| {
            let line = format!("{} {}", request.method(), request.uri());
            let token = &request.headers()[header::AUTHORIZATION];
            assert_eq!(token, "Bearer token-1");
            let mut response = response(200, "");
            if line.contains("/upload") {
                let session = "https://api.demo.test/upload/notes?upload_id=1";
                let session = session.parse().unwrap();
                response.headers_mut().insert(header::LOCATION, session);
            }
            seen.lock().unwrap().push(line);
            std::future::ready(Ok(response))
        });
        let store = world.store();
        let ports = ports(world.process(0), transport, store);
        let options = EnvironmentOptions::new("https://stead.test").unwrap();
        let options = options.proxy_url(PROXY).unwrap();
        let catalogue = Catalogue::new([&DEMO, &TABLES]);
        let environment = world.ok(Environment::open(options, catalogue, ports));
        world.run(async {
            insert_account(&environment.0, AccountState::Active).await;
            insert_account_of(&environment.0, "other", "demo", AccountState::Active).await;
        });
        Self {
            world,
            environment,
            received,
        }
    }

    fn send<O: Run<Environment>>(&self, operation: O) -> O::Output {
        self.world.ok(self.environment.send(operation))
    }

    fn token(&self, access: TokenAccess) -> IssuedAccountToken {
        self.send(NewAccountToken::new("demo", "ada", access))
    }

    /// The environment for the holder of a token.
    fn of(&self, token: &IssuedAccountToken) -> Result<Environment> {
        let bearer = token.token.expose_secret();
        let caller = self.world.run(self.environment.authenticate(bearer))?;
        Ok(self.environment.acting_as(caller))
    }

    /// The outcome of a request below `/proxy`: the status, or the error's kind.
    fn sent(&self, holder: &Environment, to: (&str, &str), request: Request<Body>) -> String {
        let (connection_name, identifier) = to;
        let sent = holder.proxy_streaming(connection_name, identifier, request);
        ended(&self.world.run(sent))
    }

    fn change_account(&self, change: impl Fn(Account) -> Account) {
        let context = &self.environment.0;
        self.world.run(async {
            let (_, account) = context.account_rows(&ada()).await.unwrap();
            let batch = Batch::new().update(change(account.row), account.version);
            let outcome = context.store.commit(batch).await.unwrap();
            assert_eq!(outcome, Commit::Committed);
        });
    }
}

fn ada() -> AccountRef {
    AccountRef::new("demo", "ada").unwrap()
}

fn ended(outcome: &Result<http::Response<Body>>) -> String {
    match outcome {
        Ok(response) => response.status().to_string(),
        Err(error) => error.kind().to_string(),
    }
}

fn request(method: Method, path: &str) -> Request<Body> {
    let request = Request::builder().method(method).uri(path);
    request.body(Body::Empty).unwrap()
}

fn batch(lines: &[&str]) -> Request<Body> {
    let part = |line: &&str| {
        format!("--b\r\nContent-Type: application/http\r\n\r\n{line} HTTP/1.1\r\n\r\n\r\n")
    };
    let parts: String = lines.iter().map(part).collect();
    let request = Request::post("/batch").header("content-type", "multipart/mixed; boundary=b");
    let body = format!("{parts}--b--\r\n").into_bytes();
    request.body(Body::from(body)).unwrap()
}

#[test]
fn an_account_token_is_limited_to_its_access_and_account() {
    let stage = Stage::new();
    let own = ("demo", "ada");
    let get = || request(Method::GET, "/v1/notes");
    let post = || request(Method::POST, "/v1/notes");
    let delete = || request(Method::DELETE, "/v1/notes/1");
    let search = || request(Method::POST, "/v1/search");
    let upload = || request(Method::POST, "/upload/notes");
    let reads = || batch(&["GET /v1/notes", "POST /v1/search"]);
    let writes = || batch(&["GET /v1/notes", "PATCH /v1/notes/1"]);
    let of_grace = || batch(&["GET /proxy/demo/grace/v1/notes"]);
    let no_route = || request(Method::GET, "/v2/notes");
    let other_host = || request(Method::GET, "//evil.test/v1");
    let trace = || request(Method::TRACE, "/v1/notes");
    let (ok, refused, invalid) = ("200 OK", "insufficient_scope", "path_invalid");
    let no_method = "method_not_allowed";
    // Name, account in the path, request, and the outcome with each access.
    type Case<'c> = (
        &'c str,
        (&'c str, &'c str),
        &'c dyn Fn() -> Request<Body>,
        [&'c str; 2],
    );
    let cases: [Case<'_>; 14] = [
        ("reads", own, &get, [ok, ok]),
        ("writes", own, &post, [refused, ok]),
        ("deletes", own, &delete, [refused, ok]),
        ("searches with a POST", own, &search, [ok, ok]),
        ("uploads", own, &upload, [refused, ok]),
        ("reads in a batch", own, &reads, [ok, ok]),
        ("writes in a batch", own, &writes, [refused, ok]),
        ("another user in a batch", own, &of_grace, [invalid; 2]),
        ("another user", ("demo", "grace"), &get, [refused; 2]),
        ("another connection", ("other", "ada"), &get, [refused; 2]),
        ("no connection", ("missing", "ada"), &get, [refused; 2]),
        ("a path of no route", own, &no_route, [invalid; 2]),
        ("another product's host", own, &other_host, [invalid; 2]),
        ("another method", own, &trace, [no_method; 2]),
    ];
    for (name, to, make, [read, write]) in cases {
        for (access, expected) in [(TokenAccess::Read, read), (TokenAccess::Write, write)] {
            let holder = stage.of(&stage.token(access)).unwrap();
            stage.received.lock().unwrap().clear();
            let outcome = stage.sent(&holder, to, make());
            assert_eq!(outcome, expected, "{name} with {access:?}");
            let received = stage.received.lock().unwrap().len();
            let was_sent = usize::from(expected == "200 OK");
            assert_eq!(received, was_sent, "{name} with {access:?}");
            // At the proxy host, a request can't name another account.
            if to == own && name != "another user in a batch" {
                let outcome = ended(&stage.world.run(holder.proxy_host(make())));
                assert_eq!(outcome, expected, "{name} with {access:?} at the host");
            }
        }
    }
}

#[test]
fn an_account_token_works_only_at_the_proxy() {
    let stage = Stage::new();
    let holder = stage.of(&stage.token(TokenAccess::Write)).unwrap();
    let described = holder.proxy(ProxyRequest::new("demo", "ada", "GET", "/v1/notes"));
    assert_eq!(ended(&stage.world.run(described)), "insufficient_scope");
    let call = ExecuteRequest::new("demo", "ada", json!({"note_id": "1"}));
    let called = stage.world.err(holder.execute("demo_read_note", call));
    assert_eq!(called.kind(), ErrorKind::InsufficientScope);
    let new = NewAccountToken::new("demo", "ada", TokenAccess::Read);
    let another = stage.world.err(holder.send(new));
    assert_eq!(another.kind(), ErrorKind::InsufficientScope);
    assert!(stage.received.lock().unwrap().is_empty());

    let application = stage.environment.acting_as(Caller::application("app_1"));
    for other in [&application, &stage.environment] {
        let at_the_host = other.proxy_host(request(Method::GET, "/v1/notes"));
        let error = stage.world.err(at_the_host);
        assert_eq!(error.kind(), ErrorKind::InsufficientScope);
        let instead = "POST /v1/account-tokens";
        assert!(error.message().contains(instead), "{error}");
    }
}

#[test]
fn an_upload_session_keeps_the_address_where_it_began() {
    let stage = Stage::new();
    let holder = stage.of(&stage.token(TokenAccess::Write)).unwrap();
    let upload = || request(Method::POST, "/upload/notes?uploadType=resumable");
    let at_the_host = stage.world.ok(holder.proxy_host(upload()));
    let location = format!("{PROXY}/upload/notes?upload_id=1");
    assert_eq!(at_the_host.headers()[header::LOCATION], location);
    let below = holder.proxy_streaming("demo", "ada", upload());
    let below = stage.world.ok(below);
    let location = "https://stead.test/proxy/demo/ada/upload/notes?upload_id=1";
    assert_eq!(below.headers()[header::LOCATION], location);
}

#[test]
fn an_account_token_ends_by_expiry_by_deletion_and_with_its_account() {
    let unknown = Err(ErrorKind::Unauthenticated);
    let reads = |stage: &Stage, token: &IssuedAccountToken| {
        let holder = stage.of(token).map_err(|error| error.kind())?;
        let sent = holder.proxy_host(request(Method::GET, "/v1/notes"));
        let outcome = stage.world.run(sent).map_err(|error| error.kind());
        outcome.map(|response| response.status().as_u16())
    };

    let stage = Stage::new();
    let token = stage.token(TokenAccess::Read);
    assert_eq!(reads(&stage, &token), Ok(200));
    stage.world.advance(std::time::Duration::from_secs(3599));
    assert_eq!(reads(&stage, &token), Ok(200));
    stage.world.advance(std::time::Duration::from_secs(1));
    assert_eq!(reads(&stage, &token), unknown);

    let stage = Stage::new();
    let token = stage.token(TokenAccess::Read);
    assert_eq!(reads(&stage, &token), Ok(200));
    let id = token.token_id.to_string();
    let delete = || {
        let deleted = stage.environment.send(DeleteAccountToken::new(&id));
        stage.world.run(deleted)
    };
    delete().unwrap();
    assert_eq!(reads(&stage, &token), unknown);
    assert_eq!(delete().unwrap_err().kind(), ErrorKind::NotFound);

    // Disconnecting the account revokes the token, even if the user connects again immediately.
    let stage = Stage::new();
    let token = stage.token(TokenAccess::Read);
    assert_eq!(reads(&stage, &token), Ok(200));
    let before = stage.world.run(async {
        let context = &stage.environment.0;
        context.account_rows(&ada()).await.unwrap().1.row
    });
    stage.send(DisconnectAccount::new("demo", "ada"));
    stage.change_account(|after| Account {
        disconnections: after.disconnections,
        ..before.clone()
    });
    assert_eq!(reads(&stage, &token), unknown);
    stage.world.advance(std::time::Duration::from_secs(6));
    assert_eq!(reads(&stage, &token), unknown);

    // The token isn't valid for a later account with the same names.
    let stage = Stage::new();
    let token = stage.token(TokenAccess::Read);
    let holder = stage.of(&token).unwrap();
    stage.world.run(async {
        let context = &stage.environment.0;
        let (connection, found) = context.account_rows(&ada()).await.unwrap();
        let erased = Account {
            identifier: "erased:1".parse().unwrap(),
            ..found.row.clone()
        };
        let next = Account {
            id: AccountId::from_uuid(uuid::Uuid::from_u128(7)),
            connection_id: connection.row.id,
            ..account(7, "ada")
        };
        let batch = Batch::new().update(erased, found.version).insert(next);
        let outcome = context.store.commit(batch).await.unwrap();
        assert_eq!(outcome, Commit::Committed);
    });
    let sent = holder.proxy_host(request(Method::GET, "/v1/notes"));
    assert_eq!(stage.world.err(sent).kind(), ErrorKind::Unauthenticated);
}

#[test]
fn an_account_token_needs_a_usable_account_and_lasts_at_most_a_day() {
    let stage = Stage::new();
    let create = |change: fn(&mut NewAccountToken)| {
        let mut new = NewAccountToken::new("demo", "ada", TokenAccess::Read);
        change(&mut new);
        let created = stage.world.run(stage.environment.send(new));
        created.map_err(|error| error.kind())
    };
    let issued = create(|new| new.expires_in = Some(86_400)).unwrap();
    let start = stage.environment.0.host.now();
    assert_eq!(issued.expires_at, start + SignedDuration::from_hours(24));
    assert_eq!(issued.proxy_url.as_deref(), Some(PROXY));
    assert!(issued.token.expose_secret().starts_with("stead_account_"));
    assert!(!format!("{issued:?}").contains(issued.token.expose_secret()));
    for seconds in [0, 59, 86_401] {
        let new = NewAccountToken::new("demo", "ada", TokenAccess::Read).expires_in(seconds);
        let refused = stage.world.err(stage.environment.send(new));
        assert_eq!(refused.kind(), ErrorKind::InvalidRequest);
    }
    let of_grace = create(|new| new.identifier = String::from("grace"));
    assert_eq!(of_grace.unwrap_err(), ErrorKind::AccountNotFound);
    let missing = create(|new| new.connection_name = String::from("missing"));
    assert_eq!(missing.unwrap_err(), ErrorKind::UnknownConnection);
    let list = ListAccountTokens::new().of(TokensOfAccount::new("demo", "ada"));
    let listed = stage.send(list.page(Paging::new(None, 50)));
    assert_eq!(listed.items.len(), 1);
    assert_eq!(listed.items[0].token_id, issued.token_id);
    stage.send(SuspendAccount::new("demo", "ada"));
    assert_eq!(create(|_| {}).unwrap_err(), ErrorKind::AccountSuspended);
}
