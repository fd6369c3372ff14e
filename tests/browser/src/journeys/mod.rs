//! The journeys: each begins with a service of its own and ends where a person would be content.

mod connection;
mod every_page;
mod first_call;
mod first_owner;
mod keyboard;
mod settings;

use std::{future::Future, pin::Pin};

use anyhow::Result;

use crate::stage::Stage;

/// What a journey does, step by step.
type Run = for<'a> fn(&'a Stage<'_>) -> Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

/// A journey.
pub(crate) struct Journey {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    /// Whether it is short enough for every change.
    pub(crate) in_smoke: bool,
    pub(crate) run: Run,
}

/// All of them, in the order in which they are made.
pub(crate) const JOURNEYS: &[Journey] = &[
    Journey {
        name: "first-call",
        what: "from the address that `stead dev` prints to a tool's result, in five clicks",
        in_smoke: true,
        run: |stage| Box::pin(first_call::run(stage)),
    },
    Journey {
        name: "first-owner",
        what: "the first owner sets a password, signs out and signs in",
        in_smoke: true,
        run: |stage| Box::pin(first_owner::run(stage)),
    },
    Journey {
        name: "connection",
        what: "a connection is set up, tested with a real consent, and cleaned up",
        in_smoke: false,
        run: |stage| Box::pin(connection::run(stage)),
    },
    Journey {
        name: "keyboard",
        what: "from sign-in to a tool's result by keyboard only",
        in_smoke: false,
        run: |stage| Box::pin(keyboard::run(stage)),
    },
    Journey {
        name: "settings",
        what: "a credential is made and revoked, a member invited, the audit log verified",
        in_smoke: false,
        run: |stage| Box::pin(settings::run(stage)),
    },
    Journey {
        name: "every-page",
        what: "every page that links lead to, in both schemes and two widths",
        in_smoke: false,
        run: |stage| Box::pin(every_page::run(stage)),
    },
];
