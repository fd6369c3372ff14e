//! Refuses a form that another site sent.

use http::{HeaderMap, header};
use stead::{Error, ErrorKind, core::environment::Environment};

/// Browsers say by `Sec-Fetch-Site` which site a form is on, which no page can forge. Their `Origin` is `null` here, since
/// our pages ask for `Referrer-Policy: no-referrer` (Fetch, "append a request Origin header"); it decides only
/// where the other is missing. A caller who sends neither is not a browser, and holds no user's cookies.
///
/// # Errors
/// [`ErrorKind::OriginRejected`].
pub(crate) fn check(environment: &Environment, headers: &HeaderMap) -> Result<(), Error> {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let ours = environment.public_url().origin().ascii_serialization();
    let from_us = match (text("sec-fetch-site"), text(header::ORIGIN.as_str())) {
        (Some(site), Some(origin)) => is_ours(site) && (origin == ours || origin == "null"),
        (Some(site), None) => is_ours(site),
        (None, Some(origin)) => origin == ours,
        (None, None) => true,
    };
    if from_us {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::OriginRejected,
        "another site sent this form; open the page on this environment and send it again",
    ))
}

/// `none` is the user's own doing, such as a reload.
fn is_ours(site: &str) -> bool {
    matches!(site, "same-origin" | "none")
}
