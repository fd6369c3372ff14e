//! Stores the tokens that a refresh returned.

use std::{collections::BTreeSet, sync::Arc};

use jiff::Timestamp;

use super::{
    super::{
        client_health::client_used,
        revoke::{revocation_of_refreshed, work_off_outbox},
        token_endpoint::Granted,
    },
    Attempt, current,
    spooled::{self, SpooledTokens},
};
use crate::{
    ErrorKind, Result,
    context::{Context, Snapshot, TokenSet, change::Change},
    domain::{
        Account, AuthorizationState, Credential, OutboxEntry,
        account::Trigger,
        refresh::{Keep, Refreshed},
    },
    identifier::{AccountId, AuthorizationId},
    sealed::{Sealed, place},
    state::ConnectionHealth,
    store::Versioned,
};

/// Stores new tokens, and returns the account with them.
pub(super) async fn keep(
    context: &Context,
    attempt: &Attempt,
    granted: Granted,
    sent_at: Timestamp,
) -> Result<Arc<Snapshot>> {
    let refreshed = Refreshed {
        owner: attempt.owner,
        grant: attempt.account.refresh.grant,
        claimed: attempt.account.generation,
        generation: 0,
        sent_at,
        token_expires_at: granted.tokens.expires_at(),
        reauthorize_by: granted.reauthorize_by,
        scopes: granted.scopes,
        rotation: attempt.rotation,
        rotated: granted.rotated,
    };
    offer_until_kept(context, attempt, &granted.tokens, &refreshed).await?;
    if attempt.connection.health != ConnectionHealth::ClientOk {
        client_used(context, &attempt.connection, ConnectionHealth::ClientOk).await?;
    }
    current(context, &attempt.of).await
}

/// Tries to store the tokens until it succeeds, because the product won't issue them again. After the first failure,
/// they are also in the spool, and a process that shuts down leaves them there. If the product didn't replace the
/// refresh token, losing them does no harm.
async fn offer_until_kept(
    context: &Context,
    attempt: &Attempt,
    tokens: &TokenSet,
    refreshed: &Refreshed,
) -> Result<()> {
    let offers = context.offers(attempt.account.id, attempt.owner);
    let (mut spooled, mut failures) = (None, 0);
    loop {
        let error = match offer(context, attempt.account.id, tokens, refreshed).await {
            Ok(()) => break,
            Err(error) if error.kind() == ErrorKind::AccountNotFound => return Err(error),
            Err(error) => error,
        };
        if spooled.is_none() {
            offers.not_stored(&error, false);
            match SpooledTokens::put(context, &attempt.account, tokens, refreshed).await {
                Ok(name) => spooled = Some(name),
                Err(error) => offers.not_stored(&error, refreshed.rotated),
            }
        }
        let is_safe = spooled.is_some() || !refreshed.rotated;
        if is_safe && context.host.tasks.open().is_err() {
            return Err(error);
        }
        failures += 1;
        offers.pause(failures).await;
    }
    if let Some(name) = spooled {
        spooled::remove(context, &name).await;
    }
    Ok(())
}

/// Tries once to store the tokens as the account's next generation. If the lease was lost in the meantime, they are
/// stored next to the current ones: if the product rotates refresh tokens, they may be the only valid ones.
pub(super) async fn offer(
    context: &Context,
    account: AccountId,
    tokens: &TokenSet,
    refreshed: &Refreshed,
) -> Result<()> {
    let (kept, is_revoked) = context
        .change(
            "refresh.keep",
            || load(context, account, tokens, refreshed),
            |loaded| decide(context, loaded, refreshed),
        )
        .await?;
    if is_revoked {
        work_off_outbox(context);
    }
    if let Some(generation) = kept {
        let refreshed = refreshed.clone();
        // No caller waits for this. If it fails, the next refresh does it.
        context.detach(|context| async move {
            let shredded = shred_older(&context, account, generation, &refreshed).await;
            if let Err(error) = shredded {
                tracing::warn!(%account, kind = %error.kind(), "couldn't destroy replaced credentials yet");
            }
        });
    }
    Ok(())
}

struct Loaded {
    account: Versioned<Account>,
    /// The new tokens are already stored next to the current ones.
    aside: bool,
    /// The new tokens, for the account's next generation.
    sealed: Sealed<place::Tokens>,
    /// The epoch of the connection's client that they were issued to.
    client_epoch: u64,
    /// Revokes the tokens, if the claimed credential is to be revoked.
    revocation: Option<OutboxEntry>,
}

async fn load(
    context: &Context,
    account: AccountId,
    tokens: &TokenSet,
    refreshed: &Refreshed,
) -> Result<Loaded> {
    let account = context.existing_account(account).await?;
    let aside = account.row.keeps(refreshed) == Keep::Aside
        && context
            .store
            .credentials(account.row.id)
            .await?
            .iter()
            .any(|found| found.row.sent_at == Some(refreshed.sent_at));
    let generation = account.row.last_generation + 1;
    let sealed = tokens.seal(&context.store.vault, &account.row, generation)?;
    let revocation =
        revocation_of_refreshed(context, &account.row, refreshed.claimed, tokens).await?;
    Ok(Loaded {
        account,
        aside,
        sealed,
        client_epoch: tokens.client_epoch(),
        revocation,
    })
}

/// Returns the generation if it's the current one now, and whether the tokens are to be revoked instead.
fn decide(
    context: &Context,
    loaded: Loaded,
    refreshed: &Refreshed,
) -> Result<(Change, (Option<u64>, bool))> {
    let Loaded {
        account: Versioned { row, version, .. },
        aside,
        sealed,
        client_epoch,
        revocation,
    } = loaded;
    let refreshed = Refreshed {
        generation: row.last_generation + 1,
        ..refreshed.clone()
    };
    let changed = match aside {
        true => None,
        false => row.on(Trigger::Refreshed(&refreshed), context.host.now())?,
    };
    let Some(changed) = changed else {
        return Ok(match revocation.filter(|_| !aside) {
            Some(entry) => (Change::none().insert(entry), (None, true)),
            None => (Change::none(), (None, false)),
        });
    };
    let is_current = changed.0.generation == refreshed.generation;
    let change = Change::none().insert(Credential {
        account_id: row.id,
        generation: refreshed.generation,
        sealed: Some(sealed),
        pending_for: None,
        client_epoch,
        sent_at: Some(refreshed.sent_at),
        created_at: context.host.now(),
        extra: Default::default(),
    });
    // A refresh that ends a series of failures already has its own event.
    let quietly = is_current && changed.1.is_none();
    let event = quietly.then(|| changed.0.refresh_event("account.refreshed"));
    let change = event.into_iter().fold(change, Change::event);
    Ok((
        change.account(Some(changed), row.state, version),
        (is_current.then_some(refreshed.generation), false),
    ))
}

/// Shreds what the current generation has replaced. Keeps the claimed generation and later ones, tokens that wait for
/// confirmation, and tokens that were requested later.
async fn shred_older(
    context: &Context,
    account: AccountId,
    current: u64,
    refreshed: &Refreshed,
) -> Result<()> {
    context
        .change(
            "refresh.shred",
            || replaced(context, account, refreshed),
            |(account, replaced)| {
                // Another grant may have replaced this one in the meantime.
                if account.row.generation != current || replaced.is_empty() {
                    return Ok((Change::none(), ()));
                }
                let replaced = replaced.into_iter().map(|found| (found, None)).collect();
                let change = Change::none().guard(account.row.id, account.version);
                Ok((change.shred(replaced), ()))
            },
        )
        .await
}

async fn replaced(
    context: &Context,
    account: AccountId,
    refreshed: &Refreshed,
) -> Result<(Versioned<Account>, Vec<Versioned<Credential>>)> {
    let row = context.existing_account(account).await?;
    let mut credentials = context.store.credentials(account).await?;
    let mut waiting = BTreeSet::<AuthorizationId>::new();
    for holder in credentials.iter().filter_map(|found| found.row.pending_for) {
        let authorization = context.store.authorization(holder).await?;
        if authorization.is_some_and(|found| found.row.state == AuthorizationState::Verifying) {
            waiting.insert(holder);
        }
    }
    credentials.retain(|found| {
        let row = &found.row;
        // The claimed credential and later ones stay. A later one may have been issued after these tokens, even if it
        // was requested before them.
        let stays = (row.generation >= refreshed.claimed && row.pending_for.is_none())
            || row.sent_at > Some(refreshed.sent_at)
            || row.pending_for.is_some_and(|id| waiting.contains(&id));
        !stays
    });
    Ok((row, credentials))
}
