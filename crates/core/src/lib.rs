//! The contract of Stead: what a tool is, what a product is, and how a call is made in a user's stead.
//!
//! A product crate needs [`tool`], [`product`] and [`error`] only. With the feature `platform` the crate also
//! holds connections, accounts and authorizations, the OAuth flow, sealed credentials and the executor.
//! It opens no socket, reads no clock and draws no randomness of its own: those come in through [`ports`].

pub mod catalogue;
pub mod error;
pub mod identifier;
pub mod ports;
pub mod product;
pub mod resource;
pub mod schema;
mod scrub;
pub mod state;
pub mod tool;

#[cfg(feature = "platform")]
mod account;
#[cfg(feature = "platform")]
pub mod app;
#[cfg(feature = "platform")]
mod authorization;
#[cfg(feature = "platform")]
mod connection;
#[cfg(feature = "platform")]
mod digest;
#[cfg(feature = "platform")]
pub mod domain;
#[cfg(feature = "platform")]
pub mod environment;
#[cfg(feature = "platform")]
pub mod execute;
#[cfg(feature = "platform")]
pub mod listing;
#[cfg(feature = "platform")]
mod maintenance;
#[cfg(feature = "platform")]
pub mod oauth;
#[cfg(feature = "platform")]
mod proxy;
#[cfg(feature = "platform")]
pub mod seal;
#[cfg(feature = "platform")]
mod sealed;
#[cfg(feature = "platform")]
mod snapshot;
#[cfg(feature = "platform")]
pub mod store;
#[cfg(feature = "platform")]
mod tasks;
#[cfg(all(test, feature = "platform"))]
mod testing;

pub use error::{Error, ErrorKind, Result};
