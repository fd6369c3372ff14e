//! Uploads: methods that take bytes at addresses of their own (discovery, `mediaUpload`). Here are the simple upload and
//! that of two parts; the resumable one is in `resumable`.

use axum::http::StatusCode;
use bytes::Bytes;

use super::{
    check::{self, Admitted, Found},
    errors::ApiError,
    method::{Api, Call, Media, Upload},
    multipart, resumable,
};
use crate::{google::State, query::Query, request::Request, response::Response};

/// Whether the address is one for uploads. Resumable ones have a second address for each.
pub(super) fn is_address(path: &str) -> bool {
    simple_path(path).starts_with("/upload/")
}

fn simple_path(path: &str) -> &str {
    match path.strip_prefix("/resumable") {
        Some(rest) if rest.starts_with('/') => rest,
        _ => path,
    }
}

/// Takes an upload, or a piece of one.
pub(super) fn respond(api: &Api, state: &mut State, request: &Request) -> Response {
    let query = request.query_parameters();
    let indented = query.first("prettyPrint") != Some("false");
    let outcome = match query.first("upload_id") {
        Some(id) => resumable::resume(state, request, id),
        None => {
            let methods = api
                .uploads
                .iter()
                .map(|upload| (*upload, &upload.method.verb, upload.path));
            match check::find(methods, &request.method, simple_path(&request.path)) {
                Found::Method(upload, path) => begin(api, upload, path, query, state, request),
                Found::WrongVerb => return crate::pages::wrong_method(request),
                Found::Nothing => return crate::pages::not_found(request),
            }
        }
    };
    outcome.unwrap_or_else(|error| error.response(api.errors, indented))
}

fn begin(
    api: &Api,
    upload: &'static Upload,
    path: Vec<String>,
    query: Query,
    state: &mut State,
    request: &Request,
) -> Result<Response, ApiError> {
    let protocol = query.first("uploadType").map(str::to_owned);
    let admitted = check::admit(api, upload.method, &query, state, request)?;
    let mut call = check::call(&admitted, path, query, request);
    match protocol.as_deref() {
        Some("media") => {
            call.body = Bytes::new();
            let kind = request.header("content-type").unwrap_or_default();
            call.media = Some(Media::of(kind, request.body.clone()));
        }
        Some("multipart") => {
            if !is_multipart(request) {
                return Err(ApiError::invalid(
                    "The content type of a multipart upload must be multipart/related.",
                ));
            }
            let parts = multipart::parts(request)?;
            let [metadata, content] = parts.as_slice() else {
                return Err(ApiError::invalid(
                    "A multipart upload has two parts: the metadata and the media.",
                ));
            };
            if !metadata.is("application/json") {
                return Err(ApiError::invalid(
                    "The first part of a multipart upload must be application/json.",
                ));
            }
            call.body = metadata.bytes.clone();
            call.media = Some(Media::of(&content.kind, content.bytes.clone()));
        }
        Some("resumable") => {
            check::is_json(request)?;
            return resumable::start(upload, call, admitted.selection, state, request);
        }
        _ => return Err(ApiError::invalid_value("uploadType")),
    }
    finish(upload, &call, &admitted, state)
}

/// Google's own libraries say `multipart/related`, some of others `multipart/mixed`.
fn is_multipart(request: &Request) -> bool {
    request.has_media_type("multipart/related") || request.has_media_type("multipart/mixed")
}

/// Runs the method with all of the bytes.
fn finish(
    upload: &Upload,
    call: &Call,
    admitted: &Admitted,
    state: &mut State,
) -> Result<Response, ApiError> {
    if let Some(media) = &call.media {
        upload.check_type(&media.kind)?;
        upload.check_size(u64::try_from(media.bytes.len()).unwrap_or(u64::MAX))?;
    }
    let value = (upload.method.run)(state, call)?;
    Ok(check::json(
        StatusCode::OK,
        value,
        admitted.selection.as_ref(),
        admitted.indented,
    ))
}
