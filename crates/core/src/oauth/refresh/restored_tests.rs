//! Accounts restored from an older copy of the database.

use super::flow_tests::{REFUSED, Stage, read};
use crate::{
    context::Context,
    product::Product,
    state::{AccountReason, AccountState},
    testing::{ROTATING, STABLE, START, STRICT},
};

/// An account whose access token works for another 100 s, and a process that knows of a restore.
fn restored(product: &'static Product) -> (Stage, Context) {
    let stage = Stage::new(product, 100);
    stage.store.restore(START);
    let context = stage.another(1);
    (stage, context)
}

#[test]
fn a_refresh_token_from_before_a_restore_is_not_presented_while_the_access_token_serves() {
    for (product, presented) in [(&STABLE, 1), (&ROTATING, 0), (&STRICT, 0)] {
        let (stage, context) = restored(product);
        stage.world.ok(read(&context));
        stage.world.run_until_idle();
        stage.seconds(1);
        assert_eq!(
            stage.presented().len(),
            presented,
            "{:?}",
            product.oauth.rotation
        );
        let before = Stage::new(product, 100);
        before.read().unwrap();
        before.seconds(1);
        assert_eq!(before.presented().len(), 1, "without a restore");
    }
}

#[test]
fn a_restored_unused_refresh_token_is_used_when_the_access_token_expires() {
    let (stage, context) = restored(&STRICT);
    stage.seconds(60);
    stage.world.ok(read(&context));
    assert_eq!(stage.presented(), ["refresh-1"]);
    assert_eq!(stage.account().state, AccountState::Active);
}

#[test]
fn the_user_is_not_blamed_for_a_refresh_token_that_was_used_since_the_copy() {
    for product in [&ROTATING, &STRICT] {
        let (stage, context) = restored(product);
        stage.seconds(60);
        stage.script([REFUSED; 4]);
        for _ in 0..4 {
            // The first rejections may not fail the call.
            let _ = stage.world.run(read(&context));
            stage.seconds(400);
        }
        let account = stage.account();
        assert_eq!(account.state, AccountState::NeedsReauthorization);
        assert_eq!(account.reason, Some(AccountReason::RestoredFromBackup));
    }
}
