//! Notion: its authorization server, and its API in three versions.

mod filters;
mod oauth;
mod strictness;
mod writing;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use stead_sandbox::{WORKSPACE_CLIENT_ID, WORKSPACE_CLIENT_SECRET};

use crate::client::{REDIRECT, Reply, Stage, form};

const ADA: &str = "ada@example.com";
const GRACE: &str = "grace@example.com";
const OLD: &str = "2022-06-28";
const SOURCES: &str = "2025-09-03";
const NEWEST: &str = "2026-03-11";

impl Stage {
    async fn notion_page(&self, pairs: &[(&str, &str)]) -> Reply {
        let mut all = vec![
            ("client_id", WORKSPACE_CLIENT_ID),
            ("redirect_uri", REDIRECT),
            ("response_type", "code"),
            ("owner", "user"),
            ("state", "s t"),
        ];
        all.retain(|(name, _)| pairs.iter().all(|(other, _)| other != name));
        all.extend(pairs.iter().filter(|(_, value)| *value != "(absent)"));
        let path = format!("/api.notion.com/v1/oauth/authorize?{}", form(&all));
        self.send(self.http.get(self.url(&path))).await
    }

    /// Submits the page; returns what comes back.
    async fn notion_consent(&self, submitted: &[(&str, &str)]) -> Reply {
        let page = self.notion_page(&[]).await;
        assert_eq!(page.status, 200, "{}", page.text);
        self.post_form(&page.form_action(), submitted).await
    }

    async fn notion_code(&self, submitted: &[(&str, &str)]) -> String {
        let back = self.notion_consent(submitted).await;
        assert_eq!(back.status, 303, "{}", back.text);
        let location = back.location();
        let mut pairs = location.query_pairs();
        let code = pairs.find(|(name, _)| name == "code");
        code.expect("a code").1.into_owned()
    }

    async fn notion_oauth(&self, path: &str, body: &Value) -> Reply {
        let pair = format!("{WORKSPACE_CLIENT_ID}:{WORKSPACE_CLIENT_SECRET}");
        let request = self
            .http
            .post(self.url(&format!("/api.notion.com/v1/oauth/{path}")))
            .header("authorization", format!("Basic {}", STANDARD.encode(pair)))
            .header("notion-version", OLD)
            .header("content-type", "application/json")
            .body(body.to_string());
        self.send(request).await
    }

    async fn notion_exchange(&self, code: &str) -> Reply {
        let body =
            json!({"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT});
        self.notion_oauth("token", &body).await
    }

    async fn notion_refresh(&self, token: &str) -> Reply {
        let body = json!({"grant_type": "refresh_token", "refresh_token": token});
        self.notion_oauth("token", &body).await
    }

    /// Tokens of a user who shares all that is theirs.
    async fn notion_tokens(&self, user: &str) -> Value {
        let code = self
            .notion_code(&[("user", user), ("scope", "all"), ("action", "allow")])
            .await;
        self.notion_exchange(&code).await.ok()
    }

    async fn notion(
        &self,
        version: &str,
        verb: &str,
        path: &str,
        body: Option<Value>,
        token: &str,
    ) -> Reply {
        let mut request = self
            .http
            .request(
                verb.parse().expect("a method"),
                self.url(&format!("/api.notion.com/v1/{path}")),
            )
            .bearer_auth(token)
            .header("notion-version", version);
        if let Some(body) = body {
            request = request
                .header("content-type", "application/json")
                .body(body.to_string());
        }
        self.send(request).await
    }

    async fn notion_me(&self, token: &str) -> Reply {
        self.notion(OLD, "GET", "users/me", None, token).await
    }

    fn notion_world(&self) -> Value {
        self.sandbox().world()["users"][0]["workspace"].clone()
    }
}

/// A sandbox with Ada's access token, and the world as she can share it.
struct Notion {
    stage: Stage,
    token: String,
    world: Value,
}

impl Notion {
    async fn ada() -> Self {
        let stage = Stage::new().await;
        let token = access(&stage.notion_tokens(ADA).await);
        let world = stage.notion_world();
        Self {
            stage,
            token,
            world,
        }
    }

    async fn get(&self, version: &str, path: &str) -> Reply {
        self.stage
            .notion(version, "GET", path, None, &self.token)
            .await
    }

    /// Sends a GET that must succeed, and returns its JSON.
    async fn read(&self, version: &str, path: &str) -> Value {
        self.get(version, path).await.ok()
    }

    async fn post(&self, version: &str, path: &str, body: Value) -> Reply {
        self.send(version, "POST", path, body).await
    }

    async fn patch(&self, version: &str, path: &str, body: Value) -> Reply {
        self.send(version, "PATCH", path, body).await
    }

    async fn send(&self, version: &str, verb: &str, path: &str, body: Value) -> Reply {
        self.stage
            .notion(version, verb, path, Some(body), &self.token)
            .await
    }
}

/// The access token of a token response.
fn access(tokens: &Value) -> String {
    tokens["access_token"].as_str().expect("a token").to_owned()
}

impl Reply {
    /// Checks that the request was refused, with an error in Notion's shape.
    #[track_caller]
    fn refused_by_notion(&self, status: u16, code: &str) {
        assert_eq!(self.status, status, "{}", self.text);
        let body = self.json();
        assert_eq!(body["object"], "error");
        assert_eq!(body["status"], status);
        assert_eq!(body["code"], code, "{body}");
        assert_eq!(body["request_id"], self.header("x-notion-request-id"));
    }

    /// Checks that the request was refused as invalid, with these words.
    #[track_caller]
    fn is_invalid(&self, words: &str) {
        self.refused_by_notion(400, "validation_error");
        assert!(self.text.contains(words), "{}", self.text);
    }
}

#[track_caller]
fn of<'a>(world: &'a Value, list: &str, title: &str) -> &'a Value {
    let found = world[list]
        .as_array()
        .expect("a list")
        .iter()
        .find(|one| one["title"] == title);
    found.unwrap_or_else(|| panic!("no {title}"))
}

fn id(value: &Value) -> &str {
    value["id"].as_str().expect("an id")
}

fn ids(list: &Value) -> Vec<&str> {
    list["results"]
        .as_array()
        .expect("a list")
        .iter()
        .map(id)
        .collect()
}

fn paragraph(text: &str) -> Value {
    json!({"type": "paragraph", "paragraph": {"rich_text": [{"text": {"content": text}}]}})
}
