//! How core reads rows: which ones it refuses or skips, and which unknown members it keeps.

use std::sync::Arc;

use futures_util::FutureExt as _;
use serde_json::{Value as Json, json};

use super::*;
use crate::{
    Error, ErrorKind,
    domain::{Connection, Event},
    identifier::{AccountId, ConnectionId, ConnectionName, EventId},
    resource::DisconnectAccount,
    state::AccountState,
    testing::{STABLE, World, always, insert_account},
};

fn ready<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("the rows are at hand")
}

fn connection(number: u128) -> Connection {
    let body = json!({
        "id": ConnectionId::from_uuid(uuid::Uuid::from_u128(number)),
        "name": format!("mail-{number}"),
        "product": "mail",
        "permissions": [],
        "settings": {},
        "state": "draft",
        "health": "client_ok",
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
    });
    serde_json::from_value(body).unwrap()
}

/// Changes the stored row of a connection directly in the store.
fn change(store: &MemoryStore, number: u128, change: impl FnOnce(&mut Row)) {
    let key = Key::from(connection(number).id);
    let mut found = ready(store.get(&key)).unwrap().unwrap();
    change(&mut found.row);
    let batch = Batch::new().write(Write::Update(found.row, found.version));
    assert_eq!(ready(store.commit(batch)).unwrap(), Commit::Committed);
}

fn with_member(row: &mut Row, name: &str, value: Json) {
    let mut body: Json = serde_json::from_str(&row.body).unwrap();
    body[name] = value;
    row.body = body.to_string();
}

/// A store with three connections.
fn inserted() -> (Arc<MemoryStore>, Records) {
    let store = Arc::new(MemoryStore::new(World::new().process(0)));
    let records = Records::new(Arc::clone(&store) as _);
    let batch = (1..=3).map(connection).fold(Batch::new(), Batch::insert);
    assert_eq!(ready(records.commit(batch)).unwrap(), Commit::Committed);
    (store, records)
}

#[test]
fn members_that_this_stead_does_not_know_are_kept() {
    let (store, records) = inserted();
    let unknown = json!({ "of": ["a", "newer", 1.5, null] });
    change(&store, 1, |row| {
        with_member(row, "region", unknown.clone());
        with_member(row, "v", json!(1));
    });
    let found = ready(records.connection(connection(1).id)).unwrap();
    let found = found.unwrap();
    let mut changed = found.row;
    changed.product = String::from("calendar");
    let batch = Batch::new().update(changed, found.version);
    assert_eq!(ready(records.commit(batch)).unwrap(), Commit::Committed);
    let found = ready(store.get(&connection(1).id.into())).unwrap().unwrap();
    let body: Json = serde_json::from_str(&found.row.body).unwrap();
    assert_eq!(body["region"], unknown);
    assert_eq!(body["v"], 1);
    assert_eq!(body["product"], "calendar");
}

#[test]
fn a_newer_body_is_read_where_possible_and_never_written() {
    let (store, records) = inserted();
    change(&store, 1, |row| with_member(row, "v", json!(2)));
    let found = ready(records.connection(connection(1).id)).unwrap();
    let found = found.unwrap();
    assert_eq!(found.row.product, "mail");
    let error = ready(records.commit(Batch::new().update(found.row, found.version))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageUnavailable);
    let newer = "a newer Stead wrote this row of table connection (version 2, this Stead reads up to 1); run the newer Stead";
    assert_eq!(error.message(), newer);
    // If a row can't be read for this reason, the error says so too.
    let unknown = json!("of a newer Stead");
    change(&store, 1, |row| with_member(row, "state", unknown));
    let error = ready(records.connection(connection(1).id)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageUnavailable, "{error}");
}

#[test]
fn an_unreadable_row_is_an_error_and_does_not_stop_lists() {
    for spoil in [
        (|row| row.body = String::from("secret")) as fn(&mut Row),
        |row| row.body.clear(),
        |row| row.body = String::from("{}"),
        |row| with_member(row, "state", json!("secret")),
        |row| with_member(row, "name", json!("other")),
        |row| row.values[1] = Value::Text(String::from("a-name")),
        |row| row.values[1] = Value::Integer(1),
    ] {
        let (store, records) = inserted();
        change(&store, 1, spoil);
        let error = ready(records.connection(connection(1).id)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::IntegrityViolated);
        let id = connection(1).id;
        let start = format!("row {id} of table connection can't be used: ");
        assert!(error.message().starts_with(&start), "{error}");
        assert!(!shown(&error).contains("secret"), "{error:?}");

        let names = |after: Option<&str>, limit| -> Vec<String> {
            let found = ready(records.connections(after, limit)).unwrap();
            let names = found.into_iter().map(|found| found.row.name.into());
            names.collect()
        };
        assert_eq!(names(None, 10), ["mail-2", "mail-3"]);
        // Pages still have the requested length, and reading continues after them.
        assert_eq!(names(None, 1), ["mail-2"]);
        assert_eq!(names(None, 2), ["mail-2", "mail-3"]);
        assert_eq!(names(Some("mail-2"), 2), ["mail-3"]);
    }
}

#[test]
fn every_column_is_compared_with_the_body() {
    let world = World::new();
    let store = world.store();
    let context = world.open(0, &STABLE, always(200, ""), &store);
    let account = world.run(insert_account(&context, AccountState::Active));
    let records = &context.store;
    let credential = ready(records.credential(account.id, 1)).unwrap();
    let credential = credential.unwrap().row.into_row().unwrap();
    for column in credential.table.columns.iter().skip(2) {
        let key = credential.key();
        let kept = ready(store.get(&key)).unwrap().unwrap();
        let mut changed = kept.row.clone();
        let mut columns = credential.table.columns.iter();
        let position = columns.position(|known| known == column);
        changed.values[position.unwrap()] = Value::Integer(7);
        let batch = Batch::new().write(Write::Update(changed, kept.version));
        assert_eq!(ready(store.commit(batch)).unwrap(), Commit::Committed);
        let error = ready(records.credential(account.id, 1)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::IntegrityViolated, "{column:?}");
        let batch = Batch::new().write(Write::Update(kept.row, kept.version + 1));
        assert_eq!(ready(store.commit(batch)).unwrap(), Commit::Committed);
    }
    assert!(ready(records.credential(account.id, 1)).is_ok());
}

#[test]
fn a_disconnect_deletes_an_unreadable_credential() {
    for (generation, spoil) in [
        (1, (|row| row.body.push('?')) as fn(&mut Row)),
        (2, |row| row.body.push('?')),
        (2, |row| with_member(row, "held_by", json!(7))),
        (2, |row| row.values[2] = Value::Integer(0)),
    ] {
        let world = World::new();
        let store = world.store();
        let context = world.open(0, &STABLE, always(200, ""), &store);
        let account = world.run(insert_account(&context, AccountState::Active));
        let found = ready(context.store.credential(account.id, 1)).unwrap();
        let mut older = found.unwrap().row;
        older.generation = 2;
        let committed = context.store.commit(Batch::new().insert(older));
        assert_eq!(ready(committed).unwrap(), Commit::Committed);

        let mut tables = TABLES.iter();
        let table = tables.find(|table| table.name == "credential").unwrap();
        let values = vec![Value::text(account.id), Value::Integer(generation)];
        let mut found = ready(store.get(&Key::new(table, values))).unwrap().unwrap();
        spoil(&mut found.row);
        let batch = Batch::new().write(Write::Update(found.row, found.version));
        assert_eq!(ready(store.commit(batch)).unwrap(), Commit::Committed);

        world.send(&context, DisconnectAccount::new("demo", "ada"));
        let left = ready(store.list(&List::new(table, table.key))).unwrap();
        assert_eq!(left.len(), 1, "{left:?}");
        let body = &left[0].row.body;
        assert!(!body.contains("ciphertext"), "{body}");
        assert!(body.contains("\"sealed\":null"), "{body}");
    }
}

#[test]
fn an_unreadable_value_is_not_written() {
    let (_, records) = inserted();
    let mut deep = Json::Null;
    for _ in 0..126 {
        deep = json!([deep]);
    }
    let mut nested = connection(4);
    nested.settings = [(String::from("deep"), deep.clone())].into_iter().collect();
    let event = Event {
        id: EventId::from_uuid(uuid::Uuid::from_u128(1)),
        name: String::from("account.activated"),
        at: Timestamp::UNIX_EPOCH,
        actor: None,
        account_id: None::<AccountId>,
        data: json!([deep]),
        short_lived: false,
        position: None,
        extra: Default::default(),
    };
    for batch in [
        Batch::new().insert(nested),
        Batch::new().insert(connection(5)).insert(event),
    ] {
        let error = ready(records.commit(batch)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{error}");
    }
    let fifth = ConnectionName::new("mail-5").unwrap();
    assert_eq!(ready(records.connection_named(&fifth)).unwrap(), None);
}

/// After a commit whose response was lost, the event's row has a position that the batch doesn't know.
#[test]
fn a_committed_event_is_recognized_without_its_position() {
    let records = Records::new(Arc::new(MemoryStore::new(World::new().process(0))));
    let event = |number, name: &str| Event {
        id: EventId::from_uuid(uuid::Uuid::from_u128(number)),
        name: name.to_owned(),
        actor: None,
        at: Timestamp::UNIX_EPOCH,
        account_id: None,
        data: json!({}),
        short_lived: false,
        position: None,
        extra: Default::default(),
    };
    let batch = Batch::new().insert(event(1, "a")).insert(event(2, "b"));
    assert!(!ready(records.holds(&batch)).unwrap());
    let committed = records.commit(batch.clone());
    assert_eq!(ready(committed).unwrap(), Commit::Committed);
    assert!(ready(records.holds(&batch)).unwrap());
    let of_another = Batch::new().insert(event(2, "c"));
    assert!(!ready(records.holds(&of_another)).unwrap());
    let events = ready(records.events(None, Some(1), 10)).unwrap();
    let [second] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!((&*second.row.name, second.row.position), ("b", Some(2)));
}

fn shown(error: &Error) -> String {
    format!("{error} {error:?} {:?}", error.to_problem())
}

/// Reads a database of the first schema, as the platform wrote it then. It has an open link, and two accounts that were
/// connected at the sandbox. The platform refreshed one account, and disconnected the other while its product was
/// unreachable.
#[test]
fn rows_of_the_first_schema_are_read_and_rewritten() {
    fn each<T: Rewritten + Clone + PartialEq + std::fmt::Debug>(store: &MemoryStore) -> usize {
        let list = List::new(T::TABLE, T::TABLE.key);
        let rows = ready(store.list(&list)).unwrap();
        for row in &rows {
            let found = read::<T>(row.clone()).unwrap();
            let batch = Batch::new().update(found.row.clone(), found.version);
            assert_eq!(ready(store.commit(batch)).unwrap(), Commit::Committed);
            let again = ready(store.get(&row.row.key())).unwrap().unwrap();
            assert_eq!(read::<T>(again).unwrap().row, found.row);
        }
        rows.len()
    }
    fn readable<T: Record>(store: &MemoryStore) -> usize {
        let rows = ready(store.list(&List::new(T::TABLE, T::TABLE.key))).unwrap();
        let count = rows.len();
        rows.into_iter()
            .for_each(|row| drop(read::<T>(row).unwrap()));
        count
    }
    let store = MemoryStore::new(World::new().process(0));
    let rows: Vec<(String, Vec<Json>, u64, String)> =
        serde_json::from_str(include_str!("first.json")).unwrap();
    for (name, values, _, body) in rows {
        let table = TABLES.iter().find(|table| table.name == name).unwrap();
        let values = values.into_iter().map(|value| match value {
            Json::String(text) => Value::Text(text),
            other => other.as_i64().map_or(Value::Null, Value::Integer),
        });
        let mut values: Vec<Value> = values.collect();
        if name == "event" {
            // The migration sets the same values.
            let event: Json = serde_json::from_str(&body).unwrap();
            values.insert(1, Value::flag(true));
            values.push(Value::optional(event["account_id"].as_str()));
            values.push(Value::Null);
        }
        if name == "account" {
            let account: Json = serde_json::from_str(&body).unwrap();
            values.push(Value::optional(account["state"].as_str()));
        }
        let row = Row::new(table, values, body);
        let batch = Batch::new().write(Write::Insert(row));
        assert_eq!(ready(store.commit(batch)).unwrap(), Commit::Committed);
    }
    use crate::domain::{
        AccessToken, Account, AppCredential, Authorization, Credential, DataKey, Execution,
        OutboxEntry,
    };
    let rewritten = [
        each::<Connection>(&store),
        each::<Account>(&store),
        each::<Credential>(&store),
        each::<Authorization>(&store),
        each::<OutboxEntry>(&store),
    ];
    let read = [
        readable::<AppCredential>(&store),
        readable::<AccessToken>(&store),
        readable::<DataKey>(&store),
        readable::<Execution>(&store),
        readable::<Event>(&store),
    ];
    assert_eq!((rewritten, read), ([2, 2, 3, 3, 1], [1, 1, 1, 1, 7]));
}
