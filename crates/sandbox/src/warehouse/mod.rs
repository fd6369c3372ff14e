//! Snowflake: accounts, each on its own host, with an authorization server and the SQL API v2.
//!
//! All well-formed account hosts show the same world. A token is valid only at the host that issued it. The statement
//! decides how long it takes: `SYSTEM$WAIT(n)` takes n seconds, and everything else takes none. Requests don't wait for
//! that. A statement of more than 45 seconds gets 202 immediately, as if those seconds had passed. The rest passes with
//! the sandbox's clock, or by polling: each poll counts as ten seconds.

mod account;
mod errors;
mod oauth;
mod records;
mod router;
mod sql;
mod statements;

use axum::http::{Method, StatusCode};
use jiff::Timestamp;
use serde_json::Value;

use crate::{
    WAREHOUSE_CLIENT_ID, WAREHOUSE_CLIENT_SECRET,
    faults::Fault,
    oauth::Server,
    pages,
    product::{self, Product, Refusal},
    records::{Section, Values},
    request::{Purpose, Query, Request},
    response::Response,
    shared::Ids,
    shared::{self, Shared},
};
use account::{Account, Table};
use sql::Rows;
use statements::Statements;

/// The caller, as the request's token says.
#[derive(Debug, Clone)]
struct Caller {
    email: String,
    /// The role of the token. `None` allows any of the user's roles.
    role: Option<String>,
}

/// A request that passed the checks.
struct Call<'request> {
    caller: Caller,
    query: Query,
    request: &'request Request,
}

/// The ends of the accounts' hosts.
const SUFFIXES: [&str; 2] = [".snowflakecomputing.com", ".snowflakecomputing.cn"];

/// The product.
pub(crate) struct Snowflake {
    oauth: Server,
    /// The account, which all users share.
    account: Account,
    /// Created for the first request.
    opened: Option<Opened>,
}

/// What only statements need.
struct Opened {
    rows: Rows,
    statements: Statements,
}

/// The parts of the SQL API that the sandbox plays.
pub(crate) fn played() -> product::Api {
    let method = |(name, request): (&str, &str)| {
        let (verb, path) = request.split_once(' ').unwrap_or_default();
        [name.to_owned(), verb.to_owned(), format!("/api/v2/{path}")]
    };
    product::Api {
        title: "Snowflake",
        played: router::PLAYED.into_iter().map(method).collect(),
        others: router::NOT_PLAYED.iter().map(|(_, methods)| methods).sum(),
    }
}

/// The state that a request reads and changes: the sandbox's clock and IDs, and all data at Snowflake.
struct State<'a> {
    now: Timestamp,
    ids: &'a mut Ids,
    oauth: &'a mut Server,
    statements: &'a mut Statements,
    account: &'a mut Account,
    rows: &'a Rows,
}

impl Snowflake {
    /// The initial state, with the one integration that every account has.
    pub(crate) fn new() -> Self {
        Self {
            oauth: Server::new(
                &oauth::PROFILE,
                WAREHOUSE_CLIENT_ID,
                WAREHOUSE_CLIENT_SECRET,
            ),
            account: Account::seeded(),
            opened: None,
        }
    }

    /// Creates the seeded rows and the earlier statements.
    fn open(account: &mut Account) -> Opened {
        let rows = Rows::seeded(account).expect("the seed is valid");
        let statements = Statements::seeded(account, &rows, shared::start());
        Opened { rows, statements }
    }
}

impl Product for Snowflake {
    fn serves(&self, host: &str) -> bool {
        is_account(host)
    }

    fn purpose(&self, request: &Request) -> Purpose {
        match request.path.as_str() {
            oauth::TOKEN_PATH if request.method == Method::POST => Purpose::Token,
            path if path.starts_with("/oauth/") => Purpose::Page,
            _ => Purpose::Api,
        }
    }

    fn respond(&mut self, shared: &mut Shared, request: &Request) -> Response {
        let account = &mut self.account;
        let opened = self.opened.get_or_insert_with(|| Self::open(account));
        let mut state = State {
            now: shared.now,
            ids: &mut shared.ids,
            oauth: &mut self.oauth,
            statements: &mut opened.statements,
            account,
            rows: &opened.rows,
        };
        if request.path.starts_with("/oauth/") {
            return oauth::respond(&mut state, request);
        }
        if request.path == "/api/v2" || request.path.starts_with("/api/v2/") {
            return router::respond(&mut state, request);
        }
        pages::not_found(request)
    }

    fn refuse(&self, _: &Request, refusal: &Refusal<'_>) -> Response {
        match *refusal {
            Refusal::Unauthorized => errors::ApiError::invalid_token().response(),
            Refusal::Error {
                status,
                reason,
                message,
                retry_after,
            } => errors::injected_error(status, reason, message, retry_after),
            Refusal::TokenError { status, error } => {
                let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
                errors::oauth(
                    status,
                    error,
                    "The sandbox was told to respond with this error.",
                )
            }
        }
    }

    /// Snowflake decides what it compresses, whether or not the client asks.
    fn compresses_on_request(&self) -> bool {
        false
    }

    fn apply(&mut self, shared: &Shared, fault: &Fault) -> Result<(), String> {
        self.oauth.apply(shared.now, fault);
        Ok(())
    }

    fn add_client(&mut self, id: &str, secret: &str, redirect_uris: &[&str]) {
        self.oauth.add_client(id, secret, redirect_uris);
    }

    fn reset(&mut self) {
        self.oauth.reset();
        self.account = Account::seeded();
        self.opened = None;
    }

    fn save(&self) -> Value {
        self.oauth.save()
    }

    fn restore(&mut self, saved: &Value) -> serde_json::Result<()> {
        self.oauth.restore(saved)
    }

    fn describe(&self, world: &mut Value) {
        let count = |table: &Table| match &self.opened {
            Some(opened) => opened.rows.count(table),
            None => table.rows.len(),
        };
        for user in world["users"].as_array_mut().into_iter().flatten() {
            let email = user["email"].as_str().unwrap_or_default();
            user["warehouse"] = account::of(&self.account, email, &count);
        }
    }

    fn sections(&mut self, _: &Shared, user: &str) -> Vec<Section> {
        self.sections_of(user)
    }

    fn add_record(
        &mut self,
        _: &mut Shared,
        user: &str,
        section: &str,
        values: &Values,
    ) -> Option<Result<(), String>> {
        self.add_by_hand(user, section, values)
    }

    fn delete_record(&mut self, user: &str, section: &str, id: &str) -> Option<Result<(), String>> {
        self.delete_by_hand(user, section, id)
    }
}

/// Whether `host` belongs to an account: one to four labels before the suffix.
fn is_account(host: &str) -> bool {
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
            assert!(is_account(host), "{host}");
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
            assert!(!is_account(host), "{host}");
        }
    }
}
