//! MCP sessions, as requests to a service.

use http::Method;
use stead_core::{
    Result,
    resource::{IssuedMcpSession, McpSession, NewMcpSession, Page},
};

use super::{
    response,
    service::{Outgoing, Service, segment},
};
use crate::handles::backend::Paging;

const PATH: &str = "/v1/mcp-sessions";

fn path(id: &str) -> String {
    format!("{PATH}/{}", segment(id))
}

pub(super) async fn create(service: &Service, new: NewMcpSession) -> Result<IssuedMcpSession> {
    service
        .read(Outgoing::json(Method::POST, PATH, &new)?)
        .await
}

pub(super) async fn list(
    service: &Service,
    identifier: Option<String>,
    paging: Paging,
) -> Result<Page<McpSession>> {
    let filter = [("identifier", identifier.as_deref())];
    service.read_paged(PATH, &filter, &paging).await
}

pub(super) async fn read(service: &Service, id: &str) -> Result<McpSession> {
    service.read(Outgoing::new(Method::GET, &path(id))).await
}

pub(super) async fn delete(service: &Service, id: &str) -> Result<()> {
    let request = Outgoing::new(Method::DELETE, &path(id));
    response::done(&service.send(request).await?)
}
