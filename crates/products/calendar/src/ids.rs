//! Ids of events and calendars, taken from an id or from one of the product's links.

use std::borrow::Cow;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use stead_core::{Error, Result, error::Violation};

/// The event's id. `given` is the id, or a link to the event's page that contains it.
///
/// # Errors
/// Returns a violation at `/event_id` if it's another kind of link.
pub(crate) fn event(given: &str) -> Result<Cow<'_, str>> {
    let Some(link) = link(given) else {
        return Ok(Cow::Borrowed(given));
    };
    let page = after(link, "eid=").or_else(|| after(link, "eventedit/"));
    // The id in the link contains the ids of the event and the calendar.
    let id = page.and_then(decoded).and_then(|ids| {
        let (event, _) = ids.split_once(' ')?;
        (!event.is_empty()).then(|| event.to_owned())
    });
    let expected = "expected the id of an event, or its link such as https://www.google.com/calendar/event?eid=ID";
    id.map(Cow::Owned)
        .ok_or_else(|| refused("/event_id", expected))
}

/// The calendar's id. `given` is the id, or a link to the calendar that contains it.
///
/// # Errors
/// Returns a violation at `/calendar_id` if it's another kind of link.
pub(crate) fn calendar(given: &str) -> Result<Cow<'_, str>> {
    let Some(link) = link(given) else {
        return Ok(Cow::Borrowed(given));
    };
    let written = after(link, "src=").or_else(|| after(link, "ical/"));
    let written = written.map(|id| id.replace("%40", "@").replace("%23", "#"));
    let id = written.or_else(|| decoded(after(link, "cid=")?));
    let expected = "expected the id of a calendar, or its link such as https://calendar.google.com/calendar/embed?src=ID";
    let id = id.filter(|id| id.contains('@') && !id.contains(['%', '/', ' ']));
    id.map(Cow::Owned)
        .ok_or_else(|| refused("/calendar_id", expected))
}

/// The part of a link after the scheme. An event's UID can also begin with a scheme, but contains an `@`.
fn link(given: &str) -> Option<&str> {
    let given = given.trim();
    let (scheme, rest) = given.split_once("://")?;
    let is_web = ["http", "https"]
        .iter()
        .any(|web| scheme.eq_ignore_ascii_case(web));
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    let is_of_product = ["calendar.google.com", "www.google.com"]
        .iter()
        .any(|known| host.eq_ignore_ascii_case(known));
    (is_web && (is_of_product || !rest.contains('@'))).then_some(rest)
}

/// The part of a link after a name, such as `eid=`.
fn after<'a>(link: &'a str, name: &str) -> Option<&'a str> {
    let starts = link.match_indices(name).map(|(at, _)| at);
    let mut starts = starts.filter(|at| link[..*at].ends_with(['?', '&', '/']));
    let part = &link[starts.next()? + name.len()..];
    part.split(['&', '#', '?', '/']).next()
}

fn decoded(text: &str) -> Option<String> {
    let text = text.trim_end_matches("%3D").trim_end_matches('=');
    String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()
}

fn refused(path: &str, expected: &str) -> Error {
    Error::violations(vec![Violation::new(path, "format", expected)])
}
