//! A write changes the row that it was made for, or nothing.

use stead_core::store::{Batch, CredentialRow, Digest, Row, RowKey};

use super::{
    Check, Shared, check,
    look::{answered, commit, conflict, insert, stored},
    sample,
};

pub(super) fn checks() -> Vec<Check> {
    vec![
        check(an_insert_conflicts_with_its_key),
        check(an_insert_conflicts_with_unique_values),
        check(an_update_conflicts_with_unique_values),
        check(absent_states_are_not_alike),
        check(a_unique_value_is_free_again_once_given_up),
        check(an_update_replaces_the_row_and_raises_its_version),
        check(an_update_moves_a_row_between_look_ups),
        check(an_update_needs_the_present_version),
        check(a_delete_needs_the_present_version),
        check(a_deleted_row_begins_anew),
        check(shredding_keeps_the_row),
    ]
}

async fn an_insert_conflicts_with_its_key(store: Shared) {
    let first = sample::full_rows(1);
    insert(&*store, first.clone()).await;
    for row in &first {
        conflict(&*store, Batch::new().insert(row.clone())).await;
    }
    // Other content under the same key.
    let mut renamed = sample::connection(1);
    renamed.name = sample::name("other");
    conflict(&*store, Batch::new().insert(renamed)).await;
    for row in first {
        assert_eq!(stored(&*store, &row.key()).await, Some((row, 1)));
    }
}

async fn an_insert_conflicts_with_unique_values(store: Shared) {
    insert(&*store, sample::full_rows(1)).await;
    for row in clashing() {
        conflict(&*store, Batch::new().insert(row.clone())).await;
        assert_eq!(stored(&*store, &row.key()).await, None);
    }
    // The same identifier belongs to another user behind another connection.
    let mut account = sample::account(2);
    account.identifier = sample::account(1).identifier;
    account.connection_id = sample::connection_id(2);
    insert(&*store, [account]).await;
}

async fn an_update_conflicts_with_unique_values(store: Shared) {
    insert(&*store, sample::full_rows(1)).await;
    let second = sample::full_rows(2);
    insert(&*store, second.clone()).await;
    for row in clashing() {
        conflict(&*store, Batch::new().update(row, 1)).await;
    }
    for row in second {
        assert_eq!(stored(&*store, &row.key()).await, Some((row.clone(), 1)));
        // A row does not clash with itself.
        commit(&*store, Batch::new().update(row, 1)).await;
    }
}

/// Rows of number 2, each with one unique value of number 1.
fn clashing() -> Vec<Row> {
    let mut connection = sample::connection(2);
    connection.name = sample::connection(1).name;
    let mut account = sample::account(2);
    account.identifier = sample::account(1).identifier;
    let mut by_link = sample::authorization(2);
    by_link.link = sample::authorization(1).link;
    let mut by_state = sample::authorization(2);
    by_state.oauth_state = sample::authorization(1).oauth_state;
    vec![
        connection.into(),
        account.into(),
        by_link.into(),
        by_state.into(),
    ]
}

async fn absent_states_are_not_alike(store: Shared) {
    for number in 1..=3 {
        let mut authorization = sample::authorization(number);
        authorization.oauth_state = None;
        insert(&*store, [authorization]).await;
    }
}

async fn a_unique_value_is_free_again_once_given_up(store: Shared) {
    let mut authorization = sample::authorization(1);
    let state = authorization.oauth_state.clone();
    insert(&*store, [sample::connection(1)]).await;
    insert(&*store, [authorization.clone()]).await;

    // By a change.
    authorization.oauth_state = None;
    commit(&*store, Batch::new().update(authorization, 1)).await;
    let mut heir = sample::authorization(2);
    heir.oauth_state = state;
    insert(&*store, [heir]).await;
    // By a deletion.
    commit(
        &*store,
        Batch::new().delete(RowKey::Connection(sample::connection_id(1)), 1),
    )
    .await;
    let mut heir = sample::connection(2);
    heir.name = sample::connection(1).name;
    insert(&*store, [heir]).await;
}

async fn an_update_replaces_the_row_and_raises_its_version(store: Shared) {
    let full = sample::full_rows(1);
    let bare = sample::bare_rows(1);
    insert(&*store, full.clone()).await;
    for version in 1..=3 {
        for row in &full {
            let key = row.key();
            // Once with nothing that the row can lack, once with everything.
            let other = bare
                .iter()
                .find(|bare| version % 2 == 1 && bare.key() == key)
                .unwrap_or(row);
            commit(&*store, Batch::new().update(other.clone(), version)).await;
            assert_eq!(
                stored(&*store, &key).await,
                Some((other.clone(), version + 1))
            );
        }
    }
}

async fn an_update_moves_a_row_between_look_ups(store: Shared) {
    insert(&*store, sample::full_rows(1)).await;
    let mut connection = sample::connection(1);
    let old_name = std::mem::replace(&mut connection.name, sample::name("renamed"));
    let mut authorization = sample::authorization(1);
    let old_state = authorization.oauth_state.replace(Digest::of("new state"));
    commit(
        &*store,
        Batch::new()
            .update(connection.clone(), 1)
            .update(authorization.clone(), 1),
    )
    .await;

    assert_eq!(answered(store.connection_named(&old_name).await), None);
    let found = answered(store.connection_named(&connection.name).await);
    assert_eq!(
        found.map(|found| (found.row, found.version)),
        Some((connection, 2))
    );
    assert_eq!(
        answered(
            store
                .authorization_by_state(&old_state.expect("it has one"))
                .await
        ),
        None
    );
    let found = answered(store.authorization_by_state(&Digest::of("new state")).await);
    assert_eq!(
        found.map(|found| (found.row, found.version)),
        Some((authorization, 2))
    );
}

async fn an_update_needs_the_present_version(store: Shared) {
    let all = sample::full_rows(1);
    for row in &all {
        conflict(&*store, Batch::new().update(row.clone(), 1)).await;
        assert_eq!(stored(&*store, &row.key()).await, None);
    }
    insert(&*store, all.clone()).await;
    for row in &all {
        commit(&*store, Batch::new().update(row.clone(), 1)).await;
        for wrong in [0, 1, 3, u64::MAX] {
            conflict(&*store, Batch::new().update(row.clone(), wrong)).await;
        }
        assert_eq!(stored(&*store, &row.key()).await, Some((row.clone(), 2)));
    }
}

async fn a_delete_needs_the_present_version(store: Shared) {
    let all = sample::full_rows(1);
    for row in &all {
        conflict(&*store, Batch::new().delete(row.key(), 1)).await;
    }
    insert(&*store, all.clone()).await;
    for row in &all {
        for wrong in [0, 2, u64::MAX] {
            conflict(&*store, Batch::new().delete(row.key(), wrong)).await;
        }
        assert_eq!(stored(&*store, &row.key()).await, Some((row.clone(), 1)));
    }
}

async fn a_deleted_row_begins_anew(store: Shared) {
    let others = sample::full_rows(2);
    insert(&*store, others.clone()).await;
    for row in sample::full_rows(1) {
        let key = row.key();
        insert(&*store, [row.clone()]).await;
        commit(&*store, Batch::new().update(row.clone(), 1)).await;
        commit(&*store, Batch::new().delete(key.clone(), 2)).await;
        assert_eq!(stored(&*store, &key).await, None);
        conflict(&*store, Batch::new().delete(key.clone(), 2)).await;
        insert(&*store, [row.clone()]).await;
        assert_eq!(stored(&*store, &key).await, Some((row, 1)));
    }
    for row in others {
        assert_eq!(stored(&*store, &row.key()).await, Some((row, 1)));
    }
}

async fn shredding_keeps_the_row(store: Shared) {
    insert(
        &*store,
        [sample::credential(1, 1), sample::credential(1, 2)],
    )
    .await;
    let shredded = CredentialRow {
        sealed: None,
        ..sample::credential(1, 1)
    };
    commit(&*store, Batch::new().update(shredded.clone(), 1)).await;
    assert_eq!(
        stored(&*store, &RowKey::Credential(shredded.account_id, 1)).await,
        Some((shredded.into(), 2))
    );
    let live = answered(store.credentials(sample::account_id(1)).await);
    assert_eq!(
        live.into_iter().map(|found| found.row).collect::<Vec<_>>(),
        [sample::credential(1, 2)]
    );
}
