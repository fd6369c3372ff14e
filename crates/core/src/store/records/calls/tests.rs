//! Pages of calls, their names, and the count of their bytes.

use std::{sync::Arc, time::Duration};

use futures_util::FutureExt as _;

use super::*;
use crate::{
    ports::Entropy as _,
    store::{MemoryStore, Store as _, Write, records::CALL_NAME},
    testing::{Numbers, START, World, execution},
};

fn ready<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("the rows are in memory")
}

fn empty() -> (Arc<MemoryStore>, Records) {
    let store = Arc::new(MemoryStore::new(World::new().process(0)));
    (Arc::clone(&store), Records::new(store))
}

fn commit(records: &Records, known: &KnownNames, calls: &[Execution], now: Timestamp) {
    let by = (Uuid::from_u128(1), now);
    let committed = records.commit_calls(known, by, Batch::new(), calls, 0);
    assert_eq!(ready(committed).unwrap(), Commit::Committed);
}

/// Stores calls as a process that has just started.
fn write(records: &Records, calls: &[Execution]) {
    commit(records, &KnownNames::default(), calls, START);
}

fn rows(store: &MemoryStore, table: &'static Table) -> Vec<Row> {
    let rows = ready(store.list(&List::new(table, table.key))).unwrap();
    rows.into_iter().map(|found| found.row).collect()
}

fn matches(search: &Search, call: &Execution) -> bool {
    fn is(asked: Option<&String>, found: &str) -> bool {
        asked.is_none_or(|asked| asked == found)
    }
    is(search.connection_name.as_ref(), &call.connection_name)
        && is(search.identifier.as_ref(), &call.identifier)
        && is(search.tool.as_ref(), &call.tool)
        && is(search.outcome.as_ref(), &call.outcome)
        && (search.actor.is_none() || search.actor == call.actor)
        && search.since.is_none_or(|since| call.started_at >= since)
        && search.before.is_none_or(|before| call.started_at < before)
}

/// The content of all pages of this size, in order.
fn pages(records: &Records, search: &Search, size: usize) -> Vec<Execution> {
    let (mut all, mut position) = (Vec::new(), None);
    loop {
        let found = records.executions(search, position, size, || true);
        let (page, next) = ready(found).unwrap();
        assert!(page.len() <= size);
        all.extend(page);
        match next {
            Some(next) => position = Some(next),
            None => return all,
        }
    }
}

#[test]
fn pages_equal_one_sorted_list() {
    let (_, records) = empty();
    let numbers = Numbers::seeded(8);
    let number = |below: u8| {
        let mut byte = [0];
        numbers.fill(&mut byte);
        byte[0] % below
    };
    let mut all = Vec::new();
    for flush in 0..60_u64 {
        let calls = (0..number(9)).map(|one| {
            // Some take so long that younger calls are stored before them.
            let ago = if number(5) == 0 {
                60 * u64::from(number(50))
            } else {
                0
            };
            let seconds = 3_600 + flush * 7 - ago.min(flush * 7) + u64::from(number(3));
            let mut call = execution(u128::from(flush) << 8 | u128::from(one), "", START);
            call.started_at += Duration::from_secs(seconds);
            call.identifier = format!("user-{}", number(3));
            call.tool = format!("tool-{}", number(3)).into();
            call.changes = number(3) == 0;
            call.actor = (number(2) == 0).then(|| String::from("app"));
            if number(4) == 0 {
                call.outcome = "not_found".into();
            }
            call
        });
        let calls: Vec<_> = calls.collect();
        all.extend(calls.clone());
        write(&records, &calls);
    }
    all.sort_by_key(|call| std::cmp::Reverse(call.place()));
    let text = |text: &str| Some(String::from(text));
    let moment = |seconds: u64| Some(START + Duration::from_secs(3_600 + seconds));
    let searches = [
        Search::default(),
        Search {
            identifier: text("user-1"),
            ..Search::default()
        },
        Search {
            tool: text("tool-2"),
            outcome: text("not_found"),
            ..Search::default()
        },
        Search {
            actor: text("app"),
            since: moment(100),
            ..Search::default()
        },
        Search {
            since: moment(100),
            before: moment(200),
            ..Search::default()
        },
        Search {
            before: moment(50),
            connection_name: text("demo"),
            ..Search::default()
        },
        Search {
            connection_name: text("other"),
            ..Search::default()
        },
    ];
    for search in &searches {
        let expected: Vec<_> = all
            .iter()
            .filter(|call| matches(search, call))
            .cloned()
            .collect();
        for size in [1, 3, 1_000] {
            assert_eq!(pages(&records, search, size), expected, "{search:?}");
        }
    }
}

#[test]
fn a_call_reads_back_exactly() {
    let (_, records) = empty();
    let mut calls: Vec<Execution> = (0..4).map(|one| execution(one, "ada", START)).collect();
    calls[0].path = Some(String::from("/v1/users/{id}"));
    calls[0].product_status = Some(403);
    calls[1].account_id = None;
    calls[1].trace_id = TraceId::from_bytes([0xf7; 16]);
    calls[1].identifier = String::from("ü \" \\ \u{202e}/");
    calls[1].actor = Some(String::from("app_1/acctok_2"));
    calls[2].id = ExecutionId::from_uuid(Uuid::max());
    calls[2].changes = true;
    calls[2].started_at = START + Duration::from_micros(1_000_001);
    calls[3].duration_micros = i64::MAX as u64;
    calls[3].outcome = "product_not_found".into();
    calls[3].tool_version = "".into();
    write(&records, &calls);
    calls.sort_by_key(|call| std::cmp::Reverse(call.place()));
    assert_eq!(pages(&records, &Search::default(), 10), calls);
    for (actor, found) in [
        ("app_1", 1),
        ("acctok_2", 1),
        ("app_1/acctok_2", 1),
        ("app_1/", 0),
    ] {
        let search = Search {
            actor: Some(actor.to_owned()),
            ..Search::default()
        };
        assert_eq!(pages(&records, &search, 10).len(), found, "{actor}");
    }
}

#[test]
fn a_long_search_ends_its_page_and_the_next_one_continues() {
    let (_, records) = empty();
    let hour = Duration::from_secs(3_600);
    let calls: Vec<_> = (0..100)
        .map(|number| {
            let identifier = if number == 0 { "bob" } else { "ada" };
            execution(number, identifier, START + hour * number as u32)
        })
        .collect();
    write(&records, &calls);
    let of = |identifier: &str| Search {
        identifier: Some(identifier.to_owned()),
        ..Search::default()
    };
    let first = |enough: bool| ready(records.executions(&of("bob"), None, 10, || enough)).unwrap();
    let (page, next) = first(true);
    assert!(page.is_empty() && next.is_some());
    assert_eq!(first(false), (vec![calls[0].clone()], None));
    assert_eq!(pages(&records, &of("bob"), 10), [calls[0].clone()]);
    assert_eq!(pages(&records, &of("eve"), 10), []);
}

#[test]
fn a_name_has_one_row_for_all_processes() {
    let (store, records) = empty();
    let processes = [KnownNames::default(), KnownNames::default()];
    for number in 0..10 {
        let call = execution(number, "ada", START + Duration::from_secs(number as u64));
        commit(&records, &processes[number as usize % 2], &[call], START);
    }
    // A tool, a connection, a user and an outcome.
    assert_eq!(rows(&store, &CALL_NAME).len(), 4);
    assert_eq!(rows(&store, &CALL).len(), 10);
}

#[test]
fn the_last_use_of_a_name_is_written_once_a_day_and_keeps_it() {
    let (store, records) = empty();
    let known = KnownNames::default();
    let used_at = |store: &MemoryStore| {
        let rows = rows(store, &CALL_NAME);
        rows.into_iter().map(|row| row.value("used_at").clone())
    };
    for (hours, used) in [(0, 0), (23, 0), (25, 25), (30, 25)] {
        let now = START + SignedDuration::from_hours(hours);
        commit(
            &records,
            &known,
            &[execution(hours as u128, "ada", now)],
            now,
        );
        let expected = Value::moment(START + SignedDuration::from_hours(used));
        assert!(used_at(&store).all(|at| at == expected), "{hours}");
    }
}

#[test]
fn a_name_knows_its_earliest_call() {
    let (store, records) = empty();
    let known = KnownNames::default();
    for (number, minutes) in [(0, 10), (1, 20), (2, 5)] {
        let at = START + SignedDuration::from_mins(minutes);
        commit(&records, &known, &[execution(number, "ada", at)], START);
    }
    let first_at = rows(&store, &CALL_NAME)
        .iter()
        .map(|row| {
            serde_json::from_str::<CallName>(&row.body)
                .unwrap()
                .first_at
        })
        .max();
    assert_eq!(first_at, Some(START + SignedDuration::from_mins(5)));
}

#[test]
fn names_that_were_read_before_they_were_forgotten_are_not_kept() {
    let (_, records) = empty();
    let known = KnownNames::default();
    let names = HashMap::from_iter([(
        Name::all_of(&execution(0, "ada", START))[2]
            .clone()
            .unwrap(),
        START,
    )]);
    let (numbers, _) = ready(records.numbers(&known, &names, START, Batch::new())).unwrap();
    known.clear();
    known.add(numbers);
    let (_, batch) = ready(records.numbers(&known, &names, START, Batch::new())).unwrap();
    assert_eq!(batch.writes.len(), 1, "the name isn't known");
}

#[test]
fn a_row_that_has_no_name_is_left_out() {
    let (store, records) = empty();
    let of = |number: u64| {
        let call = execution(number.into(), &format!("user-{number}"), START);
        Execution {
            started_at: START + Duration::from_secs(number),
            ..call
        }
    };
    write(&records, &[of(0), of(1)]);
    let row = rows(&store, &CALL_NAME)
        .into_iter()
        .find(|row| row.value("text") == &Value::text("user-1"))
        .unwrap();
    let batch = Batch::new().write(Write::Delete(row.key(), 1));
    assert_eq!(ready(store.commit(batch)).unwrap(), Commit::Committed);
    assert_eq!(pages(&records, &Search::default(), 10), [of(0)]);
    // A process that has just started gives the name a new row.
    write(
        &records,
        &[of(1)].map(|call| Execution {
            id: of(2).id,
            ..call
        }),
    );
    assert_eq!(pages(&records, &Search::default(), 10).len(), 2);
}

#[test]
fn the_size_follows_insertions_and_removals() {
    let (_, records) = empty();
    let size = || ready(records.history_bytes()).unwrap();
    for number in 0..40 {
        write(&records, &[execution(number, "ada", START)]);
    }
    assert_eq!(size(), 40 * CALL_BYTES);
    let gone = records.remove_calls(Uuid::from_u128(2), true, Timestamp::MIN..Timestamp::MAX, 39);
    assert_eq!(ready(gone).unwrap(), 39);
    assert_eq!(size(), CALL_BYTES);
}
