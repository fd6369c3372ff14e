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

/// What the scopes mean, for the page on which the user is asked (Gmail API and People API, "OAuth scopes").
pub(crate) const DESCRIPTIONS: &[(&str, &str)] = &[
    (
        "https://mail.google.com/",
        "Read, write, send and delete all your mails",
    ),
    (
        "https://www.googleapis.com/auth/gmail.modify",
        "Read, write, send and sort your mails",
    ),
    (
        "https://www.googleapis.com/auth/gmail.readonly",
        "Read your mails, their attachments and your drafts",
    ),
    (
        "https://www.googleapis.com/auth/gmail.metadata",
        "See who wrote to whom and about what, without reading the mails",
    ),
    (
        "https://www.googleapis.com/auth/gmail.compose",
        "Write drafts and send mails in your name",
    ),
    (
        "https://www.googleapis.com/auth/gmail.send",
        "Send mails in your name",
    ),
    (
        "https://www.googleapis.com/auth/gmail.insert",
        "Add mails to your mailbox",
    ),
    (
        "https://www.googleapis.com/auth/gmail.labels",
        "See and change your labels",
    ),
    (
        "https://www.googleapis.com/auth/contacts",
        "See, change and delete your contacts",
    ),
    (
        "https://www.googleapis.com/auth/contacts.readonly",
        "See your contacts",
    ),
    (
        "https://www.googleapis.com/auth/contacts.other.readonly",
        "See people you have been in touch with",
    ),
    (
        "https://www.googleapis.com/auth/gmail.settings.basic",
        "See and change your mail settings and filters",
    ),
    (
        "https://www.googleapis.com/auth/gmail.settings.sharing",
        "Change who else may use your mailbox",
    ),
    (
        "https://www.googleapis.com/auth/directory.readonly",
        "See the people of your organization",
    ),
    (
        "https://www.googleapis.com/auth/user.addresses.read",
        "See your addresses",
    ),
    (
        "https://www.googleapis.com/auth/user.birthday.read",
        "See the date of your birth",
    ),
    (
        "https://www.googleapis.com/auth/user.emails.read",
        "See all your e-mail addresses",
    ),
    (
        "https://www.googleapis.com/auth/user.gender.read",
        "See your gender",
    ),
    (
        "https://www.googleapis.com/auth/user.organization.read",
        "See where you work and what you have learned",
    ),
    (
        "https://www.googleapis.com/auth/user.phonenumbers.read",
        "See your telephone numbers",
    ),
];
