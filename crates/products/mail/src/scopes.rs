//! Google's OAuth scopes, and the scopes that each tool needs.
//!
//! Source: `auth.oauth2.scopes` and each method's `scopes` in the discovery documents `gmail:v1` and `people:v1`.

use stead_core::tool::RequiredScopes;

/// Full access to the mailbox, including permanent deletion.
pub const MAILBOX: &str = "https://mail.google.com/";
/// Read, write and label mails.
pub const MODIFY: &str = "https://www.googleapis.com/auth/gmail.modify";
/// Read mails.
pub const READONLY: &str = "https://www.googleapis.com/auth/gmail.readonly";
/// Write and send drafts.
pub const COMPOSE: &str = "https://www.googleapis.com/auth/gmail.compose";
/// Send mails, and nothing else.
pub const SEND: &str = "https://www.googleapis.com/auth/gmail.send";
/// Read and change labels.
pub const LABELS: &str = "https://www.googleapis.com/auth/gmail.labels";
/// Read and change settings, such as the addresses from which the user can send.
pub const SETTINGS: &str = "https://www.googleapis.com/auth/gmail.settings.basic";
/// Read headers and labels. Even together with a wider scope, it disables search and bodies.
pub const METADATA: &str = "https://www.googleapis.com/auth/gmail.metadata";
/// Read and write contacts.
pub const CONTACTS: &str = "https://www.googleapis.com/auth/contacts";
/// Read contacts.
pub const CONTACTS_READONLY: &str = "https://www.googleapis.com/auth/contacts.readonly";
/// Read "other contacts": people whom the user exchanged mails with but didn't save.
pub const OTHER_CONTACTS_READONLY: &str = "https://www.googleapis.com/auth/contacts.other.readonly";

/// For `users.messages.list`, `users.messages.get`, `users.threads.list` and `users.threads.get`. Any of these works.
pub(crate) const MESSAGES: RequiredScopes = RequiredScopes(&[READONLY, MODIFY, MAILBOX, METADATA]);
/// Disables bodies, even together with a wider scope.
pub(crate) const HEADERS_ONLY: RequiredScopes = RequiredScopes(&[METADATA]);
/// For `users.messages.attachments.get`.
pub(crate) const ATTACHMENTS: RequiredScopes = RequiredScopes(&[READONLY, MODIFY, MAILBOX]);
/// For `users.drafts.list`.
pub(crate) const DRAFTS: RequiredScopes = RequiredScopes(&[READONLY, COMPOSE, MODIFY, MAILBOX]);
/// For `people.connections.list` and `people.searchContacts`.
pub(crate) const READ_CONTACTS: RequiredScopes = RequiredScopes(&[CONTACTS_READONLY, CONTACTS]);
/// For `otherContacts.search`.
pub(crate) const READ_OTHER_CONTACTS: RequiredScopes = RequiredScopes(&[OTHER_CONTACTS_READONLY]);
/// For `users.messages.send`.
pub(crate) const SENDING: RequiredScopes = RequiredScopes(&[SEND, COMPOSE, MODIFY, MAILBOX]);
/// For `users.drafts.create`.
pub(crate) const DRAFTING: RequiredScopes = RequiredScopes(&[COMPOSE, MODIFY, MAILBOX]);
/// For `users.messages.modify`.
pub(crate) const LABELLING: RequiredScopes = RequiredScopes(&[MODIFY, MAILBOX]);
/// For `users.settings.sendAs.list`.
pub(crate) const ALIASES: RequiredScopes = RequiredScopes(&[SETTINGS, READONLY, MODIFY, MAILBOX]);
