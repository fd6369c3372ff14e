//! A product that responds from a script, for tests of tools.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use stead_core::{
    Error, ErrorKind, Result,
    ports::BoxFuture,
    product::Product,
    tool::{ApiRequest, IoBackend, Response},
};

/// A product that returns scripted responses in order, and records the requests.
///
/// It reads a response like the executor. An accepted status is a response, the product's table reads errors, and any
/// other status outside 2xx is an error. It refuses a request without a valid target before sending it. It records a
/// pause, which takes no time.
#[derive(Debug)]
pub struct Canned {
    product: &'static Product,
    pauses_allowed: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    responses: VecDeque<Response>,
    sent: Vec<Sent>,
    pauses: Vec<Duration>,
}

/// A request that a tool has sent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sent {
    /// The request.
    pub request: ApiRequest,
    /// Number of the batch it was sent in, counted from 0.
    pub batch: usize,
}

impl Canned {
    /// A product with these responses.
    pub fn new(product: &'static Product, responses: impl IntoIterator<Item = Response>) -> Self {
        let state = State {
            responses: responses.into_iter().collect(),
            ..State::default()
        };
        Self {
            product,
            pauses_allowed: true,
            state: Mutex::new(state),
        }
    }

    /// Refuses every pause, as if the call's deadline would pass first.
    #[must_use]
    pub fn without_pauses(mut self) -> Self {
        self.pauses_allowed = false;
        self
    }

    /// The requests so far, in order.
    pub fn requests(&self) -> Vec<ApiRequest> {
        self.state()
            .sent
            .iter()
            .map(|sent| sent.request.clone())
            .collect()
    }

    /// The requests so far, with the batches they came in.
    pub fn sent(&self) -> Vec<Sent> {
        self.state().sent.clone()
    }

    /// The pauses so far, including refused ones.
    pub fn pauses(&self) -> Vec<Duration> {
        self.state().pauses.clone()
    }

    /// The number of responses that are left.
    pub fn responses_left(&self) -> usize {
        self.state().responses.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, request: &ApiRequest, response: Response) -> Result<Response> {
        if request.accept.contains(&response.status) {
            return Ok(response);
        }
        match (self.product.read_error)(&response) {
            Some(error) => Err(error),
            None if response.is_success() => Ok(response),
            None => Err(Error::new(
                ErrorKind::ProductProtocolError,
                format!(
                    "status {} is not a response to this request",
                    response.status
                ),
            )),
        }
    }
}

impl IoBackend for Canned {
    fn exchange(&self, requests: Vec<ApiRequest>) -> BoxFuture<'_, Vec<Result<Response>>> {
        let mut state = self.state();
        let batch = state.sent.last().map_or(0, |sent| sent.batch + 1);
        let mut results = Vec::with_capacity(requests.len());
        for request in requests {
            if let Err(error) = request.target("") {
                results.push(Err(error));
                continue;
            }
            results.push(match state.responses.pop_front() {
                Some(response) => self.read(&request, response),
                None => Err(Error::new(
                    ErrorKind::Internal,
                    format!(
                        "no response is scripted for {} {:?}",
                        request.method, request.path
                    ),
                )),
            });
            state.sent.push(Sent { request, batch });
        }
        Box::pin(std::future::ready(results))
    }

    fn pause(&self, duration: Duration) -> BoxFuture<'_, Result<()>> {
        self.state().pauses.push(duration);
        let result = if self.pauses_allowed {
            Ok(())
        } else {
            Err(Error::new(
                ErrorKind::ProductTimeout,
                "the deadline would pass before the pause ends",
            ))
        };
        Box::pin(std::future::ready(result))
    }
}
