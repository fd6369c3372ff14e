//! The client of a Stead service.

#[cfg(test)]
mod tests;

use std::{fmt, sync::Arc};

use secrecy::SecretString;
#[cfg(doc)]
use stead_core::ErrorKind;
use stead_core::{Result, ports::Transport};

use crate::{
    backend::Backend,
    handles::{Stead, operations},
    remote::Service,
};

/// A client of a Stead service. It fetches a bearer token with the application's credentials, keeps it, and fetches
/// another one when the service refuses it.
///
/// Clones are cheap and share the token and the connections.
///
/// ```no_run
/// # #[cfg(all(feature = "client", feature = "reqwest", feature = "mail"))]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> stead::Result<()> {
/// use stead::{Client, mail::FetchMails};
///
/// // `stead serve`, and what `stead credentials create` printed.
/// let stead = Client::new("https://stead.example.com", "app_…", "stead_secret_…")?;
/// let ada = stead.account("mail", "user-42")?;
/// let unread = FetchMails::query("is:unread");
/// for message in ada.call(&unread).await?.output()?.messages {
///     println!("{message:?}");
/// }
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "client", feature = "reqwest", feature = "mail")))]
/// # fn main() {}
/// ```
///
/// | To | use |
/// |---|---|
/// | register a product's OAuth client | [`connections`](Self::connections) |
/// | act as one user, or connect one | [`account`](Self::account) |
/// | confirm who came back | [`authorizations`](Self::authorizations) |
/// | see who is connected | [`accounts`](Self::accounts) |
/// | see what can be called | [`tools`](Self::tools) |
/// | do anything else | [`send`](Self::send) and [`list`](Self::list) |
/// | do it with plain names | [`actions`](Self::actions) |
#[derive(Clone)]
pub struct Client {
    service: Arc<Service>,
    stead: Stead,
}

operations!(Client);

impl Client {
    /// A client of the service at `environment_url`, with the application's credentials. Sends nothing yet.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if the URL is not an http(s) URL, has a query, or is plain http beyond this
    /// machine.
    #[cfg(feature = "reqwest")]
    pub fn new(
        environment_url: &str,
        client_id: impl Into<String>,
        client_secret: impl Into<SecretString>,
    ) -> Result<Self> {
        Self::with_transport(
            environment_url,
            client_id,
            client_secret,
            crate::default_transport(None)?,
        )
    }

    /// The same over a transport of your own.
    ///
    /// # Errors
    /// As for the URL in `Client::new`.
    pub fn with_transport(
        environment_url: &str,
        client_id: impl Into<String>,
        client_secret: impl Into<SecretString>,
        transport: Arc<dyn Transport>,
    ) -> Result<Self> {
        let service = Arc::new(Service::new(
            environment_url,
            client_id.into(),
            client_secret.into(),
            transport,
        )?);
        Ok(Self {
            stead: Stead::new(Backend::Client(Arc::clone(&service))),
            service,
        })
    }
}

impl fmt::Debug for Client {
    /// Shows only the service's URL.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("environment_url", &self.service.url())
            .finish_non_exhaustive()
    }
}
