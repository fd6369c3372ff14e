//! Credentials of the application: client id, secret, bearer token.

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use secrecy::{ExposeSecret as _, SecretString};
use subtle::ConstantTimeEq as _;

use crate::{
    Error, ErrorKind, Result,
    connection::invalid,
    environment::Environment,
    store::{AccessTokenRow, AppCredentialRow, Batch, Digest},
};

const TOKEN_LIFE: SignedDuration = SignedDuration::from_hours(1);
/// A token that was good is taken for so long without asking the store: a revocation acts after that at the latest.
const CACHED: Duration = Duration::from_secs(5);
/// While the store is down, such a token is taken for so long.
const OUTAGE: Duration = Duration::from_secs(300);
const CAPACITY: usize = 10_000;

/// A client id with its secret, which is shown once.
#[derive(Debug)]
#[non_exhaustive]
pub struct NewAppCredential {
    /// Client id.
    pub client_id: String,
    /// Client secret; only its fingerprint is kept.
    pub client_secret: SecretString,
}

/// A bearer token.
#[derive(Debug)]
#[non_exhaustive]
pub struct IssuedToken {
    /// The token; only its fingerprint is kept.
    pub access_token: SecretString,
    /// Life in seconds.
    pub expires_in: u64,
}

/// Bearer tokens that were good a moment ago.
#[derive(Debug, Default)]
pub(crate) struct AccessTokens(RwLock<HashMap<Digest, (Timestamp, Duration)>>);

impl Environment {
    /// Makes a client id and secret for the application.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for a name that is empty, longer than 100 characters, or holds control characters.
    pub async fn create_app_credential(&self, name: &str) -> Result<NewAppCredential> {
        if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
            return Err(invalid(
                "/name",
                "a name has 1 to 100 characters and no control characters",
            ));
        }
        let client_id = format!("app_{}", self.new_id().as_simple());
        let client_secret = self.new_secret("stead_secret_");
        let row = AppCredentialRow {
            client_id: client_id.clone(),
            name: name.to_owned(),
            secret: Digest::of(client_secret.expose_secret()),
            created_at: self.now(),
        };
        self.commit_or(
            Batch::new().insert(row),
            Error::new(ErrorKind::AlreadyExists, "this client id exists"),
        )
        .await?;
        Ok(NewAppCredential {
            client_id,
            client_secret,
        })
    }

    /// Exchanges a client id and secret for a bearer token (RFC 6749, 4.4).
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`], the same for an unknown id and a wrong secret.
    pub async fn issue_access_token(
        &self,
        client_id: &str,
        client_secret: &str,
    ) -> Result<IssuedToken> {
        let given = Digest::of(client_secret);
        let known = self.store().app_credential(client_id).await?;
        // An unknown id takes the same path as a wrong secret.
        let expected = known.map_or_else(|| Digest::of(""), |row| row.row.secret);
        if !bool::from(
            expected
                .as_str()
                .as_bytes()
                .ct_eq(given.as_str().as_bytes()),
        ) || client_secret.is_empty()
        {
            return Err(Error::new(
                ErrorKind::Unauthenticated,
                "the client id or the client secret is wrong",
            ));
        }
        let access_token = self.new_secret("stead_token_");
        let expires_at = self.now().checked_add(TOKEN_LIFE).unwrap_or(Timestamp::MAX);
        let row = AccessTokenRow {
            token: Digest::of(access_token.expose_secret()),
            client_id: client_id.to_owned(),
            expires_at,
        };
        self.commit_or(
            Batch::new().insert(row),
            Error::new(ErrorKind::Internal, "two tokens are the same"),
        )
        .await?;
        Ok(IssuedToken {
            access_token,
            expires_in: TOKEN_LIFE.as_secs().unsigned_abs(),
        })
    }

    /// Checks a bearer token.
    ///
    /// # Errors
    /// [`ErrorKind::Unauthenticated`].
    pub async fn authenticate(&self, bearer: &str) -> Result<()> {
        self.tasks().open()?;
        let fingerprint = Digest::of(bearer);
        let (now, monotonic) = (self.now(), self.monotonic());
        if self
            .access_tokens()
            .is_good(&fingerprint, now, monotonic, CACHED)
        {
            return Ok(());
        }
        match self.check_access_token(&fingerprint, now).await {
            Ok(expires_at) => {
                self.access_tokens()
                    .keep(fingerprint, expires_at, monotonic);
                Ok(())
            }
            Err(error)
                if error.kind() == ErrorKind::StorageUnavailable
                    && self
                        .access_tokens()
                        .is_good(&fingerprint, now, monotonic, OUTAGE) =>
            {
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    async fn check_access_token(&self, fingerprint: &Digest, now: Timestamp) -> Result<Timestamp> {
        let refused = || {
            Error::new(
                ErrorKind::Unauthenticated,
                "the bearer token is unknown or expired; get one at POST /oauth/token",
            )
        };
        let row = self
            .store()
            .access_token(fingerprint)
            .await?
            .ok_or_else(refused)?
            .row;
        if row.expires_at <= now || self.store().app_credential(&row.client_id).await?.is_none() {
            return Err(refused());
        }
        Ok(row.expires_at)
    }
}

impl AccessTokens {
    fn is_good(
        &self,
        token: &Digest,
        now: Timestamp,
        monotonic: Duration,
        fresh: Duration,
    ) -> bool {
        let cached = self.0.read().unwrap_or_else(PoisonError::into_inner);
        cached.get(token).is_some_and(|(expires_at, at)| {
            *expires_at > now && monotonic.saturating_sub(*at) < fresh
        })
    }

    fn keep(&self, token: Digest, expires_at: Timestamp, monotonic: Duration) {
        let mut cached = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if cached.len() >= CAPACITY {
            cached.clear();
        }
        cached.insert(token, (expires_at, monotonic));
    }
}
