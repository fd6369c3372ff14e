//! Snowflake: its authorization server and its SQL API.

mod oauth;
mod queries;
mod statements;
mod strictness;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use stead_sandbox::{WAREHOUSE_CLIENT_ID, WAREHOUSE_CLIENT_SECRET};

use crate::client::{CHALLENGE, REDIRECT, Reply, Stage, VERIFIER, cases, form, value};

const ADA: &str = "ada@example.com";
const GRACE: &str = "grace@example.com";
const HOST: &str = "/sandbox-acme.snowflakecomputing.com";
const STATEMENTS: &str = "/sandbox-acme.snowflakecomputing.com/api/v2/statements";
const ID: &str = "6f1f3a52-9c1d-4b0e-8a51-1f2f3a4b5c6d";

impl Stage {
    /// The authorization page for these parameters in addition to the usual ones.
    async fn snowflake_page(&self, pairs: &[(&str, &str)]) -> Reply {
        let mut all = vec![
            ("client_id", WAREHOUSE_CLIENT_ID),
            ("redirect_uri", REDIRECT),
            ("response_type", "code"),
            ("state", "s t"),
            ("scope", "refresh_token"),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
        ];
        all.retain(|(name, _)| pairs.iter().all(|(other, _)| other != name));
        all.extend(pairs.iter().filter(|(_, value)| *value != "(absent)"));
        let path = format!("{HOST}/oauth/authorize?{}", form(&all));
        self.send(self.http.get(self.url(&path))).await
    }

    async fn snowflake_code(&self, user: &str, asked: &[(&str, &str)]) -> String {
        let page = self.snowflake_page(asked).await;
        assert_eq!(page.status, 200, "{}", page.text);
        let submitted = [("user", user), ("action", "allow"), ("scope", "all")];
        let back = self.post_form(&page.form_action(), &submitted).await;
        assert_eq!(back.status, 303, "{}", back.text);
        let pairs: Vec<(String, String)> = back.location().query_pairs().into_owned().collect();
        value(&pairs, "code")
    }

    /// The token endpoint, with the client's own Basic.
    async fn snowflake_token(&self, pairs: &[(&str, &str)]) -> Reply {
        let basic = STANDARD.encode(format!("{WAREHOUSE_CLIENT_ID}:{WAREHOUSE_CLIENT_SECRET}"));
        let request = self
            .http
            .post(self.url(&format!("{HOST}/oauth/token-request")))
            .header("authorization", format!("Basic {basic}"))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form(pairs));
        self.send(request).await
    }

    async fn snowflake_exchange(&self, code: &str) -> Reply {
        self.snowflake_token(&[
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", REDIRECT),
            ("code_verifier", VERIFIER),
        ])
        .await
    }

    async fn snowflake_refresh(&self, token: &str) -> Reply {
        self.snowflake_token(&[("grant_type", "refresh_token"), ("refresh_token", token)])
            .await
    }

    /// A user's access token, for these scopes.
    async fn snowflake_access(&self, user: &str, scope: &str) -> String {
        let code = self.snowflake_code(user, &[("scope", scope)]).await;
        let tokens = self.snowflake_exchange(&code).await.ok();
        tokens["access_token"].as_str().expect("a token").to_owned()
    }

    /// Submits a body.
    async fn submit(&self, token: &str, query: &str, body: &Value) -> Reply {
        let request = self
            .http
            .post(self.url(&format!("{STATEMENTS}{query}")))
            .bearer_auth(token)
            .header("user-agent", "test/1")
            .header("accept", "application/json")
            .header("content-type", "application/json")
            .body(body.to_string());
        self.send(request).await
    }

    /// Submits a statement.
    async fn sql(&self, token: &str, statement: &str) -> Reply {
        self.submit(token, "", &json!({"statement": statement}))
            .await
    }

    /// GET below a statement.
    async fn ask(&self, token: &str, path: &str) -> Reply {
        let request = self
            .http
            .get(self.url(&format!("{STATEMENTS}/{path}")))
            .bearer_auth(token)
            .header("user-agent", "test/1")
            .header("accept", "application/json");
        self.send(request).await
    }
}

/// An account with the access token of one of its users.
struct Warehouse {
    stage: Stage,
    access: String,
}

impl Warehouse {
    async fn of(user: &str) -> Self {
        let stage = Stage::new().await;
        let access = stage.snowflake_access(user, "refresh_token").await;
        Self { stage, access }
    }

    async fn submit(&self, query: &str, body: &Value) -> Reply {
        self.stage.submit(&self.access, query, body).await
    }

    async fn sql(&self, statement: &str) -> Reply {
        self.stage.sql(&self.access, statement).await
    }

    async fn ask(&self, path: &str) -> Reply {
        self.stage.ask(&self.access, path).await
    }

    async fn cancel(&self, handle: &str) -> Reply {
        let request = self
            .stage
            .http
            .post(self.stage.url(&format!("{STATEMENTS}/{handle}/cancel")))
            .bearer_auth(&self.access)
            .header("user-agent", "test/1")
            .header("accept", "application/json");
        self.stage.send(request).await
    }

    /// The response to a statement that succeeds.
    async fn run(&self, sql: &str) -> Value {
        let reply = self.sql(sql).await;
        assert_eq!(reply.status, 200, "{sql}: {}", reply.text);
        reply.json()
    }

    async fn rows(&self, sql: &str) -> Value {
        self.run(sql).await["data"].clone()
    }

    /// Runs the statements of a table. Checks that each is refused with its code, and with a message that contains its
    /// text.
    async fn refuses(&self, table: &'static str) {
        for [sql, expected] in cases(table) {
            let (code, says) = expected.split_once(' ').unwrap_or((expected, ""));
            let reply = self.sql(sql).await;
            fails(&reply, 422, code);
            assert!(reply.text.contains(says), "{sql}: {}", reply.text);
        }
    }
}

/// The handle in a response.
#[track_caller]
fn handle(reply: &Reply) -> String {
    reply.json()["statementHandle"]
        .as_str()
        .expect("a handle")
        .to_owned()
}

#[track_caller]
fn fails(reply: &Reply, status: u16, code: &str) {
    assert_eq!(reply.status, status, "{}", reply.text);
    assert_eq!(reply.json()["code"], code, "{}", reply.text);
}

/// A column of the rows.
#[track_caller]
fn column(response: &Value, name: &str) -> Vec<String> {
    let columns = response["resultSetMetaData"]["rowType"]
        .as_array()
        .expect("columns");
    let place = columns
        .iter()
        .position(|column| column["name"] == name)
        .expect(name);
    let rows = response["data"].as_array().expect("rows");
    rows.iter()
        .map(|row| row[place].as_str().unwrap_or("NULL").to_owned())
        .collect()
}
