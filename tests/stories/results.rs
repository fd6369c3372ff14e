//! Results within a size limit: a search of mails, a long mail and a large query, as a model gets them.

use serde_json::{Value, json};
use stead::{ErrorKind, Stead, mail::FetchMails};
use stead_core::{
    resource::ByteRange,
    results::{ResultOptions, View},
};

use crate::{products::connect, stage::Stage};

/// A call with options of its result.
async fn call(
    stage: &Stage,
    tool: &str,
    connection: &str,
    input: Value,
    options: &Value,
) -> (String, Value) {
    let mut body = json!({ "connection_name": connection, "identifier": "user-1", "input": input });
    for (name, value) in options.as_object().unwrap() {
        body[name] = value.clone();
    }
    let path = format!("/v1/tools/{tool}/execute");
    let reply = stage.post(&path, &body).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let execution = reply.json();
    (execution["data"].to_string(), execution)
}

#[tokio::test]
async fn a_search_of_mails_is_short_in_the_readable_view() {
    let stage = Stage::connected().await;
    let tool = "mail_fetch_mails";
    let (full, _) = call(&stage, tool, "mail", json!({}), &json!({})).await;
    let readable = json!({ "view": "readable" });
    let (short, execution) = call(&stage, tool, "mail", json!({}), &readable).await;
    println!(
        "{tool} with defaults: full {} bytes, readable {} bytes",
        full.len(),
        short.len()
    );
    assert!(short.len() <= 10 * 1024, "{}", short.len());
    let data = &execution["data"];
    let mails = data["messages"].as_array().unwrap();
    assert!(!mails.is_empty());
    for mail in mails {
        assert!(
            mail["subject"].is_string() && mail["from"].is_string() && mail["text"].is_string(),
            "{mail}"
        );
    }
    let untrusted = data["untrusted"].as_array().unwrap();
    assert!(
        untrusted.contains(&json!("messages[].text")),
        "{untrusted:?}"
    );
}

#[tokio::test]
async fn only_some_members_within_some_bytes() {
    let stage = Stage::connected().await;
    let (tool, input) = ("mail_fetch_mails", json!({}));
    let options = json!({
        "view": "readable", "fields": ["messages[].subject", "messages.from", "messages.sender"], "max_bytes": 700,
    });
    let (data, execution) = call(&stage, tool, "mail", input.clone(), &options).await;
    assert!(data.len() <= 700, "{}", data.len());
    let mails = execution["data"]["messages"].as_array().unwrap();
    assert_eq!(mails[0].as_object().unwrap().len(), 2, "{data}");
    let warnings = execution["warnings"].to_string();
    assert!(warnings.contains("messages.sender"), "{warnings}");
    let kept = format!("max_results {}", mails.len());
    assert!(warnings.contains(&kept), "{warnings}");

    let mut body = json!({ "connection_name": "mail", "identifier": "user-1", "input": input, "max_bytes": 20 });
    let path = format!("/v1/tools/{tool}/execute");
    let refused = stage.post(&path, &body).await;
    assert_eq!(refused.status, 400);
    let violation = refused.json()["violations"][0].clone();
    assert_eq!(violation["path"], "/max_bytes");
    // The size that the error suggests is enough.
    let words = violation["message"].as_str().unwrap();
    let would_do: u64 = words.split(' ').find_map(|word| word.parse().ok()).unwrap();
    body["max_bytes"] = json!(would_do);
    let fits = stage.post(&path, &body).await;
    assert_eq!(fits.status, 200, "{}", fits.text());

    let received = stage.received();
    body["fields"] = json!(["messages..subject"]);
    let refused = stage.post(&path, &body).await;
    assert_eq!(refused.json()["violations"][0]["path"], "/fields/0");
    assert_eq!(stage.received(), received, "nothing is sent");
}

#[tokio::test]
async fn a_large_query_says_what_it_omits() {
    let stage = Stage::new().await;
    connect(&stage, "warehouse").await;
    let sql = "WITH RECURSIVE N AS (SELECT 1 AS X UNION ALL SELECT X + 1 FROM N WHERE X < 10000) SELECT X FROM N";
    let (tool, input) = ("warehouse_execute_query", json!({ "statement": sql }));
    let options = json!({ "max_bytes": 4_096 });
    let (data, execution) = call(&stage, tool, "warehouse", input.clone(), &options).await;
    assert!(data.len() <= 4_096, "{}", data.len());
    let kept = execution["data"]["result"]["data"]
        .as_array()
        .unwrap()
        .len();
    let warnings = execution["warnings"].to_string();
    let left = format!("{} of 1000 in result.data", 1_000 - kept);
    assert!(kept > 100 && warnings.contains(&left), "{kept} {warnings}");
    assert!(warnings.contains("more_partitions"), "{warnings}");

    let readable = json!({ "view": "readable" });
    let (_, execution) = call(&stage, tool, "warehouse", input, &readable).await;
    let data = &execution["data"];
    assert_eq!(data["row_count"], 10_000);
    assert_eq!(data["rows"][99], json!({ "X": 100 }));
    assert_eq!(
        (&data["rows_left_out"], &data["partitions"]),
        (&json!(900), &json!(10))
    );
}

#[tokio::test]
async fn both_doors_take_the_options() {
    let stage = Stage::connected().await;
    let doors: [Stead; 2] = [stage.platform.clone().into(), stage.client().into()];
    for stead in doors {
        let ada = stead.account("mail", "user-1").unwrap();
        let all = FetchMails::default();
        let mails = ada
            .call(&all)
            .view(View::Readable)
            .fields(["messages.id"])
            .await
            .unwrap();
        let data: Value = mails.json().unwrap();
        assert_eq!(data["messages"][0].as_object().unwrap().len(), 1);
        assert_eq!(data["untrusted"], json!([]));

        let mails = ada.call(&all).max_bytes(5_000).await.unwrap();
        assert!(mails.data.get().len() <= 5_000);
        assert!(!mails.output().unwrap().messages.is_empty());
        assert!(!mails.warnings.is_empty());

        // Truncated parts can be read by their handles, as a whole and in pieces. The product's own IDs of attachments
        // differ whenever a mail is read, but those of the readable view stay the same.
        let mails = ada.call(&all).view(View::Readable).max_bytes(2_500);
        let mails = mails.await.unwrap();
        let cut = &mails.left_out[0];
        let actions = stead.actions();
        let whole = actions.read_result(&cut.handle, None).await.unwrap();
        assert_eq!(Some(whole.size), cut.size);
        assert!(whole.text().is_some() && whole.size > 1_000, "{whole:?}");
        let rest = ByteRange::parse("1000-").unwrap();
        let rest = actions.read_result(&cut.handle, Some(rest)).await.unwrap();
        assert_eq!((rest.offset, rest.size), (1_000, whole.size));
        assert_eq!(rest.content, whole.content[1_000..]);
        assert_eq!(
            (&rest.etag, &rest.media_type),
            (&whole.etag, &whole.media_type)
        );
        let beyond = ByteRange::parse("99999999-").unwrap();
        let beyond = actions.read_result(&cut.handle, Some(beyond)).await;
        assert_eq!(beyond.unwrap_err().kind(), ErrorKind::RangeNotSatisfiable);
        let unknown = actions.read_result("file_AAAA", None).await;
        assert_eq!(unknown.unwrap_err().kind(), ErrorKind::NotFound);

        let mut options = ResultOptions::default();
        options.fields = vec![String::from("a..b")];
        let refused = ada.call(&all).result(options).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidRequest);

        let readable = stead
            .tools()
            .read("mail_fetch_mails")
            .await
            .unwrap()
            .readable_schema;
        assert!(readable.unwrap()["properties"]["untrusted"].is_object());
    }
}
