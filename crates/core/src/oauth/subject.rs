//! Who the user is at the product.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value};

use crate::{domain::Subject, product::SubjectSource};

/// Who the user is, by the token answer.
///
/// The signature of an `id_token` is not checked: it came straight from the token endpoint over TLS, which OpenID
/// Connect Core 1.0, 3.1.3.7 point 6, accepts in its place.
pub(super) fn subject(source: SubjectSource, members: &Map<String, Value>) -> Option<Subject> {
    match source {
        SubjectSource::Unknown => None,
        SubjectSource::IdToken => {
            let claims = members.get("id_token")?.as_str()?.split('.').nth(1)?;
            let claims: Value =
                serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims.trim_end_matches('=')).ok()?)
                    .ok()?;
            Some(Subject {
                id: text(&claims["sub"])?,
                display: text(&claims["email"]),
            })
        }
        SubjectSource::TokenResponse { id, display } => Some(Subject {
            id: text(at(members, id)?)?,
            display: display.and_then(|display| text(at(members, display)?)),
        }),
    }
}

/// A member by JSON pointer.
fn at<'a>(members: &'a Map<String, Value>, pointer: &str) -> Option<&'a Value> {
    let mut steps = pointer.split('/').skip(1);
    let first = members.get(steps.next()?)?;
    steps.try_fold(first, |value, step| value.get(step))
}

fn text(value: &Value) -> Option<String> {
    value
        .as_str()
        .filter(|text| !text.is_empty() && text.len() <= 512)
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn members(value: Value) -> Map<String, Value> {
        serde_json::from_value(value).unwrap()
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "the tests below make it in place"
    )]
    fn by_id_token(token: Value) -> Option<Subject> {
        subject(
            SubjectSource::IdToken,
            &members(json!({ "id_token": token })),
        )
    }

    fn id_token(claims: &str) -> Value {
        json!(format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(claims)))
    }

    fn user(id: &str, display: Option<&str>) -> Option<Subject> {
        Some(Subject {
            id: id.to_owned(),
            display: display.map(str::to_owned),
        })
    }

    #[test]
    fn an_id_token_names_its_user() {
        assert_eq!(
            by_id_token(id_token(r#"{"sub":"1","email":"ada@example.test"}"#)),
            user("1", Some("ada@example.test"))
        );
        for nameless in [
            r#"{"sub":"1"}"#,
            r#"{"sub":"1","email":null}"#,
            r#"{"sub":"1","email":""}"#,
            r#"{"sub":"1","email":["a"]}"#,
        ] {
            assert_eq!(
                by_id_token(id_token(nameless)),
                user("1", None),
                "{nameless}"
            );
        }
        let padded = id_token(r#"{"sub":"12"}"#)
            .as_str()
            .unwrap()
            .replace(".c2ln", "=.c2ln");
        assert_eq!(by_id_token(json!(padded)), user("12", None));
    }

    #[test]
    fn an_odd_id_token_names_no_one() {
        let odd = [
            json!(null),
            json!(7),
            json!(""),
            json!("a"),
            json!("a."),
            json!(".."),
            json!("a.!.c"),
            json!("a.e30"),
            json!("a.W10.c"),
        ];
        for token in odd {
            assert_eq!(by_id_token(token.clone()), None, "{token}");
        }
        for claims in [
            "",
            "oops",
            "[]",
            "\"sub\"",
            r#"{"sub":1}"#,
            r#"{"sub":""}"#,
            r#"{"sub":null}"#,
            r#"{"email":"a@b.test"}"#,
        ] {
            assert_eq!(by_id_token(id_token(claims)), None, "{claims}");
        }
        assert_eq!(
            by_id_token(id_token(&json!({ "sub": "x".repeat(513) }).to_string())),
            None
        );
        assert_eq!(
            by_id_token(id_token(&json!({ "sub": "x".repeat(512) }).to_string())),
            user(&"x".repeat(512), None)
        );
        assert_eq!(subject(SubjectSource::IdToken, &Map::new()), None);
    }

    proptest::proptest! {
        #[test]
        fn any_id_token_is_read_or_names_no_one(text in "\\PC*", claims: Vec<u8>) {
            by_id_token(json!(text));
            by_id_token(json!(format!("a.{}.c", URL_SAFE_NO_PAD.encode(claims))));
        }
    }

    #[test]
    fn members_of_the_response_are_found_by_pointer() {
        let response = members(json!({
            "bot_id": "b1",
            "owner": { "user": { "id": "u1", "name": "Ada" }, "list": ["first"], "number": 7, "empty": "" },
        }));
        let found = |id, display| subject(SubjectSource::TokenResponse { id, display }, &response);
        assert_eq!(found("/bot_id", None), user("b1", None));
        assert_eq!(
            found("/owner/user/id", Some("/owner/user/name")),
            user("u1", Some("Ada"))
        );
        assert_eq!(
            found("/bot_id", Some("/owner/user/email")),
            user("b1", None)
        );
        for no_one in [
            "",
            "/",
            "/other",
            "/owner",
            "/owner/user",
            "/bot_id/deeper",
            "/owner/list/0",
            "/owner/number",
            "/owner/empty",
        ] {
            assert_eq!(found(no_one, Some("/bot_id")), None, "{no_one:?}");
        }
    }

    #[test]
    fn some_products_do_not_say() {
        assert_eq!(
            subject(
                SubjectSource::Unknown,
                &members(json!({ "id_token": id_token("{\"sub\":\"1\"}") }))
            ),
            None
        );
    }
}
