//! The Drive API's methods that write, and those that return contents.

use serde_json::{Value, json};

use crate::{
    client::{Reply, cases},
    drive::Drive,
};

const DRIVE: &str = "https://www.googleapis.com/auth/drive";
const FILE: &str = "https://www.googleapis.com/auth/drive.file";
const READONLY: &str = "https://www.googleapis.com/auth/drive.readonly";
const BASE: &str = "/www.googleapis.com/drive/v3";

impl Drive {
    async fn ada_with(scope: &str) -> Self {
        Self::of("ada@example.com", scope).await
    }

    async fn get(&self, path: &str) -> Reply {
        self.stage.get(&format!("{BASE}{path}"), &self.token).await
    }

    async fn send(&self, verb: &str, path: &str, body: Value) -> Reply {
        let path = format!("{BASE}{path}");
        self.stage.json(verb, &path, &self.token, &body).await
    }

    async fn delete(&self, path: &str) -> Reply {
        let request = self
            .stage
            .http
            .delete(self.stage.url(&format!("{BASE}{path}")));
        self.stage.send(request.bearer_auth(&self.token)).await
    }

    async fn found(&self, query: &str) -> Vec<String> {
        self.names(&[("q", query)]).await
    }
}

fn id(file: &Value) -> &str {
    file["id"].as_str().expect("an id")
}

#[tokio::test]
async fn a_file_that_was_made_is_listed_found_and_read() {
    let drive = Drive::ada_with(DRIVE).await;
    let folder = drive
        .send(
            "POST",
            "/files",
            json!({"name": "Plans", "mimeType": "application/vnd.google-apps.folder"}),
        )
        .await
        .ok();
    assert_eq!(folder.as_object().unwrap().len(), 4);
    let file = drive
        .send(
            "POST",
            "/files?fields=*",
            json!({
                "name": "Gears.txt",
                "mimeType": "text/plain",
                "parents": [id(&folder)],
                "description": "brass wheels",
                "starred": true,
                "createdTime": "2026-01-02T03:04:05Z",
            }),
        )
        .await
        .ok();
    assert_eq!(file["size"], "0");
    assert_eq!(file["parents"], json!([id(&folder)]));
    assert_eq!(file["createdTime"], "2026-01-02T03:04:05.000Z");
    assert_eq!(file["modifiedTime"], "2026-05-04T09:00:00.000Z");
    assert_eq!(file["owners"][0]["me"], true);
    let within = format!("'{}' in parents", id(&folder));
    assert_eq!(drive.found(&within).await, ["Gears.txt"]);
    assert_eq!(
        drive.found("fullText contains 'brass'").await,
        ["Gears.txt"]
    );
    assert_eq!(drive.found("name = 'Plans'").await, ["Plans"]);
    // Without a parent, a file is in My Drive, and without a type, it's just bytes.
    let plain = drive.send("POST", "/files?fields=*", json!({})).await.ok();
    assert_eq!(plain["name"], "Untitled");
    assert_eq!(plain["mimeType"], "application/octet-stream");
    assert_eq!(plain["parents"], json!([drive.id("My Drive")]));
    let shortcut = drive
        .send(
            "POST",
            "/files?fields=shortcutDetails",
            json!({
                "name": "To the gears",
                "mimeType": "application/vnd.google-apps.shortcut",
                "shortcutDetails": {"targetId": id(&file)},
            }),
        )
        .await
        .ok();
    assert_eq!(shortcut["shortcutDetails"]["targetMimeType"], "text/plain");
}

#[tokio::test]
async fn a_spreadsheet_that_was_made_opens_in_sheets() {
    let drive = Drive::ada_with(DRIVE).await;
    let body = json!({"name": "Sums", "mimeType": "application/vnd.google-apps.spreadsheet"});
    let file = drive.send("POST", "/files", body).await.ok();
    let path = format!("/sheets.googleapis.com/v4/spreadsheets/{}", id(&file));
    let sheet = drive.stage.get(&path, &drive.token).await.ok();
    assert_eq!(sheet["properties"]["title"], "Sums");
    assert_eq!(sheet["sheets"][0]["properties"]["title"], "Sheet1");
}

#[tokio::test]
async fn invalid_metadata_of_a_new_file_is_refused() {
    let drive = Drive::ada_with(DRIVE).await;
    let (letter, engine) = (drive.id("Note G.pdf"), drive.id("Engine"));
    let table = r#"
        {"size": "3"} => 403 => fieldNotWritable => not directly writable
        {"colour": "red"} => 400 => badRequest => Unknown name "colour"
        {"name": 3} => 400 => badRequest => file.name
        {"parents": "x"} => 400 => badRequest => file.parents
        {"starred": "yes"} => 400 => badRequest => file.starred
        {"createdTime": "soon"} => 400 => invalid => Invalid Value
        {"parents": ["nowhere"]} => 404 => notFound => File not found: nowhere.
        {"parents": ["LETTER"]} => 403 => parentNotAFolder => not a folder
        {"parents": ["ENGINE", "ENGINE"]} => 403 => cannotAddParent => parents
        {"id": "made-up"} => 400 => invalid => not usable
        {"mimeType": "application/vnd.google-apps.shortcut"} => 400 => shortcutTargetInvalid => target
        {"properties": {"a": "b"}} => 501 => notImplemented => file.properties
    "#;
    for [body, status, reason, says] in cases(table) {
        let body = body.replace("LETTER", &letter).replace("ENGINE", &engine);
        let body = serde_json::from_str(&body).unwrap();
        let status = status.parse().unwrap();
        let reply = drive.send("POST", "/files", body).await;
        reply.refused(status, reason, says);
    }
    let unknown = drive
        .send("POST", "/files?uploadKind=media", json!({}))
        .await;
    unknown.refused(400, "badRequest", "Cannot bind query parameter");
    let reader = Drive::ada_with(READONLY).await;
    let reply = reader.send("POST", "/files", json!({})).await;
    reply.refused(403, "insufficientPermissions", "scopes");
}

#[tokio::test]
async fn a_file_is_changed_moved_and_deleted() {
    let drive = Drive::ada_with(DRIVE).await;
    let (letter, engine) = (drive.id("Note G.pdf"), drive.id("Engine"));
    let path = format!("/files/{letter}?fields=name,description,starred,version,modifiedTime");
    let body = json!({"name": "Note G, final.pdf", "description": "sent", "starred": true});
    let changed = drive.send("PATCH", &path, body).await.ok();
    assert_eq!(changed["name"], "Note G, final.pdf");
    assert_eq!(changed["version"], "2");
    assert_eq!(changed["modifiedTime"], "2026-05-04T09:00:00.000Z");
    // Moving a file needs both parameters.
    let add = format!("/files/{letter}?addParents=root");
    let reply = drive.send("PATCH", &add, json!({})).await;
    reply.refused(403, "cannotAddParent", "parents");
    let both = format!("{add}&removeParents={engine}&fields=parents");
    let moved = drive.send("PATCH", &both, json!({})).await.ok();
    assert_eq!(moved["parents"], json!([drive.id("My Drive")]));
    let trash = drive
        .send(
            "PATCH",
            &format!("/files/{letter}"),
            json!({"trashed": true}),
        )
        .await;
    assert_eq!(trash.status, 200);
    assert!(
        drive
            .found("trashed = true")
            .await
            .contains(&"Note G, final.pdf".to_owned())
    );
    for (body, reason) in [
        (json!({"parents": ["root"]}), "fieldNotWritable"),
        (json!({"id": "x"}), "fieldNotWritable"),
        (json!({"md5Checksum": "x"}), "fieldNotWritable"),
    ] {
        let reply = drive.send("PATCH", &format!("/files/{letter}"), body).await;
        reply.refused(403, reason, "");
    }
    // Ada can read Grace's file but not change it. Deleting a folder deletes everything in it.
    let log = drive.id("Moth log");
    let reply = drive
        .send("PATCH", &format!("/files/{log}"), json!({"name": "x"}))
        .await;
    reply.refused(403, "insufficientFilePermissions", "permissions");
    let reply = drive.delete(&format!("/files/{log}")).await;
    reply.refused(403, "insufficientFilePermissions", "permissions");
    let patterns = drive.id("Algebraical patterns");
    let gone = drive.delete(&format!("/files/{engine}")).await;
    assert_eq!((gone.status, gone.text.as_str()), (204, ""));
    for id in [&engine, &patterns] {
        drive
            .get(&format!("/files/{id}"))
            .await
            .refused(404, "notFound", id);
    }
    let top = drive.id("My Drive");
    let reply = drive.delete(&format!("/files/{top}")).await;
    reply.refused(403, "insufficientFilePermissions", "permissions");
}

#[tokio::test]
async fn the_scope_for_ones_own_files_reaches_those_only() {
    let drive = Drive::ada_with(FILE).await;
    let file = drive
        .send("POST", "/files", json!({"name": "mine"}))
        .await
        .ok();
    assert_eq!(drive.found("").await, ["mine"]);
    let path = format!("/files/{}", id(&file));
    let changed = drive
        .send("PATCH", &path, json!({"name": "still mine"}))
        .await;
    assert_eq!(changed.status, 200);
    let letter = drive.id("Note G.pdf");
    let reply = drive
        .send("PATCH", &format!("/files/{letter}"), json!({}))
        .await;
    reply.refused(404, "notFound", &letter);
    assert_eq!(drive.delete(&path).await.status, 204);
    assert!(drive.found("").await.is_empty());
}

#[tokio::test]
async fn contents_are_downloaded_completely_or_in_ranges() {
    let drive = Drive::ada_with(READONLY).await;
    let path = format!("/files/{}?alt=media", drive.id("Note G.pdf"));
    let whole = drive.get(&path).await;
    assert_eq!(whole.status, 200, "{}", whole.text);
    assert_eq!(whole.header("content-type"), "application/pdf");
    assert!(whole.text.starts_with("Table of the Bernoulli numbers"));
    let range = async |range: &str| {
        let request = drive
            .stage
            .http
            .get(drive.stage.url(&format!("{BASE}{path}")));
        let request = request.bearer_auth(&drive.token).header("range", range);
        drive.stage.send(request).await
    };
    let part = range("bytes=6-7").await;
    assert_eq!((part.status, part.text.as_str()), (206, "of"));
    assert_eq!(part.header("content-range"), "bytes 6-7/96");
    assert_eq!(part.header("content-length"), "2");
    let beyond = range("bytes=96-").await;
    beyond.refused(416, "requestedRangeNotSatisfiable", "range");
    assert_eq!(beyond.header("content-range"), "bytes */96");
    // Google's own documents have no bytes to download, and neither do lists.
    let document = drive.id("Algebraical patterns");
    let reply = drive.get(&format!("/files/{document}?alt=media")).await;
    reply.refused(403, "fileNotDownloadable", "Use Export");
    let reply = drive.get("/files?alt=media").await;
    reply.refused(400, "badRequest", "output format");
    let metadata = Drive::ada_with("https://www.googleapis.com/auth/drive.metadata.readonly").await;
    let reply = metadata.get(&path).await;
    reply.refused(403, "insufficientPermissions", "scopes");
}

#[tokio::test]
async fn documents_are_exported_as_text() {
    let drive = Drive::ada_with(READONLY).await;
    let path = format!("/files/{}/export", drive.id("Algebraical patterns"));
    for pairs in ["?mimeType=text/plain", "?mimeType=text/plain&alt=media"] {
        let text = drive.get(&format!("{path}{pairs}")).await;
        assert_eq!(text.status, 200, "{}", text.text);
        assert_eq!(text.header("content-type"), "text/plain");
        assert!(text.text.starts_with("The engine weaves"), "{}", text.text);
    }
    drive.get(&path).await.refused(400, "required", "mimeType");
    let reply = drive.get(&format!("{path}?mimeType=image/png")).await;
    reply.refused(400, "badRequest", "conversion is not supported");
    let reply = drive.get(&format!("{path}?mimeType=application/pdf")).await;
    reply.refused(501, "notImplemented", "application/pdf");
    let blob = format!(
        "/files/{}/export?mimeType=text/plain",
        drive.id("Note G.pdf")
    );
    drive
        .get(&blob)
        .await
        .refused(403, "fileNotExportable", "Docs Editors");
}
