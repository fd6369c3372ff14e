//! The header of responses that repeat an earlier one for the same idempotency key.

use std::convert::Infallible;

use axum::response::{IntoResponseParts, ResponseParts};
use http::{HeaderName, HeaderValue};

const REPLAYED: HeaderName = HeaderName::from_static("stead-idempotent-replayed");

/// Whether a response is the one to an earlier request.
#[derive(Debug)]
pub(crate) struct Replayed(pub(crate) bool);

impl IntoResponseParts for Replayed {
    type Error = Infallible;

    fn into_response_parts(self, mut response: ResponseParts) -> Result<ResponseParts, Infallible> {
        if self.0 {
            let value = HeaderValue::from_static("true");
            response.headers_mut().insert(REPLAYED, value);
        }
        Ok(response)
    }
}
