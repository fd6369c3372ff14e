//! The static description of the product.

use http::Method;
use stead_core::{
    ports::Limits,
    product::{
        OAuth, Origin, PermissionTexts, Preset, Product, ProxyRoute, ProxyRules, Quota, TestCall,
    },
};

use crate::{
    classify,
    errors::read_error,
    guards::GUARDS,
    origins::{GMAIL, PEOPLE},
    preview::preview,
    scopes,
    tools::TOOLS,
};

/// Mail: the Gmail API and the People API, as one product.
pub static PRODUCT: Product = Product {
    name: "mail",
    title: "Gmail",
    origins: &[
        Origin {
            name: GMAIL,
            url: "https://gmail.googleapis.com",
            base: "/gmail/v1/users/me",
        },
        Origin {
            name: PEOPLE,
            url: "https://people.googleapis.com",
            base: "/v1",
        },
    ],
    read_error,
    cost,
    // Gmail API, "Usage limits": per minute per user per project, and only a few requests at the same time.
    quota: Quota {
        units_per_minute: 6000,
        writes_per_minute: None,
        concurrency: 8,
    },
    proxy: ProxyRules {
        routes: &[
            ProxyRoute::new("/gmail/v1", GMAIL),
            ProxyRoute::new("/v1/users", GMAIL).rewrite("/gmail/v1/users"),
            ProxyRoute::new("/v1/people", PEOPLE),
            ProxyRoute::new("/v1/otherContacts", PEOPLE),
            ProxyRoute::new("/v1/contactGroups", PEOPLE),
            ProxyRoute::new("/upload/gmail/v1", GMAIL).upload(),
            ProxyRoute::new("/resumable/upload/gmail/v1", GMAIL).upload(),
            ProxyRoute::new("/batch", GMAIL).batch(),
        ],
        path_words: "attachments autoForwarding batch batchCreateContacts batchDelete batchDeleteContacts batchGet batchModify \
            batchUpdateContacts connections contactGroups copyOtherContactToMyContactsGroup createContact cse \
            delegates deleteContact deleteContactPhoto disable drafts enable filters forwardingAddresses gmail \
            history identities imap import keypairs labels language listDirectoryPeople me members messages modify \
            obliterate otherContacts people pop profile resumable search searchContacts searchDirectoryPeople send \
            sendAs setDefault settings smimeInfo stop threads trash untrash updateContact updateContactPhoto upload \
            users v1 vacation verify watch",
        ..stead_google::PROXY
    },
    // A mailbox accepts mails of up to 50 MB, which base64 makes a third larger.
    limits: Limits {
        response_bytes: 72 * 1024 * 1024,
        ..Limits::DEFAULT
    },
    classify: classify::classify,
    preview,
    fact_kinds: classify::KINDS,
    guards: GUARDS,
    oauth: OAuth {
        // "Metadata scope does not support 'q' parameter", even if the user granted a wider scope.
        narrowing_scopes: &[(scopes::METADATA, scopes::ATTACHMENTS)],
        ..stead_google::oauth(DEFAULT)
    },
    permission_texts: &[&TEXTS, &stead_google::TEXTS],
    presets: &[
        Preset {
            name: "read",
            about: "Read mails, drafts and contacts.",
            scopes: DEFAULT,
        },
        Preset {
            name: "send",
            about: "Send mails.",
            scopes: &[scopes::SEND],
        },
        Preset {
            name: "drafts",
            about: "Write drafts, and send mails.",
            scopes: &[scopes::COMPOSE],
        },
        Preset {
            name: "organize",
            about: "Read, label and archive mails, move them to the trash, write drafts, and send mails.",
            scopes: &[scopes::MODIFY],
        },
    ],
    test_calls: &[
        TestCall {
            tool: "mail_fetch_mails",
            input: r#"{"max_results":1,"format":"minimal"}"#,
            about: "Reads the newest mail, without its text.",
            finds_nothing: false,
        },
        TestCall {
            tool: "mail_get_contacts",
            input: r#"{"max_results":1}"#,
            about: "Reads one contact.",
            finds_nothing: false,
        },
    ],
    tools: TOOLS,
    core_tools: &[
        "mail_fetch_mails",
        "mail_get_thread_by_id",
        "mail_get_attachment_by_id",
        "mail_modify_message_labels",
        "mail_send_message",
        "mail_reply_to_message",
        "mail_create_draft",
    ],
    docs: include_str!("docs.md"),
    ..stead_google::BASE
};

/// Requested if a connection names no permissions.
const DEFAULT: &[&str] = &[
    scopes::READONLY,
    scopes::CONTACTS_READONLY,
    scopes::OTHER_CONTACTS_READONLY,
];

/// Texts about the scopes for the consent page.
static TEXTS: PermissionTexts = PermissionTexts::new(&[
    ("en", include_str!("permissions/en.json")),
    ("de", include_str!("permissions/de.json")),
    ("fr", include_str!("permissions/fr.json")),
    ("es", include_str!("permissions/es.json")),
    ("ja", include_str!("permissions/ja.json")),
]);

/// Quota units of a request (Gmail API, "Usage limits", per-method table). The People API has no such table, so its
/// requests count as 1.
///
/// A request that isn't in the table costs the same as reading a mail. Sending costs the same as before the table existed.
fn cost(method: &Method, path: &str) -> u32 {
    let Some((_, below_user)) = path.trim_end_matches('/').split_once("/users/") else {
        return 1;
    };
    let mut segments = below_user.split('/').skip(1);
    let resource = segments.next().unwrap_or_default();
    let has_id = segments.next().is_some();
    if *method != Method::GET {
        return if below_user.ends_with("/send") {
            100
        } else {
            20
        };
    }
    match (resource, has_id) {
        ("profile" | "labels", _) => 1,
        ("history", _) => 2,
        ("messages" | "drafts", false) => 5,
        ("threads", false) => 10,
        ("threads", true) => 40,
        _ => 20,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_follow_the_table() {
        for (path, units) in [
            ("/gmail/v1/users/me/profile", 1),
            ("/gmail/v1/users/me/messages", 5),
            ("/gmail/v1/users/me/messages/18c0", 20),
            ("/gmail/v1/users/me/messages/18c0/attachments/ANGj", 20),
            ("/gmail/v1/users/me/threads", 10),
            ("/gmail/v1/users/me/threads/18c0", 40),
            ("/gmail/v1/users/me/drafts", 5),
            ("/gmail/v1/users/me/drafts/r1", 20),
            ("/gmail/v1/users/me/labels", 1),
            ("/gmail/v1/users/me/history", 2),
            ("/gmail/v1/users/me/settings/filters", 20),
            ("/v1/people/me/connections", 1),
            ("/v1/people:searchContacts", 1),
        ] {
            assert_eq!(cost(&Method::GET, path), units, "{path}");
        }
        assert_eq!(cost(&Method::POST, "/gmail/v1/users/me/messages/send"), 100);
        assert_eq!(
            cost(&Method::POST, "/gmail/v1/users/me/messages/18c0/modify"),
            20
        );
    }
}
