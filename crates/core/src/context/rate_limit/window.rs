//! One quota within 60 seconds.
//!
//! It remembers what was spent. A bucket that fills over the minute would allow twice the quota within 60 seconds, or
//! never all of it.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard},
    time::Duration,
};

use super::{lock, too_late};
use crate::{Result, domain::quota_share::free_part};

pub(super) const MINUTE: Duration = Duration::from_secs(60);
/// Units that are spent within this time are stored as one entry, at its end.
pub(super) const SLOT: Duration = Duration::from_millis(250);

/// Units that were spent in the last 60 seconds, and reserved units.
pub(super) struct Window {
    /// Units in any 60 seconds. 0 means no limit.
    pub(super) quota: u32,
    spent: Mutex<Spent>,
}

pub(super) struct Spent {
    /// Units that this process can spend.
    limit: u32,
    /// Ends of slots in order, with the units spent in each.
    slots: VecDeque<(Duration, u64)>,
    /// Turn of the last reservation. Later reservations can't have an earlier turn.
    last: Duration,
}

impl Window {
    pub(super) fn new(quota: u32, shared: bool) -> Self {
        let limit = if shared { free_part(quota) } else { quota };
        let (slots, last) = (VecDeque::new(), Duration::ZERO);
        Self {
            quota,
            spent: Mutex::new(Spent { limit, slots, last }),
        }
    }

    /// Reserves units and returns how long to wait: until enough of what was spent is a minute old. Reserves nothing if
    /// the wait would be longer than `left`. A request that costs more than the limit gets a minute of its own.
    pub(super) fn reserve(&self, units: u32, now: Duration, left: Duration) -> Result<Duration> {
        let mut spent = self.spent();
        let turn = self.turn(&mut spent, units, now);
        let wait = turn - now;
        if wait > left {
            return Err(too_late(wait));
        }
        self.take(&mut spent, turn, units);
        Ok(wait)
    }

    /// When these units can be used.
    pub(super) fn turn(&self, spent: &mut Spent, units: u32, now: Duration) -> Duration {
        if self.quota == 0 {
            return now;
        }
        let Spent { limit, slots, last } = spent;
        while slots.front().is_some_and(|(end, _)| *end + MINUTE <= now) {
            slots.pop_front();
        }
        let mut turn = now.max(*last);
        let mut held: u64 = slots.iter().map(|(_, units)| units).sum();
        for (end, of_slot) in &*slots {
            if *end + MINUTE > turn {
                if held + u64::from(units) <= (*limit).into() {
                    break;
                }
                turn = *end + MINUTE;
            }
            held -= of_slot;
        }
        turn
    }

    pub(super) fn take(&self, spent: &mut Spent, turn: Duration, units: u32) {
        if self.quota == 0 {
            return;
        }
        spent.last = turn;
        let end = slot_end(turn);
        match spent.slots.back_mut() {
            Some((last, of_slot)) if *last == end => *of_slot += u64::from(units),
            _ => spent.slots.push_back((end, units.into())),
        }
    }

    /// Gives back the units that a request reserved for this turn but didn't send.
    pub(super) fn give_back(&self, turn: Duration, units: u32) {
        let mut spent = self.spent();
        let Spent { slots, last, .. } = &mut *spent;
        let Ok(index) = slots.binary_search_by_key(&slot_end(turn), |(end, _)| *end) else {
            return;
        };
        let of_slot = &mut slots[index].1;
        *of_slot = of_slot.saturating_sub(units.into());
        if *of_slot == 0 {
            slots.remove(index);
        }
        // Following requests only wait for those that still wait.
        *last = (*last).min(slots.back().map_or(Duration::ZERO, |(end, _)| *end));
    }

    /// Whether these units need more than the limit allows now.
    pub(super) fn is_short(&self, units: u32, now: Duration) -> bool {
        let mut spent = self.spent();
        units > 0 && (self.turn(&mut spent, units, now) > now || units > spent.limit)
    }

    /// Sets the limit. Returns whether it's higher than before.
    pub(super) fn allow(&self, limit: u32) -> bool {
        let mut spent = self.spent();
        limit > std::mem::replace(&mut spent.limit, limit)
    }

    /// Lowers the limit to at most this many units.
    pub(super) fn allow_at_most(&self, limit: u32) {
        let mut spent = self.spent();
        spent.limit = spent.limit.min(limit);
    }

    /// The most units spent or reserved in any 60 seconds that end now or later.
    pub(super) fn peak(&self, now: Duration) -> u32 {
        let slots = &self.spent().slots;
        let (mut held, mut peak, mut first) = (0, 0, 0);
        for (index, (end, units)) in slots.iter().enumerate() {
            held += units;
            while first <= index && slots[first].0 + MINUTE <= now.max(*end) {
                held -= slots[first].1;
                first += 1;
            }
            peak = peak.max(held);
        }
        u32::try_from(peak).unwrap_or(u32::MAX)
    }

    /// Time until the last reserved units can be used.
    pub(super) fn promised(&self, now: Duration) -> Duration {
        self.spent().last.saturating_sub(now)
    }

    pub(super) fn spent(&self) -> MutexGuard<'_, Spent> {
        lock(&self.spent)
    }

    pub(super) fn is_whole(&self, now: Duration) -> bool {
        let spent = self.spent();
        spent
            .slots
            .back()
            .is_none_or(|(end, _)| *end + MINUTE <= now)
    }
}

/// End of the slot with this time.
fn slot_end(moment: Duration) -> Duration {
    let slots = moment.as_millis().div_ceil(SLOT.as_millis());
    SLOT * u32::try_from(slots).unwrap_or(u32::MAX)
}
