//! Accounts that come with their tokens, and what became of them.

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::{error::Problem, identifier::AccountId};

/// An account with its tokens, as an import takes it and an export gives it.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "connection_name": "mail", "identifier": "user-1", "scopes": ["https://scopes.example.com/mail"],
    "access_token": "…", "expires_at": "2026-11-22T14:29:28Z", "refresh_token": "…",
}))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AccountWithTokens {
    /// Connection.
    pub connection_name: String,
    /// The application's id of the user.
    pub identifier: String,
    /// `active`, also where it is absent, or `suspended`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Scopes that the user granted; short names are taken too. Needed where the product has scopes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// The access token; it may have ended where there is a refresh token.
    #[serde(serialize_with = "exposed")]
    #[schemars(with = "String")]
    pub access_token: SecretString,
    /// When the access token ends; absent where it does not, or where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The refresh token.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "exposed_if_any"
    )]
    #[schemars(with = "Option<String>")]
    pub refresh_token: Option<SecretString>,
    /// When the refresh token ends. It is checked and not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_expires_at: Option<Timestamp>,
    /// The product's stable id of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product_user_id: Option<String>,
    /// What a person recognizes the user by at the product, such as an address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product_user: Option<String>,
    /// Members of the product's token response, from which Stead reads who the user is where `product_user_id` is absent.
    /// They are not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_response: Option<Map<String, Value>>,
}

impl AccountWithTokens {
    /// An account of this user with an access token.
    pub fn new(
        connection_name: impl Into<String>,
        identifier: impl Into<String>,
        access_token: impl Into<SecretString>,
    ) -> Self {
        Self {
            connection_name: connection_name.into(),
            identifier: identifier.into(),
            state: None,
            scopes: None,
            access_token: access_token.into(),
            expires_at: None,
            refresh_token: None,
            refresh_expires_at: None,
            product_user_id: None,
            product_user: None,
            token_response: None,
        }
    }
}

impl fmt::Debug for AccountWithTokens {
    /// Without what may be a token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccountWithTokens")
            .field("connection_name", &self.connection_name)
            .field("identifier", &self.identifier)
            .finish_non_exhaustive()
    }
}

fn exposed<S: Serializer>(token: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(token.expose_secret())
}

fn exposed_if_any<S: Serializer>(
    token: &Option<SecretString>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let token = token.as_ref().map(|token| token.expose_secret());
    token.serialize(serializer)
}

/// Accounts to import. Whoever imports vouches for it that each belongs to the user it is given to.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
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
    pub accounts: Vec<AccountWithTokens>,
    /// What becomes of one that exists with other tokens: `refuse` when absent, `skip` or `replace`.
    #[serde(default)]
    pub existing: ExistingAccounts,
    /// Only checks, and says what would become of each.
    #[serde(default)]
    pub dry_run: bool,
}

impl AccountImport {
    /// An import of these accounts, which refuses those that exist.
    pub fn new(accounts: Vec<AccountWithTokens>) -> Self {
        Self {
            accounts,
            ..Self::default()
        }
    }
    /// Says what becomes of accounts that exist.
    #[must_use]
    pub fn existing(mut self, existing: ExistingAccounts) -> Self {
        self.existing = existing;
        self
    }
    /// Only checks, or not.
    #[must_use]
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }
}

/// What an import does about an account that exists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ExistingAccounts {
    /// It is refused.
    #[default]
    Refuse,
    /// It stays as it is.
    Skip,
    /// Its tokens are replaced.
    Replace,
}

/// What became of the accounts of an import, in their order.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "results": [{
        "connection_name": "mail", "identifier": "user-1", "outcome": "created",
    }],
}))]
#[non_exhaustive]
pub struct AccountImportResults {
    /// One for each account.
    pub results: Vec<AccountImportResult>,
}

/// What became of one account of an import.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct AccountImportResult {
    /// Connection, as it was given.
    pub connection_name: String,
    /// The application's id of the user, as it was given.
    pub identifier: String,
    /// What became of it, or would have in a dry run.
    pub outcome: ImportOutcome,
    /// The account, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account_id: Option<AccountId>,
    /// Why it was refused; the paths of its violations begin at the account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// What an export gave out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AccountsExported {
    /// Accounts that were given out with their tokens.
    pub accounts: u64,
    /// Accounts that have no tokens that serve: their users have to authorize.
    pub without_tokens: u64,
    /// Accounts whose tokens cannot be opened.
    pub unreadable: u64,
}

/// What became of an account of an import.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ImportOutcome {
    /// The account is new.
    Created,
    /// It got these tokens in the place of others.
    Replaced,
    /// It was imported before from the same line.
    Unchanged,
    /// It exists and stays as it is, as asked.
    Skipped,
    /// It was not imported, as `problem` says.
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

    /// The word, as JSON has it.
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
