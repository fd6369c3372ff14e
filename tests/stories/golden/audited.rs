//! Compares the audit entries of a walk's requests with those that their operations declare.

use std::collections::{BTreeMap, BTreeSet};

use stead_core::{
    api::{Paging, Run},
    environment::{Environment, Visit, audit_actions, visit},
    resource::ListAuditEntries,
};

/// Declared actions that no walk can reach.
const UNREACHED: [&str; 1] = [
    // The key ring of a walk has only one key.
    "key.rewrapped",
];

/// Actions by operation, such as `DELETE /v1/webhooks/{webhook_id}`.
type ByOperation = BTreeMap<String, BTreeSet<String>>;

/// The entries that a walk has read.
pub struct Audited {
    declared: ByOperation,
    known: BTreeSet<&'static str>,
    seen: ByOperation,
    last: u64,
}

impl Audited {
    pub fn new() -> Self {
        struct Declared(ByOperation);
        impl Visit for Declared {
            fn operation<O: Run<Environment>>(&mut self) {
                let operation = format!("{} {}", O::INFO.method, O::INFO.path);
                let actions = O::INFO.audit.iter().copied().map(str::to_owned);
                self.0.insert(operation, actions.collect());
            }
        }
        let mut declared = Declared(ByOperation::new());
        visit(&mut declared);
        Self {
            declared: declared.0,
            known: audit_actions().iter().map(|action| action.name).collect(),
            seen: ByOperation::new(),
            last: 0,
        }
    }

    /// Reads the entries since the previous request. Those of this request need to be declared by its operation.
    pub async fn read(&mut self, environment: &Environment, operation: &str, request_id: &str) {
        let list = ListAuditEntries::new().page(Paging::new(None, Paging::MOST));
        let entries = environment.send(list).await.unwrap().items;
        let newest = entries.first().map_or(self.last, |entry| entry.number);
        let is_complete = newest - self.last < u64::from(Paging::MOST);
        assert!(is_complete, "{operation} writes too many entries to check");
        for entry in entries.iter().filter(|entry| entry.number > self.last) {
            let action = &entry.action;
            assert!(self.known.contains(&**action), "nothing declares {action}");
            // Requests that leave no record, such as those that prepare a walk, have other IDs.
            if entry.request_id.as_deref() != Some(request_id) {
                continue;
            }
            let declared = self.declared.get(operation);
            assert!(
                declared.is_some_and(|actions| actions.contains(action)),
                "{operation} doesn't declare {action}"
            );
            let seen = self.seen.entry(operation.to_owned()).or_default();
            seen.insert(action.clone());
        }
        self.last = newest;
    }

    /// Every action that an operation declares needs to be in an entry that it wrote, except those that no walk can
    /// reach.
    pub fn check(&self, operation: &str) {
        let declared = self.declared.get(operation).into_iter().flatten();
        for action in declared {
            let seen = self.seen.get(operation);
            let is_seen = seen.is_some_and(|actions| actions.contains(action));
            let is_expected = !UNREACHED.contains(&action.as_str());
            assert_eq!(
                is_seen, is_expected,
                "{operation} declares {action}; whether it writes it in the walk"
            );
        }
    }
}
