//! The port for policy: what may be called.

use crate::{caller::Caller, tool::Effect};

/// What is about to happen, for a policy to decide on.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct PolicyRequest<'a> {
    /// Who calls.
    pub caller: &'a Caller,
    /// Product.
    pub product: &'a str,
    /// Connection.
    pub connection_name: &'a str,
    /// The application's id of the user.
    pub identifier: &'a str,
    /// Tool; `None` for the proxy.
    pub tool: Option<&'a str>,
    /// What the call can do.
    pub effect: Effect,
    /// Method and path, for the proxy.
    pub target: Option<(&'a str, &'a str)>,
}

/// A policy's decision.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// Go on.
    Allow,
    /// Never, and why.
    Deny(String),
    /// Not before it is approved, and why.
    Hold(String),
}

/// The seam for policy: asked once per call, before anything is sent. It must not wait.
pub trait Policy: Send + Sync + 'static {
    /// Decides on a call.
    fn admit(&self, request: &PolicyRequest<'_>) -> Decision;
}

/// The policy that allows all.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllowAll;

impl Policy for AllowAll {
    fn admit(&self, _: &PolicyRequest<'_>) -> Decision {
        Decision::Allow
    }
}
