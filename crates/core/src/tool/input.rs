//! The input of a typed call.

use serde_json::Value;

use super::Tool;
use crate::{Error, ErrorKind, Result};

/// A tool's struct as the input of a call by name, which is how a typed call is sent. A parameter that is absent is left
/// out; a `null` further down is the caller's own, and means something to the product.
///
/// # Errors
/// [`ErrorKind::InvalidRequest`] where the struct cannot be written as JSON.
pub fn input_of<T: Tool>(tool: &T) -> Result<Value> {
    let mut input = serde_json::to_value(tool).map_err(|error| {
        Error::new(
            ErrorKind::InvalidRequest,
            format!("the input of {} cannot be written as JSON", T::NAME),
        )
        .with_source(error)
    })?;
    if let Value::Object(parameters) = &mut input {
        parameters.retain(|_, parameter| !parameter.is_null());
    }
    Ok(input)
}
