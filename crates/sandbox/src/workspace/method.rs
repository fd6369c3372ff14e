//! A method of the API with its versions (Notion API, "Versioning") and its capability ("Connection capabilities"), and
//! a request that passed the checks.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    State,
    content::{Content, Origin},
    errors::ApiError,
    ids::id_of,
};
use crate::{request::Query, request::Request};

#[derive(Debug)]
pub(crate) struct Method {
    /// The HTTP method.
    pub(crate) verb: &'static str,
    /// The path. `{name}` is an ID.
    pub(crate) path: &'static str,
    /// The oldest and the newest version that have it.
    pub(crate) versions: (Version, Version),
    /// The capability that it needs.
    pub(crate) needs: Option<Capability>,
    /// The query parameters.
    pub(crate) query: &'static [&'static str],
    /// The function that plays it.
    pub(crate) run: Run,
}

type Run = fn(&mut State, &Call) -> Result<Value, ApiError>;

impl Method {
    /// A method that all versions have.
    pub(crate) const fn new(
        verb: &'static str,
        path: &'static str,
        needs: Option<Capability>,
        query: &'static [&'static str],
        run: Run,
    ) -> Self {
        Self {
            verb,
            path,
            versions: (Version::Databases, Version::InTrash),
            needs,
            query,
            run,
        }
    }

    /// Limits it to this version and later ones.
    pub(crate) const fn since(mut self, oldest: Version) -> Self {
        self.versions.0 = oldest;
        self
    }

    /// Limits it to this version and earlier ones.
    pub(crate) const fn until(mut self, newest: Version) -> Self {
        self.versions.1 = newest;
        self
    }
}

/// A request that passed the checks.
#[derive(Debug)]
pub(crate) struct Call {
    /// The email address of the token's user.
    pub(crate) user: String,
    /// The ID of the integration's client.
    pub(crate) client: String,
    /// The pages that the user has shared.
    pub(crate) roots: BTreeSet<String>,
    pub(crate) version: Version,
    /// The IDs in the path.
    pub(crate) path: Vec<String>,
    pub(crate) query: Query,
    /// The body. An empty object if there's none.
    pub(crate) body: Value,
}

impl Call {
    /// The nth ID in the path.
    pub(crate) fn id(&self, index: usize) -> &str {
        self.path.get(index).map_or("", String::as_str)
    }

    /// Whether something is shared with the integration.
    pub(crate) fn can_see(&self, content: &Content, id: &str) -> bool {
        content.is_shared(id, &self.roots)
    }

    /// The integration's ID, as the author of what it creates.
    pub(crate) fn bot(&self) -> String {
        bot_id(&self.client, &self.user)
    }

    /// The origin of something that this call creates now.
    pub(crate) fn origin(&self, state: &State) -> Origin {
        Origin {
            created: state.now,
            edited: state.now,
            author: self.bot(),
        }
    }
}

/// The ID of an authorization's bot. It's always the same for an integration and a user.
pub(crate) fn bot_id(client: &str, user: &str) -> String {
    id_of(&format!("bot {client} {user}"))
}

/// The API versions, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Version {
    /// 2022-06-28: a database has columns and rows.
    Databases,
    /// 2025-09-03: a database has data sources, which have columns and rows.
    DataSources,
    /// 2026-03-11: `in_trash` instead of `archived`, `position` instead of `after`.
    InTrash,
}

impl Version {
    /// The version in the request (Notion API, "Versioning").
    pub(crate) fn of(request: &Request) -> Result<Self, ApiError> {
        let date = request
            .header("notion-version")
            .ok_or_else(ApiError::missing_version)?;
        Self::named(date).ok_or_else(|| {
            let should = format!(
                "`\"2022-06-28\"` or `\"2025-09-03\"` or `\"2026-03-11\"`, instead was `\"{date}\"`"
            );
            ApiError::at("Notion-Version header", &should)
        })
    }

    /// The version with this date.
    pub(crate) fn named(date: &str) -> Option<Self> {
        match date {
            "2022-06-28" => Some(Self::Databases),
            "2025-09-03" => Some(Self::DataSources),
            "2026-03-11" => Some(Self::InTrash),
            _ => None,
        }
    }

    /// Whether columns and rows belong to data sources.
    pub(crate) fn has_data_sources(self) -> bool {
        self >= Self::DataSources
    }
}

/// A capability. An integration has all of them until it loses one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Capability {
    ReadContent,
    InsertContent,
    ReadComments,
    InsertComments,
    ReadUsers,
}

impl Capability {
    /// The capability with this name in snake_case.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "read_content" => Self::ReadContent,
            "insert_content" => Self::InsertContent,
            "read_comments" => Self::ReadComments,
            "insert_comments" => Self::InsertComments,
            "read_users" => Self::ReadUsers,
            _ => return None,
        })
    }
}
