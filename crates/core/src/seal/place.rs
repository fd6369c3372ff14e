//! Every place of a secret, with the record that keeps it. An encrypted secret opens only at its place, so a place must
//! never change.
//!
//! A new secret is one entry here and its member [`Sealed<Place>`](Sealed) in the record. A member whose place names no
//! record can't be stored, and a record whose table isn't marked as sealed doesn't compile. Re-encryption, the number of
//! rows that a key encrypts, and the guard against replaced keys follow.

use uuid::Uuid;

use super::{AssociatedData, Vault};
use crate::{
    Error, ErrorKind, Result,
    domain::{
        Account, Approval, Authorization, Connection, Credential, KeyedCall, Member, OutboxEntry,
        OutboxTask, Secret, webhook::Webhook,
    },
    identifier::{
        AccountId, ApprovalId, AuthorizationId, ConnectionId, DataKeyId, ExecutionId, McpSessionId,
        MemberId, OutboxId, WebhookId,
    },
    sealed::Sealed,
    store::{Record, Row, Table, Versioned, read},
};

/// A place of a secret, which its encryption is bound to.
pub(crate) trait Place {
    /// What is authenticated with the secret, but not stored.
    fn data(&self) -> AssociatedData<'_>;
}

/// A place in something that Stead stores, so that a key that the secret needs is found there.
pub(crate) trait Stored: Place {}

/// Places: the members that a place consists of, what the encryption is bound to, and for a secret in the store the
/// record that keeps it, and how to re-encrypt it there.
macro_rules! places {
    ($(
        $(#[$about:meta])*
        $name:ident($($part:ident: $of:ty),*) = $data:expr
        $(, in $record:ident: |$row:ident, $again:ident| $each:expr)?;
    )+) => {
        $(
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
                impl Stored for $name {}
                const _: () = assert!(<$record as Record>::TABLE.sealed, "mark its table as sealed");
            )?
        )+

        /// All members of records that keep secrets.
        pub(crate) static SECRETS: &[Secrets] = &[$($(
            Secrets {
                table: <$record as Record>::TABLE,
                reseal: |found, $again| {
                    let mut found = read::<$record>(found)?;
                    let $row = &mut found.row;
                    $each?;
                    let (version, read_at) = (found.version, found.read_at);
                    Ok(Versioned { row: found.row.into_row()?, version, read_at })
                },
            },
        )?)+];
    };
}

places! {
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

    /// The secret of a member's one-time codes.
    SecondFactor(member: MemberId) = AssociatedData::new("member", member.uuid(), "second_factor"),
        in Member: |row, again| {
            let factor = row.second_factor.as_mut();
            again.seal(&SecondFactor(row.id), factor.map(|factor| &mut factor.sealed))
        };

    /// Tokens in the spool, which have no generation yet. Bound to the refresh that got them.
    SpooledTokens(refresh: Uuid, owner: String, client_epoch: u64) =
        AssociatedData::new("spool", *refresh, owner).client_epoch(*client_epoch);

    /// A data key, under this key of the ring. The time since when rows need a MAC is bound as the generation. If
    /// someone removes it from the row, so that rows without a MAC are accepted again, the key can't be decrypted.
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
}

/// The number of rows that a key encrypts includes the records of the spool. When they move to the store, they are
/// encrypted again.
impl Stored for SpooledTokens {}
/// The key ring encrypts it, not another data key.
impl Stored for WrappedKey {}

impl Tokens {
    pub(crate) fn of(account: &Account, generation: u64, client_epoch: u64) -> Self {
        Self(account.id, owner(account), generation, client_epoch)
    }
}

impl SpooledTokens {
    pub(crate) fn of(refresh: Uuid, account: &Account, client_epoch: u64) -> Self {
        Self(refresh, owner(account), client_epoch)
    }
}

fn owner(account: &Account) -> String {
    format!("{}/{}", account.connection_id, account.identifier)
}

/// A member of a record that keeps secrets.
pub(crate) struct Secrets {
    pub(crate) table: &'static Table,
    pub(crate) reseal: fn(Versioned<Row>, &Again<'_>) -> Result<Versioned<Row>>,
}

/// Re-encrypts secrets with the active key.
pub(crate) struct Again<'a> {
    pub(crate) vault: &'a Vault,
    /// The account that the row belongs to, if it's a credential.
    pub(crate) account: Option<Account>,
}

impl Again<'_> {
    /// The row with all of its secrets under the active key.
    pub(crate) fn reseal(&self, found: Versioned<Row>) -> Result<Versioned<Row>> {
        let table = found.row.table;
        let mut secrets = SECRETS.iter().filter(|secrets| *secrets.table == *table);
        secrets.try_fold(found, |found, secrets| (secrets.reseal)(found, self))
    }

    fn seal<'s, P: Stored + 's>(
        &self,
        place: &P,
        secrets: impl IntoIterator<Item = &'s mut Sealed<P>>,
    ) -> Result<()> {
        for sealed in secrets {
            if let Some(again) = self.vault.seal_again(place, sealed)? {
                *sealed = again;
            }
        }
        Ok(())
    }

    fn account(&self) -> Result<&Account> {
        let missing = || Error::new(ErrorKind::AccountNotFound, "its account doesn't exist");
        self.account.as_ref().ok_or_else(missing)
    }
}
