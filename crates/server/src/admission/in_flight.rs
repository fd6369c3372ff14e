//! Limits the number of running requests: in all, of each application, and of all strangers together.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use stead::{Error, ErrorKind};
use stead_core::{
    caller::Caller,
    environment::Environment,
    shares::{Share, Shares},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::rates::Rates;
use crate::{holding, problem::Result, source::Network};

/// When a rejected caller may try again.
const AGAIN: Duration = Duration::from_secs(1);

/// Strangers together get this fraction of the places, so that they never block applications and members.
const OF_STRANGERS: usize = 4;
/// Maximum number of places for strangers from one network. If one network sends bodies slowly, the others still have
/// places.
const OF_NETWORK: usize = 63;

/// The running requests, and how many there may be.
#[derive(Debug)]
pub(crate) struct InFlight {
    free: Arc<Semaphore>,
    most: usize,
    /// Shares of applications, members, account tokens and MCP sessions.
    shares: Shares,
    /// The number of places that strangers may still take.
    free_to_strangers: Arc<Semaphore>,
    of_networks: Shares,
}

/// A running request, until this is dropped.
pub(crate) struct Admitted(
    #[expect(dead_code, reason = "held for its end")]
    (
        Option<Share>,
        OwnedSemaphorePermit,
        Option<OwnedSemaphorePermit>,
    ),
);

impl InFlight {
    pub(crate) fn new(most: usize) -> Self {
        let most = most.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            free: Arc::new(Semaphore::new(most)),
            most,
            shares: Shares::default(),
            free_to_strangers: Arc::new(Semaphore::new(most.div_ceil(OF_STRANGERS))),
            of_networks: Shares::default(),
        }
    }

    /// The number of running requests, and the maximum.
    pub(crate) fn under_way(&self) -> (usize, usize) {
        let free = self.free.available_permits();
        (self.most.saturating_sub(free), self.most)
    }

    /// Fails if the next request would be rejected, no matter who sends it.
    pub(crate) fn has_room(&self) -> Result<(), Error> {
        match self.free.available_permits() {
            0 => Err(self.full()),
            _ => Ok(()),
        }
    }

    /// Admits a request. Applications and strangers each leave room for the others. `network` looks up the network of a
    /// stranger.
    pub(crate) fn enter(
        &self,
        caller: &Caller,
        network: impl FnOnce() -> Option<Network>,
    ) -> Result<Admitted, Error> {
        let (share, of_strangers) = match caller.holder() {
            Some(holder) => {
                let share = self.shares.of(holder).take(self.free.available_permits());
                let share = share.map_err(|held| {
                    overloaded(format!(
                        "you have {held} running requests, and Stead keeps the remaining capacity for other applications"
                    ))
                })?;
                (Some(share), None)
            }
            None => {
                let (share, permit) = self.enter_stranger(network())?;
                (share, Some(permit))
            }
        };
        let permit = Arc::clone(&self.free).try_acquire_owned();
        let permit = permit.map_err(|_| self.full())?;
        Ok(Admitted((share, permit, of_strangers)))
    }

    fn enter_stranger(
        &self,
        network: Option<Network>,
    ) -> Result<(Option<Share>, OwnedSemaphorePermit), Error> {
        let free = &self.free_to_strangers;
        let share = network.map(|network| {
            // `take` allows three times this number, so a network gets at most `OF_NETWORK` places.
            let free = free.available_permits().min(OF_NETWORK / 3);
            self.of_networks.of(network).take(free)
        });
        let share = share.transpose().map_err(|held| {
            overloaded(format!(
                "{held} requests from your network are running, the maximum; try again shortly"
            ))
        })?;
        let permit = Arc::clone(free).try_acquire_owned().map_err(|_| {
            overloaded(String::from(
                "too many requests without a token or a session are running; try again shortly",
            ))
        })?;
        Ok((share, permit))
    }

    fn full(&self) -> Error {
        let most = self.most;
        overloaded(format!(
            "{most} requests are running, the maximum of this environment; try again shortly"
        ))
    }
}

fn overloaded(message: String) -> Error {
    Error::new(ErrorKind::Overloaded, message).with_retry_after(AGAIN)
}

/// Admits a request if there is room. It counts until its whole response is available.
pub(crate) async fn admit(
    State((in_flight, rates)): State<(Arc<InFlight>, Arc<Rates>)>,
    request: Request,
    next: Next,
) -> Result<Response> {
    let extensions = request.extensions();
    // Everyone without an environment of their own is a stranger. Members of the dashboard have one.
    let stranger = Caller::User;
    let caller = extensions.get().map_or(&stranger, Environment::caller);
    let network = || rates.network(extensions, request.headers());
    let permit = in_flight.enter(caller, network)?;
    let response = next.run(request).await;
    Ok(response.map(|body| holding::unfinished(body, permit)))
}
