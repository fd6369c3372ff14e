//! Notion: three versions of its API, and its authorization server. It saves writes, and hides what isn't shared.

mod blocks;
mod columns;
mod content;
mod errors;
mod filter;
mod ids;
mod method;
mod methods;
mod oauth;
mod reader;
mod records;
mod rich_text;
mod router;
mod seed;
mod shapes;
mod values;

use std::collections::BTreeSet;

use axum::http::{Method as Verb, StatusCode};
use jiff::Timestamp;
use serde_json::Value;

use content::Content;
use errors::ApiError;
use method::Call;
use method::Capability;
use method::Version;
use reader::Reader;

use crate::{
    WORKSPACE_CLIENT_ID, WORKSPACE_CLIENT_SECRET,
    faults::Fault,
    oauth::Server,
    product::{self, Product, Refusal},
    records::{Section, Values},
    request::{Purpose, Request},
    response::Response,
    shared::Ids,
    shared::Shared,
};

/// Notion's only host.
const HOST: &str = "api.notion.com";

/// The product.
pub(crate) struct Notion {
    /// Integrations, grants and tokens.
    oauth: Server,
    /// Capabilities that the integrations have lost.
    lost_capabilities: BTreeSet<Capability>,
    /// Pages, databases and comments, which all users share.
    content: Content,
}

/// The parts of the API that the sandbox plays.
pub(crate) fn played() -> product::Api {
    let method = |method: &method::Method| {
        let versions = match (method.versions.0, method.versions.1) {
            (Version::Databases, Version::InTrash) => "every version",
            (Version::Databases, _) => "2022-06-28",
            _ => "2025-09-03 and later",
        };
        [
            versions.to_owned(),
            method.verb.to_owned(),
            method.path.to_owned(),
        ]
    };
    product::Api {
        title: "Notion",
        played: methods::METHODS.iter().map(method).collect(),
        others: methods::NOT_PLAYED.lines().count(),
    }
}

/// The state that a request reads and changes: the sandbox's clock and IDs, and all data at Notion.
struct State<'a> {
    now: Timestamp,
    ids: &'a mut Ids,
    oauth: &'a mut Server,
    lost_capabilities: &'a BTreeSet<Capability>,
    content: &'a mut Content,
}

impl Notion {
    /// The initial state: the one integration that every sandbox has, with all capabilities.
    pub(crate) fn new() -> Self {
        Self {
            oauth: Server::new(
                &oauth::PROFILE,
                WORKSPACE_CLIENT_ID,
                WORKSPACE_CLIENT_SECRET,
            ),
            lost_capabilities: BTreeSet::new(),
            content: seed::content(),
        }
    }
}

impl Product for Notion {
    fn serves(&self, host: &str) -> bool {
        host == HOST
    }

    fn purpose(&self, request: &Request) -> Purpose {
        match request.path.as_str() {
            "/v1/oauth/token" if request.method == Verb::POST => Purpose::Token,
            path if path.starts_with("/v1/oauth/") => Purpose::Credentials,
            _ => Purpose::Api,
        }
    }

    fn respond(&mut self, shared: &mut Shared, request: &Request) -> Response {
        let mut state = State {
            now: shared.now,
            ids: &mut shared.ids,
            oauth: &mut self.oauth,
            lost_capabilities: &self.lost_capabilities,
            content: &mut self.content,
        };
        if request.path.starts_with("/v1/oauth/") {
            oauth::respond(&mut state, request)
        } else {
            router::respond(&mut state, request)
        }
    }

    fn refuse(&self, request: &Request, refusal: &Refusal<'_>) -> Response {
        match *refusal {
            Refusal::Unauthorized => errors::unauthorized(request),
            Refusal::Error {
                status,
                reason,
                message,
                retry_after,
            } => errors::injected_error(request, status, reason, message, retry_after),
            Refusal::TokenError { status, error } => {
                let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
                let description = "The sandbox was told to respond with this error.";
                oauth::error(status, error, description)
            }
        }
    }

    fn says_what_was_saved(&self) -> bool {
        true
    }

    fn saved_but_unavailable(&self, request: &Request, response: Response) -> Response {
        errors::saved_but_unavailable(request, response)
    }

    fn apply(&mut self, shared: &Shared, fault: &Fault) -> Result<(), String> {
        self.oauth.apply(shared.now, fault);
        if let Fault::LoseCapability { capability } = fault {
            let lost = Capability::named(capability)
                .ok_or_else(|| format!("there is no capability {capability}"))?;
            self.lost_capabilities.insert(lost);
        }
        Ok(())
    }

    fn add_client(&mut self, id: &str, secret: &str, redirect_uris: &[&str]) {
        self.oauth.add_client(id, secret, redirect_uris);
    }

    fn reset(&mut self) {
        self.oauth.reset();
        self.lost_capabilities.clear();
        self.content = seed::content();
    }

    fn save(&self) -> Value {
        self.oauth.save()
    }

    fn restore(&mut self, saved: &Value) -> serde_json::Result<()> {
        self.oauth.restore(saved)
    }

    fn describe(&self, world: &mut Value) {
        for user in world["users"].as_array_mut().into_iter().flatten() {
            let email = user["email"].as_str().unwrap_or_default();
            user["workspace"] = shapes::readable(&self.content, email);
        }
    }

    fn sections(&mut self, _: &Shared, user: &str) -> Vec<Section> {
        self.sections_of(user)
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

    fn delete_record(&mut self, _: &str, section: &str, id: &str) -> Option<Result<(), String>> {
        self.delete_by_hand(section, id)
    }
}
