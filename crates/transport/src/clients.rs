//! A client for each tokio runtime that sends requests.
//!
//! A connection is driven by a task of the runtime that opened it. A request of another runtime would wait for two
//! wake-ups of another thread, and a connection would close with its runtime although other runtimes still use it.

use std::sync::{Arc, PoisonError, RwLock};

use reqwest::{Client, redirect};
use rustls::ClientConfig;
use tokio::runtime::{Handle, Id};

use crate::{
    InvalidOptions, TransportOptions,
    connector::{WINDOW, WINDOWS},
    direct::Direct,
    resolver::Resolver,
};

/// Maximum number of runtimes with clients. One more drops earlier ones, with their idle connections.
const RUNTIMES: usize = 256;

pub(crate) struct Clients {
    options: TransportOptions,
    tls: Arc<ClientConfig>,
    of: RwLock<Vec<(Id, Arc<Pair>)>>,
}

/// The two clients of a runtime.
pub(crate) struct Pair {
    pub(crate) reqwest: Client,
    /// `None` if all requests go through a proxy.
    pub(crate) direct: Option<Direct>,
}

impl Clients {
    pub(crate) fn new(
        options: TransportOptions,
        tls: ClientConfig,
    ) -> Result<Self, InvalidOptions> {
        let clients = Self {
            options,
            tls: Arc::new(tls),
            of: RwLock::default(),
        };
        // Reports invalid options immediately.
        clients.build()?;
        Ok(clients)
    }

    /// The clients of the current runtime.
    pub(crate) fn current(&self) -> Result<Arc<Pair>, InvalidOptions> {
        let id = Handle::current().id();
        let find = |known: &[(Id, Arc<Pair>)]| {
            let mut known = known.iter();
            known
                .find(|(of, _)| *of == id)
                .map(|(_, pair)| Arc::clone(pair))
        };
        if let Some(pair) = find(&self.of.read().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(pair);
        }
        let mut known = self.of.write().unwrap_or_else(PoisonError::into_inner);
        // All tasks of a runtime that send for the first time share one pair.
        if let Some(pair) = find(&known) {
            return Ok(pair);
        }
        let pair = Arc::new(self.build()?);
        if known.len() == RUNTIMES {
            known.clear();
        }
        known.push((id, Arc::clone(&pair)));
        Ok(pair)
    }

    fn build(&self) -> Result<Pair, InvalidOptions> {
        let options = self.options.clone();
        let has_resolver = options.private_hosts.is_some() || !options.addresses.is_empty();
        let mut private_hosts = options.private_hosts;
        if let Some(private_hosts) = &mut private_hosts {
            private_hosts.extend(options.proxy_host);
        }
        let resolver = Resolver {
            lookup: options.lookup,
            addresses: options.addresses,
            private_hosts,
        };
        let mut builder = Client::builder()
            .tls_backend_preconfigured((*self.tls).clone())
            .redirect(redirect::Policy::none())
            .referer(false)
            .connect_timeout(options.connect)
            .pool_idle_timeout(options.keep_alive)
            .http2_initial_stream_window_size(WINDOW)
            .http2_initial_connection_window_size(WINDOWS)
            // Cargo unifies reqwest's features with those of the user's program. Anything that they would turn on stays
            // off here.
            .no_proxy()
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .no_hickory_dns();
        if has_resolver {
            builder = builder.dns_resolver(resolver.clone());
        }
        let direct = match options.proxy {
            Some(proxy) => {
                builder = builder.proxy(proxy);
                None
            }
            None => Some(Direct::new(
                resolver,
                Arc::clone(&self.tls),
                options.connect,
                options.keep_alive,
            )),
        };
        let reqwest = builder.build().map_err(|error| {
            InvalidOptions::new("can't build the HTTP client", error.without_url())
        })?;
        Ok(Pair { reqwest, direct })
    }
}
