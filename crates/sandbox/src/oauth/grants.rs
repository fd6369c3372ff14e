//! The state of an authorization server: consent requests, grants, codes and tokens.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Profile;
use crate::{faults::RotationMode, shared::Ids};

/// What the user allowed: full names of scopes, IDs of pages, or a role.
pub(crate) type Terms = BTreeSet<String>;

/// A client's request to the user.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Asked {
    pub(crate) host: String,
    pub(crate) client_id: String,
    pub(crate) redirect_uri: String,
    pub(crate) state: Option<String>,
    /// The S256 challenge of PKCE.
    pub(crate) challenge: Option<String>,
    /// The scopes in the order of the request, with the policy's names.
    pub(crate) scopes: Vec<String>,
    /// Whether the client asks for a refresh token.
    pub(crate) offline: bool,
    /// Whether to ask the user again, and to issue a refresh token again.
    pub(crate) forced: bool,
    /// Whether to include earlier grants.
    pub(crate) merge: bool,
}

/// One consent of a user to a client.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Grant {
    pub(crate) asked: Asked,
    /// The email address.
    pub(crate) user: String,
    terms: Terms,
    /// Whether exchanging the code returns a refresh token.
    offline: bool,
    alive: bool,
    refresh_until: Timestamp,
    /// Whether each refresh token works only once. The next one then gets a full lifetime.
    #[serde(default)]
    single_use: bool,
}

#[derive(Debug)]
struct Code {
    grant: usize,
    expires: Timestamp,
    used: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct AccessToken {
    grant: usize,
    terms: Terms,
    expires: Timestamp,
}

#[derive(Debug, Serialize, Deserialize)]
struct RefreshToken {
    grant: usize,
    /// The order in which tokens were issued.
    number: usize,
    spent: bool,
}

/// Tokens that the token endpoint issues.
#[derive(Debug)]
pub(crate) struct Issued {
    pub(crate) client_id: String,
    pub(crate) user: String,
    pub(crate) terms: Terms,
    pub(crate) offline: bool,
    pub(crate) access: String,
    /// When they were issued, and for how many seconds.
    pub(crate) now: Timestamp,
    pub(crate) seconds: i64,
    pub(crate) refresh: Option<String>,
    /// Whether they were issued for a code.
    pub(crate) by_code: bool,
}

/// What a client presents to exchange a code.
#[derive(Debug)]
pub(super) struct Shown<'body> {
    pub(super) host: &'body str,
    pub(super) client_id: &'body str,
    pub(super) code: &'body str,
    pub(super) redirect_uri: &'body str,
    /// The S256 challenge of the presented verifier.
    pub(super) challenge: Option<String>,
    /// Whether the client asks for refresh tokens that work only once.
    pub(super) single_use: bool,
}

/// Why no tokens were issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GrantError {
    /// It's unknown, used, expired, revoked, or belongs to another client.
    Dead(&'static str),
    /// The client asks for more scopes than the user granted.
    Scope,
}

const DEAD: GrantError = GrantError::Dead("Token has been expired or revoked.");
const REFUSED: GrantError = GrantError::Dead("Bad Request");

/// The state of an access token.
#[derive(Debug)]
pub(crate) enum TokenState<'grants> {
    Alive(&'grants Grant, &'grants Terms),
    Expired(&'grants Grant),
    Dead,
}

/// The grants of one authorization server.
#[derive(Debug)]
pub(super) struct Grants {
    profile: &'static Profile,
    /// How refresh tokens behave.
    pub(super) rotation: RotationMode,
    /// The lifetime of new access tokens in seconds.
    pub(super) lifetime: Option<i64>,
    requests: BTreeMap<String, Asked>,
    grants: Vec<Grant>,
    codes: BTreeMap<String, Code>,
    access: BTreeMap<String, AccessToken>,
    refresh: BTreeMap<String, RefreshToken>,
}

impl Grants {
    /// The state to keep over a restart. Consent pages and codes expire within minutes, so they aren't saved.
    pub(super) fn save(&self) -> Value {
        json!({ "grants": self.grants, "access": self.access, "refresh": self.refresh })
    }

    /// Restores what [`Grants::save`] returned.
    pub(super) fn restore(&mut self, saved: &Value) -> serde_json::Result<()> {
        self.grants = Deserialize::deserialize(&saved["grants"])?;
        self.access = Deserialize::deserialize(&saved["access"])?;
        self.refresh = Deserialize::deserialize(&saved["refresh"])?;
        Ok(())
    }

    /// Starts without grants.
    pub(super) fn new(profile: &'static Profile) -> Self {
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

    /// Keeps a request until its consent page is submitted. Returns its ID.
    pub(super) fn add_request(&mut self, ids: &mut Ids, asked: Asked) -> String {
        let id = ids.fresh(self.profile.consent, 18);
        self.requests.insert(id.clone(), asked);
        id
    }

    /// The request of a consent page that hasn't been submitted yet.
    pub(super) fn request(&self, id: &str) -> Option<&Asked> {
        self.requests.get(id)
    }

    /// Removes a request, because a consent page can be submitted only once.
    pub(super) fn take_request(&mut self, id: &str) {
        self.requests.remove(id);
    }

    /// Records the user's consent. Returns the code, and everything that is granted.
    pub(super) fn allow(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        asked: Asked,
        user: &str,
        mut terms: Terms,
    ) -> (String, Terms) {
        let mut first_grant = true;
        for grant in self
            .grants
            .iter()
            .filter(|grant| grant.alive && grant.user == user)
        {
            first_grant &= grant.asked.client_id != asked.client_id;
            if asked.merge && project_of(&grant.asked.client_id) == project_of(&asked.client_id) {
                terms.extend(grant.terms.iter().cloned());
            }
        }
        let again = first_grant || asked.forced || !self.profile.refresh_token_once;
        self.grants.push(Grant {
            offline: asked.offline && again,
            asked,
            user: user.to_owned(),
            terms: terms.clone(),
            alive: true,
            refresh_until: later(now, self.profile.refresh_seconds),
            single_use: false,
        });
        let code = ids.token(self.profile.code.0, self.profile.code.1);
        let issued = Code {
            grant: self.grants.len() - 1,
            expires: later(now, Some(self.profile.code_seconds)),
            used: false,
        };
        self.codes.insert(code.clone(), issued);
        (code, terms)
    }

    /// Exchanges a code. Using it again revokes the grant (RFC 6749, section 4.1.2).
    pub(super) fn exchange(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        shown: &Shown<'_>,
    ) -> Result<Issued, GrantError> {
        let unknown = GrantError::Dead("Malformed auth code.");
        let code = self.codes.get_mut(shown.code).ok_or(unknown)?;
        let number = code.grant;
        let grant = self.grants.get_mut(number);
        let client = (shown.host, shown.client_id);
        let grant = grant
            .filter(|grant| is_own(self.profile, grant, client))
            .ok_or(unknown)?;
        if code.used {
            grant.alive = false;
            return Err(REFUSED);
        }
        // A presented code is used up, even if something else is wrong.
        code.used = true;
        let compared = |uri| self.profile.compared(uri);
        if code.expires <= now
            || compared(&grant.asked.redirect_uri) != compared(shown.redirect_uri)
        {
            return Err(REFUSED);
        }
        match (&grant.asked.challenge, &shown.challenge) {
            (Some(_), None) => return Err(GrantError::Dead("Missing code verifier.")),
            // RFC 9700, section 4.8: a verifier without a challenge is an attack.
            (None, Some(_)) => return Err(GrantError::Dead("Code verifier is not expected.")),
            (asked, given) if asked != given => {
                return Err(GrantError::Dead("Invalid code verifier."));
            }
            _ => {}
        }
        if !grant.alive {
            return Err(DEAD);
        }
        grant.single_use = shown.single_use;
        let terms = grant.terms.clone();
        let refresh = grant.offline.then(|| self.issue_refresh(ids, number));
        let issued = self.issue(ids, now, number, terms, refresh).ok_or(DEAD)?;
        Ok(Issued {
            by_code: true,
            ..issued
        })
    }

    /// Issues a new access token, and a new refresh token if they rotate. With strict rotation, presenting a replaced
    /// token revokes the grant.
    pub(super) fn refresh(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        client: (&str, &str),
        token: &str,
        asked: Option<Terms>,
    ) -> Result<Issued, GrantError> {
        let shown = self.refresh.get(token).ok_or(DEAD)?;
        let (number, spent) = (shown.grant, shown.spent);
        let grant = self.grants.get_mut(number).ok_or(DEAD)?;
        if !grant.alive || grant.refresh_until <= now || !is_own(self.profile, grant, client) {
            return Err(DEAD);
        }
        if spent {
            grant.alive = self.rotation != RotationMode::Strict;
            return Err(DEAD);
        }
        let terms = match asked {
            Some(asked) if !asked.is_subset(&grant.terms) => return Err(GrantError::Scope),
            Some(asked) => asked,
            None => grant.terms.clone(),
        };
        let single_use = grant.single_use;
        if single_use {
            grant.refresh_until = later(now, self.profile.refresh_seconds);
        }
        let rotates = single_use || self.rotation != RotationMode::Stable;
        let rotated = rotates.then(|| {
            self.spend(token);
            self.issue_refresh(ids, number)
        });
        self.issue(ids, now, number, terms, rotated).ok_or(DEAD)
    }

    fn spend(&mut self, token: &str) {
        if let Some(token) = self.refresh.get_mut(token) {
            token.spent = true;
        }
    }

    /// Issues a refresh token. If the user and client have too many, the oldest one is invalidated.
    fn issue_refresh(&mut self, ids: &mut Ids, grant: usize) -> String {
        let token = ids.token(self.profile.refresh.0, self.profile.refresh.1);
        let issued = RefreshToken {
            grant,
            number: self.refresh.len(),
            spent: false,
        };
        self.refresh.insert(token.clone(), issued);
        let owner = |number: usize| {
            let grant = self.grants.get(number).filter(|grant| grant.alive);
            grant.map(|grant| (&grant.user, &grant.asked.client_id))
        };
        let live = self
            .refresh
            .iter()
            .filter(|(_, token)| !token.spent && owner(token.grant) == owner(grant));
        let live: Vec<(usize, &String)> = live.map(|(name, token)| (token.number, name)).collect();
        let most = self.profile.most_refresh_tokens.unwrap_or(usize::MAX);
        if live.len() > most
            && let Some(oldest) = live.into_iter().min().map(|(_, name)| name.clone())
        {
            self.spend(&oldest);
        }
        token
    }

    fn issue(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        number: usize,
        terms: Terms,
        refresh: Option<String>,
    ) -> Option<Issued> {
        let grant = self.grants.get(number)?;
        let access = ids.token(self.profile.access.0, self.profile.access.1);
        let issued = AccessToken {
            grant: number,
            terms: terms.clone(),
            expires: later(now, self.lifetime),
        };
        self.access.insert(access.clone(), issued);
        Some(Issued {
            client_id: grant.asked.client_id.clone(),
            user: grant.user.clone(),
            terms,
            offline: grant.offline,
            access,
            now,
            seconds: self.lifetime.unwrap_or_default(),
            refresh,
            by_code: false,
        })
    }

    /// The state of an access token.
    pub(super) fn access(&self, token: &str, now: Timestamp) -> TokenState<'_> {
        let token = self.access.get(token);
        match token.and_then(|token| Some((token, self.grants.get(token.grant)?))) {
            Some((token, grant)) if grant.alive && token.expires > now => {
                TokenState::Alive(grant, &token.terms)
            }
            Some((_, grant)) if grant.alive => TokenState::Expired(grant),
            _ => TokenState::Dead,
        }
    }

    /// Revokes the grant of a valid token, and the same user's grants to clients for which `reaches` is true.
    pub(super) fn revoke(
        &mut self,
        now: Timestamp,
        token: &str,
        client: Option<&str>,
        reaches: impl Fn(&str, &str) -> bool,
    ) -> bool {
        let access = self.access.get(token).filter(|token| token.expires > now);
        let refresh = self.refresh.get(token).filter(|token| !token.spent);
        let number = access
            .map(|token| token.grant)
            .or_else(|| Some(refresh?.grant));
        let grant = number.and_then(|number| self.grants.get(number));
        let is_own = |grant: &&Grant| client.is_none_or(|client| client == grant.asked.client_id);
        let Some(grant) = grant.filter(|grant| grant.alive).filter(is_own) else {
            return false;
        };
        let (user, own) = (grant.user.clone(), grant.asked.client_id.clone());
        for (index, grant) in self.grants.iter_mut().enumerate() {
            let reached = grant.user == user && reaches(&own, &grant.asked.client_id);
            grant.alive &= !reached && Some(index) != number;
        }
        true
    }

    /// Revokes all grants of one user, or of all users.
    pub(super) fn revoke_user(&mut self, user: Option<&str>) {
        for grant in &mut self.grants {
            if user.is_none_or(|user| user == grant.user) {
                grant.alive = false;
            }
        }
    }

    /// Expires all access tokens of one user, or of all users.
    pub(super) fn expire_access_tokens(&mut self, user: Option<&str>, now: Timestamp) {
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

/// The time this many seconds later. Without a number, the end of time.
fn later(now: Timestamp, seconds: Option<i64>) -> Timestamp {
    seconds
        .and_then(|seconds| now.checked_add(SignedDuration::from_secs(seconds)).ok())
        .unwrap_or(Timestamp::MAX)
}

/// Whether a grant belongs to this host and client.
fn is_own(profile: &Profile, grant: &Grant, (host, client_id): (&str, &str)) -> bool {
    grant.asked.client_id == client_id && (!profile.is_bound_to_host || grant.asked.host == host)
}

/// The project of a client: the part before the first `-` of its ID. Google's IDs begin with the project's number.
pub(crate) fn project_of(client_id: &str) -> &str {
    client_id.split('-').next().unwrap_or(client_id)
}
