//! Reads the platforms' formats, as their documentation shows them.

use secrecy::ExposeSecret as _;
use serde_json::json;

use super::*;

fn nango() -> Value {
    json!({
        "id": 18393, "created_at": "2023-03-08T09:43:03.725Z", "provider_config_key": "google-mail",
        "connection_id": "c0ffee", "tags": { "end_user_id": "user-1" }, "end_user": { "id": "older" },
        "credentials": {
            "type": "OAUTH2", "access_token": "access-CANARY", "refresh_token": "refresh-CANARY",
            "expires_at": "2024-03-08T09:43:03.725Z",
            "raw": {
                "access_token": "access-CANARY", "refresh_token": "refresh-CANARY", "token_type": "bearer",
                "scope": "openid gmail.modify", "workspace_name": "Engine",
            },
        },
        "connection_config": {}, "metadata": { "filter": "closed=true" },
    })
}

fn composio() -> Value {
    json!({
        "id": "ca_1", "user_id": "user-1", "status": "ACTIVE", "is_disabled": true,
        "toolkit": { "slug": "gmail" }, "auth_config": { "id": "ac_1", "is_composio_managed": false },
        "state": { "authScheme": "OAUTH2", "val": {
            "status": "ACTIVE", "access_token": "access-CANARY", "refresh_token": "refresh-CANARY",
            "token_type": "Bearer", "expires_in": 3599, "scope": "gmail.modify,gmail.labels",
        } },
    })
}

fn scalekit() -> Value {
    json!({ "connected_account": {
        "id": "ca_1", "identifier": "user-1", "provider": "google", "connector": "gmail", "status": "ACTIVE",
        "authorization_type": "OAUTH", "token_expires_at": "2024-12-31T23:59:59Z",
        "authorization_details": { "oauth_token": {
            "access_token": "access-CANARY", "refresh_token": "refresh-CANARY", "scopes": ["gmail.modify"],
        } },
    } })
}

/// The places of the faults. No message contains a token.
#[track_caller]
fn wrong(source: Source, line: Value) -> Vec<String> {
    let error = source.read(line).unwrap_err();
    assert!(!format!("{error:?} {error}").contains("CANARY"), "{error}");
    let places = error.violation_list().iter().map(|one| one.path.clone());
    places.collect()
}

fn without(mut line: Value, parent: &str, member: &str) -> Value {
    let parent = line.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    parent.remove(member).unwrap();
    line
}

#[test]
fn every_form_gives_the_account_and_its_tokens() {
    let ends = |text: &str| -> Option<jiff::Timestamp> { Some(text.parse().unwrap()) };
    for (source, line, connection, scopes, expires_at) in [
        (
            Source::Nango,
            nango(),
            "google-mail",
            vec!["openid", "gmail.modify"],
            ends("2024-03-08T09:43:03.725Z"),
        ),
        (
            Source::Composio,
            composio(),
            "ac_1",
            vec!["gmail.modify", "gmail.labels"],
            None,
        ),
        (
            Source::Scalekit,
            scalekit(),
            "gmail",
            vec!["gmail.modify"],
            ends("2024-12-31T23:59:59Z"),
        ),
    ] {
        let account = source.read(line).unwrap();
        assert_eq!(account.connection_name, connection);
        assert_eq!(account.identifier, "user-1");
        assert_eq!(account.access_token.expose_secret(), "access-CANARY");
        let refresh = account.refresh_token.as_ref().unwrap();
        assert_eq!(refresh.expose_secret(), "refresh-CANARY");
        assert_eq!(account.scopes.unwrap(), scopes, "{source:?}");
        assert_eq!(account.expires_at, expires_at, "{source:?}");
        let suspended = (source == Source::Composio).then_some("suspended");
        assert_eq!(account.state.as_deref(), suspended);
        let members = account.token_response.unwrap_or_default();
        assert!(!json!(members).to_string().contains("CANARY"));
    }
}

#[test]
fn nango_users_come_from_the_tag_the_end_user_or_the_connection() {
    let line = without(nango(), "", "tags");
    assert_eq!(
        Source::Nango.read(line.clone()).unwrap().identifier,
        "older"
    );
    let line = without(line, "", "end_user");
    assert_eq!(Source::Nango.read(line).unwrap().identifier, "c0ffee");
}

#[test]
fn missing_and_wrong_members_are_named_by_pointer() {
    let line = without(nango(), "/credentials", "access_token");
    let line = without(line, "", "provider_config_key");
    let places = ["/provider_config_key", "/credentials/access_token"];
    assert_eq!(wrong(Source::Nango, line), places);
    let mut line = nango();
    line["credentials"]["type"] = "API_KEY".into();
    line["credentials"]["expires_at"] = "soon".into();
    let places = ["/credentials/type", "/credentials/expires_at"];
    assert_eq!(wrong(Source::Nango, line), places);

    let mut line = composio();
    line["state"]["val"]["refresh_token"] = "REDACTED".into();
    line["state"]["val"]["access_token"] = "ya29...".into();
    let places = ["/state/val/access_token", "/state/val/refresh_token"];
    assert_eq!(wrong(Source::Composio, line), places);
    let line = without(composio(), "", "user_id");
    assert_eq!(wrong(Source::Composio, line), ["/user_id"]);

    let mut line = scalekit();
    line["connected_account"]["status"] = "EXPIRED".into();
    let places = ["/connected_account/status"];
    assert_eq!(wrong(Source::Scalekit, line), places);
    for source in [Source::Nango, Source::Composio, Source::Scalekit] {
        assert!(!wrong(source, json!("CANARY")).is_empty());
    }
}

#[test]
fn an_error_in_a_stead_line_does_not_quote_the_line() {
    for line in [
        json!({ "connection_name": "mail", "identifier": "1", "access_token": ["CANARY"] }),
        json!({ "connection_name": "mail", "identifier": "1", "access_token": "a", "scopes": { "a": "CANARY" } }),
        json!({ "connection_name": "mail", "identifier": "1", "access_token": "a", "expires_at": "CANARY" }),
        json!({ "connection_name": "mail", "identifier": "1", "access_token": "a", "state": ["CANARY"] }),
        json!({ "connection_name": "mail", "identifier": "1", "access_token": "a", "token": "CANARY" }),
        json!(["CANARY"]),
    ] {
        assert!(!wrong(Source::Stead, line.clone()).is_empty(), "{line}");
    }
}
