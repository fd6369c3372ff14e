//! Random batches have the same effect on a store as on the model, the in-memory store.

use std::{collections::BTreeMap, sync::Arc};

use stead_core::store::{
    Batch, ColumnKind, Commit, Key, List, MemoryStore, Row, TABLES, Table, Value, Write,
};

use super::{
    Check, Shared, check,
    look::{answered, listed, offer, stored},
    sample,
};
use crate::runtime::ManualClock;

/// Batches of one sequence.
const BATCHES: u32 = 80;
/// Number of different values in each column. It's small, so that a sequence writes the same rows again.
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
    let mut versions: BTreeMap<Key, u64> = BTreeMap::new();
    let mut committed = 0;
    for step in 0..BATCHES {
        let batch = random_batch(&mut random, &*model, &versions).await;
        let expected = answered(model.commit(batch.clone()).await);
        offer(&*store, batch.clone(), expected).await;
        committed += u32::from(expected == Commit::Committed);
        for key in touched(&batch) {
            match stored(&*model, &key).await {
                Some((_, version)) => versions.insert(key, version),
                None => versions.remove(&key),
            };
        }
        if step % 20 == 14 {
            let list = random_list(&mut random);
            let expected = answered(model.prune(&list).await);
            assert_eq!(answered(store.prune(&list).await), expected, "{list:?}");
            for key in versions.keys().cloned().collect::<Vec<_>>() {
                if stored(&*model, &key).await.is_none() {
                    versions.remove(&key);
                }
            }
        }
        if step % 5 == 4 {
            same_rows(&store, &model, &versions, step).await;
            let list = random_list(&mut random).limit(3);
            let positions = async |store: &Shared| -> Vec<Vec<Value>> {
                let rows = listed(&**store, &list).await;
                rows.iter().map(|row| list.position(row)).collect()
            };
            assert_eq!(positions(&store).await, positions(&model).await, "{list:?}");
        }
    }
    // A run proves little if it commits every batch, or only a few.
    assert!(
        committed > BATCHES / 4 && committed < BATCHES,
        "{committed} of {BATCHES} batches were committed"
    );
}

/// A row is the same whether it's read by its key, by its unique values, or in the list of its table.
async fn same_rows(store: &Shared, model: &Shared, versions: &BTreeMap<Key, u64>, step: u32) {
    for table in TABLES {
        let all = List::new(table, table.key);
        let rows = listed(&**model, &all).await;
        assert_eq!(listed(&**store, &all).await, rows, "step {step}");
        for row in rows {
            let version = versions.get(&row.key()).copied().expect("it was written");
            for index in table.indexes.iter().chain([&table.key]) {
                let values: Vec<Value> = row.values_of(*index).cloned().collect();
                if index.unique && !values.contains(&Value::Null) {
                    let found = answered(store.find(table, *index, &values).await);
                    let found = found.map(|found| (found.row, found.version));
                    assert_eq!(found, Some((row.clone(), version)), "step {step}");
                }
            }
        }
    }
}

/// A batch of a few guards and writes. Most of them fit the current state.
async fn random_batch(
    random: &mut Random,
    model: &dyn stead_core::store::Store,
    versions: &BTreeMap<Key, u64>,
) -> Batch {
    let mut batch = Batch::new();
    for _ in 0..random.below(3) {
        let known = versions.keys().nth(random.index(versions.len().max(1)));
        let known = known.filter(|_| random.below(20) > 0).cloned();
        let key = known.unwrap_or_else(|| random_row(random).key());
        let version = random_version(random, versions, &key);
        batch = batch.guard(key, version);
    }
    // Rows that clash within one batch are left to the checks of single batches.
    let mut at_stake: Vec<Row> = Vec::new();
    for _ in 0..=random.below(4) {
        let row = random_row(random);
        let key = row.key();
        let present = stored(model, &key).await.map(|(present, _)| present);
        let rows: Vec<Row> = present.into_iter().chain([row.clone()]).collect();
        let meets = |one: &Row| {
            at_stake.iter().any(|other| {
                one.table == other.table && (one.key() == other.key() || one.clashes(other))
            })
        };
        if rows.iter().any(meets) {
            continue;
        }
        at_stake.extend(rows);
        let version = random_version(random, versions, &key);
        batch = batch.write(match (versions.contains_key(&key), random.below(40)) {
            (false, 2..) | (true, 0) => Write::Insert(row),
            (false, 1) | (true, 10..) => Write::Update(row, version),
            _ => Write::Delete(key, version),
        });
    }
    batch
}

/// The right version, in most cases.
fn random_version(random: &mut Random, versions: &BTreeMap<Key, u64>, key: &Key) -> u64 {
    match (versions.get(key), random.below(40)) {
        (Some(version), 1..) => *version,
        (Some(version), 0) => version + 1,
        (None, _) => 1,
    }
}

fn random_table(random: &mut Random) -> &'static Table {
    TABLES[random.index(TABLES.len())]
}

fn random_row(random: &mut Random) -> Row {
    let table = random_table(random);
    let key = u32::try_from(random.below(NUMBERS)).unwrap_or_default();
    let mut row = sample::row(table, key);
    row.body = format!("{{\"random\":{}}}", random.below(1000));
    for column in table.columns.iter().skip(table.key.columns.len()) {
        let number = random.below(NUMBERS * 2);
        let value = match column.kind {
            ColumnKind::Integer | ColumnKind::Small | ColumnKind::Position => {
                Value::Integer(i64::try_from(number).unwrap_or_default())
            }
            ColumnKind::OptionalText if number == 0 => Value::Null,
            _ => Value::Text(format!("ü/{number}")),
        };
        row = sample::with(row, column.name, value);
    }
    row
}

/// A list of some rows of a table. Null values, and rows with equal values in the index, have no order.
fn random_list(random: &mut Random) -> List {
    let row = random_row(random);
    let indexes: Vec<_> = row.table.indexes.iter().chain([&row.table.key]).collect();
    let index = *indexes[random.index(indexes.len())];
    let columns = row.table.columns.iter();
    let mut optional = columns.filter(|column| column.kind == ColumnKind::OptionalText);
    if optional.any(|column| index.columns.contains(&column.name)) {
        return List::new(row.table, row.table.key);
    }
    let mut values: Vec<Value> = row.values_of(index).cloned().collect();
    let mut list = List::new(row.table, index);
    if values.len() > 1 && random.below(2) == 0 {
        list = list.prefix([values.remove(0)]);
    }
    if random.below(2) == 0 {
        list = list.below(values[0].clone());
    } else if random.below(2) == 0 {
        list = list.after(Some(values));
    }
    if random.below(2) == 0 {
        list = list.descending();
    }
    list
}

fn touched(batch: &Batch) -> Vec<Key> {
    let guarded = batch.guards.iter().map(|(key, _)| key.clone());
    guarded.chain(batch.writes.iter().map(Write::key)).collect()
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
}
