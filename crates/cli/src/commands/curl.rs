//! The requests of a dry run as curl commands for a service's proxy.

use stead::Error;
use stead_core::{
    resource::{Plan, PlannedRequest},
    tool::ApiRequest,
};

/// Whether to omit a header: the proxy sets it, or curl would print compressed bytes because of it.
fn is_own(name: &str) -> bool {
    ["accept-encoding", "user-agent"].contains(&name) || name.contains("token")
}

/// The commands in their order. `$STEAD_URL` is the service, `$TOKEN` an account token of the user or an access token.
///
/// # Errors
/// If a name isn't allowed in a path.
pub(super) fn commands(plan: &Plan, connection: &str, identifier: &str) -> Result<String, Error> {
    let proxy = ApiRequest::get([connection, identifier]).target("/proxy")?;
    let mut commands: Vec<String> = plan
        .requests
        .iter()
        .map(|request| command(request, &proxy))
        .collect();
    if let Some(then) = &plan.then {
        commands.push(format!("# then it {then}"));
    }
    Ok(commands.join("\n"))
}

fn command(request: &PlannedRequest, proxy: &str) -> String {
    let mut command = format!(
        "curl -X {} \"$STEAD_URL\"{} -H \"Authorization: Bearer $TOKEN\"",
        request.method,
        quoted(&format!("{proxy}{}", request.path))
    );
    for (name, value) in &request.headers {
        if !is_own(name) {
            command.push_str(&format!(" -H {}", quoted(&format!("{name}: {value}"))));
        }
    }
    if let Some(body) = &request.body {
        command.push_str(&format!(" --data-raw {}", quoted(body.get())));
    }
    command
}

/// A text as one word for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_becomes_a_quoted_curl_command() {
        let plan = r#"{"dry_run": true, "then": "waits", "requests": [{
            "method": "PATCH", "url": "https://api.notes.example/v1/it's?a=%20", "path": "/v1/it's?a=%20", "effect": "write",
            "sent": false, "headers": {"accept-encoding": "gzip", "if-match": "\"7\""}, "body": {"b":"$(c)",  "a":"'"}}]}"#;
        let plan: Plan = serde_json::from_str(plan).unwrap();
        assert_eq!(
            commands(&plan, "notes", "ada/1").unwrap(),
            [
                r#"curl -X PATCH "$STEAD_URL"'/proxy/notes/ada%2F1/v1/it'\''s?a=%20'"#,
                r#" -H "Authorization: Bearer $TOKEN" -H 'if-match: "7"'"#,
                r#" --data-raw '{"b":"$(c)",  "a":"'\''"}'"#,
                "\n# then it waits"
            ]
            .concat()
        );
    }
}
