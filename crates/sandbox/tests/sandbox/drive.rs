//! The Drive API's methods.

use serde_json::{Value, json};
use stead_sandbox::Fault;

use crate::client::{Reply, Stage, form};

const READONLY: &str = "https://www.googleapis.com/auth/drive.readonly";
const BASE: &str = "/www.googleapis.com/drive/v3/files";

/// A sandbox with one user's token.
pub(crate) struct Drive {
    pub(crate) stage: Stage,
    pub(crate) token: String,
}

impl Drive {
    pub(crate) async fn of(user: &str, scope: &str) -> Self {
        let stage = Stage::new().await;
        let token = stage.tokens(user, &[scope]).await.access;
        Self { stage, token }
    }

    async fn ada() -> Self {
        Self::of("ada@example.com", READONLY).await
    }

    /// The id of a file that Ada sees.
    pub(crate) fn id(&self, name: &str) -> String {
        let world = self.stage.sandbox().world();
        let files = world["users"][0]["files"].as_array().expect("files");
        let found = files.iter().find(|file| file["name"] == name);
        found.expect(name)["id"].as_str().expect("an id").to_owned()
    }

    async fn file(&self, path: &str) -> Reply {
        self.stage.get(&format!("{BASE}/{path}"), &self.token).await
    }

    async fn list(&self, pairs: &[(&str, &str)]) -> Reply {
        let path = format!("{BASE}?{}", form(pairs));
        self.stage.get(&path, &self.token).await
    }

    /// Names of the files that come.
    pub(crate) async fn names(&self, pairs: &[(&str, &str)]) -> Vec<String> {
        let list = self.list(pairs).await.ok();
        let files = list["files"].as_array().expect("files");
        let name = |file: &Value| file["name"].as_str().unwrap_or_default().to_owned();
        files.iter().map(name).collect()
    }
}

#[track_caller]
fn refused(reply: &Reply, status: u16, reason: &str, location: &str) {
    assert_eq!(reply.status, status, "{}", reply.text);
    let one = &reply.json()["error"]["errors"][0];
    assert_eq!(one["reason"], reason, "{}", reply.text);
    assert_eq!(one["location"].as_str().unwrap_or_default(), location);
}

const ALL: [(&str, &str); 3] = [
    ("supportsAllDrives", "true"),
    ("includeItemsFromAllDrives", "true"),
    ("corpora", "allDrives"),
];

#[tokio::test]
async fn a_file_has_four_fields_unless_more_are_asked_for() {
    let drive = Drive::ada().await;
    let id = drive.id("Note G.pdf");
    let plain = drive.file(&id).await.ok();
    assert_eq!(
        plain,
        json!({"kind": "drive#file", "id": id, "name": "Note G.pdf", "mimeType": "application/pdf"})
    );
    let mask = "size,owners(emailAddress),capabilities/canEdit,webViewLink,createdTime";
    let masked = drive.file(&format!("{id}?fields={mask}")).await.ok();
    assert_eq!(masked["size"], "96");
    assert_eq!(
        masked["owners"],
        json!([{"emailAddress": "ada@example.com"}])
    );
    assert_eq!(masked["capabilities"], json!({"canEdit": true}));
    assert_eq!(masked["createdTime"], "2026-04-19T16:00:00.000Z");
    assert_eq!(masked.as_object().unwrap().len(), 5);
    let all = drive.file(&format!("{id}?fields=*")).await.ok();
    assert_eq!(all["lastModifyingUser"]["displayName"], "Ada Lovelace");
    let folder = drive
        .file(&format!("{}?fields=size,id", drive.id("Engine")))
        .await
        .ok();
    assert_eq!(folder.get("size"), None);
    let root = drive.file("root?fields=name,parents").await.ok();
    assert_eq!(root, json!({"name": "My Drive"}));
    let shortcut = drive
        .list(&[
            ("q", "mimeType = 'application/vnd.google-apps.shortcut'"),
            ("fields", "files(shortcutDetails)"),
        ])
        .await
        .ok();
    assert_eq!(
        shortcut["files"][0]["shortcutDetails"]["targetMimeType"],
        "application/vnd.google-apps.spreadsheet"
    );
    refused(
        &drive.file(&format!("{id}?fields=colour")).await,
        400,
        "invalidParameter",
        "fields",
    );
    refused(
        &drive.file(&format!("{id}?fields=id%20,name")).await,
        400,
        "invalidParameter",
        "fields",
    );
    refused(
        &drive.file(&format!("{id}?corpora=user")).await,
        400,
        "badRequest",
        "",
    );
}

#[tokio::test]
async fn shared_drives_need_their_parameters() {
    let drive = Drive::ada().await;
    let chart = drive.id("Star chart.pdf");
    refused(&drive.file(&chart).await, 404, "notFound", "fileId");
    let shared = drive
        .file(&format!(
            "{chart}?supportsAllDrives=true&fields=driveId,owners"
        ))
        .await
        .ok();
    assert_eq!(shared, json!({"driveId": "0AObservatoryPVA"}));
    let query = ("q", "name contains 'star'");
    assert!(drive.names(&[query]).await.is_empty());
    let mut all = ALL.to_vec();
    all.push(query);
    assert_eq!(drive.names(&all).await, ["Star chart.pdf"]);
    let one = [
        query,
        ALL[0],
        ALL[1],
        ("corpora", "drive"),
        ("driveId", "0AObservatoryPVA"),
    ];
    assert_eq!(drive.names(&one).await, ["Star chart.pdf"]);
    for (pairs, location) in [
        (&[ALL[1]][..], "includeItemsFromAllDrives"),
        (&[ALL[0], ALL[2]], "includeItemsFromAllDrives"),
        (&[ALL[0], ALL[1], ("corpora", "drive")], "corpora"),
        (&[("corpora", "everything")], "corpora"),
        (&[("driveId", "x")], "driveId"),
        (&[("spaces", "photos")], "spaces"),
    ] {
        refused(&drive.list(pairs).await, 400, "invalid", location);
    }
}

#[tokio::test]
async fn queries_find_and_bad_ones_are_refused() {
    let drive = Drive::ada().await;
    for (query, names) in [
        ("trashed = true", &["Old budget.txt"][..]),
        ("name contains 'trashed = true'", &["trashed = true.txt"]),
        (
            "name = 'quinn\\'s paper\\\\essay.txt'",
            &["quinn's paper\\essay.txt"],
        ),
        (
            "fullText contains 'budget' and trashed = false",
            &["Budget 2026", "Budget"],
        ),
        (
            "fullText contains 'engine'",
            &["Note G.pdf", "Algebraical patterns", "Engine"],
        ),
        ("fullText contains 'Hello'", &[]),
        ("name contains 'Hello'", &["HelloWorld.txt"]),
        ("'grace@example.com' in owners", &["Moth log", "Guest list"]),
    ] {
        let found = drive.names(&[("q", query)]).await;
        assert_eq!(found, names, "{query}");
    }
    for query in [
        "name",
        "name = 'it's'",
        "colour = 'red'",
        "trashed = 'true'",
        "name = 'a' or",
    ] {
        refused(&drive.list(&[("q", query)]).await, 400, "invalid", "q");
    }
    let unplayed = drive.list(&[("q", "visibility = 'limited'")]).await;
    assert_eq!(unplayed.status, 501);
    let sorted = drive
        .list(&[("q", "fullText contains 'a'"), ("orderBy", "name")])
        .await;
    refused(&sorted, 400, "badRequest", "");
    assert!(
        sorted.text.contains("Sorting is not supported"),
        "{}",
        sorted.text
    );
}

#[tokio::test]
async fn files_are_sorted_and_paged() {
    let drive = Drive::ada().await;
    let mine = ("q", "'me' in owners and trashed = false");
    let by_name = drive.names(&[mine, ("orderBy", "folder,name desc")]).await;
    assert_eq!(by_name[..2], ["Engine", "trashed = true.txt"]);
    assert_eq!(by_name.last().unwrap(), "Algebraical patterns");
    let newest = drive
        .names(&[mine, ("orderBy", "modifiedTime desc"), ("pageSize", "2")])
        .await;
    assert_eq!(newest, ["Budget", "Budget 2026"]);

    let mut seen = Vec::new();
    let mut token = String::new();
    loop {
        let mut pairs = vec![mine, ("orderBy", "name"), ("pageSize", "4")];
        if !token.is_empty() {
            pairs.push(("pageToken", &token));
        }
        let page = drive.list(&pairs).await.ok();
        assert_eq!(page["incompleteSearch"], false);
        seen.extend(page["files"].as_array().unwrap().clone());
        match page["nextPageToken"].as_str() {
            Some(next) => token = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(seen.len(), by_name.len());
    // A mask without `nextPageToken` hides that there are more pages.
    let masked = drive
        .list(&[mine, ("pageSize", "1"), ("fields", "files(id)")])
        .await
        .ok();
    assert_eq!(masked.as_object().unwrap().len(), 1);
    for (pair, location) in [
        (("pageToken", "x"), "pageToken"),
        (("pageSize", "0"), "pageSize"),
        (("orderBy", "size"), "orderBy"),
        (("orderBy", "name asc"), "orderBy"),
    ] {
        refused(&drive.list(&[mine, pair]).await, 400, "invalid", location);
    }
    assert_eq!(drive.list(&[mine, ("pageSize", "5000")]).await.status, 200);
    refused(
        &drive.list(&[("pagesize", "5")]).await,
        400,
        "badRequest",
        "",
    );
    refused(
        &drive.list(&[("fields", "id,name")]).await,
        400,
        "invalidParameter",
        "fields",
    );
}

#[tokio::test]
async fn only_shared_files_are_visible() {
    let drive = Drive::ada().await;
    let notes = drive.stage.sandbox().world()["users"][1]["files"].clone();
    let notes = notes
        .as_array()
        .unwrap()
        .iter()
        .find(|file| file["name"] == "Compiler notes.txt");
    let id = notes.unwrap()["id"].as_str().unwrap().to_owned();
    refused(&drive.file(&id).await, 404, "notFound", "fileId");
    assert!(
        drive
            .names(&[("q", "fullText contains 'compiler'")])
            .await
            .is_empty()
    );
    let grace = Drive::of("grace@example.com", READONLY).await;
    assert_eq!(grace.file(&id).await.ok()["name"], "Compiler notes.txt");
    let narrow = Drive::of(
        "ada@example.com",
        "https://www.googleapis.com/auth/drive.file",
    )
    .await;
    assert!(narrow.names(&[]).await.is_empty());
    let mail = Drive::of(
        "ada@example.com",
        "https://www.googleapis.com/auth/gmail.readonly",
    )
    .await;
    refused(&mail.list(&[]).await, 403, "insufficientPermissions", "");
}

#[tokio::test]
async fn the_shared_host_knows_its_apis_and_faults_apply() {
    let drive = Drive::ada().await;
    for path in [
        "/www.googleapis.com/",
        "/www.googleapis.com/nothing/v1/x",
        "/www.googleapis.com/drive/v3",
    ] {
        assert_eq!(
            drive.stage.get(path, &drive.token).await.status,
            404,
            "{path}"
        );
    }
    drive
        .stage
        .sandbox()
        .fault(Fault::Unauthorized { times: 1 });
    refused(&drive.list(&[]).await, 401, "authError", "Authorization");
    assert_eq!(drive.list(&[]).await.status, 200);
}
