//! The setters and constructors that the derive writes.

use stead_derive::Setters;

#[derive(Debug, Default, PartialEq, Setters)]
#[setters(new = query)]
struct Search {
    folder: String,
    query: Option<String>,
    labels: Option<Vec<String>>,
    sizes: Vec<u32>,
    newest_first: bool,
    #[setters(optional)]
    page: u32,
    #[setters(skip)]
    found: Option<u32>,
}

#[test]
fn a_constructor_takes_required_members_and_setters_the_rest() {
    let search = Search::query("inbox", "is:unread")
        .labels(["one", "two"])
        .sizes([1, 2])
        .newest_first(true)
        .page(3);
    assert_eq!(
        search,
        Search {
            folder: String::from("inbox"),
            query: Some(String::from("is:unread")),
            labels: Some(vec![String::from("one"), String::from("two")]),
            sizes: vec![1, 2],
            newest_first: true,
            page: 3,
            found: None,
        }
    );
}

#[derive(Debug, PartialEq, Setters)]
#[setters(all)]
struct Limits {
    calls: u32,
    bytes: u64,
}

#[test]
fn all_members_can_have_a_setter() {
    let limits = Limits { calls: 1, bytes: 2 }.calls(3).bytes(4);
    assert_eq!(limits, Limits { calls: 3, bytes: 4 });
}

fn seven() -> u32 {
    7
}

#[derive(serde::Deserialize, Setters)]
#[setters(new)]
struct Page {
    #[serde(rename = "id")]
    page_id: String,
    #[serde(default = "seven")]
    size: u32,
}

#[test]
fn the_constructor_has_the_defaults_of_serde() {
    let page = Page::new("p1");
    let read: Page = serde_json::from_str(r#"{ "id": "p1" }"#).unwrap();
    assert_eq!((page.page_id, page.size), (read.page_id, read.size));
    assert_eq!(Page::new("p1").size(8).size, 8);
}
