//! The feed of events is complete and in order, with several writers and for every way to read it.

use std::collections::BTreeMap;

use futures_util::StreamExt as _;
use stead::{NewConnection, Platform, Stead};
use stead_core::{environment::Verification, resource::TotalsStep};
use tokio::task::JoinSet;

use crate::stage::Stage;

const WRITERS: usize = 20;
const TIMES: usize = 5;

/// Another process over the stage's database.
async fn another(stage: &Stage) -> Platform {
    stage
        .over_its_store()
        .verification(Verification::LinkPossession)
        .build()
        .await
        .unwrap()
}

/// Every writer does this to the account of its own user.
async fn write(platform: Platform, user: String) {
    let account = platform.account("post", &user).unwrap();
    let link = platform.actions().authorization_link("post", &user);
    link.await.unwrap();
    for _ in 0..TIMES {
        account.suspend().await.unwrap();
        account.resume().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_reader_sees_every_event_once_and_in_order_with_twenty_writers() {
    let stage = Stage::new().await;
    let other = another(&stage).await;
    let new = NewConnection::mail("post").client("client", "secret");
    stage.platform.connections().create(new).await.unwrap();
    let stead = Stead::from(stage.client());
    let latest = stead.events().latest().read().await.unwrap().cursor;

    let mut writers = JoinSet::new();
    for (writer, platform) in (0..WRITERS).zip([&stage.platform, &other].into_iter().cycle()) {
        writers.spawn(write(platform.clone(), format!("user-{writer}")));
    }
    let each = 2 + 2 * TIMES;
    let mut pages = std::pin::pin!(stead.events().after(&latest).limit(7).follow());
    let mut seen = Vec::new();
    while seen.len() < WRITERS * each {
        let page = pages.next().await.unwrap().unwrap();
        assert!(!page.gap);
        seen.extend(page.items);
    }
    writers.join_all().await;

    let mut by_user = BTreeMap::<&str, Vec<&str>>::new();
    let mut ids: Vec<_> = seen.iter().map(|event| event.id).collect();
    for event in &seen {
        let user = event.text("identifier").unwrap();
        by_user.entry(user).or_default().push(&event.event_type);
    }
    let mut expected = vec!["account.created", "authorization.created"];
    expected.extend(["account.suspended", "account.resumed"].repeat(TIMES));
    assert_eq!(by_user.len(), WRITERS);
    for (user, events) in by_user {
        assert_eq!(events, expected, "{user}");
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), WRITERS * each);
    // The stored events are the same as those that were read, through either process.
    let mut events = other.events().after(latest).limit(500);
    let mut all = Vec::new();
    loop {
        let page = events.read().await.unwrap();
        all.extend(page.items);
        if !page.more {
            break;
        }
        events = events.after(page.cursor);
    }
    assert_eq!(all, seen);
    other.shut_down().await;
}

#[tokio::test]
async fn both_doors_read_the_same_events_and_calls() {
    let stage = Stage::connected().await;
    let doors = [Stead::from(stage.client()), stage.platform.clone().into()];
    let mut pages = Vec::new();
    for stead in &doors {
        let account = stead.account("mail", "user-1").unwrap();
        account.refresh().await.unwrap();
        let of_account = stead.events().connection("mail").identifier("user-1");
        let page = of_account.types(["account.*"]).read().await.unwrap();
        let types: Vec<_> = page.items.iter().map(|event| &*event.event_type).collect();
        assert_eq!(
            types[..3],
            ["account.created", "account.activated", "account.refreshed"]
        );
        let token = page.items[2].data.values().any(|fact| {
            let fact = fact.to_string();
            fact.contains("ya29") || fact.contains("ada@example.com")
        });
        assert!(!token, "{page:?}");
        pages.push(page.items[..3].to_vec());
    }
    assert_eq!(pages[0], pages[1]);

    for stead in &doors {
        let executions = stead
            .executions()
            .connection("mail")
            .tool("mail_list_drafts");
        let calls = executions.list().all().await.unwrap();
        let missing = stead.executions().read("exec_x").await.unwrap_err();
        assert_eq!(missing.kind(), stead::ErrorKind::NotFound);
        let before = pages[0][2].timestamp;
        let since = before - jiff::SignedDuration::from_hours(1);
        let executions = stead.executions();
        let totals = executions.totals(TotalsStep::Hour, since, before);
        assert_eq!((calls.len(), totals.await.unwrap().len()), (0, 0));
    }
}
