//! What must hold in every state and at every commit.

use super::state::{Phase, Row, State, Token, Whereabouts};
use crate::{
    oauth::refresh::simulation::Class,
    state::{AccountReason, AccountState},
};

/// A law that a step breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    /// Two requests with one refresh token at the same time.
    TwoInFlight,
    /// A generation falls, or comes back.
    Generation,
    /// A change has no event, or an event no change.
    Event,
    /// A disconnected account lives again without its user.
    Revived,
    /// A strict product sees a spent token, though its successor is kept.
    SpentPresented,
    /// An account ends though a token that lives is kept, or may still be.
    DiedWithoutReason,
    /// The user is blamed for a response that was lost.
    UserBlamed,
    /// Tokens that were asked for earlier take the place of ones that live.
    OlderTokens,
    /// A token that was read is kept nowhere.
    TokenLost,
    /// Nothing goes on, the account is dead, and a token that lives lies next to it.
    DeadNextToLife,
    /// The account points at a credential that does not exist.
    NoCredential,
}

/// Generations grow, each visible change has its event, and a disconnect stays.
pub(super) fn check_commit(
    before: &Row,
    after: &Row,
    event: Option<&'static str>,
    moved: bool,
) -> Option<Broken> {
    if after.last < before.last || after.generation > after.last {
        return Some(Broken::Generation);
    }
    let ended = before.state == AccountState::Disconnected;
    if ended && (after.state != before.state || after.generation != before.generation) {
        return Some(Broken::Revived);
    }
    let visible = |row: &Row| (row.state, row.reason, row.health);
    let changes = visible(before) != visible(after);
    (event.is_some() != changes && !(moved && event.is_some())).then_some(Broken::Event)
}

/// Within a grant, what lives is not replaced by what was asked for earlier.
pub(super) fn check_replaced(class: Class, before: &State, after: &State) -> Option<Broken> {
    let current = |state: &State| {
        let live = state.live.iter();
        live.copied()
            .find(|live| live.generation == state.row.generation)
    };
    let (was, is) = (current(before)?, current(after)?);
    let lives =
        !before.server.dead && (class == Class::Stable || before.server.current == was.token);
    (is.sent < was.sent && lives).then_some(Broken::OlderTokens)
}

/// A strict product's spent token leaves only where its successor is lost, or stays away with its holder.
pub(super) fn check_presented(class: Class, state: &State, token: Token) -> Option<Broken> {
    let server = &state.server;
    if class != Class::Strict || server.dead || token == Token::Former || token == server.current {
        return None;
    }
    let unknown = [Whereabouts::Overdue, Whereabouts::Nowhere];
    let is_unknown = unknown.contains(&state.whereabouts(server.current));
    (!is_unknown).then_some(Broken::SpentPresented)
}

/// An account ends because its grant has, or because the token that lives is lost. One that a refresh has in its hands
/// brings the account back.
pub(super) fn check_death(class: Class, state: &State, reason: AccountReason) -> Option<Broken> {
    if state.server.dead {
        return None;
    }
    let known = [Whereabouts::Stored, Whereabouts::Spooled];
    let is_known = known.contains(&state.whereabouts(state.server.current));
    if class == Class::Stable || is_known {
        return Some(Broken::DiedWithoutReason);
    }
    // In a grace period a request that was long on its way can replace what another has brought; no one here can know.
    let knows = class == Class::Strict;
    (knows && reason != AccountReason::RefreshOutcomeLost).then_some(Broken::UserBlamed)
}

/// What must hold in a state, and what a step of a process must not lose.
pub(super) fn check_state(before: &State, after: &State, is_kill: bool) -> Option<Broken> {
    let row = &after.row;
    let exists = after
        .live
        .iter()
        .any(|live| live.generation == row.generation);
    if row.generation > 0 && !exists {
        return Some(Broken::NoCredential);
    }
    // Steps renumber tokens, so what is asked is whether the one that lives is somewhere.
    let is_somewhere =
        |state: &State| state.whereabouts(state.server.current) != Whereabouts::Nowhere;
    let issued = before
        .phases
        .iter()
        .any(|phase| matches!(phase, Phase::InFlight(..)))
        && after.phases != before.phases;
    let excused = is_kill || after.server.dead || after.server.twice;
    if !excused && !issued && is_somewhere(before) && !is_somewhere(after) {
        return Some(Broken::TokenLost);
    }
    let needs_user = row.state == AccountState::NeedsReauthorization
        && row.reason != Some(AccountReason::ClientChanged);
    let rests = after.phases.iter().all(|phase| *phase == Phase::Idle) && after.spool.is_empty();
    let lives = !after.server.dead && is_somewhere(after);
    (needs_user && rests && lives).then_some(Broken::DeadNextToLife)
}
