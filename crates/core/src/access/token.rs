//! Tokens that callers present: access tokens, account tokens, MCP sessions and browser sessions. Each kind has its own
//! table, and every lookup goes through [`look_up`].

use jiff::Timestamp;

use crate::{
    Error, ErrorKind, Result,
    context::Context,
    digest::Digest,
    domain::AppCredential,
    store::{Records, Versioned},
};

/// A row of a token, which is found by the digest of what the caller presents.
pub(super) trait Token: Sized {
    /// The access that the token gives.
    type Opened;

    /// The error's message for every token that opens nothing. It never says why.
    const REFUSED: &'static str;

    /// The row with this digest.
    async fn find(store: &Records, digest: &Digest) -> Result<Option<Versioned<Self>>>;

    /// Client ID of the application that created the token. The token stops working with its credential.
    fn client_id(&self) -> Option<&str> {
        None
    }

    /// When the token itself expires.
    fn expires_at(&self) -> Timestamp;

    /// The access that the token gives, and when it ends if that's earlier than the token and its credential. `None` if
    /// the token gives no access any more.
    async fn open(
        found: Versioned<Self>,
        context: &Context,
        credential: Option<AppCredential>,
    ) -> Result<Option<(Self::Opened, Option<Timestamp>)>>;
}

/// Looks up a token. Returns the access that it gives, and when it expires.
///
/// # Errors
/// [`ErrorKind::Unauthenticated`] if the token is unknown, expired or revoked.
pub(super) async fn look_up<T: Token>(
    context: &Context,
    digest: &Digest,
) -> Result<(T::Opened, Timestamp)> {
    let refused = || Error::new(ErrorKind::Unauthenticated, T::REFUSED);
    let found = T::find(&context.store, digest).await?.ok_or_else(refused)?;
    let credential = match found.row.client_id() {
        Some(client_id) => {
            let credential = context.store.app_credential(client_id).await?;
            Some(credential.ok_or_else(refused)?.row)
        }
        None => None,
    };
    let own = found.row.expires_at();
    let end = credential.as_ref().and_then(|one| one.expires_at);
    let end = end.map_or(own, |end| end.min(own));
    if end <= context.host.now() {
        return Err(refused());
    }
    let opened = T::open(found, context, credential).await?;
    let (opened, stops) = opened.ok_or_else(refused)?;
    Ok((opened, stops.map_or(end, |stops| stops.min(end))))
}
