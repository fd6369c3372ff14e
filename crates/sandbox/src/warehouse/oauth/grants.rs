//! Consents, grants, codes and tokens of the accounts.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use crate::{faults::RotationMode, ids::Ids};

/// A code serves for a minute.
const CODE_SECONDS: i64 = 60;
/// Life of an access token (Snowflake OAuth, "Access tokens").
const ACCESS_SECONDS: i64 = 600;
/// Life of a refresh token: `OAUTH_REFRESH_TOKEN_VALIDITY` at its longest.
const REFRESH_SECONDS: i64 = 7_776_000;

/// What a client asked the user for.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
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

#[derive(Debug)]
struct Grant {
    asked: Asked,
    user: String,
    /// Role of every session; any of the user's where there is none.
    role: Option<String>,
    refresh_until: Timestamp,
    alive: bool,
}

#[derive(Debug)]
struct Code {
    grant: usize,
    expires: Timestamp,
    used: bool,
}

#[derive(Debug)]
struct AccessToken {
    grant: usize,
    expires: Timestamp,
}

#[derive(Debug)]
struct RefreshToken {
    grant: usize,
    spent: bool,
}

/// A live access token's user and role.
#[derive(Debug)]
pub(crate) struct Access<'grants> {
    pub(crate) user: &'grants str,
    pub(crate) role: Option<&'grants str>,
}

/// What an access token is worth.
#[derive(Debug)]
pub(crate) enum Shown<'grants> {
    Alive(Access<'grants>),
    Expired,
    Dead,
}

/// Tokens that the token endpoint gives.
#[derive(Debug)]
pub(crate) struct Issued {
    pub(crate) user: String,
    pub(crate) role: Option<String>,
    pub(crate) access: String,
    pub(crate) seconds: i64,
    pub(crate) refresh: Option<String>,
    pub(crate) offline: bool,
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

/// The memory of the authorization server.
#[derive(Debug)]
pub(crate) struct Grants {
    /// How refresh tokens behave: `Rotating` is an integration that requires single-use refresh tokens.
    pub(crate) rotation: RotationMode,
    /// Lifetime of new access tokens in seconds.
    pub(crate) lifetime: i64,
    requests: BTreeMap<String, Asked>,
    grants: Vec<Grant>,
    codes: BTreeMap<String, Code>,
    access: BTreeMap<String, AccessToken>,
    refresh: BTreeMap<String, RefreshToken>,
}

impl Default for Grants {
    fn default() -> Self {
        Self {
            rotation: RotationMode::default(),
            lifetime: ACCESS_SECONDS,
            requests: BTreeMap::new(),
            grants: Vec::new(),
            codes: BTreeMap::new(),
            access: BTreeMap::new(),
            refresh: BTreeMap::new(),
        }
    }
}

impl Grants {
    /// Keeps a request until its page is answered; gives its id.
    pub(super) fn ask(&mut self, ids: &mut Ids, asked: Asked) -> String {
        let id = ids.fresh("snowflake consent", 18);
        self.requests.insert(id.clone(), asked);
        id
    }

    /// The request of a page that is not answered yet, and its end.
    pub(super) fn close(&mut self, id: &str) -> Option<Asked> {
        self.requests.remove(id)
    }

    /// The user allowed it: gives a code.
    pub(super) fn allow(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        asked: Asked,
        user: &str,
        role: Option<String>,
    ) -> String {
        self.grants.push(Grant {
            asked,
            user: user.to_owned(),
            role,
            refresh_until: later(now, REFRESH_SECONDS),
            alive: true,
        });
        let code = ids.token("sandbox-code-", 32);
        self.codes.insert(
            code.clone(),
            Code {
                grant: self.grants.len() - 1,
                expires: later(now, CODE_SECONDS),
                used: false,
            },
        );
        code
    }

    /// Exchanges a code. A second use ends the grant (RFC 6749, section 4.1.2).
    pub(super) fn exchange(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        shown: &Exchange<'_>,
    ) -> Option<Issued> {
        let code = self.codes.get_mut(shown.code)?;
        let number = code.grant;
        let grant = self.grants.get_mut(number)?;
        if grant.asked.client_id != shown.client_id || grant.asked.host != shown.host {
            return None;
        }
        if code.used {
            grant.alive = false;
            return None;
        }
        // A code that was shown is spent, even if something else is wrong.
        code.used = true;
        let fits = code.expires > now
            && grant.alive
            && without_query(&grant.asked.redirect_uri) == without_query(shown.redirect_uri)
            && grant.asked.challenge == shown.challenge;
        if !fits {
            return None;
        }
        let refresh = grant.asked.offline.then(|| self.issue_refresh(ids, number));
        self.issue(ids, now, number, refresh)
    }

    /// Refreshes: a new access token, and a new refresh token if those serve once.
    pub(super) fn refresh(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        host: &str,
        client_id: &str,
        token: &str,
    ) -> Option<Issued> {
        let known = self.refresh.get_mut(token)?;
        let grant = self.grants.get_mut(known.grant)?;
        let fits = grant.alive
            && grant.asked.client_id == client_id
            && grant.asked.host == host
            && grant.refresh_until > now;
        if !fits {
            return None;
        }
        if known.spent {
            if self.rotation == RotationMode::Strict {
                grant.alive = false;
            }
            return None;
        }
        let number = known.grant;
        let rotates = self.rotation != RotationMode::Stable;
        known.spent = rotates;
        let refresh = rotates.then(|| self.issue_refresh(ids, number));
        self.issue(ids, now, number, refresh)
    }

    /// What a token is worth at a host.
    pub(crate) fn access(&self, host: &str, token: &str, now: Timestamp) -> Shown<'_> {
        let Some((access, grant)) = self
            .access
            .get(token)
            .and_then(|access| Some((access, self.grants.get(access.grant)?)))
            .filter(|(_, grant)| grant.alive && grant.asked.host == host)
        else {
            return Shown::Dead;
        };
        if access.expires <= now {
            return Shown::Expired;
        }
        Shown::Alive(Access {
            user: &grant.user,
            role: grant.role.as_deref(),
        })
    }

    /// Ends all grants of one user or of all.
    pub(crate) fn revoke_user(&mut self, user: Option<&str>) {
        for grant in &mut self.grants {
            if user.is_none_or(|user| user == grant.user) {
                grant.alive = false;
            }
        }
    }

    /// Live access tokens of one user or of all end now.
    pub(crate) fn expire_access_tokens(&mut self, user: Option<&str>, now: Timestamp) {
        for access in self.access.values_mut() {
            let owner = self
                .grants
                .get(access.grant)
                .map(|grant| grant.user.as_str());
            if user.is_none() || user == owner {
                access.expires = access.expires.min(now);
            }
        }
    }

    fn issue(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        number: usize,
        refresh: Option<String>,
    ) -> Option<Issued> {
        let access = ids.token("ver:1-hint:sandbox-", 60);
        self.access.insert(
            access.clone(),
            AccessToken {
                grant: number,
                expires: later(now, self.lifetime),
            },
        );
        let grant = self.grants.get(number)?;
        Some(Issued {
            user: grant.user.clone(),
            role: grant.role.clone(),
            access,
            seconds: self.lifetime,
            refresh,
            offline: grant.asked.offline,
        })
    }

    fn issue_refresh(&mut self, ids: &mut Ids, grant: usize) -> String {
        let token = ids.token("ver:2-hint:sandbox-did:", 60);
        self.refresh.insert(
            token.clone(),
            RefreshToken {
                grant,
                spent: false,
            },
        );
        token
    }
}

/// Redirect URIs are compared without their parameters.
fn without_query(uri: &str) -> &str {
    uri.split('?').next().unwrap_or(uri)
}

fn later(now: Timestamp, seconds: i64) -> Timestamp {
    now.checked_add(SignedDuration::from_secs(seconds))
        .unwrap_or(Timestamp::MAX)
}
