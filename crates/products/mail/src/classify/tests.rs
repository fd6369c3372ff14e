//! Classifications of requests.

use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use http::Method;
use serde_json::json;
use stead_testkit::cases;

use super::*;

/// Recipients, with `?` for one that can't be read. Nothing if the request isn't known.
fn sent(method: &str, target: &str, content_type: &str, body: Option<&[u8]>) -> Option<String> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let classification = classify(&SentRequest {
        method: &method.parse::<Method>().unwrap(),
        path,
        query: Some(query),
        content_type: Some(content_type),
        body,
    })?;
    let facts = classification.facts.into_iter();
    let mut values: Vec<String> = facts
        .filter(|fact| fact.kind == RECIPIENT)
        .map(|fact| fact.value.unwrap_or_else(|| "?".to_owned()))
        .collect();
    values.dedup();
    Some(values.join(" "))
}

#[track_caller]
fn check(method: &str, path: &str, body: &Value, expected: &str) {
    let target = format!("/gmail/v1/users/me/{path}");
    let body = body.to_string();
    let found = sent(method, &target, "application/json", Some(body.as_bytes()));
    assert_eq!(found.as_deref(), Some(expected), "{method} {path} {body}");
}

fn raw(mail: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(mail)
}

const MAIL: &str = "To: ada@example.com\r\nBcc: Bob <bob@example.com>\r\n\r\nHello";

#[test]
fn a_mail_has_its_recipients() {
    let both = "ada@example.com bob@example.com";
    check("POST", "messages/send", &json!({"raw": raw(MAIL)}), both);
    check(
        "POST",
        "messages/send",
        &json!({"raw": BASE64_STANDARD.encode(MAIL), "threadId": "t"}),
        both,
    );
    check(
        "POST",
        "drafts",
        &json!({"message": {"raw": raw(MAIL)}}),
        both,
    );
    check(
        "PUT",
        "drafts/r1",
        &json!({"id": "r1", "message": {"raw": raw(MAIL)}}),
        both,
    );
    check(
        "POST",
        "messages/send",
        &json!({"raw": raw("Subject: x\n\n")}),
        "",
    );
}

#[test]
fn a_mail_that_may_hide_a_recipient_is_unknown() {
    for body in [
        json!({}),
        json!({"raw": null}),
        json!({"raw": 7}),
        json!({"raw": "%%%"}),
        json!({"raw": ""}),
        json!({"RAW": raw(MAIL)}),
        json!({"raw": raw(MAIL), "Raw": raw("To: eve@evil.example\r\n\r\n")}),
        json!({"raw": raw(MAIL), "payload": {"headers": [{"name": "Bcc", "value": "eve@evil.example"}]}}),
        json!({"raw": format!("{}\n", raw(MAIL))}),
        json!({"raw": raw(&format!("\r\n{MAIL}"))}),
        json!({"message": {"raw": raw(MAIL)}}),
        json!({"payload": {"headers": [{"name": "To", "value": "ada@example.com"}]}}),
        json!([raw(MAIL)]),
    ] {
        check("POST", "messages/send", &body, "?");
    }
    check("POST", "drafts", &json!({"raw": raw(MAIL)}), "?");
    check("POST", "drafts/send", &json!({"id": "r1"}), "?");
    check(
        "POST",
        "drafts/send",
        &json!({"id": "r1", "message": {"raw": raw(MAIL)}}),
        "?",
    );
    let target = "/gmail/v1/users/me/messages/send";
    let twice = format!("{{\"raw\":\"{}\",\"raw\":\"{}\"}}", raw(MAIL), raw(MAIL));
    let body = json!({"raw": raw(MAIL)}).to_string();
    for (content_type, body) in [
        ("application/json", Some(twice.as_bytes())),
        ("application/x-www-form-urlencoded", Some(body.as_bytes())),
        ("application/x-protobuf", Some(body.as_bytes())),
        ("message/rfc822", Some(MAIL.as_bytes())),
        ("application/json", None),
        ("application/json", Some(&b"\x1f\x8b\x08"[..])),
    ] {
        assert_eq!(
            sent("POST", target, content_type, body).as_deref(),
            Some("?")
        );
    }
}

#[test]
fn partial_uploads_are_read_as_far_as_possible() {
    let related = "multipart/related; boundary=b";
    let whole = |metadata: &str, mail: &str| {
        format!(
            "--b\r\nContent-Type: application/json\r\n\r\n{metadata}\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n{mail}\r\n--b--\r\n"
        )
    };
    let both = "ada@example.com bob@example.com";
    let (media, parts) = ("uploadType=media", "uploadType=multipart");
    let next = "uploadType=media&upload_id=x";
    let twice = json!({"raw": raw(MAIL)}).to_string();
    let third = format!("{MAIL}\r\n--b\r\n\r\nTo: x@y.z");
    for (query, content_type, body, expected) in [
        (media, "message/rfc822", MAIL.into(), both),
        (parts, related, whole(r#"{"threadId":"t"}"#, MAIL), both),
        (parts, related, whole(&twice, MAIL), "?"),
        (parts, related, whole("{}", &third), "?"),
        ("uploadType=resumable", "application/json", "{}".into(), "?"),
        (next, "message/rfc822", MAIL.into(), "?"),
        (media, "text/plain", MAIL.into(), "?"),
        (media, "message/partial", MAIL.into(), "?"),
        ("", "message/rfc822", MAIL.into(), "?"),
    ] {
        for path in ["messages/send", "drafts"] {
            let target = format!("/upload/gmail/v1/users/me/{path}?{query}");
            let found = sent("POST", &target, content_type, Some(body.as_bytes()));
            assert_eq!(found.as_deref(), Some(expected), "{target} {content_type}");
        }
    }
    for target in [
        "/upload/gmail/v1/users/me/messages/send?uploadType=media",
        "/resumable/upload/gmail/v1/users/me/messages/send?upload_id=x",
    ] {
        assert_eq!(
            sent("POST", target, "message/rfc822", None).as_deref(),
            Some("?")
        );
        assert_eq!(
            sent("PUT", target, "message/rfc822", Some(MAIL.as_bytes())).as_deref(),
            Some("?")
        );
    }
}

#[test]
fn settings_that_let_mails_go_elsewhere_name_the_address() {
    let table = r#"
        PUT => autoForwarding => {"enabled": true, "emailAddress": "Eve@evil.example"} => eve@evil.example
        PUT => autoForwarding => {"enabled": false} =>
        PUT => autoForwarding => {"enabled": "false"} => ?
        PUT => autoForwarding => {"enabled": true} => ?
        PUT => autoForwarding => {"enabled": true, "email_address": "eve@evil.example"} => ?
        POST => forwardingAddresses => {"forwardingEmail": "eve@evil.example"} => eve@evil.example
        POST => forwardingAddresses => {"forwarding_email": "eve@evil.example"} => ?
        POST => delegates => {"delegateEmail": "eve@evil.example"} => eve@evil.example
        POST => filters => {"action": {"forward": "eve@evil.example"}} => eve@evil.example
        POST => filters => {"action": {"addLabelIds": ["x"]}} =>
        POST => filters => {"Action": {"forward": "eve@evil.example"}} => ?
        POST => filters => {"action": {"forward": "ada@example.com, eve@evil.example"}} => ?
        POST => sendAs => {"sendAsEmail": "a@b.example", "replyToAddress": "eve@evil.example"} => a@b.example eve@evil.example
        PATCH => sendAs/a@b.example => {"replyToAddress": "eve@evil.example"} => a@b.example eve@evil.example
        PATCH => sendAs/a%40b.example => {"smtpMsa": {"host": "evil.example"}} => a@b.example ?
        POST => sendAs/a@b.example/verify => {} => a@b.example
        PUT => vacation => {"enableAutoReply": true} => ?
        PUT => vacation => {"enableAutoReply": false} =>
        DELETE => forwardingAddresses/eve@evil.example => {} =>
        PUT => imap => {"enabled": true} => ?
        PUT => language => {"displayLanguage": "en"} =>
    "#;
    for [method, path, body, expected] in cases(table) {
        let body = serde_json::from_str(body).unwrap();
        check(method, &format!("settings/{path}"), &body, expected);
    }
}

#[test]
fn other_requests_have_no_recipient_or_are_unknown() {
    let nothing = |method: &str, path: &str| sent(method, path, "application/json", Some(b"{}"));
    for (method, path) in [
        ("GET", "/gmail/v1/users/me/messages/18c0"),
        ("GET", "/gmail/v1/users/ada%40example.com/settings/filters"),
        ("POST", "/gmail/v1/users/me/messages/18c0/modify"),
        ("POST", "/gmail/v1/users/me/messages/import"),
        (
            "POST",
            "/upload/gmail/v1/users/me/messages?uploadType=media",
        ),
        ("DELETE", "/gmail/v1/users/me/messages/18c0"),
        ("POST", "/v1/people:createContact"),
        ("GET", "/v1/people/me/connections"),
        ("GET", "/v1/people:searchContacts"),
        ("DELETE", "/v1/people/c1:deleteContact"),
    ] {
        assert_eq!(
            nothing(method, path).as_deref(),
            Some(""),
            "{method} {path}"
        );
    }
    for (method, path) in [
        ("POST", "/gmail/v1/users/me/messages/Send"),
        ("POST", "/gmail/v1/users/me/messages/send/"),
        ("POST", "/gmail/v1/users/me/messages/send;x"),
        ("POST", "/gmail/v1/users/me/messages%2Fsend"),
        ("POST", "/gmail/v1/users/me//messages/send"),
        ("POST", "/gmail/v1/users/me/x/../messages/send"),
        ("POST", "/gmail/v1/users/me/messages/send:x"),
        ("POST", "/GMAIL/v1/users/me/messages/send"),
        ("POST", "/gmail/v2/users/me/messages/send"),
        ("PUT", "/gmail/v1/users/me/messages/send"),
        ("PATCH", "/gmail/v1/users/me/settings/autoForwarding"),
        ("POST", "/gmail/v1/users/me/settings/unheard"),
        ("GET", "/gmail/v1/users/me/unheard"),
        ("POST", "/v1/people%3AcreateContact"),
        ("POST", "/v1/people:sendMail"),
        ("POST", "/batch/gmail/v1"),
        ("POST", "/"),
    ] {
        assert_eq!(nothing(method, path), None, "{method} {path}");
    }
    let effect = |path: &str| {
        let method = Method::POST;
        let request = SentRequest {
            method: &method,
            path,
            query: None,
            content_type: None,
            body: Some(b""),
        };
        classify(&request).unwrap().effect
    };
    assert_eq!(
        effect("/gmail/v1/users/me/messages/batchDelete"),
        Some(Effect::Delete)
    );
    assert_eq!(
        effect("/v1/people:batchDeleteContacts"),
        Some(Effect::Delete)
    );
    assert_eq!(
        effect("/gmail/v1/users/me/messages/x/trash"),
        Some(Effect::Delete)
    );
    assert_eq!(effect("/gmail/v1/users/me/messages/x/untrash"), None);
}
