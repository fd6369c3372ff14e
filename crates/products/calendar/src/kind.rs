//! The rules for each kind of event.

use serde_json::{Map, Value, json};
use stead_core::{error::Violation, tool::Output};

use crate::{NewEventType, Transparency, Visibility, event::Details, recurrence};

/// Requirements of a kind of event (Calendar API, "Calendar events and other event types").
struct Rule {
    /// Whether the event must or mustn't last all day; `None` allows both.
    all_day: Option<bool>,
    visibility: Option<Visibility>,
    transparency: Option<Transparency>,
    /// Whether it must recur yearly.
    yearly: bool,
}

const FREE: Rule = Rule {
    all_day: None,
    visibility: None,
    transparency: None,
    yearly: false,
};

fn rule(kind: &NewEventType) -> Rule {
    match kind {
        NewEventType::Default | NewEventType::Other(_) => FREE,
        NewEventType::Birthday => Rule {
            all_day: Some(true),
            visibility: Some(Visibility::Private),
            transparency: Some(Transparency::Transparent),
            yearly: true,
        },
        NewEventType::FocusTime | NewEventType::OutOfOffice => Rule {
            all_day: Some(false),
            ..FREE
        },
        NewEventType::WorkingLocation => Rule {
            visibility: Some(Visibility::Public),
            transparency: Some(Transparency::Transparent),
            ..FREE
        },
    }
}

/// The caller's parameters that the kind doesn't allow.
pub(crate) fn violations(
    kind: &NewEventType,
    details: &Details<'_>,
    all_day: Option<bool>,
) -> Vec<Violation> {
    let rule = rule(kind);
    let name = kind.name();
    let mut violations = Vec::new();
    let mut violation =
        |path: &str, message: String| violations.push(Violation::new(path, "event_type", message));
    if rule.all_day.is_some() && all_day.is_some() && rule.all_day != all_day {
        let wanted = if rule.all_day == Some(true) {
            "all day: expected a date"
        } else {
            "for hours: expected a time"
        };
        violation("/start_datetime", format!("a {name} lasts {wanted}"));
    }
    if let (Some(wanted), Some(given)) = (rule.visibility, details.visibility)
        && wanted != given
    {
        violation("/visibility", format!("a {name} is {}", wanted.name()));
    }
    if let (Some(wanted), Some(given)) = (rule.transparency, details.transparency)
        && wanted.name() != given.name()
    {
        violation("/transparency", format!("a {name} is {}", wanted.name()));
    }
    let yearly =
        |line: &String| recurrence::line(line).is_ok_and(|line| line.contains("FREQ=YEARLY"));
    if rule.yearly
        && details
            .recurrence
            .is_some_and(|lines| !lines.iter().any(yearly))
    {
        violation(
            "/recurrence",
            format!("a {name} recurs by RRULE:FREQ=YEARLY"),
        );
    }
    violations
}

/// Adds a warning if the product doesn't know the caller's kind.
pub(crate) fn warn_of_other(output: Output, kind: Option<&NewEventType>) -> Output {
    if !kind.is_some_and(NewEventType::is_other) {
        return output;
    }
    let message = "the product doesn't know this event_type, so it was ignored; use one of: default, birthday, focusTime, outOfOffice, workingLocation";
    output.warn("event_type_unknown", message)
}

/// Adds the members that this kind requires to the body of a new event.
pub(crate) fn complete(kind: &NewEventType, body: &mut Map<String, Value>) {
    if kind.is_other() || *kind == NewEventType::Default {
        return;
    }
    let properties = properties(kind, body.get("location"));
    let rule = rule(kind);
    let mut set = |name: &str, value: Value| {
        body.entry(name).or_insert(value);
    };
    set("eventType", json!(kind.name()));
    if let Some(visibility) = rule.visibility {
        set("visibility", json!(visibility.name()));
    }
    if let Some(transparency) = rule.transparency {
        set("transparency", json!(transparency.name()));
    }
    if rule.yearly {
        set("recurrence", json!(["RRULE:FREQ=YEARLY"]));
    }
    if let Some((name, properties)) = properties {
        set(name, properties);
    }
}

/// The member of the event that only this kind has.
fn properties(kind: &NewEventType, location: Option<&Value>) -> Option<(&'static str, Value)> {
    let no_declining = || json!({ "autoDeclineMode": "declineNone" });
    Some(match kind {
        NewEventType::Default | NewEventType::Other(_) => return None,
        NewEventType::Birthday => ("birthdayProperties", json!({ "type": "birthday" })),
        NewEventType::FocusTime => ("focusTimeProperties", no_declining()),
        NewEventType::OutOfOffice => ("outOfOfficeProperties", no_declining()),
        NewEventType::WorkingLocation => {
            let place = match location {
                Some(label) => {
                    json!({ "type": "customLocation", "customLocation": { "label": label } })
                }
                None => json!({ "type": "homeOffice", "homeOffice": {} }),
            };
            ("workingLocationProperties", place)
        }
    })
}
