//! The row of the public URL under which redirect URIs were handed out. It is in the table of jobs, which has a row by name.

use super::{Found, Records, reencryption::JOB};
use crate::{
    domain::{Extra, KnownPublicUrl},
    store::{Key, Record, Rewritten, Table, Value},
};

const NAME: &str = "public_url";

impl Rewritten for KnownPublicUrl {}
impl Record for KnownPublicUrl {
    const TABLE: &'static Table = &JOB;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![Value::text(NAME)]
    }
}

impl Records {
    /// The public URL under which redirect URIs were handed out, if any were.
    pub(crate) async fn known_public_url(&self) -> Found<KnownPublicUrl> {
        self.get(Key::new(&JOB, vec![Value::text(NAME)])).await
    }
}
