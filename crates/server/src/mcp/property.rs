//! Checks a property of every message. If Stead answers a call without the transport, the transport would have
//! understood the same call.

use axum::body::Bytes;
use http::{HeaderValue, Request};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, ProtocolVersion};

use super::direct::plain_call;

/// A message goes to the transport, or it's a call of the tool in its header and rmcp reads the same call from it.
pub(crate) fn holds(name: &str, body: &[u8]) {
    let Ok(header) = HeaderValue::from_str(name) else {
        return;
    };
    let mut request = Request::new(());
    request.headers_mut().insert("mcp-name", header);
    let parts = request.into_parts().0;
    let read = serde_json::from_slice::<ClientJsonRpcMessage>(body);
    let Some((id, call, meta)) = plain_call(&parts, &Bytes::copy_from_slice(body)) else {
        return;
    };
    assert_eq!(call.name, name);
    assert_eq!(meta.protocol_version(), Some(ProtocolVersion::V_2026_07_28));
    assert!(meta.get_progress_token().is_none());
    let Ok(JsonRpcMessage::Request(request)) = read else {
        panic!(
            "rmcp reads no request from {:?}",
            String::from_utf8_lossy(body)
        );
    };
    assert_eq!(request.id, id);
    let ClientRequest::CallToolRequest(other) = request.request else {
        panic!(
            "rmcp reads another request from {:?}",
            String::from_utf8_lossy(body)
        );
    };
    assert_eq!(other.params.name, call.name);
    assert_eq!(other.params.arguments, call.arguments);
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, test_runner::RngSeed};
    use serde_json::json;

    use super::*;

    fn message() -> serde_json::Value {
        json!({ "jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {
            "name": "mail_list_drafts",
            "arguments": { "max_results": 5 },
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        }})
    }

    #[test]
    fn a_plain_call_is_recognised() {
        let mut request = Request::new(());
        let name = HeaderValue::from_static("mail_list_drafts");
        request.headers_mut().insert("mcp-name", name);
        let body = Bytes::from(message().to_string());
        assert!(plain_call(&request.into_parts().0, &body).is_some());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

        #[test]
        fn any_message_is_read_as_the_transport_reads_it(
            place in prop::sample::select(vec!["/jsonrpc", "/id", "/method", "/params", "/params/name", "/params/arguments", "/params/_meta"]),
            member in "[a-z_]{1,10}|id|method|params|task|progressToken",
            value in prop::sample::select(vec![json!(null), json!(1), json!(-1), json!(1.5), json!("a"), json!([]), json!({}), json!({"a": [1]})]),
            any in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let mut changed = message();
            *changed.pointer_mut(place).expect("a member") = value.clone();
            let mut more = message();
            more[member.as_str()] = value.clone();
            let mut inside = message();
            inside["params"][member.as_str()] = value.clone();
            let mut meta = message();
            meta["params"]["_meta"][member.as_str()] = value;
            for message in [changed, more, inside, meta] {
                holds("mail_list_drafts", message.to_string().as_bytes());
            }
            holds("mail_list_drafts", &any);
        }
    }
}
