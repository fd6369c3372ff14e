//! One refresh: in this process through a single flight, among processes through a lease.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};

use super::{
    super::token_endpoint::{Granted, NoTokens, request_tokens},
    Attempt, RefreshReason,
    adopt::adopt_orphan,
    current, failure,
    keep::keep,
};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, Snapshot, TokenSet, change::Change},
    domain::{Account, Connection, lease::Claim},
    state::AccountState,
    store::Versioned,
};

/// How long another process's refresh is waited for.
const PATIENCE: Duration = Duration::from_secs(25);

/// Starts a refresh, or joins the one that runs. It goes on whether or not its result is waited for.
pub(crate) fn refresh_now(
    context: &Context,
    snapshot: &Arc<Snapshot>,
    reason: RefreshReason,
) -> impl Future<Output = Result<Arc<Snapshot>>> + Send + 'static {
    let (shared, snapshot) = (context.clone(), Arc::clone(snapshot));
    context
        .refreshes
        .join(context.runtime.as_ref(), snapshot.account.id, |guard| {
            Box::pin(async move {
                shared
                    .detached(|context| async move {
                        let result = refresh(&context, &snapshot, reason).await;
                        drop(guard);
                        result
                    })
                    .await?
            })
        })
}

async fn refresh(
    context: &Context,
    seen: &Snapshot,
    reason: RefreshReason,
) -> Result<Arc<Snapshot>> {
    let owner = context.new_id();
    let began = context.monotonic();
    let mut pause = Duration::from_millis(50);
    loop {
        let connection = context.connection_by_id(seen.connection.id).await?.row;
        // No claim is made where another refresh has renewed or ended the credential.
        let claim = context
            .change(
                "refresh.claim",
                || context.existing_account(seen.account.id),
                |account: Versioned<Account>| {
                    let Versioned {
                        row,
                        version,
                        read_at,
                    } = account;
                    if row.generation != seen.account.generation
                        || row.state != AccountState::Active
                        || !row.is_of_client(&connection)
                    {
                        return Ok((Change::none(), None));
                    }
                    let claim = row.claim(read_at, owner);
                    let mut change = Change::none();
                    if let Claim::Ours { account, .. } = &claim {
                        if reason == RefreshReason::Due {
                            not_too_early(&row, context.now())?;
                        }
                        change = change.update((**account).clone(), version);
                    }
                    Ok((change, Some(claim)))
                },
            )
            .await?;
        match claim {
            None => return current(context, &seen.of).await,
            Some(Claim::Taken) if context.monotonic().saturating_sub(began) > PATIENCE => {
                return Err(Error::new(
                    ErrorKind::RefreshInProgress,
                    "another process is refreshing this account; try again",
                )
                .with_retry_after(Duration::from_secs(1)));
            }
            Some(Claim::Taken) => {
                context.runtime.sleep(pause).await;
                pause = (pause * 2).min(Duration::from_millis(400));
            }
            Some(Claim::Ours {
                account,
                recovering,
            }) => {
                // Where newer tokens were found, nothing is asked of the product.
                if !adopt_orphan(context, &account, owner).await? {
                    let attempt = Attempt {
                        of: seen.of.clone(),
                        connection,
                        account: *account,
                        owner,
                        reason,
                        recovering,
                    };
                    return ask_product(context, attempt).await;
                }
            }
        }
    }
}

fn not_too_early(account: &Account, now: Timestamp) -> Result<()> {
    match account.next_refresh() {
        Some(until) if until > now => Err(failure::refresh_unavailable(
            "the last attempts failed",
            Some(until.duration_since(now)),
        )),
        _ => Ok(()),
    }
}

/// Presents the refresh token, and keeps what the product gives for it.
async fn ask_product(context: &Context, attempt: Attempt) -> Result<Arc<Snapshot>> {
    let tokens = context
        .tokens(&attempt.account, attempt.account.generation)
        .await?;
    let Some(refresh_token) = tokens.as_ref().and_then(TokenSet::refresh_token) else {
        return failure::no_refresh_token(context, &attempt).await;
    };
    match granted(context, &attempt.connection, refresh_token).await {
        Ok(granted) => keep(context, &attempt, &granted).await,
        Err(none) => failure::failed(context, &attempt, none).await,
    }
}

/// RFC 6749, 6: without `scope`, so that what the user did not grant is not asked for.
async fn granted(
    context: &Context,
    connection: &Connection,
    refresh_token: &SecretString,
) -> Result<Granted, NoTokens> {
    let endpoints = context.endpoints_of(connection)?;
    let grant = [
        ("grant_type", "refresh_token"),
        ("refresh_token", refresh_token.expose_secret()),
    ];
    request_tokens(
        context,
        endpoints.product,
        connection,
        &endpoints.token,
        &grant,
        Some(refresh_token),
    )
    .await
}
