//! Work that a process does in a history.

use secrecy::ExposeSecret as _;
use url::Url;

use super::{Arc, Mutex, NAME, USER, lock, server::Server};
use crate::{
    Result, call, connections,
    context::Context,
    identifier::AuthorizationId,
    oauth::{self, Callback},
    resource::{
        ChangeConnection, ConnectionChange, ExecuteRequest, NewAuthorizationLink, NewConnection,
        ReadConnection, VerifyAuthorization,
    },
};

pub(super) async fn connect(context: &Context) {
    let connection = NewConnection::new(NAME, NAME).client("client", "secret");
    connections::create(context, connection).await.unwrap();
}

/// Switches the connection to the other of two clients.
pub(super) async fn change_client(context: Context) -> Result<()> {
    let client = connections::read(&context, ReadConnection::new(NAME))
        .await?
        .client_id;
    let other = match client.as_deref() {
        Some("client") => "other-client",
        _ => "client",
    };
    let change = ConnectionChange::default().client(other, "secret");
    connections::change(&context, ChangeConnection::new(NAME, change))
        .await
        .map(drop)
}

pub(super) async fn read_note(context: &Context) -> Result<()> {
    let request = ExecuteRequest::new(NAME, USER, serde_json::json!({ "note_id": "1" }));
    call::execute(context, "demo_read_note", request)
        .await
        .map(drop)
}

/// The user completes a link. The application confirms immediately, or later through `waiting`.
pub(super) async fn authorize(
    context: Context,
    server: Server,
    verify: bool,
    waiting: Arc<Mutex<Vec<AuthorizationId>>>,
) -> Result<()> {
    let link = NewAuthorizationLink {
        connection_name: NAME.to_owned(),
        identifier: USER.to_owned(),
        verify_url: Some(String::from("https://app.test/back")),
        ..NewAuthorizationLink::default()
    };
    let link = oauth::links::create(&context, link).await?;
    let started = oauth::start(&context, link.link.rsplit('/').next().unwrap(), None).await?;
    let location = Url::parse(&started.location).unwrap();
    let parameter = |wanted: &str| {
        let mut query = location.query_pairs();
        query.find(|(name, _)| name == wanted).unwrap().1
    };
    let code = server.consent(&parameter("client_id"));
    let callback = Callback::from_query(&format!("state={}&code={code}", parameter("state")));
    let connection = connections::read(&context, ReadConnection::new(NAME))
        .await?
        .id
        .to_string();
    let cookie = started.browser.expose_secret().to_owned();
    oauth::finish(&context, &connection, callback, |_| Some(cookie)).await?;
    if !verify {
        lock(&waiting).insert(0, link.authorization_id);
        return Ok(());
    }
    oauth::verify(
        &context,
        VerifyAuthorization::new(link.authorization_id.to_string(), USER),
    )
    .await
    .map(drop)
}
