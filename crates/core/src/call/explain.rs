//! Tests how policies decide on a call, without making it.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use http::Method;
use serde_json::{Map, Value};

use super::{find, mcp_session, validate};
use crate::{
    Error, ErrorKind, Result,
    caller::Caller,
    context::Context,
    domain::Connection,
    error::Violation,
    policy::{self, Because, Decided, Sending},
    ports::BoxFuture,
    product::{Product, RouteKind, SentRequest},
    proxy,
    resource::{ClassifiedRequest, Policy, PolicyDecision, PolicyOutcome, PolicyTest, RequestFact},
    scope::ScopeName,
    tool::{AnyTool, ApiRequest, Call, Effect, Io, IoBackend, Response},
};

const JSON: &str = "application/json";

/// Decides on a call with the environment's policies and those of the test or its named caller. Sends nothing.
pub(crate) async fn test(context: &Context, test: PolicyTest) -> Result<PolicyDecision> {
    // Here, the method is a value in the body. A 405 would be about the method of the request itself.
    explain(context, test)
        .await
        .map_err(|error| match error.kind() {
            ErrorKind::MethodNotAllowed => {
                Error::invalid(vec![Violation::new("/method", "enum", error.message())])
            }
            _ => error,
        })
}

async fn explain(context: &Context, test: PolicyTest) -> Result<PolicyDecision> {
    for (index, name) in test.policies.iter().enumerate() {
        context
            .existing_policy(name)
            .await
            .map_err(|error| Error::invalid_at(format!("/policies/{index}"), error.message()))?;
    }
    let caller = match &test.caller {
        None => Caller::Operator,
        Some(id) if test.policies.is_empty() => context.existing_caller(id).await?,
        Some(_) => {
            let message = "give either policies or a caller";
            return Err(Error::invalid_at("/caller", message));
        }
    };
    let all = context.policies().await?;
    let policies = all.applying_to(&caller, &test.policies)?;
    let connection = match &test.connection_name {
        Some(name) => Some(connection_of(context, name).await?),
        None => None,
    };
    let by = By {
        caller: &caller,
        policies: &policies,
        connection: connection.as_ref(),
    };
    match (&test.tool, &test.method, &test.path) {
        (Some(name), None, None) => of_tool(context, &by, name, test.input.clone()).await,
        (None, Some(method), Some(path)) => raw(context, &by, method, path, &test),
        _ => Err(Error::invalid_at(
            "",
            "give a tool with its input, or the product, method and path of a raw request",
        )),
    }
}

async fn connection_of(context: &Context, name: &str) -> Result<Connection> {
    match context.connection_row(name).await {
        Ok(found) => Ok(found.row),
        Err(error) if error.kind() == ErrorKind::UnknownConnection => {
            Err(Error::invalid_at("/connection_name", error.message()))
        }
        Err(error) => Err(error),
    }
}

/// The caller, the policies that apply, and the connection if the test names one.
struct By<'a> {
    caller: &'a Caller,
    policies: &'a [Arc<Policy>],
    connection: Option<&'a Connection>,
}

impl By<'_> {
    /// Fails if the connection is one of another product.
    fn check_product(&self, product: &Product) -> Result<()> {
        match self.connection {
            Some(connection) if connection.product != product.name => {
                let message = format!(
                    "the connection {} is for {}, and the call is for {}",
                    connection.name, connection.product, product.name
                );
                Err(Error::invalid_at("/connection_name", message))
            }
            _ => Ok(()),
        }
    }
}

/// The decision on a tool, and on the requests that it sends before it needs a response.
async fn of_tool(
    context: &Context,
    by: &By<'_>,
    name: &str,
    mut input: Value,
) -> Result<PolicyDecision> {
    let tool = find::tool(&context.products.catalogue, name, None, None, &mut input)?;
    let product = tool.product();
    by.check_product(product)?;
    let mut explained = Explained::default();
    explained.limit(mcp_session::allows(by.caller, tool.entry()));
    explained.limit(by.caller.check_for(ScopeName::ToolsExecute, product.name));
    explained.add(policy::tool(by.policies, tool.entry().name()));
    let parsed = validate::input(&tool, input)?;
    let call = Call::new(context.host.new_id(), context.host.now());
    first_requests(product, parsed.as_ref(), &call, |sending| {
        explained.request(by, sending);
        Ok(())
    })
    .await?;
    Ok(explained.decision())
}

/// Shows the requests that a tool sends before it needs a response.
pub(super) async fn first_requests(
    product: &'static Product,
    tool: &dyn AnyTool,
    call: &Call,
    mut see: impl FnMut(&Sending<'_>) -> Result<()>,
) -> Result<()> {
    let noted = Noted::default();
    // The tool stops when it needs a response.
    let _ = tool.run(call, Io::new(&noted)).await;
    let requests = noted.0.into_inner();
    for request in requests.unwrap_or_else(PoisonError::into_inner) {
        let base = product
            .origin(request.origin)
            .map_or("", |origin| origin.base);
        let target = request.target(base)?;
        let sent = Sent {
            method: &request.method,
            target: &target,
            content_type: request.content_type(),
            body: request.body.as_ref(),
        };
        see(&sent.sending(product, false, request.effect_of()))?;
    }
    Ok(())
}

/// The decision on a raw request.
fn raw(
    context: &Context,
    by: &By<'_>,
    method: &str,
    path: &str,
    test: &PolicyTest,
) -> Result<PolicyDecision> {
    let name = test.product.as_deref();
    let name = name.ok_or_else(|| Error::invalid_at("/product", "give the product"))?;
    let product = context.products.endpoints(name)?.product;
    by.check_product(product)?;
    let body = match &test.body {
        Value::Null => None,
        Value::String(text) => Some(Bytes::from(text.clone())),
        json => Some(Bytes::from(json.to_string())),
    };
    let none = std::iter::empty();
    let checked = proxy::check_written(
        &product.proxy,
        method,
        path,
        &Map::new(),
        none,
        body.is_some(),
    )?;
    if checked.kind == RouteKind::Batch {
        let message = "policies apply to each request of a batch separately; test one of them";
        return Err(Error::invalid_at("/path", message));
    }
    let content_type = test.content_type.as_deref();
    let sent = Sent {
        method: &checked.method,
        target: &checked.path_and_query,
        content_type: content_type.or(body.as_ref().map(|_| JSON)),
        body: body.as_ref(),
    };
    let effect = proxy::effect(&product.proxy, &checked.method, sent.path());
    let mut explained = Explained::default();
    explained.limit(mcp_session::refuse(by.caller));
    explained.limit(by.caller.check_for(ScopeName::ProxyRead, product.name));
    if effect != Effect::Read {
        explained.limit(by.caller.check_for(ScopeName::ProxyWrite, product.name));
    }
    explained.request(by, &sent.sending(product, true, effect));
    Ok(explained.decision())
}

/// A request that isn't sent.
struct Sent<'a> {
    method: &'a Method,
    target: &'a str,
    content_type: Option<&'a str>,
    body: Option<&'a Bytes>,
}

impl<'a> Sent<'a> {
    fn path(&self) -> &'a str {
        self.target.split('?').next().unwrap_or_default()
    }

    fn sending(&self, product: &'static Product, is_raw: bool, effect: Effect) -> Sending<'a> {
        Sending {
            product,
            is_raw,
            sent: SentRequest {
                method: self.method,
                path: self.path(),
                query: self.target.split_once('?').map(|(_, query)| query),
                content_type: self.content_type,
                body: Some(self.body.map_or(&[], |body| body)),
            },
            effect,
        }
    }
}

/// Notes the requests of a tool and gives no response.
#[derive(Default)]
struct Noted(Mutex<Vec<ApiRequest>>);

impl IoBackend for Noted {
    fn exchange(&self, requests: Vec<ApiRequest>) -> BoxFuture<'_, Vec<Result<Response>>> {
        let none = || Error::new(ErrorKind::Internal, "a test doesn't send the request");
        let responses = requests.iter().map(|_| Err(none())).collect();
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A tool that continues after an error behaves as if there was no response.
        if noted.is_empty() {
            noted.extend(requests);
        }
        Box::pin(std::future::ready(responses))
    }

    fn pause(&self, _: Duration) -> BoxFuture<'_, Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// Decisions so far.
#[derive(Default)]
struct Explained {
    /// A restriction of the caller or the connection that applies regardless of policies.
    limited: Option<Error>,
    refused: Option<Because>,
    needs: Option<Because>,
    requests: Vec<ClassifiedRequest>,
    /// A kind of requests that the connection has to allow, if the test names none.
    to_allow: Option<&'static str>,
}

impl Explained {
    fn limit(&mut self, may: Result<()>) {
        self.limited = self.limited.take().or(may.err());
    }

    fn add(&mut self, decided: Decided) {
        match decided {
            Decided::Allowed => {}
            Decided::Refused(because) => drop(self.refused.get_or_insert(because)),
            Decided::NeedsApproval(because) => drop(self.needs.get_or_insert(because)),
        }
    }

    fn request(&mut self, by: &By<'_>, sending: &Sending<'_>) {
        let classified = (sending.product.classify)(&sending.sent);
        self.add(policy::request(by.policies, sending, classified.as_ref()));
        let guarded = policy::guarded(sending).map(|one| one.guard.name);
        match by.connection {
            Some(_) => self.limit(policy::guard(by.connection, sending)),
            None => self.to_allow = self.to_allow.or(guarded),
        }
        let query = sending.sent.query.map(|query| format!("?{query}"));
        let facts = classified.iter().flat_map(|classified| &classified.facts);
        let facts = facts.map(|fact| RequestFact {
            kind: fact.kind.to_owned(),
            value: fact.value.clone(),
        });
        self.requests.push(ClassifiedRequest {
            method: sending.sent.method.to_string(),
            path: format!("{}{}", sending.sent.path, query.unwrap_or_default()),
            effect: policy::effect(sending, classified.as_ref()),
            known: classified.is_some(),
            facts: facts.collect(),
            allowed_request: guarded.map(str::to_owned),
        });
    }

    fn decision(self) -> PolicyDecision {
        if let Some(error) = self.limited {
            let mut decision = PolicyDecision::new(PolicyOutcome::Refused, error.message());
            decision.requests = self.requests;
            return decision;
        }
        let (outcome, because) = match (self.refused, self.needs) {
            (Some(because), _) => (PolicyOutcome::Refused, Some(because)),
            (None, Some(because)) => (PolicyOutcome::NeedsApproval, Some(because)),
            (None, None) => (PolicyOutcome::Allowed, None),
        };
        let message = match (&because, self.to_allow) {
            (Some(because), _) => because.why.clone(),
            (None, Some(kind)) => {
                format!("no rule forbids it, but the connection has to allow {kind}")
            }
            (None, None) => String::from("no rule forbids it"),
        };
        let mut decision = PolicyDecision::new(outcome, message);
        decision.requests = self.requests;
        if let Some(because) = because {
            (decision.policy, decision.rule) = (Some(because.policy), Some(because.rule));
        }
        decision
    }
}
