//! The audit log of a real database file, and someone who edits that file.

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, SqliteConnection};

use crate::{stage::Stage, tampering::database};

/// A stage whose log has seven entries, the last of the application.
async fn stage() -> Stage {
    let stage = Stage::connected().await;
    for verb in ["suspend", "resume"] {
        let path = format!("/v1/accounts/mail/user-1/{verb}");
        assert_eq!(stage.post(&path, &json!({})).await.status, 200);
    }
    for secret in ["one", "two"] {
        let change = json!({ "client_secret": secret });
        stage.patch("/v1/connections/mail", &change).await;
    }
    stage.delete("/v1/accounts/mail/user-1").await;
    stage
}

async fn run(database: &mut SqliteConnection, sql: &str) {
    let done = sqlx::query(AssertSqlSafe(sql.to_owned()))
        .execute(database)
        .await;
    assert!(done.unwrap().rows_affected() > 0, "{sql}");
}

async fn verify(stage: &Stage, expect: Option<&Value>) -> Value {
    let query = expect.map_or_else(String::new, |head| {
        let hash = head["hash"].as_str().unwrap();
        format!("?expect={}:{hash}", head["number"])
    });
    stage.get(&format!("/v1/audit/verify{query}")).await.json()
}

#[tokio::test]
async fn an_edited_or_deleted_row_is_named() {
    for (sql, number, message) in [
        (
            r#"UPDATE audit SET body = replace(body, 'account.suspended', 'account.resumed') WHERE number = 3"#,
            3,
            "row 3 of table audit can't be used: its MAC is wrong, so it was changed without the key",
        ),
        (
            r#"UPDATE audit SET body = replace(body, '"id":"app_', '"id":"app-') WHERE number = 5"#,
            5,
            "row 5 of table audit can't be used: its MAC is wrong, so it was changed without the key",
        ),
        (
            "DELETE FROM audit WHERE number = 4",
            4,
            "entry 4 is missing",
        ),
        (
            "DELETE FROM audit WHERE number < 3",
            1,
            "entry 1 is missing",
        ),
        (
            "UPDATE audit SET body = '{}' WHERE number = 6",
            6,
            "row 6 of table audit can't be used: it has no MAC, so it was written without the key",
        ),
        (
            "UPDATE audit SET number = 70 WHERE number = 7",
            7,
            "row 70 of table audit can't be used: its MAC is wrong, so it was changed without the key",
        ),
    ] {
        let stage = stage().await;
        let sound = verify(&stage, None).await;
        assert_eq!(sound["head"]["number"], 7, "{sound}");
        assert_eq!(sound["fault"], Value::Null);
        run(&mut database(&stage).await, sql).await;
        let found = verify(&stage, None).await;
        let expected = json!({ "number": number, "message": message });
        assert_eq!(found["fault"], expected, "{sql}");
    }
}

#[tokio::test]
async fn a_removed_end_is_found_with_a_stored_head() {
    let stage = stage().await;
    let head = verify(&stage, None).await["head"].clone();
    run(
        &mut database(&stage).await,
        "DELETE FROM audit WHERE number > 5",
    )
    .await;
    assert_eq!(verify(&stage, None).await["fault"], Value::Null);
    let fault = verify(&stage, Some(&head)).await["fault"].clone();
    let message = "the log ends with entry 5, but it once had an entry 7, so its end was removed";
    assert_eq!(fault, json!({ "number": 6, "message": message }));
}
