//! Tools: their definition, and everything that they can use.

mod call;
mod entry;
mod hints;
mod input;
mod io;
mod list;
pub mod numbers;
mod output;
mod readable;
mod request;
mod response;
mod scope;

use std::future::Future;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

pub use call::Call;
#[cfg(feature = "platform")]
pub(crate) use call::DerivedIds;
pub use entry::{AnyTool, ToolEntry, schema_of};
pub use hints::Hints;
pub use input::input_of;
pub use io::{Io, IoBackend};
pub use output::{Data, Output, Warning};
pub use readable::{Readable, ReadableView, Whole, WholeKind, items_of, shortened, text_of};
#[cfg(feature = "platform")]
pub(crate) use request::effect_of_method;
pub use request::{ApiRequest, IntoQuery, Retry, UNRESERVED};
pub use response::Response;
#[cfg(feature = "platform")]
pub(crate) use response::http_date;
pub use scope::RequiredScopes;

use crate::Result;

/// A named operation of a product. The struct is its input. Its doc comment is the tool's description for people and
/// models, and its fields' doc comments describe the parameters.
///
/// ```
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
/// use stead_core::{Result, tool::{RequiredScopes, ApiRequest, Call, Effect, Io, Output, Tool}};
///
/// /// Read one note.
/// #[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
/// #[serde(deny_unknown_fields)]
/// pub struct ReadNote {
///     /// Note to read.
///     pub note_id: String,
/// }
///
/// /// A note.
/// #[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
/// pub struct Note {
///     /// Its text. Absent if it's empty.
///     pub text: Option<String>,
/// }
///
/// impl Tool for ReadNote {
///     const NAME: &'static str = "notes_read_note";
///     const EFFECT: Effect = Effect::Read;
///     const SCOPES: RequiredScopes = RequiredScopes(&["notes.read", "notes"]);
///     type Output = Note;
///
///     async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
///         Ok(io.send(ApiRequest::get(["notes", &self.note_id])).await?.into())
///     }
/// }
/// ```
pub trait Tool: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// Name, starting with the product's: `mail_list_drafts`.
    const NAME: &'static str;
    /// Date of the version (`YYYY-MM-DD`), which `schema_version` and `tool_version` both name.
    const VERSION: &'static str = "2026-11-21";
    /// Other names of the tool; not listed.
    const ALIASES: &'static [&'static str] = &[];
    /// Effect of a call on the user's data.
    const EFFECT: Effect;
    /// How a call affects existing data. By default, a tool that writes only adds.
    const HINTS: Hints = Hints::of(Self::EFFECT);
    /// Whether the product deduplicates runs. Everything that a run changes then has an ID from [`Call::derive_id`]. A
    /// second run with the same [`Call::id`] changes nothing more and returns the same result. Stead retries an
    /// interrupted call with an idempotency key only for such tools; for others it's `outcome_unknown`.
    const RECOGNISED_AGAIN: bool = false;
    /// Scopes, one of which the user needs to grant. Empty if the product has no scopes.
    const SCOPES: RequiredScopes = RequiredScopes::NONE;
    /// Type of the result, published as its JSON Schema. The data keeps members that it doesn't name, so it must not
    /// deny unknown fields. Members that the product can leave out are `Option`s or have defaults.
    type Output: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
    /// A short form of the result, for callers that request it. None by default.
    const READABLE: Option<ReadableView> = None;

    /// Rules across fields, which a schema can't express. Runs with the schema, before Stead looks up the account. So a
    /// developer sees all faults of an input together, before any user has connected.
    ///
    /// # Errors
    /// [`Error::violations`](crate::Error::violations) with a pointer to each invalid field.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Runs the tool. It must await only `io`.
    ///
    /// It returns the product's bytes or a value, not its `Output`. A struct would drop the members that it doesn't
    /// name, and needs a second copy.
    ///
    /// # Errors
    /// Errors of requests, or the tool's own errors about a response.
    fn run(&self, call: &Call, io: Io<'_>) -> impl Future<Output = Result<Output>> + Send;
}

/// How a call can affect the user's data. Stronger effects compare as greater.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    serde::Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Adds or changes.
    Write,
    /// Removes.
    Delete,
}

impl Effect {
    /// Stable snake_case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
        }
    }
}
