//! Live updates. One reader of the store serves all open pages of this process, and stops when no page
//! is open.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use jiff::Timestamp;
use stead::{Error, ErrorKind};
use stead_core::{
    api::Paging,
    environment::Environment,
    resource::{
        CallTotals, CountExecutions, Event, EventFilter, ExecutionFilter, ExecutionRecord,
        ListExecutions, TotalsSpan, TotalsStep,
    },
};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, watch};

/// The most concurrent streams of this process.
const STREAMS: usize = 100;
/// When a refused browser can try again.
const AGAIN: Duration = Duration::from_secs(30);
/// How often to read the store while a page is open.
const PAUSE: Duration = Duration::from_secs(1);
/// How many of the newest calls and events to read.
const NEWEST: u32 = 50;

/// The newest calls and events, newest first.
#[derive(Debug, Default)]
pub(super) struct News {
    pub(super) calls: Vec<ExecutionRecord>,
    pub(super) events: Vec<Event>,
}

impl News {
    /// Whether both have the same calls and the same first event.
    fn is_as(&self, other: &Self) -> bool {
        let calls = |news: &Self| -> Vec<_> {
            let ids = news.calls.iter().map(|call| call.execution_id);
            ids.collect()
        };
        let event = |news: &Self| news.events.first().map(|event| event.id);
        calls(self) == calls(other) && event(self) == event(other)
    }
}

/// Totals, and when this process read them.
type Kept = (Duration, Arc<Vec<CallTotals>>);

pub(super) struct Live {
    environment: Environment,
    places: Arc<Semaphore>,
    news: watch::Sender<Arc<News>>,
    reading: AtomicBool,
    totals: Mutex<HashMap<&'static str, Kept>>,
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live").finish_non_exhaustive()
    }
}

/// An open page.
#[derive(Debug)]
pub(super) struct Watching {
    pub(super) news: watch::Receiver<Arc<News>>,
    _place: OwnedSemaphorePermit,
}

impl Live {
    pub(super) fn new(environment: &Environment) -> Arc<Self> {
        Arc::new(Self {
            environment: environment.clone(),
            places: Arc::new(Semaphore::new(STREAMS)),
            news: watch::Sender::default(),
            reading: AtomicBool::new(false),
            totals: Mutex::default(),
        })
    }

    /// Registers an open page.
    pub(super) fn watch(self: &Arc<Self>) -> Result<Watching, Error> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| {
            let message = format!(
                "all {STREAMS} live pages are in use; close one, or reload this page later"
            );
            Error::new(ErrorKind::Overloaded, message).with_retry_after(AGAIN)
        })?;
        let mut news = self.news.subscribe();
        news.mark_changed();
        if !self.reading.swap(true, Ordering::AcqRel) {
            let reading = read_on(Arc::downgrade(self));
            self.environment.runtime().spawn(Box::pin(reading));
        }
        Ok(Watching {
            news,
            _place: place,
        })
    }

    async fn read(&self) -> Result<News, Error> {
        let calls = ExecutionFilter::default();
        let calls = self
            .environment
            .send(
                ListExecutions::new()
                    .filter(calls.clone())
                    .page(Paging::new(None, NEWEST)),
            )
            .await?;
        let mut events = EventFilter::default();
        events.newest_first = true;
        let events = self
            .environment
            .events(&events, None, NEWEST, Duration::ZERO)
            .await?;
        Ok(News {
            calls: calls.items,
            events: events.items,
        })
    }

    /// The totals of calls since a time. Reuses a result with this name that is newer than `fresh`.
    pub(super) async fn totals(
        &self,
        name: &'static str,
        step: TotalsStep,
        since: Timestamp,
        fresh: Duration,
    ) -> Result<Arc<Vec<CallTotals>>, Error> {
        // Requests that arrive during the read share its result.
        let mut kept = self.totals.lock().await;
        let runtime = self.environment.runtime();
        let moment = runtime.monotonic();
        if let Some((read, totals)) = kept.get(name)
            && moment.saturating_sub(*read) < fresh
        {
            return Ok(Arc::clone(totals));
        }
        let totals = self
            .environment
            .send(CountExecutions::new().span(TotalsSpan::new(step, since, runtime.now())))
            .await?
            .items;
        let totals = Arc::new(totals);
        kept.insert(name, (moment, Arc::clone(&totals)));
        Ok(totals)
    }
}

/// Reads the store while a page is open.
async fn read_on(live: Weak<Live>) {
    loop {
        let Some(this) = live.upgrade() else {
            return;
        };
        if this.news.receiver_count() == 0 {
            // Old news isn't new to a page that opens later.
            this.news.send_replace(Arc::default());
            this.reading.store(false, Ordering::Release);
            // A page that opened in the meantime relies on this reader.
            if this.news.receiver_count() == 0 || this.reading.swap(true, Ordering::AcqRel) {
                return;
            }
        }
        if let Ok(news) = this.read().await {
            this.news.send_if_modified(|known| {
                let is_new = !known.is_as(&news);
                if is_new {
                    *known = Arc::new(news);
                }
                is_new
            });
        }
        let pause = this.environment.runtime().sleep(PAUSE);
        drop(this);
        pause.await;
    }
}
