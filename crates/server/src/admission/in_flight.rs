//! A bound on the requests that are under way at once, in all and of each application.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use stead::{
    Error, ErrorKind,
    core::{
        caller::Caller,
        shares::{Share, Shares},
    },
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{holding, problem::Result};

/// When a caller that was refused may come again.
const AGAIN: Duration = Duration::from_secs(1);

/// The requests that may be under way.
#[derive(Debug)]
pub(crate) struct InFlight {
    free: Arc<Semaphore>,
    most: usize,
    shares: Shares,
}

/// A request that is under way, until this is dropped.
pub(crate) struct Admitted(
    #[expect(dead_code, reason = "held for its end")] (Option<Share>, OwnedSemaphorePermit),
);

impl InFlight {
    pub(crate) fn new(most: usize) -> Self {
        let most = most.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            free: Arc::new(Semaphore::new(most)),
            most,
            shares: Shares::default(),
        }
    }

    /// Requests under way, and the most that there may be.
    pub(crate) fn under_way(&self) -> (usize, usize) {
        let free = self.free.available_permits();
        (self.most.saturating_sub(free), self.most)
    }

    /// Takes a request. An application leaves room for the others.
    pub(crate) fn enter(&self, caller: Option<&Caller>) -> Result<Admitted, Error> {
        let holder = caller.and_then(Caller::holder);
        let holder = holder.map(|holder| self.shares.of(holder));
        let share = holder.map(|holder| holder.take(self.free.available_permits()));
        let share = share.transpose().map_err(|held| {
            overloaded(format!(
                "you have {held} requests under way, and the places that are left are for other applications"
            ))
        })?;
        let permit = Arc::clone(&self.free).try_acquire_owned().map_err(|_| {
            let most = self.most;
            overloaded(format!(
                "{most} requests are under way, which is the most that this environment takes at once"
            ))
        })?;
        Ok(Admitted((share, permit)))
    }
}

fn overloaded(message: String) -> Error {
    Error::new(ErrorKind::Overloaded, message).with_retry_after(AGAIN)
}

/// Lets a request pass while there is room. It counts until its response's body has ended.
pub(crate) async fn admit(
    State(in_flight): State<Arc<InFlight>>,
    request: Request,
    next: Next,
) -> Result<Response> {
    let permit = in_flight.enter(None)?;
    let response = next.run(request).await;
    Ok(response.map(|body| holding::body(body, permit)))
}
