//! Who calls: an application, by its bearer token (RFC 6750, section 2.1).

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use http::{HeaderMap, header};
use stead::{Error, ErrorKind, core::environment::Environment};

use crate::{
    caller::Known,
    problem::{Problem, Result},
};

/// Lets a request pass whose caller holds a live token of this environment. Nothing else of a stranger's request is
/// read.
pub(crate) async fn authenticate(
    State(environment): State<Environment>,
    request: Request,
    next: Next,
) -> Result<Response> {
    let token = bearer(request.headers())?;
    match environment.authenticate(token).await {
        Ok(()) => {
            if let Some(known) = request.extensions().get::<Known>() {
                known.set();
            }
            Ok(next.run(request).await)
        }
        Err(error) if error.kind() == ErrorKind::Unauthenticated => Err(Problem::of_token(error)),
        Err(error) => Err(error.into()),
    }
}

fn bearer(headers: &HeaderMap) -> Result<&str, Error> {
    let missing = || {
        Error::new(
            ErrorKind::Unauthenticated,
            "this needs `Authorization: Bearer …` with a token from POST /oauth/token",
        )
    };
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (given.next(), given.next()) else {
        return Err(missing());
    };
    let (scheme, token) = value
        .to_str()
        .ok()
        .and_then(|text| text.split_once(' '))
        .ok_or_else(missing)?;
    if scheme.eq_ignore_ascii_case("bearer") {
        Ok(token.trim_matches(' '))
    } else {
        Err(missing())
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn read(values: &[&'static str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, HeaderValue::from_static(value));
        }
        bearer(&headers).ok().map(str::to_owned)
    }

    #[test]
    fn one_bearer_token_is_read_whatever_the_case_of_its_scheme() {
        assert_eq!(read(&["Bearer abc"]).as_deref(), Some("abc"));
        assert_eq!(read(&["bearer  abc "]).as_deref(), Some("abc"));
        for other in [
            &[][..],
            &["Basic abc"],
            &["abc"],
            &["Bearer abc", "Bearer def"],
        ] {
            assert_eq!(read(other), None, "{other:?}");
        }
    }
}
