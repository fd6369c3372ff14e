//! Scopes, return addresses and failures of a code exchange.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

use futures_util::FutureExt as _;
use uuid::Uuid;

use super::*;
use crate::{
    context::EnvironmentOptions,
    digest::Digest,
    domain::authorization::new_authorization,
    oauth::{
        verify,
        visitor::{allowed, come_back},
    },
    ports::Transport,
    resource::{NewConnection, ReadConnection, VerifyAuthorization},
    store::{Batch, Commit},
    testing::{Asked, Flaky, Responses, STABLE, START, World, account, context, response},
};

fn authorization() -> Authorization {
    let id = AuthorizationId::from_uuid(Uuid::from_u128(1));
    let link = Digest::of("link");
    new_authorization(id, &account(1, "ada"), link, START, START)
}

#[test]
fn the_browser_goes_back_with_the_authorization_and_the_state() {
    let id = authorization().id;
    let back = |url: &str, state: Option<&str>| {
        return_to(&Authorization {
            verify_url: Some(url.to_owned()),
            app_state: state.map(str::to_owned),
            ..authorization()
        })
    };
    assert_eq!(
        back("https://app.test/back", None).unwrap(),
        format!("https://app.test/back?authorization_id={id}")
    );
    assert_eq!(
        back("https://app.test/back?tab=1", Some("a&b=ü #")).unwrap(),
        format!("https://app.test/back?tab=1&authorization_id={id}&state=a%26b%3D%C3%BC+%23")
    );
    assert_eq!(return_to(&authorization()), None);
}

#[test]
fn a_failed_exchange_has_the_right_kind_and_reason() {
    use TokenFailure::{Client, Misconfigured, Rejected, Temporary, Unanswered};
    let failed_kind = ErrorKind::AuthorizationFailed;
    let table = [
        (Rejected, failed_kind, "exchange_rejected"),
        (
            Client,
            ErrorKind::ConnectionCredentialsRejected,
            "client_rejected",
        ),
        (Misconfigured, failed_kind, "exchange_refused"),
        (Temporary, failed_kind, "exchange_failed"),
        (Unanswered, failed_kind, "exchange_outcome_unknown"),
    ];
    for (failure, kind, reason) in table {
        let (error, why) = failed(failure, String::from("said"));
        assert_eq!((error.kind(), why), (kind, reason));
        assert_eq!(error.context()["product_message"], "said");
    }
}

/// A product that issues tokens, and counts its token requests and revocations.
fn product(exchanges: &Arc<AtomicU32>, revocations: &Arc<AtomicU32>) -> Arc<dyn Transport> {
    let (exchanges, revocations) = (Arc::clone(exchanges), Arc::clone(revocations));
    Responses::by(move |request: http::Request<crate::ports::Body>| {
        let count = match request.uri().path() {
            "/token" => &exchanges,
            _ => &revocations,
        };
        count.fetch_add(1, Ordering::SeqCst);
        let tokens = r#"{"access_token":"access","refresh_token":"refresh","expires_in":3600}"#;
        std::future::ready(Ok(response(200, tokens)))
    })
}

/// A context with a connection of a product.
fn connectable(world: &World, transport: Arc<dyn Transport>) -> Context {
    let context = context(world, &STABLE, transport);
    let new = NewConnection::new("demo", "demo").client("client", "secret");
    world.send(&context, new);
    context
}

#[test]
fn a_client_that_the_product_refuses_is_noted_until_it_is_accepted() {
    let world = World::new();
    let refuses = Arc::new(AtomicBool::new(true));
    let product = Arc::clone(&refuses);
    let transport = Responses::by(move |_| {
        let (status, body) = match product.load(Ordering::SeqCst) {
            true => (401, r#"{"error":"invalid_client"}"#),
            false => (200, r#"{"access_token":"access"}"#),
        };
        std::future::ready(Ok(response(status, body)))
    });
    let context = connectable(&world, transport);
    let connect = || {
        let visitor = world.run(allowed(&context, "ada"));
        let connected = world.run(come_back(&context, &visitor)).is_ok();
        let connection = world.send(&context, ReadConnection::new("demo"));
        (connected, connection.health)
    };
    assert_eq!(connect(), (false, ConnectionHealth::ClientRejected));
    assert_eq!(connect(), (false, ConnectionHealth::ClientRejected));
    refuses.store(false, Ordering::SeqCst);
    assert_eq!(connect(), (true, ConnectionHealth::ClientOk));
}

#[test]
fn tokens_with_a_commit_of_unknown_outcome_are_not_destroyed() {
    let world = World::new();
    let revocations = Arc::default();
    // The store applies a commit but reports a failure, and another writer changes the account immediately.
    let store = Flaky::new(world.process(0));
    let (rows, armed) = (store.rows(), AtomicBool::new(true));
    store.script(move |asked| {
        let kept = matches!(asked, Asked::Answered(batch, _) if batch.name == "exchange.keep");
        let (cut, rows) = (kept && armed.swap(false, Ordering::SeqCst), rows.clone());
        async move {
            if !cut {
                return Ok(());
            }
            let found = rows.accounts(None, None, 1).await?.remove(0);
            let touched = Account {
                updated_at: START,
                ..found.row
            };
            let touch = Batch::new().update(touched, found.version);
            assert_eq!(rows.commit(touch).await?, Commit::Committed);
            Err(Error::new(ErrorKind::StorageUnavailable, "cut"))
        }
    });
    let transport = product(&Arc::default(), &revocations);
    let context = world.open(0, &STABLE, transport, &store);
    let new = NewConnection::new("demo", "demo").client("client", "secret");
    world.send(&context, new);
    let visitor = world.run(allowed(&context, "ada"));
    let id = world.ok(come_back(&context, &visitor));
    let verified = world.ok(verify(
        &context,
        VerifyAuthorization::new(id.to_string(), "ada"),
    ));
    assert_eq!(verified.state, AccountState::Active);
    world.advance(std::time::Duration::from_secs(3600));
    assert_eq!(revocations.load(Ordering::SeqCst), 0);
}

#[test]
fn an_exchange_finishes_if_the_browser_disconnects() {
    let world = World::new();
    let exchanges = Arc::default();
    let context = connectable(&world, product(&exchanges, &Arc::default()));
    let visitor = world.run(allowed(&context, "ada"));
    // The caller leaves, but a separate task uses the state and exchanges the code.
    assert!(come_back(&context, &visitor).now_or_never().is_none());
    world.run_until_idle();
    assert_eq!(exchanges.load(Ordering::SeqCst), 1);
    let account = world.ok(context.store.accounts(None, None, 1));
    assert_eq!(account[0].row.state, AccountState::PendingVerification);
}

#[test]
fn a_link_keeps_the_verification_rule_of_its_creation() {
    use Verification::{Application, LinkPossession};
    for (made, finished, state) in [
        (
            Application,
            LinkPossession,
            AccountState::PendingVerification,
        ),
        (LinkPossession, Application, AccountState::Active),
    ] {
        let world = World::new();
        let store = world.store();
        let opened = |verification| {
            let transport = product(&Arc::default(), &Arc::default());
            let set = |options: &mut EnvironmentOptions| options.verification = verification;
            world.configured(&store, &STABLE, transport, set)
        };
        let (before, after) = (opened(made).unwrap(), opened(finished).unwrap());
        let new = NewConnection::new("demo", "demo").client("client", "secret");
        world.send(&before, new);
        let visitor = world.run(allowed(&before, "ada"));
        world.ok(come_back(&after, &visitor));
        let account = world.ok(after.store.accounts(None, None, 1));
        assert_eq!(account[0].row.state, state, "{made:?}");
    }
}
