//! Consents, grants, codes and tokens.
//!
//! Access tokens tell no lifetime and live until they are told to end. Every refresh gives a new refresh
//! token; showing an old one ends the grant.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use crate::ids::Ids;

/// A code serves for ten minutes (RFC 6749, section 4.1.2, advises that maximum).
const CODE_SECONDS: i64 = 600;

/// A request for consent that a page has been shown for.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) client: String,
    pub(crate) redirect_uri: String,
    pub(crate) state: Option<String>,
}

/// What a user allowed an integration once.
#[derive(Debug, Clone)]
pub(crate) struct Grant {
    pub(crate) client: String,
    /// Mail address.
    pub(crate) user: String,
    /// Pages that the user chose.
    pub(crate) roots: BTreeSet<String>,
    alive: bool,
}

#[derive(Debug)]
struct Code {
    grant: usize,
    redirect_uri: String,
    expires: Timestamp,
    used: bool,
}

#[derive(Debug)]
struct Token {
    grant: usize,
    /// Expired, or used where it serves once.
    spent: bool,
}

/// Tokens that the token endpoint gives.
#[derive(Debug)]
pub(crate) struct Issued {
    pub(crate) grant: Grant,
    pub(crate) access: String,
    pub(crate) refresh: String,
}

/// The memory of the authorization server.
#[derive(Debug, Default)]
pub(crate) struct Grants {
    asked: BTreeMap<String, Asked>,
    grants: Vec<Grant>,
    codes: BTreeMap<String, Code>,
    access: BTreeMap<String, Token>,
    refresh: BTreeMap<String, Token>,
}

impl Grants {
    /// Keeps a request until its page is answered; gives its id.
    pub(crate) fn ask(&mut self, ids: &mut Ids, asked: Asked) -> String {
        let id = ids.fresh("notion consent", 18);
        self.asked.insert(id.clone(), asked);
        id
    }

    /// The request of a page that is not answered yet.
    pub(crate) fn asked(&self, id: &str) -> Option<&Asked> {
        self.asked.get(id)
    }

    /// Ends a page; it serves once.
    pub(crate) fn close(&mut self, id: &str) {
        self.asked.remove(id);
    }

    /// The user allowed these pages: a code.
    pub(crate) fn allow(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        asked: &Asked,
        user: &str,
        roots: BTreeSet<String>,
    ) -> String {
        self.grants.push(Grant {
            client: asked.client.clone(),
            user: user.to_owned(),
            roots,
            alive: true,
        });
        let code = ids.token("03sandbox", 24);
        let expires = now
            .checked_add(SignedDuration::from_secs(CODE_SECONDS))
            .unwrap_or(Timestamp::MAX);
        self.codes.insert(
            code.clone(),
            Code {
                grant: self.grants.len() - 1,
                redirect_uri: asked.redirect_uri.clone(),
                expires,
                used: false,
            },
        );
        code
    }

    /// Exchanges a code. A second use ends the grant (RFC 6749, section 4.1.2).
    pub(crate) fn exchange(
        &mut self,
        ids: &mut Ids,
        now: Timestamp,
        client: &str,
        code: &str,
        redirect_uri: &str,
    ) -> Option<Issued> {
        let code = self.codes.get_mut(code)?;
        let number = code.grant;
        let grant = self
            .grants
            .get_mut(number)
            .filter(|grant| grant.client == client)?;
        if code.used {
            grant.alive = false;
        }
        code.used = true;
        let good = grant.alive && code.expires > now && code.redirect_uri == redirect_uri;
        good.then(|| self.issue(ids, number))?
    }

    /// Refreshes: a new access token and a new refresh token.
    pub(crate) fn refresh(&mut self, ids: &mut Ids, client: &str, token: &str) -> Option<Issued> {
        let token = self.refresh.get_mut(token)?;
        let number = token.grant;
        let grant = self
            .grants
            .get_mut(number)
            .filter(|grant| grant.alive && grant.client == client)?;
        if token.spent {
            grant.alive = false;
            return None;
        }
        token.spent = true;
        self.issue(ids, number)
    }

    /// The grant of a live access token.
    pub(crate) fn access(&self, token: &str) -> Option<&Grant> {
        let token = self.access.get(token).filter(|token| !token.spent)?;
        self.grants.get(token.grant).filter(|grant| grant.alive)
    }

    /// Ends the grant of a token of this client; false where there is none.
    pub(crate) fn revoke(&mut self, client: &str, token: &str) -> bool {
        let known = self.access.get(token).or_else(|| self.refresh.get(token));
        let grant = known.and_then(|token| self.grants.get_mut(token.grant));
        match grant.filter(|grant| grant.alive && grant.client == client) {
            Some(grant) => {
                grant.alive = false;
                true
            }
            None => false,
        }
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
    pub(crate) fn expire_access_tokens(&mut self, user: Option<&str>) {
        for token in self.access.values_mut() {
            let owner = self
                .grants
                .get(token.grant)
                .map(|grant| grant.user.as_str());
            if user.is_none() || user == owner {
                token.spent = true;
            }
        }
    }

    fn issue(&mut self, ids: &mut Ids, number: usize) -> Option<Issued> {
        let grant = self.grants.get(number)?.clone();
        let (access, refresh) = (ids.token("ntn_sandbox", 32), ids.token("nrt_sandbox", 32));
        let token = || Token {
            grant: number,
            spent: false,
        };
        self.access.insert(access.clone(), token());
        self.refresh.insert(refresh.clone(), token());
        Some(Issued {
            grant,
            access,
            refresh,
        })
    }
}
