//! Notion: its API, in three versions, and its authorization server. What is written stays; what is not
//! shared cannot be seen.

mod blocks;
mod capability;
mod columns;
mod content;
pub(crate) mod errors;
mod ids;
mod methods;
pub(crate) mod oauth;
mod paging;
mod reader;
mod rich_text;
mod router;
mod seed;
mod shapes;
mod values;
mod version;

use std::collections::BTreeSet;

pub(crate) use capability::Capability;
pub(crate) use content::Content;
pub(crate) use errors::ApiError;
pub(crate) use reader::Reader;
pub(crate) use router::{ALL, Call, Method};
pub(crate) use seed::seed;
pub(crate) use shapes::readable;
pub(crate) use version::Version;

use crate::{
    WORKSPACE_CLIENT_ID, WORKSPACE_CLIENT_SECRET, oauth::Clients, request::Request,
    response::Response, state::State,
};
use oauth::grants::Grants;

/// What the product remembers besides its content.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// Registered integrations.
    pub(crate) clients: Clients,
    /// Consents, grants and tokens.
    pub(crate) grants: Grants,
    /// Capabilities that the integrations no longer have.
    pub(crate) lost_capabilities: BTreeSet<Capability>,
}

impl Workspace {
    /// The one integration that every sandbox has, with all capabilities.
    pub(crate) fn new() -> Self {
        let mut clients = Clients::default();
        clients.add(WORKSPACE_CLIENT_ID, WORKSPACE_CLIENT_SECRET, &[]);
        Self {
            clients,
            grants: Grants::empty(),
            lost_capabilities: BTreeSet::new(),
        }
    }

    /// Forgets everything but the integrations, which are configuration.
    pub(crate) fn reset(&mut self) -> Self {
        Self {
            clients: std::mem::take(&mut self.clients),
            grants: Grants::empty(),
            lost_capabilities: BTreeSet::new(),
        }
    }
}

/// The host `api.notion.com`.
pub(crate) fn respond(state: &mut State, request: &Request) -> Response {
    if request.path.starts_with("/v1/oauth/") {
        oauth::respond(state, request)
    } else {
        router::respond(state, request)
    }
}
