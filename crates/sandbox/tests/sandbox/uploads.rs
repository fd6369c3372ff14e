//! Uploads: simple, multipart and resumable.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::client::{Reply, Stage, cases};

const SCOPE: &str = "https://www.googleapis.com/auth/drive.file";
const HOST: &str = "/www.googleapis.com";
const PIECE: usize = 256 * 1024;

/// A sandbox with Ada's token.
struct Uploads {
    stage: Stage,
    token: String,
}

impl Uploads {
    async fn new() -> Self {
        let stage = Stage::new().await;
        let token = stage.tokens("ada@example.com", &[SCOPE]).await.access;
        Self { stage, token }
    }

    async fn send(
        &self,
        verb: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<reqwest::Body>,
    ) -> Reply {
        let url = self.stage.url(&format!("{HOST}{path}"));
        let mut request = self
            .stage
            .http
            .request(verb.parse().expect("a method"), url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.bearer_auth(&self.token).body(body);
        self.stage.send(request).await
    }

    async fn bytes(&self, id: &Value) -> Vec<u8> {
        let path = format!(
            "{HOST}/drive/v3/files/{}?alt=media",
            id.as_str().expect("an id")
        );
        let request = self.stage.http.get(self.stage.url(&path));
        let response = request
            .bearer_auth(&self.token)
            .send()
            .await
            .expect("a response");
        assert_eq!(response.status(), 200);
        response.bytes().await.expect("a body").to_vec()
    }

    async fn file(&self, id: &Value) -> Value {
        let path = format!(
            "{HOST}/drive/v3/files/{}?fields=*",
            id.as_str().expect("an id")
        );
        self.stage.get(&path, &self.token).await.ok()
    }

    /// Begins a resumable upload; the path of its session.
    async fn session(
        &self,
        verb: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> String {
        let mut all = vec![("content-type", "application/json; charset=UTF-8")];
        all.extend(headers);
        let begun = self.send(verb, path, &all, body.to_owned()).await;
        assert_eq!((begun.status, begun.text.as_str()), (200, ""));
        let location = begun.header("location").to_owned();
        let own = self.stage.url(HOST);
        let session = location
            .strip_prefix(&own)
            .expect("an address of the sandbox");
        session.to_owned()
    }

    async fn piece(&self, session: &str, range: &str, body: &[u8]) -> Reply {
        self.send("PUT", session, &[("content-range", range)], body.to_vec())
            .await
    }
}

const SIMPLE: &str = "/upload/drive/v3/files?uploadType=media";
const MULTIPART: &str = "/upload/drive/v3/files?uploadType=multipart";
const RESUMABLE: &str = "/upload/drive/v3/files?uploadType=resumable";

/// Bytes that no text is.
fn noise(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 7 + at / 251) as u8).collect()
}

fn multipart(metadata: &str, kind: &str, media: &[u8]) -> Vec<u8> {
    let mut body = format!(
        "--b_1\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{metadata}\r\n--b_1\r\nContent-Type: {kind}\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(media);
    body.extend_from_slice(b"\r\n--b_1--");
    body
}

const RELATED: (&str, &str) = ("content-type", "multipart/related; boundary=b_1");

#[tokio::test]
async fn a_simple_upload_makes_a_file_and_replaces_its_content() {
    let drive = Uploads::new().await;
    let kind = [("content-type", "text/plain; charset=utf-8")];
    let file = drive
        .send("POST", SIMPLE, &kind, "a loom of brass")
        .await
        .ok();
    assert_eq!(file["name"], "Untitled");
    assert_eq!(file["mimeType"], "text/plain");
    assert_eq!(drive.bytes(&file["id"]).await, b"a loom of brass");
    let found = format!("{HOST}/drive/v3/files?q=fullText%20contains%20%27brass%27");
    let found = drive.stage.get(&found, &drive.token).await.ok();
    assert_eq!(found["files"][0]["id"], file["id"]);
    let bytes = noise(5000);
    let path = format!(
        "/upload/drive/v3/files/{}?uploadType=media&fields=size,version",
        file["id"].as_str().unwrap()
    );
    let changed = drive
        .send(
            "PATCH",
            &path,
            &[("content-type", "image/png")],
            bytes.clone(),
        )
        .await;
    assert_eq!(changed.ok(), json!({"size": "5000", "version": "2"}));
    assert_eq!(drive.bytes(&file["id"]).await, bytes);
    let shown = drive.file(&file["id"]).await;
    let digest: String = Sha256::digest(&bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(shown["sha256Checksum"], digest);
    assert_eq!(shown["mimeType"], "image/png");
}

#[tokio::test]
async fn an_application_uploads_only_into_its_own_folders() {
    let drive = Uploads::new().await;
    let world = drive.stage.sandbox().world();
    let files = world["users"][0]["files"].as_array().unwrap();
    let engine = files.iter().find(|file| file["name"] == "Engine").unwrap();
    let upload = async |folder: &Value| {
        let metadata = json!({"name": "a.txt", "parents": [folder]}).to_string();
        let body = multipart(&metadata, "text/plain; charset=UTF-8", b"a");
        drive.send("POST", MULTIPART, &[RELATED], body).await
    };
    let foreign = upload(&engine["id"]).await;
    let id = engine["id"].as_str().unwrap();
    foreign.refused(404, "notFound", &format!("File not found: {id}"));
    let metadata = json!({"name": "Mine", "mimeType": "application/vnd.google-apps.folder"});
    let headers = [("content-type", "application/json")];
    let made = drive.send("POST", "/drive/v3/files", &headers, metadata.to_string());
    let own = made.await.ok()["id"].clone();
    let file = upload(&own).await.ok();
    assert_eq!(file["mimeType"], "text/plain");
    upload(&json!("root")).await.ok();
}

#[tokio::test]
async fn an_upload_of_two_parts_has_metadata_and_bytes() {
    let drive = Uploads::new().await;
    let mut bytes = noise(70_000);
    bytes.extend_from_slice(b"\r\n--b_2\r\n\r\n");
    let body = multipart(r#"{"name": "card.png"}"#, "image/png", &bytes);
    let file = drive.send("POST", MULTIPART, &[RELATED], body).await.ok();
    assert_eq!(
        (&file["name"], &file["mimeType"]),
        (&json!("card.png"), &json!("image/png"))
    );
    assert_eq!(drive.bytes(&file["id"]).await, bytes);
    // A text becomes a document if the client asks for that.
    let document = json!({"name": "Notes", "mimeType": "application/vnd.google-apps.document"});
    let body = multipart(&document.to_string(), "text/plain", b"tea and cake");
    let file = drive.send("POST", MULTIPART, &[RELATED], body).await.ok();
    let path = format!(
        "{HOST}/drive/v3/files/{}/export?mimeType=text/plain",
        file["id"].as_str().unwrap()
    );
    assert_eq!(
        drive.stage.get(&path, &drive.token).await.text,
        "tea and cake"
    );
    let three = b"--b_1\r\nContent-Type: application/json\r\n\r\n{}\r\n--b_1--".to_vec();
    let of = |metadata: &str| multipart(metadata, "text/plain", b"x");
    let (no_boundary, json) = ("multipart/related", "application/json");
    for (kind, body, says) in [
        (RELATED.1, three, "two parts"),
        (RELATED.1, of("{"), "Invalid JSON"),
        (RELATED.1, of(r#"{"colour": 1}"#), "Unknown name"),
        (RELATED.1, b"no boundary at all".to_vec(), "boundary"),
        (no_boundary, b"x".to_vec(), "boundary"),
        (json, b"{}".to_vec(), "multipart/related"),
    ] {
        let headers = [("content-type", kind)];
        let reply = drive.send("POST", MULTIPART, &headers, body).await;
        reply.refused(400, "badRequest", says);
    }
}

/// The parameter is optional in Google's description; aiogoogle leaves it out.
#[tokio::test]
async fn an_upload_without_its_type_is_taken_by_its_content() {
    let drive = Uploads::new().await;
    let path = "/upload/drive/v3/files?fields=*";
    let simple = drive
        .send("POST", path, &[("content-type", "text/plain")], "gears")
        .await
        .ok();
    assert_eq!(drive.bytes(&simple["id"]).await, b"gears");
    let body = multipart(r#"{"name": "a.txt"}"#, "text/plain", b"two parts");
    let file = drive.send("POST", path, &[RELATED], body).await.ok();
    assert_eq!(file["name"], "a.txt");
    assert_eq!(drive.bytes(&file["id"]).await, b"two parts");
}

#[tokio::test]
async fn a_resumable_upload_takes_pieces() {
    let drive = Uploads::new().await;
    let bytes = noise(2 * PIECE + 1000);
    let total = bytes.len();
    let announced = total.to_string();
    let headers = [
        ("x-upload-content-type", "video/mp4"),
        ("x-upload-content-length", announced.as_str()),
    ];
    let path = format!("{RESUMABLE}&fields=id,name,size");
    let session = drive
        .session("POST", &path, &headers, r#"{"name": "film.mp4"}"#)
        .await;
    let nothing = drive
        .piece(&session, &format!("bytes */{total}"), b"")
        .await;
    assert_eq!((nothing.status, nothing.header("range")), (308, ""));
    let first = drive
        .piece(
            &session,
            &format!("bytes 0-{}/{total}", PIECE - 1),
            &bytes[..PIECE],
        )
        .await;
    assert_eq!(
        (first.status, first.header("range")),
        (308, "bytes=0-262143")
    );
    assert_eq!(first.text, "");
    // Each piece has a fault: its length isn't a multiple of 256 KiB, it follows a gap, its length or total is wrong,
    // or its range is unreadable.
    assert_eq!((PIECE, total), (262_144, 525_288));
    let table = "
        bytes 262144-263143/525288 => 1000 => 262144
        bytes 524288-786431/525288 => 262144 => follow
        bytes 262144-524287/525288 => 1000 => Content-Range
        bytes 262144-524287/525289 => 262144 => announced
        bytes all => 0 => parse Content-Range
    ";
    for [range, length, says] in cases(table) {
        let body = &bytes[..length.parse::<usize>().unwrap()];
        let reply = drive.piece(&session, range, body).await;
        reply.refused(400, "badRequest", says);
    }
    // If a piece starts before the end of the received bytes, the known part is skipped.
    let both = drive
        .piece(
            &session,
            &format!("bytes 0-{}/{total}", 2 * PIECE - 1),
            &bytes[..2 * PIECE],
        )
        .await;
    assert_eq!((both.status, both.header("range")), (308, "bytes=0-524287"));
    let rest = format!("bytes {}-{}/{total}", 2 * PIECE, total - 1);
    let file = drive.piece(&session, &rest, &bytes[2 * PIECE..]).await.ok();
    assert_eq!(file["name"], "film.mp4");
    assert_eq!(file["size"], announced);
    assert_eq!(drive.bytes(&file["id"]).await, bytes);
    assert_eq!(drive.file(&file["id"]).await["mimeType"], "video/mp4");
    // A status request after the end returns the file.
    let question = drive
        .piece(&session, &format!("bytes */{total}"), b"")
        .await
        .ok();
    assert_eq!(question["id"], file["id"]);
}

#[tokio::test]
async fn a_resumable_upload_may_be_one_request_or_have_no_length() {
    let drive = Uploads::new().await;
    let session = drive.session("POST", RESUMABLE, &[], "").await;
    let file = drive.send("PUT", &session, &[], noise(10)).await.ok();
    assert_eq!(drive.bytes(&file["id"]).await, noise(10));
    let path = format!(
        "/upload/drive/v3/files/{}?uploadType=resumable",
        file["id"].as_str().unwrap()
    );
    let session = drive
        .session("PATCH", &path, &[], r#"{"name": "longer"}"#)
        .await;
    let bytes = noise(PIECE + 5);
    let first = drive
        .piece(
            &session,
            &format!("bytes 0-{}/*", PIECE - 1),
            &bytes[..PIECE],
        )
        .await;
    assert_eq!(first.status, 308);
    let last = format!("bytes {PIECE}-{}/{}", bytes.len() - 1, bytes.len());
    let changed = drive.piece(&session, &last, &bytes[PIECE..]).await.ok();
    assert_eq!(
        (&changed["id"], &changed["name"]),
        (&file["id"], &json!("longer"))
    );
    assert_eq!(drive.bytes(&file["id"]).await, bytes);
    // An empty file.
    let session = drive.session("POST", RESUMABLE, &[], "").await;
    let empty = drive.piece(&session, "bytes */0", b"").await.ok();
    assert_eq!(drive.file(&empty["id"]).await["size"], "0");
}

#[tokio::test]
async fn sessions_belong_to_their_user_and_end_after_a_week() {
    let drive = Uploads::new().await;
    let session = drive.session("POST", RESUMABLE, &[], "").await;
    let grace = drive
        .stage
        .tokens("grace@example.com", &[SCOPE])
        .await
        .access;
    let put = |token: &str| {
        let request = drive
            .stage
            .http
            .put(drive.stage.url(&format!("{HOST}{session}")));
        drive.stage.send(request.bearer_auth(token).body("x"))
    };
    assert_eq!(put(&grace).await.status, 404);
    assert_eq!(put("made-up").await.status, 401);
    let made_up = drive
        .piece(&format!("{RESUMABLE}&upload_id=x"), "bytes */1", b"")
        .await;
    made_up.refused(404, "notFound", "");
    assert_eq!(put(&drive.token).await.status, 200);
    let session = drive.session("POST", RESUMABLE, &[], "").await;
    drive
        .stage
        .cause(json!({ "kind": "advance", "seconds": 7 * 24 * 3600 }));
    let request = drive
        .stage
        .http
        .put(drive.stage.url(&format!("{HOST}{session}")));
    assert_eq!(drive.stage.send(request.body("x")).await.status, 404);
}

#[tokio::test]
async fn uploads_are_checked_like_any_request() {
    let drive = Uploads::new().await;
    let kind = [("content-type", "text/plain")];
    let stream = "/upload/drive/v3/files?uploadType=stream";
    let reply = drive.send("POST", stream, &kind, "x").await;
    reply.refused(400, "invalid", "Invalid Value");
    let reply = drive
        .send("POST", &format!("{SIMPLE}&colour=red"), &kind, "x")
        .await;
    reply.refused(400, "badRequest", "Cannot bind query parameter");
    let reply = drive
        .send("POST", &format!("{SIMPLE}&fields=colour"), &kind, "x")
        .await;
    reply.refused(400, "invalidParameter", "colour");
    assert_eq!(drive.send("PUT", SIMPLE, &kind, "x").await.status, 405);
    assert_eq!(
        drive
            .send("POST", "/upload/drive/v3/folders", &kind, "x")
            .await
            .status,
        404
    );
    let gone = "/upload/drive/v3/files/nowhere?uploadType=resumable";
    let reply = drive.send("PATCH", gone, &[], "").await;
    reply.refused(404, "notFound", "nowhere");
    let reader = drive.stage.tokens(
        "ada@example.com",
        &["https://www.googleapis.com/auth/drive.readonly"],
    );
    let request = drive
        .stage
        .http
        .post(drive.stage.url(&format!("{HOST}{SIMPLE}")));
    let request = request.bearer_auth(reader.await.access).body("x");
    drive
        .stage
        .send(request)
        .await
        .refused(403, "insufficientPermissions", "scopes");
    // A folder can't have content.
    let folder = json!({"mimeType": "application/vnd.google-apps.folder"}).to_string();
    let reply = drive
        .send(
            "POST",
            MULTIPART,
            &[RELATED],
            multipart(&folder, "text/plain", b"x"),
        )
        .await;
    reply.refused(400, "badRequest", "no content");
}

#[tokio::test]
async fn a_file_of_sixty_megabytes_is_uploaded_and_downloaded() {
    let drive = Uploads::new().await;
    let bytes = noise(1_000_000).repeat(60);
    let kind = [("content-type", "application/zip")];
    let file = drive.send("POST", SIMPLE, &kind, bytes.clone()).await.ok();
    assert!(drive.bytes(&file["id"]).await == bytes);
    // A session's ID is a secret, so the log redacts it.
    let session = drive.session("POST", RESUMABLE, &[], "").await;
    drive.piece(&session, "bytes */*", b"").await;
    let log = drive.stage.sandbox().received();
    let query = log.last().unwrap().query.clone().unwrap();
    assert!(query.ends_with("upload_id=***"), "{query}");
}
