//! The authorization server's own record of every token, and of the response that carried it. It shows whether the loss
//! of an account has a cause outside of Stead.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::Class;

/// How long a product with a grace period still accepts a used token. It's longer than a recovery takes.
const GRACE: SignedDuration = SignedDuration::from_mins(3);

/// A grant of the user.
#[derive(Default)]
struct Grant {
    /// The client that it was issued to.
    client: String,
    /// The valid token.
    current: String,
    dead: bool,
    /// Whether the user or the application revoked it.
    revoked: bool,
    /// Whether it died because a token was presented twice, for a reason outside Stead.
    excused: bool,
}

/// A refresh token.
struct Token {
    grant: usize,
    /// Position in the order in which the grant's tokens were issued.
    number: usize,
    /// The process that the response was sent to.
    holder: u32,
    spent_at: Option<Timestamp>,
    /// Whether it's in the store or the spool.
    kept: bool,
    /// Whether its response was lost, or its holder crashed before storing it.
    lost: bool,
    /// Whether its holder froze in the meantime.
    froze: bool,
}

/// A token request in flight.
pub(super) struct Request {
    id: usize,
    token: String,
    process: u32,
    /// Whether the process froze while the request was in flight.
    froze: bool,
}

/// The token endpoint's response.
pub(super) enum Outcome {
    /// The token to use from now on.
    Tokens(String),
    Refused,
}

#[derive(Default)]
pub(super) struct Ledger {
    grants: Vec<Grant>,
    tokens: BTreeMap<String, Token>,
    under_way: Vec<Request>,
    begun: usize,
    /// The grant of the account's current credential.
    in_use: Option<usize>,
    /// Whether a process crashed, or the store didn't apply a commit.
    pub(super) interrupted: bool,
    pub(super) refreshes: u32,
    pub(super) refusals: u32,
    pub(super) lost: u32,
    pub(super) second_presentations: u32,
}

impl Ledger {
    /// The user consents.
    pub(super) fn consent(&mut self, client: &str) -> usize {
        self.grants.push(Grant {
            client: client.to_owned(),
            ..Grant::default()
        });
        self.grants.len() - 1
    }

    /// Issues a new refresh token of a grant to a process.
    pub(super) fn issue(&mut self, grant: usize, client: &str, process: u32) -> String {
        assert_eq!(
            self.grants[grant].client, client,
            "a code is exchanged by another client"
        );
        let number = self.tokens.len();
        let token = format!("refresh-{number}");
        self.grants[grant].current.clone_from(&token);
        let issued = Token {
            grant,
            number,
            holder: process,
            spent_at: None,
            kept: false,
            lost: false,
            froze: false,
        };
        self.tokens.insert(token.clone(), issued);
        token
    }

    /// Notes that a process sends a request with a refresh token.
    pub(super) fn begin(&mut self, token: &str, process: u32) -> usize {
        let mut others = self
            .under_way
            .iter()
            .filter(|request| request.token == token);
        assert!(
            others.all(|request| request.froze),
            "two refreshes with one token at the same time"
        );
        self.begun += 1;
        self.under_way.push(Request {
            id: self.begun,
            token: token.to_owned(),
            process,
            froze: false,
        });
        self.begun
    }

    /// Notes that a request ended: with its response, without it, or with its process.
    pub(super) fn end(&mut self, request: usize) {
        self.under_way.retain(|one| one.id != request);
    }

    /// Presents a refresh token.
    pub(super) fn present(
        &mut self,
        class: Class,
        token: &str,
        client: &str,
        now: Timestamp,
        (process, request): (u32, usize),
    ) -> Outcome {
        self.refreshes += 1;
        let presented = &self.tokens[token];
        let (number, spent_at) = (presented.number, presented.spent_at);
        let grant = presented.grant;
        assert_eq!(
            self.grants[grant].client, client,
            "a refresh token is presented by another client"
        );
        if self.grants[grant].dead {
            self.refusals += 1;
            return Outcome::Refused;
        }
        let is_current = self.grants[grant].current == token;
        self.second_presentations += u32::from(!is_current);
        let is_new = match class {
            Class::Stable => return Outcome::Tokens(token.to_owned()),
            Class::Grace => is_current || spent_at.is_some_and(|spent| now < spent + GRACE),
            Class::Rotating | Class::Strict => is_current,
        };
        if is_new {
            self.tokens
                .get_mut(token)
                .unwrap()
                .spent_at
                .get_or_insert(now);
            return Outcome::Tokens(self.issue(grant, client, process));
        }
        if class == Class::Strict {
            let stood_still = |one: &Request| one.id == request && one.froze;
            let late = self.under_way.iter().any(stood_still);
            let is_excused =
                late || self.grants[grant].excused || self.has_unknown_successor(grant, number);
            assert!(is_excused, "a spent token is presented: {token}");
            self.grants[grant].dead = true;
            self.grants[grant].excused = true;
        }
        self.refusals += 1;
        Outcome::Refused
    }

    /// Whether the response that replaced a token was lost, or its holder is frozen.
    fn has_unknown_successor(&self, grant: usize, number: usize) -> bool {
        let mut later = self
            .tokens
            .values()
            .filter(|token| token.grant == grant && token.number > number);
        later.all(|token| !token.kept && (token.lost || token.froze))
    }

    /// Notes that the network delivers a request twice, and returns the response to the second one.
    pub(super) fn excuse(&mut self, token: &str) {
        let grant = self.tokens[token].grant;
        self.grants[grant].excused = true;
    }

    /// Notes that a token is in the store.
    pub(super) fn keep(&mut self, token: &str) {
        if let Some(token) = self.tokens.get_mut(token) {
            token.kept = true;
        }
    }

    /// Notes that a process has written all its tokens to the spool.
    pub(super) fn keep_all_of(&mut self, process: u32) {
        for token in self.held_by(process) {
            token.kept = true;
        }
    }

    fn held_by(&mut self, process: u32) -> impl Iterator<Item = &mut Token> {
        self.tokens
            .values_mut()
            .filter(move |token| token.holder == process && !token.kept && !token.lost)
    }

    /// Notes that a response doesn't reach its process.
    pub(super) fn lose(&mut self, token: &str) {
        let token = self.tokens.get_mut(token).unwrap();
        token.lost = !token.kept;
        self.lost += 1;
    }

    pub(super) fn kill(&mut self, process: u32) {
        self.interrupted = true;
        let lost = self.held_by(process).map(|token| token.lost = true).count();
        self.lost += u32::try_from(lost).unwrap();
    }

    pub(super) fn freeze(&mut self, process: u32) {
        self.held_by(process).for_each(|token| token.froze = true);
        for request in self.under_way.iter_mut() {
            request.froze |= request.process == process;
        }
    }

    /// Sets the grant that the account uses now.
    pub(super) fn use_grant_of(&mut self, token: Option<&String>) {
        self.in_use = token
            .and_then(|token| self.tokens.get(token))
            .map(|token| token.grant);
    }

    /// The user revokes everything.
    pub(super) fn revoke_all(&mut self) {
        for grant in &mut self.grants {
            (grant.dead, grant.revoked) = (true, true);
        }
    }

    /// Stead revokes a grant.
    pub(super) fn revoke(&mut self, token: &str) {
        let Some(token) = self.tokens.get(token) else {
            return;
        };
        assert_ne!(
            Some(token.grant),
            self.in_use,
            "what the account uses is revoked"
        );
        let grant = &mut self.grants[token.grant];
        (grant.dead, grant.revoked) = (true, true);
    }

    pub(super) fn is_grant_alive(&self, grant: usize) -> bool {
        !self.grants[grant].dead
    }

    pub(super) fn grant_of(&self, token: &str) -> Option<usize> {
        self.tokens.get(token).map(|token| token.grant)
    }

    /// Whether the product would accept this refresh token.
    pub(super) fn lives(&self, token: &str) -> bool {
        let grant = self.grant_of(token).map(|grant| &self.grants[grant]);
        grant.is_some_and(|grant| !grant.dead && grant.current == token)
    }

    /// Why an account with this token's grant may need its user again, if it may. A frozen holder only counts while
    /// it's frozen.
    pub(super) fn excuse_of(&self, token: &str, while_frozen: bool) -> Option<Excuse> {
        let grant = self.grant_of(token)?;
        if self.grants[grant].revoked {
            return Some(Excuse::Revoked);
        }
        if self.grants[grant].excused {
            return Some(Excuse::PresentedTwice);
        }
        let of_grant = || {
            self.tokens
                .values()
                .filter(move |token| token.grant == grant)
        };
        let kept = of_grant()
            .filter(|token| token.kept)
            .map(|token| token.number)
            .max();
        let mut newer = of_grant().filter(|token| Some(token.number) > kept);
        let is_lost = newer.any(|token| token.lost || (while_frozen && token.froze));
        is_lost.then_some(Excuse::Lost)
    }
}

/// A cause outside Stead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Excuse {
    /// The user or the application revoked the grant.
    Revoked,
    /// The network, or a process that was frozen, presented a used token.
    PresentedTwice,
    /// The response with the only valid token was lost.
    Lost,
}
