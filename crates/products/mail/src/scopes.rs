//! Google's OAuth scopes, and which of them each tool takes.
//!
//! Source: `auth.oauth2.scopes` and each method's `scopes` in the discovery documents `gmail:v1` and `people:v1`.

use stead_core::tool::RequiredScopes;

/// Everything in the mailbox, deletion included.
pub const MAILBOX: &str = "https://mail.google.com/";
/// Read, write and label mails.
pub const MODIFY: &str = "https://www.googleapis.com/auth/gmail.modify";
/// Read mails.
pub const READONLY: &str = "https://www.googleapis.com/auth/gmail.readonly";
/// Write and send drafts.
pub const COMPOSE: &str = "https://www.googleapis.com/auth/gmail.compose";
/// Only headers and labels. Next to a wider scope it still takes search and bodies away.
pub const METADATA: &str = "https://www.googleapis.com/auth/gmail.metadata";
/// Read and write contacts.
pub const CONTACTS: &str = "https://www.googleapis.com/auth/contacts";
/// Read contacts.
pub const CONTACTS_READONLY: &str = "https://www.googleapis.com/auth/contacts.readonly";
/// Read "other contacts": people the user wrote with and did not save.
pub const OTHER_CONTACTS_READONLY: &str = "https://www.googleapis.com/auth/contacts.other.readonly";

/// `users.messages.list`, `users.messages.get`, `users.threads.list` and `users.threads.get` all take any of these.
pub(crate) const MESSAGES: RequiredScopes = RequiredScopes(&[READONLY, MODIFY, MAILBOX, METADATA]);
/// `users.messages.attachments.get`.
pub(crate) const ATTACHMENTS: RequiredScopes = RequiredScopes(&[READONLY, MODIFY, MAILBOX]);
/// `users.drafts.list`.
pub(crate) const DRAFTS: RequiredScopes = RequiredScopes(&[READONLY, COMPOSE, MODIFY, MAILBOX]);
/// `people.connections.list` and `people.searchContacts`.
pub(crate) const READ_CONTACTS: RequiredScopes = RequiredScopes(&[CONTACTS_READONLY, CONTACTS]);
/// `otherContacts.search`.
pub(crate) const READ_OTHER_CONTACTS: RequiredScopes = RequiredScopes(&[OTHER_CONTACTS_READONLY]);
