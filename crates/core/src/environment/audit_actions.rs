//! Actions of the audit log. Operations declare theirs; a table has the others.

use std::collections::BTreeMap;

use super::{Environment, Visit, visit};
use crate::{
    api::{Info, Run},
    resource::EventType,
};

/// An action of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditAction {
    /// Its name, such as `connection.changed`.
    pub name: &'static str,
    /// When Stead writes such an entry, in one sentence.
    pub when: &'static str,
    /// Method and path of each operation that may write it.
    pub by: Vec<(&'static str, &'static str)>,
}

/// Actions that no operation writes, each with a sentence.
const WITHOUT_OPERATION: &[(&str, &str)] = &[
    (
        "accounts.export_started",
        "The operator started to export accounts with their tokens.",
    ),
    (
        "accounts.exported",
        "An export of accounts ended, even if it failed.",
    ),
    (
        "call.by_member",
        "A member of the dashboard called a product as a user. Stead writes it before it sends anything.",
    ),
    (
        "key.authenticates_rows",
        "After an upgrade, Stead protected the rows of the previous version with the active data key.",
    ),
    (
        "member.created",
        "A member was created without an invitation: the first owner, or a person who signed in at the provider.",
    ),
    (
        "member.joined",
        "A member accepted the invitation and set a password.",
    ),
    (
        "member.password_changed",
        "A member set a new password. Other sessions were signed out.",
    ),
    (
        "member.second_factor_added",
        "A member turned on one-time codes for sign-in.",
    ),
    (
        "member.second_factor_removed",
        "A member turned off one-time codes for sign-in.",
    ),
    ("member.signed_in", "A member signed in to the dashboard."),
    ("member.signed_out", "A member signed out of the dashboard."),
];

/// Every action, in alphabetical order.
pub fn audit_actions() -> Vec<AuditAction> {
    let without = WITHOUT_OPERATION.iter().map(|&(name, when)| {
        let by = Vec::new();
        (name, AuditAction { name, when, by })
    });
    let mut actions = Actions(without.collect());
    visit(&mut actions);
    actions.0.into_values().collect()
}

struct Actions(BTreeMap<&'static str, AuditAction>);

impl Visit for Actions {
    fn operation<O: Run<Environment>>(&mut self) {
        for &name in O::INFO.audit {
            let action = self.0.entry(name).or_insert_with(|| AuditAction {
                name,
                when: sentence(name, &O::INFO),
                by: Vec::new(),
            });
            action.by.push((O::INFO.method, O::INFO.path));
        }
    }
}

/// An action's sentence: from the event of the same name, because one operation can have several actions, or otherwise
/// the operation's summary.
fn sentence(name: &str, info: &Info) -> &'static str {
    match EventType::of(name) {
        Some(event) => {
            let end = event
                .when
                .find(". ")
                .map_or(event.when.len(), |end| end + 1);
            event.when.get(..end).unwrap_or(event.when)
        }
        None => info.summary.trim(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_has_operations_or_a_row_of_the_table() {
        for action in audit_actions() {
            let has_row = WITHOUT_OPERATION
                .iter()
                .any(|(name, _)| *name == action.name);
            assert_eq!(has_row, action.by.is_empty(), "{action:?}");
            assert!(action.when.ends_with('.'), "{action:?}");
        }
    }

    #[test]
    fn the_sentence_is_that_of_the_event_or_of_the_operation() {
        let actions = audit_actions();
        let of = |name| actions.iter().find(|action| action.name == name).unwrap();
        let erased = of("account.erased");
        assert_eq!(erased.when, "The user was erased.");
        let path = "/v1/accounts/{connection_name}/{identifier}";
        assert_eq!(erased.by, [("DELETE", path)]);
        let created = of("account_token.created");
        assert!(created.when.starts_with("Creates an account token"));
    }
}
