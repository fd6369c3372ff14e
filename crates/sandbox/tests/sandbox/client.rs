//! A small client for the tests.

use std::sync::Once;

use base64::{Engine as _, engine::general_purpose::URL_SAFE};
use reqwest::header::HeaderMap;
use serde_json::Value;
use stead_sandbox::{CLIENT_ID, CLIENT_SECRET, Running, Sandbox};
use url::{Url, form_urlencoded::Serializer};

pub(crate) const REDIRECT: &str = "http://127.0.0.1:9/callback";
pub(crate) const GMAIL_READ: &str = "https://www.googleapis.com/auth/gmail.readonly";
pub(crate) const CONTACTS: &str = "https://www.googleapis.com/auth/contacts.readonly";
pub(crate) const OTHERS: &str = "https://www.googleapis.com/auth/contacts.other.readonly";
pub(crate) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub(crate) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const MAIL: &str = "/gmail.googleapis.com/gmail/v1/users/me/";
const PEOPLE: &str = "/people.googleapis.com/v1/";

/// A running sandbox and a client without redirects.
pub(crate) struct Stage {
    pub(crate) running: Running,
    pub(crate) http: reqwest::Client,
}

/// A response that has been read.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

/// Tokens of one user.
#[derive(Debug)]
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) refresh: String,
    pub(crate) response: Value,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::of(Sandbox::new()).await
    }

    pub(crate) async fn of(sandbox: Sandbox) -> Self {
        static PROVIDER: Once = Once::new();
        PROVIDER.call_once(|| {
            let provider = rustls::crypto::ring::default_provider();
            provider.install_default().expect("one provider");
        });
        let http = reqwest::Client::builder()
            .no_proxy()
            .user_agent("tests")
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .expect("a client");
        let running = sandbox.run().await.expect("a port");
        Self { running, http }
    }

    pub(crate) fn sandbox(&self) -> &Sandbox {
        &self.running.sandbox
    }

    /// Causes a fault, given as JSON. Omitted members have their defaults.
    pub(crate) fn cause(&self, fault: Value) {
        let fault = serde_json::from_value(fault).expect("a fault");
        self.sandbox().fault(fault);
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.running.url)
    }

    pub(crate) async fn send(&self, request: reqwest::RequestBuilder) -> Reply {
        let response = request.send().await.expect("a response");
        Reply {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            text: response.text().await.expect("a body"),
        }
    }

    pub(crate) async fn get(&self, path: &str, token: &str) -> Reply {
        let request = self.http.get(self.url(path)).bearer_auth(token);
        self.send(request).await
    }

    /// A request with a JSON body.
    pub(crate) async fn json(&self, verb: &str, path: &str, token: &str, body: &Value) -> Reply {
        let verb = verb.parse().expect("a method");
        let request = self
            .http
            .request(verb, self.url(path))
            .bearer_auth(token)
            .header("content-type", "application/json")
            .body(body.to_string());
        self.send(request).await
    }

    /// GET below the mailbox of the token's user.
    pub(crate) async fn mail(&self, path: &str, token: &str) -> Reply {
        self.get(&format!("{MAIL}{path}"), token).await
    }

    /// GET below the People API.
    pub(crate) async fn people(&self, path: &str, token: &str) -> Reply {
        self.get(&format!("{PEOPLE}{path}"), token).await
    }

    pub(crate) async fn post_form(&self, path: &str, pairs: &[(&str, &str)]) -> Reply {
        let request = self
            .http
            .post(self.url(path))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form(pairs));
        self.send(request).await
    }

    pub(crate) async fn token(&self, pairs: &[(&str, &str)]) -> Reply {
        self.post_form("/oauth2.googleapis.com/token", pairs).await
    }

    /// The authorization page for these parameters in addition to the usual ones.
    pub(crate) async fn authorize(&self, pairs: &[(&str, &str)]) -> Reply {
        let mut all = vec![
            ("client_id", CLIENT_ID),
            ("redirect_uri", REDIRECT),
            ("response_type", "code"),
            ("state", "s t"),
        ];
        all.retain(|(name, _)| pairs.iter().all(|(other, _)| other != name));
        all.extend(pairs.iter().filter(|(_, value)| *value != "(absent)"));
        let path = format!("/accounts.google.com/o/oauth2/v2/auth?{}", form(&all));
        self.send(self.http.get(self.url(&path))).await
    }

    /// Submits the page; returns the parameters that come back.
    pub(crate) async fn consent(
        &self,
        asked: &[(&str, &str)],
        submitted: &[(&str, &str)],
    ) -> Vec<(String, String)> {
        let page = self.authorize(asked).await;
        assert_eq!(page.status, 200, "{}", page.text);
        let back = self.post_form(&page.form_action(), submitted).await;
        assert_eq!(back.status, 303, "{}", back.text);
        back.location().query_pairs().into_owned().collect()
    }

    /// The code for a user who allows all scopes.
    pub(crate) async fn code(&self, user: &str, asked: &[(&str, &str)]) -> String {
        let submitted = [("user", user), ("action", "allow"), ("scope", "all")];
        value(&self.consent(asked, &submitted).await, "code")
    }

    pub(crate) async fn exchange(&self, code: &str) -> Reply {
        self.exchange_with(code, &[]).await
    }

    /// Exchanges a code with these parameters in addition to the usual ones.
    pub(crate) async fn exchange_with(&self, code: &str, pairs: &[(&str, &str)]) -> Reply {
        let mut all = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", REDIRECT),
            ("client_id", CLIENT_ID),
            ("client_secret", CLIENT_SECRET),
        ];
        all.retain(|(name, _)| pairs.iter().all(|(other, _)| other != name));
        all.extend(pairs);
        self.token(&all).await
    }

    pub(crate) async fn refresh(&self, token: &str) -> Reply {
        self.refresh_with(token, &[]).await
    }

    pub(crate) async fn refresh_with(&self, token: &str, pairs: &[(&str, &str)]) -> Reply {
        let usual = [
            ("grant_type", "refresh_token"),
            ("refresh_token", token),
            ("client_id", CLIENT_ID),
            ("client_secret", CLIENT_SECRET),
        ];
        self.token(&[&usual[..], pairs].concat()).await
    }

    /// Offline tokens of a user for these scopes.
    pub(crate) async fn tokens(&self, user: &str, scopes: &[&str]) -> Tokens {
        let scope = scopes.join(" ");
        let asked = [
            ("scope", scope.as_str()),
            ("access_type", "offline"),
            ("prompt", "consent"),
        ];
        let code = self.code(user, &asked).await;
        let response = self.exchange(&code).await.json();
        let text = |name: &str| response[name].as_str().unwrap_or_default().to_owned();
        Tokens {
            access: text("access_token"),
            refresh: text("refresh_token"),
            response: response.clone(),
        }
    }

    /// Ada's access token for mail and contacts.
    pub(crate) async fn ada(&self) -> String {
        let scopes = [GMAIL_READ, CONTACTS, OTHERS];
        self.tokens("ada@example.com", &scopes).await.access
    }

    /// The world's entry of a message of a user, by subject.
    pub(crate) fn message(&self, user: usize, subject: &str) -> Value {
        let world = self.sandbox().world();
        let messages = world["users"][user]["messages"].as_array().expect("a list");
        let found = messages
            .iter()
            .find(|message| message["subject"] == subject);
        found.expect(subject).clone()
    }

    pub(crate) fn message_id(&self, user: usize, subject: &str) -> String {
        self.message(user, subject)["id"]
            .as_str()
            .expect("an id")
            .to_owned()
    }
}

impl Reply {
    /// Refused in the shape of Google's products with `errors[]`.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, reason: &str, says: &str) {
        assert_eq!(self.status, status, "{}", self.text);
        let error = &self.json()["error"];
        assert_eq!(error["errors"][0]["reason"], reason, "{}", self.text);
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.contains(says), "{message}");
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {}", self.text))
    }

    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        self.json()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().expect("text"))
    }

    pub(crate) fn location(&self) -> Url {
        self.header("location").parse().expect("an address")
    }

    /// The `action` of the page's form.
    pub(crate) fn form_action(&self) -> String {
        let rest = self.text.split_once("action=\"").expect("a form").1;
        rest.split('"').next().expect("an address").to_owned()
    }
}

pub(crate) fn form(pairs: &[(&str, &str)]) -> String {
    Serializer::new(String::new()).extend_pairs(pairs).finish()
}

#[track_caller]
pub(crate) fn value(pairs: &[(String, String)], name: &str) -> String {
    let found = pairs.iter().find(|(key, _)| key == name);
    found
        .unwrap_or_else(|| panic!("no {name} in {pairs:?}"))
        .1
        .clone()
}

pub(crate) fn decode(data: &Value) -> Vec<u8> {
    URL_SAFE
        .decode(data.as_str().expect("text"))
        .expect("base64url")
}

/// Reads the cases of a table, one in each line. `=>` separates the cells, such as the input and the expected result.
/// `stead-testkit` has the same function, but the sandbox depends on no other crate of the project.
pub(crate) fn cases<const N: usize>(
    table: &'static str,
) -> impl Iterator<Item = [&'static str; N]> {
    let lines = table.lines().map(str::trim);
    lines.filter(|line| !line.is_empty()).map(|line| {
        let cells: Vec<&str> = line.split("=>").map(str::trim).collect();
        cells.try_into().expect(line)
    })
}
