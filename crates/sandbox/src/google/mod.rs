//! Google: one authorization server, and the APIs that users call with its tokens. A folder is an API with a
//! table of methods, see `mail`; `world` is what the users own.

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

use axum::http::{Method, StatusCode};
use jiff::Timestamp;
use serde_json::Value;

use errors::ApiError;
use method::{Api, Call, Media};
use resumable::Sessions;
use schema::Members;
use world::World;

use crate::{
    CLIENT_ID, CLIENT_SECRET,
    faults::Fault,
    oauth::{Incoming, Policy, Server},
    pages, played,
    records::{Section, Values},
    request::{Purpose, Request},
    response::Response,
    shared::Ids,
    shared::Shared,
    state::{Product, Refusal},
};
/// The hosts of Google.
mod hosts {
    pub(super) const GMAIL: &str = "gmail.googleapis.com";
    pub(super) const PEOPLE: &str = "people.googleapis.com";
    pub(super) const SHEETS: &str = "sheets.googleapis.com";
    /// The host that several older APIs share: Drive is one of them.
    pub(super) const APIS: &str = "www.googleapis.com";
    /// Who the user is.
    pub(super) const USERINFO: &str = "openidconnect.googleapis.com";
    /// The authorization page.
    pub(super) const ACCOUNTS: &str = "accounts.google.com";
    /// The token endpoints.
    pub(super) const TOKENS: &str = "oauth2.googleapis.com";
}

/// The APIs that are played.
static APIS: [&Api; 5] = [
    &mail::GMAIL_API,
    &calendar::CALENDAR_API,
    &sheets::SHEETS_API,
    &drive::DRIVE_API,
    &people::PEOPLE_API,
];

/// What of the APIs is played.
pub(crate) fn played() -> Vec<played::Api> {
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
        played::Api {
            title,
            played: own.into_iter().map(shown).collect(),
            others: others.len(),
        }
    };
    titles.into_iter().zip(&APIS).map(api).collect()
}

/// What a request can read and change: the sandbox's clock and ids, and all that is Google's.
pub(crate) struct State<'a> {
    pub(crate) now: Timestamp,
    pub(crate) ids: &'a mut Ids,
    pub(crate) oauth: &'a mut Server,
    pub(crate) world: &'a mut World,
    /// Uploads that have begun.
    pub(crate) uploads: &'a mut Sessions,
}

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
            hosts::USERINFO => oauth::userinfo(state, request),
            hosts::ACCOUNTS => {
                let page = state
                    .oauth
                    .page(policy, &mut incoming(state.ids, state.now, request));
                page.unwrap_or_else(|| pages::not_found(request))
            }
            hosts::TOKENS => tokens(state, policy, request),
            _ => match api_of(request) {
                Some(api) => check::dispatch(api, state, request),
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
        // Nothing lists spreadsheets, and the address says so as any unknown one does.
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
