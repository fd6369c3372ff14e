//! Rejects forms from other sites.

use http::{HeaderMap, header};
use stead::{Error, ErrorKind};
use stead_core::environment::Environment;

/// Browsers name the site of a form in `Sec-Fetch-Site`, which no page can forge. Here, their `Origin` is `null`,
/// because our pages use `Referrer-Policy: no-referrer` (Fetch, "append a request Origin header"). It only counts if
/// the other header is missing. A caller that sends neither isn't a browser, and has no user's cookies.
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

/// `none` means that the user did it, for example by a reload.
fn is_ours(site: &str) -> bool {
    matches!(site, "same-origin" | "none")
}
