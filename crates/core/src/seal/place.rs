//! Places of secrets, which their encryption is bound to. They must never change.

use uuid::Uuid;

use crate::{
    domain::Account,
    identifier::{
        AccountId, ApprovalId, AuthorizationId, ConnectionId, ExecutionId, McpSessionId, MemberId,
        OutboxId, WebhookId,
    },
};

/// The client secret of a connection.
pub(crate) fn client_secret(connection: ConnectionId) -> AssociatedData<'static> {
    AssociatedData::new("connection", connection.uuid(), "client_secret")
}

/// The PKCE verifier of an authorization.
pub(crate) fn verifier(authorization: AuthorizationId) -> AssociatedData<'static> {
    AssociatedData::new("authorization", authorization.uuid(), "verifier")
}

/// The token of an outbox entry, which was issued to the client of this epoch.
pub(crate) fn outbox_token(entry: OutboxId, client_epoch: u64) -> AssociatedData<'static> {
    AssociatedData::new("outbox", entry.uuid(), "token").client_epoch(client_epoch)
}

/// The tokens of a credential; `owner` is [`owner`] of the account.
pub(crate) fn tokens(
    account: AccountId,
    owner: &str,
    generation: u64,
    client_epoch: u64,
) -> AssociatedData<'_> {
    AssociatedData::new("credential", account.uuid(), owner)
        .generation(generation)
        .client_epoch(client_epoch)
}

/// Tokens in the spool, which have no generation yet. Bound to the refresh that got them.
pub(crate) fn spooled_tokens(refresh: Uuid, owner: &str, client_epoch: u64) -> AssociatedData<'_> {
    AssociatedData::new("spool", refresh, owner).client_epoch(client_epoch)
}

/// The outcome of a call with an idempotency key.
pub(crate) fn outcome(call: ExecutionId) -> AssociatedData<'static> {
    AssociatedData::new("idempotency", call.uuid(), "outcome")
}

/// A secret of the deployment, by its name.
pub(crate) fn secret(name: &str) -> AssociatedData<'_> {
    AssociatedData::new("secret", Uuid::nil(), name)
}

/// A secret that signs a webhook's deliveries, by its number.
pub(crate) fn webhook_secret(webhook: WebhookId, generation: u64) -> AssociatedData<'static> {
    AssociatedData::new("webhook", webhook.uuid(), "secret").generation(generation)
}

/// State that the client of an MCP session carries from one attempt of a call to the next.
pub(crate) fn request_state(session: McpSessionId) -> AssociatedData<'static> {
    AssociatedData::new("mcp_session", session.uuid(), "request_state")
}

/// The content of a result handle, which its holder keeps.
pub(crate) fn result_part() -> AssociatedData<'static> {
    AssociatedData::new("result", Uuid::nil(), "part")
}

/// The exact arguments of a call that needs approval.
pub(crate) fn arguments(approval: ApprovalId) -> AssociatedData<'static> {
    AssociatedData::new("approval", approval.uuid(), "arguments")
}

/// The secret of a member's one-time codes.
pub(crate) fn second_factor(member: MemberId) -> AssociatedData<'static> {
    AssociatedData::new("member", member.uuid(), "second_factor")
}

/// Data that a browser keeps about the account that has signed in with it.
pub(crate) fn device() -> AssociatedData<'static> {
    AssociatedData::new("sign_in", Uuid::nil(), "device")
}

/// Data that a browser keeps while its member signs in at the provider.
pub(crate) fn sign_in_attempt() -> AssociatedData<'static> {
    AssociatedData::new("sign_in", Uuid::nil(), "attempt")
}

/// The owner of tokens. If an account row is assigned to another user, its tokens can't be decrypted.
pub(crate) fn owner(account: &Account) -> String {
    format!("{}/{}", account.connection_id, account.identifier)
}

/// The place of a secret. It's authenticated with the secret, but not stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AssociatedData<'a> {
    pub(super) table: &'a str,
    row: Uuid,
    column: &'a str,
    generation: u64,
    client_epoch: u64,
}

impl<'a> AssociatedData<'a> {
    pub(crate) fn new(table: &'a str, row: Uuid, column: &'a str) -> Self {
        Self {
            table,
            row,
            column,
            generation: 0,
            client_epoch: 0,
        }
    }
    pub(crate) fn generation(mut self, generation: u64) -> Self {
        self.generation = generation;
        self
    }

    /// Epoch of the connection's client that the secret belongs to.
    pub(crate) fn client_epoch(mut self, client_epoch: u64) -> Self {
        self.client_epoch = client_epoch;
        self
    }

    /// Length-prefixed, so that no two places have the same bytes. The first client's epoch is omitted, because secrets
    /// from before epochs belong to it.
    pub(super) fn bytes(self) -> Vec<u8> {
        let generation = self.generation.to_be_bytes();
        let client_epoch = self.client_epoch.to_be_bytes();
        let parts: [&[u8]; 6] = [
            b"stead/v1",
            self.table.as_bytes(),
            self.row.as_bytes(),
            self.column.as_bytes(),
            &generation,
            &client_epoch,
        ];
        let bound = if self.client_epoch == 0 { 5 } else { 6 };
        parts
            .iter()
            .take(bound)
            .flat_map(|part| {
                (part.len() as u64)
                    .to_be_bytes()
                    .into_iter()
                    .chain(part.iter().copied())
            })
            .collect()
    }
}
