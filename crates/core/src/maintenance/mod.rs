//! Periodic work: expires overdue authorizations, processes the outbox, and deletes rows that no one needs.

mod examine;
mod history;
mod last_used;
mod metrics;

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::{
    Result, accounts,
    context::{Context, Retention, change::Change},
    domain::{
        Authorization,
        authorization::{End, Trigger},
    },
    keys, oauth, policy,
    store::{Cutoffs, Versioned},
};

pub(crate) use examine::examine;
pub use examine::{Examination, ExaminedConnection, Probe, WaitingInOutbox};
pub(crate) use metrics::metrics;

const PERIOD: Duration = Duration::from_secs(30);
/// Number of authorizations that are ended together.
const ROUND: u32 = 100;
/// Number of rows of a kind that are removed together. It's low so that calls don't wait long to write theirs.
const REMOVED: u32 = 500;
/// How long to keep authorizations after they end, so that applications can read how one ended.
const ENDED_AUTHORIZATIONS: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How long to keep webhook deliveries after they end.
const ENDED_DELIVERIES: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How long to keep approvals after they end.
const ENDED_APPROVALS: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How long to keep shredded credentials after their insertion. Nothing can be read from them.
const SHREDDED_CREDENTIALS: SignedDuration = SignedDuration::from_hours(24);
/// How long to keep events that are only useful for a short time.
const SHORT_LIVED_EVENTS: SignedDuration = SignedDuration::from_hours(24);

fn cutoffs(retention: Retention, now: Timestamp) -> Cutoffs {
    // A retention that reaches beyond the earliest time keeps everything.
    let before = |kept: SignedDuration| now.checked_sub(kept).unwrap_or(Timestamp::MIN);
    Cutoffs {
        access_tokens: now,
        keyed_calls: now,
        executions: before(retention.executions),
        totals: before(retention.totals),
        events: before(retention.events),
        short_lived_events: before(SHORT_LIVED_EVENTS.min(retention.events)),
        authorizations: before(ENDED_AUTHORIZATIONS),
        credentials: before(SHREDDED_CREDENTIALS),
        deliveries: before(ENDED_DELIVERIES),
        approvals: before(ENDED_APPROVALS),
    }
}

/// Starts the rounds. They stop with the context.
pub(crate) fn start(context: &Context) {
    let weak = context.downgrade();
    let first = context.host.runtime.sleep(PERIOD);
    let mover = context.downgrade();
    context.host.runtime.spawn(Box::pin(async move {
        if let Some(context) = mover.upgrade() {
            history::move_older(&context).await;
        }
    }));
    context.host.runtime.spawn(Box::pin(async move {
        let mut pause = first;
        loop {
            pause.await;
            let Some(context) = weak.upgrade() else {
                return;
            };
            if context.host.tasks.open().is_err() {
                return;
            }
            context.sweep();
            context.store.waits.tell();
            // The round needs the store.
            if !context.store.is_away()
                && let Err(error) = run(&context).await
            {
                tracing::warn!(kind = %error.kind(), "maintenance couldn't finish this round; the next round continues");
            }
            pause = context.host.runtime.sleep(PERIOD);
        }
    }));
}

/// Runs one round: reads the data keys again, stores tokens from the spool, ends expired authorizations and shreds
/// their pending tokens, processes the outbox, and removes rows that no one needs any more (see [`Retention`]). If one
/// part fails, the others still run. Runs automatically every 30 seconds.
pub(crate) async fn run(context: &Context) -> Result<()> {
    // This comes first, because other processes may be waiting for it.
    if let Err(error) = keys::keep_up(context).await {
        tracing::warn!(kind = %error.kind(), "couldn't read the data keys again");
    }
    if let Err(error) = keys::authenticate_rows(context).await {
        tracing::warn!(kind = %error.kind(), "couldn't add MACs to rows from before an upgrade");
    }
    oauth::replay_spool(context).await;
    let ended = end_overdue(context).await;
    oauth::work_off_outbox(context);
    if let Err(error) = oauth::keep_alive(context).await {
        tracing::warn!(kind = %error.kind(), "couldn't check for idle credentials");
    }
    if let Err(error) = oauth::end_all_older_clients(context).await {
        tracing::warn!(kind = %error.kind(), "couldn't disconnect the accounts of a changed client");
    }
    if let Err(error) = keys::continue_reencryption(context).await {
        tracing::warn!(kind = %error.kind(), "couldn't check whether re-encryption is complete");
    }
    if let Err(error) = last_used::keep(context).await {
        tracing::warn!(kind = %error.kind(), "couldn't store when credentials were last used");
    }
    if let Err(error) = policy::expire_approvals(context).await {
        tracing::warn!(kind = %error.kind(), "couldn't expire approvals");
    }
    if let Err(error) = remove_unneeded(context).await {
        tracing::warn!(kind = %error.kind(), "couldn't delete expired rows");
    }
    if let Err(error) = accounts::continue_erasures(context).await {
        tracing::warn!(kind = %error.kind(), "couldn't remove erased users from the history yet");
    }
    ended
}

async fn end_overdue(context: &Context) -> Result<()> {
    loop {
        let now = context.host.now();
        let mut ended = match end_unopened(context, now).await {
            Ok(ended) => ended,
            // The loop below expires them one by one.
            Err(error) => {
                tracing::warn!(kind = %error.kind(), "couldn't expire unopened links together");
                0
            }
        };
        let overdue = context.store.overdue_authorizations(now, ROUND).await?;
        let last = overdue.len() < ROUND as usize;
        for id in overdue.into_iter().map(|found| found.row.id) {
            let is_overdue = |current: &Authorization| current.expires_at < now;
            match oauth::end(context, id, is_overdue, End::Expired, "timeout").await {
                // An authorization that wasn't expired has advanced in the meantime.
                Ok(_) => ended += 1,
                // A row that can't be expired must not block the others.
                Err(error) => {
                    tracing::warn!(authorization = %id, kind = %error.kind(), "couldn't expire an authorization")
                }
            }
        }
        if last || ended == 0 {
            return Ok(());
        }
    }
}

/// Ends links that no one has opened, in one transaction. Their events are only kept for a short time, because these
/// links had no effect. Returns the number of ended links.
async fn end_unopened(context: &Context, now: Timestamp) -> Result<usize> {
    context
        .change(
            "authorization.unopened",
            || context.store.overdue_authorizations(now, ROUND),
            |overdue| {
                let (mut change, mut ended) = (Change::none(), 0);
                for Versioned { row, version, .. } in overdue {
                    let timeout = Trigger::Ended(End::Expired, "timeout".into());
                    if row.is_unopened()
                        && let Some((row, _)) = row.on(timeout, now)?
                    {
                        change = change
                            .event(row.event("authorization.expired"))
                            .update(row, version);
                        ended += 1;
                    }
                }
                Ok((change, ended))
            },
        )
        .await
}

async fn remove_unneeded(context: &Context) -> Result<()> {
    let (retention, now) = (context.history.retention, context.host.now());
    let cutoffs = cutoffs(retention, now);
    let executions = cutoffs.executions;
    let reads = now.checked_sub(retention.reads).unwrap_or(Timestamp::MIN);
    let reads = reads.max(executions);
    history::move_older(context).await;
    history::run(context, history::Kept { executions, reads }).await;
    let mut removed = 0;
    loop {
        let gone = context.store.prune(&cutoffs, REMOVED).await?;
        removed += gone;
        if gone < u64::from(REMOVED) {
            break;
        }
    }
    if removed > 0 {
        tracing::debug!(removed, "deleted expired rows");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::{
        ErrorKind,
        context::Context,
        digest::Digest,
        domain::{
            AccessToken, Authorization, AuthorizationState, Credential, Event,
            authorization::new_authorization,
        },
        identifier::{AccountId, AuthorizationId, EventId},
        store::Commit,
        store::{Batch, Key, Record, Records, Row, Write},
        testing::{self, Flaky, STABLE, START, World, always, context, executions},
    };

    /// Builds a row of a kind from a number and a time, and the time from which rows of the kind are kept.
    type Kind = (fn(u64, Timestamp) -> Row, Timestamp);

    const DAY: SignedDuration = SignedDuration::from_hours(24);
    const INSTANT: SignedDuration = SignedDuration::from_nanos(1);

    fn access_token(expires_at: Timestamp) -> Row {
        AccessToken {
            token: Digest::of(&expires_at.to_string()),
            client_id: String::from("app"),
            secret_id: None,
            scopes: None,
            expires_at,
        }
        .into_row()
        .unwrap()
    }

    fn execution(number: u128, started_at: Timestamp) -> Row {
        testing::execution(number, "ada", started_at)
            .into_row()
            .unwrap()
    }

    fn event(number: u128, at: Timestamp) -> Row {
        let id = EventId::from_uuid(Uuid::from_u128(number));
        Event {
            id,
            name: String::from("account.activated"),
            at,
            actor: None,
            account_id: None,
            data: json!({}),
            short_lived: false,
            position: None,
            extra: Default::default(),
        }
        .into_row()
        .unwrap()
    }

    fn authorization(number: u128, state: AuthorizationState, expires_at: Timestamp) -> Row {
        let account = testing::account(1, "ada");
        let id = AuthorizationId::from_uuid(Uuid::from_u128(number));
        let link = Digest::of(&number.to_string());
        Authorization {
            state,
            ..new_authorization(id, &account, link, expires_at, expires_at)
        }
        .into_row()
        .unwrap()
    }

    fn shredded(generation: u64, created_at: Timestamp) -> Row {
        let account_id = AccountId::from_uuid(Uuid::from_u128(1));
        Credential {
            account_id,
            generation,
            sealed: None,
            pending_for: None,
            client_epoch: 0,
            sent_at: None,
            created_at,
            extra: Default::default(),
        }
        .into_row()
        .unwrap()
    }

    fn insert(world: &World, store: &Records, rows: impl IntoIterator<Item = Row>) {
        let batch = rows
            .into_iter()
            .map(Write::Insert)
            .fold(Batch::new(), Batch::write);
        assert_eq!(world.ok(store.commit(batch)), Commit::Committed);
    }

    /// Whether a row exists: a guard on its first version succeeds.
    fn is_there(world: &World, store: &Records, key: Key) -> bool {
        world.ok(store.commit(Batch::new().guard(key, 1))) == Commit::Committed
    }

    #[test]
    fn a_round_removes_only_rows_past_their_retention() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        let store = &context.store;
        let now = context.host.now();
        let kinds: [Kind; 4] = [
            (|_, at| access_token(at), now),
            (|number, at| event(number.into(), at), now - DAY * 30),
            (
                |number, at| authorization(number.into(), AuthorizationState::Completed, at),
                now - DAY * 7,
            ),
            (|number, at| shredded(number, at), now - DAY),
        ];
        let (mut old, mut young) = (Vec::new(), Vec::new());
        for (row, since) in kinds {
            old.push(row(1, since - INSTANT));
            young.push(row(2, since));
        }
        insert(&world, store, old.iter().chain(&young).cloned());
        world.ok(run(&context));
        for row in old {
            assert!(!is_there(&world, store, row.key()), "{row:?}");
        }
        for row in young {
            assert!(is_there(&world, store, row.key()), "{row:?}");
        }
    }

    #[test]
    fn maintenance_runs_automatically() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        let token = access_token(START + SignedDuration::from_secs(45));
        insert(&world, &context.store, [token.clone()]);
        world.advance(PERIOD);
        assert!(is_there(&world, &context.store, token.key()));
        world.advance(PERIOD);
        assert!(!is_there(&world, &context.store, token.key()));
    }

    #[test]
    fn a_round_continues_until_nothing_is_left() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        let long_ago = context.host.now() - DAY * 31;
        let count = u128::from(REMOVED) * 2;
        insert(
            &world,
            &context.store,
            (0..=count).map(|number| execution(number, long_ago)),
        );
        insert(
            &world,
            &context.store,
            (0..count).map(|number| event(number, long_ago)),
        );
        world.ok(run(&context));
        assert!(world.ok(context.store.first_form(1)).is_empty());
        assert!(world.run(executions(&context)).is_empty());
        assert!(world.ok(context.store.events(None, None, 1)).is_empty());
    }

    #[test]
    fn a_long_overdue_authorization_ends_and_is_removed_in_one_round() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        let long_ago = context.host.now() - DAY * 8;
        let unopened = authorization(1, AuthorizationState::Created, long_ago);
        let opened = authorization(2, AuthorizationState::Redirected, long_ago);
        insert(&world, &context.store, [unopened.clone(), opened.clone()]);
        world.ok(run(&context));
        for forgotten in [unopened, opened] {
            assert!(!is_there(&world, &context.store, forgotten.key()));
        }
        // A link that no one opened had no effect, so its event is deleted sooner than others.
        let events = world.ok(context.store.events(None, None, 10));
        assert_eq!(
            events
                .iter()
                .map(|event| event.row.name.as_str())
                .collect::<Vec<_>>(),
            ["authorization.expired", "authorization.failed"]
        );
    }

    #[test]
    fn a_later_round_repeats_a_failed_removal() {
        let world = World::new();
        let store = Flaky::new(world.process(0));
        let context = world.open(0, &STABLE, always(200, ""), &store);
        let old = execution(1, context.host.now() - DAY * 31);
        insert(&world, &context.store, [old.clone()]);
        store.set_down(true);
        world.ok(run(&context));
        store.set_down(false);
        assert!(is_there(&world, &context.store, old.key()));
        world.ok(run(&context));
        assert!(!is_there(&world, &context.store, old.key()));
    }

    /// Opens a context with this retention.
    fn keeping(
        world: &World,
        executions: SignedDuration,
        events: SignedDuration,
    ) -> Result<Context> {
        world.configured(&world.store(), &STABLE, always(200, ""), |options| {
            options.retention.executions = executions;
            options.retention.events = events;
        })
    }

    #[test]
    fn history_is_kept_for_the_configured_time() {
        let world = World::new();
        let context = keeping(&world, DAY, SignedDuration::MAX).unwrap();
        let store = &context.store;
        let now = context.host.now();
        let events = [event(1, Timestamp::MIN)];
        insert(&world, store, events.clone());
        insert(
            &world,
            store,
            [execution(1, now - DAY - INSTANT), execution(2, now - DAY)],
        );
        world.ok(run(&context));
        let kept = world.run(executions(&context));
        let kept: Vec<_> = kept.iter().map(|call| call.id.uuid().as_u128()).collect();
        assert_eq!(kept, [2]);
        assert!(is_there(&world, store, events[0].key()));
    }

    #[test]
    fn a_negative_retention_is_refused() {
        let world = World::new();
        for (executions, events, what) in [
            (-INSTANT, DAY, "executions"),
            (DAY, SignedDuration::MIN, "events"),
        ] {
            let error = keeping(&world, executions, events).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::InvalidRequest);
            assert_eq!(
                error.message(),
                format!("the retention of {what} can't be negative")
            );
        }
        assert!(keeping(&world, SignedDuration::ZERO, SignedDuration::ZERO).is_ok());
    }
}
