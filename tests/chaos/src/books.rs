//! The books of the product that the runs call: every grant, every token that was issued for it, and who presented it where.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::time::now;

/// What happens to a refresh token when it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// It stays.
    Stable,
    /// A new one takes its place, and the old one is refused.
    Rotating,
    /// The same, and the old one, presented again, ends the grant.
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
    /// Number of the refresh token that is alive.
    number: u64,
    /// Access tokens by number, each with its end.
    access: BTreeMap<u64, Instant>,
    /// Whether it has ended.
    pub(crate) dead: bool,
    /// Token requests.
    pub(crate) refreshes: Vec<Refresh>,
    /// Refresh tokens that were presented again.
    pub(crate) reuse: u32,
}

/// A token request with a refresh token.
#[derive(Debug)]
pub(crate) struct Refresh {
    /// The service that sent it, by its number.
    pub(crate) service: usize,
    pub(crate) arrived: Instant,
    /// When its response was handed out.
    pub(crate) responded: Option<Instant>,
}

/// A token that was presented where it does not belong.
#[derive(Debug, Clone)]
pub(crate) struct Stray {
    pub(crate) what: &'static str,
    pub(crate) belongs: String,
    pub(crate) presented: String,
}

/// What the product does when it is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Behaviour {
    /// Life of an access token.
    pub(crate) lifetime: Duration,
    /// Time between the issue of tokens and the response.
    pub(crate) token_delay: Duration,
    /// Error of the token endpoint, with its status, in place of tokens.
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
    /// How often each write was done, by its id.
    pub(crate) writes: BTreeMap<String, u32>,
    /// Ids of requests to execute a statement.
    statements: BTreeSet<String>,
    /// API requests that have arrived, and those whose response was handed out.
    pub(crate) arrived: u64,
    pub(crate) answered: u64,
    pub(crate) revocations: u64,
    /// Ids of events, as they were delivered.
    pub(crate) delivered: Vec<String>,
    pub(crate) behaviour: Behaviour,
}

/// The books; every request goes through them.
#[derive(Debug, Default)]
pub(crate) struct Books(Mutex<State>);

/// What a token request is given.
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

    /// A user consents; the code that the browser brings back, and the number of the grant.
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

    /// Presents a code; nothing where it was used or belongs elsewhere.
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

    /// A service presents a refresh token.
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

    /// The response of a token request is handed out.
    pub(crate) fn responded(&self, grant: usize) {
        if let Some(grant) = self.state().grants.get_mut(grant)
            && let Some(refresh) = grant.refreshes.last_mut()
        {
            refresh.responded = Some(now());
        }
    }

    /// Presents an access token: the number of its grant, where it is alive.
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

    /// Token requests with a refresh token, of all grants.
    pub(crate) fn requests(&self) -> usize {
        let state = self.state();
        state.grants.iter().map(|grant| grant.refreshes.len()).sum()
    }

    /// A write is done.
    pub(crate) fn write(&self, id: String) {
        *self.state().writes.entry(id).or_default() += 1;
    }

    /// Whether a statement is executed: one that was sent before under this id, and says so, is not.
    pub(crate) fn executes(&self, request_id: &str, says_again: bool) -> bool {
        let is_first = self.state().statements.insert(request_id.to_owned());
        is_first || !says_again
    }

    /// How often a write was done.
    pub(crate) fn written(&self, id: &str) -> u32 {
        self.state().writes.get(id).copied().unwrap_or_default()
    }

    /// Ends the grant of a token.
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
    /// Whether a credential was presented by another client or at another host than its own; then it is written down.
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
        // Of a class that rotates, earlier access tokens end with the refresh token.
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

/// Grant and number of a token.
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
    fn a_class_decides_what_an_old_refresh_token_does() {
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
    fn a_credential_at_another_host_or_of_another_client_is_written_down() {
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
