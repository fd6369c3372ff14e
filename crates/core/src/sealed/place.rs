//! Every secret that Stead encrypts: its place, and the record that keeps it. A secret can only be decrypted at its
//! place, so a place must never change.
//!
//! A new secret is one entry here, and its member [`Sealed<Place>`](super::Sealed) in the record. If its entry names no
//! record, or if the record's table isn't marked, it doesn't compile. Re-encryption, the number of rows that a key
//! encrypts, and the check of the data key on commit follow.

use uuid::Uuid;

use super::{AssociatedData, Place, Stored};
use crate::identifier::{
    AccountId, ApprovalId, AuthorizationId, ConnectionId, DataKeyId, ExecutionId, McpSessionId,
    MemberId, OutboxId, WebhookId,
};

/// Passes all secrets to a macro. Each has the members of its place and what the encryption is bound to. A secret in
/// the store also has the record that keeps it, and how to re-encrypt it there.
macro_rules! secrets {
    ($each:ident) => { $each! {
        /// The client secret of a connection.
        ClientSecret(id: ConnectionId) = AssociatedData::new("connection", id.uuid(), "client_secret"),
            in Connection: |row, again| again.seal(&ClientSecret(row.id), &mut row.client_secret);

        /// The PKCE verifier of an authorization.
        Verifier(id: AuthorizationId) = AssociatedData::new("authorization", id.uuid(), "verifier"),
            in Authorization: |row, again| again.seal(&Verifier(row.id), &mut row.verifier);

        /// The tokens of an account, of this generation and issued to the client of this epoch. If an account row is
        /// assigned to another user, its tokens can't be decrypted.
        Tokens(account: AccountId, owner: String, generation: u64, client_epoch: u64) =
            AssociatedData::new("credential", account.uuid(), owner)
                .generation(*generation)
                .client_epoch(*client_epoch),
            in Credential: |row, again| {
                let place = Tokens::of(again.account()?, row.generation, row.client_epoch);
                again.seal(&place, &mut row.sealed)
            };

        /// The token of an outbox entry, which was issued to the client of this epoch.
        OutboxToken(entry: OutboxId, client_epoch: u64) =
            AssociatedData::new("outbox", entry.uuid(), "token").client_epoch(*client_epoch),
            in OutboxEntry: |row, again| {
                let OutboxTask::Revoke { client_epoch, token, .. } = &mut row.task;
                again.seal(&OutboxToken(row.id, *client_epoch), Some(token))
            };

        /// The outcome of a call with an idempotency key.
        Outcome(call: ExecutionId) = AssociatedData::new("idempotency", call.uuid(), "outcome"),
            in KeyedCall: |row, again| again.seal(&Outcome(row.execution_id), &mut row.outcome);

        /// A secret of the deployment, by its name.
        DeploymentSecret(name: String) = AssociatedData::new("secret", Uuid::nil(), name),
            in Secret: |row, again| again.seal(&DeploymentSecret(row.name.clone()), Some(&mut row.sealed));

        /// A secret that signs a webhook's deliveries, by its number.
        WebhookSecret(webhook: WebhookId, generation: u64) =
            AssociatedData::new("webhook", webhook.uuid(), "secret").generation(*generation),
            in Webhook: |row, again| row.secrets.iter_mut().try_for_each(|secret| {
                again.seal(&WebhookSecret(row.id, secret.generation), Some(&mut secret.sealed))
            });

        /// The exact arguments of a call that needs approval.
        Arguments(approval: ApprovalId) = AssociatedData::new("approval", approval.uuid(), "arguments"),
            in Approval: |row, again| again.seal(&Arguments(row.id), Some(&mut row.arguments));

        /// The request that a tool sends after approval.
        ApprovedRequest(approval: ApprovalId) = AssociatedData::new("approval", approval.uuid(), "request"),
            in Approval: |row, again| again.seal(&ApprovedRequest(row.id), row.request_to_send.as_mut());

        /// The secret of a member's one-time codes.
        SecondFactor(member: MemberId) = AssociatedData::new("member", member.uuid(), "second_factor"),
            in Member: |row, again| {
                let factor = row.second_factor.as_mut();
                again.seal(&SecondFactor(row.id), factor.map(|factor| &mut factor.sealed))
            };

        /// Tokens in the spool, which have no generation yet. Bound to the refresh that got them.
        SpooledTokens(refresh: Uuid, owner: String, client_epoch: u64) =
            AssociatedData::new("spool", *refresh, owner).client_epoch(*client_epoch);

        /// A data key, under this key of the key ring. The time since when rows need a MAC is bound as the generation.
        /// If someone removes it from the row, so that rows without a MAC are accepted again, the key can't be
        /// decrypted.
        WrappedKey(id: DataKeyId, ring_key: String, rows_since: u64) =
            AssociatedData::new("data_key", id.uuid(), ring_key).generation(*rows_since);

        /// State that the client of an MCP session carries from one attempt of a call to the next.
        RequestState(session: McpSessionId) = AssociatedData::new("mcp_session", session.uuid(), "request_state");

        /// The content of a result handle, which its holder keeps.
        ResultPart() = AssociatedData::new("result", Uuid::nil(), "part");

        /// Data that a browser keeps about the account that has signed in with it.
        Device() = AssociatedData::new("sign_in", Uuid::nil(), "device");

        /// Data that a browser keeps while its member signs in at the provider.
        SignInAttempt() = AssociatedData::new("sign_in", Uuid::nil(), "attempt");
    } };
}
pub(crate) use secrets;

macro_rules! places {
    ($(
        $(#[$about:meta])*
        $name:ident($($part:ident: $of:ty),*) = $data:expr
        $(, in $record:ident: |$row:ident, $again:ident| $seal:expr)?;
    )+) => { $(
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub(crate) struct $name($(pub(crate) $of),*);

        impl Place for $name {
            fn data(&self) -> AssociatedData<'_> {
                let Self($($part),*) = self;
                $data
            }
        }

        $(
            #[doc = concat!("It is a member of ", stringify!($record), ".")]
            impl Stored for $name {}
        )?
    )+ };
}
secrets!(places);

/// The number of rows that a key encrypts includes the records of the spool. When they move to the store, they are
/// encrypted again.
impl Stored for SpooledTokens {}
/// The key ring encrypts it, not another data key.
impl Stored for WrappedKey {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;

    #[test]
    fn every_place_is_bound_as_in_the_stores_of_today() {
        let (id, owner) = (Uuid::from_u128(7), || String::from("owner"));
        let places: &[&dyn Place] = &[
            &ClientSecret(ConnectionId::from_uuid(id)),
            &Verifier(AuthorizationId::from_uuid(id)),
            &Tokens(AccountId::from_uuid(id), owner(), 1, 2),
            &OutboxToken(OutboxId::from_uuid(id), 3),
            &Outcome(ExecutionId::from_uuid(id)),
            &DeploymentSecret(owner()),
            &WebhookSecret(WebhookId::from_uuid(id), 4),
            &Arguments(ApprovalId::from_uuid(id)),
            &SecondFactor(MemberId::from_uuid(id)),
            &SpooledTokens(id, owner(), 5),
            &WrappedKey(DataKeyId::from_uuid(id), owner(), 6),
            &RequestState(McpSessionId::from_uuid(id)),
            &ResultPart(),
            &Device(),
            &SignInAttempt(),
            &ApprovedRequest(ApprovalId::from_uuid(id)),
        ];
        let bytes: Vec<Vec<u8>> = places.iter().map(|place| place.data().bytes()).collect();
        let digest = Digest::of(&format!("{bytes:?}"));
        let expected = "6c0997e4c2d27d536e37a642aa52c359fdc4f4e52076284553eb474654b036f5";
        assert_eq!(digest.as_str(), expected);
    }
}
