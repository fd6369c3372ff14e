//! Rows of applications' credentials and bearer tokens.

use super::{Found, Listed, Records, integer, text};
use crate::{
    digest::Digest,
    domain::{AccessToken, AppCredential, Extra},
    store::{Index, Key, List, Record, Rewritten, Table, Value},
};

pub(super) static APP_CREDENTIAL: Table = Table {
    name: "app_credential",
    columns: &[text("client_id")],
    key: Index::unique(&["client_id"]),
    indexes: &[],
    sealed: false,
};

impl Rewritten for AppCredential {}
impl Record for AppCredential {
    const TABLE: &'static Table = &APP_CREDENTIAL;
    /// An older version would read a credential with few scopes as one with all scopes.
    const VERSION: u32 = 2;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![Value::text(&self.client_id)]
    }
}

pub(super) static ACCESS_TOKEN: Table = Table {
    name: "access_token",
    columns: &[text("token"), integer("expires_at")],
    key: Index::unique(&["token"]),
    indexes: &[ACCESS_TOKENS_BY_END],
    sealed: false,
};
pub(super) const ACCESS_TOKENS_BY_END: Index = Index::of(&["expires_at"]);

impl Record for AccessToken {
    const TABLE: &'static Table = &ACCESS_TOKEN;
    fn values(&self) -> Vec<Value> {
        vec![
            Value::text(self.token.as_str()),
            Value::moment(self.expires_at),
        ]
    }
}

impl Records {
    /// The key of an application's credential.
    pub(crate) fn app_credential_key(client_id: &str) -> Key {
        Key::new(&APP_CREDENTIAL, vec![Value::text(client_id)])
    }
    /// An application's credential.
    pub(crate) async fn app_credential(&self, client_id: &str) -> Found<AppCredential> {
        self.get(Self::app_credential_key(client_id)).await
    }
    /// Credentials of applications by client ID, which is the order of their creation, after `after`.
    pub(crate) async fn app_credentials(
        &self,
        after: Option<&str>,
        limit: u32,
    ) -> Listed<AppCredential> {
        let list = List::new(&APP_CREDENTIAL, APP_CREDENTIAL.key).limit(limit);
        self.list(list.after(after.map(|id| vec![Value::text(id)])))
            .await
    }
    /// A bearer token of the application.
    pub(crate) async fn access_token(&self, token: &Digest) -> Found<AccessToken> {
        self.get(Key::new(&ACCESS_TOKEN, vec![Value::text(token.as_str())]))
            .await
    }
}
