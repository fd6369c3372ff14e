//! `stead connections`: the products' OAuth clients, at a service or in a database.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use secrecy::SecretString;
use serde_json::{Map, Value};
use stead_core::{
    resource::{Connection, ConnectionChange, ConnectionHealth, NewConnection},
    state::ConnectionState,
};

use crate::{
    failure::{Flags, Outcome},
    secrets,
    target::{IfMissing, Target},
    terminal::Terminal,
};

const FLAGS: Flags = &[
    ("/connection_name", "NAME", ""),
    ("/product", "--product", ""),
    ("/client_id", "--client-id", ""),
    ("/client_secret", "--client-secret-file", ""),
    ("/permissions", "--permission", ""),
    ("/settings", "--settings", ""),
    ("/allowed_requests", "--allow-request", ""),
];

/// Connections. Each one is your OAuth client at a product.
#[derive(Debug, Args)]
pub(crate) struct Connections {
    #[command(subcommand)]
    command: ConnectionsCommand,
}

// If `--client-id` means the product's client, the flags for the application's credential have other names.
#[derive(Debug, Subcommand)]
enum ConnectionsCommand {
    /// Create a connection, and print the redirect URI to register at the product.
    #[command(mut_arg("app_client_id", |argument| argument.long("app-client-id")))]
    #[command(mut_arg("app_client_secret", |argument| argument.long("app-client-secret")))]
    Create {
        /// Name of the connection.
        name: String,
        /// Product of the connection, such as mail.
        #[arg(long)]
        product: String,
        #[command(flatten)]
        client: Client,
        #[command(flatten)]
        target: Target,
    },
    /// List all connections.
    List {
        #[command(flatten)]
        target: Target,
    },
    /// Show a connection, its redirect URI and the set-up steps.
    Show {
        /// Name of the connection.
        name: String,
        #[command(flatten)]
        target: Target,
    },
    /// Change a connection. Settings without an option don't change.
    #[command(mut_arg("app_client_id", |argument| argument.long("app-client-id")))]
    #[command(mut_arg("app_client_secret", |argument| argument.long("app-client-secret")))]
    Change {
        /// Name of the connection.
        name: String,
        #[command(flatten)]
        client: Client,
        /// Allow no dangerous requests.
        #[arg(long, conflicts_with = "allowed_requests")]
        allow_no_requests: bool,
        /// Disable it. Its accounts keep their state.
        #[arg(long, conflicts_with = "enable")]
        disable: bool,
        /// Enable it.
        #[arg(long)]
        enable: bool,
        #[command(flatten)]
        target: Target,
    },
    /// Delete a connection without connected accounts.
    Delete {
        /// Name of the connection.
        name: String,
        #[command(flatten)]
        target: Target,
    },
}

/// The OAuth client that you registered at the product.
#[derive(Debug, Args)]
struct Client {
    /// Client ID of the OAuth client.
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,

    /// File with the client secret, or - for standard input. Without it, Stead reads the environment variable
    /// STEAD_PRODUCT_CLIENT_SECRET.
    #[arg(long, value_name = "FILE")]
    client_secret_file: Option<PathBuf>,

    #[arg(
        id = "product_secret",
        long = "product-client-secret",
        env = "STEAD_PRODUCT_CLIENT_SECRET",
        hide = true,
        hide_env_values = true,
        value_parser = secrets::parse
    )]
    client_secret: Option<SecretString>,

    /// Scope or capability to request from users. You can repeat this option. The default is the product's minimum.
    #[arg(long = "permission", value_name = "SCOPE")]
    permissions: Vec<String>,

    /// Settings for the product, as a JSON object.
    #[arg(long, value_name = "JSON", value_parser = object)]
    settings: Option<Map<String, Value>>,

    /// Kind of dangerous requests to allow, such as empty_trash. You can repeat this option. It replaces the whole list.
    #[arg(long = "allow-request", value_name = "KIND")]
    allowed_requests: Vec<String>,
}

impl Client {
    fn secret(&self) -> Outcome<Option<SecretString>> {
        match &self.client_secret_file {
            Some(path) => secrets::read(path).map(Some),
            None => Ok(self.client_secret.clone()),
        }
    }
}

impl Connections {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let if_missing = match self.command {
            ConnectionsCommand::Create { .. } => IfMissing::Create,
            _ => IfMissing::Refuse,
        };
        let target = self.command.target().open_the_only_one(if_missing).await?;
        let outcome = self
            .command
            .run(&target.stead.connections(), terminal)
            .await;
        target.close().await;
        outcome.map_err(|failure| failure.with_flags(FLAGS))
    }
}

impl ConnectionsCommand {
    fn target(&self) -> &Target {
        match self {
            Self::Create { target, .. }
            | Self::List { target }
            | Self::Show { target, .. }
            | Self::Change { target, .. }
            | Self::Delete { target, .. } => target,
        }
    }

    async fn run(self, connections: &stead::Connections, terminal: &Terminal) -> Outcome {
        match self {
            Self::Create {
                name,
                product,
                client,
                ..
            } => {
                let mut new = NewConnection::new(name, product);
                new.client_secret = client.secret()?;
                new.permissions = some(client.permissions);
                new.client_id = client.client_id;
                new.settings = client.settings.unwrap_or_default();
                new.allowed_requests = some(client.allowed_requests);
                let made = connections.create(new).await?;
                show_new(&made, terminal);
            }
            Self::List { .. } => list(&connections.list().page_size(100).all().await?, terminal),
            Self::Show { name, .. } => {
                let found = connections.read(&name).await?;
                show(&found, terminal);
                set_up(&found, terminal);
            }
            Self::Change {
                name,
                client,
                allow_no_requests,
                disable,
                enable,
                ..
            } => {
                let mut change = ConnectionChange::default();
                change.client_secret = client.secret()?;
                change.client_id = client.client_id;
                change.permissions = some(client.permissions);
                change.settings = client.settings;
                change.allowed_requests = match allow_no_requests {
                    true => Some(Vec::new()),
                    false => some(client.allowed_requests),
                };
                change.disabled = (disable || enable).then_some(disable);
                let changed = connections.change(&name, change).await?;
                show(&changed, terminal);
                if changed.state == ConnectionState::Draft {
                    set_up(&changed, terminal);
                }
            }
            Self::Delete { name, .. } => {
                connections.delete(&name).await?;
                terminal.note(format_args!("Deleted {name}."));
            }
        }
        Ok(())
    }
}

/// The values of a repeated option, if it's there.
fn some(values: Vec<String>) -> Option<Vec<String>> {
    (!values.is_empty()).then_some(values)
}

fn list(all: &[Connection], terminal: &Terminal) {
    if terminal.json() {
        terminal.result_json(&all);
    } else if all.is_empty() {
        terminal.note("There are no connections yet. Create one with `stead connections create`.");
    }
    if !terminal.json() && !all.is_empty() {
        let rows = all.iter().map(|connection| {
            [
                connection.connection_name.to_string(),
                connection.product.clone(),
                connection.state.name().to_owned(),
                health(connection).unwrap_or("stored").to_owned(),
            ]
        });
        terminal.table(["NAME", "PRODUCT", "STATE", "CLIENT"], rows.collect());
        terminal.note("\nRegister these exact redirect URIs at the products:");
        let length = |one: &Connection| one.connection_name.as_str().chars().count();
        let width = all.iter().map(length).max().unwrap_or_default();
        for connection in all {
            let (name, uri) = (
                connection.connection_name.as_str(),
                &connection.redirect_uri,
            );
            terminal.note(format_args!("  {name:<width$}  {uri}"));
        }
        terminal.note("\n`stead connections show NAME` shows how to set up a product.");
    }
}

/// What is wrong with the client.
fn health(connection: &Connection) -> Option<&'static str> {
    if connection.client_id.is_none() || !connection.has_client_secret {
        return Some("missing");
    }
    match connection.health {
        ConnectionHealth::ClientOk => None,
        ConnectionHealth::ClientRejected => Some("refused by the product"),
    }
}

fn show(connection: &Connection, terminal: &Terminal) {
    terminal.either(connection, || {
        let secret = if connection.has_client_secret {
            "stored"
        } else {
            "missing"
        };
        let rejected = match connection.health {
            ConnectionHealth::ClientRejected => {
                ", and the product refuses its client credentials"
            }
            _ => "",
        };
        let permissions = match connection.permissions.as_deref() {
            None => String::from("none: the product doesn't use them"),
            Some([]) => String::from("the product's default"),
            Some(named) => named.join(" "),
        };
        let allowed = match connection.allowed_requests.as_slice() {
            [] => String::new(),
            kinds => format!("  also allows    {}\n", kinds.join(" ")),
        };
        format!(
            "{}\n  product        {}\n  state          {}{rejected}\n  client ID      {}\n  client secret  {secret}\n  permissions    {permissions}\n{allowed}  redirect URI   {}",
            terminal.bold(connection.connection_name.as_str()),
            connection.product,
            connection.state.name(),
            connection.client_id.as_deref().unwrap_or("missing"),
            connection.redirect_uri,
        )
    });
}

/// What has to be done next with a connection that was just made.
fn show_new(connection: &Connection, terminal: &Terminal) {
    terminal.either(connection, || {
        let name = connection.connection_name.as_str();
        let uri = &connection.redirect_uri;
        let public_url = uri.split("/sso/").next().unwrap_or_default();
        let next = match connection.state {
            ConnectionState::Draft => format!(
                "Register it at the product. Then run: stead connections change {name} --client-id ID --client-secret-file FILE"
            ),
            _ => String::from("Register it at the product, exactly like this."),
        };
        format!(
            "{}  {}, {}\n  redirect URI  {uri}\n  {next}\n  All steps: {public_url}/dashboard/connections/{name}, or `stead connections show {name}`",
            terminal.bold(name),
            connection.product,
            connection.state.name(),
        )
    });
}

/// Markdown as a terminal shows it: without marks, and tables as lists.
fn plain(markdown: &str) -> String {
    let lines = markdown.lines().filter(|line| !line.starts_with("|--"));
    let lines = lines.map(|line| {
        let cells = line
            .strip_prefix('|')
            .and_then(|line| line.strip_suffix('|'));
        let line = match cells {
            Some(cells) => {
                let cells: Vec<&str> = cells.split('|').map(str::trim).collect();
                format!("  {}", cells.join("  "))
            }
            None => line.to_owned(),
        };
        line.replace("**", "").replace('`', "")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What to do at the product.
fn set_up(connection: &Connection, terminal: &Terminal) {
    let catalogue = stead::products::catalogue();
    let Some(product) = catalogue.product(&connection.product) else {
        return;
    };
    if let Some(steps) = product.set_up(
        connection.connection_name.as_str(),
        &connection.redirect_uri,
    ) {
        let steps = plain(&steps);
        terminal.note(format_args!("\n{}\n\n{steps}", terminal.bold("Set-up")));
    }
    // The set-up steps refer to the scopes.
    if let Some(scopes) = product.scopes() {
        let scopes = plain(scopes);
        terminal.note(format_args!("\n{}\n\n{scopes}", terminal.bold("Scopes")));
    }
}

fn object(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text).map_err(|error| format!("expected a JSON object: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_an_object() {
        assert_eq!(object(r#"{"a":1}"#).unwrap().len(), 1);
        assert!(object("[1]").is_err());
    }

    #[test]
    fn a_secret_file_has_priority() {
        let folder = std::env::temp_dir().join(format!("stead-cli-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("secret");
        std::fs::write(&file, "from the file\n").unwrap();
        let client = Client {
            client_id: None,
            client_secret_file: Some(file),
            client_secret: Some("from the environment".into()),
            permissions: Vec::new(),
            settings: None,
            allowed_requests: Vec::new(),
        };
        let secret = client.secret().unwrap().unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(
            secrecy::ExposeSecret::expose_secret(&secret),
            "from the file"
        );
    }
}
