//! Statements: their results, how long they take, and how often they run.

use serde_json::{Value, json};
use stead_sandbox::Fault;

use super::{ADA, GRACE, ID, column, fails, handle};
use crate::client::Stage;

const FINISHED: &str = "01c00000-0000-0a1b-0000-000000000001";
const RUNNING: &str = "01c00000-0000-0a1b-0000-000000000002";

#[tokio::test]
async fn a_result_has_its_metadata() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    let reply = stage.sql(&access, "SELECT ID, AMOUNT, PAID, PLACED_AT, NOTE FROM ORDERS WHERE CUSTOMER_ID = 1 ORDER BY ID DESC LIMIT 1").await;
    let response = reply.ok();
    assert_eq!(response["code"], "090001");
    assert_eq!(
        response["data"],
        json!([["102", "310.50", "true", "1777453200.000000000", null]])
    );
    let types = response["resultSetMetaData"]["rowType"].as_array().unwrap();
    let types: Vec<&Value> = types.iter().map(|column| &column["type"]).collect();
    assert_eq!(
        types,
        ["fixed", "fixed", "boolean", "timestamp_ntz", "text"]
    );
    assert_eq!(response["resultSetMetaData"]["numRows"], 1);
    assert_eq!(response["createdOn"], 1_777_885_200_000_i64);
    assert!(reply.header("link").contains("partition=0>;rel=\"first\""));
    let none = stage
        .submit(
            &access,
            "?nullable=false",
            &json!({"statement": "SELECT NULL, 'a'"}),
        )
        .await;
    assert_eq!(none.ok()["data"], json!([["null", "a"]]));
}

#[tokio::test]
async fn bind_variables_are_returned() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    let body = json!({"statement": "SELECT ?, ?, ?, ?", "bindings": {
        "1": {"type": "FIXED", "value": "123"},
        "2": {"type": "TEXT", "value": "it's ? \\ \"q\""},
        "3": {"type": "DATE", "value": "1577836800000", "fmt": null},
        "4": {"type": "TEXT", "value": null},
    }});
    let response = stage.submit(&access, "", &body).await.ok();
    assert_eq!(
        response["data"],
        json!([["123", "it's ? \\ \"q\"", "18262", null]])
    );
}

#[tokio::test]
async fn fifty_seconds_end_in_202_and_are_fetched_later() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    let reply = stage.sql(&access, "SELECT SYSTEM$WAIT(50)").await;
    assert_eq!(reply.status, 202, "{}", reply.text);
    assert_eq!(reply.json()["code"], "333334");
    let waiting = handle(&reply);
    // At the product, 45 of the 50 seconds have passed.
    stage.sandbox().fault(Fault::Advance { seconds: 4 });
    assert_eq!(stage.ask(&access, &waiting).await.status, 202);
    stage.sandbox().fault(Fault::Advance { seconds: 1 });
    let response = stage.ask(&access, &waiting).await.ok();
    assert_eq!(response["data"], json!([["waited 50 seconds"]]));
    // The response waits for up to 45 seconds.
    assert_eq!(
        stage.sql(&access, "SELECT SYSTEM$WAIT(45)").await.status,
        200
    );
}

#[tokio::test]
async fn polling_advances_the_time_and_429_means_not_finished() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    let body = json!({"statement": "SELECT SYSTEM$WAIT(30)"});
    let reply = stage.submit(&access, "?async=true", &body).await;
    assert_eq!(reply.status, 202);
    let waiting = handle(&reply);
    let mut statuses = Vec::new();
    for _ in 0..4 {
        let reply = stage.ask(&access, &waiting).await;
        assert_eq!(handle(&reply), waiting);
        statuses.push(reply.status);
    }
    assert_eq!(statuses, [202, 429, 202, 200]);
}

#[tokio::test]
async fn a_time_limit_cancels_the_statement() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    let reply = stage
        .submit(
            &access,
            "",
            &json!({"statement": "SELECT SYSTEM$WAIT(30)", "timeout": 10}),
        )
        .await;
    fails(&reply, 408, "000630");
    fails(&stage.ask(&access, &handle(&reply)).await, 422, "000630");
    let later = stage
        .submit(
            &access,
            "",
            &json!({"statement": "SELECT SYSTEM$WAIT(90)", "timeout": 60}),
        )
        .await;
    assert_eq!(later.status, 202);
    stage.sandbox().fault(Fault::Advance { seconds: 15 });
    fails(&stage.ask(&access, &handle(&later)).await, 422, "000630");
    let none = stage
        .submit(
            &access,
            "",
            &json!({"statement": "SELECT SYSTEM$WAIT(30)", "timeout": 0}),
        )
        .await;
    assert_eq!(none.status, 200);
}

#[tokio::test]
async fn a_running_statement_is_cancelled_once() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    fails(&stage.cancel(&access, RUNNING).await, 200, "000604");
    fails(&stage.cancel(&access, RUNNING).await, 422, "000605");
    fails(&stage.ask(&access, RUNNING).await, 422, "000604");
    fails(&stage.cancel(&access, FINISHED).await, 422, "000605");
    fails(
        &stage
            .cancel(&access, "01c00000-0000-0a1b-0000-00000000ffff")
            .await,
        422,
        "000709",
    );
}

#[tokio::test]
async fn large_results_have_compressed_partitions() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    let first = stage.ask(&access, FINISHED).await;
    assert_eq!(first.header("content-encoding"), "");
    let response = first.ok();
    let sizes: Vec<&Value> = response["resultSetMetaData"]["partitionInfo"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["rowCount"])
        .collect();
    assert_eq!(sizes, [1000, 1000, 500]);
    assert_eq!(response["data"].as_array().unwrap().len(), 1000);
    let request = stage
        .http
        .get(stage.url(&format!("{}/{FINISHED}?partition=2", super::STATEMENTS)))
        .bearer_auth(&access)
        .header("user-agent", "test/1")
        .header("accept", "application/json");
    let response = request.send().await.unwrap();
    assert_eq!(response.headers()["content-encoding"], "gzip");
    let packed = response.bytes().await.unwrap();
    let mut plain = String::new();
    std::io::Read::read_to_string(
        &mut flate2::read::GzDecoder::new(packed.as_ref()),
        &mut plain,
    )
    .unwrap();
    let rows: Value = serde_json::from_str(&plain).unwrap();
    assert_eq!(rows.as_object().unwrap().len(), 1);
    assert_eq!(rows["data"][0][0], "2001");
    assert_eq!(rows["data"].as_array().unwrap().len(), 500);
    fails(
        &stage.ask(&access, &format!("{FINISHED}?partition=3")).await,
        422,
        "391917",
    );
}

#[tokio::test]
async fn results_are_the_users_own_and_kept_for_a_day() {
    let stage = Stage::new().await;
    let ada = stage.snowflake_access(ADA, "refresh_token").await;
    let grace = stage.snowflake_access(GRACE, "refresh_token").await;
    let own = handle(&stage.sql(&ada, "SELECT 1").await);
    assert_eq!(stage.ask(&ada, &own).await.status, 200);
    fails(&stage.ask(&grace, &own).await, 404, "390404");
    stage.sandbox().fault(Fault::Advance { seconds: 24 * 3600 });
    let ada = stage.snowflake_access(ADA, "refresh_token").await;
    fails(&stage.ask(&ada, &own).await, 404, "390404");
}

#[tokio::test]
async fn a_request_that_is_sent_again_is_not_executed_again() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    let insert = json!({"statement": "INSERT INTO ORDERS (ID, CUSTOMER_ID, NOTE) VALUES (?, 1, 'new')", "bindings": {"1": {"type": "FIXED", "value": "104"}}});
    let count = async || {
        let response = stage.sql(&access, "SELECT COUNT(*) FROM ORDERS").await.ok();
        response["data"][0][0].as_str().unwrap().to_owned()
    };
    let first = stage
        .submit(&access, &format!("?requestId={ID}"), &insert)
        .await;
    assert_eq!(first.ok()["stats"]["numRowsInserted"], 1);
    assert_eq!(count().await, "5");
    let again = stage
        .submit(&access, &format!("?requestId={ID}&retry=true"), &insert)
        .await;
    assert_eq!(
        again.ok()["statementHandle"],
        first.json()["statementHandle"]
    );
    assert_eq!(count().await, "5");
    // Without `retry`, the statement runs again.
    assert_eq!(
        stage
            .submit(&access, &format!("?requestId={ID}"), &insert)
            .await
            .status,
        200
    );
    assert_eq!(count().await, "6");
    let other = json!({"statement": "SELECT 1"});
    fails(
        &stage
            .submit(&access, &format!("?requestId={ID}&retry=true"), &other)
            .await,
        400,
        "390400",
    );
}

#[tokio::test]
async fn several_statements_are_counted_and_have_their_own_handles() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(ADA, "refresh_token").await;
    let two = "SELECT 1; SELECT 2;";
    fails(&stage.sql(&access, two).await, 422, "000008");
    let counted =
        |count: Value| json!({"statement": two, "parameters": {"MULTI_STATEMENT_COUNT": count}});
    fails(
        &stage.submit(&access, "", &counted(json!(3))).await,
        422,
        "000008",
    );
    for count in [json!("2"), json!(2), json!("0")] {
        let response = stage.submit(&access, "", &counted(count)).await.ok();
        assert_eq!(
            response["data"],
            json!([["Multiple statements executed successfully."]])
        );
        let handles = response["statementHandles"].as_array().unwrap().clone();
        assert_eq!(handles.len(), 2);
        let second = stage.ask(&access, handles[1].as_str().unwrap()).await.ok();
        assert_eq!(second["data"], json!([["2"]]));
    }
    let bound = json!({"statement": "SELECT ?; SELECT 2", "bindings": {"1": {"type": "FIXED", "value": "1"}}, "parameters": {"multi_statement_count": 0}});
    fails(&stage.submit(&access, "", &bound).await, 400, "390400");
}

#[tokio::test]
async fn a_user_without_defaults_must_name_warehouse_and_database() {
    let stage = Stage::new().await;
    let access = stage.snowflake_access(GRACE, "refresh_token").await;
    fails(
        &stage.sql(&access, "SELECT * FROM NAVY.PUBLIC.MOTHS").await,
        422,
        "000606",
    );
    fails(
        &stage.sql(&access, "SHOW PRIMARY KEYS IN TABLE MOTHS").await,
        422,
        "090105",
    );
    let body =
        json!({"statement": "SELECT * FROM MOTHS", "database": "NAVY", "warehouse": "COMPUTE_WH"});
    let response = stage.submit(&access, "", &body).await.ok();
    assert_eq!(column(&response, "PANEL"), ["F"]);
}
