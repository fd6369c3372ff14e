//! A checked raw request, ready to send. Its response is streamed.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Uri, header};

use super::hint::Challenge;
use crate::{
    Error, ErrorKind, Result,
    call::{
        dry_run,
        read::{self, Reading},
        retry::{self, Failure},
        send::Outgoing,
        sending,
    },
    context::{Context, Endpoints, Snapshot, bulkheads::Held, rate_limit::Cost},
    policy::{Admission, Sending},
    ports::{Body, Limits},
    product::{Product, ProxyRules, RouteKind},
    proxy::{self, Address, Checked, Part},
    tool::Effect,
};

const IDENTITY: HeaderValue = HeaderValue::from_static("identity");
/// Number of bytes of a batch's response that are read to check whether all its requests were rejected. Such a response
/// is short.
const ALL_REFUSED: usize = 512 * 1024;
/// Minimum rate in bytes per second for a stream without a time limit.
const STEADY: u64 = 16 * 1024;

/// Where a raw request arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    /// Below `/proxy`, or described in JSON.
    Path,
    /// The proxy host.
    Host,
}

/// A request that the proxy's rules allow. Its response is forwarded as a stream.
pub(super) struct RawRequest {
    pub(super) method: Method,
    /// Name of the product's origin.
    pub(super) origin: &'static str,
    pub(super) kind: RouteKind,
    pub(super) path_and_query: String,
    pub(super) headers: HeaderMap,
    body: Option<Body>,
    /// A body in memory can be sent again; a stream can't.
    pub(super) spare: Option<Bytes>,
    /// The requests of a batch.
    pub(super) parts: Vec<Part>,
    /// Whether the caller accepts bodies of any size as a stream.
    pub(super) streams: bool,
    rules: &'static ProxyRules,
    at: At,
}

impl RawRequest {
    pub(super) fn new(rules: &'static ProxyRules, at: At, checked: Checked, body: Body) -> Self {
        let mut headers = checked.headers;
        headers.entry(header::ACCEPT_ENCODING).or_insert(IDENTITY);
        Self {
            method: checked.method,
            origin: checked.origin,
            kind: checked.kind,
            path_and_query: checked.path_and_query,
            headers,
            spare: match &body {
                Body::Empty => Some(Bytes::new()),
                Body::Bytes(bytes) => Some(bytes.clone()),
                Body::Stream(_) => None,
            },
            body: Some(body),
            parts: Vec::new(),
            streams: false,
            rules,
            at,
        }
    }

    pub(super) fn of_batch(
        context: &Context,
        of: &Snapshot,
        at: At,
        checked: Checked,
        body: &[u8],
    ) -> Result<Self> {
        let address = address(context, of, at);
        let rules = &of.endpoints.product.proxy;
        let boundary = format!("stead_{}", context.host.new_id().simple());
        let batch = proxy::check_batch(rules, &address, &checked.headers, body, &boundary)?;
        let mut headers = checked.headers;
        headers.insert(header::CONTENT_TYPE, batch.content_type);
        // Stead needs to read this response, so it can't be compressed.
        headers.remove(header::ACCEPT_ENCODING);
        let checked = Checked {
            headers,
            origin: batch.origin,
            ..checked
        };
        Ok(Self {
            parts: batch.parts,
            ..Self::new(rules, at, checked, batch.body.into())
        })
    }

    /// The request as it would be sent, without the user's token, as a response to the caller.
    pub(super) fn plan(
        &mut self,
        of: &Snapshot,
        admission: &Admission,
    ) -> Result<http::Response<Body>> {
        let target = self.target(&of.endpoints, 1)?;
        let (effect, request) = (self.effect(), self.build(target)?);
        let (origin, _) = of.endpoints.origin_or_fail(self.origin)?;
        let product = of.endpoints.product;
        self.each(product, origin, &request, &mut |sending| {
            admission.plan(sending)
        })?;
        let request = dry_run::unsent(request, origin, effect, product);
        let plan = dry_run::plan(vec![request], None, admission.would_wait());
        let (text, _) = plan?.into_json()?;
        let mut response = http::Response::new(Body::from(text.get().as_bytes().to_vec()));
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        Ok(response)
    }

    /// Fails if policies or the connection deny it. Doesn't ask for approval.
    pub(super) fn refused(&mut self, of: &Snapshot, admission: &Admission) -> Result<()> {
        if !admission.can_refuse(of.endpoints.product, &self.method) {
            return Ok(());
        }
        let target = self.target(&of.endpoints, 1)?;
        let request = self.build(target)?;
        let (origin, _) = of.endpoints.origin_or_fail(self.origin)?;
        self.each(of.endpoints.product, origin, &request, &mut |sending| {
            admission.refuse_request(sending)
        })
    }

    /// Method and path of its requests, for policies and cost: its own, or those of a batch.
    pub(super) fn requests(&self) -> impl Iterator<Item = (&Method, &str)> {
        let own = (self.kind != RouteKind::Batch).then(|| {
            let path = self.path_and_query.split('?').next();
            (&self.method, path.unwrap_or_default())
        });
        let parts = self.parts.iter();
        own.into_iter()
            .chain(parts.map(|part| (&part.method, part.path.as_str())))
    }

    pub(super) fn effect_of(&self, (method, path): (&Method, &str)) -> Effect {
        proxy::effect(self.rules, method, path)
    }
}

fn address<'a>(context: &'a Context, of: &'a Snapshot, at: At) -> Address<'a> {
    match (at, &context.site.proxy_url) {
        (At::Host, Some(proxy_url)) => Address::Host { proxy_url },
        _ => Address::Path {
            public_url: &context.site.public_url,
            connection_name: of.connection.name.as_str(),
            identifier: of.account.identifier.as_str(),
        },
    }
}

impl Outgoing for RawRequest {
    type Response = http::Response<Body>;

    fn origin(&self) -> &'static str {
        self.origin
    }

    fn each(
        &self,
        product: &'static Product,
        origin: &str,
        request: &http::Request<Body>,
        see: &mut dyn FnMut(&Sending<'_>) -> Result<()>,
    ) -> Result<()> {
        if self.kind != RouteKind::Batch {
            return sending::shown(product, origin, request, self.effect(), true, see);
        }
        let mut parts = self.parts.iter();
        parts.try_for_each(|part| see(&self.sending(product, part)))
    }

    /// The strongest effect of its parts.
    fn effect(&self) -> Effect {
        let effects = self.requests().map(|request| self.effect_of(request));
        effects.max().unwrap_or(Effect::Read)
    }

    fn target(&self, endpoints: &Endpoints, _: u8) -> Result<Uri> {
        endpoints.origin_or_fail(self.origin)?;
        let target = endpoints.target(self.origin, &self.path_and_query);
        target.map_err(|error| {
            Error::new(ErrorKind::PathInvalid, "the path can't be part of a URI").with_source(error)
        })
    }

    fn is_passed_on(&self) -> bool {
        true
    }

    fn limits(&self, product: &Product) -> Limits {
        if self.streams {
            Limits {
                steady: STEADY,
                response_bytes: u64::MAX,
                ..product.limits
            }
        } else {
            product.limits
        }
    }

    fn cost(&self, product: &Product, _: &Uri) -> Cost {
        let cost = |request: (&Method, &str)| {
            let units = (product.cost)(request.0, request.1);
            Cost::of(self.effect_of(request), units)
        };
        self.requests().map(cost).fold(Cost::default(), Cost::and)
    }

    fn build(&mut self, target: Uri) -> Result<http::Request<Body>> {
        let again = || self.spare.clone().map(Body::from);
        let body = self.body.take().or_else(again).unwrap_or_default();
        let mut request = http::Request::new(body);
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = target;
        *request.headers_mut() = self.headers.clone();
        Ok(request)
    }

    fn is_repeatable(&self) -> bool {
        self.spare.is_some()
    }

    async fn read(
        &mut self,
        context: &Context,
        snapshot: &Snapshot,
        _: u8,
        response: http::Response<Body>,
        _: &Arc<Held>,
    ) -> Reading<http::Response<Body>> {
        let product = snapshot.endpoints.product;
        let challenge = Challenge::of(&response);
        let reading = read::streamed(response, self.kind, |location| {
            let bases = [
                snapshot.endpoints.origin(self.origin)?.0,
                product.origin(self.origin)?.url,
            ];
            address(context, snapshot, self.at).of_location(
                &product.proxy,
                self.origin,
                bases,
                location,
            )
        });
        let Reading::Response(mut response) = reading else {
            return reading;
        };
        if response.status().is_client_error() || response.status().is_server_error() {
            response =
                match read::without_secrets(response, &snapshot.secrets(), self.effect()).await {
                    Ok(response) => response,
                    Err(failure) => return Reading::Failure(failure),
                };
        }
        if let Some(challenge) = challenge {
            let hinted = challenge.hinted(response, snapshot, !self.streams).await;
            response = match hinted {
                Ok(response) => response,
                Err((error, status)) => {
                    return Reading::Failure(Failure::of_body(error, self.effect(), status));
                }
            };
        }
        if self.method == Method::HEAD && !self.streams {
            // The response to the caller's `POST` doesn't have that body.
            response.headers_mut().remove(header::CONTENT_LENGTH);
        }
        if self.kind != RouteKind::Batch || !response.status().is_success() {
            return Reading::Response(response);
        }
        let (head, body) = response.into_parts();
        match body.peek(ALL_REFUSED).await {
            Ok((seen, _)) if proxy::is_unauthorized(&seen) => Reading::Unauthorized,
            Ok((_, body)) => Reading::Response(http::Response::from_parts(head, body)),
            Err(error) => Reading::Failure(Failure::of_body(error, self.effect(), head.status)),
        }
    }

    fn pause(&self, _: &Context, failure: &Failure, attempt: u8, _: Duration) -> Option<Duration> {
        self.is_repeatable()
            .then(|| retry::at_once(failure, attempt))
            .flatten()
    }
}
