//! The operations of an application, as requests to a service.

use std::fmt::Write as _;

use bytes::Bytes;
use http::Method;
use secrecy::ExposeSecret as _;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use stead_core::{
    Result,
    resource::{
        Account, AccountFilter, AuthorizationLink, Connection, ConnectionChange, Disconnected,
        ExecuteRequest, Execution, NewAuthorizationLink, NewConnection, Page, ProxyRequest,
        ToolDescription, ToolFilter,
    },
    schema::ExportFormat,
    tool::Effect,
};

use super::{
    response,
    service::{Outgoing, Service, segment},
};
use crate::handles::backend::{Backend, Paging, Pending, User};

impl Service {
    async fn read<T: DeserializeOwned>(&self, request: Outgoing) -> Result<T> {
        response::read(&self.send(request).await?)
    }

    async fn read_page<T: DeserializeOwned>(
        &self,
        path: &str,
        parameters: &[(&str, Option<&str>)],
    ) -> Result<Page<T>> {
        let query = query(parameters);
        self.read(Outgoing::new(Method::GET, &format!("{path}{query}")))
            .await
    }

    fn change<'a>(&'a self, user: &'a User, verb: &'a str) -> Pending<'a, Account> {
        Box::pin(async move {
            let path = format!("{}/{verb}", account_path(user));
            self.read(Outgoing::new(Method::POST, &path)).await
        })
    }
}

impl Backend for Service {
    fn create_connection(&self, new: NewConnection) -> Pending<'_, Connection> {
        Box::pin(async move {
            // Secrets are written only here, on their way to the service.
            let secret = new
                .client_secret
                .as_ref()
                .map(|secret| secret.expose_secret());
            let body = json!({
                "connection_name": new.connection_name,
                "product": new.product,
                "client_id": new.client_id,
                "client_secret": secret,
                "permissions": new.permissions,
                "settings": new.settings,
            });
            let request = Outgoing::json(Method::POST, "/v1/connections", &given(body))?;
            self.read(request.may_write()).await
        })
    }
    fn connections(&self, paging: Paging) -> Pending<'_, Page<Connection>> {
        Box::pin(async move {
            let size = paging.size.to_string();
            let parameters = [
                ("page_token", paging.token.as_deref()),
                ("page_size", Some(size.as_str())),
            ];
            self.read_page("/v1/connections", &parameters).await
        })
    }
    fn connection<'a>(&'a self, name: &'a str) -> Pending<'a, Connection> {
        Box::pin(async move {
            self.read(Outgoing::new(Method::GET, &connection_path(name)))
                .await
        })
    }
    fn change_connection<'a>(
        &'a self,
        name: &'a str,
        change: ConnectionChange,
    ) -> Pending<'a, Connection> {
        Box::pin(async move {
            let secret = change.client_secret.as_ref();
            let body = json!({
                "client_id": change.client_id,
                "client_secret": secret.map(|secret| secret.expose_secret()),
                "permissions": change.permissions,
                "settings": change.settings,
                "disabled": change.disabled,
            });
            let path = connection_path(name);
            self.read(Outgoing::json(Method::PATCH, &path, &given(body))?)
                .await
        })
    }
    fn delete_connection<'a>(&'a self, name: &'a str) -> Pending<'a, ()> {
        Box::pin(async move {
            let request = Outgoing::new(Method::DELETE, &connection_path(name));
            response::done(&self.send(request).await?)
        })
    }

    fn create_authorization_link(
        &self,
        new: NewAuthorizationLink,
    ) -> Pending<'_, AuthorizationLink> {
        Box::pin(async move {
            let path = "/v1/authorization-links";
            self.read(Outgoing::json(Method::POST, path, &new)?).await
        })
    }
    fn verify_authorization<'a>(
        &'a self,
        authorization_id: &'a str,
        identifier: &'a str,
    ) -> Pending<'a, Account> {
        Box::pin(async move {
            let path = format!("/v1/authorizations/{}/verify", segment(authorization_id));
            let body = json!({ "identifier": identifier });
            self.read(Outgoing::json(Method::POST, &path, &body)?).await
        })
    }

    fn accounts(&self, filter: AccountFilter, paging: Paging) -> Pending<'_, Page<Account>> {
        Box::pin(async move {
            let size = paging.size.to_string();
            let parameters = [
                ("connection_name", filter.connection_name.as_deref()),
                ("product", filter.product.as_deref()),
                ("identifier", filter.identifier.as_deref()),
                ("state", filter.state.map(|state| state.name())),
                ("page_token", paging.token.as_deref()),
                ("page_size", Some(size.as_str())),
            ];
            self.read_page("/v1/accounts", &parameters).await
        })
    }
    fn account<'a>(&'a self, user: &'a User) -> Pending<'a, Account> {
        Box::pin(async move {
            self.read(Outgoing::new(Method::GET, &account_path(user)))
                .await
        })
    }
    fn refresh_account<'a>(&'a self, user: &'a User) -> Pending<'a, Account> {
        self.change(user, "refresh")
    }
    fn suspend_account<'a>(&'a self, user: &'a User) -> Pending<'a, Account> {
        self.change(user, "suspend")
    }
    fn resume_account<'a>(&'a self, user: &'a User) -> Pending<'a, Account> {
        self.change(user, "resume")
    }
    fn disconnect_account<'a>(
        &'a self,
        user: &'a User,
        revoke_at_product: bool,
    ) -> Pending<'a, Disconnected> {
        Box::pin(async move {
            let revoke = ("revoke_at_product", revoke_at_product.then_some("true"));
            let path = format!("{}{}", account_path(user), query(&[revoke]));
            self.read(Outgoing::new(Method::DELETE, &path)).await
        })
    }

    fn tools(&self, filter: ToolFilter) -> Pending<'_, Vec<ToolDescription>> {
        Box::pin(async move {
            let products = filter.products.join(",");
            let parameters = parameters(&filter, &products);
            Ok(self.read_page("/v1/tools", &parameters).await?.items)
        })
    }
    fn tool<'a>(&'a self, name: &'a str) -> Pending<'a, ToolDescription> {
        Box::pin(async move {
            let path = format!("/v1/tools/{}", segment(name));
            self.read(Outgoing::new(Method::GET, &path)).await
        })
    }
    fn exported_tools(&self, filter: ToolFilter, format: ExportFormat) -> Pending<'_, Vec<Value>> {
        Box::pin(async move {
            let products = filter.products.join(",");
            let mut parameters = parameters(&filter, &products);
            parameters.push(("format", Some(format.name())));
            Ok(self.read_page("/v1/tools", &parameters).await?.items)
        })
    }
    fn execute<'a>(
        &'a self,
        tool: &'a str,
        request: ExecuteRequest,
        effect: Option<Effect>,
    ) -> Pending<'a, Execution> {
        Box::pin(async move {
            let path = format!("/v1/tools/{}/execute", segment(tool));
            let mut outgoing = Outgoing::json(Method::POST, &path, &request)?;
            if let Some(key) = &request.idempotency_key {
                outgoing = outgoing.idempotency_key(key)?;
            }
            if effect != Some(Effect::Read) {
                outgoing = outgoing.may_write();
            }
            self.read(outgoing).await
        })
    }
    fn proxy(&self, request: ProxyRequest) -> Pending<'_, http::Response<Bytes>> {
        Box::pin(async move {
            let mut outgoing = Outgoing::json(Method::POST, "/v1/proxy", &request)?;
            if !matches!(request.method.as_str(), "GET" | "HEAD") {
                outgoing = outgoing.may_write();
            }
            response::of_product(self.send(outgoing).await?)
        })
    }
}

fn connection_path(name: &str) -> String {
    format!("/v1/connections/{}", segment(name))
}

fn account_path(user: &User) -> String {
    format!(
        "/v1/accounts/{}/{}",
        segment(user.connection_name.as_str()),
        segment(user.identifier.as_str())
    )
}

/// Which tools are listed; `products` are those of the filter, with commas between them.
fn parameters<'a>(
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
fn query(parameters: &[(&str, Option<&str>)]) -> String {
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
fn given(mut body: Value) -> Value {
    if let Some(members) = body.as_object_mut() {
        members.retain(|_, member| !member.is_null());
    }
    body
}
