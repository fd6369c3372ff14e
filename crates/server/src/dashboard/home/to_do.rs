//! The list of problems that someone needs to fix, and the first steps of a new environment.

use serde::Serialize;
use stead_core::{
    environment::MovedPublicUrl,
    error::ActBy,
    resource::{Account, AccountState, Connection},
    state::{ConnectionHealth, ConnectionState},
};
use url::Url;

use crate::dashboard::{accounts, words};

/// Something that a person needs to do.
#[derive(Debug, Serialize)]
pub(super) struct ToDo {
    who: &'static str,
    what: String,
    /// Path of the page that shows it.
    path: String,
}

/// A step towards the first call.
#[derive(Debug, Serialize)]
pub(super) struct Step {
    is_done: bool,
    title: &'static str,
    who: &'static str,
    about: &'static str,
    /// Label and path of the button that leads to its page.
    page: Option<(&'static str, &'static str)>,
    /// A command that does the same.
    command: Option<&'static str>,
}

/// Everything that needs attention: redirect URIs and connections first, then accounts by what they need.
pub(super) fn list(
    connections: &[Connection],
    accounts: &[Account],
    moved: Option<&MovedPublicUrl>,
) -> Vec<ToDo> {
    let operator = words::act_by(ActBy::Operator);
    let mut list = Vec::new();
    if let Some(moved) = moved {
        let former = &moved.former;
        list.extend(moved.redirect_uris.iter().map(|(name, uri)| ToDo {
            who: operator,
            what: format!(
                "{name}: register the redirect URI {uri}. The public URL was {former} before. Once you’ve registered them all, start Stead once with --public-url-changed."
            ),
            path: match connections.iter().any(|one| one.connection_name.as_str() == name) {
                true => format!("/dashboard/connections/{name}"),
                false => String::from("/dashboard/members"),
            },
        }));
    }
    for connection in connections {
        let name = &connection.connection_name;
        let what = if connection.health == ConnectionHealth::ClientRejected {
            format!("{name}: the product rejects the client ID or secret. Correct them.")
        } else if connection.state == ConnectionState::Draft {
            format!("{name}: add the client ID and secret of your OAuth client.")
        } else {
            continue;
        };
        list.push(ToDo {
            who: operator,
            what,
            path: format!("/dashboard/connections/{name}"),
        });
    }
    for (state, party, what) in [
        (
            AccountState::PendingVerification,
            ActBy::AppDeveloper,
            "consented, and your application needs to confirm them",
        ),
        (
            AccountState::NeedsReauthorization,
            ActBy::EndUser,
            "must reconnect: send them a new link",
        ),
    ] {
        let waiting = accounts.iter().filter(|account| account.state == state);
        let waiting: Vec<&Account> = waiting.collect();
        let (what, path) = match waiting[..] {
            [] => continue,
            [one] => {
                let (name, user) = (&one.connection_name, &one.identifier);
                let path = accounts::path(name.as_str(), user.as_str());
                (format!("{user} at {name} {}", one_of(state)), path)
            }
            _ => {
                let path = format!("/dashboard/accounts?state={}", state.name());
                (format!("{} accounts {what}.", waiting.len()), path)
            }
        };
        list.push(ToDo {
            who: words::act_by(party),
            what,
            path,
        });
    }
    list
}

/// The same for one account.
const fn one_of(state: AccountState) -> &'static str {
    match state {
        AccountState::PendingVerification => {
            "consented, and your application needs to confirm the account."
        }
        _ => "must reconnect: send the user a new link.",
    }
}

/// The steps up to the first successful call. Empty after it.
pub(super) fn steps(
    public_url: &Url,
    connections: &[Connection],
    has_credential: bool,
    accounts: &[Account],
    has_called: bool,
) -> Vec<Step> {
    let (operator, developer) = (
        words::act_by(ActBy::Operator),
        words::act_by(ActBy::AppDeveloper),
    );
    let is_ready = |connection: &Connection| connection.state == ConnectionState::Ready;
    // An account that broke was connected once.
    let has_connected = |account: &Account| {
        use AccountState::{Active, NeedsReauthorization, Suspended};
        [Active, NeedsReauthorization, Suspended].contains(&account.state)
    };
    let steps = vec![
        Step {
            is_done: true,
            title: "Key",
            who: operator,
            about: "Encrypts every token in the database. Keep a copy somewhere else. If you lose it, all users must reconnect.",
            page: None,
            command: None,
        },
        Step {
            is_done: public_url.scheme() == "https",
            title: "Public URL",
            who: operator,
            about: "Links and redirect URIs start with it, so users’ browsers must reach it over HTTPS. Set it with STEAD_PUBLIC_URL.",
            page: None,
            command: None,
        },
        Step {
            is_done: connections.iter().any(is_ready),
            title: "Connection",
            who: operator,
            about: "Add a product, with the OAuth client that you register there.",
            page: Some(("New connection", "/dashboard/connections/new/product")),
            command: Some("stead connections create mail --product mail"),
        },
        Step {
            is_done: has_credential,
            title: "Credential for your application",
            who: operator,
            about: "Your application gets its token with this client ID and secret.",
            page: Some(("New credential", "/dashboard/settings/credentials/new")),
            command: Some("stead credentials create --name my-app"),
        },
        Step {
            is_done: accounts.iter().any(has_connected),
            title: "First account",
            who: developer,
            about: "Your application creates a link (POST /v1/authorization-links). A user opens it and consents.",
            page: Some(("Connect a user", "/dashboard/accounts/connect")),
            command: Some("stead connect mail user-1"),
        },
        Step {
            is_done: has_called,
            title: "First call",
            who: developer,
            about: "Your application runs a tool for that user (POST /v1/tools/{name}/execute).",
            page: Some(("Open the playground", "/dashboard/playground")),
            command: Some("stead call mail_fetch_mails --connection mail --identifier user-1"),
        },
    ];
    // An environment in use needs no list, even if someone has deleted a connection or an account since.
    if has_called || steps.iter().all(|step| step.is_done) {
        return Vec::new();
    }
    steps
}
