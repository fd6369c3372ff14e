//! Writes that the product may have saved although it answered 503 (Notion API, "Request limits", "Retry a write that
//! returns 503"). The product knows no idempotency key, so such a write is read back and never repeated.

use stead_core::{
    Error, ErrorKind, Result,
    tool::{ApiRequest, Io, Output, Response},
};

use crate::id::uuid;

/// What a write has brought.
pub(crate) enum Saved {
    /// The product's answer.
    Answered(Response),
    /// The object as it was read back.
    ReadBack(Response),
}

/// Sends a write; where the product says that it saved and failed after that, reads what it saved.
///
/// # Errors
/// The product's, or [`ErrorKind::WriteUnconfirmed`] with the object's id in `partial`.
pub(crate) async fn save(
    io: Io<'_>,
    write: ApiRequest,
    read: impl FnOnce(&str) -> ApiRequest,
) -> Result<Saved> {
    let error = match io.send(write).await {
        Ok(answer) => return Ok(Saved::Answered(answer)),
        Err(error) => error,
    };
    let Some(id) = committed(&error) else {
        return Err(error);
    };
    match io.send(read(&id)).await {
        Ok(answer) => Ok(Saved::ReadBack(answer)),
        Err(_) => Err(unconfirmed(&error).with_partial(serde_json::json!({ "id": id }))),
    }
}

/// The id of what the product says it may have saved.
pub(crate) fn committed(error: &Error) -> Option<String> {
    let upstream = error.upstream().filter(|upstream| upstream.status == 503)?;
    uuid(upstream.details.as_ref()?["additional_data"]["committed_resource_id"].as_str()?)
}

/// A write of which nobody can say whether it was saved.
pub(crate) fn unconfirmed(error: &Error) -> Error {
    let message = "the product said that it may have saved this, and reading it back did not settle it; look before you repeat it";
    let unconfirmed = Error::new(ErrorKind::WriteUnconfirmed, message);
    match error.upstream() {
        Some(upstream) => unconfirmed.with_upstream(upstream.clone()),
        None => unconfirmed,
    }
}

impl Saved {
    /// The object, whichever way it came.
    pub(crate) fn answer(&self) -> &Response {
        match self {
            Self::Answered(answer) | Self::ReadBack(answer) => answer,
        }
    }
}

impl From<Saved> for Output {
    fn from(saved: Saved) -> Self {
        match saved {
            Saved::Answered(answer) => answer.into(),
            Saved::ReadBack(answer) => Self::from(answer).warn(
                "read_back",
                "the product saved this and failed after that; what is returned was read back",
            ),
        }
    }
}
