//! Calls to the product's own API. Stead validates the path and headers, and forwards the response as it arrives.

mod arguments;
mod given;
mod hint;
mod passing;
mod request;

use std::sync::Arc;

use self::{
    given::{Given, whole},
    passing::{named, passing},
    request::{At, RawRequest},
};
use super::{
    Call, Capacity, Request, Work, account_token, by_member, mcp_session,
    once::Turn,
    outcome::Outcome,
    record::PROXY,
    send::{Outgoing as _, Sender},
};
use crate::{
    Result,
    boxed::boxed,
    context::{Context, Snapshot},
    domain::AccountRef,
    policy::{self, Action},
    ports::Body,
    product::RouteKind,
    resource::ProxyRequest,
    scope::ScopeName,
    tool::Effect,
};

/// Maximum size of a batch in bytes. It's read completely.
const BATCH_BYTES: usize = 10 * 1024 * 1024;

/// Sends a raw request that is given as JSON.
pub(crate) async fn send_raw(
    context: &Context,
    request: ProxyRequest,
) -> Result<http::Response<Body>> {
    account_token::refuse(&context.caller)?;
    mcp_session::refuse(&context.caller)?;
    let (connection, identifier) = (request.connection_name.clone(), request.identifier.clone());
    let of = (connection.as_str(), identifier.as_str());
    boxed(|| run(context, of, Given::Written(request), At::Path)).await
}

/// Sends a raw request that arrived over HTTP. `request`'s URI is the product's path and query, unchanged.
pub(crate) async fn stream_raw(
    context: &Context,
    connection_name: &str,
    identifier: &str,
    request: http::Request<Body>,
) -> Result<http::Response<Body>> {
    mcp_session::refuse(&context.caller)?;
    let of = (connection_name, identifier);
    boxed(|| run(context, of, Given::Received(request), At::Path)).await
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
    boxed(|| run(context, of, Given::Received(request), At::Host)).await
}

async fn run(
    context: &Context,
    of: (&str, &str),
    given: Given,
    at: At,
) -> Result<http::Response<Body>> {
    let (keyed, is_dry_run) = (given.keyed(context), given.is_dry_run());
    let call = Call::begin(context, PROXY, of, keyed, is_dry_run).await?;
    call.run(RawCall { of, given, at }).await
}

/// A raw request before the proxy's rules have checked it.
struct RawCall<'a> {
    of: (&'a str, &'a str),
    given: Given,
    at: At,
}

impl Request for RawCall<'_> {
    type Work = RawRequest;

    fn account(&self, call: &Call) -> Result<AccountRef> {
        let of = AccountRef::new(self.of.0, self.of.1)?;
        account_token::names(&call.context.caller, &of)?;
        Ok(of)
    }

    /// Checks the path, headers and body by the product's rules too, because only the account determines the product.
    async fn admit(self, call: &mut Call, snapshot: &Snapshot) -> Result<RawRequest> {
        let (context, product) = (&call.context, snapshot.endpoints.product);
        let (caller, held) = (&context.caller, &call.held);
        call.record.raw(product);
        account_token::is_of(caller, snapshot)?;
        caller.check_for(ScopeName::ProxyRead, product.name)?;
        snapshot.usable()?;
        let streams = matches!(self.given, Given::Received(_));
        let (checked, body) = self.given.check(context, product, held).await?;
        let settings = &snapshot.connection.settings;
        let checked = checked.with(product.derived(settings)?.headers);
        call.record.request(&product.proxy, &checked);
        let reads_body = call.admission.reads_body(product.name)
            || policy::guard_reads_body(product, &snapshot.connection, &checked.sent());
        let mut request = match (checked.kind, body) {
            (RouteKind::Batch, body) => {
                let body = whole(context, body, BATCH_BYTES, held).await?;
                RawRequest::of_batch(context, snapshot, self.at, checked, &body)?
            }
            (_, body @ Body::Stream(_)) if reads_body => {
                let body = whole(context, body, BATCH_BYTES, held).await?;
                RawRequest::new(&product.proxy, self.at, checked, body.into())
            }
            (_, body) => RawRequest::new(&product.proxy, self.at, checked, body),
        };
        account_token::allows(caller, request.effect())?;
        for (method, path) in request.requests() {
            let effect = request.effect_of((method, path));
            let method = method.as_str();
            if effect != Effect::Read {
                caller.check_for(ScopeName::ProxyWrite, product.name)?;
            }
            policy::admit(context, snapshot, effect, Action::Request { method, path })?;
        }
        request.streams = streams;
        Ok(request)
    }
}

impl Work for RawRequest {
    type Output = http::Response<Body>;

    fn can_change(&self) -> bool {
        self.effect() != Effect::Read
    }

    /// Policies decide when the final request is sent, so nothing is asked here.
    async fn approve(&mut self, call: &Call, snapshot: &Snapshot) -> Result<()> {
        let (context, record) = (&call.context, &call.record);
        call.admission
            .concerning(context, snapshot, || self.exactly());
        if call.is_dry_run {
            return Ok(());
        }
        boxed(|| by_member::raw(context, record, snapshot, self.requests())).await
    }

    async fn perform(
        &mut self,
        call: &mut Call,
        snapshot: &Arc<Snapshot>,
        _: bool,
    ) -> Result<http::Response<Body>> {
        if call.is_dry_run {
            return self.plan(snapshot, &call.admission);
        }
        let deadline = snapshot.endpoints.product.limits.total;
        let (of, requests) = (Arc::clone(snapshot), call.record.requests());
        let admission = &call.admission;
        let sender = Sender::new(&call.context, of, deadline, requests, &call.held, admission);
        let result = sender.send(self).await;
        call.record.noting(result)
    }

    async fn finish(
        self,
        call: Call,
        capacity: Capacity,
        result: Result<http::Response<Body>>,
        turn: Option<Turn>,
    ) -> Result<http::Response<Body>> {
        let (id, requests) = (call.record.id(), call.record.sent());
        let (result, record) = match result {
            Ok(response) if matches!(response.body(), Body::Stream(_)) => {
                (Ok(response), Some(call.record.responded()))
            }
            Err(error) if error.is_replayed() => return call.record.end_replayed(Err(error)),
            result => (call.record.end(result), None),
        };
        let result = named(id, result);
        let response = match turn {
            Some(turn) => Box::pin(turn.end_raw(result, requests)).await?,
            None => result?,
        };
        Ok(response.map(|body| passing(body, record, capacity)))
    }

    async fn may_replay(&mut self, call: &Call, snapshot: &Snapshot) -> Result<()> {
        self.refused(snapshot, &call.admission)
    }

    fn replayed(call: &mut Call, outcome: Outcome) -> Result<http::Response<Body>> {
        call.record.noting(outcome.into_response())
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
