//! Support with a service in its default mode: finds out why a customer's account is broken, repairs it, and connects
//! another user. The application confirms who came back.

use anyhow::Result;
use serde_json::{Value, json};

use crate::{application::Application, service::curl, stage::Stage};

const PASSWORD: &str = "correct horse battery";
const CUSTOMER: &str = "customer-31";

pub(super) async fn run(stage: &Stage<'_>) -> Result<()> {
    let products = stage.dev().await?;
    let sandbox = products.fact("sandbox_url")?;
    let service = stage.serve_with(&google_at(sandbox)).await?;
    service
        .run(&[
            "connections",
            "create",
            "mail",
            "--product",
            "mail",
            "--client-id",
            "sandbox-client.apps.googleusercontent.com",
        ])
        .await?;
    let credential = service.run(&["credentials", "create", "--name", "app", "--json"]);
    let credential: Value = serde_json::from_str(&credential.await?)?;
    let application = Application::start(&service.url, &credential).await?;
    let browser = &stage.browser;
    let page = |path: &str| format!("{}/dashboard/{path}", service.url);

    // Connects a customer as the application does. The customer then revokes the permission at the product.
    let link = [
        "connect",
        "mail",
        CUSTOMER,
        "--verify-url",
        &application.url,
        "--quiet",
    ];
    browser.go(service.run(&link).await?.trim()).await?;
    consent(stage, &application, CUSTOMER).await?;
    let fault = json!({ "kind": "revoke" }).to_string();
    curl(&[&format!("{sandbox}/sandbox/faults"), "-d", &fault]).await?;
    let call = [
        "call",
        "mail_fetch_mails",
        "--connection",
        "mail",
        "--identifier",
        CUSTOMER,
    ];
    service.output(&call).await?;

    browser.go(service.fact("invitation")?).await?;
    browser.fill("Password", PASSWORD).await?;
    browser.press("Set password").await?;
    stage.look("home").await?;
    let to_do = format!("{CUSTOMER} at mail must reconnect: send the user a new link.");
    browser.press(&to_do).await?;
    browser.sees("Who needs to act").await?;
    stage.look("broken").await?;
    browser.press("New link").await?;
    browser.sees("Return address (verify_url)").await?;
    stage.look("asks").await?;
    browser
        .fill("Return address (verify_url)", "http://app.example.com")
        .await?;
    browser.press("Create link").await?;
    browser.sees("verify_url must be an https URL").await?;
    stage.look("refused").await?;
    link_for(stage, &application, CUSTOMER).await?;
    browser
        .go(&page(&format!("accounts/mail/{CUSTOMER}")))
        .await?;
    browser.sees("Active").await?;
    stage.look("repaired").await?;

    browser.go(&page("accounts")).await?;
    browser.press("Connect a user").await?;
    stage.look("connect").await?;
    browser.fill("User", "customer-32").await?;
    link_for(stage, &application, "customer-32").await?;
    browser.go(&page("accounts/mail/customer-32")).await?;
    browser.sees("Active").await?;

    // A request that the product refuses is listed as a failure.
    let raw = "playground/proxy?connection_name=mail&identifier=customer-32&method=POST&path=";
    browser
        .go(&page(&format!("{raw}/gmail/v1/users/me/messages/send")))
        .await?;
    browser.press("Send").await?;
    browser.sees("403 Forbidden").await?;
    browser.go(&page("activity")).await?;
    browser.sees("product_forbidden (403)").await?;
    stage.look("activity").await?;
    browser
        .press("POST /gmail/v1/users/me/messages/send")
        .await?;
    browser.sees("Refused by Gmail (403)").await?;
    stage.look("call").await?;
    browser.go(&page("nothing-here")).await?;
    browser.sees("Go to Home").await?;
    stage.look("unknown").await
}

/// Fills in the return address, creates the link, and follows it as the user.
async fn link_for(stage: &Stage<'_>, application: &Application, user: &str) -> Result<()> {
    let browser = &stage.browser;
    browser
        .fill("Return address (verify_url)", &application.url)
        .await?;
    browser.press("Create link").await?;
    browser.sees("The link is ready").await?;
    let link = browser.text_of(".code code, .copy code").await?;
    browser.go(&link).await?;
    consent(stage, application, user).await
}

async fn consent(stage: &Stage<'_>, application: &Application, user: &str) -> Result<()> {
    application.signs_in(user);
    stage.browser.press("Continue to Gmail").await?;
    stage.browser.press("Allow").await?;
    stage.browser.sees(&format!("Welcome back, {user}")).await
}

/// Settings that make the sandbox of a `stead dev` play Google.
fn google_at(sandbox: &str) -> String {
    format!(
        r#"[products.mail]
authorize_url = "{sandbox}/accounts.google.com/o/oauth2/v2/auth"
token_url = "{sandbox}/oauth2.googleapis.com/token"
revoke_url = "{sandbox}/oauth2.googleapis.com/revoke"

[products.mail.origins]
gmail = "{sandbox}/gmail.googleapis.com"
people = "{sandbox}/people.googleapis.com"
"#
    )
}
