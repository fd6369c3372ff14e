//! The core of Stead: tools, products, and calls as a user.
//!
//! A product crate needs only [`tool`], [`product`] and [`error`]. The feature `platform` adds connections, accounts,
//! authorizations, the OAuth flow, encrypted credentials and the executor. The crate never uses the network, the clock
//! or randomness directly, only through [`ports`].
// On docs.rs, items show the feature that they need.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod agent;
pub mod api;
pub mod boxed;
pub mod caller;
#[cfg(feature = "catalogue")]
pub mod catalogue;
pub mod error;
pub mod identifier;
pub mod ports;
pub mod product;
pub mod resource;
pub mod results;
pub mod schema;
pub mod scope;
mod scrub;
pub mod similar;
pub mod state;
pub mod tool;
pub mod trace;

#[cfg(feature = "platform")]
pub mod access;
#[cfg(feature = "platform")]
mod accounts;
#[cfg(feature = "platform")]
mod audit;
#[cfg(feature = "platform")]
mod call;
#[cfg(feature = "platform")]
mod connections;
#[cfg(feature = "platform")]
mod context;
#[cfg(feature = "platform")]
mod digest;
#[cfg(feature = "platform")]
mod domain;
#[cfg(feature = "platform")]
pub mod environment;
#[cfg(feature = "platform")]
mod events;
#[cfg(any(all(test, feature = "platform"), feature = "fuzzing"))]
pub mod fuzzing;
#[cfg(feature = "platform")]
mod jwt;
#[cfg(feature = "platform")]
mod keys;
#[cfg(feature = "platform")]
mod maintenance;
#[cfg(feature = "platform")]
pub mod metrics;
#[cfg(feature = "platform")]
pub mod oauth;
#[cfg(feature = "platform")]
mod policy;
#[cfg(feature = "platform")]
mod proxy;
#[cfg(feature = "platform")]
pub mod seal;
#[cfg(feature = "platform")]
mod sealed;
#[cfg(feature = "platform")]
pub mod shares;
#[cfg(feature = "platform")]
pub mod store;
#[cfg(any(all(test, feature = "platform"), feature = "simulation"))]
mod testing;
#[cfg(feature = "platform")]
mod tool_calls;

pub use error::{Error, ErrorKind, Result};
pub use stead_derive::Setters;
