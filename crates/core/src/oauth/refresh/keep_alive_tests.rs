//! Credentials that no one uses for a long time.

use std::time::Duration;

use jiff::SignedDuration;

use super::{flow_tests::Stage, keep_alive::keep_alive};
use crate::{
    domain::Credential,
    maintenance,
    product::{OAuth, Product, Rotation},
    store::{Batch, Commit},
    testing::{START, demo},
};

/// A product that drops unused refresh tokens.
static FORGETS: Product = Product {
    oauth: OAuth {
        keep_alive: Some(Duration::from_secs(90 * 86_400)),
        ..demo(Rotation::Stable).oauth
    },
    ..demo(Rotation::Stable)
};

#[test]
fn an_idle_credential_is_refreshed_before_its_product_forgets_it() {
    let stage = Stage::new(&FORGETS, 3600);
    let created = stage.account().generation;
    stage.world.ok(keep_alive(&stage.context));
    assert_eq!(stage.account().generation, created, "it is young");
    stage.change(|account| account.token_expires_at = Some(START));
    let old = START - SignedDuration::from_hours(24 * 91);
    let rows = stage.store.rows();
    let found = stage
        .world
        .ok(rows.credential(stage.account().id, 1))
        .unwrap();
    let batch = Batch::new().update(
        Credential {
            created_at: old,
            ..found.row
        },
        found.version,
    );
    assert_eq!(stage.world.ok(rows.commit(batch)), Commit::Committed);
    stage.world.ok(maintenance::run(&stage.context));
    assert_eq!(stage.account().generation, created + 1);
    stage.world.ok(maintenance::run(&stage.context));
    assert_eq!(stage.presented().len(), 1);
}
