//! The authorization server of every product: clients, consent, grants with their codes and tokens. What is
//! special about one is its `Profile` and its `Policy`.

mod authorize;
mod clients;
mod grants;
mod policy;
mod token;

use jiff::Timestamp;
use serde_json::Value;
use url::form_urlencoded::Serializer;

pub(crate) use grants::{Asked, Issued, Terms, TokenState, project_of};
pub(crate) use policy::{ClientAuthentication, Pkce, Profile, TokenKind};
pub(crate) use policy::{Page, Policy, TokenError, Wrong};

use crate::{
    faults::Fault, pages, request::Query, request::Request, response::Response, shared::Ids,
};
use clients::Clients;
use grants::Grants;

/// One authorization server.
#[derive(Debug)]
pub(crate) struct Server {
    profile: &'static Profile,
    clients: Clients,
    grants: Grants,
}

/// A request with what a response to it needs.
pub(crate) struct Incoming<'a> {
    pub(crate) ids: &'a mut Ids,
    pub(crate) now: Timestamp,
    pub(crate) request: &'a Request,
}

impl Server {
    /// A server with its one client.
    pub(crate) fn new(profile: &'static Profile, id: &str, secret: &str) -> Self {
        let mut clients = Clients::default();
        clients.add(id, secret, &[]);
        Self {
            profile,
            clients,
            grants: Grants::new(profile),
        }
    }

    /// Registers a client, or replaces it.
    pub(crate) fn add_client(&mut self, id: &str, secret: &str, redirect_uris: &[&str]) {
        self.clients.add(id, secret, redirect_uris);
    }

    /// Grants and tokens, to be restored after a restart.
    pub(crate) fn save(&self) -> Value {
        self.grants.save()
    }

    /// Takes back what [`Server::save`] gave.
    pub(crate) fn restore(&mut self, saved: &Value) -> serde_json::Result<()> {
        self.grants.restore(saved)
    }

    /// Forgets all grants. Clients stay.
    pub(crate) fn reset(&mut self) {
        self.grants = Grants::new(self.profile);
    }

    /// Does what a fault says, as far as it concerns grants and tokens.
    pub(crate) fn apply(&mut self, now: Timestamp, fault: &Fault) {
        match fault {
            Fault::ExpireAccessTokens { user } => {
                self.grants.expire_access_tokens(user.as_deref(), now);
            }
            Fault::Revoke { user } => self.grants.revoke_user(user.as_deref()),
            Fault::Rotation { mode } if self.profile.is_adjustable => self.grants.rotation = *mode,
            Fault::TokenLifetime { seconds } if self.profile.is_adjustable => {
                self.grants.lifetime = Some(i64::from(*seconds));
            }
            _ => {}
        }
    }

    /// The authorization page and its submission; nothing for any other path.
    pub(crate) fn page(
        &mut self,
        policy: &mut dyn Policy,
        incoming: &mut Incoming<'_>,
    ) -> Option<Response> {
        let request = incoming.request;
        let response = if request.path == self.profile.authorize_path {
            match request.method.as_str() {
                "GET" => authorize::show(self, policy, incoming),
                _ => policy.wrong_method(request),
            }
        } else {
            let id = request.path.strip_prefix(self.profile.consent_path)?;
            match request.method.as_str() {
                "POST" => authorize::submit(self, policy, incoming, id),
                _ => policy.wrong_method(request),
            }
        };
        Some(pages::with_security_headers(response))
    }

    /// The token endpoint.
    pub(crate) fn token(&mut self, policy: &dyn Policy, incoming: &mut Incoming<'_>) -> Response {
        token::respond(self, policy, incoming)
    }

    /// The client that a request to another endpoint proves, and the request's parameters.
    pub(crate) fn authenticated(
        &self,
        policy: &dyn Policy,
        request: &Request,
    ) -> Result<(String, Query), Box<Response>> {
        token::authenticated(self, policy, request)
    }

    /// What an access token is worth.
    pub(crate) fn access(&self, token: &str, now: Timestamp) -> TokenState<'_> {
        self.grants.access(token, now)
    }

    /// Ends the grant of a live token of this client, or of any, and all of the same user to a client for which
    /// `reaches` holds, given the token's own client and the other one; false if there is no such token.
    pub(crate) fn revoke(
        &mut self,
        now: Timestamp,
        token: &str,
        client: Option<&str>,
        reaches: impl Fn(&str, &str) -> bool,
    ) -> bool {
        self.grants.revoke(now, token, client, reaches)
    }
}

/// Sends the browser back to the client, with these parameters and the client's own `state`.
fn redirect_back(redirect_uri: &str, state: Option<&str>, parameters: &[(&str, &str)]) -> Response {
    let mut query = Serializer::new(String::new());
    query.extend_pairs(parameters);
    query.extend_pairs(state.map(|state| ("state", state)));
    let join = if redirect_uri.contains('?') { '&' } else { '?' };
    Response::see_other(&format!("{redirect_uri}{join}{}", query.finish()))
}
