use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use futures_util::{StreamExt as _, stream};

use super::{
    read::{self, Reading},
    send, send_again,
};
use crate::{
    Error, ErrorKind, Result,
    context::Context,
    context::Snapshot,
    oauth::{self, Renewal},
    ports::BoxFuture,
    tool::{ApiRequest, IoBackend, Response},
};

/// Requests of one call at most: a tool that needs more is wrong.
const REQUESTS: u32 = 500;

/// The port of a tool that runs for real.
pub(super) struct LiveExchange {
    context: Context,
    /// The account as it was when the call began.
    first: Arc<Snapshot>,
    ends_at: Duration,
    requests: Arc<AtomicU32>,
}

impl LiveExchange {
    pub(super) fn new(
        context: Context,
        first: Arc<Snapshot>,
        deadline: Duration,
        requests: Arc<AtomicU32>,
    ) -> Self {
        let ends_at = context.monotonic() + deadline;
        Self {
            context,
            first,
            ends_at,
            requests,
        }
    }

    fn left(&self) -> Duration {
        self.ends_at.saturating_sub(self.context.monotonic())
    }

    /// The account as it is now: it may have been disconnected or renewed since the call began.
    async fn snapshot(&self) -> Result<Arc<Snapshot>> {
        let snapshot = self
            .context
            .snapshot(
                self.first.connection.name.as_str(),
                self.first.account.identifier.as_str(),
            )
            .await?;
        oauth::live(&self.context, snapshot).await
    }

    /// One request through its stages: pace, token, send, read, send again.
    async fn one(&self, request: ApiRequest) -> Result<Response> {
        let endpoints = &self.first.endpoints;
        let mut renewed = false;
        let mut attempt = 1;
        loop {
            if self.requests.fetch_add(1, Ordering::Relaxed) >= REQUESTS {
                return Err(Error::new(
                    ErrorKind::Internal,
                    format!("a call may send {REQUESTS} requests at most"),
                ));
            }
            let target = send::target(endpoints, &request, attempt)?;
            let cost = (endpoints.product.cost)(&request.method, target.path());
            let permit = self
                .first
                .pace
                .enter(self.context.runtime.as_ref(), cost, self.left())
                .await?;
            let snapshot = self.snapshot().await?;
            let left = self.left();
            if left.is_zero() {
                return Err(Error::new(
                    ErrorKind::ProductTimeout,
                    "the call's time is over; this request was not sent",
                ));
            }
            let sent = send::send(
                &self.context,
                endpoints.product,
                &request,
                target,
                &snapshot,
                left,
            )
            .await;
            drop(permit);
            match read::read(&self.context, endpoints.product, &request, attempt, sent).await {
                Reading::Response(answer) => return Ok(answer),
                Reading::Unauthorized if !renewed => {
                    renewed = true;
                    oauth::renew(&self.context, &snapshot, Renewal::Refused).await?;
                }
                Reading::Unauthorized => return Err(read::rejected_token()),
                Reading::Failure(failure) => {
                    let pause =
                        send_again::pause(&self.context, &request, &failure, attempt, self.left());
                    let Some(pause) = pause else {
                        return Err(send_again::settle(&request, failure));
                    };
                    self.context.runtime.sleep(pause).await;
                    attempt += 1;
                }
            }
        }
    }
}

impl IoBackend for LiveExchange {
    fn exchange(&self, mut requests: Vec<ApiRequest>) -> BoxFuture<'_, Vec<Result<Response>>> {
        if requests.len() == 1
            && let Some(request) = requests.pop()
        {
            return Box::pin(async move { vec![self.one(request).await] });
        }
        let at_once = self.first.endpoints.product.quota.concurrency;
        let sending = stream::iter(requests)
            .map(|request| self.one(request))
            .buffered(at_once.max(1).into());
        Box::pin(sending.collect())
    }

    fn pause(&self, duration: Duration) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            if duration >= self.left() {
                return Err(Error::new(
                    ErrorKind::ProductTimeout,
                    "the call's time would pass while waiting for the product",
                ));
            }
            self.context.runtime.sleep(duration).await;
            Ok(())
        })
    }
}
