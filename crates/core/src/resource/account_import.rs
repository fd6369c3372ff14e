//! Imports and exports of accounts with their tokens.

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use stead_derive::Setters;

use super::secret;
use crate::{api::operations, scope::ScopeName::AccountsImport};
use crate::{error::Problem, identifier::AccountId};

operations! {
    /// Imports accounts with their tokens from another platform.
    create: AccountImport(body) -> AccountImportResults
        = POST "/v1/account-imports" { scope: Some(AccountsImport), repeatable: true, audit: &["account.imported"] }
}

/// An account with its tokens, for imports and exports.
#[derive(Clone, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[schemars(example = json!({
    "connection_name": "mail", "identifier": "user-1", "scopes": ["https://scopes.example.com/mail"],
    "access_token": "…", "expires_at": "2026-11-22T14:29:28Z", "refresh_token": "…",
}))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AccountWithTokens {
    /// Name of the connection.
    pub connection_name: String,
    /// Your application's ID of the user.
    pub identifier: String,
    /// `active` or `suspended`. Defaults to `active`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Scopes that the user granted. Short names also work. Required if the product has scopes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// The access token. It can be expired if there is a refresh token.
    #[serde(serialize_with = "secret::exposed")]
    #[schemars(with = "String")]
    pub access_token: SecretString,
    /// When the access token expires. Leave it out if it doesn't expire or you don't know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The refresh token.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::exposed_if_any"
    )]
    #[schemars(with = "Option<String>")]
    pub refresh_token: Option<SecretString>,
    /// When the refresh token expires. Stead checks this but doesn't store it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_expires_at: Option<Timestamp>,
    /// The product's stable ID of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product_user_id: Option<String>,
    /// A name that people recognize the user by at the product, such as an email address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product_user: Option<String>,
    /// Members of the product's token response. Stead reads the user from them if `product_user_id` is absent, and
    /// doesn't store them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_response: Option<Map<String, Value>>,
}

impl fmt::Debug for AccountWithTokens {
    /// Leaves out everything that can be a token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccountWithTokens")
            .field("connection_name", &self.connection_name)
            .field("identifier", &self.identifier)
            .finish_non_exhaustive()
    }
}

/// Accounts to import. You are responsible for assigning each account to the right user.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[schemars(example = json!({
    "accounts": [{
        "connection_name": "mail", "identifier": "user-1", "scopes": ["https://scopes.example.com/mail"],
        "access_token": "…", "expires_at": "2026-11-22T14:29:28Z", "refresh_token": "…",
    }],
    "dry_run": true,
}))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AccountImport {
    /// The accounts, at most 100.
    #[schemars(length(max = 100))]
    #[setters(required)]
    pub accounts: Vec<AccountWithTokens>,
    /// How to handle an account that exists with other tokens: `refuse`, `skip` or `replace`. Defaults to `refuse`.
    #[serde(default)]
    pub existing: ExistingAccounts,
    /// Whether to only check the accounts and return what an import would do.
    #[serde(default)]
    pub dry_run: bool,
}

/// How an import handles an account that exists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ExistingAccounts {
    /// Refuse it.
    #[default]
    Refuse,
    /// Keep it unchanged.
    Skip,
    /// Replace its tokens.
    Replace,
}

/// Results of an import, in the order of its accounts.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "results": [{
        "connection_name": "mail", "identifier": "user-1", "outcome": "created",
    }],
}))]
#[non_exhaustive]
pub struct AccountImportResults {
    /// One result per account.
    pub results: Vec<AccountImportResult>,
}

/// Result for one account of an import.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct AccountImportResult {
    /// Name of the connection, as you gave it.
    pub connection_name: String,
    /// Your application's ID of the user, as you gave it.
    pub identifier: String,
    /// Outcome for the account, or the expected outcome in a dry run.
    pub outcome: ImportOutcome,
    /// The account, if it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account_id: Option<AccountId>,
    /// Why it was refused. Paths of violations are relative to the account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// Result of an export.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AccountsExported {
    /// Accounts that were exported with their tokens.
    pub accounts: u64,
    /// Accounts without working tokens, whose users need to authorize.
    pub without_tokens: u64,
    /// Accounts whose tokens can't be decrypted.
    pub unreadable: u64,
}

/// Outcome for an account of an import.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ImportOutcome {
    /// The account is new.
    Created,
    /// Its tokens were replaced with these.
    Replaced,
    /// The same account with the same tokens was already imported.
    Unchanged,
    /// It exists and was kept unchanged, as requested.
    Skipped,
    /// It wasn't imported. `problem` says why.
    Refused,
}

impl ImportOutcome {
    /// Every one, in the order of a summary.
    pub const ALL: [Self; 5] = [
        Self::Created,
        Self::Replaced,
        Self::Unchanged,
        Self::Skipped,
        Self::Refused,
    ];

    /// The name as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Replaced => "replaced",
            Self::Unchanged => "unchanged",
            Self::Skipped => "skipped",
            Self::Refused => "refused",
        }
    }
}
