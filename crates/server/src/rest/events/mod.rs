//! The feed of events.

mod list;
mod stream;
#[cfg(test)]
mod tests;

use http::HeaderMap;
use stead::ErrorKind;
use stead_core::environment::Environment;

use crate::{
    authentication::bearer,
    problem::{Problem, Result},
};

pub(in crate::rest) use list::{QUERY as FILTER, describe, list};

/// Checks that the request's token is still valid, because it may be revoked while the request waits.
async fn check_token(environment: &Environment, token: &str) -> Result<()> {
    let authenticated = environment.authenticate(token).await;
    authenticated.map(drop).map_err(|error| match error.kind() {
        ErrorKind::Unauthenticated => Problem::of_token(error),
        _ => error.into(),
    })
}

fn token(headers: &HeaderMap) -> String {
    bearer(headers).unwrap_or_default().to_owned()
}
