//! What an operator can set about the dashboard.

use std::{collections::BTreeMap, fmt, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who gets into the dashboard, and what it shows besides the environment.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct DashboardOptions {
    /// Who gets in.
    pub access: DashboardAccess,
    /// What the home page offers to try out.
    pub trial: Option<Trial>,
    /// The sandbox that plays the products, for a page that shows and changes it.
    pub sandbox: Option<Arc<dyn SandboxControl>>,
}

/// A sandbox in place of the products, as the dashboard sees and changes it. What the sandbox holds is its own business: it
/// is shown as sections of records.
pub trait SandboxControl: fmt::Debug + Send + Sync {
    /// The people who live in it: by which name it knows each, and the name for people.
    fn users(&self) -> Vec<(String, String)>;

    /// What a user owns.
    fn sections(&self, user: &str) -> Vec<SandboxSection>;

    /// Adds a record to a section.
    ///
    /// # Errors
    /// One sentence that says what of the fields cannot be taken.
    fn add(
        &self,
        user: &str,
        section: &str,
        fields: &BTreeMap<String, String>,
    ) -> Result<(), String>;

    /// Deletes a record.
    ///
    /// # Errors
    /// One sentence, where there is no such record.
    fn delete(&self, user: &str, section: &str, id: &str) -> Result<(), String>;

    /// The requests that came in last, the newest first, and how many came in all.
    fn received(&self, most: usize) -> (Vec<SandboxRequest>, usize);

    /// What can be made to go wrong: the word for [`SandboxControl::fault`], a title, and what it does.
    fn faults(&self) -> Vec<(String, String, String)>;

    /// What is still to go wrong, in words.
    fn waiting(&self) -> Vec<String>;

    /// Makes something go wrong.
    ///
    /// # Errors
    /// One sentence, where the word is not known.
    fn fault(&self, word: &str) -> Result<(), String>;

    /// Sets everything back to the beginning, grants of users included.
    fn reset(&self);
}

/// Records of one kind in a sandbox.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SandboxSection {
    /// By which name it is asked for.
    pub name: String,
    /// For people.
    pub title: String,
    /// Titles of the cells of a record.
    pub columns: Vec<String>,
    /// The records, those first that people look for first.
    pub records: Vec<SandboxRecord>,
    /// What a new record is made of; empty where none can be added.
    pub fields: Vec<SandboxField>,
}

/// A record of a sandbox.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SandboxRecord {
    /// By which it is deleted.
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
    /// For people.
    pub label: String,
    /// What it begins with.
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
    /// Status of the response; none where there was none.
    pub status: Option<u16>,
}

/// Who gets into the dashboard.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DashboardAccess {
    /// Members who have signed in.
    #[default]
    Members,
    /// Every browser on this machine, as an owner: for a stack to try things out, and nothing else.
    SignedInOnLoopback,
    /// No one: there is no dashboard.
    Off,
}

/// What there is to try out, in an environment that is there for that.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Trial {
    /// The application's id of the user who tries it.
    pub identifier: String,
    /// Who that user is at the products, such as `Ada`.
    pub user: String,
    /// A call for each connection.
    pub samples: Vec<Sample>,
    /// Other addresses of the stack: what each is, and its URL.
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

/// A call that only reads, and where in its result stands what people want to see.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Sample {
    /// Connection.
    pub connection_name: String,
    /// What the product is, in a few words.
    pub about: String,
    /// What the call shows, such as `Show unread mails`.
    pub title: String,
    /// Tool.
    pub tool: String,
    /// Its input.
    pub input: Value,
    /// JSON pointer to the list in its result.
    pub list: String,
    /// JSON pointers into an item of the list: to the first column that is shown, and to those after it. Of several
    /// pointers with a bar between them the first one that leads to a text counts.
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
