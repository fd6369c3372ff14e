//! The journeys. Each starts with its own service, and ends when a person would have reached the
//! goal.

mod book;
mod connection;
mod every_page;
mod first_call;
mod first_owner;
mod keyboard;
mod playground;
mod repair;
mod settings;
mod support;
mod viewer;
mod webhook;

use std::{future::Future, pin::Pin};

use anyhow::Result;

use crate::stage::Stage;

/// The steps of a journey.
type Run = for<'a> fn(&'a Stage<'_>) -> Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

/// A journey.
pub(crate) struct Journey {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    /// Whether it is short enough for every change.
    pub(crate) in_smoke: bool,
    pub(crate) run: Run,
}

/// All journeys, in the order in which they run.
pub(crate) const JOURNEYS: &[Journey] = &[
    Journey {
        name: "first-call",
        what: "from the address that `stead dev` prints to a tool's result in one click, and to a user of one's own",
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
        what: "a connection to each product is set up, tested with a real consent, and cleaned up",
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
        what: "a credential is made, rotated and revoked, a member invited, the audit log verified",
        in_smoke: false,
        run: |stage| Box::pin(settings::run(stage)),
    },
    Journey {
        name: "playground",
        what: "a tool as a user: dry run, run, and input that is refused",
        in_smoke: true,
        run: |stage| Box::pin(playground::run(stage)),
    },
    Journey {
        name: "repair",
        what: "an account breaks and its user connects it again",
        in_smoke: false,
        run: |stage| Box::pin(repair::run(stage)),
    },
    Journey {
        name: "support",
        what: "over a service in its default mode: a broken account is found and repaired, a user connected",
        in_smoke: false,
        run: |stage| Box::pin(support::run(stage)),
    },
    Journey {
        name: "webhook",
        what: "a test event, and an event that is sent again",
        in_smoke: false,
        run: |stage| Box::pin(webhook::run(stage)),
    },
    Journey {
        name: "viewer",
        what: "a viewer finds no button to act and is refused",
        in_smoke: false,
        run: |stage| Box::pin(viewer::run(stage)),
    },
    Journey {
        name: "book",
        what: "the book's first pages, as `cargo xtask book` has built them",
        in_smoke: false,
        run: |stage| Box::pin(book::run(stage)),
    },
    Journey {
        name: "every-page",
        what: "every page that links lead to, in both schemes and two widths",
        in_smoke: false,
        run: |stage| Box::pin(every_page::run(stage)),
    },
];
