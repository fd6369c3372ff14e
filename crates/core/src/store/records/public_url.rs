//! The row of the public URL that redirect URIs were handed out with. It's in the table of jobs, which has a row per
//! name.

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
    /// The public URL that redirect URIs were handed out with, if there are any.
    pub(crate) async fn known_public_url(&self) -> Found<KnownPublicUrl> {
        self.get(Key::new(&JOB, vec![Value::text(NAME)])).await
    }
}
