//! Writes that the product may have saved although it responded with 503 (Notion API, "Request limits", "Retry a write that
//! returns 503"). The product doesn't support idempotency keys, so Stead reads the object instead of repeating the write.

use stead_core::{
    Error, ErrorKind, Result,
    tool::{ApiRequest, Io, Output, Response, items_of},
};

use crate::id::uuid;

/// The outcome of a write.
pub(crate) enum Saved {
    /// The product's response to the write.
    Direct(Response),
    /// The object, which was read separately.
    ReadBack(Response),
}

/// Sends a write. If the product reports that it saved the object but failed afterwards, Stead reads the object.
///
/// # Errors
/// Returns the product's error, or [`ErrorKind::WriteUnconfirmed`] with the object's id in `partial`.
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

/// The id of the object that the product may have saved.
pub(crate) fn committed(error: &Error) -> Option<String> {
    let upstream = error.upstream().filter(|upstream| upstream.status == 503)?;
    uuid(upstream.details.as_ref()?["additional_data"]["committed_resource_id"].as_str()?)
}

/// The ids of the blocks that the product may have saved, in order.
pub(crate) fn committed_children(error: &Error) -> Vec<String> {
    let upstream = error.upstream();
    let details = upstream.and_then(|upstream| upstream.details.as_ref());
    let ids = details.map(|details| items_of(&details["additional_data"]["committed_child_ids"]));
    let ids = ids.into_iter().flatten();
    ids.filter_map(|id| uuid(id.as_str()?)).collect()
}

/// The error for a write that may or may not have been saved.
pub(crate) fn unconfirmed(error: &Error) -> Error {
    let message = "the product may have saved this, and reading it back didn't confirm it; check before you repeat the call";
    error
        .clone()
        .reclassify(ErrorKind::WriteUnconfirmed, message)
}

impl Saved {
    /// The object, from either response.
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
                "the product saved this but failed afterwards, so the result was read separately",
            ),
        }
    }
}
