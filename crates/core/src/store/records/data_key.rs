//! The keys that encrypt secrets.

use super::{Listed, Records, text};
use crate::{
    domain::{DataKey, Extra},
    store::{Index, List, Record, Rewritten, Table, Value},
};

pub(super) static DATA_KEY: Table = Table {
    name: "data_key",
    columns: &[text("id")],
    key: Index::unique(&["id"]),
    indexes: &[],
    sealed: true,
};

impl Rewritten for DataKey {}
impl Record for DataKey {
    const TABLE: &'static Table = &DATA_KEY;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![Value::text(self.id)]
    }
}

impl Records {
    /// All data keys, oldest first.
    pub(crate) async fn data_keys(&self) -> Listed<DataKey> {
        self.list(List::new(&DATA_KEY, DATA_KEY.key)).await
    }
}
