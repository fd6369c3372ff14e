//! What models take, and what they ask for.

use http::Method;
use stead_core::{
    Result,
    agent::{ToolCallResults, ToolCalls},
    resource::{ExportedTools, ToolFilter},
    schema::{Detail, ExportFormat},
};

use super::{
    request::{parameters, query},
    service::{Outgoing, Service},
};
use crate::handles::backend::Pending;

pub(super) fn export_tools(
    service: &Service,
    filter: ToolFilter,
    format: ExportFormat,
) -> Pending<'_, ExportedTools> {
    Box::pin(async move {
        let products = filter.products.join(",");
        let mut parameters = parameters(&filter, &products);
        let detail = (filter.detail == Detail::Compact).then_some("compact");
        parameters.extend([("format", Some(format.name())), ("detail", detail)]);
        read(service, &parameters).await
    })
}

pub(super) fn meta_tools(service: &Service, format: ExportFormat) -> Pending<'_, ExportedTools> {
    Box::pin(async move {
        let parameters = [("format", Some(format.name())), ("mode", Some("search"))];
        read(service, &parameters).await
    })
}

async fn read(service: &Service, parameters: &[(&str, Option<&str>)]) -> Result<ExportedTools> {
    let path = format!("/v1/tools{}", query(parameters));
    service.read(Outgoing::new(Method::GET, &path)).await
}

pub(super) fn tool_calls(service: &Service, request: ToolCalls) -> Pending<'_, ToolCallResults> {
    Box::pin(async move {
        let mut outgoing = Outgoing::json(Method::POST, "/v1/tool-calls", &request)?;
        if let Some(key) = &request.idempotency_key {
            outgoing = outgoing.idempotency_key(key)?;
        }
        service.read(outgoing.may_write()).await
    })
}
