//! Calls to the product's own API. Stead validates the path and headers, and forwards the response as it arrives.

mod arguments;
mod given;
mod hint;
mod keyed;
mod passing;

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Uri, header};

use self::{
    given::{Given, whole},
    hint::Challenge,
    keyed::Begun,
    passing::{Lasting, named, passing},
};
use super::{
    account_token, by_member, dry_run, mcp_session,
    once::{Keyed, Turn},
    read::{self, Reading},
    record::{PROXY, Record},
    retry::{self, Failure},
    send::{Outgoing, Sender},
    sending, unknown_after_panic,
};
use crate::{
    Error, ErrorKind, Result,
    boxed::boxed,
    context::{Context, Endpoints, Snapshot, bulkheads::Held, rate_limit::Cost},
    domain::AccountRef,
    policy::{self, Action, Admission, Sending},
    ports::{Body, Limits},
    product::{Product, ProxyRules, RouteKind},
    proxy::{self, Address, Checked, Part},
    resource::ProxyRequest,
    scope::ScopeName,
    tool::Effect,
};

const IDENTITY: HeaderValue = HeaderValue::from_static("identity");
/// Maximum size of a batch in bytes. It's read completely.
const BATCH_BYTES: usize = 10 * 1024 * 1024;
/// Number of bytes of a batch's response that are read to check whether all its requests were rejected. Such a response
/// is short.
const ALL_REFUSED: usize = 512 * 1024;
/// Minimum rate in bytes per second for a stream without a time limit.
const STEADY: u64 = 16 * 1024;

/// Sends a raw request that is given as JSON.
pub(crate) async fn send_raw(
    context: &Context,
    request: ProxyRequest,
) -> Result<http::Response<Body>> {
    account_token::refuse(&context.caller)?;
    mcp_session::refuse(&context.caller)?;
    let may_write = !request.dry_run && !matches!(request.method.as_str(), "GET" | "HEAD");
    if let Some(key) = request.idempotency_key.as_deref().filter(|_| may_write) {
        let keyed = Keyed::new(context, "proxy", key, &request)?;
        return keyed::send(context, request, keyed).await;
    }
    let connection_name = request.connection_name.clone();
    let identifier = request.identifier.clone();
    let given = Given::Written(request);
    let of = (connection_name.as_str(), identifier.as_str());
    boxed(|| call(context, of, given, At::Path, None)).await
}

/// Sends a raw request that arrived over HTTP. `request`'s URI is the product's path and query, unchanged.
pub(crate) async fn stream_raw(
    context: &Context,
    connection_name: &str,
    identifier: &str,
    request: http::Request<Body>,
) -> Result<http::Response<Body>> {
    mcp_session::refuse(&context.caller)?;
    let given = Given::Received(request);
    let of = (connection_name, identifier);
    boxed(|| call(context, of, given, At::Path, None)).await
}

/// Sends a raw request that arrived at the proxy host. The caller's token determines the user, and the path determines
/// the account.
pub(crate) async fn stream_raw_at_proxy_host(
    context: &Context,
    request: http::Request<Body>,
) -> Result<http::Response<Body>> {
    let token = account_token::expected(&context.caller)?;
    let path = request.uri().path_and_query();
    let account = account_token::of_path(context, token, path.map_or("/", |path| path.as_str()))?;
    let of = (account.connection_name.as_str(), token.identifier.as_str());
    let given = Given::Received(request);
    boxed(|| call(context, of, given, At::Host, None)).await
}

/// Where a raw request arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// Below `/proxy`, or described in JSON.
    Path,
    /// The proxy host.
    Host,
}

/// Runs the stages in order. A request that changes something continues even if its caller disconnects.
async fn call(
    context: &Context,
    (connection_name, identifier): (&str, &str),
    given: Given,
    at: At,
    turn: Option<Turn>,
) -> Result<http::Response<Body>> {
    let mut record = Record::begin(context, PROXY, connection_name, identifier);
    let is_dry_run = given.is_dry_run();
    let admitted = async {
        let guard = context.tasks.enter()?;
        let entered = context.bulkheads.enter(&context.caller)?;
        let held = context.bulkheads.bytes();
        let of = AccountRef::new(connection_name, identifier)?;
        account_token::names(&context.caller, &of)?;
        let snapshot = context.snapshot(&of).await?;
        record.account(snapshot.account.id);
        record.raw(snapshot.endpoints.product);
        account_token::is_of(&context.caller, &snapshot)?;
        let (caller, product) = (&context.caller, snapshot.endpoints.product.name);
        caller.check_for(ScopeName::ProxyRead, product)?;
        snapshot.usable()?;
        let streams = matches!(given, Given::Received(_));
        let admission = Admission::of(context, given.is_dry_run()).await?;
        let (checked, body) = given
            .check(context, snapshot.endpoints.product, &held)
            .await?;
        let settings = &snapshot.connection.settings;
        let checked = checked.with(snapshot.endpoints.product.derived(settings)?.headers);
        record.request(&snapshot.endpoints.product.proxy, &checked);
        let request = if checked.kind == RouteKind::Batch {
            let body = whole(context, body, BATCH_BYTES, &held).await?;
            RawRequest::of_batch(context, &snapshot, at, checked, &body)?
        } else {
            let body = match body {
                Body::Stream(_) if admission.reads_body(product) => {
                    whole(context, body, BATCH_BYTES, &held).await?.into()
                }
                body => body,
            };
            RawRequest::new(&snapshot.endpoints.product.proxy, at, checked, body)
        };
        admission.concerning(context, &snapshot, || request.exactly());
        account_token::allows(&context.caller, request.effect())?;
        for (method, path) in request.requests() {
            let effect = request.effect_of((method, path));
            let action = Action::Request {
                method: method.as_str(),
                path,
            };
            if effect != Effect::Read {
                caller.check_for(ScopeName::ProxyWrite, product)?;
            }
            policy::admit(context, &snapshot, effect, action)?;
        }
        let place = snapshot.enter(context)?;
        let lasting = Lasting {
            held,
            in_flight: (entered, place),
        };
        let request = RawRequest { streams, ..request };
        Ok((guard, lasting, snapshot, request, admission))
    };
    let (guard, lasting, snapshot, request, admission) = match admitted.await {
        Ok(admitted) => admitted,
        Err(error) => return record.end(Err(error)),
    };
    if is_dry_run {
        let planned = request.plan(&snapshot, &admission);
        return named(record.id(), record.end(planned));
    }
    let noted = boxed(|| by_member::raw(context, &record, &snapshot, request.requests()));
    if let Err(error) = noted.await {
        return record.end(Err(error));
    }
    if request.effect() == Effect::Read {
        let requested = (request, admission);
        return send(context, snapshot, requested, record, lasting, None).await;
    }
    let detached = context.detached_call(|context| async move {
        let _guard = guard;
        let account = snapshot.account.id;
        let turn = match keyed::begin(turn, account, &mut record).await {
            Begun::Now(turn) => turn,
            Begun::Before(result) => {
                return match request.refused(&snapshot, &admission) {
                    Ok(()) => record.end_replayed_raw(result),
                    Err(error) => record.end(Err(error)),
                };
            }
            Begun::Not(error) => return record.end(Err(error)),
        };
        record.changes();
        let requested = (request, admission);
        send(&context, snapshot, requested, record, lasting, turn).await
    });
    Box::pin(detached).await.map_err(unknown_after_panic)?
}

async fn send(
    context: &Context,
    snapshot: Arc<Snapshot>,
    mut requested: (RawRequest, Admission),
    mut record: Record,
    lasting: Lasting,
    turn: Option<Box<Turn>>,
) -> Result<http::Response<Body>> {
    let deadline = snapshot.endpoints.product.limits.total;
    let (request, admission) = &mut requested;
    let sender = Sender::new(
        context,
        snapshot,
        deadline,
        record.requests(),
        &lasting.held,
        admission,
    );
    let result = record.noting(sender.send(request).await);
    let (id, requests) = (record.id(), record.sent());
    let (result, record) = match result {
        Ok(response) if matches!(response.body(), Body::Stream(_)) => {
            (Ok(response), Some(record.responded()))
        }
        result => (record.end(result), None),
    };
    let result = named(id, result);
    let response = match turn {
        Some(turn) => Box::pin(turn.end_raw(result, requests)).await?,
        None => result?,
    };
    Ok(response.map(|body| passing(body, record, lasting)))
}

/// A request that the proxy's rules allow. Its response is forwarded as a stream.
struct RawRequest {
    method: Method,
    /// Name of the product's origin.
    origin: &'static str,
    kind: RouteKind,
    path_and_query: String,
    headers: HeaderMap,
    body: Option<Body>,
    /// A body in memory can be sent again; a stream can't.
    spare: Option<Bytes>,
    /// The requests of a batch.
    parts: Vec<Part>,
    /// Whether the caller accepts bodies of any size as a stream.
    streams: bool,
    rules: &'static ProxyRules,
    at: At,
}

impl RawRequest {
    fn new(rules: &'static ProxyRules, at: At, checked: Checked, body: Body) -> Self {
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

    fn of_batch(
        context: &Context,
        of: &Snapshot,
        at: At,
        checked: Checked,
        body: &[u8],
    ) -> Result<Self> {
        let address = address(context, of, at);
        let rules = &of.endpoints.product.proxy;
        let boundary = format!("stead_{}", context.new_id().simple());
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
    fn plan(mut self, of: &Snapshot, admission: &Admission) -> Result<http::Response<Body>> {
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

    /// Method and path of its requests, for policies and cost: its own, or those of a batch.
    fn requests(&self) -> impl Iterator<Item = (&Method, &str)> {
        let own = (self.kind != RouteKind::Batch).then(|| {
            let path = self.path_and_query.split('?').next();
            (&self.method, path.unwrap_or_default())
        });
        let parts = self.parts.iter();
        own.into_iter()
            .chain(parts.map(|part| (&part.method, part.path.as_str())))
    }

    fn effect_of(&self, (method, path): (&Method, &str)) -> Effect {
        proxy::effect(self.rules, method, path)
    }
}

fn address<'a>(context: &'a Context, of: &'a Snapshot, at: At) -> Address<'a> {
    match (at, &context.proxy_url) {
        (At::Host, Some(proxy_url)) => Address::Host { proxy_url },
        _ => Address::Path {
            public_url: &context.public_url,
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

#[cfg(test)]
mod body_tests;
#[cfg(test)]
mod response_tests;
#[cfg(test)]
mod scope_tests;
#[cfg(test)]
mod tests;
