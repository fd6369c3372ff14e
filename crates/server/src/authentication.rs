//! Who calls: an application, or the holder of an account's token, by a bearer token (RFC 6750, section 2.1).

use std::borrow::Cow;

use axum::{extract::Request, response::Response, routing::Route};
use http::{HeaderMap, header};
use stead::{
    Error, ErrorKind,
    core::{caller::Caller, environment::Environment, scope::ScopeName},
};

use crate::{
    caller::Known,
    holding,
    layer::respond,
    problem::{Problem, Result},
    request_id::in_request,
    state::ServerState,
    timeout::timeout,
};

/// What a caller of a route needs. Nothing else of a stranger's request is read.
#[derive(Clone)]
pub(crate) struct Entrance {
    state: ServerState,
    /// What is said where no token came.
    missing: &'static str,
    /// Why a caller with a token is refused, where it is.
    refuses: fn(&Caller) -> Option<&'static str>,
    /// Needed for some product at least.
    scope: Option<ScopeName>,
}

impl Entrance {
    /// For applications, with a live token of this environment.
    pub(crate) fn of_applications(state: &ServerState, scope: Option<ScopeName>) -> Self {
        let refuses = |caller: &Caller| match caller {
            Caller::AccountToken(_) => Some(
                "an account token is good for the proxy only: /proxy/{connection_name}/{identifier} of its account, or the proxy host",
            ),
            Caller::McpSession(_) => Some(MCP_ONLY),
            _ => None,
        };
        Self::new(state, APPLICATION, refuses, scope)
    }

    /// The same, also for account tokens. For which account one is good, and for what, is checked by the call.
    pub(crate) fn of_any(state: &ServerState, scope: Option<ScopeName>) -> Self {
        let refuses = |caller: &Caller| match caller {
            Caller::McpSession(_) => Some(MCP_ONLY),
            _ => None,
        };
        Self::new(state, APPLICATION, refuses, scope)
    }

    /// The same for account tokens only, which the call checks too.
    pub(crate) fn of_account_tokens(state: &ServerState) -> Self {
        Self::new(state, ACCOUNT, |_| None, None)
    }

    fn new(
        state: &ServerState,
        missing: &'static str,
        refuses: fn(&Caller) -> Option<&'static str>,
        scope: Option<ScopeName>,
    ) -> Self {
        Self {
            state: state.clone(),
            missing,
            refuses,
            scope,
        }
    }
}

const MCP_ONLY: &str = "the token of an MCP session is good for /mcp only";
const APPLICATION: &str =
    "this needs `Authorization: Bearer …` with a token from POST /oauth/token";
const ACCOUNT: &str = "the proxy host needs `Authorization: Bearer …` with an account token; make one with POST /v1/account-tokens";

/// Lets a request pass whose caller may use the route, while there is room.
pub(crate) async fn pass(
    entrance: Entrance,
    mut request: Request,
    inner: Route,
) -> Result<Response> {
    let token = bearer(request.headers())
        .ok_or_else(|| Error::new(ErrorKind::Unauthenticated, entrance.missing))?;
    let environment = in_time(&entrance.state, request.headers());
    let caller = match environment.authenticate(token).await {
        Ok(caller) => caller,
        Err(error) if error.kind() == ErrorKind::Unauthenticated => {
            return Err(Problem::of_token(error));
        }
        Err(error) => return Err(error.into()),
    };
    if let Some(why) = (entrance.refuses)(&caller) {
        return Err(Error::new(ErrorKind::InsufficientScope, why).into());
    }
    let acting = environment.acting_as(caller);
    enter(&entrance.state, &acting, entrance.scope, &mut request)?;
    admit(&entrance.state, inner, request).await
}

/// The environment for a caller who waits as long as the request says. What it says wrong is refused once it is known who
/// asks.
pub(crate) fn in_time<'e>(state: &'e ServerState, headers: &HeaderMap) -> Cow<'e, Environment> {
    match timeout(headers) {
        Ok(Some(timeout)) => Cow::Owned(state.environment.within(timeout)),
        Ok(None) | Err(_) => Cow::Borrowed(&state.environment),
    }
}

/// Makes a request that of whoever acts in this environment, where they have the scope.
pub(crate) fn enter(
    state: &ServerState,
    acting: &Environment,
    scope: Option<ScopeName>,
    request: &mut Request,
) -> Result<()> {
    if let Some(known) = request.extensions().get::<Known>() {
        known.set();
    }
    state.rates.check_caller(acting.caller())?;
    scope.map_or(Ok(()), |scope| acting.caller().check(scope))?;
    timeout(request.headers())?;
    let acting = in_request(acting, request.extensions());
    request.extensions_mut().insert(acting);
    Ok(())
}

/// Responds while there is room. The request counts until its response's body has ended.
pub(crate) async fn admit(state: &ServerState, inner: Route, request: Request) -> Result<Response> {
    let acting = request.extensions().get::<Environment>();
    let permit = state.in_flight.enter(acting.map(Environment::caller))?;
    let response = respond(inner, request).await;
    Ok(response.map(|body| holding::body(body, permit)))
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
