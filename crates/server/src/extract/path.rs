//! The parameters of a path.

use axum::extract::FromRequestParts;
use http::request::Parts;
use serde::de::DeserializeOwned;
use stead::{Error, ErrorKind};

use crate::problem::Problem;

/// The path's parameters, each percent-decoded once: an identifier `a/b %2F` travels as `a%2Fb%20%252F`.
#[derive(Debug)]
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        match axum::extract::Path::from_request_parts(parts, &()).await {
            Ok(axum::extract::Path(parameters)) => Ok(Self(parameters)),
            Err(_) => Err(Error::new(
                ErrorKind::InvalidRequest,
                "the path's percent-encoding isn't UTF-8",
            )
            .into()),
        }
    }
}
