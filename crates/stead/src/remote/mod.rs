//! A Stead service over HTTP: its requests, and the errors in its responses.

mod calls;
mod models;
mod request;
mod response;
mod service;

pub(crate) use service::Service;
