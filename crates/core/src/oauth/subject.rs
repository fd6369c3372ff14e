use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value};

use crate::{product::SubjectSource, store::Subject};

/// Who the user is, by the token answer.
///
/// The signature of an `id_token` is not checked: it came straight from the token endpoint over TLS, which OpenID
/// Connect Core 1.0, 3.1.3.7 point 6, accepts in its place.
pub(super) fn subject(source: SubjectSource, members: &Map<String, Value>) -> Option<Subject> {
    match source {
        SubjectSource::Unknown => None,
        SubjectSource::IdToken => {
            let claims = members.get("id_token")?.as_str()?.split('.').nth(1)?;
            let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims.trim_end_matches('=')).ok()?).ok()?;
            Some(Subject { id: text(&claims["sub"])?, display: text(&claims["email"]) })
        }
        SubjectSource::TokenAnswer { id, display } => {
            Some(Subject { id: text(at(members, id)?)?, display: display.and_then(|display| text(at(members, display)?)) })
        }
    }
}

/// A member by JSON pointer.
fn at<'a>(members: &'a Map<String, Value>, pointer: &str) -> Option<&'a Value> {
    let mut steps = pointer.split('/').skip(1);
    let first = members.get(steps.next()?)?;
    steps.try_fold(first, |value, step| value.get(step))
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty() && text.len() <= 512).map(str::to_owned)
}
