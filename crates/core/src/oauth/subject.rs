//! Identifies the user at the product.

use std::fmt::Display;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::{
    context::Context,
    domain::{Connection, Subject},
    product::{Product, SubjectSource},
    scrub::scrub,
};

/// Maximum difference between the product's clock and ours, in seconds.
const CLOCKS_APART: i64 = 300;

/// The required values of an `id_token`.
struct Expected<'a> {
    /// Accepted issuers.
    issuers: Vec<&'a str>,
    /// The client that the token must be for.
    client_id: &'a str,
    now: Timestamp,
}

/// Identifies the user from the token response to the connection's client. `issuer` is the configured one.
pub(super) fn subject_of(
    product: &Product,
    connection: &Connection,
    issuer: Option<&str>,
    members: &Map<String, Value>,
    now: Timestamp,
) -> Result<Option<Subject>, String> {
    let own = match product.oauth.subject {
        SubjectSource::IdToken { issuers } => issuers,
        _ => &[],
    };
    let expected = Expected {
        issuers: match issuer {
            Some(configured) if product.oauth.issuer != Some(configured) => vec![configured],
            _ => own.to_vec(),
        },
        client_id: connection.client_id.as_deref().unwrap_or_default(),
        now,
    };
    subject(product.oauth.subject, members, &expected)
}

/// Identifies the user from a token response that another platform received at any time. The application that imports
/// it vouches for it. Stead still checks that the `id_token` is for the connection's client, because refresh tokens
/// only work for the client they were issued to.
pub(crate) fn imported_subject(
    context: &Context,
    product: &Product,
    connection: &Connection,
    members: &Map<String, Value>,
) -> Result<Option<Subject>, String> {
    let endpoints = context.endpoints_of(connection).ok();
    let issuer = endpoints.and_then(|endpoints| endpoints.snapshot().issuer);
    subject_of(
        product,
        connection,
        issuer.as_deref(),
        members,
        Timestamp::MIN,
    )
}

/// Identifies the user from the token response. An error says what is wrong with its `id_token`.
///
/// The signature of an `id_token` isn't checked, because it came straight from the token endpoint over TLS. OpenID
/// Connect Core 1.0, 3.1.3.7 point 6, allows that. Points 2, 3 and 9 (issuer, audience and expiry) are checked.
fn subject(
    source: SubjectSource,
    members: &Map<String, Value>,
    expected: &Expected<'_>,
) -> Result<Option<Subject>, String> {
    match source {
        SubjectSource::Unknown => Ok(None),
        SubjectSource::IdToken { .. } => match members.get("id_token") {
            None | Some(Value::Null) => Ok(None),
            Some(token) => {
                let claims = token.as_str().and_then(claims);
                let claims = claims.ok_or_else(|| String::from("it can't be read"))?;
                check(&claims, expected)?;
                Ok(Some(Subject {
                    id: text(&claims["sub"])
                        .ok_or_else(|| String::from("its sub isn't a string of 1 to 512 bytes"))?,
                    display: text(&claims["email"]),
                }))
            }
        },
        SubjectSource::TokenResponse { id, display } => {
            Ok(at(members, id).and_then(text).map(|id| Subject {
                id,
                display: display.and_then(|display| text(at(members, display)?)),
            }))
        }
    }
}

/// Reads the claims of an ID token without checking its signature.
pub(super) fn claims(token: &str) -> Option<Value> {
    let claims = token.split('.').nth(1)?;
    let claims = URL_SAFE_NO_PAD.decode(claims.trim_end_matches('=')).ok()?;
    serde_json::from_slice(&claims)
        .ok()
        .filter(Value::is_object)
}

fn check(claims: &Value, expected: &Expected<'_>) -> Result<(), String> {
    let issuer = claims["iss"].as_str().unwrap_or_default();
    if !expected.issuers.contains(&issuer) {
        return Err(differs(
            "iss",
            &claims["iss"],
            expected.issuers.join(" or "),
        ));
    }
    let audience = &claims["aud"];
    let of_client = |one: &Value| one.as_str() == Some(expected.client_id);
    if !of_client(audience)
        && !audience
            .as_array()
            .is_some_and(|all| all.iter().any(of_client))
    {
        return Err(differs("aud", audience, expected.client_id));
    }
    let ends = claims["exp"].as_i64().unwrap_or_default();
    if ends.saturating_add(CLOCKS_APART) <= expected.now.as_second() {
        let now = expected.now.as_second();
        return Err(differs(
            "exp",
            &claims["exp"],
            format!("a time after {now}"),
        ));
    }
    Ok(())
}

/// Describes a claim that has the wrong value, with both values.
fn differs(claim: &str, found: &Value, expected: impl Display) -> String {
    let found = scrub(&found.to_string(), 200);
    format!("its {claim} is {found}, expected {expected}")
}

/// Looks up a member by JSON pointer.
fn at<'a>(members: &'a Map<String, Value>, pointer: &str) -> Option<&'a Value> {
    let mut steps = pointer.split('/').skip(1);
    let first = members.get(steps.next()?)?;
    steps.try_fold(first, |value, step| value.get(step))
}

/// Returns a string that isn't empty or too long.
pub(super) fn text(value: &Value) -> Option<String> {
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
    fn by_id_token(token: Value) -> Result<Option<Subject>, String> {
        read(ID_TOKEN, &members(json!({ "id_token": token })))
    }

    const ID_TOKEN: SubjectSource = SubjectSource::IdToken { issuers: &[] };

    fn read(
        source: SubjectSource,
        members: &Map<String, Value>,
    ) -> Result<Option<Subject>, String> {
        let expected = Expected {
            issuers: vec!["https://login.test", "login.test"],
            client_id: "client",
            now: Timestamp::from_second(1000).unwrap(),
        };
        subject(source, members, &expected)
    }

    fn encoded(claims: &str) -> Value {
        json!(format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(claims)))
    }

    /// An ID token that is valid except for these changed claims.
    fn id_token(claims: &str) -> Value {
        let mut all = json!({ "iss": "login.test", "aud": "client", "exp": 1001, "sub": "1" });
        let given: Map<String, Value> = serde_json::from_str(claims).unwrap();
        all.as_object_mut().unwrap().extend(given);
        encoded(&all.to_string())
    }

    fn user(id: &str, display: Option<&str>) -> Result<Option<Subject>, String> {
        Ok(Some(Subject {
            id: id.to_owned(),
            display: display.map(str::to_owned),
        }))
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

    fn nameless() -> Result<Option<Subject>, String> {
        Err(String::from("its sub isn't a string of 1 to 512 bytes"))
    }

    #[test]
    fn an_id_token_that_cannot_be_read_is_refused() {
        let odd = [
            json!(7),
            json!(""),
            json!("a"),
            json!("a."),
            json!(".."),
            json!("a.!.c"),
            json!("a.W10.c"),
            encoded(""),
            encoded("oops"),
            encoded("[]"),
            encoded("\"sub\""),
        ];
        for token in odd {
            assert_eq!(
                by_id_token(token.clone()),
                Err(String::from("it can't be read")),
                "{token}"
            );
        }
        for claims in [r#"{"sub":1}"#, r#"{"sub":""}"#, r#"{"sub":null}"#] {
            assert_eq!(by_id_token(id_token(claims)), nameless(), "{claims}");
        }
        let long = |length| id_token(&json!({ "sub": "x".repeat(length) }).to_string());
        assert_eq!(by_id_token(long(513)), nameless());
        assert_eq!(by_id_token(long(512)), user(&"x".repeat(512), None));
        assert_eq!(by_id_token(json!(null)), Ok(None));
        assert_eq!(read(ID_TOKEN, &Map::new()), Ok(None));
    }

    #[test]
    fn an_id_token_needs_the_right_issuer_client_and_time() {
        let issuers = "expected https://login.test or login.test";
        for (claims, expected) in [
            (r#"{"iss":"https://login.test"}"#, None),
            (r#"{"aud":["other","client"]}"#, None),
            (r#"{"exp":701}"#, None),
            (
                r#"{"iss":"https://login.test/"}"#,
                Some(("iss", r#""https://login.test/""#, issuers)),
            ),
            (
                r#"{"iss":"http://localhost:4000"}"#,
                Some(("iss", r#""http://localhost:4000""#, issuers)),
            ),
            (r#"{"iss":null}"#, Some(("iss", "null", issuers))),
            (
                r#"{"aud":"other"}"#,
                Some(("aud", r#""other""#, "expected client")),
            ),
            (
                r#"{"aud":["other"]}"#,
                Some(("aud", r#"["other"]"#, "expected client")),
            ),
            (r#"{"aud":null}"#, Some(("aud", "null", "expected client"))),
            (
                r#"{"exp":700}"#,
                Some(("exp", "700", "expected a time after 1000")),
            ),
            (
                r#"{"exp":"1001"}"#,
                Some(("exp", r#""1001""#, "expected a time after 1000")),
            ),
        ] {
            let refused = by_id_token(id_token(claims)).err();
            let expected =
                expected.map(|(claim, found, wanted)| format!("its {claim} is {found}, {wanted}"));
            assert_eq!(refused, expected, "{claims}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_id_token_is_read_or_refused(text in "\\PC*", claims: Vec<u8>) {
            let _ = by_id_token(json!(text));
            let _ = by_id_token(json!(format!("a.{}.c", URL_SAFE_NO_PAD.encode(claims))));
        }
    }

    #[test]
    fn members_of_the_response_are_found_by_pointer() {
        let response = members(json!({
            "bot_id": "b1",
            "owner": { "user": { "id": "u1", "name": "Ada" }, "list": ["first"], "number": 7, "empty": "" },
        }));
        let found = |id, display| read(SubjectSource::TokenResponse { id, display }, &response);
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
            assert_eq!(found(no_one, Some("/bot_id")), Ok(None), "{no_one:?}");
        }
    }

    #[test]
    fn a_product_can_have_no_subject() {
        let response = members(json!({ "id_token": id_token("{}") }));
        assert_eq!(read(SubjectSource::Unknown, &response), Ok(None));
    }
}
