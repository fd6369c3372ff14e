//! The record of one call, written however it ends.

use std::{
    borrow::Cow,
    mem,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use jiff::Timestamp;
use tracing::field;

use crate::{
    Error, ErrorKind, Result,
    catalogue::CatalogueTool,
    context::Context,
    domain::Execution,
    identifier::{AccountId, ExecutionId},
    metrics::{CallKind, Outcome},
    ports::Body,
    product::{Product, ProxyRules},
    proxy::{self, Checked},
    scrub::scrub,
};

/// Name of raw requests, which have no tool.
pub(super) const PROXY: &str = "proxy";
/// Log target for one line per call. It has neither the user's identifier nor the request or response.
const LOG: &str = "stead::call";

/// A call while it's running. If it doesn't end normally, it's recorded as `cancelled`, or as `outcome_unknown` if it
/// may have changed something.
pub(super) struct Record {
    context: Context,
    id: ExecutionId,
    tool: Cow<'static, str>,
    version: Cow<'static, str>,
    product: Option<&'static str>,
    kind: CallKind,
    changes: bool,
    connection_name: String,
    identifier: String,
    account_id: Option<AccountId>,
    started_at: Timestamp,
    began: Duration,
    requests: AtomicU32,
    path: Option<String>,
    product_status: Option<u16>,
    /// How long the product took to respond, if its response is being forwarded.
    responded: Option<Duration>,
    ended: bool,
}

impl Record {
    pub(super) fn begin(
        context: &Context,
        tool: &str,
        connection_name: &str,
        identifier: &str,
    ) -> Self {
        Self {
            context: context.clone(),
            id: ExecutionId::from_uuid(context.host.new_call_id()),
            tool: match tool {
                PROXY => Cow::Borrowed(PROXY),
                // Callers can request any name. If the tool is found, its name replaces this.
                other => Cow::Owned(beginning(other, 100).to_owned()),
            },
            version: Cow::Borrowed(""),
            product: None,
            kind: CallKind::Unknown,
            changes: false,
            connection_name: beginning(connection_name, 100).to_owned(),
            identifier: beginning(identifier, 256).to_owned(),
            account_id: None,
            started_at: whole_micros(context.host.now()),
            began: context.host.monotonic(),
            requests: AtomicU32::new(0),
            path: None,
            product_status: None,
            responded: None,
            ended: false,
        }
    }

    pub(super) fn id(&self) -> ExecutionId {
        self.id
    }
    pub(super) fn started_at(&self) -> Timestamp {
        self.started_at
    }
    /// The number of requests that were sent to the product.
    pub(super) fn requests(&self) -> &AtomicU32 {
        &self.requests
    }
    pub(super) fn sent(&self) -> u32 {
        self.requests.load(Ordering::Relaxed)
    }
    pub(super) fn tool(&mut self, tool: &CatalogueTool) {
        self.tool = Cow::Borrowed(tool.entry().name());
        self.version = Cow::Borrowed(tool.entry().version());
        self.product = Some(tool.product().name);
        self.kind = tool.entry().effect().into();
    }
    /// Notes that it's a raw request to a product.
    pub(super) fn raw(&mut self, product: &Product) {
        self.product = Some(product.name);
        self.kind = CallKind::Proxy;
    }
    /// Sets the raw request. Its method replaces a tool's version.
    pub(super) fn request(&mut self, rules: &ProxyRules, request: &Checked) {
        const PASSED: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
        let method = &request.method;
        let passed = PASSED.into_iter().find(|name| *name == method.as_str());
        self.version = passed.map_or_else(|| method.to_string().into(), Cow::Borrowed);
        self.path = Some(proxy::template(rules, &request.path_and_query));
    }
    /// Records the product's response to a raw request. The response is forwarded even if it's a rejection.
    pub(super) fn noting(
        &mut self,
        result: Result<http::Response<Body>>,
    ) -> Result<http::Response<Body>> {
        if let Ok(response) = &result {
            self.product_status = Some(response.status().as_u16());
        }
        result
    }
    /// Notes that the call can change something at the product.
    pub(super) fn changes(&mut self) {
        self.changes = true;
    }
    pub(super) fn account(&mut self, account: AccountId) {
        self.account_id = Some(account);
    }

    /// Notes that the product has responded and its response is being forwarded. From here on, the duration depends on
    /// the caller.
    pub(super) fn responded(mut self) -> Self {
        self.responded = Some(self.took());
        self
    }

    /// Completes the record, and adds the execution's ID to the error. The error no longer contains the products'
    /// credentials.
    pub(super) fn end<T>(mut self, result: Result<T>) -> Result<T> {
        if let Some(upstream) = result.as_ref().err().and_then(Error::upstream) {
            self.product_status = Some(upstream.status);
        }
        self.hand_over(self.came_to(&result));
        result.map_err(|error| {
            error
                .without_credentials(&self.context.products.catalogue.token_prefixes())
                .with_execution_id(self.id.to_string())
        })
    }

    /// The same for the outcome of an earlier call, whose execution the error names. This call changed nothing.
    pub(super) fn end_replayed<T>(mut self, result: Result<T>) -> Result<T> {
        self.hand_over(self.came_to(&result));
        result
    }

    /// A product's refusal counts as a failure, even if its response was forwarded.
    fn came_to<T>(&self, result: &Result<T>) -> Outcome {
        match (result, self.product_status) {
            (Ok(_), Some(status @ 400..)) => Outcome::Failed(ErrorKind::of_product_status(status)),
            _ => Outcome::of(result),
        }
    }

    fn took(&self) -> Duration {
        let so_far = || self.context.host.monotonic().saturating_sub(self.began);
        self.responded.unwrap_or_else(so_far)
    }

    fn hand_over(&mut self, ended: Outcome) {
        if mem::replace(&mut self.ended, true) {
            return;
        }
        let outcome = ended.name();
        let duration = self.took();
        let metrics = &self.context.host.metrics;
        metrics.call(self.product, self.kind, ended, duration);
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        tracing::info!(
            target: LOG,
            execution_id = %self.id,
            tool = %in_log(&self.tool),
            connection = %in_log(&self.connection_name),
            account_id = self.account_id.map(field::display),
            outcome,
            micros,
            requests = self.requests.load(Ordering::Relaxed),
            actor = self.context.caller.kind(),
            actor_id = self.context.caller.id(),
            trace_id = self.context.trace_id.map(field::display),
            "call"
        );
        tracing::trace!(
            execution = %self.id,
            tool = %self.tool,
            version = %self.version,
            connection = %self.connection_name,
            identifier = %self.identifier,
            outcome,
            micros,
            "execution"
        );
        let execution = Execution {
            id: self.id,
            tool: mem::take(&mut self.tool),
            tool_version: mem::take(&mut self.version),
            changes: self.changes,
            account_id: self.account_id,
            connection_name: mem::take(&mut self.connection_name),
            identifier: mem::take(&mut self.identifier),
            actor: self.context.caller.recorded(),
            started_at: self.started_at,
            duration_micros: micros,
            outcome: Cow::Borrowed(outcome),
            requests: self.requests.load(Ordering::Relaxed),
            path: self.path.take(),
            product_status: self.product_status,
            trace_id: self.context.trace_id,
        };
        self.context.history.recorder.add(&self.context, execution);
    }
}

/// Truncates a text to this many characters.
fn beginning(text: &str, most: usize) -> &str {
    // A character has at least one byte.
    if text.len() <= most {
        return text;
    }
    let end = text.char_indices().nth(most);
    end.map_or(text, |(end, _)| &text[..end])
}

/// A name that is safe to log, because callers can request any text.
fn in_log(name: &str) -> String {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if name.bytes().all(is_name) {
        scrub(name, 100)
    } else {
        String::from("(not a name)")
    }
}

/// A time with the history's precision.
fn whole_micros(moment: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(moment.as_microsecond()).unwrap_or(moment)
}

impl Drop for Record {
    fn drop(&mut self) {
        let was_sent = *self.requests.get_mut() > 0;
        self.hand_over(match self.changes && was_sent {
            // The product's response says what happened.
            true if self.responded.is_some() => self.came_to(&Ok(())),
            true => Outcome::Failed(ErrorKind::OutcomeUnknown),
            false => Outcome::Cancelled,
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        error::Upstream,
        testing::{STABLE, World, always, context, executions},
    };

    #[test]
    fn an_error_leaves_without_the_products_credentials() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        let record = Record::begin(&context, "demo_read_note", "demo", "ada");
        let said = "the token demo-token.abcdefgh is bad";
        let upstream = Upstream::new(400)
            .with_message(said)
            .with_details(json!({ "errors": [said] }));
        let error = Error::new(ErrorKind::ProductInvalidRequest, said)
            .with_context("said", said)
            .with_upstream(upstream);
        let error = record.end::<()>(Err(error)).unwrap_err();
        let shown = json!([error.message(), error.context(), error.upstream()]).to_string();
        assert_eq!(shown.matches("the token [removed] is bad").count(), 4);
        assert!(!shown.contains("demo-token"), "{shown}");
    }

    #[test]
    fn a_moment_is_kept_to_the_microsecond() {
        let moment = |nanoseconds| Timestamp::new(1_767_225_600, nanoseconds).unwrap();
        assert_eq!(whole_micros(moment(1_234_567)), moment(1_234_000));
        assert_eq!(whole_micros(moment(1_234_000)), moment(1_234_000));
    }

    #[test]
    fn a_record_says_how_it_ended_and_gives_the_error_its_id() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        let record = Record::begin(
            &context,
            &"t".repeat(1000),
            &"c".repeat(1000),
            &"i".repeat(1000),
        );
        let id = record.id();
        record.requests().fetch_add(2, Ordering::Relaxed);
        world.advance(Duration::from_millis(3));
        let error = record
            .end(Err::<(), _>(Error::new(ErrorKind::ProductTimeout, "")))
            .unwrap_err();
        assert_eq!(error.execution_id(), Some(id.to_string().as_str()));
        world.advance(Duration::from_millis(200));
        let row = world.run(executions(&context)).remove(0);
        assert_eq!(
            (row.id, &*row.outcome, row.duration_micros, row.requests),
            (id, "product_timeout", 3000, 2)
        );
        assert_eq!(
            (
                row.tool.len(),
                row.connection_name.len(),
                row.identifier.len()
            ),
            (100, 100, 256)
        );
    }
}
