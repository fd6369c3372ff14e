//! Sessions of the Model Context Protocol. Applications create them for their users.

use stead_core::resource::{DeleteMcpSession, ListMcpSessions, ReadMcpSession};

use super::pages::{Action, Member, Resource};

pub(super) fn resource() -> Resource {
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
        ..Resource::of::<ListMcpSessions, ReadMcpSession>("MCP session")
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
        ..Action::delete::<DeleteMcpSession>()
    })
}
