//! Snowflake: accounts, each on a host of its own, with an authorization server and the SQL API v2.
//!
//! All well-formed account hosts show the same world; a token is valid at the host that issued it. How long a
//! statement takes is decided by the statement: `SYSTEM$WAIT(n)` takes n seconds, everything else none. No
//! request waits for that: a statement of more than 45 seconds gets 202 at once, as if those seconds had
//! passed. The rest passes with the sandbox's clock, or by asking: every question counts for ten seconds.

pub(crate) mod errors;
pub(crate) mod oauth;
mod router;
mod sql;
mod statements;

use crate::{
    WAREHOUSE_CLIENT_ID, WAREHOUSE_CLIENT_SECRET, oauth::Clients, pages, request::Request,
    response::Response, state::State, world::warehouse::Account,
};
use oauth::grants::Grants;
use statements::Statements;

/// Where the accounts' hosts end.
const SUFFIXES: [&str; 2] = [".snowflakecomputing.com", ".snowflakecomputing.cn"];

/// All that changes, apart from the world.
#[derive(Debug)]
pub(crate) struct Warehouse {
    pub(crate) clients: Clients,
    pub(crate) grants: Grants,
    statements: Statements,
}

impl Warehouse {
    /// The seeded beginning.
    pub(crate) fn new(account: &Account, now: jiff::Timestamp) -> Self {
        let mut clients = Clients::default();
        clients.add(WAREHOUSE_CLIENT_ID, WAREHOUSE_CLIENT_SECRET, &[]);
        Self {
            clients,
            grants: Grants::empty(),
            statements: Statements::seeded(account, now),
        }
    }
}

/// Whether `host` is one of an account: one to four labels before the suffix.
pub(crate) fn serves(host: &str) -> bool {
    let account = SUFFIXES.iter().find_map(|suffix| host.strip_suffix(suffix));
    account.is_some_and(|account| {
        let labels: Vec<&str> = account.split('.').collect();
        let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        labels.len() <= 4
            && labels.iter().all(|label| {
                !label.is_empty()
                    && label.bytes().all(letters)
                    && !label.starts_with('-')
                    && !label.ends_with('-')
            })
    })
}

/// Whether `path` of such a host is the token endpoint.
pub(crate) fn is_token_endpoint(host: &str, path: &str) -> bool {
    path == oauth::TOKEN_PATH && serves(host)
}

/// Any of the accounts' hosts.
pub(crate) fn respond(state: &mut State, request: &Request) -> Response {
    if request.path.starts_with("/oauth/") {
        return oauth::respond(state, request);
    }
    if request.path == "/api/v2" || request.path.starts_with("/api/v2/") {
        return router::respond(state, request);
    }
    pages::not_found(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accounts_host_is_known_by_its_form() {
        for host in [
            "sandbox-acme.snowflakecomputing.com",
            "xy12345.us-east-2.aws.privatelink.snowflakecomputing.com",
            "x.snowflakecomputing.cn",
        ] {
            assert!(serves(host), "{host}");
        }
        for host in [
            ".snowflakecomputing.com",
            "snowflakecomputing.com",
            "a_b.snowflakecomputing.com",
            "-a.snowflakecomputing.com",
            "a.b.c.d.e.snowflakecomputing.com",
            "a.snowflakecomputing.com.evil.net",
            "{host}",
        ] {
            assert!(!serves(host), "{host}");
        }
    }
}
