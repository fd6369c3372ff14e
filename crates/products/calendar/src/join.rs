//! Finds how to join an event's video meeting: from the product's data, or from a link in the organizer's text.

use serde_json::{Map, Value, json};
use stead_core::tool::{items_of, text_of};

/// Domains of video meeting services, with the first part of their joining links' paths.
const SERVICES: [(&str, &[&str]); 12] = [
    ("zoom.us", &["j/", "my/", "w/", "s/", "wc/"]),
    ("zoom.com", &["j/", "my/", "w/", "s/", "wc/"]),
    ("zoomgov.com", &["j/", "my/", "w/", "s/", "wc/"]),
    ("teams.microsoft.com", &["l/meetup-join/", "meet/"]),
    ("teams.live.com", &["meet/"]),
    (
        "webex.com",
        &["meet/", "join/", "j.php", "m/", "wbxmjs/", "webappng/"],
    ),
    ("meet.google.com", &[""]),
    ("meet.jit.si", &[""]),
    ("whereby.com", &[""]),
    ("meet.goto.com", &[""]),
    ("gotomeeting.com", &["join/"]),
    ("chime.aws", &[""]),
];

/// How to join a meeting.
#[derive(Debug, Default)]
pub(crate) struct Ways {
    /// Link to the video meeting.
    pub(crate) link: Option<String>,
    /// Other ways to join, such as a phone number with its PIN, as the product returns them.
    pub(crate) others: Vec<Map<String, Value>>,
    /// Notes from the meeting service.
    pub(crate) notes: Option<String>,
}

/// How to join an event's meeting.
pub(crate) fn ways(event: &Value) -> Ways {
    let conference = &event["conferenceData"];
    let entries = items_of(&conference["entryPoints"]);
    let is_video = |entry: &&Value| entry["entryPointType"] == "video";
    let uri = |entry: &Value| text_of(&entry["uri"]);
    let own = text_of(&event["hangoutLink"]);
    let written = |name: &str| link_in(event[name].as_str()?);
    let link = entries.iter().filter(is_video).find_map(uri);
    let link = link.or_else(|| own.clone());
    let link = link.or_else(|| written("location"));
    let link = link.or_else(|| written("description"));
    let is_told = |value: &Value| {
        let text = value.as_str();
        text.is_some_and(|text| {
            text == "video" || link.as_ref().is_some_and(|link| link.contains(text))
        })
    };
    let entries = entries.iter().filter_map(Value::as_object);
    let mut others: Vec<Map<String, Value>> = entries
        .filter(|entry| !entry.values().all(is_told))
        .cloned()
        .collect();
    if let Some(own) = own.filter(|own| link.as_ref() != Some(own)) {
        others.extend(
            json!({ "entryPointType": "video", "uri": own })
                .as_object()
                .cloned(),
        );
    }
    Ways {
        link,
        others,
        notes: text_of(&conference["notes"]),
    }
}

/// The first meeting link in a text, which may be HTML.
fn link_in(text: &str) -> Option<String> {
    let is_end = |letter: char| letter.is_whitespace() || "\"'<>()[]".contains(letter);
    text.split(is_end).find_map(|word| {
        let word = word.trim_end_matches(['.', ',', ';', ':']);
        let bare = without_scheme(word);
        let (host, path) = bare.split_once('/')?;
        let host = host.to_ascii_lowercase();
        let joins = |(domain, starts): &(&str, &[&str])| {
            let rest = host.strip_suffix(domain);
            let is_host = rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
            let mut starts = starts.iter();
            is_host
                && !path.is_empty()
                && starts
                    .any(|start| path.starts_with(start) || path.contains(&format!("/{start}")))
        };
        let link = || format!("https://{}", bare.replace("&amp;", "&"));
        SERVICES.iter().any(joins).then(link)
    })
}

fn without_scheme(link: &str) -> &str {
    let schemes = ["https://", "http://"].into_iter();
    let mut bare = schemes.filter_map(|scheme| {
        let (start, rest) = link.split_at_checked(scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then_some(rest)
    });
    bare.next().unwrap_or(link)
}
