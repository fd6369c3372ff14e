//! The People API's methods.

use serde_json::{Value, json};

use crate::client::{CONTACTS, OTHERS, Stage, cases};

fn names(list: &Value) -> Vec<String> {
    let people = list["connections"].as_array().expect("connections");
    people
        .iter()
        .map(|person| {
            person["names"][0]["displayName"]
                .as_str()
                .unwrap_or("")
                .to_owned()
        })
        .collect()
}

#[tokio::test]
async fn a_mask_is_required_and_checked() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let table = "
        people/me/connections => personFields mask is required
        people/me/connections?personFields= => personFields mask is required
        people/me/connections?personFields=names,shoeSize => Invalid personFields mask path
        people/me/connections?personFields=names&personFields=photos => not repeating
        people/me/connections?personFields=names&pageSize=1001 => Page size
        people/me/connections?personFields=names&pageSize=-1 => Page size
        people/me/connections?personFields=names&sortOrder=RANDOM => TYPE_ENUM
        people/me/connections?personFields=names&sources=NOWHERE => TYPE_ENUM
        people/me/connections?readMask=names => Cannot bind query parameter
        people/c1/connections?personFields=names => people/me
        people:searchContacts?query=a => readMask mask is required
        people:searchContacts?readMask=names => query is required
        people:searchContacts?query=a&readMask=names&pageSize=x => TYPE_INT32
        people:searchContacts?query=a&readMask=names&pageToken=x => Cannot bind query parameter
        otherContacts:search?query=a&readMask=names,photos => Invalid readMask mask path
        otherContacts:search?query=a&readMask=names&sources=READ_SOURCE_TYPE_CONTACT => Cannot bind
    ";
    for [path, says] in cases(table) {
        let reply = stage.people(path, &ada).await;
        assert_eq!(reply.status, 400, "{path} {}", reply.text);
        let error = &reply.json()["error"];
        assert_eq!(error["status"], "INVALID_ARGUMENT");
        assert!(
            error["message"].as_str().unwrap().contains(says),
            "{path} {error}"
        );
    }
}

#[tokio::test]
async fn connections_are_sorted_and_paged() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let base = "people/me/connections?personFields=names,emailAddresses";
    let all = stage.people(base, &ada).await.ok();
    assert_eq!(all["totalItems"], 7);
    assert_eq!(all["totalPeople"], 7);
    let everyone = names(&all);
    assert_eq!(everyone[0], "Charles Babbage");
    // A contact without a name has no member `names`.
    assert_eq!(all["connections"][6].get("names"), None);
    assert!(all["connections"][6]["etag"].is_string());

    let first = stage.people(&format!("{base}&pageSize=4"), &ada).await.ok();
    assert_eq!(names(&first), everyone[..4]);
    let next = first["nextPageToken"].as_str().unwrap();
    let second = format!("{base}&pageSize=4&pageToken={next}");
    assert_eq!(
        names(&stage.people(&second, &ada).await.ok()),
        everyone[4..]
    );
    let other_size = format!("{base}&pageSize=5&pageToken={next}");
    assert_eq!(stage.people(&other_size, &ada).await.status, 400);

    let down = stage
        .people(&format!("{base}&sortOrder=LAST_MODIFIED_DESCENDING"), &ada)
        .await
        .ok();
    assert_eq!(names(&down)[6], "Charles Babbage");
    let first_names = stage
        .people(&format!("{base}&sortOrder=FIRST_NAME_ASCENDING"), &ada)
        .await
        .ok();
    assert_eq!(
        names(&first_names)[1..3],
        ["Charles Babbage", "Grace Hopper"]
    );
}

#[tokio::test]
async fn only_masked_fields_are_given() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let list = stage
        .people(
            "people/me/connections?personFields=emailAddresses,phoneNumbers,organizations,metadata",
            &ada,
        )
        .await
        .ok();
    let grace = &list["connections"][1];
    assert_eq!(grace.get("names"), None);
    assert_eq!(grace["emailAddresses"][0]["value"], "grace@example.com");
    assert_eq!(grace["emailAddresses"][0]["formattedType"], "Home");
    assert_eq!(grace["emailAddresses"][0]["metadata"]["primary"], true);
    assert_eq!(grace["emailAddresses"][1]["metadata"].get("primary"), None);
    assert_eq!(grace["phoneNumbers"][0]["canonicalForm"], "+1555010042");
    assert_eq!(grace["organizations"][0]["title"], "Rear Admiral");
    assert_eq!(grace["metadata"]["sources"][0]["type"], "CONTACT");
    let older = stage
        .people(
            "people/me/connections?requestMask.includeField=person.names",
            &ada,
        )
        .await
        .ok();
    assert_eq!(older["connections"][1]["names"][0]["givenName"], "Grace");
}

#[tokio::test]
async fn sync_tokens_work_for_a_week() {
    let stage = Stage::new().await;
    stage.cause(json!({ "kind": "token_lifetime", "seconds": 10_000_000 }));
    let ada = stage.ada().await;
    let base = "people/me/connections?personFields=names";
    let list = stage
        .people(&format!("{base}&requestSyncToken=true"), &ada)
        .await
        .ok();
    let token = list["nextSyncToken"].as_str().unwrap();
    let path = format!("{base}&syncToken={token}");
    let synced = stage.people(&path, &ada).await.ok();
    assert_eq!(synced.get("connections"), None);
    assert!(synced["nextSyncToken"].is_string());
    stage.cause(json!({ "kind": "advance", "seconds": 8 * 86_400 }));
    let expired = stage.people(&path, &ada).await;
    assert_eq!(expired.status, 400);
    assert_eq!(
        expired.json()["error"]["details"][0]["reason"],
        "EXPIRED_SYNC_TOKEN"
    );
}

#[tokio::test]
async fn searches_are_cold_until_they_are_warmed() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    for (path, key) in [
        ("people:searchContacts", "people"),
        ("otherContacts:search", "otherContacts"),
    ] {
        let search = async |query: &str| {
            let path = format!("{path}?query={query}&readMask=names,emailAddresses");
            stage.people(&path, &ada).await.ok()
        };
        assert_eq!(search("gra").await, json!({}), "{path}");
        assert_eq!(search("gra").await, json!({}), "{path}");
        assert_eq!(search("").await, json!({}), "{path}");
        let found = search("gra").await;
        let person = &found["results"][0]["person"];
        assert_eq!(person["names"][0]["displayName"], "Grace Hopper");
        assert!(person["resourceName"].as_str().unwrap().starts_with(key));
        assert_eq!(search("race").await, json!({}), "prefixes only");
    }
    // The other account's search isn't warmed up.
    let grace = stage
        .tokens("grace@example.com", &[CONTACTS, OTHERS])
        .await
        .access;
    let path = "people:searchContacts?query=ada&readMask=names";
    assert_eq!(stage.people(path, &grace).await.ok(), json!({}));
}

#[tokio::test]
async fn results_are_limited_to_the_page_size() {
    let stage = Stage::new().await;
    let ada = stage.ada().await;
    let base = "people:searchContacts?readMask=emailAddresses";
    stage.people(&format!("{base}&query="), &ada).await.ok();
    for (size, count) in [
        ("", 6),
        ("&pageSize=2", 2),
        ("&pageSize=0", 6),
        ("&pageSize=99", 6),
    ] {
        let found = stage
            .people(&format!("{base}&query=example{size}"), &ada)
            .await
            .ok();
        assert_eq!(found["results"].as_array().unwrap().len(), count, "{size}");
    }
}
