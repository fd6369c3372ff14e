//! The hosts that the sandbox simulates. A new product adds its hosts here.

use axum::http::StatusCode;

use crate::{
    calendar, drive, google, mail, pages, people, request::Request, response::Response, sheets,
    state::State, warehouse, workspace,
};

/// Gmail API.
pub(crate) const GMAIL: &str = "gmail.googleapis.com";
/// People API.
pub(crate) const PEOPLE: &str = "people.googleapis.com";
/// Sheets API.
pub(crate) const SHEETS: &str = "sheets.googleapis.com";
/// The host that several older APIs share: Drive is one of them.
pub(crate) const APIS: &str = "www.googleapis.com";
/// Google's OpenID Connect endpoint that says who the user is.
pub(crate) const USERINFO: &str = "openidconnect.googleapis.com";
/// Google's authorization page.
pub(crate) const ACCOUNTS: &str = "accounts.google.com";
/// Google's token endpoints.
pub(crate) const TOKENS: &str = "oauth2.googleapis.com";

/// Notion: its API and its authorization server.
pub(crate) const NOTION: &str = "api.notion.com";

/// Hosts where an access token is shown; faults without a host strike these.
const PRODUCTS: &[&str] = &[GMAIL, PEOPLE, SHEETS, APIS, USERINFO, NOTION];

/// Whether `host` takes access tokens.
pub(crate) fn is_product(host: &str) -> bool {
    PRODUCTS.contains(&host) || warehouse::serves(host)
}

/// Lets the host respond.
pub(crate) fn respond(state: &mut State, request: &Request) -> Response {
    match request.host.as_str() {
        GMAIL => google::check::respond(&mail::GMAIL_API, state, request),
        PEOPLE => google::check::respond(&people::PEOPLE_API, state, request),
        SHEETS => sheets::respond(state, request),
        APIS => match api_of(&request.path) {
            Some(api) => google::check::respond(api, state, request),
            None => pages::not_found(request),
        },
        USERINFO => google::userinfo::respond(state, request),
        ACCOUNTS => google::authorize::respond(state, request),
        TOKENS => google::tokens(state, request),
        NOTION => workspace::respond(state, request),
        host if warehouse::serves(host) => warehouse::respond(state, request),
        other => Response::html(
            StatusCode::NOT_FOUND,
            pages::problem(
                "No such host",
                &format!("The sandbox does not simulate {other:?}."),
            ),
        ),
    }
}

/// The API of the shared host that a path belongs to: each has its own first segments.
fn api_of(path: &str) -> Option<&'static google::method::Api> {
    match path {
        path if path.starts_with("/drive/v3/") => Some(&drive::DRIVE_API),
        path if path.starts_with("/calendar/v3/") => Some(&calendar::CALENDAR_API),
        _ => None,
    }
}
