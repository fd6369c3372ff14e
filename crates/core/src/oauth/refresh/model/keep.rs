//! How a process keeps tokens that came.

use super::{
    Model, Planted,
    laws::{Broken, check_commit, check_replaced},
    state::{Brought, GONE, LIFE, Live, Replaced, Row, State, at, id},
    steps::Add,
};
use crate::domain::{
    Account,
    account::Trigger,
    refresh::{Keep, Refreshed},
};

pub(super) const KEEP_FAILED: &str = "offers tokens to a store that is away";
pub(super) const KEEP_DOUBTED: &str = "stores tokens, and is told that it failed";
pub(super) const NOT_SHREDDED: &str = "fails to shred what was replaced";
pub(super) const STAYS_IN_SPOOL: &str = "stores what is in the spool, and cannot remove it";

impl Model {
    /// Offers tokens to the store; what it does not take waits in the spool.
    pub(super) fn keep(&self, state: &State, process: u8, brought: &Brought, add: Add<'_>) {
        let spool = |state: &mut State| {
            if state.spool.iter().all(|other| other.sent != brought.sent) {
                state.spool.push(*brought);
            }
        };
        let mut failed = state.clone();
        spool(&mut failed);
        add(KEEP_FAILED, failed, None);
        let (mut after, broken) = self.offer(state, process, brought);
        let mut doubtful = after.clone();
        doubtful.shredding[usize::from(process)] = state.shredding[usize::from(process)];
        spool(&mut doubtful);
        add(KEEP_DOUBTED, doubtful, broken);
        after.spool.retain(|other| other.sent != brought.sent);
        after.finish(process);
        add("stores tokens", after, broken);
    }

    /// Shreds what tokens that were stored before have replaced, whatever has happened since.
    pub(super) fn shred(state: &State, process: u8, replaced: Replaced, add: Add<'_>) {
        let mut after = state.clone();
        after.shredding[usize::from(process)] = None;
        add(NOT_SHREDDED, after.clone(), None);
        after.live.retain(|live| !replaced.holds(live));
        add("shreds what was replaced", after, None);
    }

    /// Tokens as the next generation, and the account that points at it. What they replace is shredded later.
    pub(super) fn offer(
        &self,
        state: &State,
        process: u8,
        brought: &Brought,
    ) -> (State, Option<Broken>) {
        let account = state.row.account();
        let refreshed = Refreshed {
            owner: id(brought.owner),
            grant: brought.grant.into(),
            claimed: brought.claimed.into(),
            generation: account.last_generation + 1,
            sent_at: brought.sent.moment(),
            token_expires_at: Some(at(LIFE[usize::from(brought.owner % GONE)])),
            reauthorize_by: None,
            scopes: None,
            rotation: self.rotation(),
            rotated: brought.rotated,
        };
        let aside = account.keeps(&refreshed) == Keep::Aside
            && state
                .live
                .iter()
                .any(|live| live.sent == Some(brought.sent));
        if aside {
            return (state.clone(), None);
        }
        let changed = account.on(Trigger::Refreshed(&refreshed), at(0)).unwrap();
        let changed = match (changed, self.planted) {
            // Tokens are taken, and the account stays as dead as it was.
            (Some((next, event)), Some(Planted::M1)) => {
                let (state, reason) = (account.state, account.reason);
                let event = event.filter(|_| next.state == state);
                Some((
                    Account {
                        state,
                        reason,
                        ..next
                    },
                    event,
                ))
            }
            (changed, _) => changed,
        };
        let Some((next, event)) = changed else {
            return (state.clone(), None);
        };
        let mut after = state.clone();
        after.row = Row::of(&next);
        after.live.push(Live {
            generation: after.row.last,
            token: brought.token,
            sent: Some(brought.sent),
        });
        let is_current = after.row.generation == after.row.last;
        if is_current {
            after.shredding[usize::from(process)] = Some(Replaced {
                current: after.row.generation,
                claimed: brought.claimed,
                sent: brought.sent,
            });
        }
        let broken = check_commit(&state.row, &after.row, event, false)
            .or_else(|| check_replaced(self.class, state, &after));
        (after, broken)
    }
}
