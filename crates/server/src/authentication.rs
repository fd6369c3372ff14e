//! Who calls: an application, or the holder of an account's token, by a bearer token (RFC 6750, section 2.1).

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use http::{HeaderMap, header};
use stead::{
    Error, ErrorKind,
    core::{caller::Caller, environment::Environment, scope::ScopeName},
};

use crate::{
    admission::Rates,
    caller::Known,
    problem::{Problem, Result},
    request_id::in_request,
};

/// Lets a request pass whose caller is an application, with a live token of this environment. Nothing else of a stranger's
/// request is read.
pub(crate) async fn authenticate_application(
    State(environment): State<Environment>,
    State(rates): State<Arc<Rates>>,
    request: Request,
    next: Next,
) -> Result<Response> {
    pass((environment, &rates), request, next, APPLICATION, |caller| match caller {
        Caller::AccountToken(_) => Some(
            "an account token is good for the proxy only: /proxy/{connection_name}/{identifier} of its account, or the proxy host",
        ),
        Caller::McpSession(_) => Some(MCP_ONLY),
        _ => None,
    })
    .await
}

/// The same, also for account tokens. For which account one is good, and for what, is checked by the call.
pub(crate) async fn authenticate_any(
    State(environment): State<Environment>,
    State(rates): State<Arc<Rates>>,
    request: Request,
    next: Next,
) -> Result<Response> {
    pass(
        (environment, &rates),
        request,
        next,
        APPLICATION,
        |caller| match caller {
            Caller::McpSession(_) => Some(MCP_ONLY),
            _ => None,
        },
    )
    .await
}

/// The same for account tokens only, which the call checks too.
pub(crate) async fn authenticate_account_token(
    State(environment): State<Environment>,
    State(rates): State<Arc<Rates>>,
    request: Request,
    next: Next,
) -> Result<Response> {
    pass((environment, &rates), request, next, ACCOUNT, |_| None).await
}

const MCP_ONLY: &str = "the token of an MCP session is good for /mcp only";
/// What is said where no token came.
const APPLICATION: &str =
    "this needs `Authorization: Bearer …` with a token from POST /oauth/token";
const ACCOUNT: &str = "the proxy host needs `Authorization: Bearer …` with an account token; make one with POST /v1/account-tokens";

async fn pass(
    (environment, rates): (Environment, &Rates),
    request: Request,
    next: Next,
    missing: &'static str,
    refused: impl Fn(&Caller) -> Option<&'static str>,
) -> Result<Response> {
    let token =
        bearer(request.headers()).ok_or_else(|| Error::new(ErrorKind::Unauthenticated, missing))?;
    match environment.authenticate(token).await {
        Ok(caller) => {
            if let Some(why) = refused(&caller) {
                return Err(Error::new(ErrorKind::InsufficientScope, why).into());
            }
            enter((environment, rates), caller, request, next).await
        }
        Err(error) if error.kind() == ErrorKind::Unauthenticated => Err(Problem::of_token(error)),
        Err(error) => Err(error.into()),
    }
}

/// Lets a request pass as this caller's.
pub(crate) async fn enter(
    (environment, rates): (Environment, &Rates),
    caller: Caller,
    mut request: Request,
    next: Next,
) -> Result<Response> {
    if let Some(known) = request.extensions().get::<Known>() {
        known.set();
    }
    rates.check_caller(&caller)?;
    let acting = environment.acting_as(caller);
    let acting = in_request(&acting, request.extensions());
    request.extensions_mut().insert(acting);
    Ok(next.run(request).await)
}

/// Lets a request pass whose caller has this scope, for some product at least.
pub(crate) async fn check_scope(
    State(scope): State<ScopeName>,
    request: Request,
    next: Next,
) -> Result<Response> {
    let acting = request.extensions().get::<Environment>();
    let acting = acting.ok_or_else(|| Error::new(ErrorKind::Unauthenticated, APPLICATION))?;
    acting.caller().check(scope)?;
    Ok(next.run(request).await)
}

/// The one bearer token of a request.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (given.next(), given.next()) else {
        return None;
    };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim_matches(' '))
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
        bearer(&headers).map(str::to_owned)
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
