//! Creates an MCP session.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use secrecy::ExposeSecret as _;

use super::PREFIX;
use crate::{
    Error, ErrorKind, Result,
    caller::{Caller, Connections},
    context::{Context, change::Change},
    digest::Digest,
    domain::McpSession,
    error::Violation,
    identifier::{Identifier, McpSessionId},
    resource::{IssuedMcpSession, NewMcpSession},
    scope::ScopeName,
    store::Records,
};

/// Default lifetime in seconds, then the minimum and the maximum.
const LIFE: u32 = 3600;
const SHORTEST: u32 = 60;
const LONGEST: u32 = 86_400;

/// Creates a session for a user. The user doesn't need an account yet. If a call needs one, the session asks the user
/// to connect it.
pub(crate) async fn create(context: &Context, new: NewMcpSession) -> Result<IssuedMcpSession> {
    let client_id = match context.caller.as_ref() {
        Caller::Application(application) => Some(application.client_id.clone()),
        Caller::AccountToken(_) | Caller::McpSession(_) => {
            return Err(Error::new(
                ErrorKind::InsufficientScope,
                "an account token or an MCP session can't create MCP sessions; use the application's own token",
            ));
        }
        Caller::Operator | Caller::Member(_) | Caller::User | Caller::Stead => None,
    };
    // A session gives no more than its creator has. Every call checks the scopes for its product.
    context.caller.check(ScopeName::ToolsExecute)?;
    let seconds = new.expires_in.unwrap_or(LIFE);
    if !(SHORTEST..=LONGEST).contains(&seconds) {
        return Err(Error::invalid_at(
            "/expires_in",
            format!("expected {SHORTEST} to {LONGEST} seconds, the lifetime of an MCP session"),
        ));
    }
    if new.max_bytes == Some(0) {
        return Err(Error::invalid_at("/max_bytes", "expected at least 1"));
    }
    let identifier = Identifier::new(new.identifier)?;
    let connections = connections(context, new.connections.as_deref()).await?;
    let tools = new.tools.as_deref();
    let tools = tools.map(|names| known_tools(context, names)).transpose()?;
    let policy = match &new.policy {
        Some(name) => Some(context.existing_policy(name).await?),
        None => None,
    };
    let verify_url = context.site.checked_verify_url(new.verify_url.as_deref())?;
    let token = context.host.new_secret(PREFIX);
    let now = context.host.now();
    let life = SignedDuration::from_secs(i64::from(seconds));
    let row = McpSession {
        id: McpSessionId::from_uuid(context.host.new_id()),
        token: Digest::of(token.expose_secret()),
        identifier,
        connections,
        tools,
        read_only: new.read_only,
        policy: new.policy,
        view: new.view,
        max_bytes: new.max_bytes,
        verify_url,
        client_id,
        created_at: now,
        expires_at: now.checked_add(life).unwrap_or(Timestamp::MAX),
    };
    let issued = IssuedMcpSession {
        session: row.clone().shown(),
        url: context.site.at("/mcp"),
        token,
    };
    let exists = Error::new(ErrorKind::Internal, "two tokens are the same");
    let mut created = Change::none()
        .audit(row.audit("mcp_session.created"))
        .insert(row);
    if let Some(found) = policy {
        created = created.guard(Records::policy_key(&found.row.name), found.version);
    }
    context.add("mcp_session.create", created, exists).await?;
    Ok(issued)
}

/// Connections by name, which the caller has to be able to see. If no names are given, the caller's connections.
async fn connections(context: &Context, names: Option<&[String]>) -> Result<Connections> {
    let Some(names) = names else {
        return Ok(context.caller.connections().clone());
    };
    if names.is_empty() {
        let message =
            "give at least one connection, or leave this member out to allow all connections";
        return Err(Error::invalid_at("/connections", message));
    }
    let mut found = Vec::new();
    for name in names {
        found.push(context.connection_row(name).await?.row.name);
    }
    Ok(Connections::only(found))
}

/// Tools that there are, by their present names.
fn known_tools(context: &Context, names: &[String]) -> Result<BTreeSet<String>> {
    if names.is_empty() {
        let message = "give at least one tool, or leave this member out to allow all tools";
        return Err(Error::invalid_at("/tools", message));
    }
    let (mut found, mut violations) = (BTreeSet::new(), Vec::new());
    for (index, name) in names.iter().enumerate() {
        match context.products.catalogue.find(name, None, None) {
            Ok(tool) => drop(found.insert(tool.entry().name().to_owned())),
            Err(error) => violations.push(Violation::new(
                format!("/tools/{index}"),
                "enum",
                error.message(),
            )),
        }
    }
    if violations.is_empty() {
        Ok(found)
    } else {
        Err(Error::invalid(violations))
    }
}
