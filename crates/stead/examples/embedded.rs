//! Stead inside a program, without any server: a link, the user's return, a typed call. The sandbox plays the product.

use std::io::{Write as _, stdout};

use secrecy::ExposeSecret as _;
use stead::{Callback, NewConnection, Platform, Verification, mail::FetchMails};
use stead_sandbox::{CLIENT_ID, CLIENT_SECRET, Sandbox};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = Sandbox::start().await?;
    let stead = Platform::builder("http://127.0.0.1")
        .ephemeral_key()
        .in_memory()
        .gateway(&sandbox.url)
        // Here no browser comes back to a page of yours that knows who is signed in.
        .verification(Verification::LinkPossession)
        .build()
        .await?;
    let mail = NewConnection::mail("mail").client(CLIENT_ID, CLIENT_SECRET);
    let mail = stead.connections().ensure(mail).await?;

    // The page behind a link is yours here. It starts the authorization, keeps `browser` in a cookie, and sends the
    // user to `location`.
    let ada = stead.account("mail", "user-42")?;
    let link = ada.authorize().await?.link;
    let secret = link.rsplit('/').next().unwrap_or_default();
    let environment = stead.environment();
    let started = environment.start_authorization(secret, None).await?;

    // The user allows everything, and the product sends the browser back to your redirect URI.
    let back = sandbox
        .sandbox
        .consent(&started.location, "ada@example.com", &["all"])?;

    // Behind the redirect URI: the query, and the cookie that the browser brings.
    let callback = Callback::from_query(back.query().unwrap_or_default());
    let cookie = |_| Some(started.browser.expose_secret().to_owned());
    environment
        .finish_authorization(&mail.id.to_string(), callback, cookie)
        .await?;

    // From now on, calls as that user.
    let mails = ada
        .call(&FetchMails::query("is:unread"))
        .await?
        .output()?
        .messages;
    writeln!(stdout(), "Ada has {} unread mails:", mails.len())?;
    for mail in mails.into_iter().filter_map(|mail| mail.readable) {
        writeln!(stdout(), "  {}", mail.subject.unwrap_or_default())?;
    }
    stead.shut_down().await;
    Ok(())
}
