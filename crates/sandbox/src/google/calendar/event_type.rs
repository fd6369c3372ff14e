//! Rules of events that are not ordinary ones (Calendar API, "Calendar events and other event types").

use serde_json::{Map, Value};

use super::times::Edge;
use crate::google::{ApiError, world::calendars::Calendar};

/// Whether an event may be of its kind in this calendar.
pub(super) fn check(fields: &Map<String, Value>, calendar: &Calendar) -> Result<(), ApiError> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let kind = text("eventType").unwrap_or("default");
    let refuse = |message: String| Err(ApiError::of(400, "eventTypeRestriction", message));
    for (properties, owner) in [
        ("birthdayProperties", "birthday"),
        ("focusTimeProperties", "focusTime"),
        ("outOfOfficeProperties", "outOfOffice"),
        ("workingLocationProperties", "workingLocation"),
    ] {
        if fields.contains_key(properties) && kind != owner {
            return refuse(format!(
                "{properties} belong to events of the type {owner}."
            ));
        }
    }
    if kind == "default" {
        return Ok(());
    }
    if calendar.primary_of.is_none() {
        return refuse(format!(
            "An event of the type {kind} can be created in a primary calendar only."
        ));
    }
    let all_day = matches!(Edge::of(fields.get("start")), Some(Edge::Day(_)));
    let is = |name: &str, wanted: &str| text(name) == Some(wanted);
    match kind {
        "birthday" => {
            let lines = fields.get("recurrence").and_then(Value::as_array);
            let yearly = lines.is_some_and(|lines| {
                lines.iter().any(|line| {
                    line.as_str()
                        .is_some_and(|line| line.contains("FREQ=YEARLY"))
                })
            });
            if !all_day
                || !yearly
                || !is("visibility", "private")
                || !is("transparency", "transparent")
            {
                return refuse("A birthday event is an all-day event with an annual recurrence, private and transparent.".to_owned());
            }
        }
        "workingLocation" => {
            let place = fields
                .get("workingLocationProperties")
                .and_then(|place| place["type"].as_str());
            let known = place.is_some_and(|place| {
                matches!(place, "homeOffice" | "officeLocation" | "customLocation")
            });
            if !known || !is("visibility", "public") || !is("transparency", "transparent") {
                return refuse("A working location event has a working location, and is public and transparent.".to_owned());
            }
        }
        _ if all_day => return refuse(format!("An event of the type {kind} cannot last all day.")),
        _ => {}
    }
    Ok(())
}
