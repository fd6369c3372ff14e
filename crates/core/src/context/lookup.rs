//! Lookups of rows that a service needs. A missing row is an error.
//!
//! A row that the caller can't see counts as missing. That's decided here, so that no service can forget it. Lists ask
//! `Caller::sees` for each row.

use std::sync::Arc;

use futures_util::FutureExt as _;

use super::{Context, Endpoints, TokenSet};
use crate::{
    Error, ErrorKind, Result,
    caller::{Application, Caller},
    domain::{
        Account, AccountRef, AppCredential, Authorization, Connection, Policy,
        account_ref::{connection_name, unknown_connection},
    },
    identifier::{AuthorizationId, ConnectionId, ConnectionName, McpSessionId},
    resource,
    store::Versioned,
};

impl Context {
    pub(crate) async fn account_rows(
        &self,
        of: &AccountRef,
    ) -> Result<(Versioned<Connection>, Versioned<Account>)> {
        let connection = self.existing_connection(&of.connection).await?;
        let account = self
            .store
            .account_of(connection.row.id, &of.identifier)
            .await?;
        let account = account.ok_or_else(|| {
            Error::new(
                ErrorKind::AccountNotFound,
                format!(
                    "this user has no account at the connection {}; create a link with POST /v1/authorization-links",
                    of.connection
                ),
            )
            .with_context("identifier", of.identifier.as_str())
        })?;
        Ok((connection, account))
    }

    pub(crate) async fn authorization_row(
        &self,
        id: AuthorizationId,
    ) -> Result<Versioned<Authorization>> {
        let row = self.store.authorization(id).await?;
        row.ok_or_else(|| {
            Error::new(
                ErrorKind::AuthorizationNotFound,
                "no authorization has this id",
            )
        })
    }

    pub(crate) async fn tokens(
        &self,
        account: &Account,
        generation: u64,
    ) -> Result<Option<TokenSet>> {
        let row = self.store.credential(account.id, generation).await?;
        let Some(row) = row.map(|row| row.row) else {
            return Ok(None);
        };
        let Some(sealed) = &row.sealed else {
            return Ok(None);
        };
        let opened = TokenSet::open(
            &self.store.vault,
            account,
            generation,
            row.client_epoch,
            sealed,
        )
        .await?;
        Ok(Some(opened.issued(row.created_at)))
    }

    /// A connection by the name that a request gives.
    pub(crate) async fn connection_row(&self, name: &str) -> Result<Versioned<Connection>> {
        self.existing_connection(&connection_name(name)?).await
    }

    /// A connection by name. A connection that the caller can't see counts as missing.
    pub(crate) async fn existing_connection(
        &self,
        name: &ConnectionName,
    ) -> Result<Versioned<Connection>> {
        self.check_seen(name).await?;
        match self.store.connection_named(name).await? {
            Some(found) => Ok(found),
            None => Err(self.unknown(name).await?),
        }
    }

    /// Rejects a connection that the caller can't see, with the same message as for a missing one.
    pub(crate) async fn check_seen(&self, name: &ConnectionName) -> Result<()> {
        match self.caller.sees(name.as_str()) {
            true => Ok(()),
            false => Err(self.unknown(name).await?),
        }
    }

    async fn unknown(&self, name: &ConnectionName) -> Result<Error> {
        let known = self.store.connections(None, 100).await?;
        let known = known.iter().map(|known| known.row.name.as_str());
        let known = known.filter(|known| self.caller.sees(known));
        Ok(unknown_connection(name.as_str(), known))
    }

    /// A policy by the name that a request gives in its member `policy`.
    pub(crate) async fn existing_policy(&self, name: &str) -> Result<Versioned<Policy>> {
        let found = self.store.policy(name).await?;
        found.ok_or_else(|| {
            let shown: String = name.chars().take(80).collect();
            Error::invalid_at("/policy", format!("no policy has the name {shown:?}"))
        })
    }

    /// Whether the caller can see a credential. A caller that is limited to some connections can only see credentials
    /// that are limited to these, and a caller with a policy only those with that policy.
    pub(crate) fn sees_credential(&self, row: &AppCredential) -> bool {
        let own = self.caller.policies().into_iter().flatten().next();
        self.caller.connections().cover(&row.connections)
            && own.is_none_or(|own| row.policy.as_deref() == Some(own))
    }

    /// The caller of a valid credential or MCP session, by the ID in a request's member `caller`.
    pub(crate) async fn existing_caller(&self, id: &str) -> Result<Caller> {
        let missing = || {
            let shown: String = id.chars().take(80).collect();
            let message = format!("no active credential or MCP session has the id {shown:?}");
            Error::invalid_at("/caller", message)
        };
        let session = match id.parse::<McpSessionId>() {
            Ok(id) => self.store.mcp_session(id).await?,
            Err(_) => None,
        };
        let session = session.map(|found| found.row);
        let client_id = match &session {
            Some(session) => session.client_id.as_deref(),
            None => Some(id),
        };
        let credential = match client_id {
            Some(client_id) => {
                let found = self.store.app_credential(client_id).await?;
                let found = found.map(|found| found.row);
                let seen = found.filter(|row| self.sees_credential(row));
                Some(
                    seen.filter(|row| row.is_live(self.host.now()))
                        .ok_or_else(missing)?,
                )
            }
            None => None,
        };
        match (session, credential) {
            (Some(session), maker) => {
                let seen = self.caller.connections().cover(&session.connections);
                let live = seen && session.expires_at > self.host.now();
                live.then(|| session.caller(maker)).ok_or_else(missing)
            }
            (None, Some(credential)) => Ok(Caller::Application(Arc::new(Application {
                scopes: credential.scopes(),
                client_id: credential.client_id,
                rate_per_minute: credential.rate_per_minute,
                connections: credential.connections,
                policy: credential.policy,
            }))),
            (None, None) => Err(missing()),
        }
    }

    /// Whether the caller can see the connection with this ID.
    pub(crate) async fn sees(&self, id: ConnectionId) -> bool {
        let names = match self.caller.connections().are_all() {
            true => return true,
            false => self.names_of(id).await,
        };
        names.is_some_and(|(name, _)| self.caller.sees(name.as_str()))
    }

    /// A connection by ID.
    pub(crate) async fn connection_by_id(&self, id: ConnectionId) -> Result<Versioned<Connection>> {
        let row = self.store.connection(id).await?;
        row.ok_or_else(|| Error::new(ErrorKind::UnknownConnection, "no connection has this id"))
    }

    /// Every connection, by name.
    pub(crate) async fn all_connections(&self) -> Result<Vec<Connection>> {
        const PAGE: u32 = 100;
        let mut all: Vec<Connection> = Vec::new();
        loop {
            let after = all.last().map(|last| last.name.to_string());
            let page = self.store.connections(after.as_deref(), PAGE).await?;
            let last = page.len() < PAGE as usize;
            all.extend(page.into_iter().map(|found| found.row));
            if last {
                return Ok(all);
            }
        }
    }

    /// All connections that the caller can see.
    pub(crate) async fn seen_connections(&self) -> Result<Vec<Connection>> {
        let mut all = self.all_connections().await?;
        all.retain(|connection| self.caller.sees(connection.name.as_str()));
        Ok(all)
    }

    /// All connections as of the last few seconds. Calls use this, because it reads nothing.
    pub(crate) async fn known_connections(&self) -> Result<Arc<Vec<Connection>>> {
        self.remembered(
            |shared| &shared.memory.connections,
            |context| async move { context.all_connections().await }.boxed(),
        )
        .await
    }

    /// A connection's endpoints.
    pub(crate) fn endpoints_of(&self, connection: &Connection) -> Result<Arc<Endpoints>> {
        self.products
            .endpoints(&connection.product)?
            .of(&connection.settings)
    }
}

/// An account as applications see it.
pub(crate) fn account_view(connection: &Connection, row: Account) -> resource::Account {
    row.through(connection).shown(connection)
}
