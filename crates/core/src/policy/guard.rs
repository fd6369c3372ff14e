//! Requests that Stead refuses unless the connection allows them.

use super::decide::Sending;
use crate::{
    Error, ErrorKind, Result,
    domain::Connection,
    product::{Guard, Guarded, Product, SentRequest},
};

/// Fails if a request needs a kind that the connection doesn't allow. An unknown connection allows none.
pub(crate) fn guard(connection: Option<&Connection>, sending: &Sending<'_>) -> Result<()> {
    match guarded(sending) {
        Some(guarded) if !allows(connection, guarded.guard) => Err(refused(connection, guarded)),
        _ => Ok(()),
    }
}

/// The kind that the connection has to allow for this request, if any.
pub(crate) fn guarded(sending: &Sending<'_>) -> Option<Guarded> {
    let guarded = sending.product.guarded(&sending.sent)?;
    (sending.is_raw || !guarded.guard.spares_tools).then_some(guarded)
}

/// Whether a kind that the connection doesn't allow has to be read from the request's body.
pub(crate) fn guard_reads_body(
    product: &'static Product,
    connection: &Connection,
    request: &SentRequest<'_>,
) -> bool {
    let mut guards = product.guards_of_body(request);
    guards.any(|guard| !allows(Some(connection), guard))
}

fn allows(connection: Option<&Connection>, guard: &Guard) -> bool {
    let allowed = connection.map(|connection| connection.allowed_requests.as_slice());
    let mut allowed = allowed.unwrap_or_default().iter();
    allowed.any(|name| name == guard.name)
}

fn refused(connection: Option<&Connection>, guarded: Guarded) -> Error {
    let (name, phrase) = (guarded.guard.name, guarded.guard.phrase());
    let what = match guarded.is_certain {
        true => format!("this request {phrase}"),
        false => format!("Stead can't read whether this request {phrase}"),
    };
    let of = connection.map(|connection| connection.name.as_str());
    let place = match of {
        Some(connection_name) => format!("the connection {connection_name}"),
        None => String::from("the connection"),
    };
    let message = format!(
        "{what}, and {place} doesn't allow that; to allow it, add {name} to its allowed_requests"
    );
    let error = Error::new(ErrorKind::Forbidden, message).with_context("allowed_request", name);
    match of {
        Some(connection_name) => error.with_context("connection_name", connection_name),
        None => error,
    }
}
