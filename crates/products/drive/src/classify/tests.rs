//! Classifications of requests.

use http::Method;
use stead_core::tool::Effect;
use stead_testkit::cases;

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

fn found(method: &str, target: &str, body: &str) -> Option<(Option<Effect>, String)> {
    sent(method, target, "application/json", Some(body.as_bytes()))
}

/// Requests of a table, with their facts.
fn check(table: &str) {
    for [method, path, body, expected] in cases(table) {
        let found = found(method, &format!("/drive/v3/{path}"), body);
        let (_, facts) = found.unwrap_or_else(|| panic!("{method} {path} is not known"));
        assert_eq!(facts, expected, "{method} {path} {body}");
    }
}

#[test]
fn files_by_their_ids() {
    check(
        r#"
        GET => files/a-1_B => {} => file=a-1_B
        GET => files/a/export => {} => file=a
        GET => files/a/comments/c/replies => {} => file=a
        DELETE => files/a => {} => file=a
        DELETE => files/a/permissions/p => {} => file=a
        DELETE => files/trash => {} => file=? folder=?
        GET => files/generateIds => {} =>
        GET => changes => {} => file=? folder=?
        GET => drives/d => {} => folder=d
        POST => drives => {} => folder=?
        GET => about => {} =>
    "#,
    );
    let download = found("GET", "/download/drive/v3/files/a", "{}").unwrap();
    assert_eq!(download.1, "file=a");
}

#[test]
fn folders_that_files_are_put_into() {
    check(
        r#"
        POST => files => {"parents": ["f"]} => file=? folder=f
        POST => files => {"parents": ["f", "g"]} => file=? folder=f folder=g
        POST => files => {"name": "x"} => file=? folder=root
        POST => files => {"id": "a", "parents": ["f"]} => file=a folder=f
        POST => files => {"parents": "f"} => file=? folder=?
        POST => files => {"Parents": ["g"], "parents": ["f"]} => file=? folder=? ?
        POST => files => {"parents": [{"id": "g"}]} => file=? folder=? ?
        POST => files => {"parents": ["f,g"]} => file=? folder=?
        POST => files => [] => file=? folder=? recipient=? ?
        POST => files => {"parents": ["f"], "shortcutDetails": {"targetId": "t"}} => file=? folder=f file=t
        POST => files => {"parents": ["f"], "shortcutDetails": {"target_id": "t"}} => file=? folder=f file=? ?
        POST => files => {"parents": ["f"], "permissions": [{"type": "anyone"}]} => file=? folder=f recipient=?
        POST => files/a/copy => {"parents": ["f"]} => file=a folder=f
        POST => files/a/copy => {} => file=a folder=?
        PATCH => files/a?addParents=f,g&removeParents=h => {} => file=a folder=f folder=g folder=h
        PATCH => files/a?addParents=f&addParents=g => {} => file=a folder=f folder=g
        PATCH => files/a?add_parents=g => {} => file=a folder=? ?
        PATCH => files/a?addparents=g => {} => file=a folder=? ?
        PATCH => files/a?x;addParents=g => {} => file=a folder=? folder=? ?
        PATCH => files/a?addParents=%2e%2e => {} => file=a folder=?
        PATCH => files/a => {"parents": ["g"]} => file=a folder=g
        PATCH => files/a => {"name": "x"} => file=a
    "#,
    );
}

#[test]
fn searches_within_a_folder() {
    check(
        r#"
        GET => files?q='f'+in+parents => {} => file=? folder=f
        GET => files?q=%27f%27%20in%20parents%20and%20name%20contains%20%27a%20or%20b%27 => {} => file=? folder=f
        GET => files?q='f'+in+parents+or+name+contains+'a' => {} => file=? folder=?
        GET => files?q='f'+in+parents+and+trashed=false+or+trashed=true => {} => file=? folder=?
        GET => files?q='f'+in+parents+and+(a=1+or+b=2) => {} => file=? folder=?
        GET => files?q=not+'f'+in+parents => {} => file=? folder=?
        GET => files?q='f'+in+owners => {} => file=? folder=?
        GET => files?q='f'+in+parents+and+name='a\'+or+name='b' => {} => file=? folder=?
        GET => files?q='f'+in+parents+and+name='a => {} => file=? folder=?
        GET => files?q='f'+in+parents&q=name='a' => {} => file=? folder=?
        GET => files?q='f'+in+parents%E2%80%83or+a=1 => {} => file=? folder=?
        GET => files?q=name='a' => {} => file=? folder=?
        GET => files => {} => file=? folder=?
        GET => files?Q='f' => {} => file=? folder=? ?
    "#,
    );
}

#[test]
fn recipients_of_shared_files() {
    check(
        r#"
        POST => files/a/permissions => {"type": "user", "emailAddress": "Eve@Evil.example"} => file=a recipient=eve@evil.example
        POST => files/a/permissions => {"type": "domain", "domain": "Evil.example"} => file=a recipient=evil.example
        POST => files/a/permissions => {"type": "anyone", "role": "reader"} => file=a recipient=anyone
        POST => files/a/permissions => {"type": "user", "email_address": "eve@evil.example"} => file=a recipient=? ?
        POST => files/a/permissions => {"type": "user", "emailAddress": "a@b.c", "EmailAddress": "eve@evil.example"} => file=a recipient=? ?
        POST => files/a/permissions => {"type": "Anyone"} => file=a recipient=?
        POST => files/a/permissions => {"type": "anyone", "emailAddress": "ada@example.com"} => file=a recipient=?
        POST => files/a/permissions => {"type": "domain", "domain": "evil.example", "emailAddress": "a@b.c"} => file=a recipient=?
        POST => files/a/permissions => {"emailAddress": "ada@example.com"} => file=a recipient=?
        POST => files/a/permissions => {"type": "user", "emailAddress": "a@b.c,eve@evil.example"} => file=a recipient=?
        POST => files/a/permissions => {"type": "user", "emailAddress": "eve@evil.example@b.c"} => file=a recipient=?
        POST => files/a/permissions => [] => file=a recipient=? ?
        PATCH => files/a/permissions/17 => {"role": "writer"} => file=a recipient=?
        PATCH => files/a/permissions/anyoneWithLink => {"role": "writer"} => file=a recipient=anyone
        POST => files/a/comments => {"content": "+eve@evil.example look"} => file=a recipient=?
        PATCH => files/a/revisions/1 => {"published": true} => file=a recipient=anyone
        PATCH => files/a/revisions/1 => {"Published": true} => file=a recipient=anyone ?
        PATCH => files/a/revisions/1 => {"publishedOutsideDomain": "true"} => file=a recipient=anyone
        POST => files/a/approvals:start => {"reviewerEmails": ["Eve@evil.example"]} => file=a recipient=eve@evil.example
        POST => files/a/approvals/1:reassign => {"addReviewers": [{"addedReviewerEmail": "eve@evil.example"}]} => file=a recipient=?
        POST => files/a/accessproposals/1:resolve => {"action": "ACCEPT"} => file=a recipient=?
        POST => files/a/comments => {"content": "fine"} => file=a
        PATCH => files/a/revisions/1 => {"keepForever": true} => file=a
        POST => files/a/watch => {"address": "https://app.example"} => file=a webhook=https://app.example
        POST => files/a/watch => {} => file=a webhook=?
    "#,
    );
}

#[test]
fn partial_uploads_are_read_as_far_as_possible() {
    let related = "multipart/related; boundary=b";
    let whole = |metadata: &str| {
        format!(
            "--b\nContent-Type: application/json\n\n{metadata}\n--b\nContent-Type: text/plain\n\nx\n--b--\n"
        )
    };
    let (media, parts) = ("uploadType=media", "uploadType=multipart");
    let next = "uploadType=resumable";
    let both = "uploadType=media&uploadType=resumable";
    let (metadata, twice) = (
        r#"{"parents":["f"]}"#,
        r#"{"parents":["f"],"parents":["g"]}"#,
    );
    let third = "{}\n--b\n\n{\"parents\":[\"g\"]}";
    let unknown = "file=? folder=? recipient=?";
    for (query, content_type, body, expected) in [
        (parts, related, whole(metadata), "file=? folder=f"),
        (parts, related, whole(twice), unknown),
        (parts, related, whole(third), unknown),
        (media, "text/plain", "x".into(), "file=? folder=root"),
        (next, "application/json", metadata.into(), "file=? folder=f"),
        (next, "text/plain", String::new(), unknown),
        (both, "text/plain", "x".into(), unknown),
        ("", related, whole(metadata), unknown),
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
    assert_eq!(facts, unknown);
}

#[test]
fn effects_and_unknown_requests() {
    let effect = |body| found("PATCH", "/drive/v3/files/a", body).unwrap().0;
    assert_eq!(effect(r#"{"name": "x"}"#), None);
    for body in [
        r#"{"trashed": true}"#,
        r#"{"trashed": "true"}"#,
        r#"{"Trashed": true}"#,
        "[]",
    ] {
        assert_eq!(effect(body), Some(Effect::Delete), "{body}");
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
        assert_eq!(found(method, path, "{}"), None, "{method} {path}");
    }
}
