//! The pages of approvals.

use http::{StatusCode, header};
use stead::ErrorKind;

use crate::dashboard::tests::{Browser, ODD, ODD_AS_TEXT, with_markup};

#[tokio::test(start_paused = true)]
async fn a_person_sees_the_exact_arguments_and_decides() {
    let service = with_markup().await;
    let id = service.asked_for_approval(ODD).await;
    let browser = Browser::new(service);
    let list = browser.get("/dashboard/approvals").await;
    list.assert_contains(&id);
    list.assert_contains("Pending");
    list.assert_contains(ODD_AS_TEXT);
    let own = format!("/dashboard/approvals/{id}");
    let page = browser.get(&own).await;
    page.assert_contains("query&quot;: &quot;&lt;mark&gt;");
    assert!(!page.text().contains("<mark>"), "{}", page.text());

    let path = format!("{own}/approve");
    let decided = browser.act(&path, &[("reason", "<i>fine</i>")]).await;
    assert_eq!(decided.status, StatusCode::SEE_OTHER);
    assert!(decided.header("location").ends_with("done=call-approved"));
    let page = browser.get(&own).await;
    page.assert_contains("&lt;i&gt;fine");
    page.assert_contains("Approved");

    // The same call is made now, once.
    assert!(browser.0.list_threads(ODD).await.is_ok());
    let again = browser.0.list_threads(ODD).await.unwrap_err();
    assert_eq!(again.kind(), ErrorKind::ApprovalRequired);
    let again = browser.act(&path, &[]).await;
    assert!(again.headers.get(header::LOCATION).is_none());
    assert_eq!(again.status, StatusCode::CONFLICT);
}
