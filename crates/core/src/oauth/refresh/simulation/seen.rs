//! Invariants that hold after every commit, given everything that was seen before.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use secrecy::ExposeSecret as _;

use super::{ledger::Excuse, ready, server::Server};
use crate::{
    context::Context,
    domain::{Account, Authorization, AuthorizationState, Credential, Event},
    identifier::AuthorizationId,
    product::Rotation,
    state::{AccountReason, AccountState},
    store::{Batch, Records, Row, Versioned, Write},
};

/// Knowledge about the account from watching its commits.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) commits: u32,
    /// Changes that are visible outside, each with its event.
    pub(super) transitions: u32,
    pub(super) account: Option<Account>,
    authorizations: BTreeMap<AuthorizationId, AuthorizationState>,
    /// Refresh tokens by generation.
    pub(super) tokens: BTreeMap<u64, String>,
    /// When the request for each generation was sent, in the store's time.
    sent: BTreeMap<u64, Option<Timestamp>>,
    /// The generation that was current before this one.
    previous: u64,
    /// The generation before `previous`. Stead shreds it next.
    replaced: u64,
    /// Generations that have tokens in the store.
    kept: BTreeSet<u64>,
    /// Generations that were current and no longer are.
    left: BTreeSet<u64>,
    /// Authorizations that were completed before the last disconnect.
    pub(super) ended: BTreeSet<AuthorizationId>,
    /// Authorizations that were waiting for confirmation when the account was disconnected.
    cut_off: BTreeSet<AuthorizationId>,
    /// Distinct situations: state, reason, health, lease, and the number of valid credentials.
    pub(super) situations: BTreeSet<String>,
}

/// The data to look at in addition to a batch.
pub(super) struct Sight<'a> {
    pub(super) rows: Records,
    /// A context that can decrypt.
    pub(super) observer: &'a Context,
    pub(super) server: &'a Server,
    pub(super) rotation: Rotation,
}

impl Seen {
    /// Checks a commit.
    pub(super) fn committed(&mut self, batch: &Batch, sight: &Sight<'_>) {
        let written = |table| written(batch, table);
        let watched = ["account", "credential", "authorization", "event"];
        if watched
            .into_iter()
            .all(|table| written(table).next().is_none())
        {
            return;
        }
        self.commits += 1;
        let before = self.account.clone();
        let account: Option<Account> = written("account").map(read).next();
        self.check_events(batch, account.as_ref());
        let Some(now) = account.or_else(|| before.clone()) else {
            return;
        };
        for credential in written("credential").map(read::<Credential>) {
            if credential.sealed.is_some() && !self.tokens.contains_key(&credential.generation) {
                let tokens = ready(sight.observer.tokens(&now, credential.generation)).unwrap();
                let token = tokens.refresh_token().unwrap().expose_secret().to_owned();
                sight.server.state().ledger.keep(&token);
                self.tokens.insert(credential.generation, token);
                self.sent.insert(credential.generation, credential.sent_at);
            }
        }
        let authorizations = rows(sight.rows.authorizations(now.id, u32::MAX));
        let kept = rows(sight.rows.credentials(now.id));
        if let Some(before) = before.filter(|before| *before != now) {
            self.check_change(&before, &now, &authorizations);
            self.check_death(&before, &now, sight);
            self.check_replaced(&before, &now, sight);
        }
        let in_use = self.tokens.get(&now.generation);
        sight.server.state().ledger.use_grant_of(in_use);
        self.check_credentials(&kept, &now, &authorizations, sight.server);
        self.check_kept(&kept, &now, sight.server);
        self.situations.insert(format!(
            "{:?} {:?} {:?} {} {}",
            now.state,
            now.reason,
            now.health,
            now.lease.is_some(),
            kept.len()
        ));
        self.account = Some(now);
    }

    /// Checks that each visible change has exactly one event in its own commit, and that nothing else has one.
    fn check_events(&mut self, batch: &Batch, account: Option<&Account>) {
        let events: Vec<Event> = written(batch, "event").map(read).collect();
        let of = |kind: &str| {
            let names = events.iter().map(|event| event.name.as_str());
            // The outcome of a revocation at the product doesn't change an account.
            let names = names.filter(|name| !name.contains("revo"));
            // A refresh without a visible change doesn't either.
            let names = names
                .filter(|name| !matches!(*name, "account.refreshed" | "account.refresh_failed"));
            names.filter(|name| name.starts_with(kind)).count()
        };
        let visible = |account: &Account| {
            (
                account.state,
                account.suspended_from,
                account.reason,
                account.health,
            )
        };
        let before = self.account.as_ref();
        let changes =
            account.is_some_and(|now| before.is_none_or(|before| visible(before) != visible(now)));
        // Another credential may become the current one without a visible change of the account.
        let may = account
            .is_some_and(|now| before.is_some_and(|before| before.generation != now.generation));
        let found = of("account.");
        assert!(
            found == usize::from(changes) || (found == 1 && may),
            "{found} events of {before:?} {account:?}"
        );
        let mut changed = 0;
        let mut rows = 0;
        for authorization in written(batch, "authorization").map(read::<Authorization>) {
            let state = authorization.state;
            let before = self.authorizations.insert(authorization.id, state);
            changed += usize::from(before != Some(state));
            rows += 1;
        }
        let found_of_authorizations = of("authorization.");
        assert!(
            (changed..=rows).contains(&found_of_authorizations),
            "{found_of_authorizations} events of {changed} changes of authorizations"
        );
        self.transitions += u32::try_from(found + found_of_authorizations).unwrap();
    }

    fn check_change(&mut self, before: &Account, now: &Account, authorizations: &[Authorization]) {
        use AccountState::{
            Active, Disconnected, NeedsReauthorization, PendingAuthorization, PendingVerification,
            Suspended,
        };
        let numbers_grow =
            now.last_generation >= before.last_generation && now.generation <= now.last_generation;
        assert!(numbers_grow, "{before:?} {now:?}");
        if now.generation != before.generation {
            self.left.insert(before.generation);
            let returned = now.generation != 0 && self.left.contains(&now.generation);
            assert!(!returned, "an old generation is current again: {now:?}");
            self.replaced = std::mem::replace(&mut self.previous, before.generation);
        }
        let possible: &[AccountState] = match before.state {
            Disconnected => &[PendingAuthorization],
            PendingAuthorization | PendingVerification => &[
                PendingAuthorization,
                PendingVerification,
                Active,
                Suspended,
                Disconnected,
            ],
            Active | NeedsReauthorization => {
                &[Active, NeedsReauthorization, Suspended, Disconnected]
            }
            Suspended => &[
                PendingAuthorization,
                PendingVerification,
                Active,
                NeedsReauthorization,
                Disconnected,
            ],
        };
        assert!(
            now.state == before.state || possible.contains(&now.state),
            "{before:?} {now:?}"
        );
        let mut completed = ids(authorizations, AuthorizationState::Completed);
        if before.generation == 0 && now.generation != 0 {
            let again = completed.clone().any(|id| !self.ended.contains(&id));
            assert!(
                again,
                "an ended account lives again without a new confirmation: {now:?}"
            );
        }
        if now.state == Disconnected {
            assert_eq!(now.generation, 0);
            (self.previous, self.replaced) = (0, 0);
            self.ended = completed.by_ref().collect();
            self.cut_off
                .extend(ids(authorizations, AuthorizationState::Verifying));
        }
    }

    /// Checks that valid tokens of a grant aren't replaced by tokens that were requested earlier.
    fn check_replaced(&self, before: &Account, now: &Account, sight: &Sight<'_>) {
        let token = |account: &Account| self.tokens.get(&account.generation);
        let (Some(was), Some(is)) = (token(before), token(now)) else {
            return;
        };
        let ledger = &sight.server.state().ledger;
        if before.generation == now.generation || ledger.grant_of(was) != ledger.grant_of(is) {
            return;
        }
        let sent = |account: &Account| self.sent[&account.generation];
        assert!(
            sent(now) >= sent(before) || !ledger.lives(was),
            "older tokens replace ones that live: {before:?} {now:?}"
        );
    }

    /// Checks that an account only dies for a cause outside Stead, and that the user is only blamed for their own
    /// actions.
    fn check_death(&self, before: &Account, now: &Account, sight: &Sight<'_>) {
        let reason = now.reason.filter(|reason| {
            before.reason != Some(*reason) && *reason != AccountReason::ClientChanged
        });
        let Some(reason) = reason else { return };
        let ledger = &sight.server.state().ledger;
        let excuse = ledger.excuse_of(&self.tokens[&before.generation], true);
        assert!(
            excuse.is_some(),
            "an account is lost without a reason: {now:?}"
        );
        if excuse == Some(Excuse::Lost) {
            assert_ne!(sight.rotation, Rotation::Stable);
            assert_eq!(reason, AccountReason::RefreshOutcomeLost, "{before:?}");
        }
    }

    /// Checks that valid tokens stay in the store as long as the account uses their grant.
    fn check_kept(&mut self, kept: &[Credential], account: &Account, server: &Server) {
        let now = kept
            .iter()
            .map(|credential| credential.generation)
            .collect();
        let before = std::mem::replace(&mut self.kept, now);
        let ledger = &server.state().ledger;
        let grant = |token: &String| ledger.grant_of(token);
        let in_use = self.tokens.get(&account.generation).and_then(grant);
        let stands = |token| {
            let mut kept = self.kept.iter();
            kept.any(|generation| self.tokens.get(generation) == Some(token))
        };
        for generation in before.difference(&self.kept) {
            let Some(token) = self.tokens.get(generation) else {
                continue;
            };
            let is_lost = grant(token) == in_use && ledger.lives(token) && !stands(token);
            assert!(!is_lost, "a token that lives is shredded: {account:?}");
        }
    }

    /// Checks that the store has the current credential and, next to it, only the previous one, those that wait for
    /// confirmation, and others of the same grant.
    fn check_credentials(
        &self,
        kept: &[Credential],
        account: &Account,
        authorizations: &[Authorization],
        server: &Server,
    ) {
        let current = kept
            .iter()
            .find(|credential| credential.generation == account.generation);
        let usable = current.is_some_and(|credential| credential.pending_for.is_none());
        assert!(
            account.generation == 0 || usable,
            "no current credential: {account:?}"
        );
        let verifying: BTreeSet<AuthorizationId> =
            ids(authorizations, AuthorizationState::Verifying).collect();
        let ledger = &server.state().ledger;
        let grant = |generation| ledger.grant_of(self.tokens.get(&generation)?);
        for credential in kept {
            let known = [account.generation, self.previous, self.replaced];
            let one_of_three = known.contains(&credential.generation);
            let waits = credential
                .pending_for
                .is_some_and(|holder| verifying.contains(&holder));
            // Tokens that arrived after their lease expired are kept for the next refresh. That refresh also shreds
            // leftovers of a process that ended, or of a store outage.
            let same_grant = grant(credential.generation) == grant(account.generation);
            assert!(
                one_of_three || waits || same_grant || ledger.interrupted,
                "{credential:?} is kept, though {} came before {account:?}",
                self.previous
            );
        }
        for id in verifying.difference(&self.cut_off) {
            assert!(
                kept.iter()
                    .any(|credential| credential.pending_for == Some(*id)),
                "nothing is left to confirm for {id}"
            );
        }
    }
}

/// The rows of a table that a batch inserts or updates.
fn written<'a>(batch: &'a Batch, table: &'static str) -> impl Iterator<Item = &'a Row> {
    let rows = batch.writes.iter().filter_map(|write| match write {
        Write::Insert(row) | Write::Update(row, _) => Some(row),
        Write::Delete(..) => None,
    });
    rows.filter(move |row| row.table.name == table)
}

fn read<T: serde::de::DeserializeOwned>(row: &Row) -> T {
    serde_json::from_str(&row.body).unwrap()
}

fn ids(
    authorizations: &[Authorization],
    state: AuthorizationState,
) -> impl Iterator<Item = AuthorizationId> + Clone {
    authorizations
        .iter()
        .filter(move |one| one.state == state)
        .map(|one| one.id)
}

fn rows<T>(found: impl Future<Output = crate::Result<Vec<Versioned<T>>>>) -> Vec<T> {
    ready(found).into_iter().map(|found| found.row).collect()
}
