//! Calls of tools, omitted parts of results, and raw requests.

use bytes::Bytes;
use http::{HeaderName, Method, StatusCode, header};
use percent_encoding::percent_decode_str;
use stead_core::{
    Result,
    resource::{ByteRange, ExecuteRequest, Execution, ProxyRequest, ResultFile},
    tool::Effect,
};

use super::{
    response,
    service::{Outgoing, Service, segment},
};

impl Service {
    /// Calls a tool. `effect` is the call's possible effect on the user's data, if the caller knows it.
    pub(crate) async fn execute(
        &self,
        tool: &str,
        request: ExecuteRequest,
        effect: Option<Effect>,
    ) -> Result<Execution> {
        let path = format!("/v1/tools/{}/execute", segment(tool));
        let mut outgoing = Outgoing::json(Method::POST, &path, &request)?;
        if let Some(key) = &request.idempotency_key {
            outgoing = outgoing.idempotency_key(key)?;
        }
        if effect != Some(Effect::Read) {
            outgoing = outgoing.may_write();
        }
        let response = self.send(outgoing).await?;
        let mut execution: Execution = response::read(&response)?;
        execution.replayed = response::is_replayed(&response);
        Ok(execution)
    }

    /// Sends a raw request.
    pub(crate) async fn proxy(&self, request: ProxyRequest) -> Result<http::Response<Bytes>> {
        let mut outgoing = Outgoing::json(Method::POST, "/v1/proxy", &request)?;
        if let Some(key) = &request.idempotency_key {
            outgoing = outgoing.idempotency_key(key)?;
        }
        if !request.dry_run && !matches!(request.method.as_str(), "GET" | "HEAD") {
            outgoing = outgoing.may_write();
        }
        response::of_product(self.send(outgoing).await?)
    }

    /// Reads an omitted part of a result, or a range of it.
    pub(crate) async fn read_result(
        &self,
        handle: &str,
        range: Option<ByteRange>,
    ) -> Result<ResultFile> {
        let path = format!("/v1/files/{}", segment(handle));
        let mut request = Outgoing::new(Method::GET, &path);
        if let Some(range) = range {
            request = request.range(range);
        }
        let response = self.send(request).await?;
        response::done(&response)?;
        let file = file(&response).ok_or_else(|| {
            response::not_stead("its response lacks a header of what is read by a handle")
        })?;
        match range {
            // A proxy in front of the service may have dropped the `Range` header.
            Some(range) if response.status() != StatusCode::PARTIAL_CONTENT => file.range(range),
            _ => Ok(file),
        }
    }
}

fn file(response: &http::Response<Bytes>) -> Option<ResultFile> {
    let text = |name: HeaderName| response.headers().get(name)?.to_str().ok();
    let content = response.body().clone();
    let (offset, size) = match text(header::CONTENT_RANGE) {
        None => (0, content.len() as u64),
        Some(range) => {
            let (range, size) = range.strip_prefix("bytes ")?.split_once('/')?;
            let (first, _) = range.split_once('-')?;
            (first.parse().ok()?, size.parse().ok()?)
        }
    };
    let name = text(header::CONTENT_DISPOSITION)
        .and_then(|text| text.split_once("filename*=UTF-8''"))
        .and_then(|(_, name)| percent_decode_str(name).decode_utf8().ok());
    let id = text(HeaderName::from_static(response::EXECUTION))?;
    let mut file = ResultFile::new(content, text(header::CONTENT_TYPE)?, id.parse().ok()?);
    file.etag = text(header::ETAG)?.to_owned();
    (file.offset, file.size) = (offset, size);
    file.name = name.map(Into::into);
    Some(file)
}
