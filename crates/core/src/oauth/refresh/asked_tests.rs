//! Refreshes that the application requests while the access token is still valid.

use std::time::Duration;

use super::flow_tests::{REFUSED, Stage, read};
use crate::{
    ErrorKind, accounts,
    ports::Runtime as _,
    resource::RefreshAccount,
    state::AccountState,
    testing::{STABLE, STRICT},
};

fn ask(stage: &Stage) -> Result<(), ErrorKind> {
    let asked = stage.world.run(accounts::refresh(
        &stage.context,
        RefreshAccount::new("demo", "ada"),
    ));
    asked.map(drop).map_err(|error| error.kind())
}

#[test]
fn a_requested_refresh_returns_an_error_if_it_fails() {
    let unavailable = Err(ErrorKind::RefreshUnavailable);
    let stage = Stage::new(&STRICT, 3000);
    stage.script([(503, "", None), REFUSED]);
    assert_eq!(ask(&stage), unavailable, "it is down");
    assert_eq!(ask(&stage), unavailable, "it refuses the refresh token");
    stage.read().unwrap();
    assert_eq!(ask(&stage), Ok(()));
    stage.store.set_down(true);
    assert_eq!(ask(&stage), Err(ErrorKind::StorageUnavailable));
    stage.read().unwrap();
}

#[test]
fn a_requested_refresh_waits_for_a_running_one() {
    let stage = Stage::new(&STRICT, 3000);
    stage.leased(20, None);
    assert_eq!(ask(&stage), Err(ErrorKind::RefreshInProgress));
    let stage = Stage::new(&STRICT, 3000);
    let other = stage.another(1);
    let both = [&stage.context, &other]
        .map(|context| accounts::refresh(context, RefreshAccount::new("demo", "ada")));
    let both = stage.world.run(futures_util::future::join_all(both));
    assert!(both.iter().all(Result::is_ok), "{both:?}");
    assert_eq!(stage.presented().len(), 1);
}

#[test]
fn a_refused_requested_refresh_keeps_an_account_with_a_valid_token() {
    let stage = Stage::new(&STRICT, 3000);
    stage.script([REFUSED]);
    assert_eq!(ask(&stage), Err(ErrorKind::RefreshUnavailable));
    assert_eq!(stage.account().state, AccountState::Active);
    assert_eq!(stage.presented().len(), 1);
}

#[test]
fn refused_requested_refreshes_end_the_account_only_with_its_access_token() {
    let stage = Stage::new(&STABLE, 100);
    stage.script([REFUSED; 20]);
    for _ in 0..12 {
        assert_eq!(ask(&stage), Err(ErrorKind::RefreshUnavailable));
        stage.seconds(6);
    }
    stage.read().unwrap();
    stage.seconds(40);
    assert_eq!(stage.fails(), ErrorKind::AuthorizationRequired);
}

#[test]
fn a_refresh_continues_after_its_caller_times_out() {
    let stage = Stage::new(&STABLE, -1);
    stage.leased(20, None);
    let clock = stage.world.process(0);
    let began = clock.monotonic();
    let timeout = Duration::from_secs(3);
    let hurried = stage.context.clone().within(timeout);
    let error = stage.world.err(read(&hurried));
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    assert_eq!(clock.monotonic() - began, timeout);
    assert!(stage.presented().is_empty());
    stage.seconds(60);
    assert_eq!(stage.presented().len(), 1);
    // Nothing is sent for a caller whose deadline has passed.
    let error = stage.world.err(read(&hurried));
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    stage.read().unwrap();
}

#[test]
fn a_caller_with_a_refused_token_waits_no_longer_than_its_timeout() {
    let stage = Stage::new(&STABLE, 3000);
    stage.leased(20, None);
    stage.refuse_access(true);
    let clock = stage.world.process(0);
    let began = clock.monotonic();
    let timeout = Duration::from_secs(3);
    let hurried = stage.context.clone().within(timeout);
    let error = stage.world.err(read(&hurried));
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    assert_eq!(clock.monotonic() - began, timeout);
    stage.seconds(60);
    assert_eq!(stage.presented().len(), 1);
}
