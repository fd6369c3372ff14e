//! Statements: their results, how long they take, and how often they run.

use serde_json::{Value, json};
use stead_sandbox::Fault;

use super::{ADA, GRACE, ID, Warehouse, column, fails, handle};
use crate::client::Stage;

const FINISHED: &str = "01c00000-0000-0a1b-0000-000000000001";
const RUNNING: &str = "01c00000-0000-0a1b-0000-000000000002";

#[tokio::test]
async fn a_result_has_its_metadata() {
    let ada = Warehouse::of(ADA).await;
    let reply = ada.sql("SELECT ID, AMOUNT, PAID, PLACED_AT, NOTE FROM ORDERS WHERE CUSTOMER_ID = 1 ORDER BY ID DESC LIMIT 1").await;
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
    let body = json!({"statement": "SELECT NULL, 'a'"});
    let none = ada.submit("?nullable=false", &body).await;
    assert_eq!(none.ok()["data"], json!([["null", "a"]]));
}

#[tokio::test]
async fn bind_variables_are_returned() {
    let ada = Warehouse::of(ADA).await;
    let body = json!({"statement": "SELECT ?, ?, ?, ?", "bindings": {
        "1": {"type": "FIXED", "value": "123"},
        "2": {"type": "TEXT", "value": "it's ? \\ \"q\""},
        "3": {"type": "DATE", "value": "1577836800000", "fmt": null},
        "4": {"type": "TEXT", "value": null},
    }});
    let response = ada.submit("", &body).await.ok();
    assert_eq!(
        response["data"],
        json!([["123", "it's ? \\ \"q\"", "18262", null]])
    );
}

#[tokio::test]
async fn fifty_seconds_end_in_202_and_are_fetched_later() {
    let ada = Warehouse::of(ADA).await;
    let reply = ada.sql("SELECT SYSTEM$WAIT(50)").await;
    assert_eq!(reply.status, 202, "{}", reply.text);
    assert_eq!(reply.json()["code"], "333334");
    let waiting = handle(&reply);
    // At the product, 45 of the 50 seconds have passed.
    ada.stage.sandbox().fault(Fault::Advance { seconds: 4 });
    assert_eq!(ada.ask(&waiting).await.status, 202);
    ada.stage.sandbox().fault(Fault::Advance { seconds: 1 });
    let response = ada.ask(&waiting).await.ok();
    assert_eq!(response["data"], json!([["waited 50 seconds"]]));
    // The response waits for up to 45 seconds.
    assert_eq!(ada.sql("SELECT SYSTEM$WAIT(45)").await.status, 200);
}

#[tokio::test]
async fn polling_advances_the_time_and_429_means_not_finished() {
    let ada = Warehouse::of(ADA).await;
    let body = json!({"statement": "SELECT SYSTEM$WAIT(30)"});
    let reply = ada.submit("?async=true", &body).await;
    assert_eq!(reply.status, 202);
    let waiting = handle(&reply);
    let mut statuses = Vec::new();
    for _ in 0..4 {
        let reply = ada.ask(&waiting).await;
        assert_eq!(handle(&reply), waiting);
        statuses.push(reply.status);
    }
    assert_eq!(statuses, [202, 429, 202, 200]);
}

#[tokio::test]
async fn a_time_limit_cancels_the_statement() {
    let ada = Warehouse::of(ADA).await;
    let wait = async |seconds: u8, timeout: u8| {
        let sql = format!("SELECT SYSTEM$WAIT({seconds})");
        let body = json!({"statement": sql, "timeout": timeout});
        ada.submit("", &body).await
    };
    let reply = wait(30, 10).await;
    fails(&reply, 408, "000630");
    fails(&ada.ask(&handle(&reply)).await, 422, "000630");
    let later = wait(90, 60).await;
    assert_eq!(later.status, 202);
    ada.stage.sandbox().fault(Fault::Advance { seconds: 15 });
    fails(&ada.ask(&handle(&later)).await, 422, "000630");
    assert_eq!(wait(30, 0).await.status, 200);
}

#[tokio::test]
async fn a_running_statement_is_cancelled_once() {
    let ada = Warehouse::of(ADA).await;
    fails(&ada.cancel(RUNNING).await, 200, "000604");
    fails(&ada.cancel(RUNNING).await, 422, "000605");
    fails(&ada.ask(RUNNING).await, 422, "000604");
    fails(&ada.cancel(FINISHED).await, 422, "000605");
    let unknown = "01c00000-0000-0a1b-0000-00000000ffff";
    fails(&ada.cancel(unknown).await, 422, "000709");
}

#[tokio::test]
async fn large_results_have_compressed_partitions() {
    let ada = Warehouse::of(ADA).await;
    let first = ada.ask(FINISHED).await;
    assert_eq!(first.header("content-encoding"), "");
    let response = first.ok();
    let pieces = &response["resultSetMetaData"]["partitionInfo"];
    let pieces = pieces.as_array().unwrap().iter();
    let sizes: Vec<&Value> = pieces.map(|one| &one["rowCount"]).collect();
    assert_eq!(sizes, [1000, 1000, 500]);
    assert_eq!(response["data"].as_array().unwrap().len(), 1000);
    let path = format!("{}/{FINISHED}?partition=2", super::STATEMENTS);
    let url = ada.stage.url(&path);
    let request = ada
        .stage
        .http
        .get(url)
        .bearer_auth(&ada.access)
        .header("user-agent", "test/1")
        .header("accept", "application/json");
    let response = request.send().await.unwrap();
    assert_eq!(response.headers()["content-encoding"], "gzip");
    let packed = response.bytes().await.unwrap();
    let plain = flate2::read::GzDecoder::new(packed.as_ref());
    let rows: Value = serde_json::from_reader(plain).unwrap();
    assert_eq!(rows.as_object().unwrap().len(), 1);
    assert_eq!(rows["data"][0][0], "2001");
    assert_eq!(rows["data"].as_array().unwrap().len(), 500);
    let beyond = format!("{FINISHED}?partition=3");
    fails(&ada.ask(&beyond).await, 422, "391917");
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
    let ada = Warehouse::of(ADA).await;
    let insert = json!({"statement": "INSERT INTO ORDERS (ID, CUSTOMER_ID, NOTE) VALUES (?, 1, 'new')", "bindings": {"1": {"type": "FIXED", "value": "104"}}});
    let count = async || {
        let response = ada.sql("SELECT COUNT(*) FROM ORDERS").await.ok();
        response["data"][0][0].as_str().unwrap().to_owned()
    };
    let first = ada.submit(&format!("?requestId={ID}"), &insert).await;
    assert_eq!(first.ok()["stats"]["numRowsInserted"], 1);
    assert_eq!(count().await, "5");
    let retry = format!("?requestId={ID}&retry=true");
    let again = ada.submit(&retry, &insert).await;
    assert_eq!(again.status, 200);
    assert_eq!(handle(&again), handle(&first));
    assert_eq!(count().await, "5");
    // Without `retry`, the statement runs again.
    let third = ada.submit(&format!("?requestId={ID}"), &insert).await;
    assert_eq!(third.status, 200);
    assert_eq!(count().await, "6");
    let other = json!({"statement": "SELECT 1"});
    fails(&ada.submit(&retry, &other).await, 400, "390400");
}

#[tokio::test]
async fn several_statements_are_counted_and_have_their_own_handles() {
    let ada = Warehouse::of(ADA).await;
    let two = "SELECT 1; SELECT 2;";
    fails(&ada.sql(two).await, 422, "000008");
    let counted =
        |count: Value| json!({"statement": two, "parameters": {"MULTI_STATEMENT_COUNT": count}});
    fails(&ada.submit("", &counted(json!(3))).await, 422, "000008");
    for count in [json!("2"), json!(2), json!("0")] {
        let response = ada.submit("", &counted(count)).await.ok();
        assert_eq!(
            response["data"],
            json!([["Multiple statements executed successfully."]])
        );
        let handles = response["statementHandles"].as_array().unwrap().clone();
        assert_eq!(handles.len(), 2);
        let second = ada.ask(handles[1].as_str().unwrap()).await.ok();
        assert_eq!(second["data"], json!([["2"]]));
    }
    let bound = json!({"statement": "SELECT ?; SELECT 2", "bindings": {"1": {"type": "FIXED", "value": "1"}}, "parameters": {"multi_statement_count": 0}});
    fails(&ada.submit("", &bound).await, 400, "390400");
}

#[tokio::test]
async fn a_user_without_defaults_must_name_warehouse_and_database() {
    let grace = Warehouse::of(GRACE).await;
    let table = "
        SELECT * FROM NAVY.PUBLIC.MOTHS => 000606
        SHOW PRIMARY KEYS IN TABLE MOTHS => 090105
    ";
    grace.refuses(table).await;
    let body =
        json!({"statement": "SELECT * FROM MOTHS", "database": "NAVY", "warehouse": "COMPUTE_WH"});
    let response = grace.submit("", &body).await.ok();
    assert_eq!(column(&response, "PANEL"), ["F"]);
}
