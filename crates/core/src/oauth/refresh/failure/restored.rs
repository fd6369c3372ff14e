//! Rejections that can be explained by a restored backup.

use jiff::Timestamp;

use crate::{context::Context, domain::Account, state::AccountReason};

/// The reason to record for the death of an account's credential.
pub(super) async fn reason(
    context: &Context,
    account: &Account,
    reason: AccountReason,
) -> AccountReason {
    let Some(restored_at) = context.store.restored_at else {
        return reason;
    };
    let credential = context.store.credential(account.id, account.generation);
    match credential.await {
        Ok(Some(found)) => explained(reason, found.row.created_at, restored_at),
        _ => reason,
    }
}

/// A refresh token from before a restore may have been used after the backup was made, so the product may have replaced
/// it.
fn explained(
    reason: AccountReason,
    created_at: Timestamp,
    restored_at: Timestamp,
) -> AccountReason {
    match reason {
        AccountReason::RefreshRejected | AccountReason::RefreshOutcomeLost
            if created_at < restored_at =>
        {
            AccountReason::RestoredFromBackup
        }
        reason => reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::AccountReason::{
        ClientChanged, RefreshOutcomeLost, RefreshRejected, RefreshTokenMissing, RestoredFromBackup,
    };

    #[test]
    fn a_refusal_of_a_token_from_before_the_restore_is_explained_by_it() {
        let [before, restored, after] = [1, 2, 3].map(|second| Timestamp::constant(second, 0));
        for reason in [RefreshRejected, RefreshOutcomeLost] {
            assert_eq!(explained(reason, before, restored), RestoredFromBackup);
            assert_eq!(explained(reason, after, restored), reason);
        }
        for reason in [RefreshTokenMissing, ClientChanged] {
            assert_eq!(explained(reason, before, restored), reason);
        }
    }
}
