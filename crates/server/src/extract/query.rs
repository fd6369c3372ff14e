//! The parameters of a query.

use std::{
    convert::Infallible,
    ops::{Deref, DerefMut},
};

use axum::extract::FromRequestParts;
use http::request::Parts;
use stead::Error;
use stead_core::api;

/// The query's parameters.
#[derive(Debug)]
pub(crate) struct Query(api::Query);

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(api::Query::read(
            parts.uri.query().unwrap_or_default(),
        )))
    }
}

impl Query {
    /// The parameters of a query, without its question mark.
    #[cfg(feature = "dashboard")]
    pub(crate) fn of(query: &str) -> Self {
        Self(api::Query::read(query))
    }

    /// Rejects parameters that the handler hasn't read.
    pub(crate) fn end(self) -> Result<(), Error> {
        self.0.end()
    }
}

impl Deref for Query {
    type Target = api::Query;

    fn deref(&self) -> &api::Query {
        &self.0
    }
}

impl DerefMut for Query {
    fn deref_mut(&mut self) -> &mut api::Query {
        &mut self.0
    }
}
