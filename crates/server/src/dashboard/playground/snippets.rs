//! Code for the same call: a command, Rust, and JSON for an agent. None contains a secret.

use minijinja::{Value as Shown, context};
use serde_json::{Value, json};
use stead_core::{
    resource::ProxyRequest,
    results::{ResultOptions, View},
};

/// A call of a tool.
pub(super) fn of_tool(
    url: &str,
    (connection, identifier): (&str, &str),
    (tool, input, options): (&str, &Value, &ResultOptions),
) -> Shown {
    let mut body =
        json!({ "connection_name": connection, "identifier": identifier, "input": input });
    let wanted = serde_json::to_value(options).unwrap_or_default();
    if let (Value::Object(body), Value::Object(wanted)) = (&mut body, wanted) {
        body.extend(wanted);
    }
    let agent = json!({ "name": tool, "arguments": input });
    let rust = format!(
        "{}\nlet execution = stead\n    .account({}, {})?\n    .execute({}, json!({})){}\n    .await?;\nprintln!(\"{{}}\", execution.data);\n",
        client(url),
        literal(&json!(connection)),
        literal(&json!(identifier)),
        literal(&json!(tool)),
        literal(input).replace('\n', "\n    "),
        asking(options),
    );
    context! {
        curl => curl(url, &format!("/v1/tools/{tool}/execute"), &body),
        rust => rust,
        agent => pretty(&agent),
    }
}

/// The requested view of the result, in Rust.
fn asking(options: &ResultOptions) -> String {
    let mut rust = String::new();
    if options.view == View::Readable {
        rust += "\n    .view(stead_core::results::View::Readable)";
    }
    if !options.fields.is_empty() {
        let fields: Vec<String> = options
            .fields
            .iter()
            .map(|one| literal(&json!(one)))
            .collect();
        rust += &format!("\n    .fields([{}])", fields.join(", "));
    }
    if let Some(most) = options.max_bytes {
        rust += &format!("\n    .max_bytes({most})");
    }
    rust
}

/// A raw request.
pub(super) fn of_request(url: &str, request: &ProxyRequest) -> Shown {
    let body = serde_json::to_value(request).unwrap_or_default();
    let text = |text: &str| literal(&json!(text));
    let mut rust = format!(
        "{}\nlet response = stead\n    .account({}, {})?\n    .request(Method::{}, {})",
        client(url).replace(
            "use serde_json::json;",
            "use http::Method;\nuse serde_json::json;"
        ),
        text(&request.connection_name),
        text(&request.identifier),
        request.method,
        text(&request.path),
    );
    for (name, value) in &request.headers {
        rust += &format!("\n    .header({}, {})", text(name), text(value));
    }
    if let Some(body) = &request.body {
        rust += &format!(
            "\n    .json(&json!({}))",
            literal(body).replace('\n', "\n    ")
        );
    }
    rust += "\n    .await?;\n";
    context! { curl => curl(url, "/v1/proxy", &body), rust => rust }
}

fn client(url: &str) -> String {
    format!(
        "use serde_json::json;\nuse stead::Client;\n\n// The application's credential, from its environment.\nlet stead = Client::new({}, client_id, client_secret)?;",
        literal(&json!(url)),
    )
}

/// A command for a shell that has the access token in `TOKEN`.
fn curl(url: &str, path: &str, body: &Value) -> String {
    // In single quotes, a shell only interprets the quote.
    let quoted = |text: &str| text.replace('\'', r"'\''");
    format!(
        "curl '{}' \\\n  -H \"Authorization: Bearer $TOKEN\" \\\n  -H 'Content-Type: application/json' \\\n  -d '{}'",
        quoted(&format!("{url}{path}")),
        quoted(&pretty(body)),
    )
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// JSON for `serde_json::json!`. Only the escapes in texts differ.
fn literal(value: &Value) -> String {
    let json = pretty(value);
    let mut text = String::with_capacity(json.len());
    let mut rest = json.chars();
    while let Some(one) = rest.next() {
        if one != '\\' {
            text.push(one);
            continue;
        }
        match rest.next() {
            Some('u') => {
                let code: String = rest.by_ref().take(4).collect();
                text += &format!("\\u{{{code}}}");
            }
            Some('b') => text += r"\u{8}",
            Some('f') => text += r"\u{c}",
            Some(other) => text.extend(['\\', other]),
            None => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_as_each_place_reads_them() {
        let mut options = ResultOptions::default();
        options.view = View::Readable;
        options.fields = vec![String::from("messages.id")];
        options.max_bytes = Some(4096);
        let input = json!({ "query": "it's \"new\"\n\u{1}\u{8}\\u0041" });
        let shown = of_tool(
            "https://x.example",
            ("mail", "o'b"),
            ("mail_fetch_mails", &input, &options),
        );
        let of = |name: &str| shown.get_attr(name).unwrap().to_string();
        assert!(
            of("curl").contains(r#""identifier": "o'\''b""#),
            "{}",
            of("curl")
        );
        assert!(of("curl").contains(r"it'\''s"), "{}", of("curl"));
        assert!(
            of("rust").contains(r#""it's \"new\"\n\u{0001}\u{8}\\u0041""#),
            "{}",
            of("rust")
        );
        assert!(of("curl").contains("\"view\": \"readable\""));
        assert!(of("curl").contains("\"max_bytes\": 4096"));
        assert!(of("rust").contains(".fields([\"messages.id\"])\n    .max_bytes(4096)\n"));
        let agent: Value = serde_json::from_str(&of("agent")).unwrap();
        assert_eq!(
            agent,
            json!({ "name": "mail_fetch_mails", "arguments": input })
        );
        for text in ["curl", "rust", "agent"] {
            assert!(!of(text).contains("stead_secret_"));
        }
    }

    #[test]
    fn a_raw_request_has_its_headers_and_body() {
        let mut request = ProxyRequest::new("mail", "u", "POST", "/v1/x?y=1");
        request
            .headers
            .insert(String::from("x-a"), String::from("1"));
        request.body = Some(json!({ "a": [1] }));
        let shown = of_request("https://x.example", &request);
        let of = |name: &str| shown.get_attr(name).unwrap().to_string();
        assert!(of("rust").contains(".request(Method::POST, \"/v1/x?y=1\")"));
        assert!(of("rust").contains(".header(\"x-a\", \"1\")"));
        assert!(of("rust").contains(".json(&json!({"));
        assert!(of("curl").contains("/v1/proxy'"));
    }
}
