//! `X-HTTP-Method-Override`: a POST that stands for another method. The client libraries send a GET whose address is
//! too long so, with the query as a form in the body.

use std::borrow::Cow;

use axum::http::Method;
use bytes::Bytes;

use crate::request::Request;

/// The request that is meant.
pub(super) fn read(request: &Request) -> Cow<'_, Request> {
    let meant = request
        .header("x-http-method-override")
        .filter(|_| request.method == Method::POST)
        .and_then(|name| name.to_ascii_uppercase().parse::<Method>().ok());
    let Some(method) = meant else {
        return Cow::Borrowed(request);
    };
    let mut meant = request.clone();
    meant.method = method;
    if meant.method == Method::GET && request.form_parameters().is_some() {
        let form = String::from_utf8_lossy(&request.body).into_owned();
        meant.query = Some(match &request.query {
            Some(query) if !query.is_empty() => format!("{query}&{form}"),
            _ => form,
        });
        meant.body = Bytes::new();
    }
    Cow::Owned(meant)
}
