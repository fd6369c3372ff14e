//! The interface between the sandbox and a product. Products don't know each other.

use serde_json::Value;

use crate::{
    faults::Fault,
    records::{Section, Values},
    request::{Purpose, Request},
    response::Response,
    shared::Shared,
};

/// A product with its authorization server: its hosts, its clients, and everything that users own there.
pub(crate) trait Product: Send {
    /// Whether the product is at this host.
    fn serves(&self, host: &str) -> bool;

    /// The purpose of a request to one of its hosts.
    fn purpose(&self, request: &Request) -> Purpose;

    /// Processes a request to one of its hosts.
    fn respond(&mut self, shared: &mut Shared, request: &Request) -> Response;

    /// The product's own response to a request that is refused without being processed.
    fn refuse(&self, request: &Request, refusal: &Refusal<'_>) -> Response;

    /// Whether an error of the product can say that a write was saved.
    fn says_what_was_saved(&self) -> bool {
        false
    }

    /// The response to a write for [`Fault::SavedButUnavailable`], if [`Product::says_what_was_saved`].
    fn saved_but_unavailable(&self, _: &Request, response: Response) -> Response {
        response
    }

    /// Whether responses are compressed if the client asks for it.
    fn compresses_on_request(&self) -> bool {
        true
    }

    /// Applies the part of a fault that concerns the product and takes effect immediately.
    fn apply(&mut self, shared: &Shared, fault: &Fault) -> Result<(), String>;

    /// Registers an OAuth client.
    fn add_client(&mut self, id: &str, secret: &str, redirect_uris: &[&str]);

    /// Restores the initial state. Clients stay, because they're configuration.
    fn reset(&mut self);

    /// Grants and tokens, to restore them after a restart. What the users own isn't saved.
    fn save(&self) -> Value;

    /// Restores what [`Product::save`] returned.
    fn restore(&mut self, saved: &Value) -> serde_json::Result<()>;

    /// Adds what the users own to the world in readable JSON: `{"users": [{"email": …}]}`.
    fn describe(&self, world: &mut Value);

    /// What a user owns, to view and change by hand.
    fn sections(&mut self, _: &Shared, _: &str) -> Vec<Section> {
        Vec::new()
    }

    /// Adds a record to a section. `None` if the section belongs to another product.
    fn add_record(
        &mut self,
        _: &mut Shared,
        _user: &str,
        _section: &str,
        _: &Values,
    ) -> Option<Result<(), String>> {
        None
    }

    /// Deletes a record from a section. `None` if the section belongs to another product.
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
    /// A valid access token is refused.
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

/// An API: its title, the methods that the sandbox plays, and the number of other methods.
pub(crate) struct Api {
    pub(crate) title: &'static str,
    /// The method's name, HTTP method and path.
    pub(crate) played: Vec<[String; 3]>,
    pub(crate) others: usize,
}
