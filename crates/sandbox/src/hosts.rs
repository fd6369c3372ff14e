//! The hosts that the sandbox plays. A new product adds its hosts here.

use axum::http::StatusCode;

use crate::answer::Answer;
use crate::request::Request;
use crate::state::State;
use crate::{google, mail, people};

/// Gmail API.
pub(crate) const GMAIL: &str = "gmail.googleapis.com";
/// People API.
pub(crate) const PEOPLE: &str = "people.googleapis.com";
/// Sheets API.
pub(crate) const SHEETS: &str = "sheets.googleapis.com";
/// The host that several older APIs share: Drive is one of them.
pub(crate) const APIS: &str = "www.googleapis.com";
/// Google's OpenID Connect endpoint that tells who the user is.
pub(crate) const USERINFO: &str = "openidconnect.googleapis.com";
/// Google's authorization page.
pub(crate) const ACCOUNTS: &str = "accounts.google.com";
/// Google's token endpoints.
pub(crate) const TOKENS: &str = "oauth2.googleapis.com";

/// Hosts where an access token is shown; faults without a host strike these.
const PRODUCTS: &[&str] = &[GMAIL, PEOPLE, SHEETS, APIS, USERINFO];

/// Whether `host` takes access tokens.
pub(crate) fn is_product(host: &str) -> bool {
    PRODUCTS.contains(&host)
}

/// Lets the host answer.
pub(crate) fn answer(state: &mut State, request: &Request) -> Answer {
    match request.host.as_str() {
        GMAIL => google::check::answer(&mail::GMAIL_API, state, request),
        PEOPLE => google::check::answer(&people::PEOPLE_API, state, request),
        USERINFO => google::userinfo::answer(state, request),
        ACCOUNTS => google::authorize::answer(state, request),
        TOKENS => google::tokens(state, request),
        other => Answer::html(
            StatusCode::NOT_FOUND,
            google::pages::problem(
                "No such host",
                &format!("The sandbox does not play {other:?}."),
            ),
        ),
    }
}
