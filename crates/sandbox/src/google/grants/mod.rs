//! Consents, grants, codes and tokens.

mod end;

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::clients::project_of;
use crate::{faults::RotationMode, ids::Ids};

/// A code serves for ten minutes (RFC 6749, section 4.1.2, advises that maximum).
const CODE_SECONDS: i64 = 600;
/// `expires_in` of Google's access tokens.
const ACCESS_SECONDS: i64 = 3599;

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

/// What a user allowed a client once.
#[derive(Debug)]
struct Grant {
    client_id: String,
    user: String,
    scopes: BTreeSet<String>,
    alive: bool,
}

#[derive(Debug)]
struct Code {
    grant: usize,
    request: ConsentRequest,
    first_grant: bool,
    expires: Timestamp,
    used: bool,
}

#[derive(Debug)]
struct AccessToken {
    grant: usize,
    scopes: BTreeSet<String>,
    expires: Timestamp,
}

#[derive(Debug)]
struct RefreshToken {
    grant: usize,
    /// Order of issue.
    number: usize,
    spent: bool,
}

/// A live access token's user and reach.
#[derive(Debug)]
pub(crate) struct Access<'grants> {
    pub(crate) user: &'grants str,
    pub(crate) scopes: &'grants BTreeSet<String>,
}

/// Tokens that the token endpoint gives.
#[derive(Debug)]
pub(crate) struct Issued {
    pub(crate) user: String,
    pub(crate) access: String,
    pub(crate) seconds: i64,
    pub(crate) refresh: Option<String>,
    pub(crate) scopes: BTreeSet<String>,
}

/// Why the token endpoint gives none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Denied {
    /// Unknown, used, expired, revoked, or of another client.
    Grant(&'static str),
    /// More scopes than granted.
    Scope,
}

/// What a client shows to exchange a code.
#[derive(Debug)]
pub(crate) struct Exchange<'form> {
    pub(crate) client_id: &'form str,
    pub(crate) code: &'form str,
    pub(crate) redirect_uri: &'form str,
    /// The S256 challenge of the verifier that was shown.
    pub(crate) challenge: Option<String>,
}

/// The memory of the authorization server.
#[derive(Debug)]
pub(crate) struct Grants {
    /// How refresh tokens behave.
    pub(crate) rotation: RotationMode,
    /// Lifetime of new access tokens in seconds.
    pub(crate) lifetime: i64,
    requests: BTreeMap<String, ConsentRequest>,
    grants: Vec<Grant>,
    codes: BTreeMap<String, Code>,
    access: BTreeMap<String, AccessToken>,
    refresh: BTreeMap<String, RefreshToken>,
    lost_scopes: Vec<String>,
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
            lost_scopes: Vec::new(),
        }
    }
}

impl Grants {
    /// Keeps a request until its page is answered; gives its id.
    pub(crate) fn ask(&mut self, ids: &mut Ids, request: ConsentRequest) -> String {
        let id = ids.fresh("consent", 18);
        self.requests.insert(id.clone(), request);
        id
    }

    /// The request of a consent page that is not answered yet.
    pub(crate) fn request(&self, id: &str) -> Option<&ConsentRequest> {
        self.requests.get(id)
    }

    /// Ends a consent page; it serves once.
    pub(crate) fn close(&mut self, id: &str) -> Option<ConsentRequest> {
        self.requests.remove(id)
    }

    /// The next consent shall lose `scope`.
    pub(crate) fn drop_scope_once(&mut self, scope: String) {
        self.lost_scopes.push(scope);
    }

    /// The user allowed `ticked`: makes a grant and gives its scopes and a code; nothing if no scope is left.
    pub(crate) fn allow(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        request: ConsentRequest,
        user: &str,
        mut ticked: BTreeSet<String>,
    ) -> Option<(String, BTreeSet<String>)> {
        for lost in std::mem::take(&mut self.lost_scopes) {
            ticked.remove(&lost);
        }
        if ticked.is_empty() {
            return None;
        }
        let project = project_of(&request.client_id);
        let mut first_grant = true;
        for grant in self
            .grants
            .iter()
            .filter(|grant| grant.alive && grant.user == user)
        {
            first_grant &= grant.client_id != request.client_id;
            if request.merge && project_of(&grant.client_id) == project {
                ticked.extend(grant.scopes.iter().cloned());
            }
        }
        self.grants.push(Grant {
            client_id: request.client_id.clone(),
            user: user.to_owned(),
            scopes: ticked.clone(),
            alive: true,
        });
        let code = ids.token("4/0sandbox-", 48);
        self.codes.insert(
            code.clone(),
            Code {
                grant: self.grants.len() - 1,
                request,
                first_grant,
                expires: later(now, CODE_SECONDS),
                used: false,
            },
        );
        Some((code, ticked))
    }

    /// Exchanges a code. A second use ends the grant (RFC 6749, section 4.1.2).
    pub(crate) fn exchange(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        shown: &Exchange<'_>,
    ) -> Result<Issued, Denied> {
        let code = self
            .codes
            .get_mut(shown.code)
            .filter(|code| code.request.client_id == shown.client_id)
            .ok_or(Denied::Grant("Malformed auth code."))?;
        let number = code.grant;
        if code.used {
            self.end(number);
            return Err(Denied::Grant("Bad Request"));
        }
        // A code that was shown is spent, even if something else is wrong.
        code.used = true;
        if code.expires <= now || code.request.redirect_uri != shown.redirect_uri {
            return Err(Denied::Grant("Bad Request"));
        }
        match (&code.request.challenge, &shown.challenge) {
            (Some(_), None) => return Err(Denied::Grant("Missing code verifier.")),
            // RFC 9700, section 4.8: a verifier without a challenge is an attack.
            (None, Some(_)) => return Err(Denied::Grant("Code verifier is not expected.")),
            (asked, given) if asked != given => {
                return Err(Denied::Grant("Invalid code verifier."));
            }
            _ => {}
        }
        let wants_refresh = code.request.offline && (code.first_grant || code.request.forced);
        let grant = self
            .grants
            .get(number)
            .filter(|grant| grant.alive)
            .ok_or(Denied::Grant("Token has been expired or revoked."))?;
        let scopes = grant.scopes.clone();
        let refresh = wants_refresh.then(|| self.issue_refresh(ids, number));
        Ok(self.issue(ids, now, number, scopes, refresh))
    }

    /// Refreshes: a new access token, and a new refresh token if those rotate.
    pub(crate) fn refresh(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        client_id: &str,
        token: &str,
        asked: Option<&BTreeSet<String>>,
    ) -> Result<Issued, Denied> {
        const DEAD: Denied = Denied::Grant("Token has been expired or revoked.");
        let known = self.refresh.get(token).ok_or(DEAD)?;
        let (number, spent) = (known.grant, known.spent);
        let grant = self
            .grants
            .get(number)
            .filter(|grant| grant.alive && grant.client_id == client_id)
            .ok_or(DEAD)?;
        if spent {
            if self.rotation == RotationMode::Strict {
                self.end(number);
            }
            return Err(DEAD);
        }
        let scopes = match asked {
            Some(asked) if !asked.is_subset(&grant.scopes) => return Err(Denied::Scope),
            Some(asked) => asked.clone(),
            None => grant.scopes.clone(),
        };
        let refresh = (self.rotation != RotationMode::Stable).then(|| {
            if let Some(old) = self.refresh.get_mut(token) {
                old.spent = true;
            }
            self.issue_refresh(ids, number)
        });
        Ok(self.issue(ids, now, number, scopes, refresh))
    }

    /// The user and reach of a live access token.
    pub(crate) fn access(&self, token: &str, now: Timestamp) -> Option<Access<'_>> {
        let access = self
            .access
            .get(token)
            .filter(|access| access.expires > now)?;
        let grant = self.grants.get(access.grant).filter(|grant| grant.alive)?;
        Some(Access {
            user: &grant.user,
            scopes: &access.scopes,
        })
    }

    fn issue(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        grant: usize,
        scopes: BTreeSet<String>,
        refresh: Option<String>,
    ) -> Issued {
        let access = ids.token("ya29.sandbox-", 120);
        let user = self
            .grants
            .get(grant)
            .map(|grant| grant.user.clone())
            .unwrap_or_default();
        self.access.insert(
            access.clone(),
            AccessToken {
                grant,
                scopes: scopes.clone(),
                expires: later(now, self.lifetime),
            },
        );
        Issued {
            user,
            access,
            seconds: self.lifetime,
            refresh,
            scopes,
        }
    }

    fn issue_refresh(&mut self, ids: &mut Ids, grant: usize) -> String {
        let token = ids.token("1//sandbox-", 64);
        self.refresh.insert(
            token.clone(),
            RefreshToken {
                grant,
                number: self.refresh.len(),
                spent: false,
            },
        );
        self.drop_oldest_refresh(grant);
        token
    }
}

fn later(now: Timestamp, seconds: i64) -> Timestamp {
    now.checked_add(SignedDuration::from_secs(seconds))
        .unwrap_or(Timestamp::MAX)
}
