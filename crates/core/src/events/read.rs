//! Reads the feed from a cursor, and waits for new events.

use std::{pin::pin, time::Duration};

use futures_util::future::select;

use super::{
    cursor::Cursor,
    view::{is_of, view},
};
use crate::{
    ErrorKind, Result,
    context::Context,
    domain::AccountRef,
    identifier::AccountId,
    resource::{Event, EventFilter, EventPage},
};

/// Longest wait for new events.
const LONGEST: Duration = Duration::from_secs(30);
/// How often to look for commits of other processes.
const POLL: Duration = Duration::from_secs(1);
/// Rows that are read together.
const READ: u32 = 200;
/// Maximum number of rows to read for one page, whether or not they match.
const LOOKED_AT: u32 = 2_000;
/// Maximum number of events on a page.
const MOST: u32 = 500;
/// Value instead of a cursor: only events from now on.
const LATEST: &str = "latest";

/// Events after a cursor or from the oldest one, in the order of commits. If there are none, waits for at most this
/// long. With the newest first, the events before the cursor or the last ones, without waiting.
pub(crate) async fn read(
    context: &Context,
    filter: &EventFilter,
    after: Option<&str>,
    limit: u32,
    wait: Duration,
) -> Result<EventPage> {
    filter.check()?;
    if filter.newest_first {
        return Search::new(context, filter)
            .await?
            .page_back(context, after, limit.clamp(1, MOST))
            .await;
    }
    if !wait.is_zero() {
        context.host.tasks.open()?;
    }
    let search = Search::new(context, filter).await?;
    let end = context.host.monotonic() + wait.min(LONGEST);
    let (mut cursor, gap) = start(context, after).await?;
    let mut place = None;
    loop {
        // A commit after the read starts ends the wait.
        let mut committed = context.store.feed.watch();
        let mut page = search.page(context, cursor, limit.clamp(1, MOST)).await?;
        page.gap = gap;
        let left = end.saturating_sub(context.host.monotonic());
        let is_over = left.is_zero() || context.host.tasks.open().is_err();
        if !page.items.is_empty() || page.more || gap || is_over {
            return Ok(page);
        }
        cursor = Cursor::read(&page.cursor)?;
        if place.is_none() {
            place = Some(context.store.feed.wait()?);
        }
        let pause = context.host.runtime.sleep(left.min(POLL));
        let _ = select(pin!(committed.changed()), pause).await;
    }
}

/// Where to continue, and whether events are missing there.
async fn start(context: &Context, after: Option<&str>) -> Result<(Cursor, bool)> {
    let cursor = match after {
        None => return Ok((Cursor::START, false)),
        Some(LATEST) => return Ok((last(context).await?, false)),
        Some(text) => Cursor::read(text)?,
    };
    let before = cursor.position.saturating_sub(1);
    let next = context.store.events(None, Some(before), 1).await?;
    let Some(next) = next.first().map(|found| &found.row) else {
        return Ok((cursor, false));
    };
    if cursor == Cursor::START || next.id == cursor.id {
        return Ok((cursor, false));
    }
    let moment = cursor.moment();
    let was_replaced = next.position == Some(cursor.position)
        || context
            .store
            .restored_at
            .is_some_and(|at| moment.is_none_or(|moment| moment < at));
    if was_replaced {
        return Ok((Cursor::START, true));
    }
    // The event itself was removed. If normal events of that age are still kept, only short-lived ones were removed
    // after it.
    let kept_since = context
        .host
        .now()
        .checked_sub(context.history.retention.events);
    let is_old = kept_since.is_ok_and(|since| moment.is_none_or(|moment| moment < since));
    let skips = next.position > Some(cursor.position.saturating_add(1));
    Ok((cursor, is_old && skips))
}

/// After the last event.
async fn last(context: &Context) -> Result<Cursor> {
    let last = context.store.last_event().await?;
    let last = last.and_then(|last| Cursor::after(&last.row));
    Ok(last.unwrap_or(Cursor::START))
}

/// Filters of the search.
struct Search<'a> {
    filter: &'a EventFilter,
    /// If it's a single existing account, its events have their own index.
    account: Option<AccountId>,
}

impl<'a> Search<'a> {
    async fn new(context: &Context, filter: &'a EventFilter) -> Result<Self> {
        let account = match (&filter.connection_name, &filter.identifier) {
            (Some(connection), Some(identifier)) => {
                let of = AccountRef::new(connection, identifier)?;
                match context.account_rows(&of).await {
                    Ok((_, account)) => Some(account.row.id),
                    Err(error) if error.kind() == ErrorKind::StorageUnavailable => {
                        return Err(error);
                    }
                    // Events about deleted resources may still be in the feed.
                    Err(_) => None,
                }
            }
            _ => None,
        };
        Ok(Self { filter, account })
    }

    async fn page(&self, context: &Context, from: Cursor, limit: u32) -> Result<EventPage> {
        let (mut cursor, mut items, mut looked_at) = (from, Vec::new(), 0);
        // Read this first, so that no earlier event of the account can be missing from the following read.
        let last = match self.account {
            Some(_) => last(context).await?,
            None => Cursor::START,
        };
        loop {
            let after = Some(cursor.position);
            let rows = context.store.events(self.account, after, READ).await?;
            let all = rows.len() < READ as usize;
            for row in rows {
                if items.len() >= limit as usize {
                    return Ok(EventPage::new(items, cursor.to_string(), true, false));
                }
                cursor = Cursor::after(&row.row).unwrap_or(cursor);
                looked_at += 1;
                if self.filter.takes_type(&row.row.name) {
                    let event = view(context, row.row).await;
                    let seen = is_of(&event, context.caller.connections());
                    items.extend((seen && self.takes(&event)).then_some(event));
                }
            }
            if all && last.position > cursor.position {
                cursor = last;
            }
            if all || looked_at >= LOOKED_AT {
                return Ok(EventPage::new(items, cursor.to_string(), !all, false));
            }
        }
    }

    /// A page with the newest events first, starting before a cursor or at the last event.
    async fn page_back(
        &self,
        context: &Context,
        from: Option<&str>,
        limit: u32,
    ) -> Result<EventPage> {
        let given = from.filter(|from| *from != LATEST);
        let mut cursor = given.map(Cursor::read).transpose()?;
        let (mut items, mut looked_at) = (Vec::new(), 0);
        let end = |cursor: Option<Cursor>| cursor.unwrap_or(Cursor::START).to_string();
        loop {
            let before = cursor.map(|cursor| cursor.position);
            let rows = context
                .store
                .events_back(self.account, before, READ)
                .await?;
            let all = rows.len() < READ as usize;
            for row in rows {
                if items.len() >= limit as usize {
                    return Ok(EventPage::new(items, end(cursor), true, false));
                }
                cursor = Cursor::after(&row.row).or(cursor);
                looked_at += 1;
                if self.filter.takes_type(&row.row.name) {
                    let event = view(context, row.row).await;
                    let seen = is_of(&event, context.caller.connections());
                    items.extend((seen && self.takes(&event)).then_some(event));
                }
            }
            if all || looked_at >= LOOKED_AT {
                return Ok(EventPage::new(items, end(cursor), !all, false));
            }
        }
    }

    fn takes(&self, event: &Event) -> bool {
        let is = |given: &Option<String>, member| {
            given
                .as_deref()
                .is_none_or(|given| event.text(member) == Some(given))
        };
        self.account.is_some()
            || (is(&self.filter.connection_name, "connection_name")
                && is(&self.filter.identifier, "identifier"))
    }
}
