//! Shared by the tools that create and change events: the details, the guests and the request.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use stead_core::{
    Error, ErrorKind, Result,
    error::Violations,
    tool::{ApiRequest, Data, Output, Response, Retry},
};

use crate::{Transparency, Visibility, recurrence};

/// The API's id for the user's primary calendar.
pub(crate) const PRIMARY: &str = "primary";

/// The parameters that are copied into an event unchanged.
#[derive(Debug, Default)]
pub(crate) struct Details<'a> {
    pub(crate) summary: Option<&'a str>,
    pub(crate) description: Option<&'a str>,
    pub(crate) location: Option<&'a str>,
    pub(crate) visibility: Option<Visibility>,
    pub(crate) transparency: Option<Transparency>,
    pub(crate) guests_can_invite_others: Option<bool>,
    pub(crate) guests_can_modify: Option<bool>,
    pub(crate) guests_can_see_other_guests: Option<bool>,
    pub(crate) recurrence: Option<&'a [String]>,
    pub(crate) attendees_emails: Option<&'a [String]>,
}

impl Details<'_> {
    /// The event's members without the guests. Checks what no schema can: the recurrence lines and the guests' addresses.
    pub(crate) fn read(&self, violations: &mut Violations) -> Map<String, Value> {
        let recurrence = self.recurrence.map(|lines| recurrence(lines, violations));
        let emails = self.attendees_emails.into_iter().flatten().enumerate();
        for (index, _) in emails.filter(|(_, email)| !is_address(email)) {
            let message = "expected an email address such as ada@example.com";
            violations.add(&format!("/attendees_emails/{index}"), "format", message);
        }
        let mut body = Map::new();
        let mut set = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                body.insert(name.to_owned(), value);
            }
        };
        set("summary", self.summary.map(Value::from));
        set("description", self.description.map(Value::from));
        set("location", self.location.map(Value::from));
        set("visibility", self.visibility.map(|one| one.name().into()));
        set(
            "transparency",
            self.transparency.map(|one| one.name().into()),
        );
        set(
            "guestsCanInviteOthers",
            self.guests_can_invite_others.map(Value::from),
        );
        set("guestsCanModify", self.guests_can_modify.map(Value::from));
        set(
            "guestsCanSeeOtherGuests",
            self.guests_can_see_other_guests.map(Value::from),
        );
        set("recurrence", recurrence);
        body
    }

    /// Whether these details make the event recur.
    pub(crate) fn recurs(&self) -> bool {
        self.recurrence.is_some_and(|lines| !lines.is_empty())
    }
}

/// The recurrence lines in the product's form.
fn recurrence(lines: &[String], violations: &mut Violations) -> Value {
    let mut read = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        match recurrence::line(line) {
            Ok(line) => read.push(line),
            Err(message) => violations.add(&format!("/recurrence/{index}"), "format", message),
        }
    }
    read.into()
}

/// The guests with these addresses, without duplicates. Present guests keep their response, because the product replaces
/// the whole list (Calendar API, events.patch).
pub(crate) fn guests(emails: &[String], present: &Value) -> Vec<Value> {
    let mut guests: Vec<Value> = Vec::with_capacity(emails.len());
    for email in emails.iter().map(|email| email.trim()) {
        if with_address(&guests, email).is_none() {
            let known = present
                .as_array()
                .and_then(|present| with_address(present, email));
            guests.push(known.cloned().unwrap_or_else(|| json!({ "email": email })));
        }
    }
    guests
}

fn with_address<'a>(guests: &'a [Value], email: &str) -> Option<&'a Value> {
    guests.iter().find(|guest| {
        guest["email"]
            .as_str()
            .is_some_and(|address| address.eq_ignore_ascii_case(email))
    })
}

/// Whether there is text on both sides of a single `@`, and no character that an address can't contain.
fn is_address(email: &str) -> bool {
    let odd = |letter: char| {
        letter.is_whitespace() || letter.is_control() || matches!(letter, '@' | ',' | '<' | '>')
    };
    match email.trim().split_once('@') {
        Some((name, host)) => {
            !name.is_empty() && !host.is_empty() && !name.contains(odd) && !host.contains(odd)
        }
        None => false,
    }
}

/// The members of an event that tell who is invited.
#[derive(Debug, Default, Deserialize)]
struct Invited {
    #[serde(default)]
    attendees: Vec<Attendee>,
}

#[derive(Debug, Deserialize)]
struct Attendee {
    #[serde(default, rename = "self")]
    is_user: bool,
    #[serde(default)]
    resource: bool,
}

/// Whether anyone other than the user is invited. A room isn't a guest.
pub(crate) fn has_guests(event: &[u8]) -> bool {
    let invited: Invited = serde_json::from_slice(event).unwrap_or_default();
    let mut attendees = invited.attendees.into_iter();
    attendees.any(|attendee| !attendee.is_user && !attendee.resource)
}

/// The warning that the guests weren't notified. The product notifies no one unless it is asked to.
pub(crate) const NOT_NOTIFIED: &str = "guests_not_notified";

/// Adds the warning if the written event has guests, had guests, or got some, and the caller didn't set `send_updates`.
pub(crate) fn warn_of_guests(
    output: Output,
    emails: Option<&[String]>,
    had_guests: bool,
    send: Option<bool>,
) -> Output {
    let has_guests = || {
        had_guests
            || emails.is_some_and(|emails| !emails.is_empty())
            || matches!(&output.data, Data::Raw(event, _) if has_guests(event))
    };
    if send.is_some() || !has_guests() {
        return output;
    }
    let message = "the guests weren't notified; set send_updates to notify them";
    output.warn(NOT_NOTIFIED, message)
}

/// Whether the product sends notifications, as its parameter says (Calendar API, `sendUpdates`).
pub(crate) fn send_updates(send: Option<bool>) -> Option<String> {
    send.map(|send| String::from(if send { "all" } else { "none" }))
}

/// A request that writes an event. It can be repeated: a new event has an id from the call, and a change sets absolute
/// values.
pub(crate) fn write(
    request: ApiRequest,
    body: &Map<String, Value>,
    with_meeting: bool,
    send: Option<bool>,
) -> ApiRequest {
    request
        .query("conferenceDataVersion", with_meeting.then_some(1_u32))
        .query("sendUpdates", send_updates(send))
        .json(body)
        .retry(Retry::Always)
}

/// A request that reads an event.
pub(crate) fn read(calendar: &str, event: &str) -> ApiRequest {
    ApiRequest::get(["calendars", calendar, "events", event])
}

/// Whether the event was deleted.
pub(crate) fn is_cancelled(event: &Value) -> bool {
    event["status"] == "cancelled"
}

/// The event in a response, or an error if the event was deleted.
pub(crate) fn living(response: &Response, message: &str) -> Result<Value> {
    let event: Value = response.json()?;
    if is_cancelled(&event) {
        return Err(Error::new(ErrorKind::ProductConflict, message));
    }
    Ok(event)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guests_keep_their_responses() {
        let present = json!([
            {"email": "Grace@example.com", "responseStatus": "accepted"},
            {"email": "charles@example.com", "responseStatus": "declined"},
        ]);
        let wanted = [
            "grace@example.com",
            " new@example.com ",
            "GRACE@example.com",
            "new@example.com",
        ]
        .map(String::from);
        assert_eq!(
            json!(guests(&wanted, &present)),
            json!([{"email": "Grace@example.com", "responseStatus": "accepted"}, {"email": "new@example.com"}])
        );
        assert!(guests(&[], &present).is_empty());
        assert_eq!(
            guests(&wanted[1..2], &Value::Null),
            [json!({"email": "new@example.com"})]
        );
    }

    #[test]
    fn addresses_are_distinguished_from_names() {
        for good in [
            "ada@example.com",
            " ada@example.com ",
            "ada+calendar@example",
            "c_188@resource.calendar.google.com",
        ] {
            assert!(is_address(good), "{good}");
        }
        for bad in [
            "",
            "ada",
            "@example.com",
            "ada@",
            "ada@b@c",
            "Ada <ada@example.com>",
            "a@b, c@d",
            "a b@c",
            "a@b\nc",
        ] {
            assert!(!is_address(bad), "{bad}");
        }
    }
}
