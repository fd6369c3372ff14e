//! Google: one authorization server, and the APIs that users call with its tokens. A folder is an API with a
//! table of methods, see `mail`; `world` is what the users own.

mod batch;
mod body;
mod calendar;
mod check;
mod dispatch;
mod drive;
mod errors;
mod fields;
mod hosts;
mod mail;
mod media;
mod method;
mod method_override;
mod multipart;
mod oauth;
mod paging;
mod people;
mod records;
mod resumable;
mod revoke;
mod scopes;
mod sheets;
mod state;
mod upload;
mod userinfo;
mod world;

use axum::http::{Method, StatusCode};
use jiff::Timestamp;
use serde_json::Value;

use body::Body;
use errors::ApiError;
use method::{Api, ApiMethod, Call, Download, Kind, Media, Parameter, Upload};
use state::State;

use crate::{
    CLIENT_ID, CLIENT_SECRET,
    faults::Fault,
    ids::Ids,
    oauth::{Incoming, Policy, Server},
    pages,
    product::{Product, Refusal},
    records::{Section, Values},
    request::{Purpose, Request},
    response::Response,
    shared::Shared,
};
use resumable::Sessions;
use world::World;

/// The product.
pub(crate) struct Google {
    oauth: Server,
    /// Scopes that the next consent loses.
    lost_scopes: Vec<String>,
    world: World,
    /// Uploads that have begun.
    uploads: Sessions,
}

impl Google {
    /// The seeded beginning, with the one client that every sandbox has.
    pub(crate) fn new() -> Self {
        Self::with(Server::new(&oauth::PROFILE, CLIENT_ID, CLIENT_SECRET))
    }

    fn with(oauth: Server) -> Self {
        Self {
            oauth,
            lost_scopes: Vec::new(),
            world: World::seeded(),
            uploads: Sessions::default(),
        }
    }
}

impl Product for Google {
    fn serves(&self, host: &str) -> bool {
        matches!(
            host,
            hosts::GMAIL
                | hosts::PEOPLE
                | hosts::SHEETS
                | hosts::APIS
                | hosts::USERINFO
                | hosts::ACCOUNTS
                | hosts::TOKENS
        )
    }

    fn purpose(&self, request: &Request) -> Purpose {
        match request.host.as_str() {
            hosts::ACCOUNTS => Purpose::Page,
            hosts::TOKENS if request.path == "/token" && request.method == Method::POST => {
                Purpose::Token
            }
            hosts::TOKENS => Purpose::Credentials,
            _ => Purpose::Api,
        }
    }

    fn respond(&mut self, shared: &mut Shared, request: &Request) -> Response {
        let mut state = State {
            now: shared.now,
            ids: &mut shared.ids,
            oauth: &mut self.oauth,
            world: &mut self.world,
            uploads: &mut self.uploads,
        };
        let state = &mut state;
        let policy = &mut oauth::Google {
            lost_scopes: &mut self.lost_scopes,
        };
        match request.host.as_str() {
            hosts::SHEETS => sheets::respond(state, request),
            hosts::USERINFO => userinfo::respond(state, request),
            hosts::ACCOUNTS => {
                let page = state
                    .oauth
                    .page(policy, &mut incoming(state.ids, state.now, request));
                page.unwrap_or_else(|| pages::not_found(request))
            }
            hosts::TOKENS => tokens(state, policy, request),
            host => match api_of(host, &request.path) {
                Some(api) => dispatch::respond(api, state, request),
                None => pages::not_found(request),
            },
        }
    }

    fn refuse(&self, request: &Request, refusal: &Refusal<'_>) -> Response {
        let host = &request.host;
        match *refusal {
            Refusal::Unauthorized => errors::invalid_credentials(host),
            Refusal::Error {
                status,
                reason,
                message,
                retry_after,
            } => errors::injected_error(host, status, reason, message, retry_after),
            Refusal::TokenError { status, error } => {
                let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
                errors::oauth(
                    status,
                    error,
                    "The sandbox was told to respond with this error.",
                )
            }
        }
    }

    fn apply(&mut self, shared: &Shared, fault: &Fault) -> Result<(), String> {
        self.oauth.apply(shared.now, fault);
        match fault {
            Fault::DropScope { scope } => self.lost_scopes.push(scope.clone()),
            Fault::DeleteMessage { id } if !self.world.delete_message(id) => {
                return Err(format!("there is no message {id}"));
            }
            Fault::StaleAttachments => self.world.attachment_generation += 1,
            _ => {}
        }
        Ok(())
    }

    fn add_client(&mut self, id: &str, secret: &str, redirect_uris: &[&str]) {
        self.oauth.add_client(id, secret, redirect_uris);
    }

    fn reset(&mut self) {
        self.oauth.reset();
        self.lost_scopes.clear();
        self.world = World::seeded();
        self.uploads = Sessions::default();
    }

    fn save(&self) -> Value {
        self.oauth.save()
    }

    fn restore(&mut self, saved: &Value) -> serde_json::Result<()> {
        self.oauth.restore(saved)
    }

    fn describe(&self, world: &mut Value) {
        world::describe(&self.world, world);
    }

    fn sections(&mut self, shared: &Shared, user: &str) -> Vec<Section> {
        self.sections_of(shared, user)
    }

    fn add_record(
        &mut self,
        shared: &mut Shared,
        user: &str,
        section: &str,
        values: &Values,
    ) -> Option<Result<(), String>> {
        self.add_by_hand(shared, user, section, values)
    }

    fn delete_record(&mut self, user: &str, section: &str, id: &str) -> Option<Result<(), String>> {
        self.delete_by_hand(user, section, id)
    }
}

/// The API that a path of a host belongs to; on the shared host each has its own first segments, which uploads and
/// batches have after theirs.
fn api_of(host: &str, path: &str) -> Option<&'static Api> {
    let prefixes = ["/resumable/upload", "/upload", "/batch"];
    let own = prefixes
        .iter()
        .find_map(|prefix| path.strip_prefix(prefix))
        .unwrap_or(path);
    let is_below = |api: &str| {
        own.strip_prefix(api)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    match host {
        hosts::GMAIL => Some(&mail::GMAIL_API),
        hosts::PEOPLE => Some(&people::PEOPLE_API),
        hosts::APIS if is_below("/drive/v3") => Some(&drive::DRIVE_API),
        hosts::APIS if is_below("/calendar/v3") => Some(&calendar::CALENDAR_API),
        _ => None,
    }
}

/// The host `oauth2.googleapis.com`.
fn tokens(state: &mut State, policy: &dyn Policy, request: &Request) -> Response {
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/token") => {
            let incoming = &mut incoming(state.ids, state.now, request);
            state.oauth.token(policy, incoming)
        }
        ("POST", "/revoke") => revoke::respond(state, policy, request),
        (_, "/token" | "/revoke") => pages::wrong_method(request),
        _ => pages::not_found(request),
    }
}

fn incoming<'a>(ids: &'a mut Ids, now: Timestamp, request: &'a Request) -> Incoming<'a> {
    Incoming { ids, now, request }
}
