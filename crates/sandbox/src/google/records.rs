//! Shows mails, events, files and spreadsheet rows on the sandbox's page, so that a person can change them.

use std::collections::BTreeMap;

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Map, json};

use super::{
    Google,
    world::{
        World,
        calendars::{Calendar, Event},
        files::{Cell, Entered, File, Sheet},
        mime::Message,
        parse,
    },
};
use crate::{
    records::{Field, Record, Section, Values, missing, moment, value},
    shared::Shared,
    shared::hex,
    users,
};

const MAILS: &str = "mails";
const EVENTS: &str = "events";
const FILES: &str = "files";
const ROWS: &str = "rows";
/// How many cells of a row to show.
const CELLS: u32 = 5;
const HOUR: i64 = 3_600;

impl Google {
    pub(super) fn sections_of(&self, shared: &Shared, user: &str) -> Vec<Section> {
        let world = &self.world;
        vec![
            mails(world, user),
            events(world, shared.now, user),
            files(world, user),
            rows(world, user),
        ]
    }

    pub(super) fn add_by_hand(
        &mut self,
        shared: &mut Shared,
        user: &str,
        section: &str,
        values: &Values,
    ) -> Option<Result<(), String>> {
        let world = &mut self.world;
        Some(match section {
            MAILS => add_mail(world, shared, user, values),
            EVENTS => add_event(world, shared, user, values),
            FILES => add_file(world, shared, user, values),
            ROWS => add_row(world, shared, user, values),
            _ => return None,
        })
    }

    pub(super) fn delete_by_hand(
        &mut self,
        user: &str,
        section: &str,
        id: &str,
    ) -> Option<Result<(), String>> {
        let world = &mut self.world;
        let was_there = match section {
            MAILS => world
                .user_mut(user)
                .is_some_and(|owner| owner.mailbox.delete(id).is_some()),
            EVENTS => own_calendar(world, user).is_some_and(|calendar| {
                let before = calendar.events.len();
                calendar.events.retain(|event| event.id() != id);
                calendar.events.len() < before
            }),
            // A person can delete everything that they see.
            FILES => {
                let own = world
                    .files
                    .file(id)
                    .is_some_and(|file| !file.is_root && world.files.may_see(file, user));
                if own {
                    world.files.delete(id);
                }
                own
            }
            ROWS => delete_row(world, user, id),
            _ => return None,
        };
        Some(was_there.then_some(()).ok_or_else(|| missing(id)))
    }
}

fn mails(world: &World, user: &str) -> Section {
    let messages = world
        .user(user)
        .map(|owner| owner.mailbox.messages.as_slice());
    let header =
        |message: &Message, name: &str| message.header(name).unwrap_or_default().to_owned();
    let record = |message: &Message| {
        let cells = [
            header(message, "Subject"),
            header(message, "From"),
            message.received.to_string(),
            message.labels.join(", "),
        ];
        Record::new(&message.id, cells)
    };
    Section {
        name: MAILS,
        title: "Mails",
        columns: vec!["Subject", "From", "Received", "Labels"],
        records: messages.unwrap_or_default().iter().map(record).collect(),
        fields: vec![
            Field::line("from", "From", "Charles Babbage <charles@example.com>"),
            Field::line("subject", "Subject", ""),
            Field::text("text", "Text", ""),
        ],
    }
}

fn add_mail(
    world: &mut World,
    shared: &mut Shared,
    user: &str,
    values: &Values,
) -> Result<(), String> {
    let (from, subject) = (value(values, "from")?, value(values, "subject")?);
    let text = values.get("text").map(String::as_str).unwrap_or_default();
    let line = |text: &str| text.replace(['\r', '\n'], " ");
    let id = hex(shared.ids.fresh("message", 12).as_bytes())[..16].to_owned();
    let raw = format!(
        "From: {}\r\nTo: {user}\r\nSubject: {}\r\nDate: {}\r\nMessage-ID: <{id}@sandbox.example>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{}\r\n",
        line(from),
        line(subject),
        shared.now.strftime("%a, %d %b %Y %H:%M:%S +0000"),
        text.replace("\r\n", "\n").replace('\n', "\r\n"),
    );
    let root = parse(raw.as_bytes()).ok_or("the mail cannot be read")?;
    let owner = world.user_mut(user).ok_or_else(|| missing(user))?;
    owner.mailbox.add(Message {
        thread_id: id.clone(),
        id,
        labels: vec![String::from("INBOX"), String::from("UNREAD")],
        received: shared.now,
        history_id: 0,
        size: raw.len(),
        root,
        received_raw: Some(Bytes::from(raw)),
    });
    Ok(())
}

fn own_calendar<'w>(world: &'w mut World, user: &str) -> Option<&'w mut Calendar> {
    let mut all = world.calendars.all.iter_mut();
    all.find(|calendar| calendar.primary_of == Some(user))
}

fn events(world: &World, now: Timestamp, user: &str) -> Section {
    let all = &world.calendars.all;
    let own = all
        .iter()
        .find(|calendar| calendar.primary_of == Some(user));
    let time = |event: &Event, name: &str| {
        let time = event.fields.get(name);
        let time = time.and_then(|time| time.get("dateTime").or_else(|| time.get("date")));
        time.and_then(|time| time.as_str())
            .unwrap_or_default()
            .to_owned()
    };
    let mut records: Vec<Record> = own
        .map(|calendar| calendar.events.as_slice())
        .unwrap_or_default()
        .iter()
        .filter(|event| !event.is_cancelled())
        .map(|event| {
            let cells = [
                event.text("summary").to_owned(),
                time(event, "start"),
                time(event, "end"),
                event.text("location").to_owned(),
            ];
            Record::new(event.id(), cells)
        })
        .collect();
    records.sort_by(|one, other| other.cells[1].cmp(&one.cells[1]));
    let at = |seconds| {
        now.as_second()
            .checked_add(seconds)
            .and_then(|at| Timestamp::from_second(at).ok())
    };
    let text = |at: Option<Timestamp>| at.map(|at| at.to_string()).unwrap_or_default();
    Section {
        name: EVENTS,
        title: "Events",
        columns: vec!["Summary", "Start", "End", "Location"],
        records,
        fields: vec![
            Field::line("summary", "Summary", ""),
            Field::line("start", "Start", text(at(HOUR))),
            Field::line("end", "End", text(at(2 * HOUR))),
            Field::line("location", "Location", ""),
        ],
    }
}

fn add_event(
    world: &mut World,
    shared: &mut Shared,
    user: &str,
    values: &Values,
) -> Result<(), String> {
    let summary = value(values, "summary")?;
    let (start, end) = (moment(values, "start")?, moment(values, "end")?);
    if end < start {
        return Err(String::from("end is before start"));
    }
    let id = hex(shared.ids.fresh("event", 12).as_bytes())[..26].to_owned();
    let index = world.calendars.index_of("primary", user);
    let index = index.ok_or_else(|| missing(user))?;
    let calendar = &world.calendars.all[index];
    let time =
        |at: Timestamp| json!({ "dateTime": at.to_string(), "timeZone": calendar.time_zone });
    let mut fields: Map<_, _> = [
        ("id", json!(id)),
        ("iCalUID", json!(format!("{id}@google.com"))),
        ("status", json!("confirmed")),
        ("summary", json!(summary)),
        ("start", time(start)),
        ("end", time(end)),
        ("creator", json!({ "email": user })),
        (
            "organizer",
            json!({ "email": calendar.id, "displayName": calendar.summary }),
        ),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    if let Ok(location) = value(values, "location") {
        fields.insert(String::from("location"), json!(location));
    }
    world.calendars.put(index, Event::new(fields, shared.now));
    Ok(())
}

fn files(world: &World, user: &str) -> Section {
    let files = &world.files;
    let seen = files
        .all
        .iter()
        .filter(|file| !file.is_root && files.may_see(file, user));
    let mut records: Vec<Record> = seen
        .map(|file| {
            let size = file.size().map(|size| format!("{size} bytes"));
            let cells = [
                file.name.clone(),
                file.mime_type.clone(),
                file.modified.to_string(),
                size.unwrap_or_default(),
            ];
            Record::new(&file.id, cells)
        })
        .collect();
    records.sort_by(|one, other| other.cells[2].cmp(&one.cells[2]));
    Section {
        name: FILES,
        title: "Files",
        columns: vec!["Name", "Type", "Modified", "Size"],
        records,
        fields: vec![
            Field::line("name", "Name", "notes.txt"),
            Field::line("type", "Type", "text/plain"),
            Field::text("text", "Content", ""),
        ],
    }
}

fn add_file(
    world: &mut World,
    shared: &mut Shared,
    user: &str,
    values: &Values,
) -> Result<(), String> {
    users::find(user).ok_or_else(|| missing(user))?;
    let (name, kind) = (value(values, "name")?, value(values, "type")?);
    let id = format!("1{}", hex(shared.ids.fresh("file", 18).as_bytes()));
    let mut file = File::new(&id[..33], name, kind, user, shared.now);
    file.parents = world
        .files
        .root(user)
        .map(|root| root.id.clone())
        .into_iter()
        .collect();
    file.made_by_application = false;
    if let Some(text) = values.get("text") {
        file.set_bytes(Bytes::from(text.clone()));
    }
    world.files.all.push(file);
    Ok(())
}

/// The sheets that a user may change. Each has the ID and the title of its file.
fn sheets<'w>(world: &'w World, user: &str) -> impl Iterator<Item = (&'w str, &'w str, &'w Sheet)> {
    let files = &world.files;
    let own = files.spreadsheets.iter().filter_map(move |one| {
        let file = files.file(&one.id)?;
        files.may_change(file, user).then_some((one, file))
    });
    own.flat_map(|(one, file)| {
        one.sheets
            .iter()
            .map(|sheet| (one.id.as_str(), file.name.as_str(), sheet))
    })
}

fn rows(world: &World, user: &str) -> Section {
    let mut records = Vec::new();
    let mut first = String::new();
    for (id, title, sheet) in sheets(world, user) {
        if first.is_empty() {
            first = format!("{title}/{}", sheet.title);
        }
        let mut rows: BTreeMap<u32, [String; CELLS as usize]> = BTreeMap::new();
        for ((row, column), cell) in &sheet.cells {
            let row = rows.entry(*row).or_default();
            if let Some(shown) = row.get_mut(*column as usize) {
                *shown = entered(cell);
            }
        }
        records.extend(rows.into_iter().map(|(row, cells)| {
            let place = format!("{title}/{} {}", sheet.title, row + 1);
            Record::new(
                format!("{id}/{}/{row}", sheet.id),
                std::iter::once(place).chain(cells),
            )
        }));
    }
    Section {
        name: ROWS,
        title: "Rows of sheets",
        columns: vec!["Row", "A", "B", "C", "D", "E"],
        records,
        fields: vec![
            Field::line("sheet", "Spreadsheet and sheet", first),
            Field::line("values", "Values, with commas between them", ""),
        ],
    }
}

fn entered(cell: &Cell) -> String {
    match &cell.entered {
        Entered::Text(text) | Entered::Formula(text) => text.clone(),
        Entered::Number(number) => number.to_string(),
        Entered::Bool(value) => value.to_string(),
    }
}

fn add_row(world: &mut World, shared: &Shared, user: &str, values: &Values) -> Result<(), String> {
    let (name, given) = (value(values, "sheet")?, value(values, "values")?);
    let mut all = sheets(world, user);
    let found = all.find(|(_, title, sheet)| format!("{title}/{}", sheet.title) == name);
    let found = found.map(|(id, _, sheet)| (id.to_owned(), sheet.id));
    drop(all);
    let (id, sheet_id) = found.ok_or_else(|| format!("there is no sheet {name}"))?;
    let sheet =
        change_sheet(world, shared.now, user, &id, sheet_id).ok_or_else(|| missing(name))?;
    let row = sheet
        .cells
        .keys()
        .map(|(row, _)| row + 1)
        .max()
        .unwrap_or(0);
    if row >= sheet.rows {
        return Err(String::from("the sheet is full"));
    }
    for (column, text) in (0..sheet.columns).zip(given.split(',')) {
        let text = text.trim();
        let entered = match text.parse::<f64>() {
            _ if text.is_empty() => continue,
            Ok(number) if number.is_finite() => Entered::Number(number),
            _ if text.starts_with('=') => Entered::Formula(text.to_owned()),
            _ => Entered::Text(text.to_owned()),
        };
        sheet.cells.insert((row, column), Cell::from(entered));
    }
    Ok(())
}

fn change_sheet<'w>(
    world: &'w mut World,
    now: Timestamp,
    user: &str,
    id: &str,
    sheet: i32,
) -> Option<&'w mut Sheet> {
    let spreadsheet = world.files.change_spreadsheet(id, user, now)?;
    spreadsheet.sheets.iter_mut().find(|one| one.id == sheet)
}

/// Empties a row without moving the rows below it.
fn delete_row(world: &mut World, user: &str, id: &str) -> bool {
    let mut parts = id.split('/');
    let (Some(id), Some(Ok(sheet)), Some(Ok(row))) = (
        parts.next(),
        parts.next().map(str::parse::<i32>),
        parts.next().map(str::parse::<u32>),
    ) else {
        return false;
    };
    let Some(file) = world
        .files
        .file(id)
        .filter(|file| world.files.may_change(file, user))
    else {
        return false;
    };
    let modified = file.modified;
    let Some(sheet) = change_sheet(world, modified, user, id, sheet) else {
        return false;
    };
    let before = sheet.cells.len();
    sheet.cells.retain(|(at, _), _| *at != row);
    sheet.cells.len() < before
}
