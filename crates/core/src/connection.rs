//! Connections: one product's OAuth client each.

use secrecy::{ExposeSecret as _, SecretString};

use crate::{
    Error, ErrorKind, Result,
    environment::Environment,
    identifier::{ConnectionId, ConnectionName},
    oauth::client_secret_place,
    product::{Permissions, Product},
    resource::{
        AccountReason, AccountState, Connection, ConnectionChange, ConnectionHealth,
        ConnectionState, NewConnection, Page,
    },
    store::{AccountRow, AuthorizationState, Batch, Commit, ConnectionRow, RowKey, Versioned},
};

impl Environment {
    /// Creates a connection and issues its redirect URI. Without client id or secret it is a draft.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] with the places, [`ErrorKind::AlreadyExists`] where the name is taken.
    pub async fn create_connection(&self, new: NewConnection) -> Result<Connection> {
        let name = ConnectionName::new(new.connection_name)?;
        let product = self.endpoints(&new.product)?.product;
        check_permissions(product, &new.permissions)?;
        (product.settings)(&new.settings)?;
        let mut row = ConnectionRow {
            id: ConnectionId::from_uuid(self.new_id()),
            name,
            product: product.name.to_owned(),
            client_id: checked_client_id(new.client_id)?,
            client_secret: None,
            permissions: new.permissions,
            settings: new.settings,
            state: ConnectionState::Draft,
            health: ConnectionHealth::ClientOk,
            created_at: self.now(),
            updated_at: self.now(),
        };
        self.set_client_secret(&mut row, new.client_secret.as_ref())?;
        row.state = settled(&row, false);
        let taken = Error::new(
            ErrorKind::AlreadyExists,
            format!("the connection {} exists", row.name),
        );
        let event = self.new_event(
            "connection.created",
            None,
            serde_json::json!({ "connection_name": row.name, "product": row.product }),
        );
        self.commit_or(Batch::new().insert(row.clone()).insert(event), taken)
            .await?;
        Ok(self.connection_resource(&row))
    }

    /// Connections by name.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn connections(
        &self,
        page_token: Option<&str>,
        page_size: u32,
    ) -> Result<Page<Connection>> {
        let limit = page_size.clamp(1, 100);
        let rows = self.store().connections(page_token, limit).await?;
        let next_page_token = (rows.len() == limit as usize)
            .then(|| rows.last().map(|row| row.row.name.to_string()))
            .flatten();
        Ok(Page {
            items: rows
                .iter()
                .map(|row| self.connection_resource(&row.row))
                .collect(),
            next_page_token,
        })
    }

    /// A connection.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownConnection`].
    pub async fn connection(&self, name: &str) -> Result<Connection> {
        Ok(self.connection_resource(&self.connection_row(name).await?.row))
    }

    /// Changes a connection. A new client id makes every account of it authorize again; a new secret does not.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownConnection`], [`ErrorKind::InvalidRequest`].
    pub async fn change_connection(
        &self,
        name: &str,
        change: ConnectionChange,
    ) -> Result<Connection> {
        let environment = self.clone();
        let name = name.to_owned();
        self.detached(async move { environment.apply_change(&name, change).await })
            .await
    }

    async fn apply_change(&self, name: &str, change: ConnectionChange) -> Result<Connection> {
        loop {
            let Versioned {
                mut row, version, ..
            } = self.connection_row(name).await?;
            let product = self.endpoints(&row.product)?.product;
            let before = row.clone();
            if let Some(permissions) = change.permissions.clone() {
                check_permissions(product, &permissions)?;
                row.permissions = permissions;
            }
            if change.client_id.is_some() {
                row.client_id = checked_client_id(change.client_id.clone())?;
            }
            if let Some(settings) = change.settings.clone() {
                (product.settings)(&settings)?;
                row.settings = settings;
            }
            if change.client_id.is_some() || change.client_secret.is_some() {
                row.health = ConnectionHealth::ClientOk;
            }
            self.set_client_secret(&mut row, change.client_secret.as_ref())?;
            row.state = settled(
                &row,
                change
                    .disabled
                    .unwrap_or(row.state == ConnectionState::Disabled),
            );
            row.updated_at = self.now();
            let event = self.new_event(
                "connection.changed",
                None,
                serde_json::json!({ "connection_name": row.name, "state": row.state }),
            );
            let outcome = self
                .store()
                .commit(Batch::new().update(row.clone(), version).insert(event))
                .await;
            self.snapshots().forget_connection(name);
            if outcome? == Commit::Conflict {
                continue;
            }
            let host = |row: &ConnectionRow| {
                (product.settings)(&row.settings)
                    .map(|derived| derived.host)
                    .ok()
            };
            if before.client_id.is_some()
                && (before.client_id != row.client_id || host(&before) != host(&row))
            {
                self.client_changed(&row).await?;
            }
            return Ok(self.connection_resource(&row));
        }
    }

    /// Deletes a connection that no usable account depends on; its other accounts go with it.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidTransition`] while accounts hold credentials: disconnect them first.
    pub async fn delete_connection(&self, name: &str) -> Result<()> {
        let Versioned { row, version, .. } = self.connection_row(name).await?;
        let mut batch = Batch::new().delete(RowKey::Connection(row.id), version);
        for account in self.accounts_of(row.id).await? {
            if !self.store().credentials(account.row.id).await?.is_empty() {
                return Err(Error::new(
                    ErrorKind::InvalidTransition,
                    format!(
                        "the account of {} is connected through {name}; disconnect its accounts first",
                        account.row.identifier
                    ),
                ));
            }
            batch = batch.delete(RowKey::Account(account.row.id), account.version);
        }
        let event = self.new_event(
            "connection.deleted",
            None,
            serde_json::json!({ "connection_name": name }),
        );
        let changed = Error::new(
            ErrorKind::InvalidTransition,
            "the connection changed meanwhile; try again",
        );
        self.commit_or(batch.insert(event), changed).await?;
        self.snapshots().forget_connection(name);
        Ok(())
    }

    /// Every account of a changed client has to authorize again, since tokens belong to the client and the host that
    /// issued them; what waits to be confirmed ends.
    async fn client_changed(&self, connection: &ConnectionRow) -> Result<()> {
        for Versioned { row, .. } in self.accounts_of(connection.id).await? {
            for waiting in self.store().authorizations(row.id, 50).await? {
                if waiting.row.state == AuthorizationState::Verifying {
                    // A conflict means that it was confirmed just now; the account is then changed below.
                    let _ = self
                        .end_authorization(waiting, AuthorizationState::Failed, "client_changed")
                        .await?;
                }
            }
            self.change_account(connection, row.id, |account| {
                Ok(client_changed(account).map(|row| (row, "account.needs_reauthorization")))
            })
            .await?;
        }
        Ok(())
    }

    async fn accounts_of(&self, connection: ConnectionId) -> Result<Vec<Versioned<AccountRow>>> {
        const PAGE: u32 = 500;
        let mut all = Vec::new();
        loop {
            let after = all
                .last()
                .map(|account: &Versioned<AccountRow>| account.row.id);
            let page = self.store().accounts(Some(connection), after, PAGE).await?;
            let last = page.len() < PAGE as usize;
            all.extend(page);
            if last {
                return Ok(all);
            }
        }
    }

    fn set_client_secret(
        &self,
        row: &mut ConnectionRow,
        secret: Option<&SecretString>,
    ) -> Result<()> {
        let Some(secret) = secret else { return Ok(()) };
        let text = secret.expose_secret();
        if text.is_empty() || text.len() > 1024 || text.chars().any(char::is_control) {
            return Err(invalid(
                "/client_secret",
                "a client secret has 1 to 1024 characters and no control characters",
            ));
        }
        row.client_secret = Some(
            self.vault()
                .seal(client_secret_place(row), text.as_bytes())?,
        );
        Ok(())
    }

    pub(crate) fn connection_resource(&self, row: &ConnectionRow) -> Connection {
        Connection {
            id: row.id,
            connection_name: row.name.clone(),
            product: row.product.clone(),
            state: row.state,
            health: row.health,
            client_id: row.client_id.clone(),
            has_client_secret: row.client_secret.is_some(),
            permissions: row.permissions.clone(),
            settings: row.settings.clone(),
            redirect_uri: self.redirect_uri(row.id),
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// The account of a client that is no more.
fn client_changed(account: &AccountRow) -> Option<AccountRow> {
    let mut row = account.clone();
    match account.state {
        AccountState::Active => row.state = AccountState::NeedsReauthorization,
        AccountState::Suspended if account.suspended_from == Some(AccountState::Active) => {
            row.suspended_from = Some(AccountState::NeedsReauthorization);
        }
        _ => return None,
    }
    row.reason = Some(AccountReason::ClientChanged);
    Some(row)
}

/// The scopes that a link through this connection asks for.
pub(crate) fn asked_scopes(
    product: &Product,
    connection: &ConnectionRow,
    given: Option<&[String]>,
) -> Result<Vec<String>> {
    let derived = (product.settings)(&connection.settings)?.scopes;
    let Permissions::Scopes { always, default } = product.oauth.permissions else {
        return Ok(derived);
    };
    let own: Vec<String> = match given {
        Some(given) => given.to_vec(),
        None if connection.permissions.is_empty() => {
            default.iter().map(|scope| (*scope).to_owned()).collect()
        }
        None => connection.permissions.clone(),
    };
    let mut scopes: Vec<String> = always
        .iter()
        .map(|scope| (*scope).to_owned())
        .chain(derived)
        .collect();
    for scope in own {
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    Ok(scopes)
}

/// Scopes and capabilities are visible ASCII without quotes (RFC 6749, 3.3).
pub(crate) fn check_permissions(product: &Product, permissions: &[String]) -> Result<()> {
    if product.oauth.permissions == Permissions::None && !permissions.is_empty() {
        return Err(invalid(
            "/permissions",
            "connections of this product take no permissions",
        ));
    }
    let capabilities = product.oauth.permissions == Permissions::Capabilities;
    for (index, permission) in permissions.iter().enumerate() {
        let well_formed = (1..=200).contains(&permission.len())
            && permission.bytes().all(|byte| {
                matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e) || capabilities && byte == b' '
            });
        if !well_formed {
            return Err(invalid(
                &format!("/permissions/{index}"),
                "a permission has 1 to 200 visible characters, no quotes and no spaces",
            ));
        }
    }
    if permissions.len() > 100 {
        return Err(invalid(
            "/permissions",
            "a connection has at most 100 permissions",
        ));
    }
    Ok(())
}

fn settled(row: &ConnectionRow, disabled: bool) -> ConnectionState {
    match (disabled, &row.client_id, &row.client_secret) {
        (true, ..) => ConnectionState::Disabled,
        (false, Some(_), Some(_)) => ConnectionState::Ready,
        (false, ..) => ConnectionState::Draft,
    }
}

fn checked_client_id(given: Option<String>) -> Result<Option<String>> {
    match given {
        Some(id)
            if id.is_empty()
                || id.len() > 512
                || !id.bytes().all(|byte| byte.is_ascii_graphic()) =>
        {
            Err(invalid(
                "/client_id",
                "a client id has 1 to 512 visible characters",
            ))
        }
        given => Ok(given),
    }
}

/// A malformed member of a request.
pub(crate) fn invalid(path: &str, message: &str) -> Error {
    Error::invalid_at(path, message)
}
