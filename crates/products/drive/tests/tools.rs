//! Requests of tools for different inputs, and their readable views.

use http::HeaderMap;
use serde_json::{Value, json};
use stead_core::{
    Result,
    tool::{ApiRequest, Response, Retry, Tool, ToolEntry},
};
use stead_drive::{GetFileMetadata, PRODUCT, SearchFiles, UploadFile};
use stead_testkit::{Canned, drive, fixture::CallSetup};

/// Runs a tool with a response. Returns its request and its readable view.
#[track_caller]
fn run<T: Tool>(input: Value, response: &Value) -> Result<(ApiRequest, Value)> {
    let response = Response::new(200, HeaderMap::new(), response.to_string());
    let canned = Canned::new(&PRODUCT, [response]);
    let tool = ToolEntry::of::<T>().parse(input).expect("an input");
    let call = CallSetup::default().to_call(&PRODUCT);
    let (data, _) = drive(&*tool, &call, &canned)?.into_json().expect("JSON");
    let data = serde_json::from_str(data.get()).expect("JSON");
    let view = T::READABLE.expect("a view").of(data).expect("JSON");
    Ok((canned.requests().remove(0), view))
}

fn value_of(request: &ApiRequest, name: &str) -> Option<String> {
    let mut pairs = request.query.iter().chain(&request.headers);
    Some(pairs.find(|(known, _)| *known == name)?.1.clone())
}

#[test]
fn the_resource_key_of_a_link_is_sent() {
    let sent = |file: &str| {
        let (request, _) = run::<GetFileMetadata>(json!({ "file_id": file }), &json!({}))?;
        Ok((
            request.path[1].clone(),
            value_of(&request, "x-goog-drive-resource-keys"),
        ))
    };
    let key = Some(String::from("1AbC/0-abcDEF"));
    for (file, key) in [
        (
            "https://drive.google.com/file/d/1AbC/view?resourcekey=0-abcDEF",
            key.clone(),
        ),
        (
            "http://drive.google.com/drive/folders/1AbC?usp=sharing&resourcekey=0-abcDEF",
            key.clone(),
        ),
        (
            "https://drive.google.com/open?resourcekey=0-abcDEF&id=1AbC",
            key,
        ),
        ("HTTPS://DOCS.google.com/document/d/1AbC/edit", None),
        (
            "https://drive.usercontent.google.com/download?id=1AbC",
            None,
        ),
        ("1AbC", None),
    ] {
        let sent: Result<_> = sent(file);
        assert_eq!(sent.unwrap(), (String::from("1AbC"), key), "{file}");
    }
    for file in [
        "Plan 2026",
        "https://example.org/file/d/1AbC",
        "ftp://docs.google.com/d/1AbC",
        "a/b",
    ] {
        let refused: Result<_> = sent(file);
        let error = refused.unwrap_err();
        let violation = &error.violation_list()[0];
        assert_eq!(violation.path, "/file_id");
        assert!(
            violation
                .message
                .contains("expected the id of a file, or its link"),
            "{file}"
        );
    }
}

#[test]
fn an_order_and_a_query_are_sent_as_the_product_writes_them() {
    let sent = |input: Value, name: &str| {
        let (request, _) = run::<SearchFiles>(input, &json!({ "files": [] })).unwrap();
        value_of(&request, name).unwrap()
    };
    for (order, expected) in [
        ("Name", "name"),
        ("modifiedTime asc", "modifiedTime"),
        ("Folder, modified_time DESC", "folder,modifiedTime desc"),
    ] {
        assert_eq!(sent(json!({ "order_by": order }), "orderBy"), expected);
    }
    let query = sent(
        json!({ "query": "name contains ‘plan’ and “ada@example.com” in owners" }),
        "q",
    );
    assert_eq!(
        query,
        "(name contains 'plan' and 'ada@example.com' in owners) and trashed = false"
    );
}

#[test]
fn the_view_has_all_that_was_read() {
    let file = json!({
        "id": "1x", "name": "Plan", "parents": ["1p"], "description": "Next year", "md5Checksum": "9e10",
        "mimeType": "text/plain", "size": "12",
        "owners": [{ "displayName": "Ada", "emailAddress": "ada@example.com" }, { "displayName": "Grace" }],
    });
    let expected = json!({
        "id": "1x", "name": "Plan", "type": "text/plain", "size": 12, "owners": ["Ada <ada@example.com>", "Grace"],
        "fields": { "parents": ["1p"], "description": "Next year", "md5Checksum": "9e10" },
    });
    let fields =
        "id,name,parents,description,md5Checksum,mimeType,size,owners(displayName,emailAddress)";
    let one = run::<GetFileMetadata>(json!({ "file_id": "1x", "fields": fields }), &file);
    assert_eq!(one.unwrap().1, expected);
    let page = json!({ "kind": "drive#fileList", "incompleteSearch": false, "files": [file] });
    let page = run::<SearchFiles>(json!({ "fields": format!("kind,files({fields})") }), &page);
    assert_eq!(
        page.unwrap().1,
        json!({ "files": [expected], "fields": { "kind": "drive#fileList" } })
    );
}

#[test]
fn the_view_has_members_that_say_more_than_their_short_form() {
    let shortcut =
        json!({ "targetId": "1t", "targetMimeType": "text/plain", "targetResourceKey": "0-x" });
    let owners = json!([{ "displayName": "Ada", "permissionId": "07" }]);
    let file =
        json!({ "id": "1x", "size": "a lot", "shortcutDetails": shortcut, "owners": owners });
    let (_, view) =
        run::<GetFileMetadata>(json!({ "file_id": "1x", "fields": "*" }), &file).unwrap();
    assert_eq!(
        view,
        json!({
            "id": "1x", "owners": ["Ada"], "shortcut_to": "1t",
            "fields": { "size": "a lot", "shortcutDetails": shortcut, "owners": owners },
        })
    );
}

#[test]
fn bytes_are_sent_unchanged_and_once() {
    let input = json!({ "name": "card.png", "content_base64": "iVBOR/8AAQ==" });
    let (sent, _) = run::<UploadFile>(input, &json!({})).unwrap();
    let body = sent.body.as_deref().unwrap();
    let part = b"\r\nContent-Type: image/png\r\n\r\n\x89PNG\xff\x00\x01\r\n--";
    assert!(body.windows(part.len()).any(|window| window == part));
    // The product doesn't recognise a repeat.
    assert_eq!(sent.retry, Retry::Unprocessed);
}

#[test]
fn a_call_sends_at_most_a_megabyte() {
    let upload = |name: &str, content: String| {
        run::<UploadFile>(json!({ "name": "a", name: content }), &json!({}))
    };
    assert!(upload("text", "a".repeat(1_000_000)).is_ok());
    assert!(upload("content_base64", "YWFh".repeat(333_333)).is_ok());
    for (name, content) in [
        // The limit counts bytes, not letters.
        ("text", "é".repeat(500_001)),
        ("content_base64", "YWFh".repeat(333_334)),
    ] {
        let error = upload(name, content).unwrap_err();
        let violation = &error.violation_list()[0];
        assert_eq!(violation.path, format!("/{name}"));
        assert!(violation.message.contains("1000002 bytes"), "{violation:?}");
    }
}
