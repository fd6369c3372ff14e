//! Each kind of row as a table.

use serde::{Serialize, de::DeserializeOwned};
use stead_core::store::{
    AccessTokenRow, AccountRow, AppCredentialRow, AuthorizationRow, AuthorizationState,
    ConnectionRow, CredentialRow, DataKeyRow, EventRow, ExecutionRow, OutboxRow, RowKey,
};

use crate::engine::Value;

/// A kind of row. Its table has these columns, then `version` and `body`.
pub(crate) trait Table: Serialize + DeserializeOwned + PartialEq + Send + 'static {
    /// Name of the table.
    const NAME: &'static str;
    /// Columns of the primary key.
    const KEY: &'static [&'static str];
    /// Columns that it is looked up or removed by beside the key.
    const OTHERS: &'static [&'static str];

    /// Values of the key's columns, then of the others.
    fn values(&self) -> Vec<Value>;
}

macro_rules! table {
    ($row:ty, $name:literal, [$($key:literal),+], [$($other:literal),*], |$this:ident| [$($value:expr),+ $(,)?]) => {
        impl Table for $row {
            const NAME: &'static str = $name;
            const KEY: &'static [&'static str] = &[$($key),+];
            const OTHERS: &'static [&'static str] = &[$($other),*];

            fn values(&self) -> Vec<Value> {
                let $this = self;
                vec![$($value),+]
            }
        }
    };
}

table!(ConnectionRow, "connection", ["id"], ["name"], |row| [
    Value::id(row.id),
    Value::text(row.name.as_str())
]);
table!(
    AccountRow,
    "account",
    ["id"],
    ["connection_id", "identifier"],
    |row| [
        Value::id(row.id),
        Value::id(row.connection_id),
        Value::text(row.identifier.as_str()),
    ]
);
table!(
    CredentialRow,
    "credential",
    ["account_id", "generation"],
    ["live", "created_at"],
    |row| [
        Value::id(row.account_id),
        Value::count(row.generation),
        Value::flag(row.sealed.is_some()),
        Value::moment(row.created_at),
    ]
);
table!(
    AuthorizationRow,
    "authorization",
    ["id"],
    ["account_id", "link", "oauth_state", "pending", "expires_at"],
    |row| [
        Value::id(row.id),
        Value::id(row.account_id),
        Value::text(row.link.as_str()),
        Value::Text(
            row.oauth_state
                .as_ref()
                .map(|state| state.as_str().to_owned())
        ),
        Value::flag(is_pending(row.state)),
        Value::moment(row.expires_at),
    ]
);
table!(
    AppCredentialRow,
    "app_credential",
    ["client_id"],
    [],
    |row| [Value::text(&row.client_id)]
);
table!(
    AccessTokenRow,
    "access_token",
    ["token"],
    ["expires_at"],
    |row| [
        Value::text(row.token.as_str()),
        Value::moment(row.expires_at)
    ]
);
table!(DataKeyRow, "data_key", ["id"], [], |row| [Value::id(
    row.id
)]);
table!(ExecutionRow, "execution", ["id"], ["started_at"], |row| [
    Value::id(row.id),
    Value::moment(row.started_at)
]);
table!(EventRow, "event", ["id"], ["at"], |row| [
    Value::id(row.id),
    Value::moment(row.at)
]);
table!(OutboxRow, "outbox", ["id"], ["due_at"], |row| [
    Value::id(row.id),
    Value::moment(row.due_at)
]);

/// Table, key columns and their values for a key; `None` for a kind of row that this crate does not know.
pub(crate) fn place(key: &RowKey) -> Option<(&'static str, &'static [&'static str], Vec<Value>)> {
    fn of<T: Table>(
        values: Vec<Value>,
    ) -> Option<(&'static str, &'static [&'static str], Vec<Value>)> {
        Some((T::NAME, T::KEY, values))
    }
    match key {
        RowKey::Connection(id) => of::<ConnectionRow>(vec![Value::id(id)]),
        RowKey::Account(id) => of::<AccountRow>(vec![Value::id(id)]),
        RowKey::Credential(account, generation) => {
            of::<CredentialRow>(vec![Value::id(account), Value::count(*generation)])
        }
        RowKey::Authorization(id) => of::<AuthorizationRow>(vec![Value::id(id)]),
        RowKey::AppCredential(client_id) => of::<AppCredentialRow>(vec![Value::text(client_id)]),
        RowKey::AccessToken(token) => of::<AccessTokenRow>(vec![Value::text(token.as_str())]),
        RowKey::DataKey(id) => of::<DataKeyRow>(vec![Value::id(id)]),
        RowKey::Execution(id) => of::<ExecutionRow>(vec![Value::id(id)]),
        RowKey::Event(id) => of::<EventRow>(vec![Value::id(id)]),
        RowKey::Outbox(id) => of::<OutboxRow>(vec![Value::id(id)]),
        _ => None,
    }
}

/// Whether an authorization is neither completed nor ended.
fn is_pending(state: AuthorizationState) -> bool {
    use AuthorizationState::{
        Completed, Created, Denied, Exchanged, Expired, Failed, Opened, Redirected, Returned,
        Superseded, Verifying,
    };
    match state {
        Created | Opened | Redirected | Returned | Exchanged | Verifying => true,
        Completed | Denied | Expired | Failed | Superseded => false,
    }
}
