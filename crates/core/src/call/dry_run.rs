//! What a tool would send, without sending it.

use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value, json};

use super::tool_io::first_attempt;
use crate::{
    Error, ErrorKind, Result,
    context::Endpoints,
    ports::BoxFuture,
    tool::{ApiRequest, IoBackend, Output, Response},
};

/// Describes a tool's first requests as they would be sent, without the user's token, and sends nothing. What follows from their responses cannot be known.
pub(super) struct DryRun<'e> {
    endpoints: &'e Endpoints,
    requests: Mutex<Vec<Value>>,
}

impl<'e> DryRun<'e> {
    pub(super) fn new(endpoints: &'e Endpoints) -> Self {
        Self {
            endpoints,
            requests: Mutex::new(Vec::new()),
        }
    }

    /// The requests where there are any; else the tool's own result, which needed none.
    pub(super) fn output(self, result: Result<Output>) -> Result<Output> {
        let requests = self
            .requests
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        if requests.is_empty() {
            return result;
        }
        Ok(Output::from(
            json!({ "dry_run": true, "requests": requests }),
        ))
    }

    fn describe(&self, request: &ApiRequest) -> Result<Value> {
        let sent = first_attempt(request.clone(), self.endpoints)?;
        let headers = sent.headers().iter();
        let mut described = json!({
            "method": sent.method().as_str(),
            "url": sent.uri().to_string(),
            "effect": request.effect_of(),
            "headers": headers
                .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into()))
                .collect::<Map<String, Value>>(),
        });
        if let Some(body) = &request.body {
            described["body"] = serde_json::from_slice(body).unwrap_or_default();
        }
        Ok(described)
    }
}

impl IoBackend for DryRun<'_> {
    fn exchange(&self, requests: Vec<ApiRequest>) -> BoxFuture<'_, Vec<Result<Response>>> {
        let responses = requests
            .iter()
            .map(|request| {
                let described = self.describe(request)?;
                self.requests
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(described);
                Err(Error::new(ErrorKind::Internal, "a dry run sends nothing"))
            })
            .collect();
        Box::pin(std::future::ready(responses))
    }

    fn pause(&self, _: std::time::Duration) -> BoxFuture<'_, Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
