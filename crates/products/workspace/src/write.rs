//! Writes that the product may have saved although it responded with 503 (Notion API, "Request limits", "Retry a write that
//! returns 503"). The product knows no idempotency key, so such a write is read back and never repeated.

use stead_core::{
    Error, ErrorKind, Result,
    tool::{ApiRequest, Io, Output, Response},
};

use crate::id::uuid;

/// What a write has brought.
pub(crate) enum Saved {
    /// The product's response.
    Direct(Response),
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
        Ok(response) => return Ok(Saved::Direct(response)),
        Err(error) => error,
    };
    let Some(id) = committed(&error) else {
        return Err(error);
    };
    match io.send(read(&id)).await {
        Ok(response) => Ok(Saved::ReadBack(response)),
        Err(_) => Err(unconfirmed(&error).with_partial(serde_json::json!({ "id": id }))),
    }
}

/// The id of what the product says it may have saved.
pub(crate) fn committed(error: &Error) -> Option<String> {
    let upstream = error.upstream().filter(|upstream| upstream.status == 503)?;
    uuid(upstream.details.as_ref()?["additional_data"]["committed_resource_id"].as_str()?)
}

/// A write of which it is not known whether it was saved.
pub(crate) fn unconfirmed(error: &Error) -> Error {
    let message = "the product said that it may have saved this, and reading it back did not settle it; look before you repeat it";
    error
        .clone()
        .reclassify(ErrorKind::WriteUnconfirmed, message)
}

impl Saved {
    /// The object, whichever way it came.
    pub(crate) fn response(&self) -> &Response {
        match self {
            Self::Direct(response) | Self::ReadBack(response) => response,
        }
    }
}

impl From<Saved> for Output {
    fn from(saved: Saved) -> Self {
        match saved {
            Saved::Direct(response) => response.into(),
            Saved::ReadBack(response) => Self::from(response).warn(
                "read_back",
                "the product saved this and failed after that; what is returned was read back",
            ),
        }
    }
}
