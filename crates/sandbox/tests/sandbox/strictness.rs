//! The APIs' checks before a method runs, and partial responses.

use serde_json::json;

use crate::client::{CONTACTS, GMAIL_READ, Stage, cases};

#[tokio::test]
async fn a_token_is_required_and_must_be_good() {
    let stage = Stage::new().await;
    let path = "/gmail.googleapis.com/gmail/v1/users/me/profile";
    let none = stage.send(stage.http.get(stage.url(path))).await;
    assert_eq!(none.status, 401);
    assert!(none.header("www-authenticate").starts_with("Bearer realm="));
    let error = &none.json()["error"];
    assert_eq!(error["status"], "UNAUTHENTICATED");
    assert_eq!(error["errors"][0]["reason"], "required");
    assert_eq!(error["details"][0]["reason"], "CREDENTIALS_MISSING");
    let bad = stage.get(path, "ya29.made-up").await;
    assert_eq!(bad.status, 401);
    assert!(bad.header("www-authenticate").contains("invalid_token"));
    assert_eq!(bad.json()["error"]["errors"][0]["reason"], "authError");
    // People only has the newer shape.
    let people = stage
        .people("people/me/connections?personFields=names", "x")
        .await;
    assert_eq!(people.json()["error"].get("errors"), None);
    assert_eq!(people.json()["error"]["status"], "UNAUTHENTICATED");
    // A token in the query isn't accepted.
    let ada = stage.ada().await;
    let url = stage.url(&format!("{path}?access_token={ada}"));
    assert_eq!(stage.send(stage.http.get(url)).await.status, 401);
    let basic = stage
        .http
        .get(stage.url(path))
        .header("authorization", format!("Basic {ada}"));
    assert_eq!(stage.send(basic).await.status, 401);
}

#[tokio::test]
async fn scopes_are_enforced_per_method() {
    let stage = Stage::new().await;
    let contacts = stage.tokens("ada@example.com", &[CONTACTS]).await.access;
    let mail = stage.tokens("ada@example.com", &[GMAIL_READ]).await.access;
    for path in [
        "messages",
        "messages/x",
        "threads",
        "drafts",
        "labels",
        "profile",
    ] {
        let reply = stage.mail(path, &contacts).await;
        assert_eq!(reply.status, 403, "{path}");
        let error = &reply.json()["error"];
        assert_eq!(error["status"], "PERMISSION_DENIED");
        assert_eq!(error["errors"][0]["reason"], "insufficientPermissions");
        assert_eq!(
            error["details"][0]["reason"],
            "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
        );
    }
    let connections = "people/me/connections?personFields=names";
    assert_eq!(stage.people(connections, &mail).await.status, 403);
    assert_eq!(stage.people(connections, &contacts).await.status, 200);
    let others = "otherContacts:search?query=&readMask=names";
    assert_eq!(stage.people(others, &contacts).await.status, 403);
}

#[tokio::test]
async fn parameters_are_bound_strictly() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    for (path, says) in [
        ("messages?schema_version=1", "Cannot bind query parameter"),
        ("messages?maxresults=1", "Cannot bind query parameter"),
        ("messages?maxResults=abc", "TYPE_UINT32"),
        ("messages?maxResults=-1", "TYPE_UINT32"),
        ("messages?maxResults=1&maxResults=2", "not repeating"),
        ("messages?includeSpamTrash=1", "TYPE_BOOL"),
        ("messages?maxResults=0", "maxResults"),
        ("messages?maxResults=501", "maxResults"),
        ("messages?labelIds=NOPE", "Invalid label"),
        ("messages?pageToken=x", "page token"),
        ("messages?alt=xml", "TYPE_ENUM"),
        ("messages?alt=media", "output format"),
        ("messages?callback=f", "scripts"),
        ("messages?key=k", "API key"),
        ("messages?prettyPrint=no", "TYPE_BOOL"),
        ("messages/x?format=FULL", "TYPE_ENUM"),
        ("threads/x?format=raw", "TYPE_ENUM"),
        ("drafts?labelIds=INBOX", "Cannot bind query parameter"),
        (
            "drafts/x?metadataHeaders=Subject",
            "Cannot bind query parameter",
        ),
        ("profile?q=a", "Cannot bind query parameter"),
    ] {
        let reply = stage.mail(path, &ada).await;
        assert_eq!(reply.status, 400, "{path} {}", reply.text);
        let error = &reply.json()["error"];
        assert_eq!(error["status"], "INVALID_ARGUMENT", "{path}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(says), "{path}: {message}");
    }
    let common = "messages?$.xgafv=2&alt=json&prettyPrint=false&quotaUser=u&uploadType=media&upload_protocol=raw";
    assert_eq!(stage.mail(common, &ada).await.status, 200);
    let long = format!("messages?quotaUser={}", "u".repeat(41));
    assert_eq!(stage.mail(&long, &ada).await.status, 400);
}

#[tokio::test]
async fn unknown_addresses_methods_and_bodies_are_refused() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    for path in [
        "/gmail.googleapis.com/gmail/v1/users/me/nothing",
        "/gmail.googleapis.com/gmail/v1/users/me/messages/",
        "/gmail.googleapis.com/v1/users/me/messages",
        "/gmail.googleapis.com/",
        "/people.googleapis.com/v1/people%3AsearchContacts?query=a&readMask=names",
        "/sheets.example/v4/spreadsheets",
        "/oauth2.googleapis.com/tokeninfo",
        "/accounts.google.com/o/oauth2/auth",
    ] {
        let reply = stage.get(path, &ada).await;
        assert_eq!(reply.status, 404, "{path}");
        assert!(
            reply.header("content-type").starts_with("text/html"),
            "{path}"
        );
    }
    let path = "/gmail.googleapis.com/gmail/v1/users/me/messages";
    let put = stage.http.put(stage.url(path)).bearer_auth(&ada);
    assert_eq!(stage.send(put).await.status, 405);
    let body = stage.http.get(stage.url(path)).bearer_auth(&ada).body("{}");
    assert_eq!(stage.send(body).await.status, 400);
}

#[tokio::test]
async fn only_ones_own_mailbox_is_open() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let of = |user: &str| format!("/gmail.googleapis.com/gmail/v1/users/{user}/profile");
    let own = stage.get(&of("ada%40example.com"), &ada).await.ok();
    assert_eq!(own["emailAddress"], "ada@example.com");
    let other = stage.get(&of("grace@example.com"), &ada).await;
    assert_eq!(other.status, 403);
    // Another user's message isn't found.
    let foreign = stage.message_id(1, "A moth in relay 70");
    assert_eq!(
        stage
            .mail(&format!("messages/{foreign}"), &ada)
            .await
            .status,
        404
    );
}

#[tokio::test]
async fn the_metadata_scope_closes_search_and_bodies_even_with_a_wider_one() {
    let stage = Stage::new().await;
    let metadata = "https://www.googleapis.com/auth/gmail.metadata";
    let id = stage.message_id(0, "Lunch on Thursday?");
    for scopes in [&[metadata][..], &[metadata, GMAIL_READ]] {
        let token = stage.tokens("ada@example.com", scopes).await.access;
        let query = stage.mail("messages?q=lunch", &token).await;
        assert_eq!(query.status, 403);
        assert_eq!(
            query.json()["error"]["message"],
            "Metadata scope does not support 'q' parameter"
        );
        for format in ["", "?format=full", "?format=raw"] {
            let reply = stage.mail(&format!("messages/{id}{format}"), &token).await;
            assert_eq!(reply.status, 403, "{format}");
            let message = reply.json()["error"]["message"].to_string();
            assert!(
                message.contains("Metadata scope doesn't allow format"),
                "{message}"
            );
        }
        assert_eq!(stage.mail("messages", &token).await.status, 200);
        let headers = stage
            .mail(&format!("messages/{id}?format=metadata"), &token)
            .await;
        assert_eq!(headers.status, 200);
    }
}

#[tokio::test]
async fn responses_are_compressed_for_clients_that_say_so_twice() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let url = stage.url("/gmail.googleapis.com/gmail/v1/users/me/messages");
    for (agent, coding) in [("stead (gzip)", "gzip"), ("stead", "")] {
        let request = stage
            .http
            .get(&url)
            .bearer_auth(&ada)
            .header("accept-encoding", "gzip")
            .header("user-agent", agent);
        let response = request.send().await.unwrap();
        let got = response
            .headers()
            .get("content-encoding")
            .map_or("", |value| value.to_str().unwrap());
        assert_eq!(got, coding);
        let body = response.bytes().await.unwrap();
        assert_eq!(body.starts_with(&[0x1f, 0x8b]), coding == "gzip");
    }
}

#[tokio::test]
async fn the_log_has_the_received_requests() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    stage.mail("messages?q=a%20b&maxResults=3", &ada).await;
    let log = stage.sandbox().received();
    let last = log.last().unwrap();
    assert_eq!(last.method, "GET");
    assert_eq!(last.host, "gmail.googleapis.com");
    assert_eq!(last.path, "/gmail/v1/users/me/messages");
    assert_eq!(last.query.as_deref(), Some("q=a%20b&maxResults=3"));
    assert!(last.authorization);
    assert_eq!(last.headers["authorization"], "***");
    assert_eq!(last.status, Some(200));
    assert_eq!(last.body, None);
    stage.sandbox().reset();
    assert!(stage.sandbox().received().is_empty());
    assert_eq!(stage.sandbox().token_requests(), 0);
    // Tokens from before the reset are no longer valid.
    assert_eq!(stage.mail("profile", &ada).await.status, 401);
}

#[tokio::test]
async fn two_sandboxes_respond_alike() {
    let (one, two) = (Stage::new().await, Stage::new().await);
    let tokens = (one.ada().await, two.ada().await);
    assert_eq!(tokens.0, tokens.1);
    let id = one.message_id(0, "Quarterly report & figures");
    let path = format!("messages/{id}");
    let responses = (
        one.mail(&path, &tokens.0).await,
        two.mail(&path, &tokens.1).await,
    );
    assert_eq!(responses.0.text, responses.1.text);
    assert_eq!(one.sandbox().world(), two.sandbox().world());
    assert_ne!(one.sandbox().world(), json!({}));
}

#[tokio::test]
async fn http_2_is_spoken_as_well() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let http = reqwest::Client::builder()
        .no_proxy()
        .http2_prior_knowledge()
        .build()
        .unwrap();
    let url = stage.url("/gmail.googleapis.com/gmail/v1/users/me/profile");
    let response = http.get(&url).bearer_auth(&ada).send().await.unwrap();
    assert_eq!(response.version(), reqwest::Version::HTTP_2);
    assert_eq!(response.status(), 200);
    stage.cause(json!({ "kind": "cut_before_response" }));
    assert!(http.get(&url).bearer_auth(&ada).send().await.is_err());
}

#[tokio::test]
async fn a_method_that_the_sandbox_does_not_play_says_so() {
    let stage = Stage::new().await;
    let token = stage.tokens("ada@example.com", &[GMAIL_READ]).await.access;
    let table = "
        POST => /www.googleapis.com/calendar/v3/calendars/primary/events/import => calendar.events.import
        GET => /www.googleapis.com/calendar/v3/calendars/primary/acl => calendar.acl.list
        GET => /www.googleapis.com/drive/v3/about?fields=user => drive.about.get
        POST => /gmail.googleapis.com/gmail/v1/users/me/messages => gmail.users.messages.insert
        POST => /gmail.googleapis.com/upload/gmail/v1/users/me/messages/import => gmail.users.messages.import
        POST => /sheets.googleapis.com/v4/spreadsheets/x:batchUpdate => sheets.spreadsheets.batchUpdate
        GET => /people.googleapis.com/v1/people/me => people.people.get
    ";
    for [verb, path, id] in cases(table) {
        let reply = stage.json(verb, path, &token, &json!({})).await;
        assert_eq!(reply.status, 501, "{path}: {}", reply.text);
        let error = &reply.json()["error"];
        let message = format!("The sandbox doesn't play {id}; Google has it.");
        assert_eq!(error["message"], message, "{path}");
        assert_eq!(error["code"], 501);
    }
}

#[tokio::test]
async fn masks_cut_responses() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let list = stage
        .mail(
            "messages?maxResults=1&fields=messages(id),nextPageToken",
            &ada,
        )
        .await
        .ok();
    assert_eq!(list["messages"][0].as_object().unwrap().len(), 1);
    assert!(list["nextPageToken"].is_string());
    assert_eq!(list.get("resultSizeEstimate"), None);

    let id = stage.message_id(0, "Quarterly report & figures");
    let mask = "id,payload(parts(filename,body/size))";
    let message = stage
        .mail(&format!("messages/{id}?fields={mask}"), &ada)
        .await
        .ok();
    assert_eq!(
        message["payload"]["parts"][1]["body"],
        json!({"size": 1_048_576})
    );
    assert_eq!(message.as_object().unwrap().len(), 2);

    let people = stage
        .people(
            "people/me/connections?personFields=names&fields=connections/names/displayName",
            &ada,
        )
        .await
        .ok();
    assert_eq!(
        people["connections"][0],
        json!({"names": [{"displayName": "Charles Babbage"}]})
    );
}

#[tokio::test]
async fn bad_masks_are_refused() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    for mask in [
        "",
        "nothing",
        "messages(",
        "messages/subject",
        "messages(id),",
    ] {
        let reply = stage.mail(&format!("messages?fields={mask}"), &ada).await;
        assert_eq!(reply.status, 400, "{mask}");
        let error = &reply.json()["error"];
        assert_eq!(error["errors"][0]["reason"], "invalidParameter");
        assert_eq!(error["errors"][0]["location"], "fields");
    }
}
