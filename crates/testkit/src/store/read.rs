//! Rows come back as they were stored, by every look-up.

use stead_core::{
    identifier::DataKeyId,
    store::{AccountRow, Digest, RowKey},
};
use uuid::Uuid;

use super::{
    Check, Shared, check,
    look::{ALL, answered, insert, rows, stored},
    sample,
};

pub(super) fn checks() -> Vec<Check> {
    vec![
        check(every_row_reads_back_exactly),
        check(rows_without_anything_optional_read_back_exactly),
        check(every_look_up_finds_its_row),
        check(what_is_not_there_is_not_found),
        check(hostile_identifiers_are_kept_apart),
        check(names_differ_by_case),
        check(shredded_credentials_are_found_by_generation_alone),
        check(rows_carry_the_stores_time),
    ]
}

async fn every_row_reads_back_exactly(store: Shared) {
    for number in [1, u128::MAX / 3] {
        let all = sample::full_rows(number);
        insert(&*store, all.clone()).await;
        for row in all {
            assert_eq!(stored(&*store, &row.key()).await, Some((row, 1)));
        }
    }
}

async fn rows_without_anything_optional_read_back_exactly(store: Shared) {
    let all = sample::bare_rows(1);
    insert(&*store, all.clone()).await;
    for row in all {
        assert_eq!(stored(&*store, &row.key()).await, Some((row, 1)));
    }
}

async fn every_look_up_finds_its_row(store: Shared) {
    for number in 1..=3 {
        insert(&*store, sample::full_rows(number)).await;
    }
    let connection = sample::connection(2);
    assert_eq!(
        answered(store.connection(connection.id).await).unwrap_row(),
        connection
    );
    assert_eq!(
        answered(store.connection_named(&connection.name).await).unwrap_row(),
        connection
    );
    let account = sample::account(2);
    assert_eq!(
        answered(store.account(account.id).await).unwrap_row(),
        account
    );
    assert_eq!(
        answered(
            store
                .account_of(account.connection_id, &account.identifier)
                .await
        )
        .unwrap_row(),
        account
    );
    assert_eq!(
        answered(store.credential(account.id, 1).await).unwrap_row(),
        sample::credential(2, 1)
    );
    let authorization = sample::authorization(2);
    let state = Digest::of("state 2");
    assert_eq!(
        answered(store.authorization(authorization.id).await).unwrap_row(),
        authorization
    );
    assert_eq!(
        answered(store.authorization_by_link(&authorization.link).await).unwrap_row(),
        authorization
    );
    assert_eq!(
        answered(store.authorization_by_state(&state).await).unwrap_row(),
        authorization
    );
    let app_credential = sample::app_credential(2);
    assert_eq!(
        answered(store.app_credential(&app_credential.client_id).await).unwrap_row(),
        app_credential
    );
    let access_token = sample::access_token(2);
    assert_eq!(
        answered(store.access_token(&access_token.token).await).unwrap_row(),
        access_token
    );
}

async fn what_is_not_there_is_not_found(store: Shared) {
    insert(&*store, sample::full_rows(1)).await;
    for row in sample::full_rows(2) {
        assert_eq!(stored(&*store, &row.key()).await, None);
    }
    let (account, other) = (sample::account(1), sample::account(2));
    assert_eq!(
        answered(store.connection_named(&sample::name("mail")).await),
        None
    );
    assert_eq!(
        answered(
            store
                .account_of(account.connection_id, &other.identifier)
                .await
        ),
        None
    );
    assert_eq!(
        answered(
            store
                .account_of(sample::connection_id(2), &account.identifier)
                .await
        ),
        None
    );
    assert_eq!(answered(store.credential(account.id, 2).await), None);
    assert_eq!(answered(store.credential(account.id, 0).await), None);
    // A state is no link, and a link no state.
    assert_eq!(
        answered(store.authorization_by_link(&Digest::of("state 1")).await),
        None
    );
    assert_eq!(
        answered(store.authorization_by_state(&Digest::of("link 1")).await),
        None
    );
    assert_eq!(answered(store.app_credential("").await), None);
    assert_eq!(answered(store.app_credential("app_1%").await), None);
    assert_eq!(
        stored(&*store, &RowKey::DataKey(DataKeyId::from_uuid(Uuid::nil()))).await,
        None
    );
}

async fn hostile_identifiers_are_kept_apart(store: Shared) {
    let accounts: Vec<AccountRow> = sample::hostile_identifiers()
        .into_iter()
        .zip(1_u128..)
        .map(|(identifier, number)| AccountRow {
            identifier,
            ..sample::account(number)
        })
        .collect();
    insert(&*store, accounts.clone()).await;
    for account in accounts {
        let found = answered(
            store
                .account_of(account.connection_id, &account.identifier)
                .await,
        );
        assert_eq!(found.map(|found| found.row), Some(account));
    }
}

async fn names_differ_by_case(store: Shared) {
    for (number, name) in [(1, "mail"), (2, "Mail"), (3, "MAIL")] {
        let mut connection = sample::connection(number);
        connection.name = sample::name(name);
        insert(&*store, [connection]).await;
    }
    let found = answered(store.connection_named(&sample::name("Mail")).await);
    assert_eq!(
        found.map(|found| found.row.id),
        Some(sample::connection_id(2))
    );
}

async fn shredded_credentials_are_found_by_generation_alone(store: Shared) {
    let mut shredded = sample::credential(1, 2);
    shredded.sealed = None;
    let live = [sample::credential(1, 1), sample::credential(1, 3)];
    insert(&*store, live.clone()).await;
    insert(&*store, [shredded.clone(), sample::credential(2, 1)]).await;
    let mut found = rows(store.credentials(sample::account_id(1)).await);
    found.sort_by_key(|credential| credential.generation);
    assert_eq!(found, live);
    assert_eq!(
        answered(store.credential(sample::account_id(1), 2).await).unwrap_row(),
        shredded
    );
    assert!(rows(store.credentials(sample::account_id(3)).await).is_empty());
}

async fn rows_carry_the_stores_time(store: Shared) {
    insert(&*store, [sample::connection(1)]).await;
    let before = answered(store.now().await);
    let one = answered(store.connection(sample::connection_id(1)).await).map(|found| found.read_at);
    let page = answered(store.connections(None, ALL).await)
        .first()
        .map(|found| found.read_at);
    let after = answered(store.now().await);
    for read_at in [one, page] {
        assert!(
            read_at.is_some_and(|read_at| before <= read_at && read_at <= after),
            "{before} {read_at:?} {after}"
        );
    }
}

/// The row of a look-up that has to find one.
trait UnwrapRow<T> {
    fn unwrap_row(self) -> T;
}

impl<T> UnwrapRow<T> for Option<stead_core::store::Versioned<T>> {
    fn unwrap_row(self) -> T {
        self.expect("the row is found").row
    }
}
