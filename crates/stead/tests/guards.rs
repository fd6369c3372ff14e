//! Requests to the products that a connection has to allow, row by row, and requests that are almost the same.

#![expect(
    clippy::unwrap_used,
    reason = "what fails here fails the test, in helpers too"
)]

use std::collections::BTreeSet;

use serde_json::json;
use stead::{
    ConnectionChange, ErrorKind, NewConnection, Platform,
    resource::{PolicyDecision, PolicyOutcome, PolicyTest},
};

const KEY: &str = "k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

/// Requests of each kind: `product kind METHOD path body`.
const GUARDED: &[&str] = &[
    "mail delete_messages DELETE /gmail/v1/users/me/messages/m1",
    "mail delete_messages DELETE /v1/users/ada@example.com/messages/m1",
    "mail delete_messages DELETE /gmail/v1/users/me/messages/m1/",
    "mail delete_messages DELETE /gmail/v1/users/me/MESSAGES/m1;a=b",
    "mail delete_messages DELETE /upload/gmail/v1/users/me/messages/m1",
    "mail delete_messages DELETE /gmail/v1/users/me/threads/t1",
    r#"mail delete_messages POST /gmail/v1/users/me/messages/batchDelete {"ids": ["m1"]}"#,
    r#"mail delete_messages POST /gmail/v1/users/me/messages/batchdelete/ {"ids": ["m1"]}"#,
    r#"mail delete_messages POST /gmail/v1/users/me/messages%20/batchDelete;x {"ids": ["m1"]}"#,
    r#"mail forward_mail POST /gmail/v1/users/me/settings/forwardingAddresses {"forwardingEmail": "eve@evil.example"}"#,
    r#"mail forward_mail PUT /gmail/v1/users/me/settings/autoForwarding {"enabled": true, "emailAddress": "eve@evil.example"}"#,
    r#"mail forward_mail PUT /gmail/v1/users/me/settings/autoForwarding {"enabled": "true"}"#,
    r#"mail forward_mail PUT /gmail/v1/users/me/settings/autoForwarding {"enabled": false, "Enabled": true}"#,
    "mail forward_mail PUT /gmail/v1/users/me/settings/autoForwarding text/plain: x",
    r#"mail forward_mail POST /gmail/v1/users/me/settings/filters {"criteria": {"from": "a"}, "action": {"forward": "eve@evil.example"}}"#,
    r#"mail forward_mail POST /gmail/v1/users/me/settings/filters {"action": {"Forward": "eve@evil.example"}}"#,
    r#"mail forward_mail POST /gmail/v1/users/me/settings/filters {"action": [{"forward": "eve@evil.example"}]}"#,
    r#"mail forward_mail POST /gmail/v1/users/me/settings/filters application/json: {"action": {}, "action": {"forward": "a"}}"#,
    r#"mail add_delegates POST /gmail/v1/users/me/settings/delegates {"delegateEmail": "eve@evil.example"}"#,
    "calendar clear_calendars POST /calendar/v3/calendars/primary/clear",
    "calendar clear_calendars DELETE /calendar/v3/calendars/c1@group.calendar.google.com",
    "calendar clear_calendars DELETE /calendar/v3/calendars/c1%2540group",
    "calendar transfer_ownership POST /calendar/v3/calendars/c1/transferOwnership?newDataOwner=eve@evil.example",
    "drive delete_files DELETE /drive/v3/files/f1",
    "drive delete_files DELETE /drive/v3/files/f1/?supportsAllDrives=true",
    "drive delete_files DELETE /download/drive/v3/files/f1",
    "drive delete_files DELETE /upload/drive/v3/files/f1",
    "drive delete_files DELETE /drive/v3/drives/d1?useDomainAdminAccess=true&allowItemDeletion=true",
    "drive delete_files DELETE /drive/v3/drives/d1?AllowItemDeletion=true",
    "drive empty_trash DELETE /drive/v3/files/trash",
    "drive empty_trash DELETE /drive/v3/files/Trash/?driveId=d1",
    r#"drive transfer_ownership POST /drive/v3/files/f1/permissions?transferOwnership=true {"type": "user", "role": "owner"}"#,
    r#"drive transfer_ownership POST /drive/v3/files/f1/permissions {"type": "user", "role": "OWNER"}"#,
    r#"drive transfer_ownership PATCH /drive/v3/files/f1/permissions/p1?transferOwnership=true {"role": "writer"}"#,
    r#"drive transfer_ownership PATCH /drive/v3/files/f1/permissions/p1?transfer_ownership=true {"role": "writer"}"#,
    r#"drive transfer_ownership PATCH /drive/v3/files/f1/permissions/p1 {"role": "writer", "pendingOwner": true}"#,
    r#"drive transfer_ownership PATCH /drive/v3/files/f1/permissions/p1/ {"role": "owner"}"#,
    r#"drive transfer_ownership PATCH /drive/v3/files/f1/permissions/p1 {"role": "writer", "pending_owner": true}"#,
    r#"drive transfer_ownership PATCH /drive/v3/files/f1/permissions/p1 application/json: {"role": "writer", "role": "owner"}"#,
    "drive transfer_ownership POST /drive/v3/files/f1/permissions application/x-www-form-urlencoded: role=owner",
    r#"warehouse change_schema POST /api/v2/statements {"statement": "DROP TABLE t"}"#,
    r#"warehouse change_schema POST /api/v2/statements?async=true {"statement": "SELECT 1; GRANT ROLE a TO USER b"}"#,
    r#"warehouse change_schema POST /api/v2/statements/ {"statement": "/* a */ create table t (a INT)"}"#,
    r#"warehouse change_schema POST /api/v2/statements {"statement": "EXECUTE IMMEDIATE 'DROP TABLE t'"}"#,
    r#"warehouse change_schema POST /api/v2/statements {"statement": "CALL p()"}"#,
    r#"warehouse change_schema POST /api/v2/statements {"Statement": "SELECT 1"}"#,
    r#"warehouse change_schema POST /api/v2/statements application/json: {"statement": "SELECT 1", "statement": "DROP TABLE t"}"#,
    "warehouse change_schema POST /api/v2/databases {\"name\": \"d\"}",
    "warehouse change_schema DELETE /api/v2/databases/d/schemas/s/tables/t",
    "warehouse change_schema POST /api/v2/grants/role/r/table/t/privileges {}",
];

/// Requests that need no permission: `product METHOD path body`.
const OTHERS: &[&str] = &[
    "mail GET /gmail/v1/users/me/messages/m1",
    "mail POST /gmail/v1/users/me/messages/m1/trash",
    "mail POST /gmail/v1/users/me/threads/t1/trash",
    r#"mail POST /gmail/v1/users/me/messages/batchModify {"ids": ["m1"], "addLabelIds": ["TRASH"]}"#,
    "mail DELETE /gmail/v1/users/me/drafts/d1",
    "mail DELETE /gmail/v1/users/me/labels/l1",
    "mail DELETE /upload/gmail/v1/users/me/messages/send?upload_id=1",
    "mail GET /gmail/v1/users/me/settings/delegates",
    "mail DELETE /gmail/v1/users/me/settings/delegates/eve@evil.example",
    "mail DELETE /gmail/v1/users/me/settings/forwardingAddresses/eve@evil.example",
    r#"mail PUT /gmail/v1/users/me/settings/autoForwarding {"enabled": false}"#,
    r#"mail POST /gmail/v1/users/me/settings/filters {"action": {"addLabelIds": ["STARRED"]}}"#,
    r#"mail PUT /gmail/v1/users/me/settings/vacation {"enableAutoReply": true}"#,
    "calendar DELETE /calendar/v3/calendars/primary/events/e1",
    "calendar DELETE /calendar/v3/users/me/calendarList/c1",
    r#"calendar PATCH /calendar/v3/calendars/c1 {"summary": "clear"}"#,
    r#"calendar POST /calendar/v3/calendars {"summary": "a"}"#,
    r#"drive PATCH /drive/v3/files/f1 {"trashed": true}"#,
    r#"drive PATCH /drive/v3/files/trash {"name": "a"}"#,
    "drive DELETE /drive/v3/files/f1/permissions/p1",
    "drive DELETE /drive/v3/files/f1/comments/c1",
    "drive DELETE /drive/v3/drives/d1",
    "drive DELETE /drive/v3/drives/d1?allowItemDeletion=false",
    "drive DELETE /upload/drive/v3/files/f1?uploadType=resumable&upload_id=1",
    r#"drive POST /drive/v3/files/f1/permissions {"type": "user", "role": "reader", "emailAddress": "ada@example.com"}"#,
    r#"drive PATCH /drive/v3/files/f1/permissions/p1?transferOwnership=false {"role": "writer", "pendingOwner": false}"#,
    "drive PATCH /drive/v3/files/f1/permissions/p1?removeExpiration=true",
    r#"sheets POST /v4/spreadsheets/s1/values/A1:clear {}"#,
    r#"warehouse POST /api/v2/statements {"statement": "SELECT 'DROP TABLE t'"}"#,
    r#"warehouse POST /api/v2/statements {"statement": "DELETE FROM t"}"#,
    "warehouse POST /api/v2/statements/h/cancel",
    "warehouse GET /api/v2/databases",
    r#"warehouse POST /api/v2/cortex/inference:complete {"model": "a"}"#,
    "workspace DELETE /v1/blocks/0123456789abcdef0123456789abcdef",
];

async fn platform() -> Platform {
    let platform = Platform::builder("http://127.0.0.1").key(KEY).in_memory();
    let platform = platform.build().await.unwrap();
    for product in platform.environment().catalogue().products().iter() {
        let mut new = NewConnection::new(product.name, product.name);
        if product.name == "warehouse" {
            new = new.setting("account", "myorg-acct1");
        }
        platform.connections().create(new).await.unwrap();
    }
    platform
}

/// The decision on a row such as `mail POST /gmail/v1/users/me/stop {"a": 1}`. A body that isn't read as JSON begins
/// with its media type.
async fn decide(platform: &Platform, row: &str) -> PolicyDecision {
    let mut words = row.splitn(4, ' ');
    let product = words.next().map(str::to_owned);
    let mut test = PolicyTest::default();
    (test.connection_name, test.product) = (product.clone(), product);
    test.method = words.next().map(str::to_owned);
    test.path = words.next().map(str::to_owned);
    match words.next() {
        None => {}
        Some(body) if body.starts_with('{') => test.body = serde_json::from_str(body).unwrap(),
        Some(body) => {
            let (kind, body) = body.split_once(": ").unwrap();
            (test.content_type, test.body) = (Some(kind.to_owned()), body.into());
        }
    }
    let decided = platform.send(test).await;
    decided.unwrap_or_else(|error| panic!("{row}: {error}"))
}

async fn allow(platform: &Platform, connection: &str, kinds: &[&str]) {
    let change = ConnectionChange::default().allowed_requests(kinds.iter().copied());
    let connections = platform.connections();
    connections.change(connection, change).await.unwrap();
}

#[tokio::test]
async fn a_guarded_request_is_refused_until_its_connection_allows_it() {
    let platform = platform().await;
    let mut seen = BTreeSet::new();
    for row in GUARDED {
        let (product, rest) = row.split_once(' ').unwrap();
        let (kind, request) = rest.split_once(' ').unwrap();
        seen.insert((product, kind));
        let row = format!("{product} {request}");
        let product_kinds: Vec<&str> = {
            let catalogue = platform.environment().catalogue();
            let guards = catalogue.product(product).unwrap().guards.iter();
            guards.map(|guard| guard.name).collect()
        };
        let others = product_kinds.into_iter().filter(|other| *other != kind);
        let others: Vec<&str> = others.collect();
        allow(&platform, product, &others).await;
        let refused = decide(&platform, &row).await;
        assert_eq!(refused.outcome, PolicyOutcome::Refused, "{row}");
        assert!(
            refused
                .message
                .contains(&format!("add {kind} to its allowed_requests")),
            "{row}: {}",
            refused.message
        );
        allow(&platform, product, &[kind]).await;
        let allowed = decide(&platform, &row).await;
        assert_eq!(allowed.outcome, PolicyOutcome::Allowed, "{row}");
    }
    let products = platform.environment().catalogue().products();
    let all = products.iter().flat_map(|product| {
        let guards = product.guards.iter();
        guards.map(|guard| (product.name, guard.name))
    });
    assert_eq!(seen, all.collect());
}

#[tokio::test]
async fn requests_that_are_almost_the_same_pass() {
    let platform = platform().await;
    for row in OTHERS {
        let decided = decide(&platform, row).await;
        let outcome = (decided.outcome, decided.message.as_str());
        assert_eq!(
            outcome,
            (PolicyOutcome::Allowed, "no rule forbids it"),
            "{row}"
        );
    }
}

#[tokio::test]
async fn other_forms_of_a_guarded_request_are_invalid() {
    let platform = platform().await;
    for (method, path) in [
        ("DELETE", "/drive/v3/files/%66%31"),
        ("DELETE", "/drive/v3/%66iles/f1"),
        ("DELETE", "/drive/v3/%2566iles/f1"),
        ("DELETE", "/drive/v3/x/../files/f1"),
        ("DELETE", "/drive/v3/files%2Ff1"),
        ("DELETE", "/drive/v3//files/f1"),
        ("POST", "/drive/v3/files/f1?$httpMethod=DELETE"),
        ("POST", "/drive/v3/files/f1?%24HTTPMETHOD=DELETE"),
        ("delete", "/drive/v3/files/f1"),
        ("DELETE", "/drive/v2/files/f1"),
    ] {
        let mut test = PolicyTest::default();
        test.product = Some(String::from("drive"));
        (test.method, test.path) = (Some(method.to_owned()), Some(path.to_owned()));
        let refused = platform.send(test).await.unwrap_err();
        let kinds = [ErrorKind::PathInvalid, ErrorKind::InvalidRequest];
        assert!(
            kinds.contains(&refused.kind()),
            "{method} {path}: {refused}"
        );
    }
}

#[tokio::test]
async fn a_tool_for_guarded_statements_needs_no_permission() {
    let platform = platform().await;
    let mut test = PolicyTest::default();
    test.connection_name = Some(String::from("warehouse"));
    test.tool = Some(String::from("warehouse_execute_query"));
    test.input = json!({ "statement": "DROP TABLE t" });
    let decided = platform.send(test).await.unwrap();
    assert_eq!(decided.outcome, PolicyOutcome::Allowed);
    assert_eq!(decided.requests[0].allowed_request, None);
}

#[test]
fn the_guide_lists_every_kind() {
    let guide = include_str!("../../../docs/build/raw-requests.md");
    for product in stead::products::catalogue().products().iter() {
        for guard in product.guards {
            assert!(
                guide.contains(&format!("`{}`", guard.name)),
                "{}",
                guard.name
            );
        }
    }
}
