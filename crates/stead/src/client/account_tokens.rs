//! Account tokens, as requests to a service.

use http::Method;
use stead_core::{
    Result,
    resource::{AccountToken, IssuedAccountToken, NewAccountToken, Page},
};

use super::{
    response,
    service::{Outgoing, Service, segment},
};
use crate::handles::backend::{Paging, User};

const PATH: &str = "/v1/account-tokens";

pub(super) async fn create(service: &Service, new: NewAccountToken) -> Result<IssuedAccountToken> {
    service
        .read(Outgoing::json(Method::POST, PATH, &new)?)
        .await
}

pub(super) async fn list(
    service: &Service,
    user: &User,
    paging: Paging,
) -> Result<Page<AccountToken>> {
    let filter = [
        ("connection_name", Some(user.connection_name.as_str())),
        ("identifier", Some(user.identifier.as_str())),
    ];
    service.read_paged(PATH, &filter, &paging).await
}

pub(super) async fn delete(service: &Service, token_id: &str) -> Result<()> {
    let path = format!("{PATH}/{}", segment(token_id));
    response::done(&service.send(Outgoing::new(Method::DELETE, &path)).await?)
}
