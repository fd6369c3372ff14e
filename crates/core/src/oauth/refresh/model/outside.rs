//! What happens outside of the processes: time, the user, the network and the authorization server.

use super::{
    Model,
    state::{Attempt, Brought, GRACE, LIFE, Live, Phase, Row, Sent, Server, State, Token, at},
    steps::{Add, Step},
};
use crate::{
    domain::{PendingCredential, account::Trigger},
    oauth::refresh::simulation::Class,
    state::AccountState,
};

pub(super) const LOSES_REQUEST: &str = "loses a request";
pub(super) const LOSES_RESPONSE: &str = "loses a response";
pub(super) const TWICE_FIRST: &str = "presents twice, and gets the first response";
pub(super) const TWICE_SECOND: &str = "presents twice, and gets the second response";

/// What the network makes of a token request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Delivered,
    RequestLost,
    ResponseLost,
    /// The request comes twice; the first response is delivered, or the second.
    TwiceFirst,
    TwiceSecond,
    /// The token is of a former grant, which the product has ended.
    Ended,
}

enum Outcome {
    Tokens(Token),
    Refused,
}

impl Model {
    /// What happens outside of both processes.
    pub(super) fn outside(state: &State) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut add = |what, trouble, after| {
            steps.push(Step {
                what,
                process: None,
                trouble,
                after,
                broken: None,
            });
        };
        let mut later = state.clone();
        later.tick();
        add("time passes", false, later);
        let now = at(0);
        let mut revoked = state.clone();
        (revoked.server.dead, revoked.server.spent) = (true, None);
        add("the user revokes the grant", true, revoked);
        let triggers = [
            (
                "the application disconnects the account",
                Trigger::Disconnected { revoke: false },
            ),
            ("the connection has another client", Trigger::ClientChanged),
        ];
        for (what, trigger) in triggers {
            let mut ended = state.clone();
            if let Ok(Some((account, _))) = state.row.account().on(trigger, now) {
                ended.row = Row::of(&account);
                if ended.row.state == AccountState::Disconnected {
                    ended.live.clear();
                    ended.end_grant();
                }
                add(what, true, ended);
            }
        }
        add("the user consents again", true, consented(state.clone()));
        steps
    }

    /// The request arrives, or does not.
    pub(super) fn arrive(
        &self,
        state: &State,
        process: u8,
        attempt: &Attempt,
        (token, sent): (Token, Sent),
        add: Add<'_>,
    ) {
        for (fate, what) in [
            (Fate::Delivered, "gets a response"),
            (Fate::RequestLost, LOSES_REQUEST),
            (Fate::ResponseLost, LOSES_RESPONSE),
            (Fate::TwiceFirst, TWICE_FIRST),
            (Fate::TwiceSecond, TWICE_SECOND),
            (Fate::Ended, "learns that the grant has ended"),
        ] {
            if fate == Fate::Ended && token != Token::Former {
                continue;
            }
            let mut after = state.clone();
            let mut outcome = Outcome::Refused;
            let arrives = !matches!(fate, Fate::RequestLost | Fate::Ended);
            if arrives {
                outcome = self.present(&mut after, token);
            }
            if matches!(fate, Fate::TwiceFirst | Fate::TwiceSecond) {
                after.server.twice = self.class != Class::Stable;
                let second = self.present(&mut after, token);
                if fate == Fate::TwiceSecond {
                    outcome = second;
                }
            }
            let phase = match (fate, outcome) {
                (Fate::RequestLost | Fate::ResponseLost, _) => Phase::Failed(attempt.clone()),
                (_, Outcome::Refused) => Phase::Refused(attempt.clone()),
                (_, Outcome::Tokens(new)) => Phase::Brought(Brought {
                    owner: process,
                    claimed: attempt.row.generation,
                    grant: attempt.row.grant,
                    token: new,
                    sent,
                    rotated: new != token,
                    age: attempt.age,
                }),
            };
            after.phases[usize::from(process)] = phase;
            add(what, after, None);
        }
    }

    /// What the authorization server does with a token.
    fn present(&self, state: &mut State, token: Token) -> Outcome {
        if token == Token::Former {
            return Outcome::Tokens(Token::Former);
        }
        if state.server.dead {
            return Outcome::Refused;
        }
        let is_current = state.server.current == token;
        let in_grace = self.class == Class::Grace
            && state
                .server
                .spent
                .is_some_and(|(spent, age)| spent == token && age < GRACE);
        if self.class == Class::Stable {
            return Outcome::Tokens(token);
        }
        if is_current || in_grace {
            let new = state.next_token();
            if is_current {
                state.server.spent = Some((token, 0));
            }
            state.server.current = new;
            return Outcome::Tokens(new);
        }
        if self.class == Class::Strict {
            (state.server.dead, state.server.twice, state.server.spent) = (true, false, None);
        }
        Outcome::Refused
    }
}

impl State {
    /// The tokens of the present grant are those of a former one from now on.
    fn end_grant(&mut self) {
        self.server = Server {
            current: Token::Former,
            dead: true,
            twice: false,
            spent: None,
        };
        for phase in &mut self.phases {
            match phase {
                Phase::Brought(brought) => brought.token = Token::Former,
                Phase::InFlight(_, token, ..) => *token = Token::Former,
                _ => {}
            }
            if let Some(attempt) = phase.attempt() {
                attempt.presented.clear();
            }
        }
        for brought in &mut self.spool {
            brought.token = Token::Former;
        }
    }
}

/// A grant takes the place of the one before.
fn consented(mut state: State) -> State {
    state.end_grant();
    let now = at(0);
    let mut account = state.row.account();
    for trigger in [
        Trigger::LinkMade,
        Trigger::CredentialPending {
            by_application: true,
        },
    ] {
        if let Some((next, _)) = account.on(trigger, now).unwrap() {
            account = next;
        }
    }
    let pending = PendingCredential {
        generation: account.last_generation,
        granted_scopes: Vec::new(),
        missing_scopes: Vec::new(),
        subject: None,
        token_expires_at: Some(at(LIFE[1])),
        reauthorize_by: None,
        client_epoch: 0,
    };
    let (account, _) = account
        .on(Trigger::Confirmed(&pending), now)
        .unwrap()
        .unwrap();
    state.row = Row::of(&account);
    state.server.current = Token::Present(0);
    state.server.dead = false;
    state.live = vec![Live {
        generation: state.row.generation,
        token: Token::Present(0),
        sent: None,
    }];
    state
}
