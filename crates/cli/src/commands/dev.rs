//! `stead dev`: a service and a sandbox to try things out, with lines to paste.

use std::{net::SocketAddr, path::PathBuf};

use clap::Args;
use secrecy::ExposeSecret as _;
use serde_json::json;
use stead::core::resource::NewAuthorizationLink;

use crate::{
    failure::Outcome,
    listener, signals,
    target::{CONNECTION, SANDBOX_USER, Stack, USER, with_storage},
    terminal::Terminal,
};

/// A day, so that the first link works for a whole session.
const LINK_SECONDS: u32 = 86_400;

/// Start a service and a sandbox to try things out. Nothing to register, nothing leaves this machine.
///
/// The service's connections point at the sandbox, which plays the products, including their consent pages. Anyone who
/// opens a link is treated as the user, so never use it with real users.
#[derive(Debug, Args)]
pub(crate) struct Dev {
    /// Address of the service.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8484")]
    listen: SocketAddr,

    /// Address of the sandbox.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8485")]
    sandbox_listen: SocketAddr,

    /// Folder for the service's database and key; without it, nothing is kept after the end.
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
}

impl Dev {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let listener = listener::bind(self.listen, "--listen").await?;
        let sandbox_listener = listener::bind(self.sandbox_listen, "--sandbox-listen").await?;
        let data = self.data.as_deref();
        let stack = Stack::start(listener, sandbox_listener, |builder, _| {
            with_storage(builder, data)
        })
        .await?;
        let connection = CONNECTION;
        let link = stack
            .platform
            .actions()
            .authorization_link_with(NewAuthorizationLink {
                connection_name: connection.to_owned(),
                identifier: USER.to_owned(),
                expires_in: Some(LINK_SECONDS),
                ..NewAuthorizationLink::default()
            })
            .await?
            .link;
        let facts = json!({
            "url": stack.url,
            "sandbox_url": stack.sandbox_url,
            "client_id": stack.client_id,
            "client_secret": stack.client_secret.expose_secret(),
            "connection_name": connection,
            "identifier": USER,
            "link": link,
        });
        terminal.either(&facts, || welcome(&stack, connection, &link, terminal));
        if data.is_none() {
            terminal.note("Stop with Ctrl-C; nothing is kept.");
        } else {
            terminal.note("Stop with Ctrl-C; the sandbox does not keep its users' consents.");
        }
        signals::stop().await;
        terminal.note("\nStopping.");
        stack.stop().await;
        Ok(())
    }
}

/// What to open, and what to paste.
fn welcome(stack: &Stack, connection: &str, link: &str, terminal: &Terminal) -> String {
    let Stack {
        url,
        sandbox_url,
        client_id,
        ..
    } = stack;
    let secret = stack.client_secret.expose_secret();
    let pick = |member: &str| format!(r#"sed 's/.*"{member}":"\([^"]*\)".*/\1/'"#);
    let (pick_token, pick_link) = (pick("access_token"), pick("link"));
    let (bold, dim) = (
        |text: &str| terminal.bold(text),
        |text: &str| terminal.dim(text),
    );
    let who = format!(r#""connection_name":"{connection}","identifier":"{USER}""#);
    let (bearer, json) = (
        r#"-H "Authorization: Bearer $TOKEN""#,
        "-H 'Content-Type: application/json'",
    );
    format!(
        r#"
{title}

  service   {url}
  sandbox   {sandbox_url}

{open}

  {link}

{paste}

  {one}
  TOKEN=$(curl -s {url}/oauth/token -d grant_type=client_credentials -d client_id={client_id} -d client_secret={secret} | {pick_token})

  {two}
  LINK=$(curl -s {url}/v1/authorization-links {bearer} {json} -d '{{{who}}}' | {pick_link})
  FORM=$(curl -sL -b jar -c jar -d '' "$LINK" | grep -o '/accounts[^"]*')
  curl -sL -b jar -c jar -o /dev/null -w '%{{http_code}} %{{url_effective}}\n' {sandbox_url}$FORM -d user={SANDBOX_USER} -d scope=all -d action=allow; rm -f jar

  {three}
  curl -s {url}/v1/tools/mail_fetch_mails/execute {bearer} {json} -d '{{{who},"input":{{"query":"is:unread","max_results":1}}}}'; echo

  {four}
  curl -s {url}/proxy/{connection}/{USER}/v1/users/me/profile {bearer}
"#,
        title = bold("Stead is running, with a sandbox instead of the products."),
        open = bold(&format!(
            "Open this to connect the {connection} account of the user \"{USER}\":"
        )),
        paste = bold("Or paste these:"),
        one = dim("# 1  a token for your application"),
        two = dim("# 2  a link for the user, and the user's consent"),
        three = dim("# 3  a tool"),
        four = dim("# 4  any path of the product"),
    )
}
