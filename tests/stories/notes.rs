//! A product of notes. Its API is a function, so nearly all of a call's cost is Stead's.

use std::{path::Path, sync::Arc};

use futures_util::{StreamExt as _, stream};
use jiff::Timestamp;
use schemars::JsonSchema;
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stead::{NewConnection, Platform, PlatformBuilder, resource::CallTotals};
use stead_core::{
    Result,
    catalogue::Catalogue,
    environment::Verification,
    oauth::Callback,
    ports::{Body, BoxFuture, Runtime, Transport, TransportError},
    product::{OAuth, Origin, Product},
    tool::{ApiRequest, Call, Effect, Io, Output, Tool, ToolEntry},
};

/// Users, each with an account.
pub const USERS: usize = 100;
/// Calls that are under way at the same time.
const AT_ONCE: usize = 64;

/// Read one note.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadNote {
    /// Note to read.
    pub note_id: String,
}

impl Tool for ReadNote {
    const NAME: &'static str = "notes_read_note";
    const EFFECT: Effect = Effect::Read;
    type Output = Value;

    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let request = ApiRequest::get(["notes", &self.note_id]);
        Ok(io.send(request).await?.into())
    }
}

/// Delete one note.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteNote {
    /// Note to delete.
    pub note_id: String,
}

impl Tool for DeleteNote {
    const NAME: &'static str = "notes_delete_note";
    const EFFECT: Effect = Effect::Delete;
    type Output = Value;

    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let request = ApiRequest::delete(["notes", &self.note_id]);
        Ok(io.send(request).await?.into())
    }
}

static NOTES: Product = Product {
    name: "notes",
    title: "Notes",
    origins: &[Origin {
        name: "api",
        url: "https://api.notes.test",
        base: "/v1",
    }],
    oauth: OAuth {
        authorize: "https://login.notes.test/authorize",
        token: "https://login.notes.test/token",
        ..OAuth::BASE
    },
    tools: const { &[ToolEntry::of::<ReadNote>(), ToolEntry::of::<DeleteNote>()] },
    ..Product::BASE
};

/// The product's API. Every note exists except `missing`, and tokens last for ten years.
struct Api;

impl Transport for Api {
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        let body = match request.uri().path() {
            "/token" => json!({
                "access_token": "access", "refresh_token": "refresh", "token_type": "bearer", "expires_in": 315_360_000,
            }),
            _ => json!({ "id": "1", "text": "milk" }),
        };
        let is_missing = request.uri().path().ends_with("/missing");
        let mut response = http::Response::new(Body::from(body.to_string().into_bytes()));
        if is_missing {
            *response.status_mut() = http::StatusCode::NOT_FOUND;
        }
        Box::pin(std::future::ready(Ok(response)))
    }
}

/// A platform with a database file and connected users.
pub async fn platform(file: &Path, runtime: Option<Arc<dyn Runtime>>) -> Result<Platform> {
    let mut builder = builder().ephemeral_key().sqlite(file);
    if let Some(runtime) = runtime {
        builder = builder.runtime(runtime);
    }
    let platform = builder.build().await?;
    connection(&platform).await?;
    for number in 0..USERS {
        let actions = platform.actions();
        let link = actions.authorization_link("notes", &user(number)).await?;
        connect(&platform, &link.link).await?;
    }
    Ok(platform)
}

/// A platform that still needs a key and a store.
pub fn builder() -> PlatformBuilder {
    Platform::builder("http://127.0.0.1")
        .catalogue(Catalogue::new([&NOTES]))
        .transport(Arc::new(Api))
        .verification(Verification::LinkPossession)
}

/// The ID of the connection. Creates it if it's missing.
pub async fn connection(platform: &Platform) -> Result<String> {
    let notes = NewConnection::new("notes", "notes").client("id", "secret");
    Ok(platform.connections().ensure(notes).await?.id.to_string())
}

/// Opens a link as its user and allows everything.
pub async fn connect(platform: &Platform, link: &str) -> Result<()> {
    let environment = platform.environment();
    let connection = connection(platform).await?;
    let secret = link.rsplit('/').next().unwrap_or_default();
    let started = environment.start_authorization(secret, None).await?;
    let (_, query) = started.location.split_once('?').unwrap_or_default();
    let mut callback = Callback::from_query(query);
    callback.code = Some(String::from("code"));
    let cookie = |_| Some(started.browser.expose_secret().to_owned());
    let finished = environment.finish_authorization(&connection, callback, cookie);
    finished.await.map(drop)
}

/// The user of this number.
pub fn user(number: usize) -> String {
    format!("user-{number:04}@example.com")
}

/// Whether the call of this number fails. One in fifty does.
pub fn fails(number: usize) -> bool {
    number.is_multiple_of(50)
}

/// Whether the call of this number changes something: one in ten.
pub fn changes(number: usize) -> bool {
    number % 10 == 3
}

/// Makes the call of this number.
///
/// # Panics
/// If it ends differently than expected.
pub async fn call(platform: &Platform, number: usize) {
    let tool = if changes(number) {
        DeleteNote::NAME
    } else {
        ReadNote::NAME
    };
    let note = if fails(number) { "missing" } else { "n1" };
    let account = platform
        .account("notes", &user(number % USERS))
        .expect("a name");
    let done = account.execute(tool, json!({ "note_id": note })).await;
    assert_eq!(done.is_err(), fails(number), "{done:?}");
}

/// Makes calls, many at a time.
pub async fn calls(platform: &Platform, numbers: std::ops::Range<usize>) {
    stream::iter(numbers)
        .for_each_concurrent(AT_ONCE, |number| call(platform, number))
        .await;
}

/// All totals.
pub async fn totals(platform: &Platform) -> Vec<CallTotals> {
    let all = platform
        .environment()
        .call_totals(Timestamp::MIN, Timestamp::MAX)
        .await;
    all.expect("totals")
}

/// The number of calls of this tool with this outcome in the totals. An empty text stands for any.
pub fn counted(totals: &[CallTotals], tool: &str, outcome: &str) -> u64 {
    let is = |asked: &str, found: &str| asked.is_empty() || asked == found;
    let counted = totals
        .iter()
        .filter(|one| is(tool, &one.tool) && is(outcome, &one.outcome));
    counted.map(|one| one.calls).sum()
}
