//! Google: one authorization server, and the APIs that users call with its tokens. Each API has a folder, such as
//! `mail`. `methods.txt` and `schemas.txt` describe all APIs. `world` holds what the users own.

mod batch;
mod calendar;
mod check;
mod collection;
mod drive;
mod errors;
mod fields;
mod mail;
mod method;
mod oauth;
mod people;
mod records;
mod resumable;
mod schema;
mod scopes;
mod sheets;
mod upload;
mod world;

use std::borrow::Cow;

use axum::http::{Method, StatusCode};
use bytes::Bytes;
use jiff::Timestamp;
use serde_json::Value;

use collection::Collection;
use errors::{ApiError, ErrorShape};
use method::{Call, Media};
use resumable::Sessions;
use schema::Members;
use world::World;

use crate::{
    CLIENT_ID, CLIENT_SECRET,
    faults::Fault,
    oauth::{Incoming, Policy, Server},
    pages,
    product::{self, Product, Refusal},
    records::{Section, Values},
    request::{Purpose, Request},
    response::Response,
    shared::Ids,
    shared::Shared,
};
/// Google's hosts.
mod hosts {
    pub(super) const GMAIL: &str = "gmail.googleapis.com";
    pub(super) const PEOPLE: &str = "people.googleapis.com";
    pub(super) const SHEETS: &str = "sheets.googleapis.com";
    /// The host that several older APIs share, such as Drive.
    pub(super) const APIS: &str = "www.googleapis.com";
    /// The endpoint that describes the user.
    pub(super) const USERINFO: &str = "openidconnect.googleapis.com";
    /// The authorization page.
    pub(super) const ACCOUNTS: &str = "accounts.google.com";
    /// The token endpoints.
    pub(super) const TOKENS: &str = "oauth2.googleapis.com";
}

#[derive(Debug)]
pub(crate) struct Api {
    /// The prefix of its methods' IDs.
    pub(crate) name: &'static str,
    /// The name of the service in errors.
    pub(crate) service: &'static str,
    /// The shape of its errors.
    pub(crate) errors: ErrorShape,
    /// The message of the 403 for a body with members that only Google writes. `None` if the API ignores such members.
    pub(crate) refuses_read_only: Option<&'static str>,
    /// The methods that a function plays, by ID without the API's name.
    pub(crate) plays: &'static [(&'static str, Run)],
    /// The resources with regular methods.
    pub(crate) collections: &'static [&'static Collection],
    /// The methods that can return bytes (with `alt=media`, or always).
    pub(crate) downloads: &'static [(&'static str, Download)],
    /// The largest upload in bytes (discovery, `maxSize`), and the prefix of its type (`accept`).
    pub(crate) uploads: (u64, &'static str),
    /// Paths that accept several requests in one (discovery, `batchPath`).
    pub(crate) batch_paths: &'static [&'static str],
}

/// Runs a method. `null` becomes 204 without a body.
pub(crate) type Run = fn(&mut State, &Call) -> Result<Value, ApiError>;
/// Returns the bytes of a method.
pub(crate) type Download = fn(&State, &Call) -> Result<Media, ApiError>;

/// The APIs that the sandbox plays.
static APIS: [&Api; 5] = [
    &mail::GMAIL_API,
    &calendar::CALENDAR_API,
    &sheets::SHEETS_API,
    &drive::DRIVE_API,
    &people::PEOPLE_API,
];

/// The parts of the APIs that the sandbox plays.
pub(crate) fn played() -> Vec<product::Api> {
    let titles = [
        "Gmail",
        "Google Calendar",
        "Google Sheets",
        "Google Drive",
        "Google People",
    ];
    let api = |(title, api): (&'static str, &&'static Api)| {
        let (own, others): (Vec<_>, Vec<_>) = api.methods().partition(|method| api.has(method));
        let shown = |method: &method::ApiMethod| {
            let name = method.id.trim_start_matches("gmail.users.");
            let name = name
                .strip_prefix(api.name)
                .unwrap_or(name)
                .trim_start_matches('.');
            [
                format!("`{name}`"),
                method.verb.to_string(),
                format!("/{}", method.path),
            ]
        };
        product::Api {
            title,
            played: own.into_iter().map(shown).collect(),
            others: others.len(),
        }
    };
    titles.into_iter().zip(&APIS).map(api).collect()
}

/// The state that a request reads and changes: the sandbox's clock and IDs, and all data at Google.
pub(crate) struct State<'a> {
    pub(crate) now: Timestamp,
    pub(crate) ids: &'a mut Ids,
    pub(crate) oauth: &'a mut Server,
    pub(crate) world: &'a mut World,
    /// Unfinished uploads.
    pub(crate) uploads: &'a mut Sessions,
}

/// The product.
pub(crate) struct Google {
    oauth: Server,
    /// Scopes that the next consent loses.
    lost_scopes: Vec<String>,
    world: World,
    /// Unfinished uploads.
    uploads: Sessions,
}

impl Google {
    /// The initial state, with the one client that every sandbox has.
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
            hosts::USERINFO => oauth::userinfo(state, request),
            hosts::ACCOUNTS => {
                let page = state
                    .oauth
                    .page(policy, &mut incoming(state.ids, state.now, request));
                page.unwrap_or_else(|| pages::not_found(request))
            }
            hosts::TOKENS => tokens(state, policy, request),
            _ => match api_of(request) {
                Some(api) => dispatch(api, state, request),
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

/// The API for a host and a path. On the shared host, each API has its own prefix. In uploads and batches, it comes
/// after theirs.
fn api_of(request: &Request) -> Option<&'static Api> {
    let (host, path) = (request.host.as_str(), request.path.as_str());
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
        // No method lists spreadsheets, so this is an unknown path.
        hosts::SHEETS if request.method == Method::GET && request.path == "/v4/spreadsheets" => {
            None
        }
        hosts::SHEETS => Some(&sheets::SHEETS_API),
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
        ("POST", "/revoke") => oauth::revoke(state, policy, request),
        (_, "/token" | "/revoke") => pages::wrong_method(request),
        _ => pages::not_found(request),
    }
}

fn incoming<'a>(ids: &'a mut Ids, now: Timestamp, request: &'a Request) -> Incoming<'a> {
    Incoming { ids, now, request }
}

/// Answers a request to an API: one request, an upload, or a batch.
fn dispatch(api: &'static Api, state: &mut State, request: &Request) -> Response {
    let mut request = meant(request);
    // These two APIs allow a slash at the end.
    let takes_slash = matches!(api.name, "sheets" | "drive");
    if takes_slash && request.path.len() > 1 && request.path.ends_with('/') {
        request.to_mut().path.pop();
    }
    let request = &*request;
    if api.batch_paths.contains(&request.path.as_str()) {
        batch::respond(api, state, request)
    } else if upload::is_address(&request.path) {
        upload::respond(api, state, request)
    } else {
        check::respond(api, state, request)
    }
}

/// Applies `X-HTTP-Method-Override`, with which a POST means another method. If a GET's URL is too long, Google's
/// client libraries send its query this way, as a form in the body.
fn meant(request: &Request) -> Cow<'_, Request> {
    let meant = request
        .header("x-http-method-override")
        .filter(|_| request.method == Method::POST)
        .and_then(|name| name.to_ascii_uppercase().parse::<Method>().ok());
    let Some(method) = meant else {
        return Cow::Borrowed(request);
    };
    let mut meant = request.clone();
    meant.method = method;
    if meant.method == Method::GET && request.form_parameters().is_some() {
        let form = String::from_utf8_lossy(&request.body).into_owned();
        meant.query = Some(match &request.query {
            Some(query) if !query.is_empty() => format!("{query}&{form}"),
            _ => form,
        });
        meant.body = Bytes::new();
    }
    Cow::Owned(meant)
}
