//! The environment, acting as the request's caller.

use std::convert::Infallible;

use axum::extract::{FromRef, FromRequestParts};
use http::request::Parts;
use stead_core::{caller::Caller, environment::Environment};

use crate::request_id::in_request;

/// The environment for this request's caller.
pub(crate) struct Acting(pub(crate) Environment);

impl<S> FromRequestParts<S> for Acting
where
    Environment: FromRef<S>,
    S: Sync,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let acting = parts.extensions.get::<Environment>().cloned();
        Ok(Self(acting.unwrap_or_else(|| {
            // Users open the routes that need no token.
            let environment = Environment::from_ref(state).acting_as(Caller::User);
            in_request(environment, &parts.extensions)
        })))
    }
}
