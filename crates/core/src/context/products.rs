//! The products, and how to reach them.

use std::{collections::BTreeMap, sync::Arc};

use http::{HeaderValue, header};

use super::{Endpoints, circuits::Circuits, unreached::UnreachedHosts};
use crate::{
    Error, ErrorKind, Result,
    catalogue::Catalogue,
    ports::{Body, BoxFuture, Transport, TransportError},
};

/// User agent of requests that don't have one.
pub(crate) const USER_AGENT: HeaderValue =
    HeaderValue::from_static(concat!("stead/", env!("CARGO_PKG_VERSION")));

/// The products, and how to reach them.
pub(crate) struct Products {
    pub(crate) catalogue: Catalogue,
    pub(super) endpoints: BTreeMap<&'static str, Arc<Endpoints>>,
    pub(super) transport: Arc<dyn Transport>,
    pub(crate) circuits: Circuits,
    pub(crate) unreached: UnreachedHosts,
    /// Hosts that webhooks can use although they are private or don't use TLS.
    pub(crate) private_hosts: Vec<String>,
    /// Hosts that the operator configured for products and the sign-in provider. They can also be private, but not for
    /// webhooks.
    pub(crate) configured_hosts: Vec<String>,
}

impl Products {
    /// Sends a request with a user agent, because networks in front of products reject requests without one.
    pub(crate) fn send(
        &self,
        mut request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        let agent = request.headers_mut().entry(header::USER_AGENT);
        agent.or_insert(USER_AGENT);
        self.transport.send(request)
    }

    pub(crate) fn endpoints(&self, product: &str) -> Result<&Arc<Endpoints>> {
        let called = || {
            self.endpoints
                .get(self.catalogue.product_called(product)?.name)
        };
        self.endpoints.get(product).or_else(called).ok_or_else(|| {
            let message = self.catalogue.no_product(product);
            Error::new(ErrorKind::InvalidRequest, message)
        })
    }
}
