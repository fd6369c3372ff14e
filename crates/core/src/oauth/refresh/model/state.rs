//! One state of the model, in a form in which states that behave alike are the same: times relative to now and in few
//! classes, generations, tokens and requests numbered by their order. That is why the model has finitely many states
//! however long it runs.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::{
    domain::{
        Account, Lease,
        refresh::{LiveGeneration, RefreshReason, RefreshState},
    },
    state::{AccountHealth, AccountReason, AccountState},
    testing::{START, account},
};

/// Time goes in ticks: two are a lease, one is longer than the pause after it and than what a request may take.
pub(super) const TICK: SignedDuration = SignedDuration::from_secs(45);
/// In ticks: how long a lease is.
pub(super) const LEASE_TICKS: i8 = 2;
/// In ticks: how long an access token lives by the clock of a process that is behind, and of one that is ahead.
pub(super) const LIFE: [i8; 2] = [0, 1];
/// In ticks: how long a spent refresh token serves, where there is a grace period. Longer than it takes to recover.
pub(super) const GRACE: i8 = 4;
/// How many credentials of an account are not shredded, at most.
pub(super) const MOST_LIVE: usize = 3;

/// Owner of a lease whose refresh has ended without giving it back; one for each process.
pub(super) const GONE: u8 = 2;
/// A process that has ended.
pub(super) const ENDED: u8 = 2;

pub(super) fn at(tick: i8) -> Timestamp {
    START + TICK * i32::from(tick)
}

/// The first tick that is not before a moment.
fn tick_of(moment: Timestamp) -> i8 {
    let ticks =
        (moment.duration_since(START).as_secs() + TICK.as_secs() - 1).div_euclid(TICK.as_secs());
    i8::try_from(ticks.clamp(-100, 100)).unwrap()
}

pub(super) fn id(number: u8) -> Uuid {
    Uuid::from_u128(u128::from(number) + 1)
}

fn number(id: Uuid) -> u8 {
    u8::try_from(id.as_u128() - 1).unwrap()
}

/// A refresh token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Token {
    /// Of a grant that another one has replaced, or that was ended.
    Former,
    /// Of the present grant, by its place among those that are still somewhere.
    Present(u8),
}

/// When a request left: no two left at the same moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Sent {
    pub(super) tick: i8,
    pub(super) rank: u8,
}

impl Sent {
    pub(super) fn moment(self) -> Timestamp {
        at(self.tick) + SignedDuration::from_nanos(self.rank.into())
    }

    fn of(moment: Timestamp) -> Self {
        let nanos = moment.duration_since(START).as_nanos();
        let tick = nanos.div_euclid(TICK.as_nanos());
        Self {
            tick: i8::try_from(tick).unwrap(),
            rank: u8::try_from(nanos - tick * TICK.as_nanos()).unwrap(),
        }
    }
}

/// A lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Held {
    pub(super) owner: u8,
    pub(super) process: u8,
    pub(super) until: i8,
    pub(super) generation: u8,
}

/// The account's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Row {
    pub(super) state: AccountState,
    pub(super) reason: Option<AccountReason>,
    pub(super) health: AccountHealth,
    pub(super) generation: u8,
    pub(super) last: u8,
    pub(super) grant: u8,
    pub(super) expires: i8,
    pub(super) lease: Option<Held>,
    pub(super) sent: Option<Sent>,
    pub(super) unanswered: bool,
    pub(super) refused: Option<i8>,
    /// How long a refresh has to wait.
    pub(super) after: i8,
    pub(super) rotates: bool,
}

pub(super) const CLIENT: &str = "client";

impl Row {
    pub(super) fn account(&self) -> Account {
        let waits = self.after > 0;
        Account {
            state: self.state,
            reason: self.reason,
            health: self.health,
            generation: self.generation.into(),
            last_generation: self.last.into(),
            token_expires_at: Some(at(self.expires)),
            lease: self.lease.map(|held| Lease {
                owner: id(held.owner),
                process: Some(id(held.process)),
                until: at(held.until),
                generation: held.generation.into(),
            }),
            refresh: RefreshState {
                grant: self.grant.into(),
                token_sent_at: self.sent.map(Sent::moment),
                refresh_unanswered: self.unanswered,
                refresh_refused_at: self.refused.map(at),
                refresh_failed_at: waits.then(|| at(0)),
                refresh_after: waits.then(|| at(self.after)),
                refresh_client: waits.then(|| CLIENT.to_owned()),
                rotates: self.rotates,
                ..RefreshState::default()
            },
            ..account(1, "ada")
        }
    }

    pub(super) fn of(account: &Account) -> Self {
        let number_of = |generation: u64| u8::try_from(generation).unwrap();
        let refresh = &account.refresh;
        Self {
            state: account.state,
            reason: account.reason,
            health: account.health,
            generation: number_of(account.generation),
            last: number_of(account.last_generation),
            grant: number_of(refresh.grant),
            expires: account.token_expires_at.map_or(0, tick_of),
            lease: account.lease.as_ref().map(|lease| Held {
                owner: number(lease.owner),
                process: lease.process.map_or(ENDED, number),
                until: tick_of(lease.until),
                generation: number_of(lease.generation),
            }),
            sent: refresh.token_sent_at.map(Sent::of),
            unanswered: refresh.refresh_unanswered,
            refused: refresh.refresh_refused_at.map(tick_of),
            after: refresh.refresh_after.map_or(0, tick_of),
            rotates: refresh.rotates,
        }
    }

    /// What a refresh needs of the account that it has claimed.
    pub(super) fn claimed(self) -> Self {
        Self {
            state: AccountState::Active,
            reason: None,
            health: AccountHealth::Ok,
            last: self.generation,
            lease: None,
            after: 0,
            ..self
        }
    }
}

/// A credential that is not shredded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Live {
    pub(super) generation: u8,
    pub(super) token: Token,
    pub(super) sent: Option<Sent>,
}

impl Live {
    pub(super) fn generation(&self) -> LiveGeneration {
        LiveGeneration {
            generation: self.generation.into(),
            sent_at: self.sent.map(Sent::moment),
        }
    }
}

/// A refresh that holds the lease, or believes so.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Attempt {
    pub(super) row: Row,
    pub(super) reason: RefreshReason,
    pub(super) recovering: bool,
    /// Ticks since the account was read for the claim.
    pub(super) age: i8,
    pub(super) tried: Vec<u8>,
    pub(super) presented: Vec<Token>,
}

/// Tokens that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Brought {
    pub(super) owner: u8,
    pub(super) claimed: u8,
    pub(super) grant: u8,
    pub(super) token: Token,
    pub(super) sent: Sent,
    pub(super) rotated: bool,
    /// Ticks since the claim.
    pub(super) age: i8,
}

/// What is to be shredded: credentials before the one that was claimed, unless they were asked for later than the current
/// ones, as long as those are current.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Replaced {
    pub(super) current: u8,
    pub(super) claimed: u8,
    pub(super) sent: Sent,
}

impl Replaced {
    pub(super) fn holds(&self, live: &Live) -> bool {
        live.generation < self.claimed && live.sent <= Some(self.sent)
    }
}

/// What a process is doing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    Idle,
    Claimed(Attempt),
    /// A generation is to be presented next.
    Presenting(Attempt, u8),
    /// A token is on its way.
    InFlight(Attempt, Token, Sent),
    Refused(Attempt),
    /// No response came.
    Failed(Attempt),
    /// The store failed, and may have the lease of this refresh all the same.
    Doubtful,
    Brought(Brought),
}

impl Phase {
    pub(super) fn attempt(&mut self) -> Option<&mut Attempt> {
        match self {
            Self::Idle | Self::Doubtful | Self::Brought(_) => None,
            Self::Claimed(attempt)
            | Self::Presenting(attempt, _)
            | Self::InFlight(attempt, ..)
            | Self::Refused(attempt)
            | Self::Failed(attempt) => Some(attempt),
        }
    }
}

/// The authorization server, as far as the present grant goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Server {
    pub(super) current: Token,
    pub(super) dead: bool,
    /// The network has presented a token twice: what that has ended, no one here can know.
    pub(super) twice: bool,
    /// The token that was spent last, and how many ticks ago it was first.
    pub(super) spent: Option<(Token, i8)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) row: Row,
    pub(super) live: Vec<Live>,
    pub(super) phases: [Phase; 2],
    /// What each process has yet to shred.
    pub(super) shredding: [Option<Replaced>; 2],
    pub(super) server: Server,
    pub(super) spool: Vec<Brought>,
    /// How much may still go wrong, or be done by the user.
    pub(super) troubles: u8,
}

impl State {
    /// Every request that left and is remembered.
    pub(super) fn sents(&mut self) -> Vec<&mut Sent> {
        let mut sents: Vec<&mut Sent> = self.row.sent.iter_mut().collect();
        sents.extend(self.live.iter_mut().filter_map(|live| live.sent.as_mut()));
        sents.extend(self.spool.iter_mut().map(|brought| &mut brought.sent));
        let shredding = self.shredding.iter_mut().flatten();
        sents.extend(shredding.map(|replaced| &mut replaced.sent));
        for phase in &mut self.phases {
            match phase {
                Phase::Idle | Phase::Doubtful => {}
                Phase::Brought(brought) => sents.push(&mut brought.sent),
                Phase::InFlight(attempt, _, sent) => {
                    sents.extend(attempt.row.sent.as_mut());
                    sents.push(sent);
                }
                other => sents.extend(
                    other
                        .attempt()
                        .and_then(|attempt| attempt.row.sent.as_mut()),
                ),
            }
        }
        sents
    }

    pub(super) fn tokens(&mut self) -> Vec<&mut Token> {
        let mut tokens = vec![&mut self.server.current];
        tokens.extend(self.server.spent.as_mut().map(|(token, _)| token));
        tokens.extend(self.live.iter_mut().map(|live| &mut live.token));
        tokens.extend(self.spool.iter_mut().map(|brought| &mut brought.token));
        for phase in &mut self.phases {
            match phase {
                Phase::Brought(brought) => tokens.push(&mut brought.token),
                Phase::InFlight(attempt, token, ..) => {
                    tokens.push(token);
                    tokens.extend(attempt.presented.iter_mut());
                }
                other => {
                    if let Some(attempt) = other.attempt() {
                        tokens.extend(attempt.presented.iter_mut());
                    }
                }
            }
        }
        tokens
    }

    pub(super) fn generations(&mut self) -> Vec<&mut u8> {
        let mut all = vec![
            &mut self.row.generation,
            &mut self.row.last,
            &mut self.row.grant,
        ];
        all.extend(self.row.lease.as_mut().map(|held| &mut held.generation));
        all.extend(self.live.iter_mut().map(|live| &mut live.generation));
        for brought in &mut self.spool {
            all.extend([&mut brought.claimed, &mut brought.grant]);
        }
        for replaced in self.shredding.iter_mut().flatten() {
            all.extend([&mut replaced.current, &mut replaced.claimed]);
        }
        for phase in &mut self.phases {
            if let Phase::Brought(brought) = phase {
                all.extend([&mut brought.claimed, &mut brought.grant]);
            } else if let Phase::Presenting(attempt, generation) = phase {
                all.push(generation);
                all.extend(of_attempt(attempt));
            } else if let Some(attempt) = phase.attempt() {
                all.extend(of_attempt(attempt));
            }
        }
        all
    }

    /// The moment of a request that leaves now.
    pub(super) fn next_sent(&mut self) -> Sent {
        let latest = self.sents().into_iter().map(|sent| sent.rank).max();
        Sent {
            tick: 0,
            rank: latest.map_or(0, |rank| rank + 1),
        }
    }

    /// A token that was never issued before.
    pub(super) fn next_token(&mut self) -> Token {
        let numbers = self.tokens().into_iter().filter_map(|token| match token {
            Token::Former => None,
            Token::Present(number) => Some(*number),
        });
        Token::Present(numbers.max().map_or(0, |number| number + 1))
    }

    /// A refresh of a process is over, and its process with it or not.
    pub(super) fn finish(&mut self, process: u8) {
        self.phases[usize::from(process)] = Phase::Idle;
        let held = self.row.lease.as_mut().map(|held| &mut held.owner);
        let owners = self.spool.iter_mut().map(|brought| &mut brought.owner);
        for owner in owners.chain(held).filter(|owner| **owner == process) {
            *owner += GONE;
        }
    }

    /// The time that passes.
    pub(super) fn tick(&mut self) {
        self.row.expires -= 1;
        self.row.after -= 1;
        if let Some(refused) = &mut self.row.refused {
            *refused -= 1;
        }
        if let Some(held) = &mut self.row.lease {
            held.until -= 1;
        }
        if let Some((_, age)) = &mut self.server.spent {
            *age += 1;
        }
        for phase in &mut self.phases {
            if let Phase::Brought(brought) = phase {
                brought.age += 1;
            }
            if let Some(attempt) = phase.attempt() {
                attempt.age += 1;
                attempt.row.expires -= 1;
                if let Some(refused) = &mut attempt.row.refused {
                    *refused -= 1;
                }
            }
        }
    }

    /// Where a token is.
    pub(super) fn whereabouts(&self, token: Token) -> Whereabouts {
        if self.live.iter().any(|live| live.token == token) {
            return Whereabouts::Stored;
        }
        let place = |found: Option<&Brought>, here| {
            found.map(|brought| match brought.age < LEASE_TICKS {
                true => here,
                false => Whereabouts::Overdue,
            })
        };
        let mut held = self.phases.iter().filter_map(|phase| match phase {
            Phase::Brought(brought) => Some(brought),
            _ => None,
        });
        let held = held.find(|brought| brought.token == token);
        let spooled = self.spool.iter().find(|brought| brought.token == token);
        place(held, Whereabouts::Held)
            .or_else(|| place(spooled, Whereabouts::Spooled))
            .unwrap_or(Whereabouts::Nowhere)
    }
}

/// Where a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whereabouts {
    /// In the store.
    Stored,
    /// In the spool, and in no process's hands.
    Spooled,
    /// In the hands of a refresh.
    Held,
    /// In its hands or in the spool, where it came when the lease was over.
    Overdue,
    Nowhere,
}

fn of_attempt(attempt: &mut Attempt) -> Vec<&mut u8> {
    let mut all = vec![
        &mut attempt.row.generation,
        &mut attempt.row.last,
        &mut attempt.row.grant,
    ];
    all.extend(attempt.tried.iter_mut());
    all
}
