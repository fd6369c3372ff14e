//! `/v1/tools`, through the router.

use http::{Response, StatusCode, header};
use serde_json::json;
use stead_core::ports::Body;

use crate::testing::TestService;

const EXECUTE: &str = "/v1/tools/mail_get_message_by_id/execute";

#[tokio::test]
async fn a_tool_says_whether_a_user_can_call_it() {
    let service = TestService::new().await.with_account("a/b").await;
    let readiness = async |identifier: &str| {
        let list = service
            .get(&format!("/v1/tools?identifier={identifier}"))
            .await
            .json();
        let find = |name: &str| {
            list["items"]
                .as_array()
                .unwrap()
                .iter()
                .find(|tool| tool["name"] == name)
                .unwrap()["readiness"]
                .clone()
        };
        (find("mail_list_drafts"), find("mail_get_contacts"))
    };
    assert_eq!(
        readiness("a%2Fb").await,
        (json!("ready"), json!("needs_scope"))
    );
    assert_eq!(
        readiness("unknown").await,
        (json!("needs_connection"), json!("needs_connection"))
    );
}

#[tokio::test]
async fn tools_are_filtered() {
    let service = TestService::new().await.with_account("u1").await;
    let names = async |query: &str| {
        let list = service.get(&format!("/v1/tools?{query}")).await;
        assert_eq!(list.status, StatusCode::OK, "{query}: {}", list.text());
        let list = list.json();
        let items = list["items"].as_array().unwrap().iter();
        items
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let all = names("").await;
    assert_eq!(
        names("product=mail,%20mail").await,
        names("product=mail").await
    );
    assert_eq!(names("effect=READ&product=mail").await.len(), 8);
    assert!(names("effect=delete&product=mail").await.is_empty());
    assert_eq!(
        names("connection_name=mail").await,
        names("product=mail").await
    );
    assert!(all.len() >= 8);
    for (identifier, readiness) in [("u1", "ready"), ("stranger", "needs_connection")] {
        let path = format!("/v1/tools?connection_name=mail&identifier={identifier}");
        let list = service.get(&path).await.json();
        let mut tools = list["items"].as_array().unwrap().iter();
        let drafts = tools.find(|tool| tool["name"] == "mail_list_drafts");
        assert_eq!(drafts.unwrap()["readiness"], readiness);
    }
    let unknown = service.get("/v1/tools?connection_name=nothing").await;
    unknown.assert_problem(StatusCode::NOT_FOUND, "unknown_connection");
}

#[tokio::test]
async fn vendors_have_their_envelopes() {
    let service = TestService::new().await;
    for (format, pointer) in [
        ("openai", "/function/name"),
        ("openai_responses", "/name"),
        ("openai_strict", "/function/name"),
        ("anthropic", "/name"),
        ("anthropic_strict", "/name"),
        ("gemini", "/name"),
        ("mcp", "/name"),
    ] {
        let one = service
            .get(&format!("/v1/tools/mail_list_drafts?format={format}"))
            .await
            .json();
        assert_eq!(
            one.pointer(pointer).unwrap(),
            "mail_list_drafts",
            "{format}"
        );
        let list = service
            .get(&format!("/v1/tools?format={format}"))
            .await
            .json();
        assert!(list["items"].as_array().unwrap().contains(&one), "{format}");
    }
    for path in [
        "/v1/tools?format=word",
        "/v1/tools?product=none",
        "/v1/tools?mode=search",
        "/v1/tools?format=mcp&detail=short",
        "/v1/tools/mail_list_drafts?detail=compact",
    ] {
        let response = service.get(path).await;
        assert_eq!(
            (response.status, response.problem()["kind"].as_str()),
            (StatusCode::BAD_REQUEST, Some("invalid_request")),
            "{path}"
        );
    }
    let compact = service
        .get("/v1/tools?format=openai&detail=compact")
        .await
        .json();
    let whole = service.get("/v1/tools?format=openai").await.json();
    assert!(compact.to_string().len() * 3 < whole.to_string().len() * 2);
    let names = |list: &serde_json::Value, pointer: &str| -> Vec<serde_json::Value> {
        let items = list["items"].as_array().unwrap().iter();
        items
            .map(|tool| tool.pointer(pointer).unwrap().clone())
            .collect()
    };
    assert_eq!(
        names(&compact, "/function/name"),
        names(&whole, "/function/name")
    );
    let report = &whole["report"][0];
    assert_eq!(report["name"], whole["items"][0]["function"]["name"]);
}

#[tokio::test]
async fn a_products_json_is_embedded_unchanged() {
    // Order, spacing and a number beyond 64 bits show that nothing rebuilt it.
    const MESSAGE: &str = r#"{ "z": 1,  "id":"m1", "big": 123456789012345678901234567890 }"#;
    let service = TestService::with_products(|_| {
        let mut response = Response::new(Body::from(MESSAGE.as_bytes().to_vec()));
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, "application/json".parse().unwrap());
        response
    })
    .await
    .with_account("u1")
    .await;
    let call = json!({"connection_name": "mail", "identifier": "u1", "input": {"message_id": "m1", "format": "minimal"}});
    let response = service.post(EXECUTE, call).await;
    assert_eq!(response.status, StatusCode::OK, "{}", response.text());
    assert_eq!(response.header("content-type"), "application/json");
    assert!(
        response.text().contains(&format!(r#""data":{MESSAGE}"#)),
        "{}",
        response.text()
    );
    let members: Vec<String> = response
        .json()
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    assert_eq!(
        members,
        [
            "data",
            "execution_id",
            "schema_version",
            "tool",
            "tool_version"
        ]
    );
}
