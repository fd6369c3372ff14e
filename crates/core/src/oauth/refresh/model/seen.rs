//! What must hold after every step of every task, by all that was seen before.

use super::*;

/// What is known of the account from watching it, and what may become of it.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) changes: u32,
    account: Option<Account>,
    /// The generation that was current before, and the one before that, which is shredded next.
    previous: u64,
    replaced: u64,
    /// Generations that were current and are no more.
    left: BTreeSet<u64>,
    /// Authorizations that were completed before the last disconnect.
    pub(super) ended: BTreeSet<AuthorizationId>,
    /// Authorizations that waited to be confirmed at a disconnect.
    cut_off: BTreeSet<AuthorizationId>,
}

impl Seen {
    /// Looks at the rows of an account.
    pub(super) fn look(&mut self, store: &Flaky, account: AccountId, server: &Server) {
        let row = ready(store.rows().account(account))
            .expect("the account stays")
            .row;
        if self.account.as_ref() == Some(&row) {
            return;
        }
        let authorizations = rows(store.rows().authorizations(account, u32::MAX));
        if let Some(before) = self.account.take() {
            self.check_change(&before, &row, &authorizations);
        }
        self.check_credentials(
            &rows(store.rows().credentials(account)),
            &row,
            &authorizations,
            server,
        );
        let dead = [Some(row.state), row.suspended_from]
            .contains(&Some(AccountState::NeedsReauthorization));
        assert!(
            !dead || server.is_excuse(),
            "an account is lost without a reason: {row:?}"
        );
        self.account = Some(row);
        self.changes += 1;
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

    /// The current credential is there, and next to it the one before and those that wait.
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
        // Tokens that came after a lease was over are kept for the next refresh, which also shreds what a process that
        // ended or a store that was down left.
        let left = {
            let state = server.state();
            state.froze || state.killed || state.outage
        };
        for credential in kept {
            let known = [account.generation, self.previous, self.replaced];
            let one_of_three = known.contains(&credential.generation);
            let waits = credential
                .pending_for
                .is_some_and(|holder| verifying.contains(&holder));
            assert!(
                one_of_three || waits || left,
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

fn ids(
    authorizations: &[Authorization],
    state: AuthorizationState,
) -> impl Iterator<Item = AuthorizationId> + Clone {
    authorizations
        .iter()
        .filter(move |one| one.state == state)
        .map(|one| one.id)
}

fn rows<T>(found: impl Future<Output = Result<Vec<Versioned<T>>>>) -> Vec<T> {
    ready(found).into_iter().map(|found| found.row).collect()
}
