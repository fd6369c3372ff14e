//! How grants and tokens end.

use jiff::Timestamp;

use super::Grants;
use crate::google::clients::project_of;

/// Live refresh tokens of one user and client; the oldest dies without a word (Using OAuth 2.0, "Refresh
/// token expiration").
const MAX_REFRESH_TOKENS: usize = 100;

impl Grants {
    /// Revokes by an access or refresh token. All clients of the same project lose the user (OAuth 2.0 for
    /// Web Server Applications, "Revoking a token"). False if the token was not alive.
    pub(crate) fn revoke_token(&mut self, token: &str, now: Timestamp) -> bool {
        let by_access = self
            .access
            .get(token)
            .filter(|access| access.expires > now)
            .map(|access| access.grant);
        let by_refresh = self
            .refresh
            .get(token)
            .filter(|refresh| !refresh.spent)
            .map(|refresh| refresh.grant);
        let grant = by_access
            .or(by_refresh)
            .and_then(|number| self.grants.get(number))
            .filter(|grant| grant.alive);
        let Some(grant) = grant else {
            return false;
        };
        let (user, project) = (grant.user.clone(), project_of(&grant.client_id).to_owned());
        for grant in &mut self.grants {
            if grant.user == user && project_of(&grant.client_id) == project {
                grant.alive = false;
            }
        }
        true
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

    /// One grant ends, with all its tokens.
    pub(super) fn end(&mut self, number: usize) {
        if let Some(grant) = self.grants.get_mut(number) {
            grant.alive = false;
        }
    }

    /// Makes room for a refresh token of the same user and client.
    pub(super) fn drop_oldest_refresh(&mut self, grant: usize) {
        let owner = |number: usize| {
            self.grants
                .get(number)
                .filter(|grant| grant.alive)
                .map(|grant| (&grant.user, &grant.client_id))
        };
        let mut live: Vec<(usize, &String)> = self
            .refresh
            .iter()
            .filter(|(_, token)| !token.spent && owner(token.grant) == owner(grant))
            .map(|(name, token)| (token.number, name))
            .collect();
        if live.len() > MAX_REFRESH_TOKENS {
            live.sort_unstable();
            let oldest = live.first().map(|(_, name)| (*name).clone());
            if let Some(token) = oldest.and_then(|name| self.refresh.get_mut(&name)) {
                token.spent = true;
            }
        }
    }
}
