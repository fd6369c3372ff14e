//! `stead mcp-sessions`: sessions of the Model Context Protocol, at a service or in the database.

use clap::{Args, Subcommand};
use secrecy::ExposeSecret as _;
use stead::{
    Stead,
    resource::{McpSession, NewMcpSession},
};
use stead_core::{
    resource::{DeleteMcpSession, ListMcpSessions, McpSessionFilter},
    results::View,
};

use super::call::Form;
use crate::{
    failure::{Flags, Outcome},
    target::Target,
    terminal::{Terminal, time},
};

pub(super) const FLAGS: Flags = &[
    ("/identifier", "--identifier", ""),
    ("/connections", "--connection", ""),
    ("/tools", "--tool", ""),
    ("/tool_set", "--tool-set", ""),
    ("/policy", "--policy", ""),
    ("/max_bytes", "--max-bytes", ""),
    ("/verify_url", "--verify-url", ""),
    ("/expires_in", "--expires-in", ""),
];

/// MCP sessions. Each one lets an agent call tools as one user, and nothing else.
#[derive(Debug, Args)]
pub(crate) struct McpSessions {
    #[command(subcommand)]
    command: McpSessionsCommand,
}

#[derive(Debug, Subcommand)]
enum McpSessionsCommand {
    /// Create a session, and print its token. Stead shows the token only once.
    Create {
        /// Your application's own ID of the user. Every call is for this user.
        #[arg(long)]
        identifier: String,
        #[command(flatten)]
        session: Session,
        #[command(flatten)]
        target: Target,
    },
    /// List active sessions.
    List {
        /// Only sessions of this user.
        #[arg(long)]
        identifier: Option<String>,
        #[command(flatten)]
        target: Target,
    },
    /// End a session.
    Delete {
        /// ID of the session, from `stead mcp-sessions list`.
        session_id: String,
        #[command(flatten)]
        target: Target,
    },
}

/// Limits of a session.
#[derive(Debug, Args)]
pub(super) struct Session {
    /// Connection that it may use. You can repeat this option. The default is all connections.
    #[arg(long = "connection", value_name = "NAME")]
    connections: Vec<String>,
    /// Tool that it may call. You can repeat this option. The default is all tools.
    #[arg(long = "tool", value_name = "NAME")]
    tools: Vec<String>,
    /// Set of the tools that the agent's list shows: core, read, all, search, a product, or one of your own. The agent
    /// finds the others by a search. The default is core, or all with --tool.
    #[arg(long, value_name = "NAME")]
    tool_set: Option<String>,
    /// Show each tool's output schema in the list.
    #[arg(long)]
    output_schemas: bool,
    /// Allow only tools that read.
    #[arg(long)]
    read_only: bool,
    /// Name of the policy for its calls.
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// View of its results. The default is `readable`.
    #[arg(long, value_enum, value_name = "VIEW")]
    view: Option<Form>,
    /// Most bytes of a result's data. The default is 40000.
    #[arg(long, value_name = "BYTES")]
    max_bytes: Option<u64>,
    /// Lifetime in seconds, from 60 to 86400.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    expires_in: u32,
}

impl Session {
    pub(super) fn to_new(&self, identifier: &str) -> NewMcpSession {
        let some = |names: &[String]| (!names.is_empty()).then(|| names.to_vec());
        let mut new = NewMcpSession::new(identifier).expires_in(self.expires_in);
        new.connections = some(&self.connections);
        new.tools = some(&self.tools);
        new.tool_set.clone_from(&self.tool_set);
        new.output_schemas = self.output_schemas;
        new.read_only = self.read_only;
        new.view = self.view.map(View::from);
        new.max_bytes = self.max_bytes;
        new.policy.clone_from(&self.policy);
        new
    }
}

impl McpSessions {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let (McpSessionsCommand::Create { target, .. }
        | McpSessionsCommand::List { target, .. }
        | McpSessionsCommand::Delete { target, .. }) = &self.command;
        let target = target.open().await?;
        let outcome = self.command.run(&target.stead, terminal).await;
        target.close().await;
        outcome.map_err(|failure| failure.with_flags(FLAGS))
    }
}

impl McpSessionsCommand {
    async fn run(&self, stead: &Stead, terminal: &Terminal) -> Outcome {
        match self {
            Self::Create {
                identifier,
                session,
                target,
            } => {
                let mut new = session.to_new(identifier);
                new.verify_url = target.verify_url();
                let made = stead.send(new).await?;
                terminal.either(&made, || made.token.expose_secret().to_owned());
                let (url, until) = (&made.url, made.session.expires_at);
                terminal.note(format_args!("It is valid at {url} until {}.", time(until)));
            }
            Self::List { identifier, .. } => {
                let all = match identifier {
                    Some(identifier) => {
                        stead
                            .list(
                                ListMcpSessions::new()
                                    .filter(McpSessionFilter::of(Some(identifier))),
                            )
                            .all()
                            .await?
                    }
                    None => stead.list(ListMcpSessions::new()).all().await?,
                };
                list(&all, terminal);
            }
            Self::Delete { session_id, .. } => {
                stead.send(DeleteMcpSession::new(session_id)).await?;
                terminal.note(format_args!("Ended {session_id}."));
            }
        }
        Ok(())
    }
}

fn list(all: &[McpSession], terminal: &Terminal) {
    if terminal.json() {
        terminal.result_json(&all);
    } else if all.is_empty() {
        terminal.note("There are no MCP sessions.");
    } else {
        let all_of_them = || String::from("all");
        let rows = all.iter().map(|session| {
            [
                session.session_id.to_string(),
                session.identifier.to_string(),
                session
                    .connections
                    .as_ref()
                    .map_or_else(all_of_them, |names| names.join(" ")),
                time(session.expires_at),
                session.client_id.clone().unwrap_or_default(),
            ]
        });
        let titles = ["ID", "IDENTIFIER", "CONNECTIONS", "UNTIL", "CREATED BY"];
        terminal.table(titles, rows.collect());
    }
}
