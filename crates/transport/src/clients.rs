//! A client for each tokio runtime that sends.
//!
//! A connection is driven by a task of the runtime that opened it. A request of another runtime would wait for two wake-ups of
//! another thread, and a connection would end with a runtime that others outlive.

use std::sync::{PoisonError, RwLock};

use reqwest::{Client, redirect};
use rustls::ClientConfig;
use tokio::runtime::{Handle, Id};

use crate::{InvalidOptions, TransportOptions, resolver::Resolver};

/// Runtimes that are remembered; beyond them those of before are forgotten, with their idle connections.
const RUNTIMES: usize = 256;

pub(crate) struct Clients {
    options: TransportOptions,
    tls: ClientConfig,
    of: RwLock<Vec<(Id, Client)>>,
}

impl Clients {
    pub(crate) fn new(
        options: TransportOptions,
        tls: ClientConfig,
    ) -> Result<Self, InvalidOptions> {
        let clients = Self {
            options,
            tls,
            of: RwLock::default(),
        };
        // What is wrong with the options is said at once.
        clients.build()?;
        Ok(clients)
    }

    /// The client of the runtime that this is called in.
    pub(crate) fn current(&self) -> Result<Client, InvalidOptions> {
        let id = Handle::current().id();
        let find = |known: &[(Id, Client)]| {
            let mut known = known.iter();
            known
                .find(|(of, _)| *of == id)
                .map(|(_, client)| client.clone())
        };
        if let Some(client) = find(&self.of.read().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(client);
        }
        let mut known = self.of.write().unwrap_or_else(PoisonError::into_inner);
        // All tasks of a runtime that send for the first time share one client.
        if let Some(client) = find(&known) {
            return Ok(client);
        }
        let client = self.build()?;
        if known.len() == RUNTIMES {
            known.clear();
        }
        known.push((id, client.clone()));
        Ok(client)
    }

    fn build(&self) -> Result<Client, InvalidOptions> {
        let options = self.options.clone();
        let mut builder = Client::builder()
            .tls_backend_preconfigured(self.tls.clone())
            .redirect(redirect::Policy::none())
            .referer(false)
            .connect_timeout(options.connect)
            .pool_idle_timeout(options.keep_alive)
            // Features of reqwest unify with those of the user's program: what they would turn on stays off here.
            .no_proxy()
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .no_hickory_dns();
        if let Some(proxy) = options.proxy {
            builder = builder.proxy(proxy);
        }
        if options.private_hosts.is_some() || !options.addresses.is_empty() {
            let mut private_hosts = options.private_hosts;
            if let Some(private_hosts) = &mut private_hosts {
                private_hosts.extend(options.proxy_host);
            }
            builder = builder.dns_resolver(Resolver {
                lookup: options.lookup,
                addresses: options.addresses,
                private_hosts,
            });
        }
        builder.build().map_err(|error| {
            InvalidOptions::new("the HTTP client cannot be built", error.without_url())
        })
    }
}
