//! URLs of a product's endpoints in this environment, and which URLs Stead accepts for them.

use std::{collections::BTreeMap, io, sync::Arc};

use bytes::Bytes;
use http::{
    Uri,
    uri::{self, Authority, PathAndQuery, Scheme},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_derive::Setters;
use url::Url;

use crate::{
    Error, ErrorKind, Result, domain::EndpointSnapshot, error::SETTING, ports, product::Product,
};

/// Settings that differ from a product's own description: a gateway, an emulator or no rate limit. To change the quota,
/// use the connection's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ProductOptions {
    /// Base URL per origin. It can have a path.
    #[serde(default)]
    pub origins: BTreeMap<String, String>,
    /// Authorization endpoint.
    pub authorize_url: Option<String>,
    /// Token endpoint.
    pub token_url: Option<String>,
    /// Revocation endpoint.
    pub revoke_url: Option<String>,
    /// Issuer expected in the callback.
    pub issuer: Option<String>,
    /// `false` turns off the rate limit by the product's published quota.
    #[serde(alias = "paced")]
    pub rate_limited: Option<bool>,
}

impl ProductOptions {
    /// The hosts of these URLs that Stead sends requests to.
    pub fn hosts(&self) -> impl Iterator<Item = String> {
        let urls = self.origins.values();
        let urls = urls.chain([&self.token_url, &self.revoke_url].into_iter().flatten());
        urls.filter_map(|url| Some(url.parse::<Uri>().ok()?.host()?.to_ascii_lowercase()))
    }
}

/// Scheme, authority and base path without a trailing slash.
#[derive(Clone)]
struct Origin {
    text: String,
    /// Scheme and authority for requests. `None` while the host isn't known.
    parsed: Option<(Scheme, Authority)>,
    /// Offset in `text` at which the base path starts.
    base: usize,
}

impl Origin {
    fn new(text: String) -> Self {
        let uri = Uri::try_from(&text).ok();
        let parts = uri.map(Uri::into_parts);
        let parsed = parts.and_then(|parts| parts.scheme.zip(parts.authority));
        let base = parsed.as_ref().map_or(0, |(scheme, authority)| {
            scheme.as_str().len() + "://".len() + authority.as_str().len()
        });
        Self { text, parsed, base }
    }
}

/// Maximum length of a path with its query. With scheme and host, it stays below the maximum of a URI.
const LONGEST: usize = 65_000;

/// A product's endpoints in this environment. If they depend on a connection's settings, the endpoints of that
/// connection.
#[derive(Clone)]
pub(crate) struct Endpoints {
    pub(crate) product: &'static Product,
    /// One per origin of the product, in the same order.
    origins: Vec<Origin>,
    authorize: String,
    pub(crate) token: String,
    revoke: Option<String>,
    issuer: Option<String>,
    pub(crate) rate_limited: bool,
}

impl Endpoints {
    pub(super) fn new(product: &'static Product, options: Option<&ProductOptions>) -> Result<Self> {
        let options = options.cloned().unwrap_or_default();
        if let Some(unknown) = options
            .origins
            .keys()
            .find(|name| product.origins.iter().all(|origin| origin.name != **name))
        {
            let error = Error::new(
                ErrorKind::InvalidRequest,
                format!(
                    "the product {} has no origin named {unknown:?}",
                    product.name
                ),
            );
            return Err(of_setting(error, product, &format!("origins.{unknown}")));
        }
        let origins = product
            .origins
            .iter()
            .map(|origin| {
                let url = options
                    .origins
                    .get(origin.name)
                    .map_or(origin.url, String::as_str);
                let checked = checked_base_url(url, "an origin");
                let checked = checked.and_then(|checked| encrypted(url).map(|()| checked));
                let setting = format!("origins.{}", origin.name);
                checked
                    .map(Origin::new)
                    .map_err(|error| of_setting(error, product, &setting))
            })
            .collect::<Result<_>>()?;
        let endpoint = |given: &Option<String>, own: &str, what: &str, setting: &str| {
            let url = given.as_deref().unwrap_or(own);
            let checked = checked_base_url(url, what).and_then(|_| encrypted(url));
            checked
                .map(|()| url.to_owned())
                .map_err(|error| of_setting(error, product, setting))
        };
        let oauth = &product.oauth;
        Ok(Self {
            product,
            origins,
            authorize: endpoint(
                &options.authorize_url,
                oauth.authorize,
                "the authorization endpoint",
                "authorize_url",
            )?,
            token: endpoint(
                &options.token_url,
                oauth.token,
                "the token endpoint",
                "token_url",
            )?,
            revoke: match (&options.revoke_url, oauth.revoke) {
                (None, None) => None,
                (given, own) => Some(endpoint(
                    given,
                    own.unwrap_or_default(),
                    "the revocation endpoint",
                    "revoke_url",
                )?),
            },
            issuer: options.issuer.or_else(|| oauth.issuer.map(str::to_owned)),
            rate_limited: options.rate_limited.unwrap_or(true),
        })
    }

    /// The endpoints of a connection with these settings.
    pub(crate) fn of(
        self: &Arc<Self>,
        settings: &serde_json::Map<String, serde_json::Value>,
    ) -> Result<Arc<Self>> {
        let origins = self.origins.iter().map(|origin| &origin.text);
        let mut own = origins
            .chain([&self.authorize, &self.token])
            .chain(&self.revoke);
        if own.all(|url| !url.contains(HOST)) {
            return Ok(Arc::clone(self));
        }
        let host = self.product.derived(settings)?.host.unwrap_or_default();
        let mut endpoints = Self::clone(self);
        let origins = endpoints.origins.iter_mut().map(|origin| &mut origin.text);
        let all = origins
            .chain([&mut endpoints.authorize, &mut endpoints.token])
            .chain(&mut endpoints.revoke);
        for url in all {
            *url = url.replace(HOST, &host);
            base_url(url, "an address of the connection")?;
        }
        for origin in &mut endpoints.origins {
            *origin = Origin::new(std::mem::take(&mut origin.text));
        }
        Ok(Arc::new(endpoints))
    }

    /// Index of the origin with this name. An empty name means the first one.
    fn index(&self, name: &str) -> Option<usize> {
        match name {
            "" => Some(0),
            name => {
                let mut origins = self.product.origins.iter();
                origins.position(|origin| origin.name == name)
            }
        }
    }

    /// Scheme, authority and base path of an origin. An empty name means the first one.
    pub(crate) fn origin(&self, name: &str) -> Option<(&str, &'static str)> {
        let index = self.index(name)?;
        let origin = self.origins.get(index)?;
        Some((&origin.text, self.product.origins.get(index)?.base))
    }

    /// Whether the operator has set this origin to a URL other than the product's own.
    pub(crate) fn is_configured(&self, name: &str) -> bool {
        let index = self.index(name);
        let own = index.and_then(|index| self.product.origins.get(index));
        own.zip(self.origin(name))
            .is_some_and(|(own, (text, _))| own.url != text && !own.url.contains(HOST))
    }

    /// Like `origin`, for a name from the product's own code.
    pub(crate) fn origin_or_fail(&self, name: &str) -> Result<(&str, &'static str)> {
        self.origin(name).ok_or_else(|| {
            Error::new(
                ErrorKind::Internal,
                format!("the product has no origin named {name:?}"),
            )
        })
    }

    /// The URL of a path and query below an origin. Both are only validated, never changed.
    ///
    /// # Errors
    /// If they cannot be part of a URI.
    pub(crate) fn target(&self, name: &str, path_and_query: &str) -> Result<Uri, io::Error> {
        let wrong = io::Error::other::<&str>;
        let origin = self.index(name).and_then(|index| self.origins.get(index));
        let origin = origin.ok_or_else(|| wrong("the product has no such origin"))?;
        let parsed = origin.parsed.clone();
        let (scheme, authority) = parsed.ok_or_else(|| wrong("the host isn't known"))?;
        let target = [&origin.text[origin.base..], path_and_query].concat();
        if target.len() > LONGEST {
            return Err(wrong("it is too long"));
        }
        let target = match target.is_empty() {
            true => PathAndQuery::from_static("/"),
            false => {
                let target = PathAndQuery::from_maybe_shared(Bytes::from(target));
                target.map_err(io::Error::other)?
            }
        };
        let mut parts = uri::Parts::default();
        (parts.scheme, parts.authority) = (Some(scheme), Some(authority));
        parts.path_and_query = Some(target);
        Uri::from_parts(parts).map_err(io::Error::other)
    }

    pub(crate) fn snapshot(&self) -> EndpointSnapshot {
        EndpointSnapshot {
            issuer: self.issuer.clone(),
            authorize: self.authorize.clone(),
            token: self.token.clone(),
        }
    }

    /// The authorization endpoint and the token endpoint.
    pub(crate) fn for_authorization(&self) -> Vec<String> {
        vec![self.authorize.clone(), self.token.clone()]
    }

    pub(crate) fn revoke(&self) -> Option<&str> {
        self.revoke.as_deref()
    }
}

/// Placeholder for the host from a connection's settings.
const HOST: &str = "{host}";

/// Rejects plain HTTP except for this machine, because requests have credentials.
fn encrypted(text: &str) -> Result<()> {
    match Url::parse(&text.replace(HOST, "host.example")) {
        Ok(url) if url.scheme() == "http" && !is_loopback(&url) => {
            let refused = Error::new(
                ErrorKind::InvalidRequest,
                "a product's address must start with https://; http:// is allowed only for this machine",
            );
            Err(refused.with_context("url", text))
        }
        _ => Ok(()),
    }
}

/// Adds the product's setting, by its name in the settings file, to an error.
fn of_setting(error: Error, product: &Product, setting: &str) -> Error {
    error.with_context(SETTING, format!("products.{}.{setting}", product.name))
}

/// A base URL without a trailing slash. If it has `{host}`, Stead validates it with an example host.
fn checked_base_url(text: &str, what: &str) -> Result<String> {
    if text.contains(HOST) {
        base_url(&text.replace(HOST, "host.example"), what)?;
        return Ok(text.to_owned());
    }
    Ok(base_url(text, what)?
        .as_str()
        .trim_end_matches('/')
        .to_owned())
}

/// An absolute http(s) URL without user information, query and fragment.
pub(super) fn base_url(text: &str, what: &str) -> Result<Url> {
    let refuse = |why: &str| {
        let error = Error::new(ErrorKind::InvalidRequest, format!("{what} {why}"));
        // The text before an `@` may contain a password.
        if text.contains('@') {
            return error;
        }
        error.with_context("url", text)
    };
    let url = Url::parse(text).map_err(|error| {
        let why = match text.contains("://") {
            true => "isn't a URL",
            false => "isn't a URL; it must start with https://",
        };
        refuse(why).with_source(error)
    })?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(refuse("must start with https:// or http://"));
    }
    if !url.username().is_empty()
        || url.password().is_some()
        || url.query().is_some()
        || url.fragment().is_some()
    {
        return Err(refuse("can't have a user, query or fragment"));
    }
    Ok(url)
}

/// Whether a URL points to this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(ports::is_loopback)
}

#[cfg(test)]
mod tests;
