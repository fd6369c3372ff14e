//! Creates, lists and deletes MCP sessions, and makes links for their users.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use secrecy::ExposeSecret as _;

use super::{PREFIX, is_seen, missing, own};
use crate::{
    Error, ErrorKind, Result,
    caller::{Caller, Connections},
    catalogue::ToolSet,
    context::{Context, change::Change},
    digest::Digest,
    domain::McpSession,
    error::Violation,
    identifier::{Identifier, McpSessionId},
    resource::{
        self, DeleteMcpSession, IssuedMcpSession, ListMcpSessions, NewAuthorizationLink,
        NewMcpSession, Page, ReadMcpSession,
    },
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
    let tool_set = ToolSet::of_list(new.tool_set.as_deref(), tools.is_some()).to_owned();
    context.products.catalogue.set(&tool_set)?;
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
        tool_set: Some(tool_set),
        output_schemas: new.output_schemas,
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

/// Checks that tools exist, and returns their current names.
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

/// The valid sessions of a user or all, oldest first. A page can have fewer than `page_size` items even if more follow.
pub(crate) async fn list(
    context: &Context,
    list: ListMcpSessions,
) -> Result<Page<resource::McpSession>> {
    let identifier = list.filter.identifier.as_deref();
    let of = identifier.map(Identifier::new).transpose()?;
    let (after, limit) = (list.page.after()?, list.page.limit());
    let rows = context.store.mcp_sessions(of.as_ref(), after, limit);
    let rows = rows.await?;
    let next = list.page.next(&rows, |row| row.id);
    let now = context.host.now();
    let live = rows
        .into_iter()
        .map(|found| found.row)
        .filter(|row| row.expires_at > now && is_seen(context, row));
    Ok(Page::new(live.map(McpSession::shown).collect(), next))
}

/// A valid session.
pub(crate) async fn read(context: &Context, read: ReadMcpSession) -> Result<resource::McpSession> {
    let session_id = read.session_id.as_str();
    let id: McpSessionId = session_id.parse().map_err(|_| missing())?;
    let found = context.store.mcp_session(id).await?;
    let row = found.map(|found| found.row);
    let live = row.filter(|row| row.expires_at > context.host.now() && is_seen(context, row));
    live.map(McpSession::shown).ok_or_else(missing)
}

/// Revokes a session: immediately in this process, within 1 s in others.
pub(crate) async fn delete(context: &Context, delete: DeleteMcpSession) -> Result<()> {
    let session_id = delete.session_id.as_str();
    let id: McpSessionId = session_id.parse().map_err(|_| missing())?;
    let digest = context
        .change(
            "mcp_session.delete",
            || context.store.mcp_session(id),
            |found| {
                let found = found.filter(|found| is_seen(context, &found.row));
                let found = found.ok_or_else(missing)?;
                let change = Change::none()
                    .event(found.row.event("mcp_session.ended"))
                    .audit(found.row.audit("mcp_session.ended"))
                    .delete(found.row.id, found.version);
                Ok((change, found.row.token))
            },
        )
        .await?;
    context.memory.access_tokens.forget_token(&digest);
    Ok(())
}

/// The request for a link: for the session's own user, who returns to the URL that the session's creator chose.
pub(crate) fn new_link(
    context: &Context,
    connection_name: &str,
    scopes: Option<Vec<String>>,
) -> Result<NewAuthorizationLink> {
    let session = own(context)?;
    context.caller.check(ScopeName::LinksCreate)?;
    Ok(NewAuthorizationLink {
        verify_url: session.verify_url.clone(),
        scopes,
        ..NewAuthorizationLink::new(connection_name, session.identifier.as_str())
    })
}
