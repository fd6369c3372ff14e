//! The resources whose pages follow from their declarations.

use std::sync::OnceLock;

use stead_core::resource;

use super::{
    credentials, keys, members,
    pages::{Action, Member, Resource},
    webhooks,
};

/// All resources, in the order of the settings.
pub(super) fn all() -> &'static [Resource] {
    static ALL: OnceLock<Vec<Resource>> = OnceLock::new();
    ALL.get_or_init(|| {
        vec![
            credentials::resource(),
            webhooks::resource(),
            keys::resource(),
            members::resource(),
            mcp_sessions(),
        ]
    })
}

/// Sessions of the Model Context Protocol. Applications create them for their users.
fn mcp_sessions() -> Resource {
    Resource {
        about: "See which agents act for your users, and revoke their sessions.",
        lead: "An application creates a session for one user. An agent then uses the user’s tools with the session’s token.",
        icon: "play",
        empty: "Your application creates one with POST /v1/mcp-sessions.",
        name: "{identifier}",
        columns: vec![
            Member::of("identifier").label("User"),
            Member::of("connections").none("all"),
            Member::of("tools").none("all"),
            Member::of("read_only"),
            Member::of("created_at"),
            Member::of("expires_at"),
        ],
        ..Resource::of::<resource::ListMcpSessions, resource::ReadMcpSession>("MCP session")
    }
    .with(Action {
        path: "revoke",
        label: "Revoke",
        title: "Revoke this session of {identifier}?",
        consequences: &[
            "Its token stops working immediately.",
            "Connected accounts stay as they are.",
            "You can’t undo this.",
        ],
        submit: "Revoke session",
        ..Action::delete::<resource::DeleteMcpSession>()
    })
}
