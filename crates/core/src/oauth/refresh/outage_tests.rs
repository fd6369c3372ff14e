//! Refreshes while the store is unavailable, accepts no writes, or loses responses. Also refreshes of two servers on
//! one store.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use futures_util::future::join_all;
use jiff::SignedDuration;

use super::flow_tests::{Stage, read};
use crate::{
    ErrorKind, Result,
    error::ActBy,
    testing::{Outage, START, STRICT},
};

#[test]
fn calls_at_two_servers_survive_a_refused_new_token() {
    let stage = Stage::new(&STRICT, 3000);
    let other = stage.another(1);
    stage.change(|account| {
        account.refresh.token_sent_at = Some(START - SignedDuration::from_secs(10));
    });
    stage.refuse_token("token-1");
    let servers = [&stage.context, &other];
    let calls = (0..200).map(|number| read(servers[number % 2]));
    let calls = stage.world.run(join_all(calls));
    let failed: Vec<_> = calls.into_iter().filter_map(Result::err).collect();
    assert!(failed.is_empty(), "{}: {:?}", failed.len(), failed[0]);
    assert_eq!(stage.presented(), ["refresh-1"]);
}

/// The store becomes unavailable while it commits the claim. Its response may get lost.
#[test]
fn an_unknown_lease_is_released_when_the_store_is_back() {
    for responses_lost in [1, 0] {
        let stage = Stage::new(&STRICT, -1);
        let other = stage.another(1);
        let store = Arc::clone(&stage.store);
        stage.store.watch(move |batch| {
            if batch.name == "refresh.claim" {
                store.set_outage(Some(Outage::ReadsAndWrites));
            }
        });
        stage.store.doubt(responses_lost, true);
        let began = stage.context.host.monotonic();
        assert_eq!(stage.fails(), ErrorKind::StorageUnavailable);
        assert!(stage.context.host.monotonic() - began < Duration::from_secs(2));
        stage.store.watch(|_| {});
        stage.seconds(20);
        assert!(stage.account().lease.is_some());
        stage.store.set_outage(None);
        stage.seconds(3);
        assert_eq!(stage.account().lease, None);
        let began = stage.context.host.monotonic();
        stage.world.ok(read(&other));
        assert!(stage.context.host.monotonic() - began < Duration::from_secs(1));
        assert_eq!(stage.presented(), ["refresh-1"]);
    }
}

#[test]
fn a_failure_that_was_not_stored_releases_its_lease_later() {
    let stage = Stage::new(&STRICT, -1);
    stage.breaks.store(true, Ordering::SeqCst);
    stage.script([(503, "", None)]);
    assert_eq!(stage.fails(), ErrorKind::StorageUnavailable);
    stage.breaks.store(false, Ordering::SeqCst);
    stage.seconds(85);
    stage.store.set_down(false);
    stage.seconds(3);
    assert_eq!(stage.account().lease, None);
    stage.seconds(10);
    stage.read().unwrap();
    assert_eq!(stage.presented().len(), 2);
}

#[test]
fn callers_fail_fast_with_an_error_for_the_operator_while_the_store_is_down() {
    for outage in [Outage::Writes, Outage::ReadsAndWrites] {
        let stage = Stage::new(&STRICT, -1);
        let store = Arc::clone(&stage.store);
        stage.store.watch(move |batch| {
            if batch.name == "refresh.claim" {
                store.set_outage(Some(outage));
            }
        });
        for number in 0..5 {
            let began = stage.context.host.monotonic();
            let calls = stage
                .world
                .run(join_all((0..20).map(|_| read(&stage.context))));
            let took = stage.context.host.monotonic() - began;
            assert!(took < Duration::from_secs(2), "{outage:?} {took:?}");
            assert!(number == 0 || took < Duration::from_millis(500), "{took:?}");
            for error in calls.into_iter().map(Result::unwrap_err) {
                assert_eq!(error.kind(), ErrorKind::StorageUnavailable, "{outage:?}");
                assert_eq!(error.kind().act_by(), ActBy::Operator);
            }
        }
        stage.store.watch(|_| {});
        stage.store.set_outage(None);
        stage.seconds(3);
        stage.read().unwrap();
        assert_eq!(stage.presented().len(), 1);
    }
}

#[test]
fn tokens_that_are_only_in_memory_are_reported() {
    let stage = Stage::new(&STRICT, -1);
    let waits = &stage.context.store.waits;
    waits.check(Ok(())).unwrap();
    stage.machine.set_full(true);
    stage.breaks.store(true, Ordering::SeqCst);
    assert_eq!(stage.fails(), ErrorKind::StorageUnavailable);
    assert_eq!(waits.in_memory(), [stage.account().id]);
    let error = waits.check(Ok(())).unwrap_err();
    assert!(
        error.message().starts_with("1 token is only in memory"),
        "{error}"
    );
    // The spool gets the tokens first.
    stage.machine.set_full(false);
    stage.seconds(3);
    assert_eq!((waits.in_memory().len(), stage.spooled()), (0, 1));
    stage.breaks.store(false, Ordering::SeqCst);
    stage.store.set_down(false);
    stage.seconds(3);
    assert_eq!((stage.account().generation, stage.spooled()), (2, 0));
    waits.check(Ok(())).unwrap();
}
