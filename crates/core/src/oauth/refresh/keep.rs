//! Keeps what a refresh brought.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    super::{client_health::client_used, token_endpoint::Granted},
    Attempt, current,
};
use crate::{
    ErrorKind, Result,
    context::{Context, Snapshot, change::Change},
    domain::{
        Account, AuthorizationState, Credential,
        account::{Refreshed, Trigger},
    },
    identifier::AuthorizationId,
    sealed::Sealed,
    state::{AccountState, ConnectionHealth},
    store::Versioned,
};

struct Loaded {
    account: Versioned<Account>,
    credentials: Vec<Versioned<Credential>>,
    /// Authorizations that wait to be confirmed; their credentials are not shredded.
    waiting: BTreeSet<AuthorizationId>,
    /// The new tokens, for the account's next generation.
    sealed: Sealed,
    /// Which of the connection's clients they were issued to.
    client_epoch: u64,
}

/// Commits new tokens as the next generation. Where the lease was lost meanwhile they are kept all the same, as a
/// generation that is not current: of a rotating product they may be the only ones alive. A store that does not answer is
/// asked again for a while.
pub(super) async fn keep(
    context: &Context,
    attempt: &Attempt,
    granted: &Granted,
) -> Result<Arc<Snapshot>> {
    let refreshed = Refreshed {
        presented: attempt.account.generation,
        token_expires_at: granted.tokens.expires_at(),
        scopes: granted.scopes.clone(),
    };
    let kept = context
        .change_patiently(
            "refresh.keep",
            || load(context, &attempt.account, granted),
            |loaded| decide(context, loaded, &refreshed),
        )
        .await;
    if let Err(error) = kept {
        if error.kind() == ErrorKind::StorageUnavailable {
            tracing::error!(account = %attempt.account.id, "a refreshed credential could not be stored; a rotating product's account may need a new authorization");
        }
        return Err(error);
    }
    if attempt.connection.health != ConnectionHealth::ClientOk {
        client_used(context, &attempt.connection, ConnectionHealth::ClientOk).await?;
    }
    current(context, &attempt.of).await
}

async fn load(context: &Context, claimed: &Account, granted: &Granted) -> Result<Loaded> {
    let account = context.existing_account(claimed.id).await?;
    let credentials = context.store.credentials(claimed.id).await?;
    let mut waiting = BTreeSet::new();
    for holder in credentials.iter().filter_map(|found| found.row.pending_for) {
        let authorization = context.store.authorization(holder).await?;
        if authorization.is_some_and(|found| found.row.state == AuthorizationState::Verifying) {
            waiting.insert(holder);
        }
    }
    let generation = account.row.last_generation + 1;
    let sealed = granted
        .tokens
        .seal(&context.vault, &account.row, generation)?;
    Ok(Loaded {
        account,
        credentials,
        waiting,
        sealed,
        client_epoch: granted.tokens.client_epoch(),
    })
}

fn decide(context: &Context, loaded: Loaded, refreshed: &Refreshed) -> Result<(Change, ())> {
    let Loaded {
        account: Versioned { row, version, .. },
        credentials,
        waiting,
        sealed,
        client_epoch,
    } = loaded;
    let is_current = row.generation == refreshed.presented;
    // The user has authorized again, or was disconnected: that wins, and the user's grant was or is being revoked as the
    // application asked.
    let replaced = !is_current
        && credentials
            .iter()
            .find(|found| found.row.generation == refreshed.presented)
            .is_none_or(|found| found.row.pending_for.is_some());
    if replaced || row.state == AccountState::Disconnected {
        return Ok((Change::none(), ()));
    }
    let Some(changed) = row.on(Trigger::Refreshed(refreshed), context.now())? else {
        return Ok((Change::none(), ()));
    };
    let mut change = Change::none().insert(Credential {
        account_id: row.id,
        generation: changed.0.last_generation,
        sealed: Some(sealed),
        pending_for: None,
        client_epoch,
        created_at: context.now(),
        extra: Default::default(),
    });
    if is_current {
        for older in credentials {
            let waits = older
                .row
                .pending_for
                .is_some_and(|id| waiting.contains(&id));
            if older.row.generation != row.generation && !waits {
                change = change.update(older.row.shredded(), older.version);
            }
        }
    }
    Ok((change.account(Some(changed), version), ()))
}
