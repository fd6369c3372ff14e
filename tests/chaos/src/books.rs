//! The product's books: every grant, every token that it issued, and who presented each token where.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::time::now;

/// What happens to a refresh token when it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// The product keeps accepting it.
    Stable,
    /// The product replaces it and refuses the old one.
    Rotating,
    /// The same, but presenting the old one revokes the grant.
    Strict,
}

impl Class {
    pub(crate) const ALL: [Self; 3] = [Self::Stable, Self::Rotating, Self::Strict];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::Rotating => "rotating",
            Self::Strict => "strict",
        }
    }
}

/// One consent of one user.
#[derive(Debug)]
pub(crate) struct Grant {
    pub(crate) class: Class,
    pub(crate) client: String,
    pub(crate) host: String,
    pub(crate) scope: String,
    /// The number of the valid refresh token.
    number: u64,
    /// When each access token expires, by its number.
    access: BTreeMap<u64, Instant>,
    /// Whether the grant was revoked.
    pub(crate) dead: bool,
    /// The refreshes that the product accepted.
    pub(crate) refreshes: Vec<Refresh>,
    /// How often an old refresh token was presented.
    pub(crate) reuse: u32,
}

/// A refresh that the product accepted.
#[derive(Debug)]
pub(crate) struct Refresh {
    /// The number of the service that sent it.
    pub(crate) service: usize,
    pub(crate) arrived: Instant,
    /// When the product sent the response.
    pub(crate) responded: Option<Instant>,
}

/// A credential that reached the wrong client or host.
#[derive(Debug, Clone)]
pub(crate) struct Stray {
    pub(crate) what: &'static str,
    pub(crate) belongs: String,
    pub(crate) presented: String,
}

/// How the product responds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Behaviour {
    /// The lifetime of an access token.
    pub(crate) lifetime: Duration,
    /// The delay between issuing tokens and sending the response.
    pub(crate) token_delay: Duration,
    /// The status and error that the token and revocation endpoints return instead of succeeding.
    pub(crate) refuses: Option<(u16, &'static str)>,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            lifetime: Duration::from_secs(3600),
            token_delay: Duration::ZERO,
            refuses: None,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) grants: Vec<Grant>,
    pub(crate) strays: Vec<Stray>,
    /// How often each write was carried out, by ID.
    pub(crate) writes: BTreeMap<String, u32>,
    /// Request IDs of the statements that were submitted.
    statements: BTreeSet<String>,
    /// How many API requests arrived, and how many were answered.
    pub(crate) arrived: u64,
    pub(crate) answered: u64,
    pub(crate) revocations: u64,
    /// IDs of delivered events, in the order of delivery.
    pub(crate) delivered: Vec<String>,
    pub(crate) behaviour: Behaviour,
}

/// Every request to the product goes through these books.
#[derive(Debug, Default)]
pub(crate) struct Books(Mutex<State>);

/// The result of a token request.
pub(crate) struct Issued {
    pub(crate) grant: usize,
    pub(crate) access: String,
    pub(crate) refresh: Option<String>,
    pub(crate) scope: String,
    pub(crate) lifetime: Duration,
    pub(crate) delay: Duration,
}

impl Books {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn behave(&self, behaviour: Behaviour) {
        self.state().behaviour = behaviour;
    }

    /// Lets a user consent. Returns the code for the callback, and the number of the grant.
    pub(crate) fn consent(
        &self,
        class: Class,
        client: &str,
        host: &str,
        scope: &str,
    ) -> (String, usize) {
        let mut state = self.state();
        state.grants.push(Grant {
            class,
            client: client.to_owned(),
            host: host.to_owned(),
            scope: scope.to_owned(),
            number: 0,
            access: BTreeMap::new(),
            dead: false,
            refreshes: Vec::new(),
            reuse: 0,
        });
        let grant = state.grants.len() - 1;
        (format!("code-{grant}"), grant)
    }

    /// Exchanges a code for tokens. `None` if the code was already used or belongs to another client or host.
    pub(crate) fn exchange(&self, code: &str, client: &str, host: &str) -> Option<Issued> {
        let mut state = self.state();
        let number: usize = code.strip_prefix("code-")?.parse().ok()?;
        let behaviour = state.behaviour;
        let stray = state.stray("code", number, client, host);
        let grant = state.grants.get_mut(number)?;
        if stray || grant.number != 0 {
            return None;
        }
        Some(grant.issue(number, behaviour))
    }

    /// Uses a refresh token. `None` if the product refuses it.
    pub(crate) fn refresh(
        &self,
        service: usize,
        token: &str,
        client: &str,
        host: &str,
    ) -> Option<Issued> {
        let mut state = self.state();
        let (number, generation) = parse(token, "refresh")?;
        let behaviour = state.behaviour;
        let stray = state.stray("refresh token", number, client, host);
        let grant = state.grants.get_mut(number)?;
        if stray || grant.dead {
            return None;
        }
        if grant.class != Class::Stable && generation != grant.number {
            grant.reuse += 1;
            grant.dead = grant.class == Class::Strict;
            return None;
        }
        grant.refreshes.push(Refresh {
            service,
            arrived: now(),
            responded: None,
        });
        Some(grant.issue(number, behaviour))
    }

    /// Records that the product sends the response to the latest refresh of a grant.
    pub(crate) fn responded(&self, grant: usize) {
        if let Some(grant) = self.state().grants.get_mut(grant)
            && let Some(refresh) = grant.refreshes.last_mut()
        {
            refresh.responded = Some(now());
        }
    }

    /// Checks an access token. Returns the number of its grant, or `None` if the token isn't valid.
    pub(crate) fn call(&self, token: &str, host: &str) -> Option<usize> {
        let mut state = self.state();
        let (number, generation) = parse(token, "access")?;
        let client = state.grants.get(number)?.client.clone();
        if state.stray("access token", number, &client, host) {
            return None;
        }
        let grant = state.grants.get(number)?;
        let alive = !grant.dead && grant.access.get(&generation)? > &now();
        alive.then_some(number)
    }

    /// The number of accepted refreshes, over all grants.
    pub(crate) fn requests(&self) -> usize {
        let state = self.state();
        state.grants.iter().map(|grant| grant.refreshes.len()).sum()
    }

    /// Counts a write.
    pub(crate) fn write(&self, id: String) {
        *self.state().writes.entry(id).or_default() += 1;
    }

    /// Whether the product executes a statement. It skips one that repeats a known request ID and says so.
    pub(crate) fn executes(&self, request_id: &str, says_again: bool) -> bool {
        let is_first = self.state().statements.insert(request_id.to_owned());
        is_first || !says_again
    }

    /// How often a write was carried out.
    pub(crate) fn written(&self, id: &str) -> u32 {
        self.state().writes.get(id).copied().unwrap_or_default()
    }

    /// Revokes the grant of a token.
    pub(crate) fn revoke(&self, token: &str) {
        let mut state = self.state();
        state.revocations += 1;
        let found = parse(token, "refresh").or_else(|| parse(token, "access"));
        if let Some((number, _)) = found
            && let Some(grant) = state.grants.get_mut(number)
        {
            grant.dead = true;
        }
    }
}

impl State {
    /// Whether a credential was presented by the wrong client or at the wrong host. Records it if so.
    fn stray(&mut self, what: &'static str, grant: usize, client: &str, host: &str) -> bool {
        let Some(found) = self.grants.get(grant) else {
            return true;
        };
        if found.client == client && found.host == host {
            return false;
        }
        let belongs = format!("{} of {}", found.client, found.host);
        self.strays.push(Stray {
            what,
            belongs,
            presented: format!("{client} at {host}"),
        });
        true
    }
}

impl Grant {
    fn issue(&mut self, grant: usize, behaviour: Behaviour) -> Issued {
        let first = self.number == 0;
        self.number += 1;
        let number = self.number;
        self.access.insert(number, now() + behaviour.lifetime);
        // If the class rotates, a refresh also invalidates the earlier access tokens.
        if self.class != Class::Stable {
            self.access.retain(|issued, _| *issued == number);
        }
        let refresh = match (self.class, first) {
            (Class::Stable, true) => Some(format!("refresh-{grant}-1")),
            (Class::Stable, false) => None,
            _ => Some(format!("refresh-{grant}-{number}")),
        };
        Issued {
            grant,
            access: format!("access-{grant}-{number}"),
            refresh,
            scope: self.scope.clone(),
            lifetime: behaviour.lifetime,
            delay: behaviour.token_delay,
        }
    }
}

/// The grant and the number in a token.
fn parse(token: &str, kind: &str) -> Option<(usize, u64)> {
    let (grant, number) = token
        .strip_prefix(kind)?
        .strip_prefix('-')?
        .split_once('-')?;
    Some((grant.parse().ok()?, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refreshed(class: Class) -> (Books, usize) {
        let books = Books::default();
        let (code, grant) = books.consent(class, "client", "host", "");
        assert!(books.exchange(&code, "client", "host").is_some());
        assert!(books.exchange(&code, "client", "host").is_none());
        let first = format!("refresh-{grant}-1");
        assert!(books.refresh(0, &first, "client", "host").is_some());
        (books, grant)
    }

    #[test]
    fn a_class_decides_the_effect_of_an_old_refresh_token() {
        for (class, again, newest) in [
            (Class::Stable, true, true),
            (Class::Rotating, false, true),
            (Class::Strict, false, false),
        ] {
            let (books, grant) = refreshed(class);
            let present = |number: u32| {
                let token = format!("refresh-{grant}-{number}");
                books.refresh(0, &token, "client", "host").is_some()
            };
            assert_eq!(present(1), again, "{class:?}");
            assert_eq!(present(2), newest, "{class:?}");
        }
    }

    #[test]
    fn a_credential_for_another_host_or_client_is_recorded() {
        let (books, grant) = refreshed(Class::Stable);
        let refresh = format!("refresh-{grant}-1");
        assert!(books.refresh(0, &refresh, "client", "elsewhere").is_none());
        assert!(books.refresh(0, &refresh, "another", "host").is_none());
        assert!(
            books
                .call(&format!("access-{grant}-2"), "elsewhere")
                .is_none()
        );
        assert_eq!(
            books.call(&format!("access-{grant}-2"), "host"),
            Some(grant)
        );
        assert_eq!(books.state().strays.len(), 3);
    }
}
