//! `/v1/files`, through the router.

use axum::body::Body;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{StatusCode, header};
use serde_json::{Value, json};

use crate::testing::{TestResponse, TestService, json_response};

/// A mail with a text of a megabyte and a picture.
async fn with_mail() -> TestService {
    let data = URL_SAFE_NO_PAD.encode(text());
    let content = URL_SAFE_NO_PAD.encode(picture());
    let mail = json!({
        "id": "m1", "threadId": "m1", "internalDate": "1777885200123", "snippet": "Hi",
        "payload": { "mimeType": "multipart/mixed", "parts": [
            { "partId": "0", "mimeType": "text/plain", "body": { "size": text().len(), "data": data } },
            {
                "partId": "1", "mimeType": "image/png", "filename": "B\u{fc}ro \"1\".png",
                "headers": [{ "name": "Content-Disposition", "value": "attachment" }],
                "body": { "size": picture().len(), "attachmentId": "a1" },
            },
        ] },
    });
    let picture = json!({ "size": picture().len(), "data": content });
    TestService::with_products(move |received| {
        json_response(match received.uri.contains("/attachments/") {
            true => &picture,
            false => &mail,
        })
    })
    .await
    .with_account("u1")
    .await
}

fn text() -> String {
    let lines = (0..20_000).map(|line| {
        format!("Zeile {line}: sch\u{f6}ne Gr\u{fc}\u{df}e, und noch ein paar Worte\n")
    });
    let text: String = lines.collect();
    assert!(text.len() > 1_000_000);
    text
}

fn picture() -> Vec<u8> {
    (0..=255).cycle().take(3_000).collect()
}

async fn execute(service: &TestService, tool: &str, input: Value) -> Value {
    let body = json!({
        "connection_name": "mail", "identifier": "u1", "input": input, "view": "readable", "max_bytes": 8_192,
    });
    let path = format!("/v1/tools/{tool}/execute");
    let response = service.post(&path, body).await;
    assert_eq!(response.status, StatusCode::OK, "{}", response.text());
    serde_json::from_slice(&response.body).unwrap()
}

fn path(execution: &Value) -> String {
    let handle = execution["left_out"][0]["handle"].as_str();
    format!(
        "/v1/files/{}",
        handle.unwrap_or_else(|| panic!("{execution}"))
    )
}

async fn get(service: &TestService, path: &str, headers: &[(&str, &str)]) -> TestResponse {
    let mut request = service.request("GET", path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    service.send(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn a_mail_of_a_megabyte_fits_into_8_kb_and_is_read_in_pieces() {
    let service = with_mail().await;
    let input = json!({ "message_id": "m1" });
    let mail = execute(&service, "mail_get_message_by_id", input).await;
    assert!(mail["data"].to_string().len() <= 8_192);
    assert_eq!(mail["left_out"][0]["path"], "text");
    assert_eq!(mail["left_out"][0]["size"], text().len());
    let path = path(&mail);

    let whole = get(&service, &path, &[]).await;
    assert_eq!(whole.status, StatusCode::OK, "{}", whole.text());
    assert_eq!(whole.text(), text());
    assert_eq!(whole.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(whole.header("accept-ranges"), "bytes");
    assert_eq!(whole.header("x-content-type-options"), "nosniff");
    assert_eq!(whole.header("content-disposition"), "attachment");
    assert!(whole.header("stead-execution-id").starts_with("exec_"));
    let etag = whole.header("etag").to_owned();
    assert!(etag.starts_with('"') && etag.len() == 66, "{etag}");

    let head = service.call("HEAD", &path, None).await;
    assert_eq!((head.status, head.body.len()), (StatusCode::OK, 0));
    assert_eq!(head.header("etag"), etag);
    assert_eq!(head.header("content-length"), text().len().to_string());

    let mut pieces = Vec::new();
    while pieces.len() < text().len() {
        let first = pieces.len();
        let asked = format!("bytes={first}-{}", first + 299_999);
        let headers = [("range", asked.as_str()), ("if-range", etag.as_str())];
        let piece = get(&service, &path, &headers).await;
        assert_eq!(piece.status, StatusCode::PARTIAL_CONTENT);
        pieces.extend_from_slice(&piece.body);
        let range = format!("bytes {first}-{}/{}", pieces.len() - 1, text().len());
        assert_eq!(piece.header("content-range"), range);
    }
    assert_eq!(String::from_utf8(pieces).unwrap(), text());
}

#[tokio::test]
async fn an_unsatisfiable_range_is_refused_and_an_unsupported_one_ignored() {
    let service = with_mail().await;
    let input = json!({ "message_id": "m1" });
    let path = path(&execute(&service, "mail_get_message_by_id", input).await);
    let status = async |headers: &[(&str, &str)]| get(&service, &path, headers).await.status;
    let beyond = get(&service, &path, &[("range", "bytes=9999999-")]).await;
    beyond.assert_problem(StatusCode::RANGE_NOT_SATISFIABLE, "range_not_satisfiable");
    assert_eq!(
        beyond.header("content-range"),
        format!("bytes */{}", text().len())
    );
    for whole in ["bytes=0-1,5-6", "lines=1-2", "bytes=b", "bytes=9-1"] {
        assert_eq!(status(&[("range", whole)]).await, StatusCode::OK, "{whole}");
    }
    let last = get(&service, &path, &[("range", "bytes=-7")]).await;
    assert_eq!(
        (last.status, last.text()),
        (StatusCode::PARTIAL_CONTENT, " Worte\n")
    );
    // Content that has changed is returned as a whole.
    let changed = [("range", "bytes=0-9"), ("if-range", "\"other\"")];
    assert_eq!(status(&changed).await, StatusCode::OK);
}

#[tokio::test]
async fn an_attachment_is_a_file_with_its_name_and_type() {
    let service = with_mail().await;
    let input = json!({ "message_id": "m1", "attachment_id": "part:1" });
    let attachment = execute(&service, "mail_get_attachment_by_id", input).await;
    let data = &attachment["data"];
    assert_eq!(
        (&data["mime_type"], &data["size"]),
        (&json!("image/png"), &json!(3_000))
    );
    assert_eq!(data["data"], Value::Null, "{data}");
    let left_out = &attachment["left_out"][0];
    assert_eq!(left_out["name"], "B\u{fc}ro \"1\".png");
    assert_eq!(
        (&left_out["media_type"], &left_out["size"]),
        (&json!("image/png"), &json!(3_000))
    );
    let file = get(&service, &path(&attachment), &[]).await;
    assert_eq!(file.status, StatusCode::OK);
    assert_eq!(file.body, picture());
    assert_eq!(file.header("content-type"), "image/png");
    assert_eq!(
        file.header("content-disposition"),
        "attachment; filename*=UTF-8''B%C3%BCro%20%221%22%2Epng"
    );
    assert_eq!(file.headers.get(header::CONTENT_RANGE), None);
}

#[tokio::test]
async fn an_invalid_handle_is_not_found() {
    let service = TestService::new().await;
    for handle in ["x", "..", "file_%00"] {
        let refused = service.get(&format!("/v1/files/{handle}")).await;
        refused.assert_problem(StatusCode::NOT_FOUND, "not_found");
    }
}
