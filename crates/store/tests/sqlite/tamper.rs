//! Rows that were changed from outside are returned as they are, so that core detects them, and lists don't stop at
//! them.

use stead_core::store::{Commit, Store as _, Value};
use stead_testkit::store::sample;

use crate::scratch::{Scratch, all, insert, run};

#[tokio::test]
async fn an_invalid_row_does_not_stop_lists() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    let [changed, other] = [1, 2].map(|number| sample::row(sample::table("authorization"), number));
    let rows = insert([changed.clone(), other.clone()]);
    assert_eq!(store.commit(rows).await.unwrap(), Commit::Committed);
    let mut tamper = scratch.tamper().await;
    run(
        &mut tamper,
        "CREATE TEMP TABLE \"kept\" AS SELECT * FROM \"authorization\"",
    )
    .await;
    for (change, expected) in [
        ("\"body\" = 'nonsense'", ("nonsense", 1)),
        ("\"body\" = ''", ("", 1)),
        // Text that isn't UTF-8, and bytes.
        ("\"body\" = CAST(x'c328' AS TEXT)", ("", 1)),
        ("\"body\" = x'c328'", ("", 1)),
        ("\"version\" = 0", (changed.body.as_str(), 0)),
        ("\"version\" = -1", (changed.body.as_str(), 0)),
        ("\"version\" = 'two'", (changed.body.as_str(), 0)),
        ("\"version\" = 1.5", (changed.body.as_str(), 0)),
        ("\"oauth_state\" = x'00'", (changed.body.as_str(), 1)),
    ] {
        let number = "\"id\" LIKE 'id 0000000001%'";
        let update = format!("UPDATE \"authorization\" SET {change} WHERE {number}");
        assert_eq!(run(&mut tamper, &update).await, 1);

        let found = store.get(&changed.key()).await.unwrap().unwrap();
        assert_eq!(
            (found.row.body.as_str(), found.version),
            expected,
            "{change}"
        );
        // A value of another type must not be read as NULL.
        assert_ne!(*found.row.value("oauth_state"), Value::Null);
        let listed = all(&store, "authorization").await;
        assert_eq!(listed, [found.row, other.clone()], "{change}");

        run(&mut tamper, "DELETE FROM \"authorization\"").await;
        let back = "INSERT INTO \"authorization\" SELECT * FROM \"kept\"";
        assert_eq!(run(&mut tamper, back).await, 2);
    }
}
