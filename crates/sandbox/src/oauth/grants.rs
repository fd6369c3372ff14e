//! The memory of an authorization server: consents that are asked for, grants, codes and tokens.
//!
//! `Request` is what a client asks for, `Terms` what the user allowed: scopes, a role, pages.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use crate::{faults::RotationMode, ids::Ids};

/// The properties of one authorization server.
#[derive(Debug)]
pub(crate) struct Profile {
    /// Purpose of a consent page's id.
    pub(crate) consent: &'static str,
    pub(crate) code: TokenKind,
    pub(crate) access: TokenKind,
    pub(crate) refresh: TokenKind,
    /// How long a code can be exchanged.
    pub(crate) code_seconds: i64,
    /// Lifetime of access tokens; without one they live until they are revoked or expired by a fault.
    pub(crate) access_seconds: Option<i64>,
    pub(crate) rotation: RotationMode,
}

/// How a code or token looks: what it starts with, and how many random bytes follow.
#[derive(Debug)]
pub(crate) struct TokenKind(pub(crate) &'static str, pub(crate) usize);

/// What a user allowed a client once.
#[derive(Debug)]
pub(crate) struct Grant<Request, Terms> {
    pub(crate) request: Request,
    /// Email address.
    pub(crate) user: String,
    pub(crate) terms: Terms,
    /// Whether the code's exchange gives a refresh token.
    pub(crate) offline: bool,
    pub(crate) alive: bool,
}

#[derive(Debug)]
struct Code {
    grant: usize,
    expires: Timestamp,
    used: bool,
}

#[derive(Debug)]
struct AccessToken<Terms> {
    grant: usize,
    terms: Terms,
    expires: Timestamp,
}

#[derive(Debug)]
pub(crate) struct RefreshToken {
    pub(crate) grant: usize,
    /// Order of issue.
    pub(crate) number: usize,
    pub(crate) spent: bool,
}

/// Tokens that the token endpoint gives.
#[derive(Debug)]
pub(crate) struct Issued<Terms> {
    pub(crate) user: String,
    pub(crate) terms: Terms,
    pub(crate) offline: bool,
    pub(crate) access: String,
    /// Lifetime of the access token.
    pub(crate) seconds: i64,
    pub(crate) refresh: Option<String>,
}

/// Why a code cannot be exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeError {
    /// Unknown, or of another client.
    Unknown,
    /// Used or expired.
    Spent,
}

/// What an access token is worth.
#[derive(Debug)]
pub(crate) enum TokenState<'grants, Request, Terms> {
    Alive(&'grants Grant<Request, Terms>, &'grants Terms),
    Expired(&'grants Grant<Request, Terms>),
    Dead,
}

/// Grants of one authorization server.
#[derive(Debug)]
pub(crate) struct Grants<Request, Terms> {
    profile: &'static Profile,
    /// How refresh tokens behave.
    pub(crate) rotation: RotationMode,
    /// Lifetime of new access tokens in seconds.
    pub(crate) lifetime: Option<i64>,
    requests: BTreeMap<String, Request>,
    pub(crate) grants: Vec<Grant<Request, Terms>>,
    codes: BTreeMap<String, Code>,
    access: BTreeMap<String, AccessToken<Terms>>,
    pub(crate) refresh: BTreeMap<String, RefreshToken>,
}

impl<Request, Terms: Clone> Grants<Request, Terms> {
    /// No grants yet.
    pub(crate) fn new(profile: &'static Profile) -> Self {
        Self {
            profile,
            rotation: profile.rotation,
            lifetime: profile.access_seconds,
            requests: BTreeMap::new(),
            grants: Vec::new(),
            codes: BTreeMap::new(),
            access: BTreeMap::new(),
            refresh: BTreeMap::new(),
        }
    }

    /// Keeps a request until its consent page is submitted; returns its id.
    pub(crate) fn add_request(&mut self, ids: &mut Ids, request: Request) -> String {
        let id = ids.fresh(self.profile.consent, 18);
        self.requests.insert(id.clone(), request);
        id
    }

    /// The request of a consent page that has not been submitted yet.
    pub(crate) fn request(&self, id: &str) -> Option<&Request> {
        self.requests.get(id)
    }

    /// The same, and its end: a consent page can be submitted once.
    pub(crate) fn take_request(&mut self, id: &str) -> Option<Request> {
        self.requests.remove(id)
    }

    /// Keeps what a user allowed, and returns the code for it.
    pub(crate) fn add(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        grant: (Request, &str, Terms),
        offline: bool,
    ) -> String {
        let (request, user, terms) = grant;
        self.grants.push(Grant {
            request,
            user: user.to_owned(),
            terms,
            offline,
            alive: true,
        });
        let code = ids.token(self.profile.code.0, self.profile.code.1);
        self.codes.insert(
            code.clone(),
            Code {
                grant: self.grants.len() - 1,
                expires: later(now, Some(self.profile.code_seconds)),
                used: false,
            },
        );
        code
    }

    /// Spends the code of a client, and returns the number of its grant. A second use ends the grant (RFC
    /// 6749, section 4.1.2).
    pub(crate) fn spend_code(
        &mut self,
        now: Timestamp,
        code: &str,
        is_own: impl Fn(&Request) -> bool,
    ) -> Result<usize, CodeError> {
        let code = self.codes.get_mut(code).ok_or(CodeError::Unknown)?;
        let grant = self.grants.get_mut(code.grant);
        let grant = grant
            .filter(|grant| is_own(&grant.request))
            .ok_or(CodeError::Unknown)?;
        if code.used {
            grant.alive = false;
            return Err(CodeError::Spent);
        }
        // A code that was shown is spent, even if something else is wrong.
        code.used = true;
        if code.expires <= now {
            return Err(CodeError::Spent);
        }
        Ok(code.grant)
    }

    /// The number of the live grant to which a refresh token belongs. Showing one that was replaced ends the
    /// grant where rotation is strict.
    pub(crate) fn grant_of_refresh_token(
        &mut self,
        token: &str,
        is_own: impl Fn(&Grant<Request, Terms>) -> bool,
    ) -> Option<usize> {
        let token = self.refresh.get(token)?;
        let grant = self.grants.get_mut(token.grant);
        let grant = grant.filter(|grant| grant.alive && is_own(grant))?;
        if token.spent {
            grant.alive = self.rotation != RotationMode::Strict;
            return None;
        }
        Some(token.grant)
    }

    /// The refresh token that replaces this one, where they rotate.
    pub(crate) fn rotate(&mut self, ids: &mut Ids, token: &str) -> Option<String> {
        if self.rotation == RotationMode::Stable {
            return None;
        }
        let old = self.refresh.get_mut(token)?;
        old.spent = true;
        let grant = old.grant;
        Some(self.issue_refresh(ids, grant))
    }

    /// A new refresh token of a grant.
    pub(crate) fn issue_refresh(&mut self, ids: &mut Ids, grant: usize) -> String {
        let token = ids.token(self.profile.refresh.0, self.profile.refresh.1);
        let number = self.refresh.len();
        self.refresh.insert(
            token.clone(),
            RefreshToken {
                grant,
                number,
                spent: false,
            },
        );
        token
    }

    /// A new access token of a grant, with all of its terms.
    pub(crate) fn issue(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        number: usize,
        refresh: Option<String>,
    ) -> Option<Issued<Terms>> {
        let terms = self.grants.get(number)?.terms.clone();
        self.issue_with(ids, now, number, terms, refresh)
    }

    /// A new access token of a grant, with these terms.
    pub(crate) fn issue_with(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        number: usize,
        terms: Terms,
        refresh: Option<String>,
    ) -> Option<Issued<Terms>> {
        let grant = self.grants.get(number)?;
        let access = ids.token(self.profile.access.0, self.profile.access.1);
        self.access.insert(
            access.clone(),
            AccessToken {
                grant: number,
                terms: terms.clone(),
                expires: later(now, self.lifetime),
            },
        );
        Some(Issued {
            user: grant.user.clone(),
            terms,
            offline: grant.offline,
            access,
            seconds: self.lifetime.unwrap_or_default(),
            refresh,
        })
    }

    /// What an access token is worth.
    pub(crate) fn access(&self, token: &str, now: Timestamp) -> TokenState<'_, Request, Terms> {
        let token = self.access.get(token);
        match token.and_then(|token| Some((token, self.grants.get(token.grant)?))) {
            Some((token, grant)) if grant.alive && token.expires > now => {
                TokenState::Alive(grant, &token.terms)
            }
            Some((_, grant)) if grant.alive => TokenState::Expired(grant),
            _ => TokenState::Dead,
        }
    }

    /// The grant of a token of any kind.
    pub(crate) fn grant_of(&mut self, token: &str) -> Option<&mut Grant<Request, Terms>> {
        let access = self.access.get(token).map(|token| token.grant);
        let number = access.or_else(|| Some(self.refresh.get(token)?.grant))?;
        self.grants.get_mut(number)
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
}

/// So many seconds later; without a number, never.
pub(crate) fn later(now: Timestamp, seconds: Option<i64>) -> Timestamp {
    seconds
        .and_then(|seconds| now.checked_add(SignedDuration::from_secs(seconds)).ok())
        .unwrap_or(Timestamp::MAX)
}
