//! Rows of account tokens.

use super::{Found, Listed, Records, integer, text};
use crate::{
    digest::Digest,
    domain::AccountToken,
    identifier::{AccountId, AccountTokenId},
    store::{Index, List, Record, Table, Value},
};

pub(super) static ACCOUNT_TOKEN: Table = Table {
    name: "account_token",
    columns: &[
        text("id"),
        text("token"),
        text("account_id"),
        integer("expires_at"),
    ],
    key: Index::unique(&["id"]),
    indexes: &[
        ACCOUNT_TOKEN_BY_TOKEN,
        ACCOUNT_TOKENS_OF_ACCOUNT,
        ACCOUNT_TOKENS_BY_END,
    ],
    sealed: false,
};
const ACCOUNT_TOKEN_BY_TOKEN: Index = Index::unique(&["token"]);
pub(super) const ACCOUNT_TOKENS_OF_ACCOUNT: Index = Index::of(&["account_id", "id"]);
pub(super) const ACCOUNT_TOKENS_BY_END: Index = Index::of(&["expires_at"]);

impl Record for AccountToken {
    const TABLE: &'static Table = &ACCOUNT_TOKEN;
    fn values(&self) -> Vec<Value> {
        vec![
            Value::text(self.id),
            Value::text(self.token.as_str()),
            Value::text(self.account_id),
            Value::moment(self.expires_at),
        ]
    }
}

impl Records {
    /// An account token by ID.
    pub(crate) async fn account_token(&self, id: AccountTokenId) -> Found<AccountToken> {
        self.get(id).await
    }
    /// An account token by the digest of its text.
    pub(crate) async fn account_token_by_digest(&self, token: &Digest) -> Found<AccountToken> {
        self.find(ACCOUNT_TOKEN_BY_TOKEN, &[Value::text(token.as_str())])
            .await
    }
    /// Tokens of an account by ID, after `after`.
    pub(crate) async fn account_tokens(
        &self,
        account: AccountId,
        after: Option<AccountTokenId>,
        limit: u32,
    ) -> Listed<AccountToken> {
        let list =
            List::new(&ACCOUNT_TOKEN, ACCOUNT_TOKENS_OF_ACCOUNT).prefix([Value::text(account)]);
        let after = after.map(|id| vec![Value::text(id)]);
        self.list(list.after(after).limit(limit)).await
    }
}
