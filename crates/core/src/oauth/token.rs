use std::{borrow::Cow, fmt};

use http::HeaderValue;
use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::{
    Error, ErrorKind, Result,
    identifier::AccountId,
    seal::{Place, Vault},
    store::Sealed,
};

/// The tokens of one generation of an account's credential.
#[derive(Clone)]
pub(crate) struct TokenSet {
    access: SecretString,
    refresh: Option<SecretString>,
    expires_at: Option<Timestamp>,
    /// `Bearer …`, ready to send and marked as sensitive.
    bearer: HeaderValue,
}

impl TokenSet {
    pub(crate) fn new(access: SecretString, refresh: Option<SecretString>, expires_at: Option<Timestamp>) -> Result<Self> {
        let text = Zeroizing::new(format!("Bearer {}", access.expose_secret()));
        let mut bearer = HeaderValue::from_str(&text)
            .map_err(|_| Error::new(ErrorKind::ProductProtocolError, "the product issued a token that no header can carry"))?;
        bearer.set_sensitive(true);
        Ok(Self { access, refresh, expires_at, bearer })
    }

    pub(crate) fn bearer(&self) -> &HeaderValue {
        &self.bearer
    }
    pub(super) fn refresh_token(&self) -> Option<&SecretString> {
        self.refresh.as_ref()
    }
    /// The token whose revocation ends the grant: the refresh token where there is one.
    pub(super) fn revocable(&self) -> &SecretString {
        self.refresh.as_ref().unwrap_or(&self.access)
    }
    pub(crate) fn expires_at(&self) -> Option<Timestamp> {
        self.expires_at
    }

    pub(crate) fn seal(&self, vault: &Vault, account: AccountId, generation: u64) -> Result<Sealed> {
        let document = Document {
            access_token: Cow::Borrowed(self.access.expose_secret()),
            refresh_token: self.refresh.as_ref().map(|token| Cow::Borrowed(token.expose_secret())),
            expires_at: self.expires_at,
        };
        let text = Zeroizing::new(serde_json::to_vec(&document).map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))?);
        vault.seal(place(account, generation), &text)
    }

    pub(crate) fn open(vault: &Vault, account: AccountId, generation: u64, sealed: &Sealed) -> Result<Self> {
        let text = vault.open_sealed(place(account, generation), sealed)?;
        let document: Document<'_> = serde_json::from_slice(&text)
            .map_err(|_| Error::new(ErrorKind::IntegrityViolated, "a stored credential has an unknown layout"))?;
        Self::new(
            SecretString::from(document.access_token.as_ref()),
            document.refresh_token.as_deref().map(SecretString::from),
            document.expires_at,
        )
    }
}

fn place<'a>(account: AccountId, generation: u64) -> Place<'a> {
    Place::new("credential", account.uuid(), "tokens").generation(generation)
}

/// Plain form of a sealed credential. Borrowed where the text has no escapes, so that it leaves no copy behind.
#[derive(Serialize, Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    access_token: Cow<'a, str>,
    #[serde(borrow)]
    refresh_token: Option<Cow<'a, str>>,
    expires_at: Option<Timestamp>,
}

impl fmt::Debug for TokenSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenSet").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}
