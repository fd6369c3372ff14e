//! Paths, queries and bodies of the requests to a service.

use std::fmt::Write as _;

use http::Method;
use serde::de::DeserializeOwned;
use serde_json::Value;
use stead_core::{
    Result,
    resource::{Account, Page, ToolFilter, Webhook, WebhookWithSecret},
    tool::Effect,
};

use super::{
    response,
    service::{Outgoing, Service, segment},
};
use crate::handles::backend::{Paging, Pending, User};

impl Service {
    pub(super) async fn read<T: DeserializeOwned>(&self, request: Outgoing) -> Result<T> {
        response::read(&self.send(request).await?)
    }

    pub(super) async fn read_page<T: DeserializeOwned>(
        &self,
        path: &str,
        parameters: &[(&str, Option<&str>)],
    ) -> Result<Page<T>> {
        let query = query(parameters);
        self.read(Outgoing::new(Method::GET, &format!("{path}{query}")))
            .await
    }

    pub(super) async fn read_paged<T: DeserializeOwned>(
        &self,
        path: &str,
        filter: &[(&str, Option<&str>)],
        paging: &Paging,
    ) -> Result<Page<T>> {
        let size = paging.size.to_string();
        let paging = [
            ("page_token", paging.token.as_deref()),
            ("page_size", Some(size.as_str())),
        ];
        self.read_page(path, &[filter, &paging].concat()).await
    }

    pub(super) fn change<'a>(&'a self, user: &'a User, verb: &'a str) -> Pending<'a, Account> {
        Box::pin(async move {
            let path = format!("{}/{verb}", account_path(user));
            self.read(Outgoing::new(Method::POST, &path)).await
        })
    }
}

/// A webhook with its secret, as the service shows it once.
#[derive(serde::Deserialize)]
pub(super) struct ShownWebhook {
    #[serde(flatten)]
    webhook: Webhook,
    secret: secrecy::SecretString,
}

impl From<ShownWebhook> for WebhookWithSecret {
    fn from(shown: ShownWebhook) -> Self {
        Self::new(shown.webhook, shown.secret)
    }
}

pub(super) fn webhook_path(id: &str, verb: &str) -> String {
    format!("/v1/webhooks/{}{verb}", segment(id))
}

pub(super) fn connection_path(name: &str) -> String {
    format!("/v1/connections/{}", segment(name))
}

pub(super) fn credential_path(client_id: &str) -> String {
    format!("/v1/app-credentials/{}", segment(client_id))
}

pub(super) fn account_path(user: &User) -> String {
    format!(
        "/v1/accounts/{}/{}",
        segment(user.connection_name.as_str()),
        segment(user.identifier.as_str())
    )
}

/// Which tools are listed; `products` are those of the filter, with commas between them.
pub(super) fn parameters<'a>(
    filter: &'a ToolFilter,
    products: &'a str,
) -> Vec<(&'static str, Option<&'a str>)> {
    vec![
        ("product", Some(products).filter(|some| !some.is_empty())),
        ("effect", filter.effect.map(Effect::name)),
        ("connection_name", filter.connection_name.as_deref()),
        ("identifier", filter.identifier.as_deref()),
    ]
}

/// The query of the parameters that are given.
pub(super) fn query(parameters: &[(&str, Option<&str>)]) -> String {
    let mut query = String::new();
    for (name, value) in parameters {
        if let Some(value) = value {
            let mark = if query.is_empty() { '?' } else { '&' };
            // Writing to a string cannot fail.
            let _ = write!(query, "{mark}{name}={}", segment(value));
        }
    }
    query
}

/// The members that are given: absent ones stay as they are at the service.
pub(super) fn given(mut body: Value) -> Value {
    if let Some(members) = body.as_object_mut() {
        members.retain(|_, member| !member.is_null());
    }
    body
}
