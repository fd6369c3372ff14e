//! Which scope allows which route. Each route is tried with each scope.

use http::StatusCode;
use serde_json::json;
use stead_core::scope::{ScopeName, Scopes};

use crate::{
    Access, table,
    testing::{TestService, request_to},
};

#[tokio::test]
async fn every_scope_opens_only_its_routes() {
    let service = TestService::new().await;
    let (mut opened, mut closed) = (0, 0);
    for name in ScopeName::ALL {
        let limited = service.with_scopes(&[name.name()]).await;
        let scopes = Scopes::parse([name.name()]).unwrap();
        for (_, routes) in table()
            .iter()
            .filter(|(access, _)| *access == Access::Application)
        {
            for route in routes {
                let what = format!("{} to {} {}", name.name(), route.method, route.path);
                let (head, ()) = request_to(route).body(()).unwrap().into_parts();
                let path = head.uri.to_string();
                let response = limited.call(head.method.as_str(), &path, None).await;
                assert_ne!(response.status, StatusCode::UNAUTHORIZED, "{what}");
                if route.scope.is_none_or(|scope| scopes.opens(scope)) {
                    let kind = (response.status == StatusCode::FORBIDDEN)
                        .then(|| response.problem()["kind"].clone());
                    assert_ne!(kind, Some(json!("insufficient_scope")), "{what}");
                    opened += 1;
                    continue;
                }
                let scope = route.scope.unwrap().name();
                assert_eq!(response.status, StatusCode::FORBIDDEN, "{what}");
                assert_eq!(
                    response.header("www-authenticate"),
                    format!(r#"Bearer realm="stead", error="insufficient_scope", scope="{scope}""#),
                    "{what}"
                );
                let problem = response.json();
                assert_eq!(problem["kind"], "insufficient_scope", "{what}");
                assert_eq!(problem["act_by"], "app_developer", "{what}");
                assert_eq!(problem["required_scopes"], json!([scope]), "{what}");
                closed += 1;
            }
        }
    }
    assert!(opened >= 50 && closed >= 200, "{opened} {closed}");
}

#[tokio::test]
async fn reads_writes_and_tools_have_separate_scopes() {
    let service = TestService::new().await.with_account("u1").await;
    let path = "/proxy/mail/u1/gmail/v1/users/me/profile";
    let call = json!({"connection_name": "mail", "identifier": "u1", "input": {}});
    let read = json!({"connection_name": "mail", "identifier": "u1", "method": "GET", "path": "/gmail/v1/users/me/profile"});
    let write = json!({"connection_name": "mail", "identifier": "u1", "method": "POST", "path": "/gmail/v1/users/me/messages/send", "body": {}});
    let before = service.received().len();
    for (scopes, tool, reads, writes) in [
        (&["tools:execute:mail"][..], true, false, false),
        (&["proxy:read:mail"], false, true, false),
        (&["proxy:read", "tools:execute"], true, true, false),
        (&["proxy:write:mail"], false, true, true),
        (&["proxy:write"], false, true, true),
    ] {
        let limited = service.with_scopes(scopes).await;
        let opens = |status| status != StatusCode::FORBIDDEN;
        let execute = limited
            .post("/v1/tools/mail_list_drafts/execute", call.clone())
            .await;
        assert_eq!(opens(execute.status), tool, "{scopes:?} {}", execute.text());
        let streamed = limited.get(path).await.status;
        let json = limited.post("/v1/proxy", read.clone()).await.status;
        assert_eq!((opens(streamed), opens(json)), (reads, reads), "{scopes:?}");
        let json = limited.post("/v1/proxy", write.clone()).await;
        let streamed = limited.call("DELETE", path, None).await;
        let written = (opens(streamed.status), opens(json.status));
        assert_eq!(written, (writes, writes), "{scopes:?}");
        if reads && !writes {
            assert_eq!(json.json()["required_scopes"], json!(["proxy:write:mail"]));
        }
    }
    // Rejected requests weren't sent. There were two calls of the tool, and two requests for each route that reads and
    // each that writes.
    assert_eq!(service.received().len() - before, 2 + 2 * 4 + 2 * 2);
}
