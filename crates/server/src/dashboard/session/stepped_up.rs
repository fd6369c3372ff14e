//! What cannot be undone asks for the password again.

use axum::response::Response;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::SignedIn;
use crate::dashboard::page::Page;

/// Where the password was not given within the last ten minutes, sends the browser to the page that asks for it, and from
/// there to `next`: the page with the form that is then sent again.
pub(crate) fn step_up_first(page: &Page, member: &SignedIn, next: &str) -> Option<Response> {
    if member.stepped_up {
        return None;
    }
    let next = utf8_percent_encode(next, NON_ALPHANUMERIC);
    Some(page.redirect(&format!("/dashboard/confirm?next={next}")))
}
