//! What an account's authorization server adds to the shared grants: hosts, roles, an end of the refresh
//! token.

use jiff::Timestamp;

use crate::{
    faults::RotationMode,
    ids::Ids,
    oauth::{self, Profile, TokenKind, later},
};

/// Access tokens live ten minutes (Snowflake OAuth, "Access tokens"). `Rotating` is an integration that
/// requires single-use refresh tokens.
static PROFILE: Profile = Profile {
    consent: "snowflake consent",
    code: TokenKind("sandbox-code-", 32),
    access: TokenKind("ver:1-hint:sandbox-", 60),
    refresh: TokenKind("ver:2-hint:sandbox-did:", 60),
    code_seconds: 60,
    access_seconds: Some(600),
    rotation: RotationMode::Stable,
};

/// Life of a refresh token: `OAUTH_REFRESH_TOKEN_VALIDITY` at its longest.
const REFRESH_SECONDS: i64 = 7_776_000;

/// Grants of sessions.
pub(crate) type Grants = oauth::Grants<ConsentRequest, Terms>;
/// Tokens with the role of their sessions.
pub(crate) type Issued = oauth::Issued<Terms>;

/// What a client asked the user for.
#[derive(Debug, Clone)]
pub(crate) struct ConsentRequest {
    pub(crate) host: String,
    pub(crate) client_id: String,
    pub(crate) redirect_uri: String,
    pub(crate) state: Option<String>,
    /// S256 challenge of PKCE.
    pub(crate) challenge: Option<String>,
    /// `refresh_token` among the scopes.
    pub(crate) offline: bool,
    pub(crate) role: AskedRole,
}

/// The role among the scopes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AskedRole {
    /// None: the user's default role.
    Default,
    /// `session:role:…`, or its encoded form.
    Named(String),
    /// `session:role-any`.
    Any,
}

/// What the user allowed.
#[derive(Debug, Clone)]
pub(crate) struct Terms {
    /// Role of every session; any of the user's where there is none.
    pub(crate) role: Option<String>,
    refresh_until: Timestamp,
}

/// What a client shows to exchange a code.
#[derive(Debug)]
pub(crate) struct Exchange<'form> {
    pub(crate) host: &'form str,
    pub(crate) client_id: &'form str,
    pub(crate) code: &'form str,
    pub(crate) redirect_uri: &'form str,
    pub(crate) challenge: Option<String>,
}

impl Grants {
    /// The grants of a sandbox that has just started.
    pub(crate) fn empty() -> Self {
        Self::new(&PROFILE)
    }

    /// The user allowed it: returns a code.
    pub(super) fn allow(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        asked: ConsentRequest,
        user: &str,
        role: Option<String>,
    ) -> String {
        let offline = asked.offline;
        let refresh_until = later(now, Some(REFRESH_SECONDS));
        let terms = Terms {
            role,
            refresh_until,
        };
        self.add(ids, now, (asked, user, terms), offline)
    }

    /// Exchanges a code.
    pub(super) fn exchange(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        shown: &Exchange<'_>,
    ) -> Option<Issued> {
        let is_own =
            |asked: &ConsentRequest| asked.client_id == shown.client_id && asked.host == shown.host;
        let number = self.spend_code(now, shown.code, is_own).ok()?;
        let grant = self.grants.get(number).filter(|grant| grant.alive)?;
        if without_query(&grant.request.redirect_uri) != without_query(shown.redirect_uri)
            || grant.request.challenge != shown.challenge
        {
            return None;
        }
        let offline = grant.offline;
        let refresh = offline.then(|| self.issue_refresh(ids, number));
        self.issue(ids, now, number, refresh)
    }

    /// Refreshes: a new access token, and a new refresh token if those can be used only once.
    pub(super) fn refresh(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        (host, client_id): (&str, &str),
        token: &str,
    ) -> Option<Issued> {
        let number = self.grant_of_refresh_token(token, |grant| {
            grant.request.client_id == client_id
                && grant.request.host == host
                && grant.terms.refresh_until > now
        })?;
        let refresh = self.rotate(ids, token);
        self.issue(ids, now, number, refresh)
    }
}

/// Redirect URIs are compared without their parameters.
fn without_query(uri: &str) -> &str {
    uri.split('?').next().unwrap_or(uri)
}
