//! Port for policies, which allow or deny calls.

use crate::{caller::Caller, tool::Effect};

/// A call that a policy decides about.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct PolicyRequest<'a> {
    /// The caller.
    pub caller: &'a Caller,
    /// Product.
    pub product: &'a str,
    /// Connection.
    pub connection_name: &'a str,
    /// The application's ID of the user.
    pub identifier: &'a str,
    /// Name of the tool. `None` for a raw request.
    pub tool: Option<&'a str>,
    /// Effect of the call.
    pub effect: Effect,
    /// Method and path of a raw request.
    pub target: Option<(&'a str, &'a str)>,
}

/// A policy's decision.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// Allow the call.
    Allow,
    /// Deny the call, with a reason.
    Deny(String),
    /// Require approval, with a reason.
    Hold(String),
}

/// Decides about calls. Stead asks it once per call, before it sends anything. It must not block.
pub trait Policy: Send + Sync + 'static {
    /// Decides about a call.
    fn admit(&self, request: &PolicyRequest<'_>) -> Decision;
}

/// The policy that allows everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllowAll;

impl Policy for AllowAll {
    fn admit(&self, _: &PolicyRequest<'_>) -> Decision {
        Decision::Allow
    }
}
