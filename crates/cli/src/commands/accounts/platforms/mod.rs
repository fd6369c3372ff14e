//! Formats in which platforms return accounts with their tokens. A reader only knows the platform's format, not the
//! products. The import checks the result.

mod composio;
mod fields;
mod nango;
mod scalekit;

use clap::ValueEnum;
use serde_json::Value;
use stead::Error;
use stead_core::{resource::AccountWithTokens, schema::read_body};

use fields::Fields;

/// Format of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Source {
    /// Stead's own format, from `stead accounts export`.
    Stead,
    /// Responses of Nango's `GET /connections/{connectionId}` with `refresh_token=true`.
    Nango,
    /// Responses of Composio's `GET /api/v3/connected_accounts/{nanoid}`, with unmasked secrets.
    Composio,
    /// Responses of Scalekit's `GET /api/v1/connected_accounts/auth`.
    Scalekit,
}

impl Source {
    /// The account of a line, with the connection name from the line.
    pub(super) fn read(self, line: Value) -> Result<AccountWithTokens, Error> {
        let read = match self {
            Self::Stead => return read_body(line),
            Self::Nango => nango::read,
            Self::Composio => composio::read,
            Self::Scalekit => scalekit::read,
        };
        let mut fields = Fields::new(line);
        let account = read(&mut fields);
        fields.finish(account)
    }
}

#[cfg(test)]
mod tests;
