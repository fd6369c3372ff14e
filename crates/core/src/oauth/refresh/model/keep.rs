//! How a process keeps tokens that came.

use super::{
    Model, Planted,
    laws::{Broken, check_commit, check_replaced},
    state::{Brought, GONE, LIFE, Live, Row, State, at, id},
    steps::Add,
};
use crate::domain::{
    Account,
    account::Trigger,
    refresh::{Keep, Refreshed},
};

pub(super) const KEEP_FAILED: &str = "offers tokens to a store that is away";
pub(super) const KEEP_DOUBTED: &str = "stores tokens, and is told that it failed";
pub(super) const NOT_SHREDDED: &str = "stores tokens, and shreds none";
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
        for shreds in [true, false] {
            let (mut after, broken) = self.offer(state, brought, shreds);
            if shreds {
                let mut doubtful = after.clone();
                spool(&mut doubtful);
                add(KEEP_DOUBTED, doubtful, broken);
            }
            after.spool.retain(|other| other.sent != brought.sent);
            after.finish(process);
            let what = if shreds {
                "stores tokens"
            } else {
                NOT_SHREDDED
            };
            add(what, after, broken);
        }
    }

    /// Tokens as the next generation, and the account that points at it.
    pub(super) fn offer(
        &self,
        state: &State,
        brought: &Brought,
        shreds: bool,
    ) -> (State, Option<Broken>) {
        let account = state.row.account();
        let refreshed = Refreshed {
            owner: id(brought.owner),
            grant: brought.grant.into(),
            claimed: brought.claimed.into(),
            generation: account.last_generation + 1,
            sent_at: brought.sent.moment(),
            token_expires_at: Some(at(LIFE[usize::from(brought.owner % GONE)])),
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
        if is_current && shreds {
            after.live.retain(|live| {
                live.generation >= brought.claimed || live.sent > Some(brought.sent)
            });
        }
        let broken = check_commit(&state.row, &after.row, event, false)
            .or_else(|| check_replaced(self.class, state, &after));
        (after, broken)
    }
}
