//! The authorization server of every product, with its clients, consents, grants, codes and tokens. Its `Profile` and
//! its `Policy` define what is special about a product.

mod authorize;
mod grants;
mod policy;
mod token;

use std::collections::BTreeMap;

use grants::Grants;
use jiff::Timestamp;
use serde_json::Value;
use url::{Host, Url, form_urlencoded::Serializer};

use crate::{
    faults::{Fault, RotationMode},
    pages,
    request::{Query, Request},
    response::Response,
    shared::Ids,
};

pub(crate) use grants::{Asked, Issued, Terms, TokenState, project_of};
pub(crate) use policy::{Page, Policy, TokenError, Wrong};

#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) authorize_path: &'static str,
    /// The prefix of a submitted page's path. The request's ID follows it.
    pub(crate) consent_path: &'static str,
    /// The purpose for which a consent page's ID is issued.
    pub(crate) consent: &'static str,
    pub(crate) code: TokenKind,
    pub(crate) access: TokenKind,
    pub(crate) refresh: TokenKind,
    /// How many seconds a code is valid.
    pub(crate) code_seconds: i64,
    /// The lifetime of access tokens. `None` if they're valid until they're revoked, or until a fault expires them.
    pub(crate) access_seconds: Option<i64>,
    /// The lifetime of refresh tokens.
    pub(crate) refresh_seconds: Option<i64>,
    /// How many valid refresh tokens a user and client can have. The oldest one is invalidated silently.
    pub(crate) most_refresh_tokens: Option<usize>,
    /// Whether a user who has already consented gets no further refresh token, unless it's forced.
    pub(crate) refresh_token_once: bool,
    pub(crate) rotation: RotationMode,
    /// The parameter of a code's exchange that asks for refresh tokens that work only once.
    pub(crate) single_use_parameter: Option<&'static str>,
    /// Whether faults can change rotation and lifetime.
    pub(crate) is_adjustable: bool,
    /// Whether tokens are valid only at the host that issued them.
    pub(crate) is_bound_to_host: bool,
    pub(crate) pkce: Pkce,
    pub(crate) client_authentication: ClientAuthentication,
    /// Whether the body of a token request is JSON; otherwise it is a form.
    pub(crate) takes_json: bool,
    /// Whether to compare redirect URIs without their parameters.
    pub(crate) ignores_redirect_query: bool,
    /// Whether wrong parameters are reported to a known client (RFC 6749, section 4.1.2.1). Otherwise they're reported
    /// on a page.
    pub(crate) tells_the_client: bool,
    pub(crate) longest_state: Option<usize>,
    /// Sent with every redirect (RFC 9207).
    pub(crate) issuer: Option<&'static str>,
}

/// Proof Key for Code Exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pkce {
    Ignored,
    Optional,
    Required,
}

/// How a client authenticates (RFC 6749, section 2.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClientAuthentication {
    Basic,
    /// With Basic or in the form, but not with both.
    BasicOrForm,
}

/// The form of a code or token: its prefix, and the number of random bytes after it.
#[derive(Debug)]
pub(crate) struct TokenKind(pub(crate) &'static str, pub(crate) usize);

impl Profile {
    /// The part of a redirect URI that is compared.
    pub(super) fn compared<'uri>(&self, uri: &'uri str) -> &'uri str {
        match uri.split_once('?') {
            Some((before, _)) if self.ignores_redirect_query => before,
            _ => uri,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Server {
    profile: &'static Profile,
    clients: Clients,
    grants: Grants,
}

/// A request, and what the response needs.
pub(crate) struct Incoming<'a> {
    pub(crate) ids: &'a mut Ids,
    pub(crate) now: Timestamp,
    pub(crate) request: &'a Request,
}

impl Server {
    /// A server with one client.
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

    /// Grants and tokens, to restore them after a restart.
    pub(crate) fn save(&self) -> Value {
        self.grants.save()
    }

    /// Restores what [`Server::save`] returned.
    pub(crate) fn restore(&mut self, saved: &Value) -> serde_json::Result<()> {
        self.grants.restore(saved)
    }

    /// Forgets all grants. Clients stay.
    pub(crate) fn reset(&mut self) {
        self.grants = Grants::new(self.profile);
    }

    /// Applies a fault to grants and tokens.
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

    /// Handles the authorization page and its form. `None` for other paths.
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

    /// Authenticates the client of a request to another endpoint. Returns its ID and the request's parameters.
    pub(crate) fn authenticated(
        &self,
        policy: &dyn Policy,
        request: &Request,
    ) -> Result<(String, Query), Box<Response>> {
        token::authenticated(self, policy, request)
    }

    /// The state of an access token.
    pub(crate) fn access(&self, token: &str, now: Timestamp) -> TokenState<'_> {
        self.grants.access(token, now)
    }

    /// Revokes the grant of a valid token, which must belong to `client` if there is one. Also revokes the same user's
    /// grants to other clients for which `reaches` is true, given the token's client and the other one. Returns whether
    /// there was such a token.
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

/// Redirects the browser to the client, with these parameters and the client's `state`.
fn redirect_back(redirect_uri: &str, state: Option<&str>, parameters: &[(&str, &str)]) -> Response {
    let mut query = Serializer::new(String::new());
    query.extend_pairs(parameters);
    query.extend_pairs(state.map(|state| ("state", state)));
    let join = if redirect_uri.contains('?') { '&' } else { '?' };
    Response::see_other(&format!("{redirect_uri}{join}{}", query.finish()))
}

/// Clients by ID.
#[derive(Debug, Default)]
pub(crate) struct Clients(BTreeMap<String, Client>);

#[derive(Debug, Clone)]
pub(crate) struct Client {
    secret: String,
    /// Registered URIs. If there's none, every URI of an allowed form is accepted.
    redirect_uris: Vec<String>,
}

impl Clients {
    /// Registers a client, or replaces it.
    pub(crate) fn add(&mut self, id: &str, secret: &str, redirect_uris: &[&str]) {
        self.0.insert(
            id.to_owned(),
            Client {
                secret: secret.to_owned(),
                redirect_uris: redirect_uris.iter().map(|uri| (*uri).to_owned()).collect(),
            },
        );
    }

    pub(crate) fn find(&self, id: &str) -> Option<&Client> {
        self.0.get(id)
    }
}

impl Client {
    /// Whether this is the client's secret.
    pub(crate) fn has_secret(&self, secret: &str) -> bool {
        self.secret == secret
    }

    /// Whether the client may receive responses at this URI.
    pub(crate) fn accepts(&self, redirect_uri: &str) -> bool {
        if self.redirect_uris.is_empty() {
            is_allowed(redirect_uri)
        } else {
            self.redirect_uris.iter().any(|uri| uri == redirect_uri)
        }
    }
}

/// Google's rules for web clients: https except on loopback, and no fragment, user, bare IP address or wildcard (OAuth
/// 2.0 for Web Server Applications, "Redirect URI validation rules").
fn is_allowed(redirect_uri: &str) -> bool {
    let Ok(url) = Url::parse(redirect_uri) else {
        return false;
    };
    let plain = url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none()
        && !redirect_uri.contains('*');
    let place = match (url.scheme(), url.host()) {
        ("https", Some(Host::Domain(_))) => true,
        ("http" | "https", Some(Host::Ipv4(address))) => address.is_loopback(),
        ("http" | "https", Some(Host::Ipv6(address))) => address.is_loopback(),
        ("http", Some(Host::Domain(name))) => name == "localhost",
        _ => false,
    };
    plain && place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_safe_addresses_are_allowed() {
        for good in [
            "http://127.0.0.1:8080/cb",
            "http://localhost/cb",
            "http://[::1]:1/cb",
            "https://app.example.com/sso/v1/oauth/x/callback?a=b",
        ] {
            assert!(is_allowed(good), "{good}");
        }
        for bad in [
            "http://app.example.com/cb",
            "https://203.0.113.7/cb",
            "https://app.example.com/cb#top",
            "https://u@app.example.com/cb",
            "https://*.example.com/cb",
            "javascript:alert(1)",
            "/cb",
        ] {
            assert!(!is_allowed(bad), "{bad}");
        }
    }

    #[test]
    fn a_registered_address_matches_byte_for_byte() {
        let mut clients = Clients::default();
        clients.add("1-a", "s", &["https://a.example/cb"]);
        let client = clients.find("1-a").unwrap();
        assert!(client.accepts("https://a.example/cb"));
        assert!(!client.accepts("https://a.example/cb/"));
        assert!(!client.accepts("https://A.example/cb"));
    }
}
