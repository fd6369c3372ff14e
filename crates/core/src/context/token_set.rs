//! Decrypted tokens of one credential, ready to send.

use std::{borrow::Cow, fmt};

use http::HeaderValue;
use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::{
    Error, ErrorKind, Result,
    domain::Account,
    seal::Vault,
    sealed::Sealed,
    sealed::{Place, place},
};

/// The tokens of one generation of an account's credential.
#[derive(Clone)]
pub(crate) struct TokenSet {
    access: SecretString,
    refresh: Option<SecretString>,
    expires_at: Option<Timestamp>,
    /// When they were stored, if they are.
    issued_at: Option<Timestamp>,
    /// Epoch of the connection's client that they were issued to.
    client_epoch: u64,
    /// `Bearer …`, marked as sensitive. `None` if the token can't be part of a header.
    bearer: Option<HeaderValue>,
}

impl TokenSet {
    pub(crate) fn new(
        access: SecretString,
        refresh: Option<SecretString>,
        expires_at: Option<Timestamp>,
    ) -> Self {
        let text = Zeroizing::new(format!("Bearer {}", access.expose_secret()));
        let is_empty = access.expose_secret().is_empty();
        let mut bearer = HeaderValue::from_str(&text).ok().filter(|_| !is_empty);
        if let Some(bearer) = &mut bearer {
            bearer.set_sensitive(true);
        }
        Self {
            access,
            refresh,
            expires_at,
            issued_at: None,
            client_epoch: 0,
            bearer,
        }
    }

    /// The header with the access token. An access token that can't be part of a header is still kept, because of its
    /// refresh token.
    pub(crate) fn bearer(&self) -> Result<&HeaderValue> {
        self.bearer.as_ref().ok_or_else(|| {
            Error::new(
                ErrorKind::ProductProtocolError,
                "the product issued an access token with characters that a header can't contain",
            )
        })
    }
    pub(crate) fn access_token(&self) -> &SecretString {
        &self.access
    }
    pub(crate) fn refresh_token(&self) -> Option<&SecretString> {
        self.refresh.as_ref()
    }
    /// The token to revoke for the whole grant: the refresh token, if there is one.
    pub(crate) fn revocable(&self) -> &SecretString {
        self.refresh.as_ref().unwrap_or(&self.access)
    }
    pub(crate) fn expires_at(&self) -> Option<Timestamp> {
        self.expires_at
    }

    pub(crate) fn issued(self, at: Timestamp) -> Self {
        Self {
            issued_at: Some(at),
            ..self
        }
    }
    pub(crate) fn issued_at(&self) -> Option<Timestamp> {
        self.issued_at
    }

    /// The same tokens, issued to the client that the connection has at this epoch.
    pub(crate) fn of_client(self, client_epoch: u64) -> Self {
        Self {
            client_epoch,
            ..self
        }
    }
    pub(crate) fn client_epoch(&self) -> u64 {
        self.client_epoch
    }

    pub(crate) fn seal(
        &self,
        vault: &Vault,
        account: &Account,
        generation: u64,
    ) -> Result<Sealed<place::Tokens>> {
        let place = place::Tokens::of(account, generation, self.client_epoch);
        self.seal_at(vault, &place)
    }

    /// Encrypts them for a place of theirs.
    pub(crate) fn seal_at<P: Place>(&self, vault: &Vault, place: &P) -> Result<Sealed<P>> {
        let document = Document {
            access_token: Cow::Borrowed(self.access.expose_secret()),
            refresh_token: self
                .refresh
                .as_ref()
                .map(|token| Cow::Borrowed(token.expose_secret())),
            expires_at: self.expires_at,
        };
        let text = Zeroizing::new(
            serde_json::to_vec(&document)
                .map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))?,
        );
        vault.seal(place, &text)
    }

    pub(crate) async fn open(
        vault: &Vault,
        account: &Account,
        generation: u64,
        client_epoch: u64,
        sealed: &Sealed<place::Tokens>,
    ) -> Result<Self> {
        let place = place::Tokens::of(account, generation, client_epoch);
        Self::open_at(vault, &place, client_epoch, sealed).await
    }

    /// Decrypts them at a place of theirs.
    pub(crate) async fn open_at<P: Place>(
        vault: &Vault,
        place: &P,
        client_epoch: u64,
        sealed: &Sealed<P>,
    ) -> Result<Self> {
        let text = vault.open(place, sealed).await?;
        let document: Document<'_> = serde_json::from_slice(&text).map_err(|_| {
            Error::new(
                ErrorKind::IntegrityViolated,
                "a stored credential has an unknown format",
            )
        })?;
        let tokens = Self::new(
            SecretString::from(document.access_token.as_ref()),
            document.refresh_token.as_deref().map(SecretString::from),
            document.expires_at,
        );
        Ok(tokens.of_client(client_epoch))
    }
}

/// Plain form of an encrypted credential. Borrows texts without escapes, so that parsing leaves no copies.
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
        f.debug_struct("TokenSet")
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;
    use crate::testing::{STABLE, START, World, account, always, context};

    fn ada() -> Account {
        account(1, "ada")
    }

    fn texts(tokens: &TokenSet) -> (String, Option<String>, Option<Timestamp>) {
        let refresh = tokens
            .refresh_token()
            .map(|token| token.expose_secret().to_owned());
        (
            tokens.access.expose_secret().to_owned(),
            refresh,
            tokens.expires_at(),
        )
    }

    #[test]
    fn tokens_are_unchanged_after_encryption() {
        let context = context(&World::new(), &STABLE, always(200, ""));
        for (access, refresh, end) in [
            ("a", Some("r"), Some(START)),
            ("plain", None, None),
            ("a\"b\\c", Some("\u{fc} \"quoted\"\n"), None),
        ] {
            let tokens = TokenSet::new(access.into(), refresh.map(SecretString::from), end);
            let sealed = tokens.seal(&context.store.vault, &ada(), 3).unwrap();
            let ada = ada();
            let opened = TokenSet::open(&context.store.vault, &ada, 3, 0, &sealed);
            let opened = opened.now_or_never().unwrap().unwrap();
            assert_eq!(
                texts(&opened),
                (access.to_owned(), refresh.map(str::to_owned), end)
            );
            assert_eq!(
                opened.bearer().unwrap(),
                format!("Bearer {access}").as_str()
            );
        }
    }

    #[test]
    fn tokens_of_another_generation_account_or_client_do_not_open() {
        let context = context(&World::new(), &STABLE, always(200, ""));
        let tokens = TokenSet::new("a".into(), None, None);
        for epoch in [0, 7] {
            let tokens = tokens.clone().of_client(epoch);
            let sealed = tokens.seal(&context.store.vault, &ada(), 3).unwrap();
            let open = |account: &Account, generation, epoch| {
                let opened =
                    TokenSet::open(&context.store.vault, account, generation, epoch, &sealed);
                opened.now_or_never().unwrap()
            };
            assert_eq!(open(&ada(), 3, epoch).unwrap().client_epoch(), epoch);
            for (account, generation, epoch) in [
                (ada(), 2, epoch),
                (ada(), 4, epoch),
                (account(2, "ada"), 3, epoch),
                (account(1, "grace"), 3, epoch),
                (ada(), 3, epoch + 1),
                (ada(), 3, epoch ^ 7),
            ] {
                let error = open(&account, generation, epoch).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::IntegrityViolated);
            }
        }
    }

    #[test]
    fn an_unknown_layout_is_noticed() {
        let context = context(&World::new(), &STABLE, always(200, ""));
        for layout in ["", "{}", "[]", "{\"access_token\":1}"] {
            let sealed = context
                .store
                .vault
                .seal(&place::Tokens::of(&ada(), 1, 0), layout.as_bytes())
                .unwrap();
            let ada = ada();
            let opened = TokenSet::open(&context.store.vault, &ada, 1, 0, &sealed);
            let error = opened.now_or_never().unwrap().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::IntegrityViolated, "{layout}");
        }
    }

    #[test]
    fn the_refresh_token_is_revoked_or_else_the_access_token() {
        let tokens = |refresh: Option<&str>| {
            TokenSet::new("access".into(), refresh.map(SecretString::from), None)
        };
        assert_eq!(
            tokens(Some("refresh")).revocable().expose_secret(),
            "refresh"
        );
        assert_eq!(tokens(None).revocable().expose_secret(), "access");
    }

    #[test]
    fn a_token_is_sent_as_a_sensitive_bearer_or_not_at_all() {
        let tokens = TokenSet::new("CANARY".into(), None, None);
        let bearer = tokens.bearer().unwrap();
        assert!(bearer.is_sensitive());
        assert_eq!(format!("{bearer:?}"), "Sensitive");
        for bad in ["", "a\nb", "a\r\nx: y", "a\0"] {
            let tokens = TokenSet::new(bad.into(), None, None);
            let error = tokens.bearer().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ProductProtocolError);
        }
    }
}
