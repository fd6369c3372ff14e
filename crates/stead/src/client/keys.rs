//! Data keys, as requests to a service.

use http::Method;
use stead_core::{
    Result,
    resource::{DataKey, KeyActivation, Keys, Reencryption},
};

use super::service::{Outgoing, Service, segment};

fn path(key_id: &str, verb: &str) -> String {
    format!("/v1/keys/{}/{verb}", segment(key_id))
}

pub(super) async fn read(service: &Service, count_rows: bool) -> Result<Keys> {
    let path = format!("/v1/keys?count_rows={count_rows}");
    service.read(Outgoing::new(Method::GET, &path)).await
}

pub(super) async fn add(service: &Service) -> Result<DataKey> {
    let request = Outgoing::new(Method::POST, "/v1/keys");
    service.read(request.may_write()).await
}

pub(super) async fn activate(
    service: &Service,
    key_id: &str,
    how: KeyActivation,
) -> Result<DataKey> {
    let request = Outgoing::json(Method::POST, &path(key_id, "activate"), &how)?;
    service.read(request).await
}

pub(super) async fn reencrypt(service: &Service) -> Result<Reencryption> {
    let request = Outgoing::new(Method::POST, "/v1/keys/reencrypt");
    service.read(request).await
}

pub(super) async fn retire(service: &Service, key_id: &str) -> Result<DataKey> {
    let request = Outgoing::new(Method::POST, &path(key_id, "retire"));
    service.read(request).await
}

pub(super) async fn rewrap(service: &Service) -> Result<Keys> {
    let request = Outgoing::new(Method::POST, "/v1/keys/rewrap");
    service.read(request).await
}
