//! A call of a tool.

use std::{sync::Arc, time::Duration};

use http::Method;
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::{
    Call, Capacity, Request, Work, account_token, admit, by_member,
    dry_run::DryRun,
    explain, file, find, mcp_session,
    once::{Keyed, Turn},
    outcome::Outcome,
    send::Sender,
    shape::shaped,
    tool_io::ToolIo,
    validate,
};
use crate::{
    Result,
    boxed::boxed,
    catalogue::CatalogueTool,
    context::{Context, Snapshot},
    domain::AccountRef,
    policy::{self, Action, Subject},
    resource::{ExecuteRequest, Execution},
    results::{ResultOptions, View},
    scope::ScopeName,
    tool::{self, AnyTool, Effect, Io, Warning},
};

/// Maximum duration of a call, including all requests, pauses and retries.
const DEADLINE: Duration = Duration::from_secs(120);

/// Runs a tool by name.
pub(crate) async fn execute(
    context: &Context,
    name: &str,
    request: ExecuteRequest,
) -> Result<Execution> {
    boxed(|| run(context, name, request, None)).await
}

/// Repeats a read-only call to get a truncated part of its first result, if the account is still the same.
pub(super) async fn execute_again(
    context: &Context,
    name: &str,
    request: ExecuteRequest,
    owner: file::Owner,
) -> Result<Execution> {
    boxed(|| run(context, name, request, Some(owner))).await
}

async fn run(
    context: &Context,
    name: &str,
    request: ExecuteRequest,
    again: Option<file::Owner>,
) -> Result<Execution> {
    account_token::refuse(&context.caller)?;
    mcp_session::names(&context.caller, &request.identifier)?;
    let keyed = request.idempotency_key.as_deref().map(|key| {
        let asked = (name, &request);
        Keyed::new(context, "tools/execute", key, &asked)
    });
    let of = (
        request.connection_name.as_str(),
        request.identifier.as_str(),
    );
    let keyed = keyed.transpose();
    let mut call = Call::begin(context, name, of, keyed, request.dry_run).await?;
    match ToolCall::find(&mut call, name, request, again).await {
        Ok(found) => call.run(found).await,
        Err(error) => call.record.end(Err(error)),
    }
}

/// A tool with its validated input, and how the caller wants its result.
struct ToolCall {
    tool: Arc<CatalogueTool>,
    parsed: Box<dyn AnyTool>,
    connection_name: String,
    identifier: String,
    /// The idempotency key, bound to this caller and input, if there is one.
    own_key: Option<String>,
    result: ResultOptions,
    /// The input as given, if it may need approval or be part of handles.
    arguments: Value,
    /// Whether the input is kept for handles. An input that is too large for them isn't copied.
    fits_handles: bool,
    /// Whether truncated parts get handles. A call that changes something is never repeated.
    gives_handles: bool,
    /// The account of a call that is repeated to read a truncated part of its result.
    again: Option<file::Owner>,
}

impl ToolCall {
    /// Finds the tool and version, and validates the input.
    async fn find(
        call: &mut Call,
        name: &str,
        request: ExecuteRequest,
        again: Option<file::Owner>,
    ) -> Result<Self> {
        let ExecuteRequest {
            mut input,
            schema_version,
            tool_version,
            result,
            ..
        } = request;
        // The same key from another caller or with another input is a different call, and never returns the first
        // one's objects.
        let own_key = call.keyed.as_ref();
        let own_key = own_key.map(|keyed| format!("{}\0{input}", keyed.key()));
        let size = call.held.add_input(&input)?;
        result.paths()?;
        let fits_handles = size <= file::LARGEST_INPUT;
        let may_give_handles = !call.is_dry_run && !result.is_default();
        let may_ask = call.admission.may_ask();
        let (shared, name) = (call.context.clone(), name.to_owned());
        let read = move || -> Result<_> {
            let tools = &shared.products.catalogue;
            let tool = find::tool(tools, &name, schema_version, tool_version, &mut input)?;
            let gives_handles = may_give_handles && tool.entry().effect() == Effect::Read;
            let arguments = match may_ask || (fits_handles && gives_handles) {
                true => input.clone(),
                false => Value::Null,
            };
            let parsed = validate::input(&tool, input);
            Ok((tool, arguments, parsed, gives_handles))
        };
        let found = call.context.computed(size, read).await?;
        let (tool, arguments, parsed, gives_handles) = found?;
        call.record.tool(&tool);
        let entry = tool.entry();
        mcp_session::allows(&call.context.caller, entry)?;
        if entry.effect() == Effect::Read {
            call.keyed = None;
        } else if again.is_some() {
            return Err(file::unknown());
        }
        Ok(Self {
            parsed: parsed?,
            tool,
            connection_name: request.connection_name,
            identifier: request.identifier,
            own_key,
            result,
            arguments,
            fits_handles,
            gives_handles: gives_handles && again.is_none(),
            again,
        })
    }

    /// The tool's view of its call.
    fn of(&self, call: &Call, snapshot: &Snapshot) -> tool::Call {
        let id = match &self.own_key {
            None => call.record.id().uuid(),
            Some(key) => derived_id(snapshot, self.tool.entry().name(), key),
        };
        tool::Call::new(id, call.record.started_at())
            .with_settings(snapshot.connection.settings.clone())
            .with_scopes(snapshot.account.granted_scopes.iter().cloned())
            .readable(self.result.view == View::Readable)
    }
}

impl Request for ToolCall {
    type Work = Self;

    fn account(&self, call: &Call) -> Result<AccountRef> {
        let product = self.tool.product().name;
        let caller = &call.context.caller;
        caller.check_for(ScopeName::ToolsExecute, product)?;
        AccountRef::new(&self.connection_name, &self.identifier)
    }

    async fn admit(self, call: &mut Call, snapshot: &Snapshot) -> Result<Self> {
        if let Some(owner) = self.again {
            owner.check(snapshot)?;
        }
        admit::same_product(&self.tool, snapshot)?;
        let asking = |error| admit::what_to_ask(error, &self.tool, snapshot);
        snapshot.usable().map_err(asking)?;
        admit::scopes(&self.tool, snapshot).map_err(asking)?;
        let entry = self.tool.entry();
        let action = Action::Tool(entry.name());
        policy::admit(&call.context, snapshot, entry.effect(), action)?;
        Ok(self)
    }
}

impl Work for ToolCall {
    type Output = Execution;

    fn can_change(&self) -> bool {
        self.tool.entry().effect() != Effect::Read
    }

    async fn approve(&mut self, call: &Call, snapshot: &Snapshot) -> Result<()> {
        let (context, admission, entry) = (&call.context, &call.admission, self.tool.entry());
        admission.concerning(context, snapshot, || {
            let subject = Subject::Tool(entry.name(), entry.version());
            (subject, self.arguments.clone())
        });
        call.in_time(admission.tool(context, entry.name(), entry.effect()))
            .await?;
        if call.is_dry_run {
            return Ok(());
        }
        boxed(|| by_member::tool(context, &call.record, snapshot, entry.name())).await
    }

    /// The derived IDs, the product's user and host, and the tool's version.
    fn repeat(&self, call: &Call, snapshot: &Snapshot) -> Option<Uuid> {
        let entry = self.tool.entry();
        let (epoch, ended) = (
            snapshot.connection.client_epoch,
            snapshot.account.disconnections,
        );
        let label = format_args!("repeat\0{}\0{epoch}\0{ended}", entry.version());
        entry
            .recognised_again()
            .then(|| self.of(call, snapshot).derive_id(label))
    }

    async fn perform(
        &mut self,
        call: &mut Call,
        snapshot: &Arc<Snapshot>,
        repeats_interrupted: bool,
    ) -> Result<Execution> {
        let (context, admission, entry) = (&call.context, &call.admission, self.tool.entry());
        let (of, requests) = (Arc::clone(snapshot), call.record.requests());
        let sender = Sender::new(context, of, DEADLINE, requests, &call.held, admission);
        let (io, of) = (
            ToolIo::new(sender, repeats_interrupted),
            self.of(call, snapshot),
        );
        admission.deriving(of.derived());
        let result = if call.is_dry_run {
            let dry = DryRun::new(io, &snapshot.endpoints);
            let result = self.parsed.run(&of, Io::new(&dry)).await;
            dry.output(result)
        } else {
            self.parsed.run(&of, Io::new(&io)).await
        };
        let output = result.map_err(|error| {
            let error = error.without_secrets(&snapshot.secrets());
            admit::what_to_ask(error, &self.tool, snapshot)
        })?;
        let (mut data, mut warnings) = output.into_json()?;
        let mut left_out = Vec::new();
        if call.is_dry_run {
            if admission.would_wait() {
                let message = "a policy requires a person's approval for this call";
                warnings.push(Warning::new("requires_approval", message));
            }
        } else {
            let parts;
            let (tool, asked) = (&self.tool, &self.result);
            (data, parts) = shaped(context, tool, asked, data, &mut warnings, &call.held).await?;
            if self.gives_handles {
                let input = self.fits_handles.then_some(&self.arguments);
                let (handles, warning) = file::handles(context, snapshot, entry, input, parts)?;
                left_out = handles;
                warnings.extend(warning);
            }
        }
        let (id, name, version) = (call.record.id(), entry.name(), entry.version());
        let mut execution = Execution::new(id, name, version, data, warnings);
        execution.left_out = left_out;
        Ok(execution)
    }

    async fn finish(
        self,
        call: Call,
        capacity: Capacity,
        result: Result<Execution>,
        turn: Option<Turn>,
    ) -> Result<Execution> {
        let Some(turn) = turn else {
            return call.record.end(result);
        };
        let requests = call.record.sent();
        match result.map_err(|error| turn.error(error)) {
            Err(error) if error.is_replayed() => call.record.end_replayed(Err(error)),
            result => {
                let result = call.record.end(result);
                // The product has responded, so its place is free while the outcome is stored.
                drop(capacity);
                Box::pin(turn.end(&result, requests)).await;
                result
            }
        }
    }

    async fn may_replay(&mut self, call: &Call, snapshot: &Snapshot) -> Result<()> {
        let admission = &call.admission;
        admission.refuse_tool(self.tool.entry().name())?;
        let (product, of) = (self.tool.product(), self.of(call, snapshot));
        if !admission.can_refuse(product, &Method::POST) {
            return Ok(());
        }
        explain::first_requests(product, self.parsed.as_ref(), &of, |sending| {
            admission.refuse_request(sending)
        })
        .await
    }

    fn replayed(_: &mut Call, outcome: Outcome) -> Result<Execution> {
        outcome.into_execution()
    }
}

/// The same key, input, account and tool result in the same ID, and therefore in the same IDs at the product.
fn derived_id(snapshot: &Snapshot, tool: &str, key: &str) -> Uuid {
    let account = tool::Call::new(snapshot.account.id.uuid(), Timestamp::UNIX_EPOCH);
    account.derive_id(format_args!("{}\0{tool}\0{key}", snapshot.connection.id))
}
