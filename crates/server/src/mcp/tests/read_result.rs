//! A long text and files of an earlier result, as a model reads them.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use super::*;

const GET: &str = "mail_get_message_by_id";
const READ: &str = "stead_read_result";

/// A mail with this text and a file of this size.
async fn with_mail(text: &str, bytes: usize) -> TestService {
    let data = URL_SAFE_NO_PAD.encode(text);
    let file = URL_SAFE_NO_PAD.encode(vec![0xff; bytes]);
    let mail = json!({
        "id": "m1", "threadId": "m1", "internalDate": "1777885200123", "snippet": "Hi",
        "payload": { "mimeType": "multipart/mixed", "parts": [
            { "partId": "0", "mimeType": "text/plain", "body": { "size": text.len(), "data": data } },
            {
                "partId": "1", "mimeType": "application/pdf", "filename": "a.pdf",
                "headers": [{ "name": "Content-Disposition", "value": "attachment" }],
                "body": { "size": bytes, "data": file },
            },
        ] },
    });
    TestService::with_products(move |_| json_response(&mail))
        .await
        .with_account("u1")
        .await
}

/// The handle that a result names.
fn handle(result: &Value) -> &str {
    let blocks = result["content"].as_array().unwrap();
    let mut texts = blocks.iter().filter_map(|block| block["text"].as_str());
    let named =
        texts.find(|text| text.starts_with("Read the omitted parts with stead_read_result:"));
    let named = named.unwrap_or_else(|| panic!("{result}"));
    named.rsplit(": ").next().unwrap()
}

#[tokio::test]
async fn a_long_text_is_read_completely_in_pieces() {
    let text = "\u{fc}ber Gr\u{f6}\u{df}e \u{1f600} ".repeat(5_000);
    let service = with_mail(&text, 10).await;
    let client = Client::new(&service, json!({ "identifier": "u1" })).await;
    let mail = client.call(GET, &json!({ "message_id": "m1" })).await;
    assert!(mail["structuredContent"].to_string().len() < 8_192);
    assert!(!mail.to_string().contains("left_out"), "{mail}");
    let handle = handle(&mail);
    let (mut all, mut offset) = (String::new(), Some(0));
    while let Some(from) = offset {
        // An odd number of bytes ends within a character.
        let arguments = json!({ "handle": handle, "offset": from, "max_bytes": 33_333 });
        let piece = client.call(READ, &arguments).await;
        let piece = &piece["structuredContent"];
        assert_eq!(piece["size"], text.len(), "{piece}");
        all += piece["text"].as_str().unwrap();
        offset = piece["next_offset"].as_u64();
    }
    assert!(all == text);
    let usual = client.call(READ, &json!({ "handle": handle })).await;
    let usual = usual["structuredContent"]["text"].as_str().unwrap().len();
    assert!((19_990..=20_000).contains(&usual), "{usual}");
    let tiny = client
        .call(READ, &json!({ "handle": handle, "max_bytes": 1 }))
        .await;
    assert_eq!(tiny["structuredContent"]["text"], "\u{fc}");
}

#[tokio::test]
async fn a_small_file_is_a_resource_and_a_large_one_a_sentence() {
    let attachment = json!({ "message_id": "m1", "attachment_id": "part:1" });
    for (bytes, is_error) in [(1_000, false), (40_000, true)] {
        let service = with_mail("Hi", bytes).await;
        let client = Client::new(&service, json!({ "identifier": "u1" })).await;
        let file = client.call("mail_get_attachment_by_id", &attachment).await;
        assert_eq!(file["structuredContent"]["data"], Value::Null);
        let read = client.call(READ, &json!({ "handle": handle(&file) })).await;
        assert_eq!(read["isError"], is_error, "{read}");
        if is_error {
            assert!(
                text(&read).contains("a.pdf is application/pdf with 40000 bytes"),
                "{read}"
            );
        } else {
            let resource = &read["content"][0]["resource"];
            assert_eq!(resource["mimeType"], "application/pdf");
            assert_eq!(resource["blob"].as_str().unwrap().len(), 1_336);
        }
    }
}

#[tokio::test]
async fn a_handle_of_another_user_is_unknown_and_wrong_arguments_are_said() {
    let service = with_mail(&"word ".repeat(5_000), 10).await;
    let own = Client::new(&service, json!({ "identifier": "u1" })).await;
    let mail = own.call(GET, &json!({ "message_id": "m1" })).await;
    let handle = handle(&mail);
    let other = Client::new(&service, json!({ "identifier": "u2" })).await;
    let before = service.received().len();
    let refused = other.call(READ, &json!({ "handle": handle })).await;
    let unknown = other.call(READ, &json!({ "handle": "file_AAAA" })).await;
    assert_eq!(refused, unknown);
    assert_eq!(refused["_meta"]["stead/error"]["kind"], "not_found");
    for (arguments, said) in [
        (json!({}), "missing field `handle`"),
        (
            json!({ "handle": handle, "max_bytes": 1_000_000 }),
            "- /max_bytes: expected 1 to 40000",
        ),
        (json!({ "handle": handle, "of": 1 }), "unknown field `of`"),
    ] {
        let wrong = own.call(READ, &arguments).await;
        assert_eq!(wrong["isError"], true);
        assert!(text(&wrong).contains(said), "{wrong}");
    }
    assert_eq!(service.received().len(), before);
    let beyond = json!({ "handle": handle, "offset": 99_999_999 });
    let beyond = own.call(READ, &beyond).await;
    assert!(
        text(&beyond).contains("- /offset: the text has"),
        "{beyond}"
    );
}
