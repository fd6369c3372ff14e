//! The effects of a pending call, as the rules of a policy see them.

use serde_json::Value;
use stead_core::resource::{Approval, ClassifiedRequest, PolicyTest};

use crate::dashboard::page::Page;

/// The requests of a call, with what they affect. For a tool, that's the request it's about to send. Empty if it can't
/// be determined.
pub(super) async fn requests(page: &Page, approval: &Approval) -> Vec<ClassifiedRequest> {
    let none = Value::Null;
    let arguments = approval.arguments.as_ref().unwrap_or(&none);
    let mut tests = Vec::new();
    if let Some(request) = &approval.request {
        let mut test = PolicyTest::default();
        test.product = Some(approval.product.clone());
        test.method = Some(request.method.clone());
        test.path = Some(request.path.clone());
        test.content_type.clone_from(&request.content_type);
        test.body = request.body.clone().into();
        tests.push(test);
    } else if let Some(tool) = &approval.tool {
        let mut test = PolicyTest::default();
        test.tool = Some(tool.clone());
        test.input = arguments.clone();
        tests.push(test);
    }
    for request in arguments["requests"].as_array().into_iter().flatten() {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let mut test = PolicyTest::default();
        test.product = Some(approval.product.clone());
        test.method = text(&request["method"]);
        test.path = text(&request["path"]);
        test.content_type = text(&request["headers"]["content-type"]);
        test.body = request["body"].clone();
        tests.push(test);
    }
    let mut requests = Vec::new();
    for test in tests {
        match page.environment.send(test).await {
            Ok(decision) => requests.extend(decision.requests),
            Err(_) => return Vec::new(),
        }
    }
    requests
}
