//! Runs one refresh at a time: in this process through a single flight, and between processes through a lease.

use std::{pin::pin, sync::Arc, time::Duration};

use futures_util::future::{self, Either};
use jiff::Timestamp;

use super::{
    Attempt, RefreshReason,
    adopt::{Adoption, adopt},
    current,
    failure::{
        give_back_later, refresh_in_progress, refresh_unavailable, token_refused_again,
        waits_for_store,
    },
    present::present,
    replay_spool::replay_account,
};
use crate::{
    ErrorKind, Result,
    context::{Context, Snapshot, change::Change},
    domain::{
        Account,
        lease::{Claim, Claimant},
        refresh::client_stamp,
    },
    state::AccountState,
    store::Versioned,
};

/// How long a caller waits. The refresh itself continues after that.
const PATIENCE: Duration = Duration::from_secs(25);
/// How often a caller whose token was rejected joins a running refresh that doesn't replace that token.
const JOINED: u8 = 3;

/// Starts a refresh, or joins the running one. The refresh continues even if the caller stops waiting for its result.
pub(crate) fn refresh_now(
    context: &Context,
    snapshot: &Arc<Snapshot>,
    reason: RefreshReason,
) -> impl Future<Output = Result<Arc<Snapshot>>> + Send + 'static {
    let mut running = join(context, snapshot, reason);
    let (context, seen) = (context.clone(), Arc::clone(snapshot));
    async move {
        for _ in 0..JOINED {
            let renewed = in_time(&context, &seen, reason, running).await?;
            let refused = reason == RefreshReason::Refused;
            if !refused || renewed.account.generation != seen.account.generation {
                return Ok(renewed);
            }
            // Another caller started this refresh, and the current token was good enough for it.
            running = join(&context, &seen, reason);
        }
        Err(refresh_unavailable("the last attempts failed", None))
    }
}

type Running = future::Shared<crate::ports::BoxFuture<'static, Result<Arc<Snapshot>>>>;

fn join(context: &Context, snapshot: &Arc<Snapshot>, reason: RefreshReason) -> Running {
    let (shared, seen) = (context.clone(), Arc::clone(snapshot));
    let key = (snapshot.account.id, snapshot.account.generation);
    context
        .workers
        .refreshes
        .join(context.host.runtime.as_ref(), key, |guard| {
            Box::pin(async move {
                shared
                    .detached(|context| async move {
                        let result = refresh(&context, &seen, reason).await;
                        drop(guard);
                        result
                    })
                    .await?
            })
        })
}

/// Returns the result of the refresh. If it takes too long, returns the current tokens if they're good enough.
async fn in_time(
    context: &Context,
    seen: &Arc<Snapshot>,
    reason: RefreshReason,
    running: Running,
) -> Result<Arc<Snapshot>> {
    // New tokens can only be used once they're stored.
    let away = pin!(context.store.goes_away());
    let waits = pin!(context.store.waits.is_long(seen.account.id));
    let too_long = context.host.runtime.sleep(PATIENCE);
    let over = future::select(future::select(away, waits), too_long);
    let error = match future::select(running, over).await {
        Either::Left((result, _)) => return result,
        Either::Right((Either::Left(_), _)) => waits_for_store(),
        Either::Right((Either::Right(_), _)) => refresh_in_progress(None),
    };
    serving(context, seen, reason).ok_or(error)
}

/// Returns the current tokens if they're good enough.
fn serving(
    context: &Context,
    seen: &Arc<Snapshot>,
    reason: RefreshReason,
) -> Option<Arc<Snapshot>> {
    let is_enough = seen.account.is_enough(reason, context.host.now());
    is_enough.then(|| Arc::clone(seen))
}

/// If the store is unavailable, tokens that still work stay usable.
async fn refresh(
    context: &Context,
    seen: &Arc<Snapshot>,
    reason: RefreshReason,
) -> Result<Arc<Snapshot>> {
    match claim_and_present(context, seen, reason).await {
        Err(error) if error.kind() == ErrorKind::StorageUnavailable => {
            serving(context, seen, reason).ok_or(error)
        }
        result => result,
    }
}

async fn claim_and_present(
    context: &Context,
    seen: &Arc<Snapshot>,
    reason: RefreshReason,
) -> Result<Arc<Snapshot>> {
    let owner = context.host.new_id();
    let began = context.host.monotonic();
    let mut pause = Duration::from_millis(50);
    let mut generation = seen.account.generation;
    loop {
        let connection = context.connection_by_id(seen.connection.id).await?.row;
        let endpoints = context.endpoints_of(&connection)?;
        if let Some(wait) = context
            .products
            .circuits
            .wait(&endpoints.token, context.host.monotonic())
        {
            let error = || refresh_unavailable("it fails for every account", Some(wait));
            return serving(context, seen, reason).ok_or_else(error);
        }
        let mut attempt = Attempt {
            of: seen.of.clone(),
            rotation: endpoints.product.oauth.rotation,
            client: client_stamp(&connection),
            connection,
            account: seen.account.clone(),
            owner,
            reason,
            read_at: Timestamp::UNIX_EPOCH,
            read_when: context.host.monotonic(),
        };
        let claimed = claim(context, &attempt, generation).await;
        let claimed = give_back_later(context, &attempt, claimed)?;
        let Some((claim, read_at)) = claimed else {
            return current(context, &seen.of).await;
        };
        attempt.read_at = read_at;
        let until = match claim {
            Claim::Ours {
                account,
                recovering,
            } => {
                attempt.account = *account;
                // The spool may have the tokens of the previous refresh.
                if recovering && replay_account(context, attempt.account.id).await {
                    continue;
                }
                let adoption = adopt(context, &attempt).await;
                match give_back_later(context, &attempt, adoption)? {
                    Adoption::NothingNewer => {}
                    Adoption::LeaseLost => continue,
                    Adoption::Adopted(adopted) => {
                        let renewed = current(context, &seen.of).await?;
                        let end = renewed.account.token_expires_at;
                        if end.is_none_or(|end| end > attempt.now(context)) {
                            return Ok(renewed);
                        }
                        generation = adopted;
                        continue;
                    }
                }
                match present(context, &attempt).await? {
                    Some(renewed) => return Ok(renewed),
                    None => continue,
                }
            }
            Claim::Young { .. } => return Err(token_refused_again()),
            Claim::BackOff(until) => {
                let wait = Duration::try_from(until.duration_since(read_at)).ok();
                let error = || refresh_unavailable("the last attempts failed", wait);
                return serving(context, seen, reason).ok_or_else(error);
            }
            Claim::HoldBack(until) => Some(until),
            Claim::Taken | Claim::Shortened(_) => None,
        };
        if seen.account.is_enough(reason, context.host.now()) {
            return current(context, &seen.of).await;
        }
        if context.host.monotonic().saturating_sub(began) > PATIENCE {
            let wait =
                until.and_then(|until| Duration::try_from(until.duration_since(read_at)).ok());
            return Err(refresh_in_progress(wait));
        }
        context.host.runtime.sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(400));
    }
}

/// Claims the lease. Also returns the store's time when it was read. Returns `None` if another refresh has renewed or
/// ended the credential.
async fn claim(
    context: &Context,
    attempt: &Attempt,
    generation: u64,
) -> Result<Option<(Claim, Timestamp)>> {
    context
        .change(
            "refresh.claim",
            || load(context, attempt),
            |(account, holder_ended)| {
                let Versioned {
                    row,
                    version,
                    read_at,
                } = account;
                if row.generation != generation
                    || row.state != AccountState::Active
                    || !row.is_of_client(&attempt.connection)
                {
                    return Ok((Change::none(), None));
                }
                let claim = row.claim(&Claimant {
                    read_at,
                    owner: attempt.owner,
                    process: context.store.spool.as_ref().map(|_| context.host.process),
                    reason: attempt.reason,
                    rotation: attempt.rotation,
                    client: &attempt.client,
                    holder_ended,
                });
                let change = match &claim {
                    Claim::Ours { account, .. }
                    | Claim::Shortened(account)
                    | Claim::Young {
                        noted: Some(account),
                        ..
                    } => Change::none().update((**account).clone(), version),
                    _ => Change::none(),
                };
                Ok((change, Some((claim, read_at))))
            },
        )
        .await
}

/// Loads the account, and whether the process that holds its lease has stopped.
async fn load(context: &Context, attempt: &Attempt) -> Result<(Versioned<Account>, bool)> {
    let account = context.existing_account(attempt.account.id).await?;
    let holder = account.row.lease.as_ref().and_then(|lease| lease.process);
    let ended = match holder {
        Some(process) => context.has_ended(process).await,
        None => false,
    };
    Ok((account, ended))
}
