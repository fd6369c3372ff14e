//! Runs a model's tool calls as the user, and returns the results in the model's format.

use futures_util::future::join_all;
use serde_json::Value;

use crate::{
    Error, ErrorKind, Result,
    agent::{Call, CallOutcome, Content, ToolCallResults, ToolCalls, error_text, read, result},
    call,
    catalogue::MetaCall,
    context::Context,
    digest::Digest,
    error::{AuthorizationRequest, Violation},
    oauth,
    resource::{ExecuteRequest, Execution, NewAuthorizationLink},
    results::ResultOptions,
    scope::ScopeName,
    tool::Effect,
};

/// Maximum number of reads that run in parallel.
const AT_ONCE: usize = 8;
/// Shortest ID that identifies one call. Shorter IDs only number the calls of a response.
const UNIQUE: usize = 9;

/// A call that is ready to be made.
struct Step {
    call: Call,
    what: What,
}

/// The kind of a call.
enum What {
    /// A tool, by name.
    Tool(String, Value, Effect),
    /// Data of the catalogue.
    Known(Result<String>),
}

/// Result of a call.
enum Done {
    Execution(Box<Execution>),
    Data(String),
}

/// Executes the calls in order. Consecutive reads run in parallel; writes run one at a time.
pub(crate) async fn run(context: &Context, request: ToolCalls) -> Result<ToolCallResults> {
    let (format, calls) = read(request.format, &request.calls)?;
    check(context, &request)?;
    let steps: Vec<Step> = calls
        .into_iter()
        .map(|call| Step::new(context, &request, call))
        .collect();
    let mut done = Vec::with_capacity(steps.len());
    let mut left = steps.as_slice();
    while !left.is_empty() {
        let reads = left.iter().take(AT_ONCE).take_while(|step| step.reads());
        let (together, rest) = left.split_at(reads.count().max(1));
        let first = done.len();
        let each = together.iter().enumerate();
        let each = each.map(|(index, step)| step.run(context, &request, first + index));
        done.extend(join_all(each).await);
        left = rest;
    }
    let mut links = Links::default();
    let mut results = ToolCallResults {
        format,
        results: Vec::with_capacity(steps.len()),
        calls: Vec::with_capacity(steps.len()),
    };
    for (step, done) in steps.iter().zip(&done) {
        let content = match done {
            Ok(Done::Execution(execution)) => {
                Content::Data(execution.data.get(), &execution.warnings)
            }
            Ok(Done::Data(data)) => Content::Data(data, &[]),
            Err(error) => {
                let link = links.of(context, &request, error).await;
                Content::Error(error_text(error, step.title(context), link.as_deref()))
            }
        };
        results.results.push(result(format, &step.call, content));
        results.calls.push(step.outcome(done));
    }
    Ok(results)
}

/// Checks for errors that affect all calls.
fn check(context: &Context, request: &ToolCalls) -> Result<()> {
    if request.connection_name.is_none() && request.connections.is_empty() {
        let message = "expected connection_name, or connections with one connection per product";
        return Err(Error::invalid_at("/connection_name", message));
    }
    for product in request.connections.keys() {
        if context.products.catalogue.product(product).is_none() {
            let known = context.products.catalogue.products().iter();
            let message = crate::similar::unknown(product, known.map(|product| product.name));
            let violation = Violation::at(&["connections", product], "enum", message);
            return Err(Error::invalid(vec![violation]));
        }
    }
    Ok(())
}

impl Step {
    fn new(context: &Context, request: &ToolCalls, call: Call) -> Self {
        let what = match MetaCall::read(&call.name, call.input.clone()) {
            None => What::tool(context, call.name.clone(), call.input.clone()),
            Some(Ok(MetaCall::Execute(asked))) => {
                What::tool(context, asked.name, Value::Object(asked.input))
            }
            Some(Ok(MetaCall::Search(asked))) => {
                let products = products(request);
                let found = context
                    .products
                    .catalogue
                    .search(&asked, products.as_deref());
                What::Known(found.and_then(|found| json_text(&found)))
            }
            Some(Ok(MetaCall::Describe(asked))) => {
                let found = context.products.catalogue.describe(&asked.name);
                What::Known(found.and_then(|found| json_text(&found)))
            }
            Some(Err(error)) => What::Known(Err(error)),
        };
        Self { call, what }
    }

    fn reads(&self) -> bool {
        match &self.what {
            What::Known(_) => true,
            What::Tool(_, _, effect) => *effect == Effect::Read,
        }
    }

    /// Title of the product that the call uses.
    fn title(&self, context: &Context) -> &'static str {
        match &self.what {
            What::Tool(tool, _, _) => match context.products.catalogue.find(tool, None, None) {
                Ok(tool) => tool.product().title,
                Err(_) => "",
            },
            What::Known(_) => "",
        }
    }

    /// Makes the call. If it fails, the other calls still run.
    async fn run(&self, context: &Context, request: &ToolCalls, index: usize) -> Result<Done> {
        let (tool, input) = match &self.what {
            What::Known(known) => return known.clone().map(Done::Data),
            What::Tool(tool, input, _) => (tool, input),
        };
        let connection = connection(context, request, tool)?;
        let mut execute = ExecuteRequest::new(connection, &request.identifier, input.clone());
        execute.result = ResultOptions::for_agents(request.view, request.max_bytes);
        execute.idempotency_key = self.key(request, &execute, index);
        let execution = call::execute(context, tool, execute).await?;
        Ok(Done::Execution(Box::new(execution)))
    }

    /// Idempotency key of a call, from its ID, tool, input and user. A call without its own ID needs the request's key.
    fn key(&self, request: &ToolCalls, execute: &ExecuteRequest, index: usize) -> Option<String> {
        let What::Tool(tool, input, _) = &self.what else {
            return None;
        };
        let id = self.call.id.as_deref().unwrap_or_default();
        let number = index.to_string();
        let id = match &request.idempotency_key {
            Some(_) if id.is_empty() => number.as_str(),
            Some(_) => id,
            None if is_unique(id) => id,
            None => return None,
        };
        let given = request.idempotency_key.as_deref().unwrap_or_default();
        let (connection, user) = (&execute.connection_name, &execute.identifier);
        let digest = Digest::of(&format!(
            "tool call\0{given}\0{id}\0{connection}\0{user}\0{tool}\0{input}"
        ));
        Some(format!("tool-call-{}", digest.as_str()))
    }

    fn outcome(&self, done: &Result<Done>) -> CallOutcome {
        let tool = match &self.what {
            What::Tool(tool, _, _) => tool,
            What::Known(_) => &self.call.name,
        };
        let error = done.as_ref().err();
        let execution = match done {
            Ok(Done::Execution(execution)) => Some(execution.execution_id),
            Ok(Done::Data(_)) => None,
            Err(error) => error.execution_id().and_then(|id| id.parse().ok()),
        };
        let replayed = match done {
            Ok(Done::Execution(execution)) => execution.replayed,
            Ok(Done::Data(_)) => false,
            Err(error) => error.is_replayed(),
        };
        CallOutcome {
            id: self.call.id.clone(),
            tool: tool.clone(),
            execution_id: execution,
            replayed,
            error: error.map(|error| Box::new(error.to_problem())),
        }
    }
}

impl What {
    fn tool(context: &Context, name: String, input: Value) -> Self {
        let found = context.products.catalogue.find(&name, None, None);
        // An unknown tool changes nothing. Its result has the error.
        let effect = found.map_or(Effect::Read, |tool| tool.entry().effect());
        Self::Tool(name, input, effect)
    }
}

/// Whether an ID identifies one call. Vendors use random IDs, but small servers number them (`call_0`).
fn is_unique(id: &str) -> bool {
    let own = ["call_", "toolu_", "fc_", "chatcmpl-tool-"]
        .iter()
        .find_map(|prefix| id.strip_prefix(prefix))
        .unwrap_or(id);
    own.bytes().filter(u8::is_ascii_alphanumeric).count() >= UNIQUE
}

/// The connection that a tool is called through.
fn connection(context: &Context, request: &ToolCalls, tool: &str) -> Result<String> {
    let product = context
        .products
        .catalogue
        .find(tool, None, None)?
        .product()
        .name;
    let named = request.connections.get(product);
    let named = named.or(request.connection_name.as_ref());
    named.cloned().ok_or_else(|| {
        let known: Vec<&str> = request.connections.keys().map(String::as_str).collect();
        let message = format!(
            "this request has no connection for {product}; it can call tools of these products: {}",
            known.join(", ")
        );
        Error::new(ErrorKind::UnknownConnection, message)
    })
}

/// The products whose tools a search can find, if the request lists them all.
fn products(request: &ToolCalls) -> Option<Vec<String>> {
    let named = || request.connections.keys().cloned().collect();
    request.connection_name.is_none().then(named)
}

fn json_text(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| {
        Error::new(
            ErrorKind::Internal,
            "a description can't be written as JSON",
        )
        .with_source(error)
    })
}

/// Links created for a request: one for each account and set of scopes.
#[derive(Default)]
struct Links(Vec<(AuthorizationRequest, String)>);

impl Links {
    /// The link that lets a call succeed, if the caller wants links and the user needs to act. If creating it fails,
    /// the error says what to do.
    async fn of(
        &mut self,
        context: &Context,
        request: &ToolCalls,
        error: &Error,
    ) -> Option<String> {
        if !request.authorization_links || !error.needs_user() {
            return None;
        }
        let asked = error.authorization_request()?;
        if let Some((_, link)) = self.0.iter().find(|(made, _)| made == asked) {
            return Some(link.clone());
        }
        context.caller.check(ScopeName::LinksCreate).ok()?;
        let mut new = NewAuthorizationLink::from(asked.clone());
        new.verify_url.clone_from(&request.verify_url);
        let link = match oauth::links::create(context, new).await {
            Ok(made) => made.link,
            Err(error) => {
                tracing::warn!(%error, "couldn't create the link that a model's call needs");
                return None;
            }
        };
        self.0.push((asked.clone(), link.clone()));
        Some(link)
    }
}

#[cfg(test)]
mod tests;
