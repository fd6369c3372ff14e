//! The row of the re-encryption job.

use super::{Found, Records, text};
use crate::{
    domain::{Extra, ReencryptionJob},
    store::{Index, Key, Record, Rewritten, Table, Value},
};

pub(super) static JOB: Table = Table {
    name: "job",
    columns: &[text("name")],
    key: Index::unique(&["name"]),
    indexes: &[],
    sealed: false,
};
const NAME: &str = "reencryption";

impl Rewritten for ReencryptionJob {}
impl Record for ReencryptionJob {
    const TABLE: &'static Table = &JOB;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![Value::text(NAME)]
    }
}

impl Records {
    /// The re-encryption job, if there ever was one.
    pub(crate) async fn reencryption_job(&self) -> Found<ReencryptionJob> {
        self.get(Key::new(&JOB, vec![Value::text(NAME)])).await
    }
}
