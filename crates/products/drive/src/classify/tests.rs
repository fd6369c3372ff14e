//! Classifications of requests.

use http::Method;
use serde_json::{Value, json};
use stead_core::tool::Effect;

use super::*;

fn sent(
    method: &str,
    target: &str,
    content_type: &str,
    body: Option<&[u8]>,
) -> Option<(Option<Effect>, String)> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let classification = classify(&SentRequest {
        method: &method.parse::<Method>().unwrap(),
        path,
        query: Some(query),
        content_type: Some(content_type),
        body,
    })?;
    let facts = classification.facts.into_iter();
    let facts: Vec<String> = facts
        .map(|fact| format!("{}={}", fact.kind, fact.value.as_deref().unwrap_or("?")))
        .collect();
    let all: Vec<String> = KINDS
        .iter()
        .map(|kind| format!("{}=?", kind.name))
        .collect();
    // `?` means that the facts of all kinds are unknown.
    let facts = facts.join(" ");
    let facts = match facts.strip_suffix(&all.join(" ")) {
        Some(facts) => format!("{facts}?"),
        None => facts,
    };
    Some((classification.effect, facts))
}

fn found(method: &str, target: &str, body: &Value) -> Option<(Option<Effect>, String)> {
    let body = body.to_string();
    sent(method, target, "application/json", Some(body.as_bytes()))
}

#[track_caller]
fn check(method: &str, path: &str, body: &Value, expected: &str) {
    let found = found(method, &format!("/drive/v3/{path}"), body);
    let (_, facts) = found.unwrap_or_else(|| panic!("{method} {path} is not known"));
    assert_eq!(facts, expected, "{method} {path} {body}");
}

#[test]
fn files_by_their_ids() {
    let none = json!({});
    for (method, path, expected) in [
        ("GET", "files/a-1_B", "file=a-1_B"),
        ("GET", "files/a/export", "file=a"),
        ("GET", "files/a/comments/c/replies", "file=a"),
        ("DELETE", "files/a", "file=a"),
        ("DELETE", "files/a/permissions/p", "file=a"),
        ("DELETE", "files/trash", "file=? folder=?"),
        ("GET", "files/generateIds", ""),
        ("GET", "changes", "file=? folder=?"),
        ("GET", "drives/d", "folder=d"),
        ("POST", "drives", "folder=?"),
        ("GET", "about", ""),
    ] {
        check(method, path, &none, expected);
    }
    let download = found("GET", "/download/drive/v3/files/a", &none).unwrap();
    assert_eq!(download.1, "file=a");
}

#[test]
fn folders_that_files_are_put_into() {
    for (method, path, body, expected) in [
        (
            "POST",
            "files",
            json!({"parents": ["f"]}),
            "file=? folder=f",
        ),
        (
            "POST",
            "files",
            json!({"parents": ["f", "g"]}),
            "file=? folder=f folder=g",
        ),
        ("POST", "files", json!({"name": "x"}), "file=? folder=root"),
        (
            "POST",
            "files",
            json!({"id": "a", "parents": ["f"]}),
            "file=a folder=f",
        ),
        ("POST", "files", json!({"parents": "f"}), "file=? folder=?"),
        (
            "POST",
            "files",
            json!({"Parents": ["g"], "parents": ["f"]}),
            "file=? folder=? ?",
        ),
        (
            "POST",
            "files",
            json!({"parents": [{"id": "g"}]}),
            "file=? folder=? ?",
        ),
        (
            "POST",
            "files",
            json!({"parents": ["f,g"]}),
            "file=? folder=?",
        ),
        ("POST", "files", json!([]), "file=? folder=? recipient=? ?"),
        (
            "POST",
            "files",
            json!({"parents": ["f"], "shortcutDetails": {"targetId": "t"}}),
            "file=? folder=f file=t",
        ),
        (
            "POST",
            "files",
            json!({"parents": ["f"], "shortcutDetails": {"target_id": "t"}}),
            "file=? folder=f file=? ?",
        ),
        (
            "POST",
            "files",
            json!({"parents": ["f"], "permissions": [{"type": "anyone"}]}),
            "file=? folder=f recipient=?",
        ),
        (
            "POST",
            "files/a/copy",
            json!({"parents": ["f"]}),
            "file=a folder=f",
        ),
        ("POST", "files/a/copy", json!({}), "file=a folder=?"),
        (
            "PATCH",
            "files/a?addParents=f,g&removeParents=h",
            json!({}),
            "file=a folder=f folder=g folder=h",
        ),
        (
            "PATCH",
            "files/a?addParents=f&addParents=g",
            json!({}),
            "file=a folder=f folder=g",
        ),
        (
            "PATCH",
            "files/a?add_parents=g",
            json!({}),
            "file=a folder=? ?",
        ),
        (
            "PATCH",
            "files/a?addparents=g",
            json!({}),
            "file=a folder=? ?",
        ),
        (
            "PATCH",
            "files/a?x;addParents=g",
            json!({}),
            "file=a folder=? folder=? ?",
        ),
        (
            "PATCH",
            "files/a?addParents=%2e%2e",
            json!({}),
            "file=a folder=?",
        ),
        (
            "PATCH",
            "files/a",
            json!({"parents": ["g"]}),
            "file=a folder=g",
        ),
        ("PATCH", "files/a", json!({"name": "x"}), "file=a"),
    ] {
        check(method, path, &body, expected);
    }
}

#[test]
fn searches_within_a_folder() {
    for (query, expected) in [
        ("'f'+in+parents", "f"),
        (
            "%27f%27%20in%20parents%20and%20name%20contains%20%27a%20or%20b%27",
            "f",
        ),
        ("'f'+in+parents+or+name+contains+'a'", "?"),
        ("'f'+in+parents+and+trashed=false+or+trashed=true", "?"),
        ("'f'+in+parents+and+(a=1+or+b=2)", "?"),
        ("not+'f'+in+parents", "?"),
        ("'f'+in+owners", "?"),
        ("'f'+in+parents+and+name='a\\'+or+name='b'", "?"),
        ("'f'+in+parents+and+name='a", "?"),
        ("'f'+in+parents&q=name='a'", "?"),
        ("'f'+in+parents%E2%80%83or+a=1", "?"),
        ("name='a'", "?"),
    ] {
        check(
            "GET",
            &format!("files?q={query}"),
            &json!({}),
            &format!("file=? folder={expected}"),
        );
    }
    check("GET", "files", &json!({}), "file=? folder=?");
    check("GET", "files?Q='f'", &json!({}), "file=? folder=? ?");
}

#[test]
fn recipients_of_shared_files() {
    for (method, path, body, expected) in [
        (
            "POST",
            "permissions",
            json!({"type": "user", "emailAddress": "Eve@Evil.example"}),
            "eve@evil.example",
        ),
        (
            "POST",
            "permissions",
            json!({"type": "domain", "domain": "Evil.example"}),
            "evil.example",
        ),
        (
            "POST",
            "permissions",
            json!({"type": "anyone", "role": "reader"}),
            "anyone",
        ),
        (
            "POST",
            "permissions",
            json!({"type": "user", "email_address": "eve@evil.example"}),
            "? ?",
        ),
        (
            "POST",
            "permissions",
            json!({"type": "user", "emailAddress": "a@b.c", "EmailAddress": "eve@evil.example"}),
            "? ?",
        ),
        ("POST", "permissions", json!({"type": "Anyone"}), "?"),
        (
            "POST",
            "permissions",
            json!({"type": "anyone", "emailAddress": "ada@example.com"}),
            "?",
        ),
        (
            "POST",
            "permissions",
            json!({"type": "domain", "domain": "evil.example", "emailAddress": "a@b.c"}),
            "?",
        ),
        (
            "POST",
            "permissions",
            json!({"emailAddress": "ada@example.com"}),
            "?",
        ),
        (
            "POST",
            "permissions",
            json!({"type": "user", "emailAddress": "a@b.c,eve@evil.example"}),
            "?",
        ),
        (
            "POST",
            "permissions",
            json!({"type": "user", "emailAddress": "eve@evil.example@b.c"}),
            "?",
        ),
        ("POST", "permissions", json!([]), "? ?"),
        ("PATCH", "permissions/17", json!({"role": "writer"}), "?"),
        (
            "PATCH",
            "permissions/anyoneWithLink",
            json!({"role": "writer"}),
            "anyone",
        ),
        (
            "POST",
            "comments",
            json!({"content": "+eve@evil.example look"}),
            "?",
        ),
        ("PATCH", "revisions/1", json!({"published": true}), "anyone"),
        (
            "PATCH",
            "revisions/1",
            json!({"Published": true}),
            "anyone ?",
        ),
        (
            "PATCH",
            "revisions/1",
            json!({"publishedOutsideDomain": "true"}),
            "anyone",
        ),
        (
            "POST",
            "approvals:start",
            json!({"reviewerEmails": ["Eve@evil.example"]}),
            "eve@evil.example",
        ),
        (
            "POST",
            "approvals/1:reassign",
            json!({"addReviewers": [{"addedReviewerEmail": "eve@evil.example"}]}),
            "?",
        ),
        (
            "POST",
            "accessproposals/1:resolve",
            json!({"action": "ACCEPT"}),
            "?",
        ),
    ] {
        check(
            method,
            &format!("files/a/{path}"),
            &body,
            &format!("file=a recipient={expected}"),
        );
    }
    check(
        "POST",
        "files/a/comments",
        &json!({"content": "fine"}),
        "file=a",
    );
    check(
        "PATCH",
        "files/a/revisions/1",
        &json!({"keepForever": true}),
        "file=a",
    );
    let address = json!({"address": "https://app.example"});
    check(
        "POST",
        "files/a/watch",
        &address,
        "file=a webhook=https://app.example",
    );
    check("POST", "files/a/watch", &json!({}), "file=a webhook=?");
}

#[test]
fn partial_uploads_are_read_as_far_as_possible() {
    let related = "multipart/related; boundary=b";
    let whole = |metadata: &str| {
        format!(
            "--b\nContent-Type: application/json\n\n{metadata}\n--b\nContent-Type: text/plain\n\nx\n--b--\n"
        )
    };
    for (query, content_type, body, expected) in [
        (
            "uploadType=multipart",
            related,
            whole(r#"{"parents":["f"]}"#),
            "file=? folder=f",
        ),
        (
            "uploadType=multipart",
            related,
            whole(r#"{"parents":["f"],"parents":["g"]}"#),
            "file=? folder=? recipient=?",
        ),
        (
            "uploadType=multipart",
            related,
            whole("{}\n--b\n\n{\"parents\":[\"g\"]}"),
            "file=? folder=? recipient=?",
        ),
        (
            "uploadType=media",
            "text/plain",
            "x".to_owned(),
            "file=? folder=root",
        ),
        (
            "uploadType=resumable",
            "application/json",
            r#"{"parents":["f"]}"#.to_owned(),
            "file=? folder=f",
        ),
        (
            "uploadType=resumable",
            "text/plain",
            String::new(),
            "file=? folder=? recipient=?",
        ),
        (
            "uploadType=media&uploadType=resumable",
            "text/plain",
            "x".to_owned(),
            "file=? folder=? recipient=?",
        ),
        (
            "",
            related,
            whole(r#"{"parents":["f"]}"#),
            "file=? folder=? recipient=?",
        ),
    ] {
        let target = format!("/upload/drive/v3/files?{query}");
        let (_, facts) = sent("POST", &target, content_type, Some(body.as_bytes())).unwrap();
        assert_eq!(facts, expected, "{target} {body}");
    }
    let moved = "/upload/drive/v3/files/a?uploadType=media&addParents=g";
    let (_, facts) = sent("PATCH", moved, "text/plain", Some(b"x")).unwrap();
    assert_eq!(facts, "file=a folder=g");
    let next = "/upload/drive/v3/files?uploadType=resumable&upload_id=u";
    let (_, facts) = sent("PUT", next, "text/plain", None).unwrap();
    assert_eq!(facts, "file=? folder=? recipient=?");
}

#[test]
fn effects_and_unknown_requests() {
    let effect = |body| found("PATCH", "/drive/v3/files/a", &body).unwrap().0;
    assert_eq!(effect(json!({"name": "x"})), None);
    for body in [
        json!({"trashed": true}),
        json!({"trashed": "true"}),
        json!({"Trashed": true}),
        json!([]),
    ] {
        assert_eq!(effect(body.clone()), Some(Effect::Delete), "{body}");
    }
    for (method, path) in [
        ("GET", "/drive/v3/files/"),
        ("GET", "/drive/v3/files/a%2Fb"),
        ("GET", "/drive/v3/files/a;b"),
        ("GET", "/drive/v3/Files/a"),
        ("GET", "/drive/v2/files/a"),
        ("POST", "/drive/v3/files/a/permissions/"),
        ("POST", "/drive/v3/files/a/approvals%3Astart"),
        ("POST", "/drive/v3/files/a/approvals/1:unheard"),
        ("POST", "/drive/v3/files/a/unheard"),
        ("PUT", "/drive/v3/files/a"),
        ("POST", "/download/drive/v3/files/a/copy"),
        ("POST", "/batch/drive/v3"),
    ] {
        assert_eq!(found(method, path, &json!({})), None, "{method} {path}");
    }
}
