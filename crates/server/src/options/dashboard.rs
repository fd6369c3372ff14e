//! Options of the dashboard.

use std::{collections::BTreeMap, fmt, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Access to the dashboard, and its content in addition to the environment.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct DashboardOptions {
    /// Access.
    pub access: DashboardAccess,
    /// Calls that the home page offers to try.
    pub trial: Option<Trial>,
    /// The sandbox that plays the products, for a page that shows and changes it.
    pub sandbox: Option<Arc<dyn SandboxControl>>,
}

/// A sandbox instead of the products, as the dashboard shows and changes it. The dashboard shows its data as sections
/// of records, and doesn't need to know what they mean.
pub trait SandboxControl: fmt::Debug + Send + Sync {
    /// Its users. Each has an ID and a display name.
    fn users(&self) -> Vec<(String, String)>;

    /// A user's data.
    fn sections(&self, user: &str) -> Vec<SandboxSection>;

    /// Adds a record to a section.
    ///
    /// # Errors
    /// One sentence that says which field isn't valid.
    fn add(
        &self,
        user: &str,
        section: &str,
        fields: &BTreeMap<String, String>,
    ) -> Result<(), String>;

    /// Deletes a record.
    ///
    /// # Errors
    /// One sentence, if the record doesn't exist.
    fn delete(&self, user: &str, section: &str, id: &str) -> Result<(), String>;

    /// The latest requests, newest first, and the number of all requests so far.
    fn received(&self, most: usize) -> (Vec<SandboxRequest>, usize);

    /// Faults that it can play. Each has a word for [`SandboxControl::fault`], a title and a description.
    fn faults(&self) -> Vec<(String, String, String)>;

    /// Faults that are still pending, in words.
    fn waiting(&self) -> Vec<String>;

    /// Adds a fault.
    ///
    /// # Errors
    /// One sentence, if the word isn't known.
    fn fault(&self, word: &str) -> Result<(), String>;

    /// Resets everything, including the users' grants.
    fn reset(&self);
}

/// Records of one kind in a sandbox.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SandboxSection {
    /// Name.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// Titles of the cells of a record.
    pub columns: Vec<String>,
    /// The records, most relevant first.
    pub records: Vec<SandboxRecord>,
    /// Fields of a new record. Empty if no record can be added.
    pub fields: Vec<SandboxField>,
}

/// A record of a sandbox.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SandboxRecord {
    /// ID for deleting it.
    pub id: String,
    /// A text for each column.
    pub cells: Vec<String>,
}

/// A value of a new record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SandboxField {
    /// Name.
    pub name: String,
    /// Title for people.
    pub label: String,
    /// Initial value.
    pub value: String,
    /// Whether it has several lines.
    pub is_long: bool,
}

/// A request that a sandbox received.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SandboxRequest {
    /// HTTP method.
    pub method: String,
    /// Host that was played.
    pub host: String,
    /// Path at that host.
    pub path: String,
    /// Query, without secrets.
    pub query: Option<String>,
    /// Status of the response, if there was one.
    pub status: Option<u16>,
}

/// Access to the dashboard.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DashboardAccess {
    /// Members who have signed in.
    #[default]
    Members,
    /// Every browser on this machine, as an owner. Use it only for a stack to try things out.
    SignedInOnLoopback,
    /// No dashboard.
    Off,
}

/// Things to try, in an environment for trying Stead out.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Trial {
    /// The application's ID of the user.
    pub identifier: String,
    /// The user's name at the products, such as `Ada`.
    pub user: String,
    /// A call for each connection.
    pub samples: Vec<Sample>,
    /// Other addresses of the stack. Each has a description and a URL.
    pub addresses: Vec<(String, String)>,
}

impl Trial {
    /// Samples for a user.
    pub fn new(
        identifier: impl Into<String>,
        user: impl Into<String>,
        samples: Vec<Sample>,
    ) -> Self {
        Self {
            identifier: identifier.into(),
            user: user.into(),
            samples,
            addresses: Vec::new(),
        }
    }
}

/// A call that only reads, and the part of its result to show.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Sample {
    /// Connection.
    pub connection_name: String,
    /// The product in a few words.
    pub about: String,
    /// Title, such as `Show unread mails`.
    pub title: String,
    /// Tool.
    pub tool: String,
    /// Its input.
    pub input: Value,
    /// JSON pointer to the list in its result.
    pub list: String,
    /// JSON pointers into an item of the list, one for each column. A column can have several pointers, separated by
    /// `|`. The first one that leads to a text is shown.
    pub columns: Vec<String>,
}

impl Sample {
    /// A call of a tool through a connection.
    pub fn new(connection_name: impl Into<String>, tool: impl Into<String>, input: Value) -> Self {
        Self {
            connection_name: connection_name.into(),
            about: String::new(),
            title: String::new(),
            tool: tool.into(),
            input,
            list: String::new(),
            columns: Vec::new(),
        }
    }
}
