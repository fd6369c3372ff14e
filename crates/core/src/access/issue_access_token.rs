//! Exchanges a client id and secret for a bearer token.

use jiff::{SignedDuration, Timestamp};
use secrecy::{ExposeSecret as _, SecretString};

use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    digest::Digest,
    domain::AccessToken,
};

const TOKEN_LIFE: SignedDuration = SignedDuration::from_hours(1);

/// A bearer token.
#[derive(Debug)]
#[non_exhaustive]
pub struct IssuedToken {
    /// The token; only its digest is kept.
    pub access_token: SecretString,
    /// Life in seconds.
    pub expires_in: u64,
}

/// Exchanges a client id and secret for a bearer token (RFC 6749, 4.4).
pub(crate) async fn issue_access_token(
    context: &Context,
    client_id: &str,
    client_secret: &str,
) -> Result<IssuedToken> {
    let known = context.store.app_credential(client_id).await?;
    // An unknown id takes the same path as a wrong secret.
    let expected = known.map_or_else(|| Digest::of(""), |row| row.row.secret);
    if !expected.is_of(client_secret) || client_secret.is_empty() {
        return Err(Error::new(
            ErrorKind::Unauthenticated,
            "the client id or the client secret is wrong",
        ));
    }
    let access_token = context.new_secret("stead_token_");
    let expires_at = context
        .now()
        .checked_add(TOKEN_LIFE)
        .unwrap_or(Timestamp::MAX);
    let row = AccessToken {
        token: Digest::of(access_token.expose_secret()),
        client_id: client_id.to_owned(),
        expires_at,
    };
    let exists = Error::new(ErrorKind::Internal, "two tokens are the same");
    context
        .add("token.issue", Change::none().insert(row), exists)
        .await?;
    Ok(IssuedToken {
        access_token,
        expires_in: TOKEN_LIFE.as_secs().unsigned_abs(),
    })
}
