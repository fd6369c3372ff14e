//! What a process does next, by the functions of the domain.

use std::time::Duration;

use jiff::SignedDuration;

use super::{
    Model, Planted,
    keep::{KEEP_DOUBTED, KEEP_FAILED, NOT_SHREDDED, STAYS_IN_SPOOL},
    laws::{Broken, check_commit, check_death, check_presented, check_replaced},
    outside::{LOSES_REQUEST, LOSES_RESPONSE, TWICE_FIRST, TWICE_SECOND},
    state::{
        Attempt, CLIENT, ENDED, LEASE_TICKS, Live, MOST_LIVE, Phase, Row, Sent, State, TICK, Token,
        at, id,
    },
};
use crate::{
    domain::{
        account::{Transition, Trigger},
        lease::{Claim, Claimant, may_send},
        refresh::{AfterRefusal, RefreshFailure, RefreshReason, Refusal},
    },
    oauth::refresh::simulation::Class,
    product::Rotation,
    state::{AccountReason, AccountState},
};

/// A step: what happens, the state after it, and what it breaks.
pub(super) struct Step {
    pub(super) what: &'static str,
    pub(super) process: Option<u8>,
    /// Whether something goes wrong.
    pub(super) trouble: bool,
    pub(super) after: State,
    pub(super) broken: Option<Broken>,
}

/// Adds a step of a process: what it is, the state after it, and what it breaks.
pub(super) type Add<'a> = &'a mut dyn FnMut(&'static str, State, Option<Broken>);

/// What a process that dies does.
pub(super) const KILLED: &str = "is killed";
/// Whatever goes wrong.
const TROUBLES: &[&str] = &[
    KILLED,
    CLAIM_DOUBTED,
    ADOPTION_FAILED,
    ADOPTION_DOUBTED,
    LOSES_REQUEST,
    LOSES_RESPONSE,
    TWICE_FIRST,
    TWICE_SECOND,
    END_FAILED,
    END_DOUBTED,
    KEEP_FAILED,
    KEEP_DOUBTED,
    NOT_SHREDDED,
    STAYS_IN_SPOOL,
];
const CLAIM_DOUBTED: &str = "claims the lease, and is told that it failed";
const ADOPTION_FAILED: &str = "fails to adopt newer tokens";
const ADOPTION_DOUBTED: &str = "adopts newer tokens, and is told that it failed";
const END_FAILED: &str = "fails to end the account";
const END_DOUBTED: &str = "ends the account, and is told that it failed";

impl Model {
    /// Every step from a state.
    pub(super) fn steps(&self, state: &State) -> Vec<Step> {
        let mut steps = Self::outside(state);
        for process in [0, 1] {
            self.of_process(state, process, &mut steps);
        }
        steps.retain(|step| !step.trouble || state.troubles > 0);
        for step in &mut steps {
            let mut after = std::mem::replace(&mut step.after, state.clone());
            after.troubles -= u8::from(step.trouble);
            step.after = after.canonical();
        }
        // A store whose shredding fails for ever keeps ever more.
        steps.retain(|step| step.broken.is_some() || step.after.live.len() <= MOST_LIVE);
        steps
    }

    fn of_process(&self, state: &State, process: u8, steps: &mut Vec<Step>) {
        let phase = state.phases[usize::from(process)].clone();
        let mut add = |what, after, broken| {
            steps.push(Step {
                what,
                process: Some(process),
                trouble: TROUBLES.contains(&what),
                after,
                broken,
            });
        };
        let shredding = state.shredding[usize::from(process)];
        if let Some(replaced) = shredding {
            Self::shred(state, process, replaced, &mut add);
        }
        if phase != Phase::Idle || shredding.is_some() {
            let mut killed = state.clone();
            killed.finish(process);
            killed.shredding[usize::from(process)] = None;
            if let Some(held) = killed
                .row
                .lease
                .as_mut()
                .filter(|held| held.process == process)
            {
                held.process = ENDED;
            }
            add(KILLED, killed, None);
        }
        for record in &state.spool {
            let (mut after, broken) = self.offer(state, process, record);
            add(STAYS_IN_SPOOL, after.clone(), broken);
            after.spool.retain(|other| other.sent != record.sent);
            add("stores what is in the spool", after, broken);
        }
        match phase {
            Phase::Idle => self.claim(state, process, &mut add),
            Phase::Claimed(attempt) => self.adopt(state, process, attempt, &mut add),
            Phase::Presenting(attempt, generation) => {
                self.send(state, process, attempt, generation, &mut add);
            }
            Phase::InFlight(attempt, token, sent) => {
                self.arrive(state, process, &attempt, (token, sent), &mut add);
            }
            Phase::Refused(attempt) => self.refused(state, process, attempt, &mut add),
            Phase::Failed(_) => {
                let noted = RefreshFailure {
                    unanswered: true,
                    refused_at: None,
                    failed_at: at(0),
                    until: at(0),
                    client: CLIENT,
                };
                let (after, broken) = Self::note(state, process, &noted);
                add("notes that no tokens came", after, broken);
            }
            Phase::Doubtful => add(
                "gives back the lease that it may have",
                Self::give_back(state, process),
                None,
            ),
            Phase::Brought(brought) => self.keep(state, process, &brought, &mut add),
        }
    }

    fn claim(&self, state: &State, process: u8, add: Add<'_>) {
        if state.row.state != AccountState::Active {
            return;
        }
        // Whoever asks for a refresh waits for no pause, and is refused lightly only while the access token serves.
        let reason = RefreshReason::Asked;
        let held = state.row.lease.map(|held| held.process);
        let claim = state.row.account().claim(&Claimant {
            read_at: at(0),
            owner: id(process),
            process: Some(id(process)),
            reason,
            rotation: self.rotation(),
            client: CLIENT,
            holder_ended: held == Some(ENDED),
        });
        let Claim::Ours {
            account,
            recovering,
        } = claim
        else {
            return;
        };
        let row = Row::of(&account);
        let broken = check_commit(&state.row, &row, None, false);
        let claimed = State {
            row,
            ..state.clone()
        };
        let mut doubtful = claimed.clone();
        doubtful.phases[usize::from(process)] = Phase::Doubtful;
        add(CLAIM_DOUBTED, doubtful, broken);
        let mut after = claimed;
        after.phases[usize::from(process)] = Phase::Claimed(Attempt {
            row,
            reason,
            recovering,
            age: 0,
            tried: Vec::new(),
            presented: Vec::new(),
        });
        add("claims the lease", after, broken);
    }

    /// Looks for tokens that are newer than the current ones.
    fn adopt(&self, state: &State, process: u8, attempt: Attempt, add: Add<'_>) {
        if attempt.recovering && !state.spool.is_empty() {
            // It stores what is there, which is a step of its own, and begins again.
            let mut after = state.clone();
            after.finish(process);
            return add("finds tokens in the spool", after, None);
        }
        let live: Vec<_> = state.live.iter().map(Live::generation).collect();
        let newer = match self.planted {
            // The highest generation is treated as the newest tokens.
            Some(Planted::M3) => {
                let highest = live.iter().map(|one| one.generation).max();
                highest.filter(|highest| *highest > attempt.row.generation.into())
            }
            _ => attempt.row.account().adoptable(self.rotation(), &live),
        };
        let Some(newer) = newer else {
            let generation = attempt.row.generation;
            return self.send(state, process, attempt, generation, add);
        };
        let account = state.row.account();
        if state.row.generation != attempt.row.generation || !account.is_leased_to(id(process)) {
            let mut after = state.clone();
            after.finish(process);
            return add("has lost the lease", after, None);
        }
        let found = state
            .live
            .iter()
            .find(|live| u64::from(live.generation) == newer);
        let adopted = Trigger::CredentialAdopted {
            generation: newer,
            token_expires_at: Some(at(state.row.expires)),
            sent_at: found.and_then(|live| live.sent).map(Sent::moment),
        };
        let (after, broken) = commit(state, account.on(adopted, at(0)));
        for (what, mut after) in [
            (ADOPTION_DOUBTED, after.clone()),
            (ADOPTION_FAILED, state.clone()),
        ] {
            after.phases[usize::from(process)] = Phase::Doubtful;
            add(what, after, broken);
        }
        let mut adopted = after;
        adopted.finish(process);
        add("adopts newer tokens", adopted, broken);
    }

    /// Presents a refresh token, where there is time for it.
    fn send(&self, state: &State, process: u8, mut attempt: Attempt, generation: u8, add: Add<'_>) {
        attempt.tried.push(generation);
        let live = state.live.iter().find(|live| live.generation == generation);
        // What another grant has replaced is held, and can still be opened.
        let former = || (generation == attempt.row.generation).then_some(Token::Former);
        let token = live.map(|live| live.token).or_else(former);
        let mut after = state.clone();
        let Some(token) = token.filter(|token| !attempt.presented.contains(token)) else {
            after.phases[usize::from(process)] = Phase::Refused(attempt);
            return add("has nothing to present", after, None);
        };
        let elapsed = Duration::try_from(TICK * i32::from(attempt.age)).unwrap();
        if !may_send(elapsed) && self.planted != Some(Planted::M2) {
            return add(
                "gives the lease back, for there is no time left",
                Self::give_back(state, process),
                None,
            );
        }
        let other = &state.phases[usize::from(1 - process)];
        let twice = matches!(other, Phase::InFlight(other, sent, ..)
            if *sent == token && token != Token::Former && other.row.generation == attempt.row.generation && other.age < LEASE_TICKS);
        let broken = match twice {
            true => Some(Broken::TwoInFlight),
            false => check_presented(self.class, state, token),
        };
        attempt.presented.push(token);
        let sent = after.next_sent();
        after.phases[usize::from(process)] = Phase::InFlight(attempt, token, sent);
        add("presents a refresh token", after, broken);
    }

    /// Gives the lease back, if this refresh has it.
    fn give_back(state: &State, process: u8) -> State {
        let account = state.row.account();
        let mut after = match account.is_leased_to(id(process)) {
            true => commit(state, account.on(Trigger::LeaseReleased, at(0))).0,
            false => state.clone(),
        };
        after.finish(process);
        after
    }

    fn refused(&self, state: &State, process: u8, attempt: Attempt, add: Add<'_>) {
        let claimed = attempt.row.account();
        let now = state.row.account();
        let overtaken = now.is_overtaken(&claimed, id(process));
        if overtaken && self.planted != Some(Planted::OtherGrant) {
            let mut after = state.clone();
            after.finish(process);
            return add("has been overtaken", after, None);
        }
        let live: Vec<_> = state.live.iter().map(Live::generation).collect();
        let tried: Vec<u64> = attempt.tried.iter().map(|one| u64::from(*one)).collect();
        let after = claimed.after_refusal(Refusal {
            read_at: at(0),
            reason: attempt.reason,
            rotation: self.rotation(),
            live: &live,
            tried: &tried,
        });
        let missing = attempt.presented.is_empty();
        match after {
            AfterRefusal::Present(next) => {
                let mut after = state.clone();
                let phase = Phase::Presenting(attempt, u8::try_from(next).unwrap());
                after.phases[usize::from(process)] = phase;
                add("tries another generation", after, None);
            }
            AfterRefusal::Noted { since, pause } if !missing => {
                let noted = RefreshFailure {
                    unanswered: false,
                    refused_at: Some(since),
                    failed_at: at(0),
                    until: at(0) + pause.max(SignedDuration::ZERO),
                    client: CLIENT,
                };
                let (after, broken) = Self::note(state, process, &noted);
                add("notes the refusal", after, broken);
            }
            AfterRefusal::Noted { .. } | AfterRefusal::Dies(_) => {
                let reason = match after {
                    AfterRefusal::Dies(reason) if !missing => reason,
                    _ => AccountReason::RefreshTokenMissing,
                };
                let account = state.row.account();
                let same = state.row.generation == attempt.row.generation;
                let (died, mut broken) = match same && account.is_leased_to(id(process)) {
                    true => commit(state, account.on(Trigger::CredentialDied(reason), at(0))),
                    false => (state.clone(), None),
                };
                if died.row != state.row {
                    broken = broken.or_else(|| check_death(self.class, state, reason));
                }
                for (what, mut after) in [
                    ("ends the account", died.clone()),
                    (END_DOUBTED, died),
                    (END_FAILED, state.clone()),
                ] {
                    after.finish(process);
                    add(what, after, broken);
                }
            }
        }
    }

    fn note(state: &State, process: u8, failure: &RefreshFailure<'_>) -> (State, Option<Broken>) {
        let account = state.row.account();
        let (mut after, broken) = match account.is_leased_to(id(process)) {
            true => commit(state, account.on(Trigger::RefreshFailed(failure), at(0))),
            false => (state.clone(), None),
        };
        after.finish(process);
        (after, broken)
    }

    pub(super) fn rotation(&self) -> Rotation {
        match self.class {
            Class::Stable => Rotation::Stable,
            Class::Rotating | Class::Grace => Rotation::Rotating,
            Class::Strict => Rotation::Strict,
        }
    }
}

/// The state after a transition of the account.
fn commit(state: &State, transition: Transition) -> (State, Option<Broken>) {
    let Some((account, event)) = transition.unwrap() else {
        return (state.clone(), None);
    };
    let after = State {
        row: Row::of(&account),
        ..state.clone()
    };
    let moved = after.row.generation != state.row.generation;
    let broken = check_commit(&state.row, &after.row, event, moved);
    let broken = broken.or_else(|| check_replaced(Class::Rotating, state, &after));
    (after, broken)
}
