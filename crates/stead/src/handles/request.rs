//! A raw request that you configure and then await.

use std::{fmt, future::IntoFuture};

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Value, map::Entry};
use stead_core::{Error, ErrorKind, Result, ports::BoxFuture, resource::ProxyRequest};

use super::execute::check_key;
use crate::backend::Backend;

/// A raw request to a product. Await it to send it. You get the product's response, whatever its status.
///
/// # Errors
/// The failure that kept the product from responding. [`ErrorKind::ResponseTooLarge`] for a body beyond the product's
/// limit.
#[must_use = "a request is sent when it is awaited"]
pub struct Request {
    backend: Backend,
    request: Result<ProxyRequest>,
}

impl Request {
    pub(crate) fn new(backend: Backend, request: ProxyRequest) -> Self {
        Self {
            backend,
            request: Ok(request),
        }
    }
    /// Adds a pair to the query. You can add several with the same name.
    pub fn query(self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.set(|request| {
            match request.query.entry(name) {
                Entry::Vacant(first) => drop(first.insert(value.into())),
                Entry::Occupied(mut given) => match given.get_mut() {
                    Value::Array(values) => values.push(value.into()),
                    one => *one = Value::Array(vec![one.take(), value.into()]),
                },
            }
            Ok(())
        })
    }
    /// Adds a header.
    pub fn header(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.set(|request| {
            request.headers.insert(name.into(), value.into());
            Ok(())
        })
    }
    /// Makes the request idempotent: for 24 hours, a repeat with this key returns the first response and isn't sent
    /// again. Such a response has the header `stead-idempotent-replayed`. The rest is as in
    /// [`Execute::idempotency_key`](super::Execute::idempotency_key).
    pub fn idempotency_key(self, key: impl Into<String>) -> Self {
        self.set(|request| {
            let key = key.into();
            check_key(Some(&key))?;
            request.idempotency_key = Some(key);
            Ok(())
        })
    }
    /// Describes the request and doesn't send it. The response's body is a [`Plan`](crate::resource::Plan).
    pub fn dry_run(self, dry_run: bool) -> Self {
        self.set(|request| {
            request.dry_run = dry_run;
            Ok(())
        })
    }
    /// Sends this as the JSON body.
    pub fn json(self, body: &impl Serialize) -> Self {
        self.set(|request| {
            request.body = Some(serde_json::to_value(body).map_err(|error| {
                let message = "the body can't be written as JSON";
                Error::new(ErrorKind::InvalidRequest, message).with_source(error)
            })?);
            Ok(())
        })
    }

    fn set(mut self, change: impl FnOnce(&mut ProxyRequest) -> Result<()>) -> Self {
        self.request = self.request.and_then(|mut request| {
            change(&mut request)?;
            Ok(request)
        });
        self
    }
}

impl IntoFuture for Request {
    type Output = Result<http::Response<Bytes>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.backend.proxy(self.request?).await })
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").finish_non_exhaustive()
    }
}
