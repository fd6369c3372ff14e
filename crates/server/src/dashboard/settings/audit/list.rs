//! `GET /dashboard/settings/audit?action=&actor=&target=&page_token=`.

use std::collections::BTreeMap;

use axum::response::Response;
use minijinja::{context, value::Serde};
use serde::Serialize;
use serde_json::Value;
use stead::Error;
use stead_core::{
    api::Paging,
    resource::{AuditEntry, AuditFilter, ListAppCredentials, ListAuditEntries, ListMembers},
};
use url::form_urlencoded;

use super::super::render::render;
use crate::{
    dashboard::{page::Page, session::Role},
    extract::Query,
    problem::Result,
};

/// Kinds of changes, by the start of the action.
const KINDS: [(&str, &str); 12] = [
    ("connection.*", "Connections"),
    ("account.*", "Accounts"),
    ("account_token.*", "Account tokens"),
    ("app_credential.*", "Credentials"),
    ("policy.*", "Policies"),
    ("approval.*", "Approvals"),
    ("webhook.*", "Webhooks"),
    ("key.*", "Keys"),
    ("member.*", "Members"),
    ("member.signed_in", "Sign-ins"),
    ("call.by_member", "Calls by members"),
    ("*", "Everything"),
];

/// An entry, with its actor and its details in words.
#[derive(Debug, Serialize)]
struct Row {
    entry: AuditEntry,
    /// The name of the actor, if the member is allowed to see it.
    name: Option<String>,
    facts: Vec<(String, String)>,
}

pub(super) async fn list(page: Page, mut query: Query) -> Result<Response> {
    let mut filter = AuditFilter::default();
    filter.action = query.text("action")?;
    filter.actor = query.text("actor")?;
    filter.target = query.text("target")?;
    let paging = query.paging()?;
    query.end()?;
    let given = [
        ("action", filter.action.as_deref()),
        ("actor", filter.actor.as_deref()),
        ("target", filter.target.as_deref()),
    ];
    let given = given
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)));
    let kept = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(given)
        .finish();
    let found = page
        .environment
        .send(
            ListAuditEntries::new()
                .filter(filter.clone())
                .page(Paging::new(paging.token.as_deref(), paging.size.min(50))),
        )
        .await?;
    let names = names(&page).await?;
    let rows = found.items.into_iter().map(|entry| Row {
        name: entry
            .actor
            .id
            .as_ref()
            .and_then(|id| names.get(id).cloned()),
        facts: entry
            .facts
            .iter()
            .map(|(name, value)| (name.replace('_', " "), text(value)))
            .collect(),
        entry,
    });
    let context = context! {
        rows => Serde(rows.collect::<Vec<_>>()),
        kinds => KINDS,
        action => filter.action,
        actor => filter.actor,
        target => filter.target,
        is_filtered => !kept.is_empty(),
        query => if kept.is_empty() { kept } else { kept + "&" },
        page_token => paging.token,
        next_page_token => found.next_page_token,
    };
    Ok(render(&page, "settings/audit/list.html", context))
}

/// Names of members and credentials by ID, for owners only. Other roles can't see them.
async fn names(page: &Page) -> Result<BTreeMap<String, String>, Error> {
    if page.role() != Some(Role::Owner) {
        return Ok(BTreeMap::new());
    }
    let members = page
        .environment
        .send(ListMembers::new().page(Paging::new(None, 100)))
        .await?
        .items;
    let members = members.into_iter().map(|one| {
        let name = if one.name.is_empty() {
            one.email
        } else {
            one.name
        };
        (one.member_id.to_string(), name)
    });
    let credentials = page
        .environment
        .send(ListAppCredentials::new().page(Paging::new(None, 100)))
        .await?
        .items;
    let credentials = credentials.into_iter().map(|one| (one.client_id, one.name));
    Ok(members.chain(credentials).collect())
}

/// A detail for people.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
