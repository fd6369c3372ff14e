//! After a user is erased, no stored data contains the user's names.

use serde_json::json;
use stead::resource::ExecutionFilter;
use stead_core::{api::Paging, resource::ListExecutions};

use crate::{
    browser::Browser,
    stage::{ADA, GRACE, Stage},
    tampering::database,
};

const NAME: &str = "customer-Lovelace-1815";

/// The user's names that occur in the database's files.
async fn named(stage: &Stage) -> Vec<&'static str> {
    let mut database = database(stage).await;
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
        .execute(&mut database)
        .await
        .unwrap();
    let files = walk(stage.database.parent().unwrap());
    let files: Vec<_> = files
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect();
    let is_in = |text: &str| {
        let mut all = files.iter().flat_map(|file| file.windows(text.len()));
        all.any(|window| window == text.as_bytes())
    };
    [NAME, ADA].into_iter().filter(|name| is_in(name)).collect()
}

#[tokio::test]
async fn an_erased_users_name_is_gone_from_the_database_file() {
    let stage = Stage::new().await;
    stage.connect(NAME, ADA).await;
    stage.connect("user-2", GRACE).await;
    assert_eq!(stage.drafts(NAME).await.status, 200);
    assert_eq!(stage.drafts("user-2").await.status, 200);
    // An open link with a state of the application.
    let link = json!({ "connection_name": "mail", "identifier": NAME, "state": ADA });
    assert_eq!(
        stage.post("/v1/authorization-links", &link).await.status,
        201
    );
    let open_link = stage.link(NAME).await;
    // A call appears in the history shortly after it ends.
    let environment = stage.platform.environment();
    let all = ExecutionFilter::default();
    while environment
        .send(
            ListExecutions::new()
                .filter(all.clone())
                .page(Paging::new(None, 10)),
        )
        .await
        .unwrap()
        .items
        .len()
        < 2
    {}
    assert_eq!(named(&stage).await, [NAME, ADA]);

    let account = format!("/v1/accounts/mail/{NAME}");
    let erased = stage
        .delete(&format!("{account}?erase=true&revoke_at_product=true"))
        .await;
    assert_eq!(erased.status, 200, "{}", erased.text());
    assert_eq!(erased.json()["erasure"], "complete");
    assert_eq!(erased.json()["revocation"], "requested");
    let again = stage.delete(&format!("{account}?erase=true")).await;
    assert_eq!(
        again.json(),
        json!({ "revocation": "none", "erasure": "complete" })
    );
    assert_eq!(
        stage.get(&account).await.json()["kind"],
        "account_not_found"
    );
    let page = Browser::new().get(&open_link).await;
    assert_eq!(page.status, 404, "{}", page.text());

    assert_eq!(named(&stage).await, [""; 0]);
    // The other user is still connected.
    assert_eq!(stage.drafts("user-2").await.status, 200);
    // The identifier can be used again.
    stage.connect(NAME, ADA).await;
    assert_eq!(stage.drafts(NAME).await.status, 200);
}

/// The files of a folder and of its subfolders.
fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path);
        }
    }
    files
}
