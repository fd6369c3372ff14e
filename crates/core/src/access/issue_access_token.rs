//! Exchanges a client ID and secret for a bearer token.

use jiff::{SignedDuration, Timestamp};
use secrecy::{ExposeSecret as _, SecretString};

use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    digest::Digest,
    domain::{AccessToken, AppSecret},
    scope::Scopes,
};

const TOKEN_LIFE: SignedDuration = SignedDuration::from_hours(1);

/// A bearer token for an application.
#[derive(Debug)]
#[non_exhaustive]
pub struct IssuedToken {
    /// The token. Stead stores only its digest.
    pub access_token: SecretString,
    /// Lifetime in seconds.
    pub expires_in: u64,
    /// Scopes of the token.
    pub scopes: Scopes,
}

/// Exchanges a client ID and secret for a bearer token (RFC 6749, 4.4). The token gets all scopes of the credential, or
/// only those that are requested.
pub(crate) async fn issue_access_token(
    context: &Context,
    client_id: &str,
    client_secret: &str,
    scope: Option<&str>,
) -> Result<IssuedToken> {
    let now = context.host.now();
    let known = context.store.app_credential(client_id).await?;
    let known = known.map(|found| found.row).filter(|row| row.is_live(now));
    // An unknown ID takes the same path as a wrong secret: Stead always compares two digests.
    let secrets = known.as_ref().map(|row| row.live_secrets(now));
    let secrets = secrets.unwrap_or_default();
    let nothing = Digest::of("");
    let is_it = |secret: Option<&AppSecret>| {
        let digest = secret.map_or(&nothing, |secret| &secret.digest);
        digest.is_of(client_secret)
    };
    let (older, newer) = (secrets.first(), secrets.get(1));
    let secret = match (is_it(older), is_it(newer)) {
        (true, _) => older,
        (_, true) => newer,
        (false, false) => None,
    };
    let (Some(credential), Some(secret)) = (known, secret) else {
        return Err(Error::new(
            ErrorKind::Unauthenticated,
            "the client id or the client secret is wrong",
        ));
    };
    let of_credential = credential.scopes();
    let asked = scope.map(|scope| read(scope, &of_credential)).transpose()?;
    let end = [credential.expires_at, secret.expires_at];
    let expires_at = now.checked_add(TOKEN_LIFE).unwrap_or(Timestamp::MAX);
    let expires_at = end.into_iter().flatten().fold(expires_at, Timestamp::min);
    let access_token = context.host.new_checked_secret("stead_token_");
    let row = AccessToken {
        token: Digest::of(access_token.expose_secret()),
        client_id: client_id.to_owned(),
        secret_id: Some(secret.id.clone()),
        scopes: asked.as_ref().map(Scopes::words),
        expires_at,
    };
    let exists = Error::new(ErrorKind::Internal, "two tokens are the same");
    context
        .add("token.issue", Change::none().insert(row), exists)
        .await?;
    context
        .memory
        .access_tokens
        .note_use(client_id, &secret.id, now);
    Ok(IssuedToken {
        access_token,
        expires_in: expires_at.duration_since(now).as_secs().unsigned_abs(),
        scopes: asked.unwrap_or(of_credential),
    })
}

/// Parses the requested scopes. Each has to be a known scope of the credential.
fn read(asked: &str, of_credential: &Scopes) -> Result<Scopes> {
    let asked = Scopes::parse(asked.split(' ').filter(|word| !word.is_empty()))?;
    match of_credential.lacks(&asked) {
        None => Ok(asked),
        Some(lacking) => Err(Error::invalid_at(
            "/scope",
            format!("the credential doesn't have the scope {lacking}"),
        )),
    }
}
