use crate::{
    Error, ErrorKind, Result, catalogue::CatalogueTool, environment::Environment,
    snapshot::Snapshot, tool::Effect,
};

/// What is about to happen, for a policy to judge.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct PolicyRequest<'a> {
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

/// A policy's word.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// Go on.
    Allow,
    /// Never, and why.
    Deny(String),
    /// Not before somebody approves, and why.
    Hold(String),
}

/// The seam for policy: asked once per call, before anything is sent. It must not wait.
pub trait Policy: Send + Sync + 'static {
    /// Judges a call.
    fn admit(&self, intent: &PolicyRequest<'_>) -> Decision;
}

/// The policy that allows all.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllowAll;

impl Policy for AllowAll {
    fn admit(&self, _: &PolicyRequest<'_>) -> Decision {
        Decision::Allow
    }
}

/// Refuses a connection of another product than the tool's.
pub(super) fn same_product(tool: &CatalogueTool, snapshot: &Snapshot) -> Result<()> {
    let (wanted, given) = (tool.product().name, snapshot.connection.product.as_str());
    if wanted == given {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::WrongProduct,
        format!(
            "{} is a tool of {wanted}; the connection {} is of {given}",
            tool.entry().name(),
            snapshot.connection.name
        ),
    ))
}

/// Refuses a call for which no scope was granted, before anything is sent.
pub(super) fn scopes(tool: &CatalogueTool, snapshot: &Snapshot) -> Result<()> {
    let needed = tool.entry().scopes();
    if needed.covered_by(&snapshot.account.granted_scopes) {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::ScopeMissing,
        format!(
            "{} needs a permission that the user did not grant; create a link that asks for it",
            tool.entry().name()
        ),
    )
    .with_required_scopes(needed.0.iter().copied())
    .with_context("connection_name", snapshot.connection.name.as_str())
    .with_context("identifier", snapshot.account.identifier.as_str()))
}

/// Asks the environment's policy.
pub(super) fn policy(
    environment: &Environment,
    tool: &CatalogueTool,
    snapshot: &Snapshot,
) -> Result<()> {
    judge(
        environment.policy(),
        &PolicyRequest {
            product: &snapshot.connection.product,
            connection_name: snapshot.connection.name.as_str(),
            identifier: snapshot.account.identifier.as_str(),
            tool: Some(tool.entry().name()),
            effect: tool.entry().effect(),
            target: None,
        },
    )
}

impl Environment {
    /// Asks the policy about a raw request.
    pub(crate) fn admit_proxy(
        &self,
        snapshot: &Snapshot,
        effect: Effect,
        method: &str,
        path: &str,
    ) -> Result<()> {
        judge(
            self.policy(),
            &PolicyRequest {
                product: &snapshot.connection.product,
                connection_name: snapshot.connection.name.as_str(),
                identifier: snapshot.account.identifier.as_str(),
                tool: None,
                effect,
                target: Some((method, path)),
            },
        )
    }
}

fn judge(policy: &dyn Policy, intent: &PolicyRequest<'_>) -> Result<()> {
    match policy.admit(intent) {
        Decision::Allow => Ok(()),
        Decision::Deny(why) => Err(Error::new(ErrorKind::Forbidden, why)),
        Decision::Hold(why) => Err(Error::new(ErrorKind::ApprovalRequired, why)),
    }
}
