//! The router of every API: one request, an upload, or several requests in one.

use super::{State, batch, check, method::Api, method_override, upload};
use crate::{request::Request, response::Response};

/// Responds to a request to an API.
pub(crate) fn respond(api: &'static Api, state: &mut State, request: &Request) -> Response {
    let mut request = method_override::read(request);
    // Google takes a slash at the end of these two.
    let takes_slash = api.service.starts_with("sheets") || api.service.starts_with("drive");
    if takes_slash && request.path.len() > 1 && request.path.ends_with('/') {
        request.to_mut().path.pop();
    }
    let request = &*request;
    if api.batch_paths.contains(&request.path.as_str()) {
        batch::respond(api, state, request)
    } else if upload::is_address(&request.path) {
        upload::respond(api, state, request)
    } else {
        check::respond(api, state, request)
    }
}
