//! Rows of policies.

use super::{Found, Records, text};
use crate::{
    Result,
    domain::{Extra, Policy},
    store::{Index, Key, List, Record, Rewritten, Table, Value, Versioned, read},
};

pub(super) static POLICY: Table = Table {
    name: "policy",
    columns: &[text("name")],
    key: Index::unique(&["name"]),
    indexes: &[],
    sealed: false,
};

impl Rewritten for Policy {}
impl Record for Policy {
    const TABLE: &'static Table = &POLICY;
    const NESTS: bool = true;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![Value::text(&self.name)]
    }
}

impl Records {
    /// The key of a policy.
    pub(crate) fn policy_key(name: &str) -> Key {
        Key::new(&POLICY, vec![Value::text(name)])
    }
    /// A policy.
    pub(crate) async fn policy(&self, name: &str) -> Found<Policy> {
        self.get(Self::policy_key(name)).await
    }
    /// The first policies by name. An unreadable policy is an error, because without it the others could allow too
    /// much.
    pub(crate) async fn policies(&self, limit: u32) -> Result<Vec<Versioned<Policy>>> {
        let list = List::new(&POLICY, POLICY.key).limit(limit);
        let mut policies = Vec::new();
        for found in self.0.list(&list).await? {
            policies.push(read(self.authentic(found).await?)?);
        }
        Ok(policies)
    }
}
