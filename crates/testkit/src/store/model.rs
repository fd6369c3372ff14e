//! Random batches do to a store what they do to the model, the in-memory store.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use stead_core::{
    resource::AccountState,
    store::{
        AccountRow, AuthorizationRow, AuthorizationState, Batch, Commit, ConnectionRow,
        CredentialRow, Digest, Horizon, MemoryStore, OutboxRow, Row, RowKey, Store,
    },
};

use super::{
    Check, Shared, check,
    look::{ALL, answered, rows, stored},
    sample,
};
use crate::runtime::ManualClock;

/// Batches of one sequence.
const BATCHES: u32 = 80;
/// Ids of every kind are drawn from so many, so that sequences meet the same rows again.
const NUMBERS: u64 = 4;

pub(super) fn checks() -> Vec<Check> {
    vec![
        check(random_batches_agree_with_the_model_1),
        check(random_batches_agree_with_the_model_2),
        check(random_batches_agree_with_the_model_3),
    ]
}

async fn random_batches_agree_with_the_model_1(store: Shared) {
    agree(store, 1).await;
}
async fn random_batches_agree_with_the_model_2(store: Shared) {
    agree(store, 2).await;
}
async fn random_batches_agree_with_the_model_3(store: Shared) {
    agree(store, 3).await;
}

async fn agree(store: Shared, seed: u64) {
    let model: Shared = Arc::new(MemoryStore::new(Arc::new(ManualClock::default())));
    let mut random = Random(seed);
    let mut versions: BTreeMap<RowKey, u64> = BTreeMap::new();
    let mut committed = 0;
    for step in 0..BATCHES {
        let batch = random_batch(&mut random, &*model, &versions).await;
        let shown = format!("seed {seed}, step {step}: {batch:?}");
        let expected = answered(model.commit(batch.clone()).await);
        assert_eq!(
            answered(store.commit(batch.clone()).await),
            expected,
            "{shown}"
        );
        if expected == Commit::Committed {
            committed += 1;
        }
        for key in touched(&batch) {
            let expected = stored(&*model, &key).await;
            assert_eq!(stored(&*store, &key).await, expected, "{shown}");
            match expected {
                Some((_, version)) => versions.insert(key, version),
                None => versions.remove(&key),
            };
        }
        if step % 10 == 9 {
            look_around(&*store, &*model, &mut random).await;
        }
        if step % 20 == 14 {
            let horizon = random_horizon(&mut random);
            let expected = answered(model.prune(&horizon, ALL).await);
            let shown = format!("seed {seed}, step {step}: {horizon:?}");
            assert_eq!(
                answered(store.prune(&horizon, ALL).await),
                expected,
                "{shown}"
            );
            for key in versions.keys().cloned().collect::<Vec<_>>() {
                let expected = stored(&*model, &key).await;
                assert_eq!(stored(&*store, &key).await, expected, "{shown}");
                if expected.is_none() {
                    versions.remove(&key);
                }
            }
        }
    }
    // A sequence that only conflicts, or never does, proves little.
    assert!(
        committed > BATCHES / 4 && committed < BATCHES,
        "{committed} of {BATCHES} batches were committed"
    );
}

/// A batch of a few guards and writes, most of them fit for the present state.
async fn random_batch(
    random: &mut Random,
    model: &dyn Store,
    versions: &BTreeMap<RowKey, u64>,
) -> Batch {
    let mut batch = Batch::new();
    for _ in 0..random.below(3) {
        let known = versions
            .keys()
            .nth(random.index(versions.len().max(1)))
            .filter(|_| random.below(20) > 0);
        let key = known.cloned().unwrap_or_else(|| random_row(random).key());
        let version = random_version(random, versions, &key);
        batch = batch.guard(key, version);
    }
    // What a batch does to a value that it also gives up elsewhere is for the checks of single batches.
    let mut values = BTreeSet::new();
    for _ in 0..=random.below(4) {
        let row = random_row(random);
        let key = row.key();
        let mut at_stake = unique_values(&row);
        if let Some((present, _)) = stored(model, &key).await {
            at_stake.extend(unique_values(&present));
        }
        if at_stake.iter().any(|value| values.contains(value)) {
            continue;
        }
        values.extend(at_stake);
        let version = random_version(random, versions, &key);
        batch = match (versions.contains_key(&key), random.below(40)) {
            (false, 2..) | (true, 0) => batch.insert(row),
            (false, 1) | (true, 10..) => batch.update(row, version),
            _ => batch.delete(key, version),
        };
    }
    batch
}

/// Keeps or removes all access tokens, executions, events and shredded credentials, and some ended authorizations.
fn random_horizon(random: &mut Random) -> Horizon {
    let mut either = |seconds| sample::moment(if random.below(2) == 0 { 0 } else { seconds });
    let mut horizon = Horizon::keeping_all();
    horizon.access_tokens = either(3601);
    horizon.executions = either(1);
    horizon.events = either(1);
    horizon.credentials = either(1);
    horizon.authorizations = sample::moment(random.seconds(6) * 10);
    horizon
}

/// Mostly the right version.
fn random_version(random: &mut Random, versions: &BTreeMap<RowKey, u64>, key: &RowKey) -> u64 {
    match (versions.get(key), random.below(40)) {
        (Some(version), 1..) => *version,
        (Some(version), 0) => version + 1,
        (None, _) => 1,
    }
}

fn random_row(random: &mut Random) -> Row {
    use AuthorizationState::{Completed, Created, Expired, Verifying};
    let number = u128::from(random.below(NUMBERS));
    let other = random.below(NUMBERS * 3);
    match random.below(12) {
        0 | 1 => ConnectionRow {
            name: sample::name(format!("name-{other}")),
            ..sample::connection(number)
        }
        .into(),
        2 | 3 => AccountRow {
            connection_id: sample::connection_id(u128::from(random.below(2))),
            identifier: sample::identifier(format!("ü/{other}")),
            state: if random.below(2) == 0 {
                AccountState::Active
            } else {
                AccountState::Disconnected
            },
            ..sample::account(number)
        }
        .into(),
        4 => {
            let full = sample::credential(number, other);
            CredentialRow {
                sealed: full.sealed.clone().filter(|_| random.below(2) == 0),
                ..full
            }
            .into()
        }
        5 | 6 => AuthorizationRow {
            account_id: sample::account_id(u128::from(random.below(2))),
            link: Digest::of(&format!("link {}", random.below(NUMBERS * 3))),
            oauth_state: (random.below(2) == 0).then(|| Digest::of(&format!("state {other}"))),
            state: [Completed, Created, Expired, Verifying][random.index(4)],
            expires_at: sample::moment(random.seconds(5) * 10),
            ..sample::authorization(number)
        }
        .into(),
        7 => sample::app_credential(number).into(),
        8 => sample::access_token(number).into(),
        9 => sample::data_key(number).into(),
        10 if other < NUMBERS => sample::execution(number).into(),
        10 => sample::event(number).into(),
        _ => OutboxRow {
            due_at: sample::moment(random.seconds(60)),
            ..sample::outbox(number)
        }
        .into(),
    }
}

/// What no two rows may share, beside the key.
fn unique_values(row: &Row) -> Vec<String> {
    match row {
        Row::Connection(row) => vec![format!("name {}", row.name)],
        Row::Account(row) => vec![format!("user {} {}", row.connection_id, row.identifier)],
        Row::Authorization(row) => {
            let state = row
                .oauth_state
                .iter()
                .map(|state| format!("state {}", state.as_str()));
            state
                .chain([format!("link {}", row.link.as_str())])
                .collect()
        }
        _ => Vec::new(),
    }
}

fn touched(batch: &Batch) -> Vec<RowKey> {
    use stead_core::store::Write;
    let written = batch.writes.iter().map(|write| match write {
        Write::Insert(row) | Write::Update(row, _) => row.key(),
        Write::Delete(key, _) => key.clone(),
        _ => panic!("the suite does not know this write: {write:?}"),
    });
    batch
        .guards
        .iter()
        .map(|(key, _)| key.clone())
        .chain(written)
        .collect()
}

/// Every page and every look-up that is not by key.
async fn look_around(store: &dyn Store, model: &dyn Store, random: &mut Random) {
    let limit = if random.below(2) == 0 { ALL } else { 3 };
    let now = sample::moment(random.seconds(6) * 10);
    assert_eq!(
        rows(store.connections(None, limit).await),
        rows(model.connections(None, limit).await)
    );
    assert_eq!(
        rows(store.accounts(None, None, limit).await),
        rows(model.accounts(None, None, limit).await)
    );
    assert_eq!(
        rows(store.executions(None, limit).await),
        rows(model.executions(None, limit).await)
    );
    assert_eq!(
        rows(store.events(None, limit).await),
        rows(model.events(None, limit).await)
    );
    assert_eq!(
        rows(store.app_credentials().await),
        rows(model.app_credentials().await)
    );
    assert_eq!(rows(store.data_keys().await), rows(model.data_keys().await));
    assert_eq!(
        rows(store.due(now, limit).await),
        rows(model.due(now, limit).await)
    );
    let by_id = |mut rows: Vec<AuthorizationRow>| {
        rows.sort_by_key(|row| row.id);
        rows
    };
    let overdue = by_id(rows(store.overdue_authorizations(now, ALL).await));
    assert_eq!(
        overdue,
        by_id(rows(model.overdue_authorizations(now, ALL).await))
    );
    for number in 0..u128::from(NUMBERS * 3) {
        let (connection, account) = (sample::connection_id(number), sample::account_id(number));
        let name = sample::name(format!("name-{number}"));
        let user = sample::identifier(format!("ü/{number}"));
        let link = Digest::of(&format!("link {number}"));
        let state = Digest::of(&format!("state {number}"));
        assert_eq!(
            answered(store.connection_named(&name).await).map(|found| (found.row, found.version)),
            answered(model.connection_named(&name).await).map(|found| (found.row, found.version)),
        );
        assert_eq!(
            answered(store.account_of(connection, &user).await)
                .map(|found| (found.row, found.version)),
            answered(model.account_of(connection, &user).await)
                .map(|found| (found.row, found.version)),
        );
        assert_eq!(
            answered(store.authorization_by_link(&link).await)
                .map(|found| (found.row, found.version)),
            answered(model.authorization_by_link(&link).await)
                .map(|found| (found.row, found.version)),
        );
        assert_eq!(
            answered(store.authorization_by_state(&state).await)
                .map(|found| (found.row, found.version)),
            answered(model.authorization_by_state(&state).await)
                .map(|found| (found.row, found.version)),
        );
        let after = Some(sample::account_id(1));
        assert_eq!(
            rows(store.accounts(Some(connection), after, limit).await),
            rows(model.accounts(Some(connection), after, limit).await)
        );
        assert_eq!(
            rows(store.credentials(account).await),
            rows(model.credentials(account).await)
        );
        assert_eq!(
            rows(store.authorizations(account, limit).await),
            rows(model.authorizations(account, limit).await)
        );
    }
}

/// SplitMix64: the same sequence everywhere for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
    fn index(&mut self, bound: usize) -> usize {
        usize::try_from(self.below(bound as u64)).unwrap_or_default()
    }
    fn seconds(&mut self, bound: u64) -> i64 {
        i64::try_from(self.below(bound)).unwrap_or_default()
    }
}
