//! Drops cached data after events, because another process may have caused them.

use std::collections::BTreeSet;

use serde::Deserialize as _;

use super::Context;
use crate::{
    caller::Caller,
    domain::Event,
    identifier::{AccountId, ConnectionName, Identifier},
};

/// Bearer tokens that may not be valid any more.
#[derive(Default, PartialEq)]
struct Ended<'a> {
    all: bool,
    /// Client IDs of credentials, including tokens and sessions that they created.
    clients: BTreeSet<&'a str>,
    /// Their own IDs.
    ids: BTreeSet<&'a str>,
    /// Accounts whose tokens may not be valid any more.
    accounts: BTreeSet<AccountId>,
}

impl Ended<'_> {
    fn have(&self, caller: &Caller) -> bool {
        let of_account = match caller {
            Caller::AccountToken(token) => {
                let mut accounts = token.accounts.iter();
                accounts.any(|account| self.accounts.contains(&account.account_id))
            }
            _ => false,
        };
        self.all
            || of_account
            || caller.id().is_some_and(|id| self.ids.contains(id))
            || (caller.client_id()).is_some_and(|id| self.clients.contains(id))
    }
}

impl Context {
    /// Drops data that these events have changed.
    pub(super) fn forget_changed(&self, events: &[Event]) {
        let mut ended = Ended::default();
        for event in events {
            let text = |member: &str| event.data[member].as_str();
            match event.name.split_once('.').unwrap_or_default() {
                // The event no longer has the user's name, so it may be any account and any session.
                ("account", "erased") => {
                    ended.all = true;
                    self.forget_connection(event);
                }
                ("account", what) => {
                    if let Ok(identifier) = Identifier::deserialize(&event.data["identifier"]) {
                        self.memory.snapshots.forget(&identifier);
                    }
                    if matches!(what, "disconnected" | "deleted") {
                        ended.accounts.extend(event.account_id);
                    }
                }
                ("connection", _) => {
                    self.forget_connection(event);
                    self.memory.connections.forget();
                }
                ("policy", _) => self.memory.policies.forget(),
                ("app_credential", _) => ended.clients.extend(text("client_id")),
                ("mcp_session", "ended") => ended.ids.extend(text("session_id")),
                ("account_token", "ended") => ended.ids.extend(text("token_id")),
                _ => {}
            }
        }
        if ended != Ended::default() {
            self.memory
                .access_tokens
                .forget_where(|caller| ended.have(caller));
        }
    }

    /// Drops the accounts of an event's connection. If the event doesn't name one, drops all.
    fn forget_connection(&self, event: &Event) {
        match ConnectionName::deserialize(&event.data["connection_name"]) {
            Ok(name) => self.memory.snapshots.forget_connection(&name),
            Err(_) => self.memory.snapshots.forget_all(),
        }
    }
}
