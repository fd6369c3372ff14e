//! How a state is written, so that all that behave alike are written alike.

use super::state::{GONE, GRACE, LEASE_TICKS, Phase, Row, Sent, State, Token};
use crate::state::AccountHealth;

impl State {
    /// The same state, as it is written for all that behave like it.
    pub(super) fn canonical(mut self) -> Self {
        let clip = |row: &mut Row| {
            row.expires = row.expires.max(0);
            // No one who asks waits for it.
            row.after = 0;
            row.health = AccountHealth::Ok;
            row.refused = row.refused.map(|refused| refused.max(-1));
            // What products of these classes say of themselves is enough.
            row.rotates = false;
        };
        clip(&mut self.row);
        let (current, live) = (self.row.generation, &self.live);
        for shredding in &mut self.shredding {
            // No generation becomes the current one again, and no older one comes.
            *shredding = shredding.filter(|replaced| {
                replaced.current == current && live.iter().any(|one| replaced.holds(one))
            });
        }
        if let Some(held) = &mut self.row.lease {
            held.until = held.until.max(-1);
            let mut records = self.spool.iter();
            if held.owner >= GONE && records.all(|record| record.owner != held.owner) {
                held.owner = GONE;
            }
        }
        self.server.spent = self.server.spent.filter(|(_, age)| *age < GRACE);
        for phase in &mut self.phases {
            if let Phase::Brought(brought) = phase {
                brought.age = brought.age.min(LEASE_TICKS);
            }
            if let Some(attempt) = phase.attempt() {
                attempt.age = attempt.age.min(LEASE_TICKS);
                attempt.row = attempt.row.claimed();
                clip(&mut attempt.row);
            }
        }
        let order = ordered(self.sents());
        for sent in self.sents() {
            let rank = place(&order, sent);
            // All left long enough ago for the next refresh.
            *sent = Sent {
                tick: -2,
                rank: u8::try_from(rank).unwrap(),
            };
        }
        let order = ordered(self.tokens());
        let former = usize::from(order.first() == Some(&Token::Former));
        for token in self.tokens() {
            if *token != Token::Former {
                let place = place(&order, token) - former;
                *token = Token::Present(u8::try_from(place).unwrap());
            }
        }
        let order = ordered(self.generations());
        let none = usize::from(order.first() != Some(&0));
        for generation in self.generations() {
            *generation = u8::try_from(place(&order, generation) + none).unwrap();
        }
        self.live.sort_unstable();
        self.spool.sort_unstable_by_key(|brought| brought.sent);
        self
    }
}

fn ordered<T: Copy + Ord>(all: Vec<&mut T>) -> Vec<T> {
    let mut all: Vec<T> = all.into_iter().map(|one| *one).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn place<T: Ord>(order: &[T], one: &T) -> usize {
    order.partition_point(|other| other < one)
}
