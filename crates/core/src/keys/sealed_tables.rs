//! All tables with secrets, with the encrypted members of their rows, and tables whose rows only have a MAC. A test
//! fails if a table is missing here.

use crate::{
    Error, ErrorKind, Result,
    domain::{
        AccessToken, Account, AccountToken, AppCredential, Approval, AuditEntry, Authorization,
        Connection, Credential, Erasure, KeyedCall, McpSession, Member, OutboxEntry, OutboxTask,
        Policy, Secret, Session, webhook::Webhook,
    },
    identifier::AccountId,
    seal::{AssociatedData, place},
    sealed::Sealed,
    store::{Record, Rewritten, Row, Table, Value, Versioned, Write, read},
};

pub(super) static SEALED_TABLES: &[SealedTable] = &[
    SealedTable::of::<Connection>(),
    SealedTable::of::<Credential>(),
    SealedTable::of::<Authorization>(),
    SealedTable::of::<OutboxEntry>(),
    SealedTable::of::<Erasure>(),
    SealedTable::of::<Secret>(),
    SealedTable::of::<KeyedCall>(),
    SealedTable::of::<Webhook>(),
    SealedTable::of::<Member>(),
    SealedTable::of::<Approval>(),
    SealedTable::with_macs::<AppCredential>(),
    SealedTable::with_macs::<AccessToken>(),
    SealedTable::with_macs::<AccountToken>(),
    SealedTable::with_macs::<McpSession>(),
    SealedTable::with_macs::<Session>(),
    SealedTable::with_macs::<Policy>(),
    SealedTable::with_macs::<AuditEntry>(),
];

/// Re-encrypts a secret at its place.
pub(super) type Again<'a> = &'a mut dyn FnMut(AssociatedData<'_>, &mut Sealed) -> Result<()>;

/// A record with secrets.
trait Secrets: Rewritten {
    /// Whether its secrets are bound to the account that its column `account_id` names.
    const OF_ACCOUNT: bool = false;

    /// Passes every encrypted member with its place to `again`. `account` is given if the secrets are bound to it.
    fn each(&mut self, account: Option<&Account>, again: Again<'_>) -> Result<()>;
}

impl Secrets for Connection {
    fn each(&mut self, _: Option<&Account>, again: Again<'_>) -> Result<()> {
        match &mut self.client_secret {
            Some(sealed) => again(place::client_secret(self.id), sealed),
            None => Ok(()),
        }
    }
}

impl Secrets for Credential {
    const OF_ACCOUNT: bool = true;

    fn each(&mut self, account: Option<&Account>, again: Again<'_>) -> Result<()> {
        let (Some(sealed), Some(account)) = (&mut self.sealed, account) else {
            return Ok(());
        };
        let owner = place::owner(account);
        let place = place::tokens(account.id, &owner, self.generation, self.client_epoch);
        again(place, sealed)
    }
}

impl Secrets for Authorization {
    fn each(&mut self, _: Option<&Account>, again: Again<'_>) -> Result<()> {
        match &mut self.verifier {
            Some(sealed) => again(place::verifier(self.id), sealed),
            None => Ok(()),
        }
    }
}

impl Secrets for OutboxEntry {
    fn each(&mut self, _: Option<&Account>, again: Again<'_>) -> Result<()> {
        let OutboxTask::Revoke {
            client_epoch,
            token,
            ..
        } = &mut self.task;
        again(place::outbox_token(self.id, *client_epoch), token)
    }
}

/// It has no secrets. Its table is marked so that replaced rows are removed from the disk.
impl Secrets for Erasure {
    fn each(&mut self, _: Option<&Account>, _: Again<'_>) -> Result<()> {
        Ok(())
    }
}

impl Secrets for Secret {
    fn each(&mut self, _: Option<&Account>, again: Again<'_>) -> Result<()> {
        again(place::secret(&self.name), &mut self.sealed)
    }
}

impl Secrets for KeyedCall {
    fn each(&mut self, _: Option<&Account>, again: Again<'_>) -> Result<()> {
        match &mut self.outcome {
            Some(sealed) => again(place::outcome(self.execution_id), sealed),
            None => Ok(()),
        }
    }
}

impl Secrets for Webhook {
    fn each(&mut self, _: Option<&Account>, again: Again<'_>) -> Result<()> {
        let id = self.id;
        self.secrets.iter_mut().try_for_each(|secret| {
            again(
                place::webhook_secret(id, secret.generation),
                &mut secret.sealed,
            )
        })
    }
}

impl Secrets for Member {
    fn each(&mut self, _: Option<&Account>, again: Again<'_>) -> Result<()> {
        match &mut self.second_factor {
            Some(factor) => again(place::second_factor(self.id), &mut factor.sealed),
            None => Ok(()),
        }
    }
}

impl Secrets for Approval {
    fn each(&mut self, _: Option<&Account>, again: Again<'_>) -> Result<()> {
        again(place::arguments(self.id), &mut self.arguments)
    }
}

/// A table with secrets.
pub(super) struct SealedTable {
    pub(super) table: &'static Table,
    of_account: bool,
    reseal: fn(Versioned<Row>, Option<&Account>, Again<'_>) -> Result<Write>,
}

impl SealedTable {
    const fn of<T: Secrets>() -> Self {
        Self {
            table: T::TABLE,
            of_account: T::OF_ACCOUNT,
            reseal: reseal::<T>,
        }
    }

    /// The rows of a table without secrets get a new MAC when they are written.
    const fn with_macs<T: Record>() -> Self {
        Self {
            table: T::TABLE,
            of_account: false,
            reseal: |found, _, _| Ok(Write::Update(found.row, found.version)),
        }
    }

    /// The account that a row's secrets are bound to, if to any.
    pub(super) fn account_of(&self, row: &Row) -> Option<AccountId> {
        match row.value("account_id") {
            Value::Text(id) if self.of_account => id.parse().ok(),
            _ => None,
        }
    }

    /// The row with its secrets re-encrypted.
    pub(super) fn reseal(
        &self,
        row: Versioned<Row>,
        account: Option<&Account>,
        again: Again<'_>,
    ) -> Result<Write> {
        if self.of_account && account.is_none() {
            return Err(Error::new(
                ErrorKind::AccountNotFound,
                "its account doesn't exist",
            ));
        }
        (self.reseal)(row, account, again)
    }
}

fn reseal<T: Secrets>(
    row: Versioned<Row>,
    account: Option<&Account>,
    again: Again<'_>,
) -> Result<Write> {
    let mut found = read::<T>(row)?;
    found.row.each(account, again)?;
    Ok(Write::Update(found.row.into_row()?, found.version))
}
