//! What Google's authorization server adds to the shared grants: scopes, projects of clients, a limit of
//! refresh tokens.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::{
    faults::RotationMode,
    ids::Ids,
    oauth::{self, CodeError, Profile, TokenKind, TokenState},
};

/// `expires_in` is Google's; a code can be exchanged for ten minutes (RFC 6749, section 4.1.2, advises that
/// maximum).
static PROFILE: Profile = Profile {
    consent: "consent",
    code: TokenKind("4/0sandbox-", 48),
    access: TokenKind("ya29.sandbox-", 120),
    refresh: TokenKind("1//sandbox-", 64),
    code_seconds: 600,
    access_seconds: Some(3599),
    rotation: RotationMode::Stable,
};

/// Live refresh tokens of one user and client; the oldest dies without a word (Using OAuth 2.0, "Refresh
/// token expiration").
const MAX_REFRESH_TOKENS: usize = 100;

/// Scopes, by their full names.
pub(crate) type Scopes = BTreeSet<String>;
/// Grants of scopes.
pub(crate) type Grants = oauth::Grants<ConsentRequest, Scopes>;
/// Tokens with their scopes.
pub(crate) type Issued = oauth::Issued<Scopes>;

/// A request for consent that a page has been shown for.
#[derive(Debug, Clone)]
pub(crate) struct ConsentRequest {
    pub(crate) client_id: String,
    pub(crate) redirect_uri: String,
    /// Full names, in order of asking.
    pub(crate) scopes: Vec<String>,
    pub(crate) state: Option<String>,
    /// S256 challenge of PKCE.
    pub(crate) challenge: Option<String>,
    /// `access_type=offline`.
    pub(crate) offline: bool,
    /// `prompt` contains `consent`.
    pub(crate) forced: bool,
    /// `include_granted_scopes=true`.
    pub(crate) merge: bool,
}

/// Why the token endpoint gives no tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Denied {
    /// Unknown, used, expired, revoked, or of another client.
    Grant(&'static str),
    /// More scopes than granted.
    Scope,
}

const DEAD: Denied = Denied::Grant("Token has been expired or revoked.");

/// What a client shows to exchange a code.
#[derive(Debug)]
pub(crate) struct Exchange<'form> {
    pub(crate) client_id: &'form str,
    pub(crate) code: &'form str,
    pub(crate) redirect_uri: &'form str,
    /// The S256 challenge of the verifier that was shown.
    pub(crate) challenge: Option<String>,
}

impl Grants {
    /// The grants of a sandbox that has just started.
    pub(crate) fn empty() -> Self {
        Self::new(&PROFILE)
    }

    /// The user allowed `ticked`: makes a grant and returns its scopes and a code; nothing if no scope is
    /// left.
    pub(crate) fn allow(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        request: ConsentRequest,
        user: &str,
        mut ticked: Scopes,
    ) -> Option<(String, Scopes)> {
        if ticked.is_empty() {
            return None;
        }
        let project = project_of(&request.client_id);
        let mut first_grant = true;
        for grant in &self.grants {
            if !grant.alive || grant.user != user {
                continue;
            }
            first_grant &= grant.request.client_id != request.client_id;
            if request.merge && project_of(&grant.request.client_id) == project {
                ticked.extend(grant.terms.iter().cloned());
            }
        }
        let offline = request.offline && (first_grant || request.forced);
        let code = self.add(ids, now, (request, user, ticked.clone()), offline);
        Some((code, ticked))
    }

    /// Exchanges a code.
    pub(crate) fn exchange(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        shown: &Exchange<'_>,
    ) -> Result<Issued, Denied> {
        let number = self
            .spend_code(now, shown.code, |request| {
                request.client_id == shown.client_id
            })
            .map_err(|error| match error {
                CodeError::Unknown => Denied::Grant("Malformed auth code."),
                CodeError::Spent => Denied::Grant("Bad Request"),
            })?;
        let grant = self.grants.get(number).ok_or(DEAD)?;
        let (request, alive, offline) = (&grant.request, grant.alive, grant.offline);
        if request.redirect_uri != shown.redirect_uri {
            return Err(Denied::Grant("Bad Request"));
        }
        match (&request.challenge, &shown.challenge) {
            (Some(_), None) => return Err(Denied::Grant("Missing code verifier.")),
            // RFC 9700, section 4.8: a verifier without a challenge is an attack.
            (None, Some(_)) => return Err(Denied::Grant("Code verifier is not expected.")),
            (asked, given) if asked != given => {
                return Err(Denied::Grant("Invalid code verifier."));
            }
            _ => {}
        }
        if !alive {
            return Err(DEAD);
        }
        let refresh = offline.then(|| self.issue_limited_refresh(ids, number));
        self.issue(ids, now, number, refresh).ok_or(DEAD)
    }

    /// Refreshes: a new access token, and a new refresh token if those rotate.
    pub(crate) fn refresh(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        client_id: &str,
        token: &str,
        asked: Option<Scopes>,
    ) -> Result<Issued, Denied> {
        let number = self
            .grant_of_refresh_token(token, |grant| grant.request.client_id == client_id)
            .ok_or(DEAD)?;
        let granted = &self.grants.get(number).ok_or(DEAD)?.terms;
        let scopes = match asked {
            Some(asked) if !asked.is_subset(granted) => return Err(Denied::Scope),
            Some(asked) => asked,
            None => granted.clone(),
        };
        let refresh = self.rotate(ids, token);
        self.issue_with(ids, now, number, scopes, refresh)
            .ok_or(DEAD)
    }

    /// Revokes by an access or refresh token. All clients of the same project lose the user (OAuth 2.0 for
    /// Web Server Applications, "Revoking a token"). False if the token was not alive.
    pub(crate) fn revoke_token(&mut self, token: &str, now: Timestamp) -> bool {
        let is_access = matches!(self.access(token, now), TokenState::Alive(..));
        let is_refresh = self.refresh.get(token).is_some_and(|token| !token.spent);
        let grant = self.grant_of(token).filter(|grant| grant.alive);
        let Some(grant) = grant.filter(|_| is_access || is_refresh) else {
            return false;
        };
        let user = grant.user.clone();
        let project = project_of(&grant.request.client_id).to_owned();
        for grant in &mut self.grants {
            if grant.user == user && project_of(&grant.request.client_id) == project {
                grant.alive = false;
            }
        }
        true
    }

    /// A new refresh token; the oldest of the same user and client dies if there are too many.
    fn issue_limited_refresh(&mut self, ids: &mut Ids, number: usize) -> String {
        let token = self.issue_refresh(ids, number);
        let owner = |number: usize| {
            let grant = self.grants.get(number).filter(|grant| grant.alive);
            grant.map(|grant| (&grant.user, &grant.request.client_id))
        };
        let mut live: Vec<(usize, &String)> = self
            .refresh
            .iter()
            .filter(|(_, token)| !token.spent && owner(token.grant) == owner(number))
            .map(|(name, token)| (token.number, name))
            .collect();
        if live.len() > MAX_REFRESH_TOKENS {
            live.sort_unstable();
            let oldest = live.first().map(|(_, name)| (*name).clone());
            if let Some(token) = oldest.and_then(|name| self.refresh.get_mut(&name)) {
                token.spent = true;
            }
        }
        token
    }
}

/// The project of a client: the part before the first `-` of its id (Google's ids start with the project's
/// number).
fn project_of(client_id: &str) -> &str {
    client_id.split('-').next().unwrap_or(client_id)
}
