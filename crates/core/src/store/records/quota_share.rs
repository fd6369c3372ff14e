//! How processes share the quotas of accounts.

use super::{Found, Records, integer, text};
use crate::{
    domain::{Extra, QuotaShare},
    identifier::AccountId,
    store::{Index, Key, Record, Rewritten, Table, Value},
};

pub(super) static QUOTA_SHARE: Table = Table {
    name: "quota_share",
    columns: &[text("account_id"), integer("expires_at")],
    key: Index::unique(&["account_id"]),
    indexes: &[QUOTA_SHARES_BY_END],
    sealed: false,
};
pub(super) const QUOTA_SHARES_BY_END: Index = Index::of(&["expires_at"]);

impl Rewritten for QuotaShare {}
impl Record for QuotaShare {
    const TABLE: &'static Table = &QUOTA_SHARE;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![Value::text(self.account_id), Value::moment(self.ends_at())]
    }
}

impl Records {
    /// How processes share the quota of an account, if they do.
    pub(crate) async fn quota_share(&self, account: AccountId) -> Found<QuotaShare> {
        self.get(Key::new(&QUOTA_SHARE, vec![Value::text(account)]))
            .await
    }
}
