//! Authenticates callers by a bearer token (RFC 6750, section 2.1). It belongs to an application, or it's an account
//! token.

use std::{borrow::Cow, time::Duration};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use http::{Extensions, HeaderMap, header};
use stead::{Error, ErrorKind};
use stead_core::{caller::Caller, environment::Environment, scope::ScopeName};

use crate::{
    caller::Connection,
    holding,
    problem::{Problem, Result},
    request_id::in_request,
    state::ServerState,
    timeout::timeout,
};

/// The requirements of a route. Stead reads nothing else of a stranger's request.
#[derive(Clone)]
pub(crate) struct Entrance {
    state: ServerState,
    /// The challenge if there is no token.
    missing: &'static str,
    /// The reason to reject a caller with a token, if there is one.
    refuses: fn(&Caller) -> Option<&'static str>,
    /// A scope that the caller needs for at least one product.
    scope: Option<ScopeName>,
}

impl Entrance {
    /// For applications with a valid token of this environment.
    pub(crate) fn of_applications(state: &ServerState, scope: Option<ScopeName>) -> Self {
        let refuses = |caller: &Caller| match caller {
            Caller::AccountToken(_) => Some(
                "an account token works only for raw requests, at /proxy/{connection_name}/{identifier} of its account or at the proxy host",
            ),
            Caller::McpSession(_) => Some(MCP_ONLY),
            _ => None,
        };
        Self::new(state, APPLICATION, refuses, scope)
    }

    /// The same, also for account tokens. The call checks their accounts and their access.
    pub(crate) fn of_any(state: &ServerState, scope: Option<ScopeName>) -> Self {
        let refuses = |caller: &Caller| match caller {
            Caller::McpSession(_) => Some(MCP_ONLY),
            _ => None,
        };
        Self::new(state, APPLICATION, refuses, scope)
    }

    /// The same for account tokens only. The call checks these too.
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

const MCP_ONLY: &str = "the token of an MCP session works only for /mcp";
const APPLICATION: &str =
    "this needs `Authorization: Bearer …` with a token from POST /oauth/token";
const ACCOUNT: &str = "the proxy host needs `Authorization: Bearer …` with an account token; create one with POST /v1/account-tokens";

impl Entrance {
    /// The environment for the caller that sent these headers. Fails if the caller isn't allowed.
    async fn acting(&self, headers: &HeaderMap, extensions: &Extensions) -> Result<Environment> {
        let token =
            bearer(headers).ok_or_else(|| Error::new(ErrorKind::Unauthenticated, self.missing))?;
        let timeout = timeout(headers);
        let environment = in_time(&self.state, &timeout);
        let caller = match environment.authenticate(token).await {
            Ok(caller) => caller,
            Err(error) if error.kind() == ErrorKind::Unauthenticated => {
                return Err(Problem::of_token(error));
            }
            Err(error) => return Err(error.into()),
        };
        if let Some(why) = (self.refuses)(&caller) {
            return Err(Error::new(ErrorKind::InsufficientScope, why).into());
        }
        timeout.map(drop)?;
        let environment = environment.acting_as(caller);
        acting(&self.state, environment, self.scope, extensions)
    }
}

/// Passes a request to its route if the caller may use it and there is room.
pub(crate) async fn pass(
    State(entrance): State<Entrance>,
    mut request: Request,
    next: Next,
) -> Result<Response> {
    let acting = entrance
        .acting(request.headers(), request.extensions())
        .await?;
    let to_route = |acting: Environment| {
        request.extensions_mut().insert(acting);
        next.run(request)
    };
    admit(&entrance.state, acting, to_route).await
}

/// The environment with the caller's time limit. A request with an invalid one is rejected only after authentication.
pub(crate) fn in_time<'e>(
    state: &'e ServerState,
    timeout: &Result<Option<Duration>, Error>,
) -> Cow<'e, Environment> {
    match timeout {
        Ok(Some(timeout)) => Cow::Owned(state.environment.clone().within(*timeout)),
        Ok(None) | Err(_) => Cow::Borrowed(&state.environment),
    }
}

/// The environment for a request, if its caller has the scope.
pub(crate) fn acting(
    state: &ServerState,
    acting: Environment,
    scope: Option<ScopeName>,
    extensions: &Extensions,
) -> Result<Environment> {
    if let Some(connection) = extensions.get::<Connection>() {
        connection.is_known();
    }
    state.rates.check_caller(acting.caller())?;
    scope.map_or(Ok(()), |scope| acting.caller().check(scope))?;
    Ok(in_request(acting, extensions))
}

/// Responds if there is room. The request counts until its whole response is available.
pub(crate) async fn admit<F>(
    state: &ServerState,
    acting: Environment,
    run: impl FnOnce(Environment) -> F,
) -> Result<Response>
where
    F: Future<Output = Response>,
{
    let permit = state.in_flight.enter(acting.caller(), || None)?;
    let response = run(acting).await;
    Ok(response.map(|body| holding::unfinished(body, permit)))
}

/// The bearer token of a request. `None` if there are several.
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
    fn one_bearer_token_is_read_with_any_case_of_its_scheme() {
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
