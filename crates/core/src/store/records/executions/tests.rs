//! Pages of executions over groups that overlap, and the count of their bytes.

use std::{sync::Arc, time::Duration};

use futures_util::FutureExt as _;

use super::*;
use crate::{
    ports::Entropy as _,
    store::{MemoryStore, Row, Store as _, Write},
    testing::{Numbers, START, World, execution},
};

fn ready<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("the rows are at hand")
}

fn empty() -> (Arc<MemoryStore>, Records) {
    let store = Arc::new(MemoryStore::new(World::new().process(0)));
    (Arc::clone(&store), Records::new(store))
}

/// Stores calls in one flush.
fn write(records: &Records, calls: &[Execution], id: u128) -> Vec<ExecutionGroup> {
    let next = std::cell::Cell::new(id << 64);
    let groups = ExecutionGroup::pack(calls, || Uuid::from_u128(next.replace(next.get() + 1)));
    let committed =
        ready(records.commit_groups(Uuid::from_u128(1), Batch::new(), &groups, &[])).unwrap();
    assert_eq!(committed, Commit::Committed);
    groups
}

/// What all pages of this size hold, in their order.
fn pages(records: &Records, search: &Search, size: usize) -> Vec<Execution> {
    let (mut all, mut position) = (Vec::new(), None);
    loop {
        let (page, next) = ready(records.executions(search, position, size)).unwrap();
        assert!(page.len() <= size);
        all.extend(page);
        match next {
            Some(next) => position = Some(next),
            None => return all,
        }
    }
}

#[test]
fn pages_hold_what_one_sorted_list_would() {
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
            // Some take so long that younger ones are stored before them.
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
        write(&records, &calls, flush.into());
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
            .filter(|call| search.matches(call))
            .cloned()
            .collect();
        for size in [1, 3, 1_000] {
            assert_eq!(pages(&records, search, size), expected, "{search:?}");
        }
    }
}

#[test]
fn a_search_that_finds_little_gives_a_page_and_goes_on() {
    let (_, records) = empty();
    let count = READ_AT_MOST as u64 * 2;
    for number in 0..count {
        let call = execution(number.into(), "ada", START + Duration::from_secs(number));
        write(&records, &[call], number.into());
    }
    // It began first and was stored last: its group ends late because another call is in it.
    let slow = execution(u128::MAX, "bob", START);
    let neighbour = execution(u128::MAX - 1, "ada", START + Duration::from_secs(count));
    write(&records, &[slow.clone(), neighbour], count.into());
    let of = |identifier: &str| Search {
        identifier: Some(identifier.to_owned()),
        ..Search::default()
    };
    let (page, next) = ready(records.executions(&of("eve"), None, 10)).unwrap();
    assert!(page.is_empty() && next.is_some());
    assert_eq!(pages(&records, &of("eve"), 10), []);
    assert_eq!(pages(&records, &of("bob"), 10), [slow]);
}

#[test]
fn a_group_that_cannot_be_read_is_set_aside() {
    let (store, records) = empty();
    for number in 0..3 {
        let call = execution(number, "ada", START + Duration::from_secs(number as u64));
        write(&records, &[call], number);
    }
    let groups = ready(records.groups(false, false, Timestamp::MAX, 10)).unwrap();
    for (found, body) in groups[..2].iter().zip([None, Some("{}")]) {
        let row = found.row.clone().into_row().unwrap();
        let body = body.map_or_else(
            || row.body.replace("\"calls\":\"", "\"calls\":\"A"),
            String::from,
        );
        let row = Row { body, ..row };
        let batch = Batch::new().write(Write::Update(row, found.version));
        assert_eq!(ready(store.commit(batch)).unwrap(), Commit::Committed);
    }
    let found = pages(&records, &Search::default(), 10);
    assert_eq!(
        found
            .iter()
            .map(|call| call.id.uuid().as_u128())
            .collect::<Vec<_>>(),
        [2]
    );
}

#[test]
fn the_size_is_that_of_the_groups_whoever_counts() {
    let (_, records) = empty();
    let size = || ready(records.history_bytes()).unwrap();
    let mut sum = 0;
    for number in 0..40 {
        let groups = write(&records, &[execution(number, "ada", START)], number);
        sum += groups.iter().map(ExecutionGroup::bytes).sum::<i64>();
    }
    assert_eq!(size(), sum);
    let groups = ready(records.groups(false, false, Timestamp::MAX, 39)).unwrap();
    let gone = records.commit_groups(Uuid::from_u128(2), Batch::new(), &[], &groups);
    assert_eq!(ready(gone).unwrap(), Commit::Committed);
    assert_eq!(size(), sum / 40);
}
