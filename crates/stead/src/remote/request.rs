//! Requests of operations to a service.

use http::{Method, StatusCode};
use serde::de::DeserializeOwned;
use stead_core::{
    Result,
    api::{Operation, QueryWriter, Written},
};

use super::{
    response,
    service::{Outgoing, Service, segment},
};

impl Service {
    /// Runs an operation at the service.
    pub(crate) async fn run<O: Operation>(&self, operation: &O) -> Result<O::Output> {
        let info = O::INFO;
        let Written {
            path, query, body, ..
        } = operation.write();
        let mut url = info.path.to_owned();
        for (name, value) in info.path_members.iter().zip(path) {
            url = url.replace(&format!("{{{name}}}"), &segment(value));
        }
        url.push_str(query.as_str());
        let method = Method::from_bytes(info.method.as_bytes()).unwrap_or_default();
        let mut request = match body {
            Some(body) => Outgoing::json(method, &url, body)?,
            None => Outgoing::new(method, &url),
        };
        if info.may_write() {
            request = request.may_write();
        }
        let response = self.send(request).await?;
        if response.status() == StatusCode::NO_CONTENT {
            return response::nothing();
        }
        response::read(&response)
    }

    pub(super) async fn read<T: DeserializeOwned>(&self, request: Outgoing) -> Result<T> {
        response::read(&self.send(request).await?)
    }
}

/// The query with the given parameters.
pub(super) fn query(parameters: &[(&str, Option<&str>)]) -> String {
    let mut query = QueryWriter::default();
    for (name, value) in parameters {
        query.text(name, *value);
    }
    query.as_str().to_owned()
}
