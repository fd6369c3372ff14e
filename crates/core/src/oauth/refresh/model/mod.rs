//! Every history of a small world: one account, two processes whose clocks are apart, an authorization server and a
//! store, each of which may fail at any step. The steps are those of a refresh, and what they decide is decided by the
//! functions of the domain themselves.
//!
//! The search goes on until no new state is found; it has no depth. It is a few lines of our own: a model checker brings
//! a server and a dozen crates along, and its properties are of states, whereas most of what must hold here is about
//! steps.

mod canonical;
mod keep;
mod laws;
mod outside;
mod state;
mod steps;

use std::{
    collections::{HashSet, VecDeque},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    time::Instant,
};

use super::simulation::Class;
use crate::state::{AccountHealth, AccountState};
use laws::{Broken, check_state};
use state::{LIFE, Live, Phase, Row, Server, State, Token};
use steps::KILLED;

/// A defect that was in the refresh once, planted again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Planted {
    /// Tokens that live are committed into an account that stays dead.
    M1,
    /// The lease is not looked at before a request is sent.
    M2,
    /// The highest generation is believed to be the newest tokens.
    M3,
    /// What lives is presented, whichever grant it is of.
    OtherGrant,
}

struct Model {
    class: Class,
    planted: Option<Planted>,
}

/// What a search has found.
struct Found {
    states: usize,
    steps: usize,
    broken: Option<(Broken, Vec<String>)>,
}

/// How often in one history something goes wrong or the user does something: a process is killed, a request or its
/// response is lost or comes twice, a commit fails or is reported so, a record stays in the spool; the user consents,
/// disconnects or revokes, or the connection changes. That a process stands still does not count: any may, at any step
/// and for any time. Nor does how often tokens are refreshed.
const TROUBLES: u8 = 1;

fn first() -> State {
    let row = Row {
        state: AccountState::Active,
        reason: None,
        health: AccountHealth::Ok,
        generation: 1,
        last: 1,
        grant: 1,
        expires: LIFE[1],
        lease: None,
        sent: None,
        unanswered: false,
        refused: None,
        after: 0,
        rotates: false,
    };
    State {
        row,
        live: vec![Live {
            generation: 1,
            token: Token::Present(0),
            sent: None,
        }],
        phases: [Phase::Idle, Phase::Idle],
        shredding: [None, None],
        server: Server {
            current: Token::Present(0),
            dead: false,
            twice: false,
            spent: None,
        },
        spool: Vec::new(),
        troubles: TROUBLES,
    }
}

impl Model {
    /// Breadth first, so that the way to what breaks a law is the shortest.
    fn search(&self) -> Found {
        let first = first().canonical();
        let mut known = HashSet::from([digest(&first)]);
        // The state before each, and the step from it.
        let mut came = vec![(0, "", None)];
        let mut ahead = VecDeque::from([(0, first)]);
        let mut steps = 0;
        while let Some((number, state)) = ahead.pop_front() {
            for step in self.steps(&state) {
                steps += 1;
                let is_kill = step.what == KILLED;
                let broken = step
                    .broken
                    .or_else(|| check_state(&state, &step.after, is_kill));
                let way = (number, step.what, step.process);
                if let Some(broken) = broken {
                    let mut trace = vec![format!("{:?}", step.after)];
                    let mut next = Some(way);
                    while let Some((before, what, process)) = next {
                        trace.push(format!("{process:?} {what}"));
                        next = (before > 0).then(|| came[before]);
                    }
                    trace.reverse();
                    return Found {
                        states: known.len(),
                        steps,
                        broken: Some((broken, trace)),
                    };
                }
                if known.insert(digest(&step.after)) {
                    ahead.push_back((came.len(), step.after));
                    came.push(way);
                }
            }
        }
        Found {
            states: known.len(),
            steps,
            broken: None,
        }
    }
}

/// Of a million states two have the same one with a probability of 1 to 36 million.
fn digest(state: &State) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.hash(&mut hasher);
    hasher.finish()
}

#[expect(clippy::disallowed_methods, reason = "how long a search takes is told")]
fn search(class: Class, planted: Option<Planted>) -> Found {
    let began = Instant::now();
    let found = Model { class, planted }.search();
    println!(
        "{class:?}, planted {planted:?}: {} states, {} steps, {:.1} s",
        found.states,
        found.steps,
        began.elapsed().as_secs_f64()
    );
    found
}

fn holds(class: Class) {
    let found = search(class, None);
    let trace = found
        .broken
        .map(|(broken, trace)| format!("{broken:?}\n{}", trace.join("\n")));
    assert!(trace.is_none(), "{}", trace.unwrap_or_default());
    assert!(found.states > 1_000, "{}", found.states);
}

fn finds(class: Class, planted: Planted, expected: &[Broken]) {
    let (broken, trace) = search(class, Some(planted))
        .broken
        .expect("what is planted is found");
    assert!(
        expected.contains(&broken),
        "{broken:?}\n{}",
        trace.join("\n")
    );
}

#[test]
fn no_state_of_a_stable_grant_loses_the_account() {
    holds(Class::Stable);
}

#[test]
#[ignore = "takes minutes: cargo xtask test --all"]
fn no_state_of_a_grant_with_a_grace_period_loses_the_account_without_a_reason() {
    holds(Class::Grace);
}

#[test]
fn no_state_of_a_strict_grant_loses_the_account_without_a_reason() {
    holds(Class::Strict);
}

#[test]
fn tokens_in_an_account_that_stays_dead_are_found() {
    finds(Class::Grace, Planted::M1, &[Broken::DeadNextToLife]);
}

#[test]
fn a_request_that_is_sent_after_its_lease_is_found() {
    finds(
        Class::Strict,
        Planted::M2,
        &[Broken::TwoInFlight, Broken::SpentPresented],
    );
}

#[test]
fn tokens_of_another_grant_that_are_presented_are_found() {
    finds(Class::Strict, Planted::OtherGrant, &[Broken::TokenLost]);
}

#[test]
fn older_tokens_that_take_the_place_of_newer_ones_are_found() {
    finds(Class::Stable, Planted::M3, &[Broken::OlderTokens]);
    finds(Class::Grace, Planted::M3, &[Broken::OlderTokens]);
}
