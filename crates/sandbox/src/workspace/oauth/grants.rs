//! What Notion's authorization server adds to the shared grants: pages that were chosen, revocation.
//!
//! Access tokens have no stated lifetime and live until they are revoked or expired by a fault. Every refresh
//! gives a new refresh token; showing an old one ends the grant.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::{
    faults::RotationMode,
    ids::Ids,
    oauth::{self, Profile, TokenKind},
};

/// A code can be exchanged for ten minutes (RFC 6749, section 4.1.2, advises that maximum).
static PROFILE: Profile = Profile {
    consent: "notion consent",
    code: TokenKind("03sandbox", 24),
    access: TokenKind("ntn_sandbox", 32),
    refresh: TokenKind("nrt_sandbox", 32),
    code_seconds: 600,
    access_seconds: None,
    rotation: RotationMode::Strict,
};

/// Grants of pages, by the ids of those that the user chose.
pub(crate) type Grants = oauth::Grants<ConsentRequest, BTreeSet<String>>;
/// Tokens that the token endpoint gives.
pub(crate) type Issued = oauth::Issued<BTreeSet<String>>;

/// A request for consent that a page has been shown for.
#[derive(Debug, Clone)]
pub(crate) struct ConsentRequest {
    pub(crate) client: String,
    pub(crate) redirect_uri: String,
    pub(crate) state: Option<String>,
}

impl Grants {
    /// The grants of a sandbox that has just started.
    pub(crate) fn empty() -> Self {
        Self::new(&PROFILE)
    }

    /// Exchanges a code.
    pub(crate) fn exchange(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        client: &str,
        code: &str,
        redirect_uri: &str,
    ) -> Option<Issued> {
        let number = self.spend_code(now, code, |request| request.client == client);
        let number = number.ok()?;
        let grant = self.grants.get(number)?;
        if !grant.alive || grant.request.redirect_uri != redirect_uri {
            return None;
        }
        let refresh = self.issue_refresh(ids, number);
        self.issue(ids, now, number, Some(refresh))
    }

    /// Refreshes: a new access token and a new refresh token.
    pub(crate) fn refresh(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        client: &str,
        token: &str,
    ) -> Option<Issued> {
        let number = self.grant_of_refresh_token(token, |grant| grant.request.client == client)?;
        let refresh = self.rotate(ids, token);
        self.issue(ids, now, number, refresh)
    }

    /// Ends the grant of a token of this client; false where there is none.
    pub(crate) fn revoke(&mut self, client: &str, token: &str) -> bool {
        let grant = self.grant_of(token);
        let grant = grant.filter(|grant| grant.alive && grant.request.client == client);
        grant.map(|grant| grant.alive = false).is_some()
    }
}
