//! Bodies given as JSON.

use serde_json::{Value, json};

use super::{send_raw, tests::exchange};
use crate::{resource::ProxyRequest, testing::response};

#[test]
fn a_body_given_in_json_fits_its_content_type() {
    let send = |content_type: &str, body: Value| {
        let mut request = ProxyRequest::new("demo", "ada", "POST", "/v1/notes");
        let headers = [(String::from("content-type"), content_type.to_owned())];
        request.headers = headers
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .collect();
        request.body = Some(body);
        exchange(
            async |context| send_raw(context, request).await,
            || response(200, "{}"),
        )
    };
    for (content_type, body, sent) in [
        ("", json!("a"), "\"a\""),
        ("application/json; charset=utf-8", json!("a"), "\"a\""),
        ("application/vnd.api+json", json!({ "a": 1 }), "{\"a\":1}"),
        (
            "application/x-www-form-urlencoded",
            json!("a=1&b=2"),
            "a=1&b=2",
        ),
        ("Text/Plain", json!("a\"b"), "a\"b"),
    ] {
        assert_eq!(
            send(content_type, body).seen[0].body,
            sent,
            "{content_type}"
        );
    }
    let refused = send("application/x-www-form-urlencoded", json!({ "a": 1 }));
    let error = refused.result.unwrap_err();
    assert_eq!(error.violation_list()[0].path, "/body");
    assert!(refused.seen.is_empty());
}
