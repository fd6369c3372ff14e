//! What creating and changing an event have in common: its details, its guests, its request.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use stead_core::{
    Error, ErrorKind, Result,
    error::Violations,
    tool::{ApiRequest, Data, Output, Response, Retry},
};

use crate::{Transparency, Visibility, recurrence};

/// Id by which the product knows the user's primary calendar.
pub(crate) const PRIMARY: &str = "primary";

/// The parameters that go into an event as they are.
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
    /// The event's members, without the guests. Notes what no schema says: lines of the recurrence, addresses of the
    /// guests.
    pub(crate) fn read(&self, violations: &mut Violations) -> Map<String, Value> {
        let recurrence = self.recurrence.map(|lines| recurrence(lines, violations));
        let emails = self.attendees_emails.into_iter().flatten().enumerate();
        for (index, _) in emails.filter(|(_, email)| !is_address(email)) {
            let message = "expected a mail address such as ada@example.com";
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

    /// Whether the event recurs by these details.
    pub(crate) fn recurs(&self) -> bool {
        self.recurrence.is_some_and(|lines| !lines.is_empty())
    }
}

/// The lines of a recurrence as the product takes them.
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

/// The guests with these addresses, each once. Whoever is among the present guests stays as they are, response included:
/// the product replaces the whole list (Calendar API, events.patch).
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

/// Something on both sides of one `@`, and nothing that no address holds.
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

/// What is read of an event to see who is invited.
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

/// Whether others than the user are invited to an event; a room is not a guest.
pub(crate) fn has_guests(event: &[u8]) -> bool {
    let invited: Invited = serde_json::from_slice(event).unwrap_or_default();
    let mut attendees = invited.attendees.into_iter();
    attendees.any(|attendee| !attendee.is_user && !attendee.resource)
}

/// The warning that the guests were not told: the product tells no one unless it is asked to.
pub(crate) const NOT_NOTIFIED: &str = "guests_not_notified";

/// Adds it to a written event where it has or had guests, or guests are given, and the caller does not say whether they
/// are notified.
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
    let message = "the guests were not notified; send_updates does that";
    output.warn(NOT_NOTIFIED, message)
}

/// Whether notifications go out, in the product's words (Calendar API, `sendUpdates`).
pub(crate) fn send_updates(send: Option<bool>) -> Option<String> {
    send.map(|send| String::from(if send { "all" } else { "none" }))
}

/// A request that writes an event. Sent again it does no more than the first did: a new event has its own id, a change
/// says what is to be, not by how much.
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

/// A request for one event.
pub(crate) fn read(calendar: &str, event: &str) -> ApiRequest {
    ApiRequest::get(["calendars", calendar, "events", event])
}

/// Whether the event was deleted.
pub(crate) fn is_cancelled(event: &Value) -> bool {
    event["status"] == "cancelled"
}

/// The response to a question for an event, which a deleted one does not response.
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
    fn addresses_are_told_from_names() {
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
