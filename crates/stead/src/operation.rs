//! Operations of the service, which you can send.

#[cfg(feature = "platform")]
use stead_core::{api::Run, environment::Environment};

/// An operation, such as [`ReadWebhook`](crate::resource::ReadWebhook). This crate implements it for all of them.
///
/// Use it as the bound of functions that take any operation.
#[cfg(feature = "platform")]
pub trait Operation: Run<Environment> {}
#[cfg(feature = "platform")]
impl<O: Run<Environment>> Operation for O {}

/// An operation, such as [`ReadWebhook`](crate::resource::ReadWebhook). This crate implements it for all of them.
///
/// Use it as the bound of functions that take any operation.
#[cfg(not(feature = "platform"))]
pub trait Operation: stead_core::api::Operation {}
#[cfg(not(feature = "platform"))]
impl<O: stead_core::api::Operation> Operation for O {}
