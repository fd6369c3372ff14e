//! Walks through the secrets of records.

use uuid::Uuid;

use super::Vault;
use crate::{
    Error, ErrorKind, Result,
    domain::{
        Account, Approval, Authorization, Connection, Credential, KeyedCall, Member, OutboxEntry,
        OutboxTask, Secret, webhook::Webhook,
    },
    sealed::{Sealed, Stored, place::*},
    store::{Record, Row, Table, Versioned, read},
};

macro_rules! walk {
    ($(
        $(#[$about:meta])*
        $name:ident($($part:ident: $of:ty),*) = $data:expr
        $(, in $record:ident: |$row:ident, $again:ident| $seal:expr)?;
    )+) => {
        $($(
            const _: () = assert!(<$record as Record>::TABLE.sealed, "mark the record's table");
        )?)+

        /// All secrets of records.
        pub(crate) static SECRETS: &[Secrets] = &[$($(
            Secrets {
                table: <$record as Record>::TABLE,
                reseal: |found, $again| {
                    let mut found = read::<$record>(found)?;
                    let $row = &mut found.row;
                    $seal?;
                    let (version, read_at) = (found.version, found.read_at);
                    Ok(Versioned { row: found.row.into_row()?, version, read_at })
                },
            },
        )?)+];
    };
}
secrets!(walk);

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

/// A secret of a record.
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
