//! Stead inside a program: link, return and typed call without a server. The sandbox plays the product.

use secrecy::ExposeSecret as _;
use std::io::Write as _;
use stead::{
    Platform,
    core::{environment::Verification, oauth::Callback},
    mail::ListDrafts,
};
use stead_sandbox::{CLIENT_ID, CLIENT_SECRET, Sandbox};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = Sandbox::start().await?;
    let builder = Platform::builder("http://127.0.0.1")
        .ephemeral_key()
        .in_memory()
        .gateway(&sandbox.url)
        .verification(Verification::LinkPossession);
    let platform = builder.build().await?;
    let (environment, actions) = (platform.environment(), platform.actions());
    let connection = serde_json::json!({ "connection_name": "mail", "product": "mail",
        "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET });
    let connection = environment.create_connection(serde_json::from_value(connection)?);
    let connection_id = connection.await?.id.to_string();

    // Your page behind the link starts the authorization and keeps `browser` in a cookie.
    let link = actions.authorization_link("mail", "you").await?;
    let token = link.link.rsplit('/').next().unwrap_or_default();
    let started = environment.start_authorization(token, None).await?;

    // The user allows; your redirect URI receives the callback and the cookie.
    let returned = sandbox
        .sandbox
        .consent(&started.location, "ada@example.com", &["all"])?;
    let callback = Callback::from_query(returned.query().unwrap_or_default());
    let cookie = |_| Some(started.browser.expose_secret().to_owned());
    let finished = environment.finish_authorization(&connection_id, callback, cookie);
    finished.await?;

    // From now on, calls as that user.
    let tool = ListDrafts::default();
    let drafts = actions.call("mail", "you", &tool).await?;
    writeln!(std::io::stdout(), "{}", drafts.data)?;
    Ok(())
}
