//! What the core of the sandbox knows of a product. No product knows another.

use serde_json::Value;

use crate::{
    faults::Fault,
    records::{Section, Values},
    request::{Purpose, Request},
    response::Response,
    shared::Shared,
};

/// A product with its authorization server: its hosts, its clients, and all that its users own there.
pub(crate) trait Product: Send {
    /// Whether the product is at this host.
    fn serves(&self, host: &str) -> bool;

    /// What a request to one of its hosts is for.
    fn purpose(&self, request: &Request) -> Purpose;

    /// Processes a request to one of its hosts.
    fn respond(&mut self, shared: &mut Shared, request: &Request) -> Response;

    /// The response to a request that is refused without being processed, in the product's shape.
    fn refuse(&self, request: &Request, refusal: &Refusal<'_>) -> Response;

    /// Whether an error of the product can say that a write was saved.
    fn says_what_was_saved(&self) -> bool {
        false
    }

    /// What [`Fault::SavedButUnavailable`] makes of the response to a write, where
    /// [`Product::says_what_was_saved`].
    fn saved_but_unavailable(&self, _: &Request, response: Response) -> Response {
        response
    }

    /// Whether responses are compressed for a client that asks for it.
    fn compresses_on_request(&self) -> bool {
        true
    }

    /// Does what a fault says at once, as far as it concerns the product.
    fn apply(&mut self, shared: &Shared, fault: &Fault) -> Result<(), String>;

    /// Registers an OAuth client.
    fn add_client(&mut self, id: &str, secret: &str, redirect_uris: &[&str]);

    /// Back to the seeded beginning. Clients stay, because they are configuration.
    fn reset(&mut self);

    /// Grants and tokens, to be restored after a restart. What the users own is not kept.
    fn save(&self) -> Value;

    /// Takes back what [`Product::save`] gave.
    fn restore(&mut self, saved: &Value) -> serde_json::Result<()>;

    /// Adds what the users own to the world in readable JSON: `{"users": [{"email": …}]}`.
    fn describe(&self, world: &mut Value);

    /// What a user owns, to be looked at and changed by hand.
    fn sections(&mut self, _: &Shared, _: &str) -> Vec<Section> {
        Vec::new()
    }

    /// Adds a record to a section; nothing where the section is another product's.
    fn add_record(
        &mut self,
        _: &mut Shared,
        _user: &str,
        _section: &str,
        _: &Values,
    ) -> Option<Result<(), String>> {
        None
    }

    /// Deletes a record, in the same way.
    fn delete_record(
        &mut self,
        _user: &str,
        _section: &str,
        _id: &str,
    ) -> Option<Result<(), String>> {
        None
    }
}

/// Why a request is refused without being processed.
#[derive(Debug)]
pub(crate) enum Refusal<'fault> {
    /// A good access token is refused.
    Unauthorized,
    /// An error of the API.
    Error {
        status: u16,
        reason: &'fault str,
        message: Option<&'fault str>,
        retry_after: Option<&'fault str>,
    },
    /// An error of the token endpoint.
    TokenError { status: u16, error: &'fault str },
}

/// An API: what it is called, what of it is played, and how many methods are not.
pub(crate) struct Api {
    pub(crate) title: &'static str,
    /// The method's name, HTTP method and path.
    pub(crate) played: Vec<[String; 3]>,
    pub(crate) others: usize,
}
