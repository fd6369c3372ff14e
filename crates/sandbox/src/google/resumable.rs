//! Resumable uploads: a client starts a session and then sends pieces (Drive API, "Perform a resumable upload").

use std::collections::BTreeMap;

use axum::http::{HeaderName, Method, StatusCode, header};
use bytes::{Bytes, BytesMut};
use jiff::{SignedDuration, Timestamp};
use url::form_urlencoded;

use super::{
    Api, check,
    errors::ApiError,
    fields::Selection,
    method::{Call, Media},
};
use crate::{google::State, request::Request, response::Response};

/// The size of every piece except the last must be a multiple of this.
const PIECE_BYTES: u64 = 256 * 1024;
/// A session is valid for a week.
const LIFE_HOURS: i64 = 7 * 24;
const UPLOAD_ID: HeaderName = HeaderName::from_static("x-guploader-uploadid");

/// Unfinished uploads by ID.
#[derive(Debug, Default)]
pub(crate) struct Sessions(BTreeMap<String, Session>);

/// An upload.
#[derive(Debug)]
struct Session {
    /// The request that started it.
    call: Call,
    selection: Option<Selection>,
    kind: String,
    /// The size of the whole upload, if it's known.
    total: Option<u64>,
    received: BytesMut,
    began: Timestamp,
    /// The response to the last piece. It's repeated if the client asks again.
    response: Option<Response>,
}

/// The position of a piece (`Content-Range`).
#[derive(Debug, PartialEq, Eq)]
enum Piece {
    /// `bytes 0-9/100`: the first byte, the byte after the last, and the total.
    Bytes(u64, u64, Option<u64>),
    /// `bytes */100`: the client sends nothing, and asks how much was received.
    Question(Option<u64>),
}

/// Starts a session. `Location` has its URL.
pub(super) fn start(
    call: Call,
    selection: Option<Selection>,
    state: &mut State,
    request: &Request,
) -> Result<Response, ApiError> {
    let total = match request.header("x-upload-content-length") {
        None => None,
        Some(text) => Some(text.parse().map_err(|_| {
            ApiError::invalid(format!("Invalid X-Upload-Content-Length header: {text}"))
        })?),
    };
    let kind = request.header("x-upload-content-type").unwrap_or_default();
    let media = Media::of(kind, Bytes::new());
    check_type(call.api, &media.kind)?;
    check_size(call.api, total.unwrap_or_default())?;
    // Drive refuses what it can before the client sends the bytes.
    if call.api.name == "drive" {
        let mut world = state.world.clone();
        let mut trial = State {
            now: state.now,
            ids: state.ids,
            oauth: state.oauth,
            world: &mut world,
            uploads: state.uploads,
        };
        call.api.run(&mut trial, &call)?;
    }
    let id = state.ids.fresh("upload", 60);
    let address = address(request, &id);
    let session = Session {
        call,
        selection,
        kind: media.kind,
        total,
        received: BytesMut::new(),
        began: state.now,
        response: None,
    };
    state.uploads.0.insert(id.clone(), session);
    Ok(empty(StatusCode::OK, &id).with(header::LOCATION, &address))
}

/// The URL of the request, with the session's ID.
fn address(request: &Request, id: &str) -> String {
    let host = request.header("host").unwrap_or_default();
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(request.query_parameters().iter());
    query.append_pair("upload_id", id);
    format!(
        "http://{host}/{}{}?{}",
        request.host,
        request.path,
        query.finish()
    )
}

/// Receives a piece. The session's URL is enough. If there's a token, it must belong to the session's user.
pub(super) fn resume(state: &mut State, request: &Request, id: &str) -> Result<Response, ApiError> {
    if request.method != Method::PUT {
        return Ok(crate::pages::wrong_method(request));
    }
    let oldest = state
        .now
        .checked_sub(SignedDuration::from_hours(LIFE_HOURS));
    let lives = |session: &Session| oldest.is_ok_and(|oldest| session.began > oldest);
    if !state.uploads.0.get(id).is_some_and(lives) {
        return Err(ApiError::not_found());
    }
    let user = match request.header("authorization") {
        Some(_) => Some(check::identify(state, request)?.user),
        None => None,
    };
    let Some(mut session) = state.uploads.0.remove(id) else {
        return Err(ApiError::not_found());
    };
    if user.is_some_and(|user| user != session.call.user) {
        state.uploads.0.insert(id.to_owned(), session);
        return Err(ApiError::not_found());
    }
    let outcome = session.take(state, request, id);
    // If the method refused the upload, the session is over.
    if outcome.is_ok() || !session.is_complete() {
        state.uploads.0.insert(id.to_owned(), session);
    }
    outcome
}

impl Session {
    fn take(
        &mut self,
        state: &mut State,
        request: &Request,
        id: &str,
    ) -> Result<Response, ApiError> {
        if let Some(response) = &self.response {
            return Ok(response.clone());
        }
        let given = length(&request.body);
        let piece = match request.header("content-range") {
            // The whole upload in one request.
            None => Piece::Bytes(0, given, Some(given)),
            Some(text) => Piece::read(text).ok_or_else(|| {
                ApiError::invalid(format!("Failed to parse Content-Range header: {text}"))
            })?,
        };
        match piece {
            Piece::Question(total) => {
                self.learn_total(total)?;
                if given > 0 {
                    return Err(ApiError::invalid("A question about an upload has no body."));
                }
            }
            Piece::Bytes(start, end, total) => {
                if end - start != given {
                    return Err(ApiError::invalid(format!(
                        "Invalid request. Content-Range names {} bytes, and the body has {given}.",
                        end - start
                    )));
                }
                self.learn_total(total)?;
                self.add(start, end, &request.body)?;
            }
        }
        if !self.is_complete() {
            return Ok(self.incomplete(id));
        }
        let bytes = self.received.split().freeze();
        self.call.media = Some(Media::of(&self.kind, bytes));
        let value = self.call.api.run(state, &self.call)?;
        self.call.media = None;
        let indented = self.call.text("prettyPrint") != Some("false");
        let response = check::json(StatusCode::OK, value, self.selection.as_ref(), indented);
        self.response = Some(response.clone());
        Ok(response)
    }

    fn learn_total(&mut self, total: Option<u64>) -> Result<(), ApiError> {
        if let (Some(known), Some(given)) = (self.total, total)
            && known != given
        {
            return Err(ApiError::invalid(format!(
                "Invalid request. The upload was announced with {known} bytes, not {given}."
            )));
        }
        check_size(self.call.api, total.unwrap_or_default())?;
        self.total = self.total.or(total);
        Ok(())
    }

    /// Adds the new bytes of a piece. A piece that is sent again may begin with known bytes.
    fn add(&mut self, start: u64, end: u64, body: &Bytes) -> Result<(), ApiError> {
        let known = length(&self.received);
        if start > known || self.total.is_some_and(|total| end > total) {
            return Err(ApiError::invalid(format!(
                "Invalid request. A piece that begins at {start} does not follow the {known} bytes that were received."
            )));
        }
        let is_last = self.total == Some(end);
        if !is_last && !(end - start).is_multiple_of(PIECE_BYTES) {
            return Err(ApiError::invalid(format!(
                "Invalid request.  The number of bytes uploaded is required to be equal or greater than {PIECE_BYTES}, except for the final request (it's recommended to be the exact multiple of {PIECE_BYTES}).  The received request contained {} bytes, which does not meet this requirement.",
                end - start
            )));
        }
        check_size(self.call.api, end)?;
        if let Some(new) = usize::try_from(known - start)
            .ok()
            .and_then(|known| body.get(known..))
        {
            self.received.extend_from_slice(new);
        }
        Ok(())
    }

    fn is_complete(&self) -> bool {
        self.response.is_some() || self.total == Some(length(&self.received))
    }

    /// 308, with the range of the received bytes.
    fn incomplete(&self, id: &str) -> Response {
        let response = empty(StatusCode::PERMANENT_REDIRECT, id);
        match self.received.len() {
            0 => response,
            received => response.with(header::RANGE, &format!("bytes=0-{}", received - 1)),
        }
    }
}

impl Piece {
    fn read(text: &str) -> Option<Self> {
        let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
        let total = match total {
            "*" => None,
            number => Some(number.parse().ok()?),
        };
        if range == "*" {
            return Some(Self::Question(total));
        }
        let (first, last) = range.split_once('-')?;
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        (first <= last).then_some(Self::Bytes(first, last.checked_add(1)?, total))
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

fn empty(status: StatusCode, id: &str) -> Response {
    Response::whole(status, "text/html; charset=UTF-8", Bytes::new())
        .with(header::CONTENT_LENGTH, "0")
        .with(UPLOAD_ID, id)
}

/// Checks that the API accepts bytes of this type.
pub(super) fn check_type(api: &Api, kind: &str) -> Result<(), ApiError> {
    let (_, accepts) = api.uploads;
    if kind.to_ascii_lowercase().starts_with(accepts) {
        return Ok(());
    }
    let message = format!("Media type '{kind}' is not supported. Valid media types: [{accepts}*]");
    Err(ApiError::of(400, "badContent", message))
}

/// Checks that the API accepts this many bytes.
pub(super) fn check_size(api: &Api, bytes: u64) -> Result<(), ApiError> {
    if bytes <= api.uploads.0 {
        return Ok(());
    }
    Err(ApiError::of(413, "uploadTooLarge", "Upload too large."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_ranges_are_read_strictly() {
        for (text, piece) in [
            ("bytes 0-9/100", Some(Piece::Bytes(0, 10, Some(100)))),
            ("bytes 5-9/*", Some(Piece::Bytes(5, 10, None))),
            ("bytes */100", Some(Piece::Question(Some(100)))),
            ("bytes */*", Some(Piece::Question(None))),
            ("bytes 9-5/100", None),
            ("bytes 0-9", None),
            ("bytes=0-9/100", None),
            ("bytes x-9/100", None),
            ("bytes 0-18446744073709551615/*", None),
        ] {
            assert_eq!(Piece::read(text), piece, "{text}");
        }
    }
}
