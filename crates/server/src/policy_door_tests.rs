//! Every rule of a policy, for every way in which a call can come. Calls that a rule forbids aren't sent, and all
//! others are.

use std::collections::BTreeSet;

use axum::body::Body;
use http::{Request, header};
use serde_json::{Value, json};
use stead::Error;
use stead_core::resource::{ExecuteRequest, NewAuthorizationLink, NewConnection, ProxyRequest};

use crate::{
    document::openapi,
    testing::{OF_SHEETS, SPREADSHEETS, TestResponse, TestService, json_response},
};

const ID: &str = "1AbCdEfGhIjKlMnOpQrStUvWxYz0123456789_-abcde";
const TOOL: &str = "sheets_update_values";
const HOST: &str = "sheets.googleapis.com";

/// A rule that the calls of these tests break.
struct Rule {
    /// Its place in the policy's document.
    place: &'static str,
    rules: Value,
    /// Whether it applies to tools, and whether to raw requests.
    means: (bool, bool),
}

fn rules() -> Vec<Rule> {
    let facts = |member: &str, value: &str| json!([{ "product": "sheets", "kind": "spreadsheet", member: [value] }]);
    let rule = |place, rules, means| Rule {
        place,
        rules,
        means,
    };
    let (both, tools, requests) = ((true, true), (true, false), (false, true));
    let approval = |rules: Value| json!({ "requires_approval": rules });
    vec![
        rule("read_only", json!({ "read_only": true }), both),
        rule(
            "tools/allow",
            json!({ "tools": { "allow": ["sheets_get_*"] } }),
            tools,
        ),
        rule("tools/deny", json!({ "tools": { "deny": [TOOL] } }), tools),
        rule("requests", json!({ "requests": [] }), requests),
        rule(
            "facts/allow",
            json!({ "facts": facts("allow", "other") }),
            both,
        ),
        rule("facts/deny", json!({ "facts": facts("deny", ID) }), both),
        rule(
            "requires_approval/tools",
            approval(json!({ "tools": [TOOL] })),
            tools,
        ),
        rule(
            "requires_approval/effects",
            approval(json!({ "effects": ["write"] })),
            both,
        ),
        rule(
            "requires_approval/facts",
            approval(json!({ "facts": facts("allow", "other") })),
            both,
        ),
    ]
}

/// A way in which a call can come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Door {
    LibraryTool,
    LibraryRequest,
    RestTool,
    RestProxy,
    RestProxyPath,
    ProxyHost,
    ToolCalls,
    Mcp,
}

impl Door {
    const ALL: [Self; 8] = [
        Self::LibraryTool,
        Self::LibraryRequest,
        Self::RestTool,
        Self::RestProxy,
        Self::RestProxyPath,
        Self::ProxyHost,
        Self::ToolCalls,
        Self::Mcp,
    ];

    /// Whether it's for tools. Otherwise it's for raw requests.
    fn is_of_tools(self) -> bool {
        match self {
            Self::LibraryTool | Self::RestTool | Self::ToolCalls | Self::Mcp => true,
            Self::LibraryRequest | Self::RestProxy | Self::RestProxyPath | Self::ProxyHost => false,
        }
    }
}

/// The refusal that a caller reads: the error's kind, and the rule if it's shown.
#[derive(Debug, PartialEq)]
struct Refused {
    kind: String,
    rule: Option<String>,
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self {
            kind: error.kind().name().to_owned(),
            rule: error.context()["rule"].as_str().map(str::to_owned),
        }
    }
}

/// A service with an account for Sheets, and the parts that its doors need.
struct Setup {
    service: TestService,
    account_token: String,
    mcp_token: String,
}

impl Setup {
    async fn new() -> Self {
        let service = TestService::with_products(|_| {
            json_response(&json!({
                "spreadsheetId": ID, "updatedRange": "A!A1", "updatedRows": 1, "updatedColumns": 1, "updatedCells": 1,
            }))
        })
        .await;
        let environment = service.platform.environment();
        let new = NewConnection::sheets("sheets")
            .client(OF_SHEETS, "CANARY-client-secret")
            .permissions([SPREADSHEETS]);
        let connection = environment.send(new).await.unwrap();
        let link = NewAuthorizationLink::new("sheets", "u1");
        let link = environment.send(link).await.unwrap();
        let link = url::Url::parse(&link.link).unwrap().path().to_owned();
        let (state, cookie) = service.consent(&link).await;
        let id = connection.id.to_string();
        service.come_back(&id, &state, &cookie).await;
        let made = async |path: &str, new: Value| {
            let made = service.post(path, new).await;
            let made: Value = serde_json::from_slice(&made.body).unwrap();
            made["token"]
                .as_str()
                .unwrap_or_else(|| panic!("{made}"))
                .to_owned()
        };
        let token = json!({ "connection_name": "sheets", "identifier": "u1", "access": "write" });
        let account_token = made("/v1/account-tokens", token).await;
        let mcp_token = made("/v1/mcp-sessions", json!({ "identifier": "u1" })).await;
        Self {
            service,
            account_token,
            mcp_token,
        }
    }

    /// Requests that the product received.
    fn sent(&self) -> usize {
        let received = self.service.received();
        received.iter().filter(|one| one.uri.contains(HOST)).count()
    }

    /// Writes a cell through a door.
    async fn call(&self, door: Door) -> Result<(), Refused> {
        let service = &self.service;
        let environment = service.platform.environment();
        let path = format!("/v4/spreadsheets/{ID}/values/A1");
        let body = json!({ "values": [["1"]] });
        let input = json!({ "spreadsheet_id": ID, "range": "A1", "values": [["1"]] });
        let account = json!({ "connection_name": "sheets", "identifier": "u1" });
        let with = |members: Value| {
            let mut all = account.clone();
            all.as_object_mut()
                .unwrap()
                .extend(members.as_object().unwrap().clone());
            all
        };
        let bearing = |token: &str, host: &str, method: &str, path: &str| {
            Request::builder()
                .method(method)
                .uri(path)
                .header(header::HOST, host)
                .header(header::CONTENT_TYPE, "application/json")
                .header(header::ACCEPT, "application/json, text/event-stream")
                .header(header::AUTHORIZATION, format!("Bearer {token}"))
        };
        match door {
            Door::LibraryTool => {
                let request = ExecuteRequest::new("sheets", "u1", input);
                environment.execute(TOOL, request).await.map(drop)?;
            }
            Door::LibraryRequest => {
                let mut request = ProxyRequest::new("sheets", "u1", "PUT", path);
                request.body = Some(body);
                let stead: stead::Stead = service.platform.clone().into();
                stead.actions().request(request).await.map(drop)?;
            }
            Door::RestTool => {
                let path = format!("/v1/tools/{TOOL}/execute");
                return of_problem(&service.post(&path, with(json!({ "input": input }))).await);
            }
            Door::RestProxy => {
                let request = with(json!({ "method": "PUT", "path": path, "body": body }));
                return of_problem(&service.post("/v1/proxy", request).await);
            }
            Door::RestProxyPath => {
                let path = format!("/proxy/sheets/u1{path}");
                return of_problem(&service.call("PUT", &path, Some(body)).await);
            }
            Door::ProxyHost => {
                let request = bearing(&self.account_token, "proxy.example.com", "PUT", &path);
                let request = request.body(Body::from(body.to_string())).unwrap();
                return of_problem(&service.send(request).await);
            }
            Door::ToolCalls => {
                let function = json!({ "name": TOOL, "arguments": input.to_string() });
                let call = json!({ "id": format!("call_{}", self.sent()), "type": "function", "function": function });
                let calls =
                    json!({ "identifier": "u1", "connection_name": "sheets", "calls": [call] });
                let response = service.post("/v1/tool-calls", calls).await;
                return of_text(response.text());
            }
            Door::Mcp => {
                let meta = json!({
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": {},
                    "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                });
                let params = json!({ "name": TOOL, "arguments": input, "_meta": meta });
                let message =
                    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
                let request = bearing(&self.mcp_token, "127.0.0.1", "POST", "/mcp")
                    .header("mcp-protocol-version", "2026-07-28")
                    .header("mcp-method", "tools/call")
                    .header("mcp-name", TOOL);
                let request = request.body(Body::from(message.to_string())).unwrap();
                return of_text(service.send(request).await.text());
            }
        }
        Ok(())
    }
}

/// The outcome of an HTTP response.
fn of_problem(response: &TestResponse) -> Result<(), Refused> {
    if response.status.is_success() {
        return Ok(());
    }
    let problem = response.problem();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Err(Refused {
        kind: text(&problem["kind"]).unwrap(),
        rule: text(&problem["context"]["rule"]),
    })
}

/// The outcome that a model reads.
fn of_text(text: &str) -> Result<(), Refused> {
    let kind = ["approval_required", "forbidden"]
        .into_iter()
        .find(|kind| text.contains(kind));
    match kind {
        None => Ok(()),
        Some(kind) => Err(Refused {
            kind: kind.to_owned(),
            rule: None,
        }),
    }
}

#[tokio::test(start_paused = true)]
async fn each_rule_applies_at_each_door() {
    let setup = Setup::new().await;
    for door in Door::ALL {
        let before = setup.sent();
        assert_eq!(setup.call(door).await, Ok(()), "{door:?} without a policy");
        assert_eq!(setup.sent(), before + 1, "{door:?}");
    }
    for rule in rules() {
        let place = rule.place;
        let mut policy = rule.rules;
        policy["environment"] = json!(true);
        let set = setup
            .service
            .call("PUT", "/v1/policies/rule", Some(policy))
            .await;
        assert!(set.status.is_success(), "{place}: {}", set.text());
        let kind = match place.starts_with("requires_approval") {
            true => "approval_required",
            false => "forbidden",
        };
        for door in Door::ALL {
            let (means_tools, means_requests) = rule.means;
            let is_meant = match door.is_of_tools() {
                true => means_tools,
                false => means_requests,
            };
            let before = setup.sent();
            let called = setup.call(door).await;
            if !is_meant {
                assert_eq!(called, Ok(()), "{place} says nothing of {door:?}");
                assert_eq!(setup.sent(), before + 1, "{place} {door:?}");
                continue;
            }
            assert_eq!(setup.sent(), before, "{place} {door:?}: nothing is sent");
            let refused = called.expect_err(place);
            assert_eq!(refused.kind, kind, "{place} {door:?}");
            let shows_rule = !matches!(door, Door::Mcp | Door::ToolCalls);
            let shown = refused.rule.map(|rule| {
                let members = rule
                    .split('/')
                    .filter(|member| member.parse::<usize>().is_err());
                members
                    .filter(|member| !member.is_empty())
                    .collect::<Vec<_>>()
                    .join("/")
            });
            assert_eq!(shown.is_some(), shows_rule, "{place} {door:?}");
            assert!(
                shown.is_none_or(|shown| shown.starts_with(place)),
                "{place} {door:?}"
            );
        }
    }
}

/// If the document gets a new rule, it must be added above.
#[test]
fn every_rule_of_the_document_is_among_them() {
    let document = openapi("https://stead.test");
    let members = |schema: &str| {
        let properties = document["components"]["schemas"][schema]["properties"].as_object();
        let properties = properties.unwrap_or_else(|| panic!("{schema}"));
        properties.keys().cloned().collect::<Vec<_>>()
    };
    let below = |place: &'static str, schema: &str| {
        let members = members(schema).into_iter();
        members.map(move |member| format!("{place}/{member}"))
    };
    let no_rules = ["name", "environment", "approval_expires_in", "updated_at"];
    let parts = ["tools", "facts", "requires_approval"];
    let mut expected: BTreeSet<String> = members("Policy").into_iter().collect();
    expected
        .retain(|member| !no_rules.contains(&member.as_str()) && !parts.contains(&member.as_str()));
    expected.extend(below("tools", "ToolRules"));
    let of_facts = below("facts", "FactRule");
    expected.extend(
        of_facts.filter(|place| !["facts/product", "facts/kind"].contains(&place.as_str())),
    );
    expected.extend(below("requires_approval", "ApprovalRules"));
    let tried: BTreeSet<String> = rules().iter().map(|rule| rule.place.to_owned()).collect();
    assert_eq!(tried, expected);
}
