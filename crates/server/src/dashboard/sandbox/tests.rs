//! The page of the sandbox: it shows records as text, and its forms send the right requests to the sandbox.

use http::StatusCode;

use crate::dashboard::tests::{Browser, SCRIPT, SCRIPT_AS_TEXT, with_markup};

const PAGE: &str = "/dashboard/sandbox";

#[tokio::test]
async fn the_page_shows_and_changes_the_sandboxs_data() {
    let browser = Browser::new(with_markup().await);
    let page = browser.get(PAGE).await;
    page.assert_contains(SCRIPT_AS_TEXT);
    assert!(!page.text().contains(SCRIPT), "{}", page.text());
    page.assert_contains("name=\"f.subject\"");
    page.assert_contains("&#x2f;gmail&#x2f;v1?q=1");
    let place = [("user", "ada"), ("section", "mails")];
    for (path, own, asked, said) in [
        (
            "/records",
            vec![("f.subject", "x"), ("f.text", "y")],
            "add ada mails {\"subject\": \"x\", \"text\": \"y\"}",
            "Record added to the sandbox.",
        ),
        (
            "/records/delete",
            vec![("id", "m/1")],
            "delete ada mails m/1",
            "Record deleted from the sandbox.",
        ),
        (
            "/faults",
            vec![("fault", "stall")],
            "fault stall",
            "Fault set.",
        ),
        ("/reset", vec![], "reset", "Sandbox reset."),
    ] {
        let fields: Vec<_> = place.into_iter().chain(own).collect();
        let sent = browser.act(&format!("{PAGE}{path}"), &fields).await;
        assert_eq!(
            sent.status,
            StatusCode::SEE_OTHER,
            "{path}: {}",
            sent.text()
        );
        assert_eq!(browser.1.asked().last().unwrap(), asked);
        let shown = browser.get(sent.header("location")).await;
        assert_eq!(shown.status, StatusCode::OK);
        shown.assert_contains(said);
    }
    let refused = browser
        .act("/dashboard/sandbox/faults", &[("fault", SCRIPT)])
        .await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert!(!refused.text().contains(SCRIPT));
}

#[tokio::test]
async fn without_a_sandbox_there_is_no_page_and_no_entry() {
    let browser = Browser::with(with_markup().await, &Browser::options());
    let page = browser.get(PAGE).await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    assert!(!page.text().contains("href=\"/dashboard/sandbox\""));
    assert!(!page.text().contains("sandbox\">"), "{}", page.text());
}
