//! Requests that every operation rejects in the same way, derived from the document: without a token, without the
//! scope, with unknown IDs, and with wrong queries and bodies.

use serde_json::{Map, Value, json};

use super::walk::{Ask, Walk};

const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/// One test for each tag, so that they run side by side.
macro_rules! tags {
    ($($test:ident $tag:literal)+) => {
        $(
            #[tokio::test]
            async fn $test() {
                refuse($tag).await;
            }
        )+
    };
}

tags! {
    account_imports "account-imports"
    account_tokens "account-tokens"
    accounts "accounts"
    app_credentials "app-credentials"
    approvals "approvals"
    audit "audit"
    authorization_links "authorization-links"
    authorizations "authorizations"
    connections "connections"
    events "events"
    executions "executions"
    files "files"
    keys "keys"
    mcp_sessions "mcp-sessions"
    members "members"
    oauth "oauth"
    policies "policies"
    proxy "proxy"
    service "service"
    tool_calls "tool-calls"
    tools "tools"
    webhooks "webhooks"
}

async fn refuse(tag: &str) {
    let mut walk = Walk::new().await;
    let weak = weak_token(&walk).await;
    let document = walk.document.clone();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let methods = methods.as_object().unwrap();
        let all: Vec<String> = methods.keys().map(|method| method.to_uppercase()).collect();
        let mut is_first = true;
        for (method, operation) in methods {
            if operation["tags"][0] != tag {
                continue;
            }
            let operation = Operation::new(&document, method, path, operation);
            operation.refuse(&mut walk, &weak).await;
            if is_first {
                is_first = false;
                operation.wrong_method(&mut walk, &all).await;
            }
        }
    }
    walk.keep(&format!("refusals/{}", tag.replace('-', "_")));
}

/// A token whose only scope allows almost nothing.
async fn weak_token(walk: &Walk) -> String {
    let scope = "connections:read";
    let new = json!({ "name": "weak", "scopes": [scope] });
    let made = walk.stage.post("/v1/app-credentials", &new).await.json();
    let pairs = [
        ("grant_type", "client_credentials"),
        ("client_id", made["client_id"].as_str().unwrap()),
        ("client_secret", made["client_secret"].as_str().unwrap()),
    ];
    let url = format!("{}/oauth/token", walk.stage.url);
    let reply = walk.stage.http.form(&url, &pairs).await;
    reply.json()["access_token"].as_str().unwrap().to_owned()
}

/// An operation of the document.
struct Operation<'a> {
    document: &'a Value,
    method: String,
    template: &'a str,
    /// Its path, with IDs that don't exist.
    path: String,
    described: &'a Value,
}

impl<'a> Operation<'a> {
    fn new(document: &'a Value, method: &str, template: &'a str, described: &'a Value) -> Self {
        let segments = template.split('/').map(|segment| {
            let name = segment
                .strip_prefix('{')
                .and_then(|rest| rest.strip_suffix('}'));
            name.map_or_else(|| segment.to_owned(), |name| nothing(name).to_owned())
        });
        Self {
            document,
            method: method.to_uppercase(),
            template,
            path: segments.collect::<Vec<_>>().join("/"),
            described,
        }
    }

    fn ask(&self, what: &str) -> Ask {
        let title = format!("{} {}: {what}", self.method, self.template);
        Ask::new(&title, &self.method, &self.path)
    }

    async fn refuse(&self, walk: &mut Walk, weak: &str) {
        let example = self.example();
        let whole = |ask: Ask| match &example {
            Some(example) => ask.json(example),
            None => ask,
        };
        walk.send(whole(self.ask("no token")).bearer("")).await;
        walk.send(whole(self.ask("unknown token")).bearer("stead_token_unknown"))
            .await;
        walk.send(whole(self.ask("no scope")).bearer(weak)).await;
        if self.path != self.template {
            walk.send(whole(self.ask("unknown ID"))).await;
            let (path, last) = self.path.rsplit_once('/').unwrap();
            if nothing_has(last) {
                let ask = self.at("ID of another kind", format!("{path}/other_1"));
                walk.send(whole(ask)).await;
                walk.send(whole(self.at("empty ID", format!("{path}/"))))
                    .await;
            }
        }
        if self.path != "/" {
            walk.send(whole(
                self.at("slash at the end", format!("{}/", self.path)),
            ))
            .await;
        }
        walk.send(whole(
            self.at("unknown parameter", format!("{}?unknown=1", self.path)),
        ))
        .await;
        self.wrong_query(walk).await;
        if self.method == "GET" {
            walk.send(self.head()).await;
        }
        if let Some(example) = &example {
            self.wrong_bodies(walk, example).await;
        }
    }

    fn at(&self, what: &str, path: String) -> Ask {
        let title = format!("{} {}: {what}", self.method, self.template);
        Ask::new(&title, &self.method, path)
    }

    fn head(&self) -> Ask {
        Ask::new(&format!("HEAD {}", self.template), "HEAD", &self.path)
    }

    /// Sends all query parameters with wrong and with empty values, and then the first one twice.
    async fn wrong_query(&self, walk: &mut Walk) {
        let parameters = self.described["parameters"].as_array();
        let names: Vec<&str> = parameters
            .into_iter()
            .flatten()
            .map(|parameter| self.resolved(parameter))
            .filter(|parameter| parameter["in"] == "query")
            .filter_map(|parameter| parameter["name"].as_str())
            .collect();
        if names.is_empty() {
            return;
        }
        for (what, value) in [
            ("wrong parameters", "%20wrong%20"),
            ("empty parameters", ""),
        ] {
            let pairs: Vec<String> = names.iter().map(|name| format!("{name}={value}")).collect();
            let path = format!("{}?{}", self.path, pairs.join("&"));
            walk.send(self.at(what, path)).await;
        }
        let name = names[0];
        let path = format!("{}?{name}=1&{name}=2", self.path);
        walk.send(self.at("parameter given twice", path)).await;
    }

    async fn wrong_bodies(&self, walk: &mut Walk, example: &Value) {
        let members = self.body_schema()["properties"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        let wrong: Map<String, Value> = members
            .keys()
            .map(|name| (name.clone(), json!([[true]])))
            .collect();
        let null: Map<String, Value> = members
            .keys()
            .map(|name| (name.clone(), Value::Null))
            .collect();
        let mut more = example.clone();
        more["unknown_member"] = json!(1);
        for (what, body) in [
            ("empty object", json!({})),
            ("array", json!([])),
            (
                "array of the members",
                example.as_object().unwrap().values().cloned().collect(),
            ),
            ("null", Value::Null),
            ("every member wrong", Value::Object(wrong)),
            ("every member null", Value::Object(null)),
            ("unknown member", more),
        ] {
            walk.send(self.ask(what).json(&body)).await;
        }
        let json = "application/json";
        if let Some((name, value)) = example.as_object().unwrap().iter().next() {
            let twice = format!("{{\"{name}\": {value}, \"{name}\": {value}}}");
            walk.send(self.ask("member given twice").text(json, &twice))
                .await;
        }
        walk.send(self.ask("no JSON").text(json, "{\"a\": ")).await;
        walk.send(self.ask("empty body").text(json, "")).await;
        walk.send(self.ask("no body")).await;
        let text = self.ask("another media type");
        walk.send(text.text("text/plain", &example.to_string()))
            .await;
    }

    /// Sends a method that no operation of the path has.
    async fn wrong_method(&self, walk: &mut Walk, all: &[String]) {
        let other = METHODS
            .iter()
            .find(|method| !all.iter().any(|one| one == *method));
        for method in other.into_iter().copied().chain(["OPTIONS"]) {
            let title = format!("{method} {}: no such operation", self.template);
            walk.send(Ask::new(&title, method, &self.path)).await;
        }
    }

    fn content(&self) -> Option<&'a Value> {
        let content = &self.resolved(&self.described["requestBody"])["content"];
        content.as_object()?.values().next()
    }

    fn body_schema(&self) -> &'a Value {
        self.content()
            .map_or(&Value::Null, |content| self.resolved(&content["schema"]))
    }

    /// The document's own example of the body.
    fn example(&self) -> Option<Value> {
        let content = self.content()?;
        let schema = self.body_schema();
        [
            &content["example"],
            &schema["example"],
            &schema["examples"][0],
        ]
        .into_iter()
        .find(|example| example.is_object())
        .cloned()
        .or_else(|| Some(json!({})))
    }

    /// Follows a reference.
    fn resolved(&self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(place) => self.document.pointer(&place[1..]).unwrap_or(&Value::Null),
            None => value,
        }
    }
}

/// An ID that doesn't exist, for a path parameter.
fn nothing(parameter: &str) -> &'static str {
    match parameter {
        "approval_id" => "appr_00000000000000000000000000000001",
        "authorization_id" => "auth_00000000000000000000000000000001",
        "client_id" => "app_00000000000000000000000000000001",
        "event_id" => "evt_00000000000000000000000000000001",
        "execution_id" => "exec_00000000000000000000000000000001",
        "key_id" => "key_00000000000000000000000000000001",
        "member_id" => "mem_00000000000000000000000000000001",
        "secret_id" => "000000000001",
        "session_id" => "mcp_00000000000000000000000000000001",
        "token_id" => "tok_00000000000000000000000000000001",
        "webhook_id" => "hook_00000000000000000000000000000001",
        "handle" => "file_AAAA",
        _ => "nothing",
    }
}

fn nothing_has(segment: &str) -> bool {
    segment.ends_with("0001") || segment == "nothing" || segment == "file_AAAA"
}
