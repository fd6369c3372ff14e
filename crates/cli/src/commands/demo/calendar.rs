use serde_json::{Value, json};

use super::case::{Case, World, list, same, same_texts};

/// Title of the event that the demo creates.
const TITLE: &str = "Made by the demo";
/// Title that the demo gives to an event.
const NEW_TITLE: &str = "Changed by the demo";

/// Every calendar tool.
pub(super) const CASES: &[Case] = &[
    Case {
        tool: "calendar_create_event",
        input: |_| {
            json!({
                "summary": TITLE,
                "start_datetime": "2026-05-12T16:00:00",
                "timezone": "Europe/London",
                "event_duration_minutes": 45,
                "attendees_emails": ["grace@example.com"],
                "create_meeting_room": true,
                "send_updates": true,
            })
        },
        check: |world, data| {
            let made = known(world, &data["id"])?;
            same("title", &json!(TITLE), &data["summary"])?;
            same(
                "end",
                &json!("2026-05-12T16:45:00+01:00"),
                &data["end"]["dateTime"],
            )?;
            same(
                "guest",
                &made["guests"][0]["email"],
                &json!("grace@example.com"),
            )?;
            same("meeting", &made["hangout_link"], &data["hangoutLink"])?;
            Ok(format!(
                "a guest, a meeting at {}",
                text(&data["hangoutLink"])
            ))
        },
    },
    Case {
        tool: "calendar_delete_event",
        input: |world| json!({ "event_id": event(world, "tentative")["id"] }),
        check: |world, data| {
            let gone = known(world, &data["event_id"])?;
            same("status", &gone["status"], &json!("cancelled"))?;
            Ok(format!("\"{}\" is gone", text(&gone["summary"])))
        },
    },
    Case {
        tool: "calendar_get_event_by_id",
        input: |world| {
            json!({
                "event_id": series(world)["id"],
                "single_events": true,
                "time_min": "2026-05-04",
                "time_max": "2026-05-11",
            })
        },
        check: |world, data| {
            let series = series(world);
            same("title", &series["summary"], &data["event"]["summary"])?;
            same(
                "recurrence",
                &series["recurrence"],
                &data["event"]["recurrence"],
            )?;
            let deleted =
                |event: &&Value| event["series"] == series["id"] && event["status"] == "cancelled";
            let deleted: Vec<&Value> = primary(world).filter(deleted).collect();
            let occurrences = list(data, "instances");
            let back = |one: &&Value| deleted.iter().any(|event| event["id"] == one["id"]);
            match occurrences.iter().find(back) {
                Some(back) => Err(format!("{} has been deleted and came", back["id"])),
                None if occurrences.is_empty() => Err(String::from("no occurrence came")),
                None => Ok(format!(
                    "\"{}\", {} times in a week",
                    text(&series["summary"]),
                    occurrences.len()
                )),
            }
        },
    },
    Case {
        tool: "calendar_list_calendars",
        input: |_| json!({ "show_hidden": true }),
        check: |world, data| {
            let calendars = world.list("calendars").iter();
            let expected = calendars.filter(|calendar| calendar["removed"] == false);
            let seen = list(data, "calendars")
                .iter()
                .map(|calendar| &calendar["id"]);
            let count = same_texts("calendars", expected.map(|calendar| &calendar["id"]), seen)?;
            Ok(format!("{count} calendars"))
        },
    },
    Case {
        tool: "calendar_list_events",
        input: |world| json!({ "calendar_id": holidays(world)["id"], "order_by": "startTime" }),
        check: |world, data| {
            let holidays = holidays(world);
            same("time zone", &holidays["time_zone"], &data["time_zone"])?;
            let expected = list(holidays, "events")
                .iter()
                .map(|event| &event["summary"]);
            let seen = list(data, "events").iter().map(|event| &event["summary"]);
            let count = same_texts("events", expected, seen)?;
            Ok(format!("{count} events of {}", text(&holidays["id"])))
        },
    },
    Case {
        tool: "calendar_update_event",
        input: |world| {
            let event = most_guests(world);
            let guests = list(event, "guests").iter().map(|guest| &guest["email"]);
            let guests: Vec<&Value> = guests.collect();
            json!({
                "calendar_id": "primary",
                "event_id": event["id"],
                "summary": NEW_TITLE,
                "attendees_emails": guests,
            })
        },
        check: |world, data| {
            let changed = known(world, &data["id"])?;
            same("title", &changed["summary"], &json!(NEW_TITLE))?;
            let answer = |guest: &&Value| guest["responseStatus"] != "needsAction";
            let answered = list(changed, "guests").iter().filter(answer).count();
            same(
                "answers",
                &json!(list(changed, "guests").len()),
                &json!(answered),
            )?;
            Ok(format!("a new title, {answered} guests keep their answers"))
        },
    },
];

/// The events of the primary calendar.
fn primary(world: &World) -> impl Iterator<Item = &Value> {
    let calendars = world.list("calendars").iter();
    let primary = calendars.filter(|calendar| calendar["primary"] == true);
    primary.flat_map(|calendar| list(calendar, "events"))
}

/// The calendar that others made and the user reads.
fn holidays(world: &World) -> &Value {
    let mut calendars = world.list("calendars").iter();
    let reads = |calendar: &&Value| calendar["role"] == "reader" && calendar["removed"] == false;
    calendars.find(reads).unwrap_or(&Value::Null)
}

fn event<'a>(world: &'a World, status: &str) -> &'a Value {
    let mut events = primary(world);
    let found = events.find(|event| event["status"] == status);
    found.unwrap_or(&Value::Null)
}

/// The first series.
fn series(world: &World) -> &Value {
    let mut events = primary(world);
    let series = events.find(|event| !list(event, "recurrence").is_empty());
    series.unwrap_or(&Value::Null)
}

/// The event with the most guests.
fn most_guests(world: &World) -> &Value {
    let events = primary(world).filter(|event| event["status"] == "confirmed");
    events
        .max_by_key(|event| list(event, "guests").len())
        .unwrap_or(&Value::Null)
}

/// The sandbox's side of an event.
fn known<'a>(world: &'a World, id: &Value) -> Result<&'a Value, String> {
    let mut events = primary(world);
    let known = events.find(|event| event["id"] == *id);
    known.ok_or_else(|| format!("the sandbox has no event {id}"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_calendar_tool_is_shown() {
        let product = stead::core::catalogue::Catalogue::new([&stead::calendar::PRODUCT]);
        for tool in product.newest() {
            let name = tool.entry().name();
            assert!(CASES.iter().any(|case| case.tool == name), "{name}");
        }
    }
}
