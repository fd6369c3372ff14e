//! A bound on the requests that are under way at once.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use stead::{Error, ErrorKind};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{holding, problem::Result};

/// When a caller that was refused may come again.
const AGAIN: Duration = Duration::from_secs(1);

/// The requests that may be under way.
#[derive(Debug)]
pub(crate) struct InFlight {
    free: Arc<Semaphore>,
    most: usize,
}

impl InFlight {
    pub(crate) fn new(most: usize) -> Self {
        let most = most.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            free: Arc::new(Semaphore::new(most)),
            most,
        }
    }

    /// Requests under way, and the most that there may be.
    pub(crate) fn under_way(&self) -> (usize, usize) {
        let free = self.free.available_permits();
        (self.most.saturating_sub(free), self.most)
    }

    pub(crate) fn enter(&self) -> Result<OwnedSemaphorePermit, Error> {
        Arc::clone(&self.free).try_acquire_owned().map_err(|_| {
            let most = self.most;
            Error::new(
                ErrorKind::Overloaded,
                format!("{most} requests are under way, which is the most that this environment takes at once"),
            )
            .with_retry_after(AGAIN)
        })
    }
}

/// Lets a request pass while there is room. It counts until its response's body has ended.
pub(crate) async fn admit(
    State(in_flight): State<Arc<InFlight>>,
    request: Request,
    next: Next,
) -> Result<Response> {
    let permit = in_flight.enter()?;
    let response = next.run(request).await;
    Ok(response.map(|body| holding::body(body, permit)))
}
