//! A call of a tool: find, validate, admit, run, record.

use std::{pin::pin, sync::Arc, time::Duration};

use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::{
    account_token, admit, by_member,
    dry_run::DryRun,
    explain, file, find, mcp_session,
    once::{Keyed, Turn},
    record::Record,
    send::Sender,
    shape::shaped,
    tool_io::ToolIo,
    unknown_after_panic, validate,
};
use crate::{
    Error, Result,
    boxed::boxed,
    catalogue::CatalogueTool,
    context::{Context, Snapshot, bulkheads::Held},
    domain::AccountRef,
    policy::{self, Action, Admission, Subject},
    resource::{ExecuteRequest, Execution},
    results::{ResultOptions, View},
    scope::ScopeName,
    tool::{AnyTool, Call, Effect, Io, ToolEntry, Warning},
};

/// Maximum duration of a call, including all requests, pauses and retries.
const DEADLINE: Duration = Duration::from_secs(120);

/// The caller and options of a call, after its tool was found and its input was parsed.
struct Invocation {
    connection_name: String,
    identifier: String,
    /// The idempotency key, bound to this caller and input, if there is one.
    own_key: Option<String>,
    dry_run: bool,
    result: ResultOptions,
    held: Arc<Held>,
    admission: Admission,
    /// The input as given, if it may need approval or be part of handles.
    arguments: Value,
    /// Whether the input is kept for handles. An input that is too large for them isn't copied.
    fits_handles: bool,
    /// The account of a call that is repeated to read a truncated part of its result.
    again: Option<file::Owner>,
}

impl Invocation {
    /// Whether truncated parts get handles. A call that changes something is never repeated.
    fn gives_handles(&self, tool: &ToolEntry) -> bool {
        gives_handles(tool, self.dry_run, &self.result) && self.again.is_none()
    }
}

fn gives_handles(tool: &ToolEntry, dry_run: bool, asked: &ResultOptions) -> bool {
    tool.effect() == Effect::Read && !dry_run && !asked.is_default()
}

/// Runs a tool by name.
pub(crate) async fn execute(
    context: &Context,
    name: &str,
    request: ExecuteRequest,
) -> Result<Execution> {
    boxed(|| begin(context, name, request, None)).await
}

/// Repeats a read-only call to get a truncated part of its first result, if the account is still the same.
pub(super) async fn execute_again(
    context: &Context,
    name: &str,
    request: ExecuteRequest,
    owner: file::Owner,
) -> Result<Execution> {
    boxed(|| begin(context, name, request, Some(owner))).await
}

async fn begin(
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
    let ExecuteRequest {
        connection_name,
        identifier,
        mut input,
        schema_version,
        tool_version,
        dry_run,
        result,
        idempotency_key: _,
    } = request;
    let mut record = Record::begin(context, name, &connection_name, &identifier);
    let keyed = match keyed.transpose() {
        Ok(keyed) => keyed,
        Err(error) => return record.end(Err(error)),
    };
    // The same key from another caller or with another input is a different call, and never returns the first one's
    // objects.
    let own_key = keyed
        .as_ref()
        .map(|keyed| format!("{}\0{input}", keyed.key()));
    let admission = match Admission::of(context, dry_run).await {
        Ok(admission) => admission,
        Err(error) => return record.end(Err(error)),
    };
    let may_ask = admission.may_ask();
    let held = context.bulkheads.bytes();
    let read = async {
        let size = held.add_input(&input)?;
        let (shared, name) = (context.clone(), name.to_owned());
        result.paths()?;
        let asked = result.clone();
        let fits = size <= file::LARGEST_INPUT;
        let read = move || -> Result<_> {
            let tools = &shared.catalogue;
            let tool = find::tool(tools, &name, schema_version, tool_version, &mut input)?;
            let arguments = match may_ask || (fits && gives_handles(tool.entry(), dry_run, &asked))
            {
                true => input.clone(),
                false => Value::Null,
            };
            Ok((tool.entry(), arguments, validate::input(tool, input)))
        };
        let (entry, arguments, parsed) = context.computed(size, read).await??;
        let tool = find::again(&context.catalogue, entry)?;
        record.tool(tool);
        mcp_session::allows(&context.caller, entry)?;
        if again.is_some() && entry.effect() != Effect::Read {
            return Err(file::unknown());
        }
        Ok((tool, arguments, fits, parsed?))
    };
    let (tool, arguments, fits_handles, parsed) = match read.await {
        Ok(read) => read,
        Err(error) => return record.end(Err(error)),
    };
    let invocation = Invocation {
        connection_name,
        identifier,
        own_key,
        dry_run,
        result,
        held,
        admission,
        arguments,
        fits_handles,
        again,
    };
    if tool.entry().effect() == Effect::Read || dry_run {
        return run(context, tool, parsed.as_ref(), &invocation, record).await;
    }
    // If the caller disconnects, the write still continues.
    let entry = tool.entry();
    let detached = context.detached_call(|context| async move {
        let tool = find::again(&context.catalogue, entry)?;
        let parsed = parsed.as_ref();
        if let Some(keyed) = keyed {
            return run_once(&context, tool, parsed, &invocation, record, keyed).await;
        }
        record.changes();
        run(&context, tool, parsed, &invocation, record).await
    });
    Box::pin(detached).await.map_err(unknown_after_panic)?
}

async fn run(
    context: &Context,
    tool: &CatalogueTool,
    parsed: &dyn AnyTool,
    invocation: &Invocation,
    mut record: Record,
) -> Result<Execution> {
    let result = stages(context, tool, parsed, invocation, &mut record, None).await;
    record.end(result)
}

/// The same, unless there was already a call with this key.
async fn run_once(
    context: &Context,
    tool: &CatalogueTool,
    parsed: &dyn AnyTool,
    invocation: &Invocation,
    mut record: Record,
    keyed: Keyed,
) -> Result<Execution> {
    let mut turn = match Turn::wait(context, keyed, &invocation.connection_name).await {
        Ok(turn) => turn,
        Err(error) => return record.end(Err(error)),
    };
    loop {
        let earlier = match turn.earlier().await {
            Ok(None) => None,
            Ok(Some(outcome)) => Some(outcome.into_execution()),
            Err(error) if error.is_replayed() => Some(Err(error)),
            Err(error) => return record.end(Err(error)),
        };
        if let Some(outcome) = earlier {
            let may_read = may_replay(context, tool, parsed, invocation, &mut record).await;
            return match may_read {
                Ok(()) => record.end_replayed(outcome),
                Err(error) => record.end(Err(error)),
            };
        }
        let begun = Some(&mut turn);
        let result = stages(context, tool, parsed, invocation, &mut record, begun).await;
        if !turn.is_lost() {
            let requests = record.sent();
            let result = match turn.result(result) {
                Err(error) if error.is_replayed() => return record.end_replayed(Err(error)),
                result => record.end(result),
            };
            turn.end(&result, requests).await;
            return result;
        }
    }
}

async fn stages(
    context: &Context,
    tool: &CatalogueTool,
    parsed: &dyn AnyTool,
    invocation: &Invocation,
    record: &mut Record,
    turn: Option<&mut Turn>,
) -> Result<Execution> {
    let _guard = context.tasks.enter()?;
    let _entered = context.bulkheads.enter(&context.caller)?;
    let snapshot = admitted(context, tool, invocation, record).await?;
    let asking = |error: Error| {
        let error = error.without_secrets(&snapshot.secrets());
        admit::what_to_ask(error, tool, &snapshot)
    };
    let call = call_of(&snapshot, tool, invocation, record);
    let entry = tool.entry();
    let admission = &invocation.admission;
    admission.concerning(context, &snapshot, || {
        let subject = Subject::Tool(entry.name(), entry.version());
        (subject, invocation.arguments.clone())
    });
    let admitted = admission.tool(context, entry.name(), entry.effect());
    context.in_time(pin!(admitted)).await?;
    if !invocation.dry_run {
        boxed(|| by_member::tool(context, record, &snapshot, entry.name())).await?;
    }
    let _place = snapshot.enter(context)?;
    let mut is_again = false;
    if let Some(turn) = turn {
        let repeat = repeat(&snapshot, tool, &call);
        turn.start(record.id(), snapshot.account.id, repeat).await?;
        is_again = turn.is_again();
        record.changes();
    }
    let (of, requests) = (Arc::clone(&snapshot), record.requests());
    let sender = Sender::new(context, of, DEADLINE, requests, &invocation.held, admission);
    let io = ToolIo::new(sender, is_again);
    let result = if invocation.dry_run {
        let dry = DryRun::new(io, &snapshot.endpoints);
        let result = parsed.run(&call, Io::new(&dry)).await;
        dry.output(result)
    } else {
        parsed.run(&call, Io::new(&io)).await
    };
    let output = result.map_err(asking)?;
    let (mut data, mut warnings) = output.into_json()?;
    if invocation.dry_run && admission.would_wait() {
        let message = "a policy requires a person's approval for this call";
        warnings.push(Warning::new("requires_approval", message));
    }
    let mut left_out = Vec::new();
    if !invocation.dry_run {
        let parts;
        (data, parts) = shaped(
            context,
            entry,
            &invocation.result,
            data,
            &mut warnings,
            &invocation.held,
        )
        .await?;
        if invocation.gives_handles(entry) {
            let input = &invocation.arguments;
            let input = invocation.fits_handles.then_some(input);
            let (handles, warning) = file::handles(context, &snapshot, entry, input, parts)?;
            left_out = handles;
            warnings.extend(warning);
        }
    }
    let (id, name, version) = (record.id(), entry.name(), entry.version());
    let mut execution = Execution::new(id, name, version, data, warnings);
    execution.left_out = left_out;
    Ok(execution)
}

/// The account, if the caller can call the tool for it.
async fn admitted(
    context: &Context,
    tool: &CatalogueTool,
    invocation: &Invocation,
    record: &mut Record,
) -> Result<Arc<Snapshot>> {
    let product = tool.product().name;
    context.caller.check_for(ScopeName::ToolsExecute, product)?;
    let of = AccountRef::new(&invocation.connection_name, &invocation.identifier)?;
    let snapshot = context.snapshot(&of).await?;
    record.account(snapshot.account.id);
    if let Some(owner) = invocation.again {
        owner.check(&snapshot)?;
    }
    admit::same_product(tool, &snapshot)?;
    let asking = |error| admit::what_to_ask(error, tool, &snapshot);
    snapshot.usable().map_err(asking)?;
    admit::scopes(tool, &snapshot).map_err(asking)?;
    let entry = tool.entry();
    let action = Action::Tool(entry.name());
    policy::admit(context, &snapshot, entry.effect(), action)?;
    Ok(snapshot)
}

/// Whether the caller can read the outcome of an earlier call. Only a caller that could make the call now can.
async fn may_replay(
    context: &Context,
    tool: &CatalogueTool,
    parsed: &dyn AnyTool,
    invocation: &Invocation,
    record: &mut Record,
) -> Result<()> {
    let snapshot = admitted(context, tool, invocation, record).await?;
    let admission = &invocation.admission;
    admission.refuse_tool(tool.entry().name())?;
    if admission.is_without_policies() {
        return Ok(());
    }
    let call = call_of(&snapshot, tool, invocation, record);
    explain::first_requests(tool.product(), parsed, &call, |sending| {
        admission.refuse_request(sending)
    })
    .await
}

fn call_of(
    snapshot: &Snapshot,
    tool: &CatalogueTool,
    invocation: &Invocation,
    record: &Record,
) -> Call {
    let id = match &invocation.own_key {
        None => record.id().uuid(),
        Some(key) => derived_id(snapshot, tool.entry().name(), key),
    };
    Call::new(id, record.started_at())
        .with_settings(snapshot.connection.settings.clone())
        .with_scopes(snapshot.account.granted_scopes.iter().cloned())
        .readable(invocation.result.view == View::Readable)
}

/// Identity that two runs need to share so that the product recognizes the second one: the derived IDs, the product's
/// user and host, and the tool's version.
fn repeat(snapshot: &Snapshot, tool: &CatalogueTool, call: &Call) -> Option<Uuid> {
    let entry = tool.entry();
    let (epoch, ended) = (
        snapshot.connection.client_epoch,
        snapshot.account.disconnections,
    );
    let label = format_args!("repeat\0{}\0{epoch}\0{ended}", entry.version());
    entry.recognised_again().then(|| call.derive_id(label))
}

/// The same key, input, account and tool result in the same ID, and therefore in the same IDs at the product.
fn derived_id(snapshot: &Snapshot, tool: &str, key: &str) -> Uuid {
    let account = Call::new(snapshot.account.id.uuid(), Timestamp::UNIX_EPOCH);
    account.derive_id(format_args!("{}\0{tool}\0{key}", snapshot.connection.id))
}
