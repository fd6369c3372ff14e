//! The OAuth clients of products.

use std::fmt;

use stead_core::{
    Error, ErrorKind, Result,
    resource::{
        ChangeConnection, Connection, ConnectionChange, DeleteConnection, ListConnections,
        NewConnection, ReadConnection,
    },
};

use super::list::List;
use crate::backend::Backend;

/// Connections. Each is one product's OAuth client, under a name that you choose.
#[derive(Clone)]
pub struct Connections(Backend);

impl Connections {
    pub(crate) fn new(backend: Backend) -> Self {
        Self(backend)
    }

    /// Creates a connection. It has the redirect URI that you register at the product. Without an OAuth client it is a
    /// draft.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`], which names the invalid members. [`ErrorKind::AlreadyExists`] if the name is
    /// taken.
    pub async fn create(&self, new: NewConnection) -> Result<Connection> {
        self.0.send(new).await
    }

    /// Creates a connection, or updates the one of that name. Members that `new` doesn't set stay as they are. Call it
    /// each time your program starts: if nothing differs, nothing changes.
    ///
    /// ```
    /// # #[cfg(all(feature = "platform", feature = "reqwest", feature = "mail"))]
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> stead::Result<()> {
    /// # use stead::{NewConnection, Platform};
    /// # let platform = Platform::builder("https://stead.example.com").ephemeral_key().in_memory().build().await?;
    /// let mail = NewConnection::mail("mail").client("your-client-id", "your-client-secret");
    /// let first = platform.connections().ensure(mail.clone()).await?;
    /// let again = platform.connections().ensure(mail).await?;
    /// assert_eq!(first, again);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "platform", feature = "reqwest", feature = "mail")))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`], which names the invalid members. [`ErrorKind::WrongProduct`] if the name belongs
    /// to a connection of another product.
    pub async fn ensure(&self, new: NewConnection) -> Result<Connection> {
        let created = self.0.send(new.clone()).await;
        if !created
            .as_ref()
            .is_err_and(|error| error.kind() == ErrorKind::AlreadyExists)
        {
            return created;
        }
        let present = self.read(&new.connection_name).await?;
        if present.product != new.product {
            let message = format!(
                "the connection {} is for {} and can't be changed to {}",
                present.connection_name, present.product, new.product
            );
            return Err(Error::new(ErrorKind::WrongProduct, message));
        }
        let mut change = ConnectionChange::default();
        change.client_id = new.client_id;
        change.client_secret = new.client_secret;
        change.permissions = new.permissions;
        change.settings = (!new.settings.is_empty()).then_some(new.settings);
        change.allowed_requests = new.allowed_requests;
        self.change(&new.connection_name, change).await
    }

    /// All connections, by name.
    pub fn list(&self) -> List<Connection> {
        List::of(self.0.clone(), ListConnections::new())
    }

    /// One connection.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownConnection`].
    pub async fn read(&self, name: &str) -> Result<Connection> {
        self.0.send(ReadConnection::new(name)).await
    }

    /// Changes a connection. If you change the client ID, all of its accounts must authorize again. If you change only
    /// the secret, they stay connected.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownConnection`]; [`ErrorKind::InvalidRequest`], which names the invalid members.
    pub async fn change(&self, name: &str, change: ConnectionChange) -> Result<Connection> {
        self.0.send(ChangeConnection::new(name, change)).await
    }

    /// Deletes a connection that has no usable account. Its other accounts are deleted too.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownConnection`], [`ErrorKind::InvalidTransition`] while accounts hold credentials.
    pub async fn delete(&self, name: &str) -> Result<()> {
        self.0.send(DeleteConnection::new(name)).await
    }
}

impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connections").finish_non_exhaustive()
    }
}
