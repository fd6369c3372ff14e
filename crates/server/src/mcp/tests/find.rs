//! The tools in a session's list, and how an agent reaches the others.

use super::*;

const OWN: [&str; 3] = [
    "stead_check_authorization",
    "stead_get_authorization_link",
    "stead_read_result",
];
const FINDERS: [&str; 3] = [
    "stead_search_tools",
    "stead_describe_tool",
    "stead_execute_tool",
];

/// The names in the list of a session with this set, without Stead's own.
async fn listed(service: &TestService, session: Value) -> Vec<String> {
    let tools = Client::new(service, session).await.tools().await;
    let all = names(&tools).into_iter().filter(|name| !OWN.contains(name));
    all.map(str::to_owned).collect()
}

#[tokio::test]
async fn a_list_shows_its_set_and_finds_the_others() {
    let service = with_account().await;
    let core = listed(&service, json!({ "identifier": "u1" })).await;
    assert_eq!(core.len(), 7 + 3, "{core:?}");
    assert_eq!(core[7..], FINDERS);
    for (set, count, finds) in [
        ("core", 7, true),
        ("read", 8, true),
        ("search", 0, true),
        ("mail", 12, false),
        ("all", 12, false),
    ] {
        let session = json!({ "identifier": "u1", "tool_set": set });
        let found = listed(&service, session).await;
        let expected = count + if finds { 3 } else { 0 };
        assert_eq!(found.len(), expected, "{set}: {found:?}");
    }
    // A session with chosen tools lists them all, and one without changes has nothing left to find in `read`.
    let session = json!({ "identifier": "u1", "tools": ["mail_get_contacts"] });
    assert_eq!(listed(&service, session).await, ["mail_get_contacts"]);
    let session = json!({ "identifier": "u1", "tool_set": "read", "read_only": true });
    assert_eq!(listed(&service, session).await.len(), 8);
    let session = json!({ "identifier": "u1", "tool_set": "cores" });
    let refused = service.post("/v1/mcp-sessions", session).await;
    refused.assert_problem(StatusCode::BAD_REQUEST, "invalid_request");
    assert!(
        refused.text().contains("did you mean core?"),
        "{}",
        refused.text()
    );
}

#[tokio::test]
async fn output_schemas_are_listed_on_request() {
    let service = with_account().await;
    for asked in [false, true] {
        let session = json!({ "identifier": "u1", "tool_set": "all", "output_schemas": asked });
        let tools = Client::new(&service, session).await.tools().await;
        let tools = tools
            .iter()
            .filter(|tool| !names(&[(*tool).clone()])[0].starts_with("stead_"));
        let with = tools
            .filter(|tool| tool["outputSchema"].is_object())
            .count();
        assert_eq!(with, if asked { 12 } else { 0 });
    }
}

#[tokio::test]
async fn a_tool_outside_the_list_is_found_described_and_executed() {
    let service = with_account().await;
    let new = NewConnection::mail("work").client("other", "secret");
    let environment = service.platform.environment();
    environment.send(new).await.unwrap();
    let client = Client::new(
        &service,
        json!({ "identifier": "u1", "tool_set": "search" }),
    )
    .await;
    let query = json!({ "query": "list my drafts", "limit": "1" });
    let found = client.call(FINDERS[0], &query).await;
    assert_eq!(
        found["structuredContent"]["tools"][0]["name"], LIST_DRAFTS,
        "{found}"
    );
    let described = client
        .call(FINDERS[1], &json!({ "name": LIST_DRAFTS }))
        .await;
    let schema = &described["structuredContent"]["input_schema"];
    assert_eq!(
        schema["properties"]["connection_name"]["enum"],
        json!(["mail", "work"]),
        "{described}"
    );
    let input = json!({ "connection_name": "mail", "max_results": 5 });
    let call = json!({ "name": LIST_DRAFTS, "input": input });
    let executed = client.call(FINDERS[2], &call).await;
    assert_eq!(
        executed["structuredContent"]["drafts"][0]["id"], "r1",
        "{executed}"
    );
    let wrong = json!({ "name": LIST_DRAFTS, "input": { "connection_name": "mail", "colour": 1 } });
    let refused = client.call(FINDERS[2], &wrong).await;
    assert!(text(&refused).contains("- /colour: "), "{refused}");
    let without = client
        .call(FINDERS[2], &json!({ "name": LIST_DRAFTS }))
        .await;
    assert!(text(&without).contains("/input"), "{without}");
}

#[tokio::test]
async fn a_search_finds_nothing_that_the_session_may_not_call() {
    let service = with_account().await;
    let session = json!({ "identifier": "u1", "tool_set": "search", "read_only": true });
    let client = Client::new(&service, session).await;
    let tools = client.tools().await;
    let execute = tools
        .iter()
        .find(|tool| tool["name"] == FINDERS[2])
        .unwrap();
    assert_eq!(execute["annotations"]["readOnlyHint"], true, "{execute}");
    let found = client
        .call(FINDERS[0], &json!({ "query": "send a mail" }))
        .await;
    let found = found["structuredContent"]["tools"].as_array().unwrap();
    assert!(
        !found.is_empty() && found.iter().all(|tool| tool["effect"] == "read"),
        "{found:?}"
    );
    let described = client
        .call(FINDERS[1], &json!({ "name": "mail_send_message" }))
        .await;
    assert!(
        text(&described).contains("this session has no tool \"mail_send_message\""),
        "{described}"
    );
    let call = json!({ "name": "mail_send_message", "input": { "to": ["a@b.example"], "subject": "", "body": "" } });
    let refused = client.call(FINDERS[2], &call).await;
    assert_eq!(
        refused["_meta"]["stead/error"]["kind"], "insufficient_scope",
        "{refused}"
    );
}
