//! Every state with every trigger, before and after the expiry.

use jiff::SignedDuration;
use uuid::Uuid;

use super::*;
use crate::{
    caller::Caller,
    digest::Digest,
    identifier::{AccountId, ApprovalId, ConnectionId, ConnectionName, Identifier},
    sealed::{Sealed, place},
};

const NOW: Timestamp = Timestamp::constant(1_767_225_600, 0);

/// A pending approval.
pub(crate) fn waiting(id: ApprovalId, arguments: Sealed<place::Arguments>) -> Approval {
    Approval {
        id,
        call: Digest::of("call"),
        state: ApprovalState::Pending,
        asked_by: Caller::Operator.actor(),
        connection_id: ConnectionId::from_uuid(Uuid::nil()),
        connection_name: ConnectionName::new("demo").unwrap(),
        product: String::from("demo"),
        account_id: AccountId::from_uuid(Uuid::nil()),
        identifier: Identifier::new("ada").unwrap(),
        tool: Some((String::from("demo_send"), String::from("2026-11-21"))),
        request: None,
        request_to_send: None,
        arguments,
        policy: String::from("p"),
        rule: String::from("/read_only"),
        created_at: NOW,
        expires_at: NOW + SignedDuration::from_secs(60),
        decided_by: None,
        decided_at: None,
        reason: None,
        extra: Default::default(),
    }
}

fn approval(state: ApprovalState) -> Approval {
    let id = ApprovalId::from_uuid(Uuid::nil());
    Approval {
        state,
        ..waiting(id, Sealed::from_bytes(Vec::new()))
    }
}

#[test]
fn every_state_knows_every_trigger() {
    let by = || Caller::Operator.actor();
    let triggers = [
        ("approve", Trigger::Approved(by(), None)),
        ("deny", Trigger::Denied(by(), None)),
        ("use", Trigger::Used),
        ("expire", Trigger::Expired),
    ];
    let mut allowed = Vec::new();
    for state in ApprovalState::ALL {
        for (name, trigger) in &triggers {
            for (when, now) in [
                ("in time", NOW),
                ("late", NOW + SignedDuration::from_secs(60)),
            ] {
                if let Ok((after, event)) = approval(state).on(trigger.clone(), now) {
                    let (from, to) = (state.name(), after.state.name());
                    assert_eq!(event, format!("approval.{to}"));
                    allowed.push(format!("{from} {name} {when} -> {to}"));
                }
            }
        }
    }
    assert_eq!(
        allowed,
        [
            "pending approve in time -> approved",
            "pending deny in time -> denied",
            "pending expire late -> expired",
            "approved deny in time -> denied",
            "approved use in time -> used",
            "approved expire late -> expired",
        ]
    );
}
