//! The OAuth client of a connection: its ID and secret, and how they're sent to the authorization server.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::HeaderValue;
use secrecy::{ExposeSecret as _, SecretString};
use url::form_urlencoded;
use zeroize::Zeroizing;

use crate::{Error, ErrorKind, Result, context::Context, domain::Connection, sealed::place};

/// A client ID with its secret.
pub(super) struct ClientCredentials {
    pub(super) id: String,
    pub(super) secret: SecretString,
}

impl ClientCredentials {
    /// Returns the client of a connection, or `None` for a draft.
    pub(super) async fn of(context: &Context, connection: &Connection) -> Result<Option<Self>> {
        let (Some(id), Some(sealed)) = (&connection.client_id, &connection.client_secret) else {
            return Ok(None);
        };
        let place = place::ClientSecret(connection.id);
        let opened = context.store.vault.open(&place, sealed).await?;
        let secret = std::str::from_utf8(&opened).map_err(|_| {
            Error::new(
                ErrorKind::IntegrityViolated,
                "a stored client secret isn't text",
            )
        })?;
        Ok(Some(Self {
            id: id.clone(),
            secret: secret.into(),
        }))
    }

    /// RFC 6749, 2.3.1: both halves are form-encoded first.
    pub(super) fn basic(&self) -> Result<HeaderValue> {
        let encode =
            |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        let pair = Zeroizing::new(format!(
            "{}:{}",
            encode(&self.id),
            encode(self.secret.expose_secret())
        ));
        let mut value =
            HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(pair.as_bytes()))).map_err(
                |_| {
                    Error::new(
                        ErrorKind::Internal,
                        "the client ID or secret has characters that a header can't contain",
                    )
                },
            )?;
        value.set_sensitive(true);
        Ok(value)
    }
}
