//! Columns of a database and values of a page, by name or id.

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use stead_core::{
    Error,
    error::{Violations, push_segment},
};

use crate::limits::check_member;

/// Columns or values by name or id. Their form depends on the database, which only the product knows.
pub type Properties = Map<String, Value>;

/// Key and member of a title (Notion API, "Page properties": the id of the title is always `title`).
pub(crate) const TITLE: &str = "title";

/// Checks the values of a row. The title is under `title` or under its column's name, which the product also accepts, but
/// not under both.
pub(crate) fn check_row(properties: &Properties, violations: &mut Violations) {
    let mut titles = properties
        .iter()
        .filter(|(key, value)| *key == TITLE || value.get(TITLE).is_some());
    let (first, second) = (titles.next(), titles.next());
    if let (Some((one, _)), Some((two, _))) = (first, second) {
        let named = if one == TITLE { two } else { one };
        let message = format!("a row has only one title, but {one:?} and {two:?} are given");
        violations.add(&pointer(named), "propertyNames", message);
    }
    for (key, value) in properties {
        let path = pointer(key);
        check_member(key, value, &path, violations);
    }
}

/// Explains the error for a key that is a URL-encoded id. The product returns such ids but doesn't accept them. Only the
/// product's error tells them apart from names: a column can be called `10%20off`.
pub(crate) fn explained(error: Error, properties: Option<&Properties>) -> Error {
    let said = error
        .upstream()
        .and_then(|upstream| upstream.message.clone());
    let said = said.unwrap_or_default();
    let mut keys = properties.into_iter().flat_map(Map::keys);
    let encoded = keys.find_map(|key| Some((key, decoded(key).filter(|_| said.contains(key))?)));
    match encoded {
        Some((key, plain)) => {
            let message = format!(
                "{key:?} is a URL-encoded property id; use the id {plain:?} or the property's name: {said}"
            );
            error.clone().reclassify(error.kind(), message)
        }
        None => error,
    }
}

/// Checks the values of a page below a page, which has a title but no other property (Notion API, "Create a page").
pub(crate) fn check_child_page(properties: &Properties, violations: &mut Violations) {
    for (key, value) in properties {
        let path = pointer(key);
        if key == TITLE {
            check_member(key, value, &path, violations);
        } else {
            let message = format!("a page below a page can only have the property {TITLE:?}");
            violations.add(&path, "propertyNames", message);
        }
    }
}

/// Checks the columns of a new database. Exactly one must be the title (Notion API, "Create a database").
pub(crate) fn check_columns(properties: &Properties, violations: &mut Violations) {
    let titles = properties
        .values()
        .filter(|column| column.get(TITLE).is_some())
        .count();
    if titles != 1 {
        let message =
            format!("exactly one column must be a title, {{\"title\": {{}}}}, not {titles}");
        violations.add("/properties", "contains", message);
    }
}

/// A property's id for a query. The product returns ids URL-encoded, and the request is encoded again when it's sent
/// (Notion API, "Filter properties").
pub(crate) fn plain_id(id: &str) -> String {
    decoded(id).unwrap_or_else(|| id.to_owned())
}

/// The decoded key; `None` if it isn't encoded.
fn decoded(key: &str) -> Option<String> {
    is_encoded(key).then(|| percent_decode_str(key).decode_utf8_lossy().into_owned())
}

/// Whether a key contains a URL-encoded byte.
pub(crate) fn is_encoded(key: &str) -> bool {
    key.as_bytes().windows(3).any(|bytes| {
        matches!(bytes, [b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
    })
}

fn pointer(key: &str) -> String {
    let mut pointer = String::from("/properties");
    push_segment(&mut pointer, key);
    pointer
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use stead_core::{ErrorKind, error::Upstream};
    use stead_testkit::cases;

    use super::*;

    fn faults(check: fn(&Properties, &mut Violations), properties: Value) -> Vec<String> {
        let properties: Properties = serde_json::from_value(properties).unwrap();
        let mut violations = Violations::default();
        check(&properties, &mut violations);
        let violations = violations
            .finish()
            .map_or_else(|error| error.violation_list().to_vec(), |()| Vec::new());
        violations
            .into_iter()
            .map(|one| format!("{} {}: {}", one.path, one.keyword, one.message))
            .collect()
    }

    #[test]
    fn an_encoded_key_is_explained_if_the_product_refuses_it() {
        let properties =
            json!({"Due": {}, "U%3AC%3C": {"number": 1}, "10%20off": {"checkbox": true}});
        let properties: Properties = serde_json::from_value(properties).unwrap();
        assert!(faults(check_row, json!(properties)).is_empty());
        let explain = |said: &str| {
            let upstream = Upstream::new(400).with_message(said);
            let error = Error::new(ErrorKind::ProductInvalidRequest, "refused");
            explained(error.with_upstream(upstream), Some(&properties))
        };
        let error = explain("U%3AC%3C is not a property that exists.");
        assert_eq!(error.kind(), ErrorKind::ProductInvalidRequest);
        assert!(error.message().contains("use the id \"U:C<\""), "{error}");
        assert_eq!(
            explain("Due is not a property that exists.").message(),
            "refused"
        );
    }

    #[test]
    fn a_row_has_one_title_under_any_key() {
        let table = r#"
            {"title": {"title": []}, "Status": {"select": {"name": "a"}}} =>
            {"Na/me": {"title": []}} =>
            {"title": {"title": []}, "Na/me": {"title": []}} => /properties/Na~1me propertyNames: a row has only one title, but "Na/me" and "title" are given
            {"A": {"title": []}, "B": {"title": []}} => /properties/A propertyNames: a row has only one title, but "A" and "B" are given
        "#;
        for [row, expected] in cases(table) {
            let found = faults(check_row, serde_json::from_str(row).unwrap());
            assert_eq!(found.join("\n"), expected, "{row}");
        }
        let page = json!({"title": [], "Status": {}});
        assert_eq!(faults(check_child_page, page).len(), 1);
    }

    #[test]
    fn a_database_has_one_title() {
        let table = r#"
            {"Name": {"title": {}}, "Due": {"date": {}}} => 0
            {"Due": {"date": {}}} => 1
            {"A": {"title": {}}, "B": {"title": {}}} => 1
        "#;
        for [columns, count] in cases(table) {
            let found = faults(check_columns, serde_json::from_str(columns).unwrap());
            assert_eq!(found.len().to_string(), count, "{columns}");
        }
    }

    #[test]
    fn ids_are_decoded_once() {
        for (given, plain) in [
            ("U%3AC%3C", "U:C<"),
            ("U:C<", "U:C<"),
            ("title", "title"),
            ("%3B%7D%60", ";}`"),
            ("%2525", "%25"),
            ("a%", "a%"),
            ("%E2%82%AC", "€"),
        ] {
            assert_eq!(plain_id(given), plain);
        }
    }

    proptest::proptest! {
        #[test]
        fn an_id_survives_being_encoded(id in "[ -~]{1,8}") {
            let encoded: String = id.bytes().map(|byte| format!("%{byte:02X}")).collect();
            proptest::prop_assert_eq!(plain_id(&encoded), id);
        }
    }
}
