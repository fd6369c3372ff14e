//! Someone writes to the database without the key, while the service runs.

use jiff::SignedDuration;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use sqlx::{AssertSqlSafe, Row as _, SqliteConnection};
use stead::Platform;
use stead_core::{
    ErrorKind,
    resource::{DeleteAppCredential, NewAppCredential, NewMember, SetPolicy, SuspectRow},
    state::Role,
};

use crate::{http_client::Reply, stage::Stage, tampering::database};

const SECRET: &str = "stead_secret_of_the_intruder";

fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn run(database: &mut SqliteConnection, sql: &str) {
    let done = sqlx::query(AssertSqlSafe(sql.to_owned()))
        .execute(database)
        .await;
    assert!(done.unwrap().rows_affected() > 0, "{sql}");
}

async fn text(database: &mut SqliteConnection, sql: &str) -> String {
    let found = sqlx::query(AssertSqlSafe(sql.to_owned()))
        .fetch_one(database)
        .await;
    found.unwrap().get(0)
}

/// The body of a row, without the MAC that only the key can create.
fn without_mac(body: &str) -> Value {
    let mut body: Value = serde_json::from_str(body).unwrap();
    assert!(body.as_object_mut().unwrap().remove("mac").is_some());
    body
}

async fn sign_in(stage: &Stage, client_id: &str, secret: &str) -> Reply {
    let pairs = [
        ("grant_type", "client_credentials"),
        ("client_id", client_id),
        ("client_secret", secret),
    ];
    let url = format!("{}/oauth/token", stage.url);
    stage.http.form(&url, &pairs).await
}

/// Suspect rows according to a verification over HTTP, by table and ID. The doctor must name the same rows.
async fn suspects(stage: &Stage) -> Vec<(String, String)> {
    let found = stage.get("/v1/audit/verify").await.json();
    let over_http: Vec<SuspectRow> = match found.get("suspect_rows") {
        Some(rows) => serde_json::from_value(rows.clone()).unwrap(),
        None => Vec::new(),
    };
    let examination = stage.platform.environment().examine(&[]).await.unwrap();
    assert_eq!(examination.audit.suspect_rows, over_http);
    let rows = over_http.into_iter();
    rows.map(|row| (row.table, row.id)).collect()
}

fn row(table: &str, id: &str) -> (String, String) {
    (table.to_owned(), id.to_owned())
}

#[tokio::test]
async fn an_inserted_credential_token_member_or_session_grants_nothing() {
    let stage = Stage::new().await;
    assert_eq!(suspects(&stage).await, []);
    let mut database = database(&stage).await;
    let now = "2026-01-01T00:00:00Z";
    let secrets = json!([{ "id": &digest(SECRET)[..12], "digest": digest(SECRET), "ends_with": "uder",
        "created_at": now, "expires_at": null, "last_used_at": null }]);
    let evil =
        json!({ "client_id": "app_evil", "name": "evil", "secrets": secrets, "created_at": now });
    run(
        &mut database,
        &format!("INSERT INTO app_credential VALUES ('app_evil', 1, '{evil}')"),
    )
    .await;
    let reply = sign_in(&stage, "app_evil", SECRET).await;
    assert!(!reply.status.is_success(), "{reply:?}");

    // A forged token for an existing credential.
    let (token, end) = (digest("stead_token"), "2200-01-01T00:00:00Z");
    let nanoseconds = 7_258_118_400_000_000_000_i64;
    let body = json!({ "token": token, "client_id": stage.client_id, "expires_at": end });
    run(
        &mut database,
        &format!("INSERT INTO access_token VALUES ('{token}', {nanoseconds}, 1, '{body}')"),
    )
    .await;
    let error = stage.platform.environment().authenticate("stead_token");
    assert_eq!(
        error.await.unwrap_err().kind(),
        ErrorKind::IntegrityViolated
    );

    // A forged owner with an invitation link, and a forged session of another member.
    let environment = stage.platform.environment();
    let ada = environment
        .send(NewMember::new("ada@example.com", Role::Viewer))
        .await
        .unwrap()
        .member
        .member_id;
    let owner = "mem_00000000000000000000000000000009";
    let body = text(&mut database, "SELECT body FROM member").await;
    let mut member = without_mac(&body);
    member["id"] = json!(owner);
    member["role"] = json!("owner");
    member["email"] = json!("eve@example.com");
    member["link"] = json!({ "digest": digest("stead_invitation_eve"), "expires_at": end });
    let link = digest("stead_invitation_eve");
    run(
        &mut database,
        &format!(
            "INSERT INTO member VALUES ('{owner}', 'eve@example.com', '{link}', 1, '{member}')"
        ),
    )
    .await;
    let error = environment.invited_member("stead_invitation_eve").await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::IntegrityViolated);
    let session = digest("session");
    let body = json!({ "id": session, "member_id": ada, "epoch": 0, "created_at": now,
        "stepped_up_at": now, "expires_at": end });
    run(
        &mut database,
        &format!("INSERT INTO session VALUES ('{session}', {nanoseconds}, 1, '{body}')"),
    )
    .await;
    let error = environment.signed_in("session").await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::IntegrityViolated);

    assert_eq!(
        suspects(&stage).await,
        [
            row("app_credential", "app_evil"),
            row("access_token", &token),
            row("member", owner),
            row("session", &session),
        ]
    );
    // The service's own rows still work.
    let reply = sign_in(&stage, &stage.client_id, &stage.client_secret).await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn a_changed_row_or_one_with_a_copied_mac_grants_nothing() {
    let stage = Stage::new().await;
    let environment = stage.platform.environment();
    let weak = NewAppCredential::new("weak").scopes(["events:read"]);
    let weak = environment.send(weak).await.unwrap();
    let (id, secret) = (
        &weak.credential.client_id,
        weak.client_secret.expose_secret(),
    );
    assert_eq!(sign_in(&stage, id, secret).await.status, 200);
    let mut database = database(&stage).await;
    let of = |id: &str| format!("SELECT body FROM app_credential WHERE client_id = '{id}'");
    let before = text(&mut database, &of(id)).await;
    let strong = text(&mut database, &of(&stage.client_id)).await;
    let mac_of = |body: &str| body[body.rfind(",\"mac\":").unwrap()..].to_owned();
    let (own, other) = (mac_of(&before), mac_of(&strong));
    for forged in [
        before.replace("events:read", "keys:manage"),
        before.replace(&own, "}"),
        before.replace(&own, &other),
        // The row of the strong credential, with only its ID replaced.
        strong.replace(&stage.client_id, id),
        strong.clone(),
    ] {
        let change =
            format!("UPDATE app_credential SET body = '{forged}' WHERE client_id = '{id}'");
        run(&mut database, &change).await;
        let reply = sign_in(&stage, id, secret).await;
        assert!(!reply.status.is_success(), "{forged}: {reply:?}");
        assert_eq!(
            suspects(&stage).await,
            [row("app_credential", id)],
            "{forged}"
        );
    }
    let back = format!("UPDATE app_credential SET body = '{before}' WHERE client_id = '{id}'");
    run(&mut database, &back).await;
    assert_eq!(sign_in(&stage, id, secret).await.status, 200);
    assert_eq!(suspects(&stage).await, []);
}

/// If someone loosens a policy in the database, Stead rejects every call.
#[tokio::test]
async fn a_changed_policy_allows_nothing_and_a_deleted_one_is_named() {
    let stage = Stage::connected().await;
    let rules = json!({ "name": "careful", "read_only": true, "environment": true });
    let environment = stage.platform.environment();
    let rules: stead_core::resource::Policy = serde_json::from_value(rules).unwrap();
    environment.send(SetPolicy::from(rules)).await.unwrap();
    assert_eq!(stage.drafts("user-1").await.status, 200);
    let mut database = database(&stage).await;
    let before = text(&mut database, "SELECT body FROM policy").await;
    let loose = before.replace("\"read_only\":true", "\"read_only\":false");
    assert_ne!(loose, before);
    run(
        &mut database,
        &format!("UPDATE policy SET body = '{loose}'"),
    )
    .await;
    let other = stage.over_its_store().build().await.unwrap();
    let actions = other.actions();
    let call = actions.execute_tool("mail_list_drafts", "mail", "user-1", json!({}));
    assert_eq!(call.await.unwrap_err().kind(), ErrorKind::IntegrityViolated);
    assert_eq!(suspects(&stage).await, [row("policy", "careful")]);
    run(&mut database, "DELETE FROM policy").await;
    assert_eq!(suspects(&stage).await, [row("policy", "careful")]);
}

/// Anyone with a copy of a row can put it back. Stead detects this if the row was deleted, but not if it was changed.
#[tokio::test]
async fn an_old_copy_of_a_deleted_row_is_found() {
    let stage = Stage::new().await;
    let environment = stage.platform.environment();
    let made = environment.send(NewAppCredential::new("leaked"));
    let made = made.await.unwrap();
    let (id, secret) = (
        &made.credential.client_id,
        made.client_secret.expose_secret(),
    );
    let mut database = database(&stage).await;
    let of = format!("SELECT body FROM app_credential WHERE client_id = '{id}'");
    let body = text(&mut database, &of).await;
    environment
        .send(DeleteAppCredential::new(id))
        .await
        .unwrap();
    assert_eq!(sign_in(&stage, id, secret).await.status, 401);
    let back = format!("INSERT INTO app_credential VALUES ('{id}', 1, '{body}')");
    run(&mut database, &back).await;
    assert_eq!(suspects(&stage).await, [row("app_credential", id)]);
}

#[tokio::test]
async fn removing_the_mac_requirement_makes_the_data_key_unusable() {
    let stage = Stage::new().await;
    let mut database = database(&stage).await;
    let take_out = "UPDATE data_key SET body = json_remove(body, '$.authenticates_rows_since')";
    run(&mut database, take_out).await;
    for table in ["app_credential", "access_token", "connection", "audit"] {
        let strip = format!("UPDATE {table} SET body = json_remove(body, '$.mac')");
        run(&mut database, &strip).await;
    }
    // The running service still remembers that its key authenticates rows.
    stage.platform.environment().maintain().await.unwrap();
    let reply = sign_in(&stage, &stage.client_id, &stage.client_secret).await;
    assert!(!reply.status.is_success(), "{reply:?}");
    let another = stage.over_its_store().build().await;
    let error = another.map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyUnavailable);
}

/// After an upgrade from a version without MACs, Stead accepts rows without a MAC for one day.
pub(crate) async fn upgrades(
    platform: &Platform,
    advance: impl Fn(SignedDuration),
    database: &mut SqliteConnection,
) {
    let environment = platform.environment();
    let insert = |id: &str| {
        let body = json!({ "client_id": id, "name": id, "secret": digest(SECRET), "created_at": "2026-11-21T23:02:54Z" });
        format!("INSERT INTO app_credential VALUES ('{id}', 1, '{body}')")
    };
    let count =
        "SELECT CAST(COUNT(*) AS TEXT) FROM app_credential WHERE body NOT LIKE '%\"mac\":\"AQ%'";
    environment.maintain().await.unwrap();
    assert!(
        environment
            .examine(&[])
            .await
            .unwrap()
            .rows_taken_until
            .is_some()
    );
    // A server of the previous version can still write such a row.
    run(database, &insert("app_of_the_day")).await;
    environment
        .issue_access_token("app_of_the_day", SECRET, None)
        .await
        .unwrap();
    advance(SignedDuration::from_hours(23));
    environment.maintain().await.unwrap();
    assert_ne!(text(database, count).await, "0");
    advance(SignedDuration::from_hours(2));
    environment.maintain().await.unwrap();
    assert_eq!(text(database, count).await, "0");
    environment
        .issue_access_token("app_of_the_day", SECRET, None)
        .await
        .unwrap();
    run(database, &insert("app_of_the_day_after")).await;
    let refused = environment
        .issue_access_token("app_of_the_day_after", SECRET, None)
        .await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::IntegrityViolated);
    let examination = environment.examine(&[]).await.unwrap();
    assert_eq!(examination.rows_taken_until, None);
    assert_eq!(examination.audit.fault, None);
    let rows = examination.audit.suspect_rows;
    let rows: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(rows, ["app_of_the_day_after"]);
}
