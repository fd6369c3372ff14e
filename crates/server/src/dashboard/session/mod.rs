//! Who is signed in. So far only whoever runs `stead dev` is: a browser on this machine is the owner there, and no one can
//! sign in anywhere else.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, FromRequestParts, Request};
use http::{header, request::Parts, uri::Authority};
use stead::{Error, ErrorKind, core::environment::Environment};

use crate::{openapi::Argument, options::DashboardAccess};

/// What a member may do; each role includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// Reads.
    Viewer,
    /// Changes what applications could change.
    Operator,
    /// Decides who may do what.
    Owner,
}

impl Role {
    /// Its name for people.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Owner => "owner",
        }
    }
}

/// The member whose browser sent a request.
#[derive(Debug, Clone)]
pub(crate) struct SignedIn {
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) role: Role,
    /// What every form has to send back.
    pub(crate) csrf: String,
}

/// Decides who sent a request.
#[derive(Debug)]
pub(super) struct Sessions {
    access: DashboardAccess,
    csrf: String,
}

impl Sessions {
    pub(super) fn new(environment: &Environment, access: DashboardAccess) -> Self {
        let mut random = [0; 16];
        environment.entropy().fill(&mut random);
        Self {
            access,
            csrf: format!("{:032x}", u128::from_ne_bytes(random)),
        }
    }

    /// The member who sent this request.
    ///
    /// # Errors
    /// [`ErrorKind::Forbidden`] where no one can sign in from there.
    pub(super) fn authenticate(&self, request: &Request) -> Result<SignedIn, Error> {
        if self.access == DashboardAccess::SignedInOnLoopback && is_on_this_machine(request) {
            return Ok(SignedIn {
                name: String::from("You"),
                email: String::new(),
                role: Role::Owner,
                csrf: self.csrf.clone(),
            });
        }
        Err(Error::new(
            ErrorKind::Forbidden,
            "no one can sign in here: the dashboard is for browsers on the machine that runs `stead dev`",
        ))
    }
}

/// Whether a browser of this machine asked, by a name of this machine: a page whose name was made to lead here does not.
fn is_on_this_machine(request: &Request) -> bool {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let host = request.headers().get(header::HOST);
    let host = host.and_then(|host| Authority::try_from(host.as_bytes()).ok());
    let host = request.uri().authority().cloned().or(host);
    peer.is_some_and(|ConnectInfo(peer)| peer.ip().to_canonical().is_loopback())
        && host.is_some_and(|host| {
            let name = host.host();
            let address = name.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
            name == "localhost" || address.is_ok_and(|address| address.is_loopback())
        })
}

impl SignedIn {
    /// Whether a form came from one of this member's pages. It takes as long wherever the texts differ.
    pub(super) fn sent(&self, csrf: &str) -> bool {
        let pairs = self.csrf.bytes().zip(csrf.bytes());
        let differ = pairs.fold(0, |differ, (one, other)| differ | (one ^ other));
        differ == 0 && self.csrf.len() == csrf.len()
    }
}

/// Only behind [`enter`](super::enter), which has let the request pass.
impl<S: Sync> FromRequestParts<S> for SignedIn {
    type Rejection = crate::problem::Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let member = parts.extensions.get::<Self>().cloned();
        member.ok_or_else(|| Error::new(ErrorKind::Forbidden, "no one is signed in").into())
    }
}

impl Argument for SignedIn {}
