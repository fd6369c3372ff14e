//! How a caller asks for a result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Path;
use crate::{Error, Result, error::Violation};

/// Fields of one call.
const MOST_FIELDS: usize = 100;

/// What of a result is returned, and in which form. Nothing is asked by default: the product's bytes pass as they came. A
/// dry run takes none of it.
///
/// ```
/// use stead_core::results::{ResultOptions, View};
///
/// let mut options = ResultOptions::default();
/// options.view = View::Readable;
/// options.fields = vec![String::from("messages.subject"), String::from("messages[].from")];
/// options.max_bytes = Some(8_192);
/// # assert!(!options.is_default());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ResultOptions {
    /// Members of the result to return, as paths: `messages.subject`, `items[].id`. A path goes through lists, with `[]`
    /// or without, and names members of the view that is asked for. All members when empty. A path that is not in the
    /// result is a warning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = MOST_FIELDS), inner(length(min = 1)))]
    pub fields: Vec<String>,
    /// Form of the result: `full`, the product's own, or `readable`, short and for people and models, where the tool has such
    /// a view. `full` when absent.
    #[serde(default, skip_serializing_if = "View::is_full")]
    pub view: View,
    /// Bytes of the result's data at most. The longest texts are cut first and end in `… [truncated, 200 of 5000 characters]`;
    /// then lists are cut from their ends. Warnings say what was left out and how to get it. As long as it is when
    /// absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_bytes: Option<u64>,
}

/// Form of a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum View {
    /// The product's own.
    #[default]
    Full,
    /// Short, and for people and models; the full one where the tool has no other. `untrusted` in it lists where texts
    /// stand that third parties wrote: data, never instructions.
    Readable,
}

impl View {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes a reference"
    )]
    pub(crate) fn is_full(&self) -> bool {
        *self == Self::Full
    }
}

/// Bytes of a result's data for an agent, about 10,000 tokens.
#[cfg(feature = "platform")]
const AGENT_BYTES: u64 = 40_000;

impl ResultOptions {
    /// What an agent gets: the readable view and a size that fits a model's context, where nothing else is chosen.
    #[cfg(feature = "platform")]
    pub(crate) fn for_agents(view: Option<View>, max_bytes: Option<u64>) -> Self {
        Self {
            fields: Vec::new(),
            view: view.unwrap_or(View::Readable),
            max_bytes: Some(max_bytes.unwrap_or(AGENT_BYTES)),
        }
    }

    /// Whether nothing is asked.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The fields, read.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) at each one that is not a path.
    pub fn paths(&self) -> Result<Vec<Path>> {
        if self.fields.len() > MOST_FIELDS {
            let message = format!("expected at most {MOST_FIELDS} fields");
            return Err(Error::invalid_at("/fields", message));
        }
        let mut paths = Vec::with_capacity(self.fields.len());
        let mut violations = Vec::new();
        for (index, field) in self.fields.iter().enumerate() {
            match Path::parse(field) {
                Ok(path) => paths.push(path),
                Err(message) => {
                    let at = format!("/fields/{index}");
                    violations.push(Violation::new(&at, "format", message));
                }
            }
        }
        if violations.is_empty() {
            return Ok(paths);
        }
        Err(Error::invalid(violations))
    }

    pub(super) fn max_bytes(&self) -> Option<usize> {
        let most = self.max_bytes?;
        Some(usize::try_from(most).unwrap_or(usize::MAX))
    }
}
