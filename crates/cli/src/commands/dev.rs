use std::{net::SocketAddr, path::PathBuf};

use clap::Args;
use secrecy::ExposeSecret as _;
use serde_json::json;
use stead::core::resource::NewAuthorizationLink;

use crate::{
    failure::Outcome,
    house::{self, House, SANDBOX_USER, USER},
    signals,
    terminal::Terminal,
};

/// A day: the link is there when you come back from lunch.
const LINK_SECONDS: u32 = 86_400;

/// Start a service and a sandbox to play with. Nothing to register, nothing leaves this machine.
///
/// The service's connections point at the sandbox, which plays the products, their consent pages included. Whoever
/// opens a link is taken for the user: this is for trying out, never for real users.
#[derive(Debug, Args)]
pub(crate) struct Dev {
    /// Address of the service.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8484")]
    listen: SocketAddr,

    /// Address of the sandbox.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8485")]
    sandbox_listen: SocketAddr,

    /// Folder that keeps the service's database and key; without it, everything is forgotten at the end.
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
}

impl Dev {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let listener = house::listen(self.listen, "--listen").await?;
        let sandbox_listener = house::listen(self.sandbox_listen, "--sandbox-listen").await?;
        let data = self.data.as_deref();
        let house = House::start(listener, sandbox_listener, |builder, _| {
            house::keep(builder, data)
        })
        .await?;
        let connection = house::CONNECTION;
        let link = house
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
            "url": house.url,
            "sandbox_url": house.sandbox_url,
            "client_id": house.client_id,
            "client_secret": house.client_secret.expose_secret(),
            "connection_name": connection,
            "identifier": USER,
            "link": link,
        });
        terminal.either(&facts, || welcome(&house, connection, &link, terminal));
        if data.is_none() {
            terminal.note("Stop with Ctrl-C; everything is forgotten then.");
        } else {
            terminal.note("Stop with Ctrl-C; the sandbox forgets its users' consents then.");
        }
        signals::stop().await;
        terminal.note("\nStopping.");
        house.stop().await;
        Ok(())
    }
}

/// What to open, and what to paste.
fn welcome(house: &House, connection: &str, link: &str, terminal: &Terminal) -> String {
    let House {
        url,
        sandbox_url,
        client_id,
        ..
    } = house;
    let secret = house.client_secret.expose_secret();
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
        title = bold("Stead is running, with a sandbox in place of the products."),
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
