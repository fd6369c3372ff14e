//! The calendars of the beginning. The clock starts at Monday, 2026-05-04, 09:00 UTC.

use jiff::Timestamp;
use serde_json::json;

use super::{Calendar, Event, Listing, Role, write::event};

const ADA: &str = "ada@example.com";
const GRACE: &str = "grace@example.com";
const LONDON: &str = "Europe/London";
const NEW_YORK: &str = "America/New_York";
/// The group calendar.
const ENGINE: &str = "c_engine@group.calendar.google.com";
const HOLIDAYS: &str = "en.uk#holiday@group.v.calendar.google.com";

pub(super) fn calendars() -> Vec<Calendar> {
    vec![
        calendar(ADA, "Ada Lovelace", LONDON)
            .primary(ADA)
            .listed(ADA, Role::Owner)
            .holds(of_ada()),
        calendar(GRACE, "Grace Hopper", NEW_YORK)
            .primary(GRACE)
            .listed(GRACE, Role::Owner)
            .holds(of_grace()),
        calendar(ENGINE, "Engine", LONDON)
            .about("Who works at the engine, and when")
            .listed(ADA, Role::Owner)
            .listed(GRACE, Role::Writer)
            .holds(of_engine()),
        calendar(HOLIDAYS, "Holidays in United Kingdom", LONDON)
            .without_meetings()
            .listed(ADA, Role::Reader)
            .holds(holidays()),
        calendar(
            "c_reading@group.calendar.google.com",
            "Reading circle",
            "Europe/Berlin",
        )
        .without_meetings()
        .listed(ADA, Role::Writer)
        .hidden()
        .holds(Vec::new()),
        calendar("c_rowing@group.calendar.google.com", "Rowing", LONDON)
            .listed(ADA, Role::Reader)
            .removed()
            .holds(Vec::new()),
    ]
}

fn of_ada() -> Vec<Event> {
    let standup = event("ada/standup", ADA, "Stand-up", "2026-03-20T10:00:00Z")
        .at(
            "2026-03-23T09:30:00+00:00",
            "2026-03-23T09:45:00+00:00",
            LONDON,
        )
        .again(&[
            "RRULE:FREQ=WEEKLY;BYDAY=MO,WE,FR",
            "EXDATE;TZID=Europe/London:20260403T093000",
        ])
        .guests(&[
            (ADA, "Ada Lovelace", "accepted"),
            ("charles@engine.example", "Charles Babbage", "accepted"),
        ])
        .done();
    let later = event(
        "ada/standup-later",
        ADA,
        "Stand-up, later than usual",
        "2026-04-30T16:00:00Z",
    )
    .at(
        "2026-05-06T11:00:00+01:00",
        "2026-05-06T11:15:00+01:00",
        LONDON,
    )
    .guests(&[
        (ADA, "Ada Lovelace", "accepted"),
        ("charles@engine.example", "Charles Babbage", "tentative"),
    ])
    .instead_of(&standup, "2026-05-06T09:30:00+01:00", LONDON)
    .done();
    let off = event("ada/standup-off", ADA, "Stand-up", "2026-05-01T08:00:00Z")
        .at(
            "2026-05-08T09:30:00+01:00",
            "2026-05-08T09:45:00+01:00",
            LONDON,
        )
        .instead_of(&standup, "2026-05-08T09:30:00+01:00", LONDON)
        .with("status", json!("cancelled"))
        .done();
    vec![
        standup,
        later,
        off,
        event(
            "ada/review",
            ADA,
            "Review of note G",
            "2026-04-29T12:00:00Z",
        )
        .at(
            "2026-05-05T14:00:00+01:00",
            "2026-05-05T15:30:00+01:00",
            LONDON,
        )
        .with(
            "description",
            json!("Bernoulli numbers, <b>table 1</b>. Bring the cards."),
        )
        .with("location", json!("12 St James's Square"))
        .guests(&[
            (ADA, "Ada Lovelace", "accepted"),
            (GRACE, "Grace Hopper", "accepted"),
            ("charles@engine.example", "Charles Babbage", "declined"),
        ])
        .with("hangoutLink", json!("https://meet.google.com/not-eggg-enn"))
        .with("conferenceData", meeting("not-eggg-enn"))
        .done(),
        event("ada/call", ADA, "Call to New York", "2026-05-01T17:00:00Z")
            .at(
                "2026-05-06T10:00:00-04:00",
                "2026-05-06T10:30:00-04:00",
                NEW_YORK,
            )
            .with("visibility", json!("private"))
            .done(),
        event(
            "ada/exhibition",
            ADA,
            "Great Exhibition",
            "2026-04-02T09:00:00Z",
        )
        .on("2026-05-09", "2026-05-11")
        .with("location", json!("Hyde Park"))
        .with("transparency", json!("transparent"))
        .done(),
        event("ada/maybe", ADA, "Opera, perhaps", "2026-05-02T20:00:00Z")
            .at(
                "2026-05-07T19:00:00+01:00",
                "2026-05-07T22:00:00+01:00",
                LONDON,
            )
            .with("status", json!("tentative"))
            .done(),
        event(
            "ada/birthday",
            ADA,
            "Charles's birthday",
            "2025-12-27T09:00:00Z",
        )
        .on("2025-12-26", "2025-12-27")
        .again(&["RRULE:FREQ=YEARLY"])
        .with("eventType", json!("birthday"))
        .with("birthdayProperties", json!({ "type": "birthday" }))
        .with("visibility", json!("private"))
        .with("transparency", json!("transparent"))
        .done(),
        event(
            "ada/focus",
            ADA,
            "Translation of Menabrea",
            "2026-05-03T18:00:00Z",
        )
        .at(
            "2026-05-04T13:00:00+01:00",
            "2026-05-04T16:00:00+01:00",
            LONDON,
        )
        .with("eventType", json!("focusTime"))
        .with(
            "focusTimeProperties",
            json!({ "autoDeclineMode": "declineNone" }),
        )
        .done(),
        event("ada/fitting", ADA, "Fitting", "2026-04-28T09:00:00Z")
            .at(
                "2026-05-05T09:00:00+01:00",
                "2026-05-05T10:00:00+01:00",
                LONDON,
            )
            .with("status", json!("cancelled"))
            .done(),
    ]
}

fn of_grace() -> Vec<Event> {
    vec![
        event(
            "grace/lunch",
            GRACE,
            "Lunch with Ada",
            "2026-05-04T08:11:00Z",
        )
        .at(
            "2026-05-07T12:00:00+01:00",
            "2026-05-07T13:00:00+01:00",
            LONDON,
        )
        .with("location", json!("Café by the harbour"))
        .guests(&[
            (GRACE, "Grace Hopper", "accepted"),
            (ADA, "Ada Lovelace", "needsAction"),
        ])
        .done(),
        event(
            "grace/panel",
            GRACE,
            "Inspect panel F",
            "2026-05-03T18:00:00Z",
        )
        .at(
            "2026-05-05T09:00:00-04:00",
            "2026-05-05T10:00:00-04:00",
            NEW_YORK,
        )
        .done(),
    ]
}

fn of_engine() -> Vec<Event> {
    vec![
        event(
            "engine/inspection",
            ENGINE,
            "Inspection of the mill",
            "2026-01-05T09:00:00Z",
        )
        .at(
            "2026-01-06T08:00:00+00:00",
            "2026-01-06T09:00:00+00:00",
            LONDON,
        )
        .again(&["RRULE:FREQ=MONTHLY;BYDAY=1TU;UNTIL=20261231T235959Z"])
        .done(),
        event(
            "engine/oil",
            ENGINE,
            "Oil the columns",
            "2026-05-01T09:00:00Z",
        )
        .at(
            "2026-05-06T17:00:00+01:00",
            "2026-05-06T17:20:00+01:00",
            LONDON,
        )
        .done(),
    ]
}

fn holidays() -> Vec<Event> {
    let days = [
        ("Good Friday", "2026-04-03", "2026-04-04"),
        ("Early May bank holiday", "2026-05-04", "2026-05-05"),
        ("Spring bank holiday", "2026-05-25", "2026-05-26"),
        ("Christmas Day", "2026-12-25", "2026-12-26"),
    ];
    let holiday = |(name, first, end): (&str, &str, &str)| {
        event(name, HOLIDAYS, name, "2025-01-01T00:00:00Z")
            .on(first, end)
            .with("visibility", json!("public"))
            .with("transparency", json!("transparent"))
            .done()
    };
    days.into_iter().map(holiday).collect()
}

fn meeting(code: &str) -> serde_json::Value {
    json!({
        "conferenceId": code,
        "conferenceSolution": { "key": { "type": "hangoutsMeet" }, "name": "Google Meet" },
        "entryPoints": [{ "entryPointType": "video", "uri": format!("https://meet.google.com/{code}"), "label": format!("meet.google.com/{code}") }],
    })
}

fn calendar(id: &str, summary: &'static str, time_zone: &'static str) -> Calendar {
    Calendar {
        id: id.to_owned(),
        summary,
        description: None,
        time_zone,
        primary_of: None,
        takes_meetings: true,
        listings: Vec::new(),
        events: Vec::new(),
    }
}

impl Calendar {
    fn primary(mut self, user: &'static str) -> Self {
        self.primary_of = Some(user);
        self
    }

    fn about(mut self, description: &'static str) -> Self {
        self.description = Some(description);
        self
    }

    fn without_meetings(mut self) -> Self {
        self.takes_meetings = false;
        self
    }

    fn listed(mut self, user: &'static str, role: Role) -> Self {
        self.listings.push(Listing {
            user,
            role,
            hidden: false,
            removed: false,
            changed: Timestamp::UNIX_EPOCH,
        });
        self
    }

    fn hidden(mut self) -> Self {
        self.listings
            .iter_mut()
            .for_each(|listing| listing.hidden = true);
        self
    }

    fn removed(mut self) -> Self {
        self.listings
            .iter_mut()
            .for_each(|listing| listing.removed = true);
        self
    }

    fn holds(mut self, events: Vec<Event>) -> Self {
        self.events = events;
        self
    }
}
