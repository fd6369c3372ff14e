//! Members of the dashboard, as requests to a service.

use http::Method;
use stead_core::{
    Result,
    resource::{IssuedMemberLink, Member, MemberChange, MemberReset, NewMember, Page},
};

use super::{
    response,
    service::{Outgoing, Service, segment},
};
use crate::handles::backend::Paging;

fn path(id: &str) -> String {
    format!("/v1/members/{}", segment(id))
}

pub(super) async fn invite(service: &Service, new: NewMember) -> Result<IssuedMemberLink> {
    let request = Outgoing::json(Method::POST, "/v1/members", &new)?;
    service.read(request.may_write()).await
}

pub(super) async fn list(service: &Service, paging: Paging) -> Result<Page<Member>> {
    service.read_paged("/v1/members", &[], &paging).await
}

pub(super) async fn read(service: &Service, id: &str) -> Result<Member> {
    service.read(Outgoing::new(Method::GET, &path(id))).await
}

pub(super) async fn change(service: &Service, id: &str, change: MemberChange) -> Result<Member> {
    let request = Outgoing::json(Method::PATCH, &path(id), &change)?;
    service.read(request).await
}

pub(super) async fn reset(
    service: &Service,
    id: &str,
    how: MemberReset,
) -> Result<IssuedMemberLink> {
    let path = format!("{}/reset", path(id));
    let request = Outgoing::json(Method::POST, &path, &how)?;
    service.read(request.may_write()).await
}

pub(super) async fn delete(service: &Service, id: &str) -> Result<()> {
    let request = Outgoing::new(Method::DELETE, &path(id));
    response::done(&service.send(request).await?)
}
