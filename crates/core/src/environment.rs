//! One deployment: its public URL, its store, its keys, its products. Everything that an application can ask for is a
//! method of [`Environment`]; the methods stand in the files of their resources.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use jiff::Timestamp;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use url::Url;
use uuid::Uuid;

use crate::{
    Error, ErrorKind, Result,
    app::AccessTokens,
    catalogue::Catalogue,
    execute::{AllowAll, Paces, Policy, Recorder},
    identifier::ConnectionId,
    oauth::{Flights, OutboxWorker},
    ports::{BoxFuture, Entropy, Runtime, Transport},
    product::Product,
    seal::{KeyRing, Vault},
    snapshot::Snapshots,
    store::{Batch, Commit, EndpointSnapshot, EventRow, Store},
    tasks::Tasks,
};

pub use crate::maintenance::Retention;

/// One deployment. A handle: clones share everything.
#[derive(Clone)]
pub struct Environment(Arc<Inner>);

struct Inner {
    public_url: Url,
    verification: Verification,
    retention: Retention,
    products: BTreeMap<&'static str, Arc<Endpoints>>,
    catalogue: Catalogue,
    transport: Arc<dyn Transport>,
    runtime: Arc<dyn Runtime>,
    entropy: Arc<dyn Entropy>,
    store: Arc<dyn Store>,
    policy: Arc<dyn Policy>,
    vault: Vault,
    snapshots: Snapshots,
    flights: Flights,
    outbox_worker: OutboxWorker,
    paces: Paces,
    recorder: Recorder,
    access_tokens: AccessTokens,
    tasks: Tasks,
    counter: AtomicU32,
}

/// How an environment is set up.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EnvironmentOptions {
    /// Where users' browsers reach this environment; links and redirect URIs are made from it and from nothing else.
    pub public_url: Url,
    /// Who confirms that the user who came back is the one whom the link was made for.
    pub verification: Verification,
    /// Endpoints and pacing per product, where they differ from the product's own.
    pub products: BTreeMap<String, ProductOptions>,
    /// How long history is kept; 30 days unless told.
    pub retention: Retention,
}

impl EnvironmentOptions {
    /// Options with this public URL; the application verifies, the products' own endpoints, the usual retention.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] where it is not an http(s) URL without query and fragment, or plain http beyond this machine.
    pub fn new(public_url: &str) -> Result<Self> {
        let public_url = base_url(public_url, "the public URL")?;
        if public_url.scheme() == "http" && !is_loopback(&public_url) {
            return Err(Error::new(
                ErrorKind::InvalidRequest,
                "the public URL must be https; plain http is taken for 127.0.0.1 and localhost alone",
            ));
        }
        Ok(Self {
            public_url,
            verification: Verification::Application,
            products: BTreeMap::new(),
            retention: Retention::default(),
        })
    }
}

/// Who confirms that the user who came back is the one whom the link was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verification {
    /// The application, which knows who is signed in at `verify_url`.
    Application,
    /// Nobody: whoever holds the link is taken for the user.
    LinkPossession,
}

/// What differs from a product's own description: a gateway, an emulator, a larger quota.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ProductOptions {
    /// Base URL per origin; may carry a path.
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
    /// `false` turns off pacing by the product's published quota.
    pub paced: Option<bool>,
}

/// What an environment stands on.
#[non_exhaustive]
pub struct Ports {
    /// Network.
    pub transport: Arc<dyn Transport>,
    /// Time and tasks.
    pub runtime: Arc<dyn Runtime>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
    /// Rows.
    pub store: Arc<dyn Store>,
    /// Keys that seal the store's secrets.
    pub keys: KeyRing,
    /// Policy.
    pub policy: Arc<dyn Policy>,
}

impl Ports {
    /// The ports, with a policy that allows all.
    pub fn new(
        transport: Arc<dyn Transport>,
        runtime: Arc<dyn Runtime>,
        entropy: Arc<dyn Entropy>,
        store: Arc<dyn Store>,
        keys: KeyRing,
    ) -> Self {
        Self {
            transport,
            runtime,
            entropy,
            store,
            keys,
            policy: Arc::new(AllowAll),
        }
    }
}

impl fmt::Debug for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ports")
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}

/// A product's endpoints in this environment, or those of one connection where they depend on its settings.
#[derive(Clone)]
pub(crate) struct Endpoints {
    pub(crate) product: &'static Product,
    /// Per origin of the product, in its order: scheme, authority and base path without a trailing slash.
    origins: Vec<String>,
    authorize: String,
    token: String,
    revoke: Option<String>,
    issuer: Option<String>,
    pub(crate) paced: bool,
}

impl Environment {
    /// Opens an environment: checks the endpoints, and that the keys are those that the store was sealed with.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for options that cannot be, [`ErrorKind::KeyUnavailable`] for a wrong key.
    pub async fn open(
        options: EnvironmentOptions,
        catalogue: Catalogue,
        ports: Ports,
    ) -> Result<Self> {
        options.retention.check()?;
        for name in options.products.keys() {
            if catalogue.product(name).is_none() {
                return Err(Error::new(
                    ErrorKind::InvalidRequest,
                    format!(
                        "the options name the product {name:?}, which this environment has not"
                    ),
                ));
            }
        }
        let products = catalogue
            .products()
            .iter()
            .map(|product| {
                Ok((
                    product.name,
                    Arc::new(Endpoints::new(product, options.products.get(product.name))?),
                ))
            })
            .collect::<Result<_>>()?;
        let vault = Vault::open(
            &ports.keys,
            ports.store.as_ref(),
            ports.runtime.as_ref(),
            Arc::clone(&ports.entropy),
        )
        .await?;
        let environment = Self(Arc::new(Inner {
            public_url: options.public_url,
            verification: options.verification,
            retention: options.retention,
            products,
            catalogue,
            transport: ports.transport,
            runtime: ports.runtime,
            entropy: ports.entropy,
            store: ports.store,
            policy: ports.policy,
            vault,
            snapshots: Snapshots::default(),
            flights: Flights::default(),
            outbox_worker: OutboxWorker::default(),
            paces: Paces::default(),
            recorder: Recorder::default(),
            access_tokens: AccessTokens::default(),
            tasks: Tasks::default(),
            counter: AtomicU32::new(0),
        }));
        crate::maintenance::start(&environment);
        Ok(environment)
    }

    /// Where users' browsers reach this environment.
    pub fn public_url(&self) -> &Url {
        &self.0.public_url
    }
    /// Who confirms that the right user came back.
    pub fn verification(&self) -> Verification {
        self.0.verification
    }
    /// How long history is kept.
    pub fn retention(&self) -> Retention {
        self.0.retention
    }
    /// The tools and products.
    pub fn catalogue(&self) -> &Catalogue {
        &self.0.catalogue
    }
    /// Randomness, for those who build on this environment.
    pub fn entropy(&self) -> &dyn Entropy {
        self.0.entropy.as_ref()
    }
    /// Time, for those who build on this environment.
    pub fn runtime(&self) -> &dyn Runtime {
        self.0.runtime.as_ref()
    }

    /// Whether the store answers.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`] where it does not, [`ErrorKind::ShuttingDown`] after [`Environment::shut_down`].
    pub async fn ready(&self) -> Result<()> {
        self.0.tasks.open()?;
        self.store().now().await.map(drop)
    }

    /// Takes no more calls, waits until refreshes and writes in flight are done, and keeps their records.
    pub async fn shut_down(&self) {
        self.0.tasks.close();
        self.0.tasks.drained(self.runtime()).await;
        self.recorder().flush(self).await;
    }

    pub(crate) fn transport(&self) -> &dyn Transport {
        self.0.transport.as_ref()
    }
    pub(crate) fn store(&self) -> &dyn Store {
        self.0.store.as_ref()
    }
    pub(crate) fn policy(&self) -> &dyn Policy {
        self.0.policy.as_ref()
    }
    pub(crate) fn vault(&self) -> &Vault {
        &self.0.vault
    }
    pub(crate) fn snapshots(&self) -> &Snapshots {
        &self.0.snapshots
    }
    pub(crate) fn flights(&self) -> &Flights {
        &self.0.flights
    }
    pub(crate) fn outbox_worker(&self) -> &OutboxWorker {
        &self.0.outbox_worker
    }
    pub(crate) fn paces(&self) -> &Paces {
        &self.0.paces
    }
    pub(crate) fn recorder(&self) -> &Recorder {
        &self.0.recorder
    }
    pub(crate) fn access_tokens(&self) -> &AccessTokens {
        &self.0.access_tokens
    }
    pub(crate) fn tasks(&self) -> &Tasks {
        &self.0.tasks
    }
    pub(crate) fn downgrade(&self) -> WeakEnvironment {
        WeakEnvironment(Arc::downgrade(&self.0))
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.runtime().now()
    }
    pub(crate) fn monotonic(&self) -> Duration {
        self.runtime().monotonic()
    }

    /// Runs `work` to its end even if the caller goes away, and returns its result to a caller who stays. A panic in it is
    /// an error.
    pub(crate) async fn detached<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let (answer, wait) = futures_channel::oneshot::channel();
        let guard = self.tasks().begin();
        self.runtime().spawn(Box::pin(async move {
            let result = work.await;
            drop(guard);
            // The caller may be gone; the work is done all the same.
            let _ = answer.send(result);
        }) as BoxFuture<'static, ()>);
        wait.await.unwrap_or_else(|_| {
            Err(Error::new(
                ErrorKind::Internal,
                "a task ended without its result",
            ))
        })
    }

    /// A new id: ordered by time, and within one process by creation.
    pub(crate) fn new_id(&self) -> Uuid {
        let mut bytes = [0; 10];
        self.entropy().fill(&mut bytes);
        let counter = self.0.counter.fetch_add(1, Ordering::Relaxed) & 0xfff;
        let [_, _, low, high] = counter.to_be_bytes();
        bytes[0] = low;
        bytes[1] = high;
        let millis = u64::try_from(self.now().as_millisecond()).unwrap_or_default();
        uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
    }

    /// A new secret of 256 bits, in URL-safe characters.
    pub(crate) fn new_secret(&self, prefix: &str) -> SecretString {
        use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
        let mut bytes = zeroize::Zeroizing::new([0; 32]);
        self.entropy().fill(bytes.as_mut_slice());
        SecretString::from(format!(
            "{prefix}{}",
            URL_SAFE_NO_PAD.encode(bytes.as_slice())
        ))
    }

    pub(crate) fn new_event(
        &self,
        name: &str,
        account: Option<crate::identifier::AccountId>,
        data: serde_json::Value,
    ) -> EventRow {
        EventRow {
            id: crate::identifier::EventId::from_uuid(self.new_id()),
            name: name.to_owned(),
            at: self.now(),
            account_id: account,
            data,
        }
    }

    /// Commits, and says `conflict` as an error where another writer was first.
    pub(crate) async fn commit_or(&self, batch: Batch, conflict: Error) -> Result<()> {
        match self.store().commit(batch).await? {
            Commit::Committed => Ok(()),
            Commit::Conflict => Err(conflict),
        }
    }

    /// The redirect URI of a connection, as registered at the product byte for byte.
    pub(crate) fn redirect_uri(&self, connection: ConnectionId) -> String {
        self.at(&format!("/sso/v1/oauth/{connection}/callback"))
    }

    /// A URL of this environment.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.public_url().as_str().trim_end_matches('/'))
    }

    pub(crate) fn endpoints(&self, product: &str) -> Result<&Arc<Endpoints>> {
        self.0.products.get(product).ok_or_else(|| {
            Error::new(
                ErrorKind::InvalidRequest,
                format!(
                    "this environment has no product {product:?}; it has {}",
                    self.product_names()
                ),
            )
        })
    }

    fn product_names(&self) -> String {
        self.0
            .products
            .keys()
            .copied()
            .collect::<Vec<_>>()
            .join(", ")
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("public_url", &self.public_url().as_str())
            .finish_non_exhaustive()
    }
}

/// A handle that does not keep the environment alive.
pub(crate) struct WeakEnvironment(std::sync::Weak<Inner>);

impl WeakEnvironment {
    pub(crate) fn upgrade(&self) -> Option<Environment> {
        self.0.upgrade().map(Environment)
    }
}

impl Endpoints {
    fn new(product: &'static Product, options: Option<&ProductOptions>) -> Result<Self> {
        let options = options.cloned().unwrap_or_default();
        if let Some(unknown) = options
            .origins
            .keys()
            .find(|name| product.origins.iter().all(|origin| origin.name != **name))
        {
            return Err(Error::new(
                ErrorKind::InvalidRequest,
                format!("the product {} has no origin {unknown:?}", product.name),
            ));
        }
        let origins = product
            .origins
            .iter()
            .map(|origin| {
                let url = options
                    .origins
                    .get(origin.name)
                    .map_or(origin.url, String::as_str);
                let checked = checked_base_url(url, "an origin")?;
                encrypted(url).map(|()| checked)
            })
            .collect::<Result<_>>()?;
        let endpoint = |given: &Option<String>, own: &str, what: &str| {
            let url = given.as_deref().unwrap_or(own);
            checked_base_url(url, what)?;
            encrypted(url).map(|()| url.to_owned())
        };
        let oauth = &product.oauth;
        Ok(Self {
            product,
            origins,
            authorize: endpoint(
                &options.authorize_url,
                oauth.authorize,
                "the authorization endpoint",
            )?,
            token: endpoint(&options.token_url, oauth.token, "the token endpoint")?,
            revoke: match (&options.revoke_url, oauth.revoke) {
                (None, None) => None,
                (given, own) => Some(endpoint(
                    given,
                    own.unwrap_or_default(),
                    "the revocation endpoint",
                )?),
            },
            issuer: options.issuer.or_else(|| oauth.issuer.map(str::to_owned)),
            paced: options.paced.unwrap_or(true),
        })
    }

    /// The endpoints of a connection with these settings.
    pub(crate) fn of(
        self: &Arc<Self>,
        settings: &serde_json::Map<String, serde_json::Value>,
    ) -> Result<Arc<Self>> {
        let own = self
            .origins
            .iter()
            .chain([&self.authorize, &self.token])
            .chain(&self.revoke);
        if own.into_iter().all(|url| !url.contains(HOST)) {
            return Ok(Arc::clone(self));
        }
        let host = (self.product.settings)(settings)?.host.unwrap_or_default();
        let mut endpoints = Self::clone(self);
        let all = endpoints
            .origins
            .iter_mut()
            .chain([&mut endpoints.authorize, &mut endpoints.token])
            .chain(&mut endpoints.revoke);
        for url in all {
            *url = url.replace(HOST, &host);
            base_url(url, "an address of the connection")?;
        }
        Ok(Arc::new(endpoints))
    }

    /// Scheme, authority and base path of an origin; the first for an empty name.
    pub(crate) fn origin(&self, name: &str) -> Option<(&str, &'static str)> {
        let index = if name.is_empty() {
            0
        } else {
            self.product
                .origins
                .iter()
                .position(|origin| origin.name == name)?
        };
        Some((
            self.origins.get(index)?,
            self.product.origins.get(index)?.base,
        ))
    }

    pub(crate) fn snapshot(&self) -> EndpointSnapshot {
        EndpointSnapshot {
            issuer: self.issuer.clone(),
            authorize: self.authorize.clone(),
            token: self.token.clone(),
        }
    }

    pub(crate) fn revoke(&self) -> Option<&str> {
        self.revoke.as_deref()
    }
}

/// Stands for the host that follows from a connection's settings.
const HOST: &str = "{host}";

/// Credentials go over plain http to this machine alone.
fn encrypted(text: &str) -> Result<()> {
    match Url::parse(&text.replace(HOST, "host.example")) {
        Ok(url) if url.scheme() == "http" && !is_loopback(&url) => {
            let refused = Error::new(
                ErrorKind::InvalidRequest,
                "an address of a product must be https; plain http is taken for this machine alone",
            );
            Err(refused.with_context("url", text))
        }
        _ => Ok(()),
    }
}

/// A base URL without a trailing slash; where it holds `{host}`, it is checked as if that were a host.
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
fn base_url(text: &str, what: &str) -> Result<Url> {
    let refuse = |why: &str| {
        let error = Error::new(ErrorKind::InvalidRequest, format!("{what} {why}"));
        // What stands before an `@` may be a password.
        if text.contains('@') {
            return error;
        }
        error.with_context("url", text)
    };
    let url = Url::parse(text).map_err(|error| refuse("is no URL").with_source(error))?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(refuse("must start with https:// or http://"));
    }
    if !url.username().is_empty()
        || url.password().is_some()
        || url.query().is_some()
        || url.fragment().is_some()
    {
        return Err(refuse("must have no user, query or fragment"));
    }
    Ok(url)
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests;
