//! The feed of events.

use std::{fmt, time::Duration};

use futures_util::stream::{Stream, unfold};
use stead_core::{
    Result,
    resource::{EventFilter, EventPage},
};

use crate::backend::Backend;

/// How long one request of [`Events::follow`] waits for the next event.
const WAIT: Duration = Duration::from_secs(25);

/// The feed of events, or those that match your filters. [`read`](Self::read) returns a page, [`follow`](Self::follow)
/// all events as they come.
///
/// ```
/// # async fn example(stead: stead::Stead) -> stead::Result<()> {
/// let page = stead.events().types(["account.*"]).identifier("user-42").read().await?;
/// for event in &page.items {
///     println!("{} {}", event.event_type, event.text("connection_name").unwrap_or_default());
/// }
/// // Store this, and read the next page from there.
/// let next = stead.events().after(page.cursor).read().await?;
/// println!("{} more", next.items.len());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "events are read by `read` or `follow`"]
pub struct Events {
    backend: Backend,
    filter: EventFilter,
    after: Option<String>,
    limit: u32,
}

impl Events {
    pub(crate) fn new(backend: Backend) -> Self {
        Self {
            backend,
            filter: EventFilter::default(),
            after: None,
            limit: 100,
        }
    }
    /// Only events of these types: whole names, or prefixes such as `account.*`.
    pub fn types<T: Into<String>>(mut self, types: impl IntoIterator<Item = T>) -> Self {
        self.filter.types = types.into_iter().map(Into::into).collect();
        self
    }
    /// Only events about this connection and its accounts.
    pub fn connection(mut self, name: impl Into<String>) -> Self {
        self.filter.connection_name = Some(name.into());
        self
    }
    /// Only events about this user's accounts.
    pub fn identifier(mut self, identifier: impl Into<String>) -> Self {
        self.filter.identifier = Some(identifier.into());
        self
    }
    /// Only events after this cursor, which is an event's or a page's. The default is the oldest event that Stead still
    /// has.
    pub fn after(mut self, cursor: impl Into<String>) -> Self {
        self.after = Some(cursor.into());
        self
    }
    /// Only events from now on.
    pub fn latest(self) -> Self {
        self.after("latest")
    }
    /// Newest events first: a page then goes back from its cursor, or from the last event. [`follow`](Self::follow)
    /// ignores this and goes forward.
    pub fn newest_first(mut self) -> Self {
        self.filter.newest_first = true;
        self
    }
    /// Maximum number of events per page: 1 to 500, 100 by default.
    pub fn limit(mut self, most: u32) -> Self {
        self.limit = most.clamp(1, 500);
        self
    }

    /// Reads one page. If its `more` is true, read again after its cursor.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for an invalid cursor, or a type that doesn't
    /// exist.
    pub async fn read(&self) -> Result<EventPage> {
        self.page(Duration::ZERO).await
    }

    /// Pages of events as they come. A page is empty only if events are missing (`gap`). Save a page's cursor once you
    /// have processed the page, so that the next reader can continue there.
    ///
    /// After an error, the stream continues at the same position. Pause before you ask it for more. It never ends. If
    /// you drop it, its request is dropped too.
    pub fn follow(mut self) -> impl Stream<Item = Result<EventPage>> + Send {
        self.filter.newest_first = false;
        unfold(self, async |mut events: Self| {
            loop {
                match events.page(WAIT).await {
                    Ok(page) => {
                        events.after = Some(page.cursor.clone());
                        if !page.items.is_empty() || page.gap {
                            return Some((Ok(page), events));
                        }
                    }
                    Err(error) => return Some((Err(error), events)),
                }
            }
        })
    }

    async fn page(&self, wait: Duration) -> Result<EventPage> {
        let (filter, after) = (self.filter.clone(), self.after.clone());
        self.backend.events(filter, after, self.limit, wait).await
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events")
            .field("filter", &self.filter)
            .field("after", &self.after)
            .finish_non_exhaustive()
    }
}
