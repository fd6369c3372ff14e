//! The requested view of a result, from the playground's form.

use serde::Serialize;
use stead::Error;
use stead_core::results::{ResultOptions, View};

use crate::problem::Result;

/// The fields of the form, as entered.
#[derive(Debug, Default, Serialize)]
pub(super) struct Wanted {
    view: String,
    fields: String,
    max_bytes: String,
}

impl Wanted {
    pub(super) fn read(mut text: impl FnMut(&'static str) -> Option<String>) -> Self {
        let mut of = |name| text(name).unwrap_or_default();
        Self {
            view: of("view"),
            fields: of("fields"),
            max_bytes: of("max_bytes"),
        }
    }

    /// Whether any option is set.
    pub(super) fn is_given(&self) -> bool {
        [&self.view, &self.fields, &self.max_bytes]
            .into_iter()
            .any(|text| !text.is_empty())
    }

    /// The same for a call.
    pub(super) fn options(&self) -> Result<ResultOptions> {
        let mut options = ResultOptions::default();
        options.view = match self.view.as_str() {
            "" | "full" => View::Full,
            "readable" => View::Readable,
            _ => return Err(Error::invalid_at("/view", "must be full or readable").into()),
        };
        let fields = self.fields.split([',', ' ']).filter(|one| !one.is_empty());
        options.fields = fields.map(str::to_owned).collect();
        if !self.max_bytes.is_empty() {
            let most = self.max_bytes.parse().map_err(|_| {
                Error::invalid_at("/max_bytes", "must be a number of bytes, for example 8192")
            })?;
            options.max_bytes = Some(most);
        }
        Ok(options)
    }
}
