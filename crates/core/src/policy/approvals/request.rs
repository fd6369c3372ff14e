//! Requests the approval of a call, or finds one that a person has given.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::{
    Error, ErrorKind, Result,
    caller::Actor,
    context::{Context, Snapshot, change::Change},
    digest::Digest,
    domain::{Approval, approval::Trigger},
    identifier::{AccountId, ApprovalId, ConnectionId, ConnectionName, Identifier},
    policy::decide::Because,
    product::SentRequest,
    resource::ApprovedRequest,
    sealed::{Sealed, place},
    state::ApprovalState,
    store::Versioned,
    tool::DerivedIds,
};

/// Maximum size of the arguments in bytes, because a person needs to read them.
const MOST_BYTES: usize = 256 * 1024;
/// Maximum number of pending approvals.
const MOST_PENDING: u32 = 500;
/// Maximum number of pending approvals of one agent, or of one account for which an application calls. Then the maximum
/// of one credential with all its tokens and sessions.
const OF_CALLER: usize = 20;
const OF_CREDENTIAL: usize = MOST_PENDING as usize / 4;

/// The tool or raw request.
#[derive(Debug, Clone)]
pub(crate) enum Subject {
    /// A tool, with its version.
    Tool(&'static str, &'static str),
    /// A raw request: its method, and its path without the query.
    Raw(String, String),
}

/// A call with its exact arguments.
#[derive(Debug)]
pub(crate) struct Call {
    digest: Digest,
    arguments: String,
    asked_by: Actor,
    connection_id: ConnectionId,
    connection_name: ConnectionName,
    product: String,
    account_id: AccountId,
    identifier: Identifier,
    subject: Subject,
}

impl Call {
    /// A call by the current caller. Its digest depends on the caller, the account and its client, the tool or request,
    /// and every argument. The approval is found by this digest, so a caller needs no ID of it, and can't change the
    /// call.
    pub(crate) fn new(
        context: &Context,
        snapshot: &Snapshot,
        subject: Subject,
        mut arguments: Value,
    ) -> Self {
        arguments.sort_all_objects();
        let arguments = arguments.to_string();
        let (account, connection) = (&snapshot.account, &snapshot.connection);
        let (caller, own) = (context.caller.kind(), context.caller.id());
        let called = match &subject {
            Subject::Tool(name, version) => format!("tool\0{name}\0{version}"),
            Subject::Raw(..) => String::from("proxy"),
        };
        let digest = Digest::of(&format!(
            "{caller}\0{}\0{}\0{}\0{}\0{}\0{called}\0{arguments}",
            own.unwrap_or_default(),
            connection.id,
            connection.client_epoch,
            account.id,
            account.disconnections,
        ));
        Self {
            digest,
            arguments,
            asked_by: context.caller.actor(),
            connection_id: connection.id,
            connection_name: connection.name.clone(),
            product: connection.product.clone(),
            account_id: account.id,
            identifier: account.identifier.clone(),
            subject,
        }
    }

    /// The digest of the call, including the request that a tool is about to send. If the tool would send a different
    /// request, because it has read something else, that's a different call.
    fn digest_with(&self, request: Option<&str>) -> Digest {
        match request {
            None => self.digest.clone(),
            Some(request) => Digest::of(&format!("{}\0{request}", self.digest.as_str())),
        }
    }

    /// Fails if too many calls are already pending. The limit of one caller is below the total limit, so no caller can
    /// use up all of it.
    fn check_room<'a>(&self, waiting: impl Iterator<Item = &'a Approval>) -> Result<()> {
        let (mut all, mut of_caller, mut of_credential) = (0, 0, 0);
        let own = &self.asked_by;
        let is_agent = matches!(own.kind.as_str(), "account_token" | "mcp_session");
        for row in waiting {
            all += 1;
            let client = own.credential();
            of_credential += usize::from(client.is_some() && row.asked_by.credential() == client);
            let is_same = row.asked_by == *own && (is_agent || row.account_id == self.account_id);
            of_caller += usize::from(is_same);
        }
        let whose = if of_caller >= OF_CALLER {
            format!("{OF_CALLER} calls of this caller")
        } else if of_credential >= OF_CREDENTIAL {
            format!("{OF_CREDENTIAL} calls of this credential")
        } else if all >= MOST_PENDING as usize {
            format!("{MOST_PENDING} calls")
        } else {
            return Ok(());
        };
        let message = format!(
            "{whose} are already waiting for approval; call again when some are approved or denied"
        );
        Err(Error::new(ErrorKind::Overloaded, message))
    }

    fn approval(
        &self,
        id: ApprovalId,
        sealed: (
            Sealed<place::Arguments>,
            Option<Sealed<place::ApprovedRequest>>,
        ),
        call: Digest,
        because: &Because,
        now: Timestamp,
    ) -> Approval {
        let (arguments, request_to_send) = sealed;
        let lasts = SignedDuration::from_secs(i64::from(because.approval_lasts));
        let (tool, request) = match &self.subject {
            Subject::Tool(name, version) => {
                (Some(((*name).to_owned(), (*version).to_owned())), None)
            }
            Subject::Raw(method, path) => (None, Some((method.clone(), path.clone()))),
        };
        Approval {
            id,
            call,
            state: ApprovalState::Pending,
            asked_by: self.asked_by.clone(),
            connection_id: self.connection_id,
            connection_name: self.connection_name.clone(),
            product: self.product.clone(),
            account_id: self.account_id,
            identifier: self.identifier.clone(),
            tool,
            request,
            arguments,
            request_to_send,
            policy: because.policy.clone(),
            rule: because.rule.clone(),
            created_at: now,
            expires_at: now.checked_add(lasts).unwrap_or(Timestamp::MAX),
            decided_by: None,
            decided_at: None,
            reason: None,
            extra: Default::default(),
        }
    }
}

/// A request that a tool is about to send.
#[derive(Debug)]
pub(crate) struct ToSend {
    /// The request as a person sees it, in JSON.
    shown: String,
    /// The same without IDs that differ in each run.
    bound: String,
}

impl ToSend {
    pub(crate) fn new(sent: &SentRequest<'_>, derived: Option<&DerivedIds>) -> Self {
        let body = sent.body.filter(|body| !body.is_empty());
        let request = ApprovedRequest {
            method: sent.method.to_string(),
            path: match sent.query {
                Some(query) => format!("{}?{query}", sent.path),
                None => sent.path.to_owned(),
            },
            content_type: sent.content_type.map(str::to_owned),
            body: body.map(|body| String::from_utf8_lossy(body).into_owned()),
        };
        let shown = json!(request).to_string();
        let bound = derived.map(|derived| derived.removed_from(&shown));
        Self {
            bound: bound.unwrap_or_else(|| shown.clone()),
            shown,
        }
    }
}

/// The approval that a person has given for this call and the request that its tool is about to send. If there is none,
/// it's requested once, and that is the error. If
/// `may_ask` is false, part of the call was already carried out, and repeating the call would do that again.
pub(crate) async fn request(
    context: &Context,
    call: &Call,
    to_send: Option<ToSend>,
    because: &Because,
    may_ask: bool,
) -> Result<ApprovalId> {
    let digest = call.digest_with(to_send.as_ref().map(|request| request.bound.as_str()));
    let shown = to_send.map(|request| request.shown);
    let size = call
        .arguments
        .len()
        .max(shown.as_ref().map_or(0, String::len) / 4);
    if size > MOST_BYTES {
        let message = format!(
            "{}, but a call with arguments of more than {MOST_BYTES} bytes can't be approved",
            because.why
        );
        return Err(because.error(ErrorKind::Forbidden, message));
    }
    let live = || async {
        let found = context.store.live_approval(&digest).await?;
        if found.is_some() || shown.is_none() {
            return Ok::<_, Error>(found);
        }
        // Earlier versions approved a call without its request.
        let before = context.store.live_approval(&call.digest).await?;
        Ok(before.filter(|found| found.row.request_to_send.is_none()))
    };
    if !may_ask {
        let found = live().await?;
        let now = context.host.now();
        return match found.map(|found| found.row) {
            Some(row) if row.state == ApprovalState::Approved && !row.is_over(now) => Ok(row.id),
            _ => Err(because.error(
                ErrorKind::Forbidden,
                format!(
                    "{}, but this call has already sent a request; name the tool in the policy's requires_approval to ask before the first one",
                    because.why
                ),
            )),
        };
    }
    let load = || async {
        let found = live().await?;
        let now = context.host.now();
        let is_good = |found: &Versioned<Approval>| !found.row.is_over(now);
        if found.as_ref().is_some_and(is_good) {
            return Ok((found, None, now));
        }
        let pending = Some(ApprovalState::Pending);
        let waiting = context.store.approvals(pending, None, MOST_PENDING).await?;
        let waiting = waiting.iter().map(|found| &found.row);
        call.check_room(waiting.filter(|row| !row.is_over(now)))?;
        let id = ApprovalId::from_uuid(context.host.new_id());
        let vault = &context.store.vault;
        let arguments = vault.seal(&place::Arguments(id), call.arguments.as_bytes())?;
        let request = shown
            .as_ref()
            .map(|text| vault.seal(&place::ApprovedRequest(id), text.as_bytes()));
        let sealed = (arguments, request.transpose()?);
        let new = call.approval(id, sealed, digest.clone(), because, now);
        Ok((found, Some(new), now))
    };
    let decide = |(found, new, now): (Option<Versioned<Approval>>, Option<Approval>, _)| {
        let mut change = Change::none();
        let Some(new) = new else {
            let found = found.ok_or_else(super::missing)?;
            return Ok((change, found.row));
        };
        if let Some(Versioned { row, version, .. }) = found {
            let (row, event) = row.on(Trigger::Expired, now)?;
            change = change.event(row.event(event)).update(row, version);
        }
        change = change.event(new.event("approval.requested"));
        Ok((change.insert(new.clone()), new))
    };
    let row = context.change("approval.request", load, decide).await?;
    if row.state == ApprovalState::Approved {
        return Ok(row.id);
    }
    Err(because
        .error(
            ErrorKind::ApprovalRequired,
            format!(
                "{}; nothing was changed. When the approval {} is granted, make exactly the same call again",
                because.why, row.id
            ),
        )
        .with_context("approval_id", row.id.to_string())
        .with_context("expires_at", row.expires_at.to_string()))
}
