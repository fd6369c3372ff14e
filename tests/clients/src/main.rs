//! Runs the products' own SDKs, the packages of model vendors, and the library that verifies webhooks, against a
//! service with its sandbox. `cargo xtask clients` installs them first.

#![expect(clippy::print_stdout, reason = "its output is what a command is for")]

use std::{future::pending, process::ExitCode};

use anyhow::{Context as _, Result, anyhow, bail};
use secrecy::ExposeSecret as _;
use stead::{OsEntropy, Platform};
use stead_core::{
    environment::{Environment, Verification},
    oauth::Callback,
    resource::{
        Connection, NewAccountToken, NewAppCredential, NewAuthorizationLink, NewConnection,
        NewMcpSession, TokenAccess,
    },
    scope::Scopes,
    seal::KeyRing,
};
use stead_sandbox::{
    CLIENT_ID, CLIENT_SECRET, Running, Sandbox, WAREHOUSE_ACCOUNT, WAREHOUSE_CLIENT_ID,
    WAREHOUSE_CLIENT_SECRET, WORKSPACE_CLIENT_ID, WORKSPACE_CLIENT_SECRET,
};
use stead_server::{Server, ServerOptions};
use tokio::{net::TcpListener, process::Command};

/// The products. Each has a connection of the same name.
const PRODUCTS: [&str; 6] = [
    "calendar",
    "drive",
    "mail",
    "sheets",
    "warehouse",
    "workspace",
];
/// The user. An application's identifiers often need percent-encoding in a path, so this one does too.
const USER: &str = "acme/user 1";
/// A user whose tokens no script has.
const ANOTHER_USER: &str = "user-1";
/// Clients of agents, each with the prefix of the variable that holds its session token.
const AGENTS: [&str; 5] = ["PYTHON", "SDK", "LANGCHAIN", "CALLBACK", "INSPECTOR"];
/// The host on which a script may receive webhooks.
const RECEIVER: &str = "127.0.0.1";

/// Each argument is a command line: a program and its script, separated by one blank.
#[tokio::main]
async fn main() -> Result<ExitCode> {
    let sandbox = Sandbox::new().run().await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let proxy_listener = TcpListener::bind("127.0.0.1:0").await?;
    let proxy_url = format!("http://{}", proxy_listener.local_addr()?);
    let (_, key) = KeyRing::generate(&OsEntropy);
    let platform = Platform::builder(&url)
        .proxy_url(&proxy_url)
        .key(key.expose_secret())
        .in_memory()
        .verification(Verification::LinkPossession)
        .gateway(&sandbox.url)
        .private_host(RECEIVER)
        .build()
        .await?;
    for product in PRODUCTS {
        connect(platform.environment(), &sandbox, product)
            .await
            .with_context(|| format!("cannot connect {product}"))?;
    }
    let mut tokens = tokens(platform.environment()).await?;
    let bearer = webhooks_token(platform.environment()).await?;
    tokens.push((String::from("WEBHOOKS_TOKEN"), bearer));
    let application = NewAppCredential::new("generated clients");
    let application = platform.environment().send(application).await?;
    let secret = application.client_secret.expose_secret().to_owned();
    tokens.push((
        String::from("APPLICATION_ID"),
        application.credential.client_id,
    ));
    tokens.push((String::from("APPLICATION_SECRET"), secret));
    // Each agent has its own user, who hasn't authorized anything yet.
    for agent in AGENTS {
        let session = NewMcpSession::new(format!("user of {agent}"))
            .connections(["mail"])
            .tool_set("all")
            .output_schemas(true);
        let session = platform.send(session).await?.token;
        let session = session.expose_secret().to_owned();
        tokens.push((format!("{agent}_MCP_TOKEN"), session));
    }
    let routers = stead_server::routers(&platform, &ServerOptions::default());
    let proxy = routers.proxy.context("there is no proxy host")?;
    let server = Server::new(routers.server).also(proxy_listener, proxy);
    tokio::spawn(server.serve(listener, pending(), pending()));

    let mut failed = Vec::new();
    for line in std::env::args().skip(1) {
        let (program, script) = line
            .split_once(' ')
            .ok_or_else(|| anyhow!("expected a program and a script, found {line:?}"))?;
        println!("\n{script}");
        let status = Command::new(program)
            .arg(script)
            .env("STEAD_URL", &url)
            .env("STEAD_PROXY_URL", &proxy_url)
            .envs(tokens.clone())
            .status()
            .await
            .with_context(|| format!("cannot start {program}"))?;
        if !status.success() {
            failed.push(script.to_owned());
        }
    }
    if !failed.is_empty() {
        println!("\nfailed: {}", failed.join(", "));
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// The user's account tokens, by the variables from which scripts read them. No script has the application's own token.
async fn tokens(environment: &Environment) -> Result<Vec<(String, String)>> {
    let mut tokens = Vec::new();
    for product in PRODUCTS {
        for access in TokenAccess::ALL {
            let new = NewAccountToken::new(product, USER, access);
            let token = environment.send(new).await?.token;
            let name = format!("{product}_{}_token", access.name()).to_uppercase();
            tokens.push((name, token.expose_secret().to_owned()));
        }
    }
    // Some SDKs use two APIs with one credential.
    let both = NewAccountToken::new("sheets", USER, TokenAccess::Write).and("drive");
    let both = environment.send(both).await?.token;
    let name = String::from("SHEETS_AND_DRIVE_TOKEN");
    tokens.push((name, both.expose_secret().to_owned()));
    Ok(tokens)
}

/// Issues a bearer token that can manage webhooks, and can suspend accounts to cause events.
async fn webhooks_token(environment: &Environment) -> Result<String> {
    let scopes = Scopes::parse(["webhooks:manage", "accounts:manage"])?;
    let new = NewAppCredential::new("webhooks").scopes(scopes.words());
    let made = environment.send(new).await?;
    let secret = made.client_secret.expose_secret();
    let issued = environment
        .issue_access_token(&made.credential.client_id, secret, None)
        .await?;
    Ok(issued.access_token.expose_secret().to_owned())
}

/// Creates a product's connection, and the users' accounts.
async fn connect(environment: &Environment, sandbox: &Running, product: &str) -> Result<()> {
    let (id, secret) = match product {
        "warehouse" => (WAREHOUSE_CLIENT_ID, WAREHOUSE_CLIENT_SECRET),
        "workspace" => (WORKSPACE_CLIENT_ID, WORKSPACE_CLIENT_SECRET),
        _ => (CLIENT_ID, CLIENT_SECRET),
    };
    let new = NewConnection::new(product, product).client(id, secret);
    // By default, a connection only asks to read.
    let new = match product {
        "drive" => new.permissions(["https://www.googleapis.com/auth/drive"]),
        "mail" => new.permissions([
            "https://www.googleapis.com/auth/gmail.modify",
            "https://www.googleapis.com/auth/contacts.readonly",
        ]),
        "warehouse" => new.setting("account", WAREHOUSE_ACCOUNT),
        _ => new,
    };
    let connection = environment.send(new).await?;
    for user in [USER, ANOTHER_USER] {
        authorize(environment, sandbox, &connection, user).await?;
    }
    Ok(())
}

/// Opens a link as the user, and allows everything as Ada.
async fn authorize(
    environment: &Environment,
    sandbox: &Running,
    connection: &Connection,
    user: &str,
) -> Result<()> {
    let new = NewAuthorizationLink::new(connection.connection_name.as_str(), user);
    let link = environment.send(new).await?;
    let secret = link.link.rsplit('/').next().unwrap_or_default();
    let started = environment.start_authorization(secret, None).await?;
    let back = sandbox
        .sandbox
        .consent(&started.location, "ada@example.com", &["all"]);
    let back = match back {
        Ok(back) => back,
        Err(page) => bail!("the sandbox does not consent: {page}"),
    };
    let callback = Callback::from_query(back.query().unwrap_or_default());
    let cookie = |_| Some(started.browser.expose_secret().to_owned());
    environment
        .finish_authorization(&connection.id.to_string(), callback, cookie)
        .await?;
    Ok(())
}
