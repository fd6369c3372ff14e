//! Dry runs, which show the requests that a call would send. Read requests are sent, so that the tool can continue.
//! Writes never are.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::value::{RawValue, to_raw_value};

use super::{
    send::set_product_headers,
    sending,
    tool_io::{ToolIo, first_attempt},
};
use crate::{
    Error, ErrorKind, Result,
    context::Endpoints,
    ports::{Body, BoxFuture},
    product::Product,
    resource::{Plan, PlannedRequest},
    tool::{ApiRequest, Data, Effect, IoBackend, Output, Response},
};

/// Describes a tool's requests as they would be sent, without the user's token, up to the first that changes something.
pub(super) struct DryRun<'c> {
    io: ToolIo<'c>,
    endpoints: &'c Endpoints,
    planned: Mutex<Planned>,
}

#[derive(Default)]
struct Planned {
    requests: Vec<PlannedRequest>,
    /// Whether a request wasn't sent, so that the tool can't continue.
    is_held: bool,
    then: Option<&'static str>,
}

impl<'c> DryRun<'c> {
    pub(super) fn new(io: ToolIo<'c>, endpoints: &'c Endpoints) -> Self {
        Self {
            io,
            endpoints,
            planned: Mutex::default(),
        }
    }

    /// The requests. If there are none, the tool's own result. If the call would fail before it changes anything, the
    /// error.
    pub(super) fn output(self, result: Result<Output>) -> Result<Output> {
        let planned = self
            .planned
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        if planned.requests.is_empty() || (result.is_err() && !planned.is_held) {
            return result;
        }
        plan(
            planned.requests,
            planned.then,
            self.io.admission().would_wait(),
        )
    }

    fn planned(&self) -> MutexGuard<'_, Planned> {
        self.planned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the requests. Returns whether they can be sent, because all are read-only and none needs approval.
    fn note(&self, requests: &[ApiRequest]) -> Result<bool> {
        let mut planned = self.planned();
        if planned.is_held {
            return Ok(false);
        }
        let (product, admission) = (self.endpoints.product, self.io.admission());
        let mut first = Vec::with_capacity(requests.len());
        for request in requests {
            let sent = first_attempt(request.clone(), self.endpoints)?;
            let (origin, _) = self.endpoints.origin_or_fail(request.origin)?;
            let effect = request.effect_of();
            sending::shown(product, origin, &sent, effect, false, &mut |sending| {
                admission.plan(sending)
            })?;
            first.push((sent, origin, effect));
        }
        let only_read = first.iter().all(|(.., effect)| *effect == Effect::Read);
        let is_sent = only_read && !admission.would_wait();
        let described = first
            .into_iter()
            .map(|(sent, origin, effect)| described(sent, origin, effect, is_sent));
        planned.requests.extend(described);
        planned.is_held = !is_sent;
        planned.then = requests.iter().find_map(|request| request.then);
        Ok(is_sent)
    }
}

impl IoBackend for DryRun<'_> {
    fn exchange(&self, requests: Vec<ApiRequest>) -> BoxFuture<'_, Vec<Result<Response>>> {
        let held = || Error::new(ErrorKind::Internal, "a dry run changes nothing");
        let refused = match self.note(&requests) {
            Ok(true) => return self.io.exchange(requests),
            Ok(false) => held(),
            Err(error) => error,
        };
        let responses = requests.iter().map(|_| Err(refused.clone())).collect();
        Box::pin(std::future::ready(responses))
    }

    fn pause(&self, duration: std::time::Duration) -> BoxFuture<'_, Result<()>> {
        self.io.pause(duration)
    }
}

/// The result of a dry run.
pub(super) fn plan(
    requests: Vec<PlannedRequest>,
    then: Option<&str>,
    requires_approval: bool,
) -> Result<Output> {
    let plan = Plan {
        requires_approval,
        ..Plan::new(requests, then.map(str::to_owned))
    };
    let text = serde_json::to_vec(&plan).map_err(|error| {
        Error::new(ErrorKind::Internal, "the plan can't be written").with_source(error)
    })?;
    Ok(Output {
        data: Data::Raw(text.into(), 200),
        warnings: Vec::new(),
    })
}

/// A request that isn't sent, with the headers that every request to the product has.
pub(super) fn unsent(
    mut request: http::Request<Body>,
    origin: &str,
    effect: Effect,
    product: &Product,
) -> PlannedRequest {
    set_product_headers(request.headers_mut(), product);
    described(request, origin, effect, false)
}

fn described(
    request: http::Request<Body>,
    origin: &str,
    effect: Effect,
    sent: bool,
) -> PlannedRequest {
    let (head, body) = request.into_parts();
    let headers = head.headers.iter();
    let url = head.uri.to_string();
    PlannedRequest {
        method: head.method.to_string(),
        path: url.strip_prefix(origin).unwrap_or_default().to_owned(),
        url,
        effect,
        sent,
        headers: headers
            .map(|(name, value)| {
                let value = String::from_utf8_lossy(value.as_bytes());
                (name.to_string(), value.into_owned())
            })
            .collect(),
        body: match body {
            Body::Bytes(bytes) if !bytes.is_empty() => text(&bytes),
            _ => None,
        },
    }
}

/// Valid JSON unchanged, and anything else as a text.
fn text(body: &[u8]) -> Option<Box<RawValue>> {
    let text = String::from_utf8_lossy(body).into_owned();
    let json = RawValue::from_string(text.clone()).ok();
    json.or_else(|| to_raw_value(&text).ok())
}
