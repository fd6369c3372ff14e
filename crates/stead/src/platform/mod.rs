//! The platform inside your process.

mod store;

use std::{fmt, sync::Arc, time::Duration};

use stead_core::{
    Error, ErrorKind, Result,
    catalogue::Catalogue,
    environment::{
        CallLimits, Environment, EnvironmentOptions, McpIssuer, Ports, ProductOptions, Retention,
        SignInProvider, Verification,
    },
    ports::{Entropy, KeySource, Policy, Runtime, Spool, Transport},
    seal::KeyRing,
    store::Store,
};

use self::store::{Opened, OpenedStore, StoreChoice, open_store};
use crate::{
    OsEntropy, TokioRuntime,
    backend::Backend,
    handles::{Stead, operations},
    products,
};

/// The platform inside your process: connections, accounts, OAuth and calls, with a store of your choice.
///
/// Clones are cheap and share everything.
///
/// ```
/// # #[cfg(all(feature = "platform", feature = "reqwest", feature = "mail"))]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> stead::Result<()> {
/// use stead::{NewConnection, Platform};
///
/// // In production `.key(…)`, which `stead keys generate` makes, and `.sqlite("stead.db")`.
/// let stead = Platform::builder("https://app.example.com/stead").ephemeral_key().in_memory().build().await?;
///
/// // Once per product: its OAuth client. Register the redirect URI at the product.
/// let mail = NewConnection::mail("mail").client("your-client-id", "your-client-secret");
/// let mail = stead.connections().ensure(mail).await?;
/// assert!(mail.redirect_uri.starts_with("https://app.example.com/stead/sso/v1/oauth/conn_"));
///
/// // Once per user: a link. `stead_server::router(&stead)` serves its page and the way back.
/// let ada = stead.account("mail", "user-42")?;
/// let link = ada.authorize().verify_url("https://app.example.com/connected").await?;
/// assert!(link.link.starts_with("https://app.example.com/stead/connect/"));
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "platform", feature = "reqwest", feature = "mail")))]
/// # fn main() {}
/// ```
///
/// | To | use |
/// |---|---|
/// | make one | [`builder`](Self::builder) |
/// | register a product's OAuth client | [`connections`](Self::connections) |
/// | act as one user, or connect one | [`account`](Self::account) |
/// | confirm who came back | [`authorizations`](Self::authorizations) |
/// | see who is connected | [`accounts`](Self::accounts) |
/// | see what can be called | [`tools`](Self::tools) |
/// | do anything else | [`send`](Self::send) and [`list`](Self::list) |
/// | do it with plain names | [`actions`](Self::actions) |
/// | serve pages of your own | [`environment`](Self::environment) |
/// | stop | [`shut_down`](Self::shut_down) |
#[derive(Debug, Clone)]
pub struct Platform {
    environment: Environment,
    stead: Stead,
    /// The store that the builder opened. It's closed with the platform.
    opened: Option<OpenedStore>,
}

operations!(Platform);

/// Settings of a [`Platform`]. A key and a store are required. The rest has a default.
///
/// ```
/// # #[cfg(all(feature = "sqlite", feature = "reqwest"))]
/// # async fn example() -> stead::Result<()> {
/// use std::time::Duration;
/// use stead::{CallLimits, Platform};
///
/// let stead = Platform::builder("https://app.example.com/stead")
///     .key_from_env()
///     .sqlite("stead.db")
///     .verify_url("https://app.example.com/connected")
///     .verify_origins(["https://app.example.com"])
///     .call_limits(CallLimits::default().calls(1_000))
///     .store_outage(Duration::from_secs(60))
///     .build()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct PlatformBuilder {
    options: Result<EnvironmentOptions>,
    keys: Result<KeyRing>,
    key_source: Option<Arc<dyn KeySource>>,
    store: Option<StoreChoice>,
    transport: Option<Arc<dyn Transport>>,
    runtime: Option<Arc<dyn Runtime>>,
    entropy: Option<Arc<dyn Entropy>>,
    policy: Option<Arc<dyn Policy>>,
    spool: Option<Arc<dyn Spool>>,
    catalogue: Option<Catalogue>,
    gateway: Option<String>,
}

impl Platform {
    /// Starts with the URL at which users' browsers reach this environment. Links and redirect URIs begin with it.
    pub fn builder(public_url: &str) -> PlatformBuilder {
        PlatformBuilder {
            options: EnvironmentOptions::new(public_url),
            keys: Err(Error::new(
                ErrorKind::KeyUnavailable,
                "a key is needed to encrypt your users' tokens; make one with `stead keys generate`, keep it safe, and pass it to `key`",
            )),
            key_source: None,
            store: None,
            transport: None,
            runtime: None,
            entropy: None,
            policy: None,
            spool: None,
            catalogue: None,
            gateway: None,
        }
    }

    /// The environment behind it, for pages and callbacks of your own, application credentials, maintenance, and
    /// streamed requests.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Accepts no more calls, waits for running refreshes and writes, and closes the store unless it is your own.
    pub async fn shut_down(&self) {
        self.environment.shut_down().await;
        if let Some(store) = &self.opened {
            store.close().await;
        }
    }

    /// Accepts no more calls and cancels those that are running. It only waits until received tokens are stored.
    pub async fn shut_down_now(&self) {
        self.environment.shut_down_now().await;
    }
}

impl PlatformBuilder {
    /// Encrypts secrets with this key ring in its text form: `id:key`, several separated by commas. All of its keys
    /// decrypt; the first one encrypts new data keys. `stead keys generate` makes a key.
    pub fn key(mut self, text: &str) -> Self {
        self.keys = KeyRing::from_text(text);
        self
    }

    /// Encrypts secrets with the key ring in the environment variable `STEAD_KEY`, as [`key`](Self::key) does.
    #[expect(
        clippy::disallowed_methods,
        reason = "the caller asks for this variable by name; an embedded program has no clap of ours"
    )]
    pub fn key_from_env(mut self) -> Self {
        self.keys = match std::env::var("STEAD_KEY") {
            Ok(text) => KeyRing::from_text(text.trim()),
            Err(_) => Err(Error::new(
                ErrorKind::KeyUnavailable,
                "the environment variable STEAD_KEY has no key; make one with `stead keys generate` and keep it safe",
            )),
        };
        self
    }

    /// Encrypts secrets with this key ring.
    pub fn keys(mut self, keys: KeyRing) -> Self {
        self.keys = Ok(keys);
        self
    }

    /// Reads the key ring from here again if the store needs a key that it doesn't have. That way, a running process
    /// picks up a new key. The process starts with the key ring of [`key`](Self::key) or [`keys`](Self::keys).
    pub fn key_source(mut self, source: Arc<dyn KeySource>) -> Self {
        self.key_source = Some(source);
        self
    }

    /// Encrypts secrets with a new key that is stored nowhere. Use it for a store that ends with the process.
    pub fn ephemeral_key(mut self) -> Self {
        self.keys = Ok(KeyRing::generate(&OsEntropy).0);
        self
    }

    /// Stores everything in one SQLite file, which is created if it's missing. If the store can't accept new tokens,
    /// they wait in the folder `<path>.spool`, unless [`spool`](Self::spool) names another place.
    #[cfg(feature = "sqlite")]
    pub fn sqlite(mut self, path: impl Into<std::path::PathBuf>) -> Self {
        self.store = Some(StoreChoice::Sqlite(path.into()));
        self
    }

    /// Stores everything in a PostgreSQL database, which any number of servers can share. Stead creates the tables of
    /// an empty database, and updates them under a lock. The URL is `postgres://USER:PASSWORD@HOST:PORT/DATABASE`;
    /// `stead::store::PostgresStore::open` lists its parameters.
    ///
    /// If the database can't accept new tokens, they wait in memory, unless [`spool`](Self::spool) names a folder on
    /// this machine.
    #[cfg(feature = "postgres")]
    pub fn postgres(mut self, url: &str) -> Self {
        self.store = Some(StoreChoice::Postgres(url.into()));
        self
    }

    /// Stores everything in memory. It's lost when the process ends.
    pub fn in_memory(mut self) -> Self {
        self.store = Some(StoreChoice::Memory);
        self
    }

    /// Stores everything in your own store.
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(StoreChoice::Own(store));
        self
    }

    /// If the store can't accept new tokens, keeps them in this spool, such as a `stead::store::FileSpool` in another
    /// folder. A spool must outlive the process. It may be on another disk than the store.
    pub fn spool(mut self, spool: Arc<dyn Spool>) -> Self {
        self.spool = Some(spool);
        self
    }

    /// Sends requests through your own transport instead of the feature `reqwest`.
    pub fn transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.transport = Some(transport);
        self
    }

    /// Uses your own runtime for time and tasks, instead of the tokio runtime around [`PlatformBuilder::build`].
    pub fn runtime(mut self, runtime: Arc<dyn Runtime>) -> Self {
        self.runtime = Some(runtime);
        self
    }

    /// Uses your own source of randomness instead of the operating system's.
    pub fn entropy(mut self, entropy: Arc<dyn Entropy>) -> Self {
        self.entropy = Some(entropy);
        self
    }

    /// Asks your own policy about every call.
    pub fn policy(mut self, policy: Arc<dyn Policy>) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Offers these tools instead of those of every enabled product.
    pub fn catalogue(mut self, catalogue: Catalogue) -> Self {
        self.catalogue = Some(catalogue);
        self
    }

    /// Sets options that differ from a product's own description, such as endpoints and rate limits.
    pub fn product(self, name: &str, options: ProductOptions) -> Self {
        self.set(|all| {
            all.products.insert(name.to_owned(), options);
        })
    }

    /// Reaches every product through a gateway, as described in [`products::behind`], except those that
    /// [`PlatformBuilder::product`] names. The sandbox is such a gateway.
    pub fn gateway(mut self, url: &str) -> Self {
        self.gateway = Some(url.to_owned());
        self
    }

    /// Adds a set of tools, which MCP sessions and lists of tools can name.
    pub fn tool_set<S: AsRef<str>>(self, name: &str, tools: impl IntoIterator<Item = S>) -> Self {
        let tools = tools.into_iter().map(|tool| tool.as_ref().to_owned());
        self.set(|all| {
            all.tool_sets.insert(name.to_owned(), tools.collect());
        })
    }

    /// How long the history of calls and events is kept. Defaults to 30 days each.
    pub fn retention(self, retention: Retention) -> Self {
        self.set(|options| options.retention = retention)
    }

    /// Limits the number of running calls, and the memory that they use.
    pub fn call_limits(self, limits: CallLimits) -> Self {
        self.set(|options| options.calls = limits)
    }

    /// How long calls continue while the store is unavailable ([`EnvironmentOptions::store_outage`]). Defaults to 5
    /// minutes.
    pub fn store_outage(self, outage: Duration) -> Self {
        self.set(|options| options.store_outage = outage)
    }

    /// Allows private addresses for a host of a product or a webhook, such as one behind a private link.
    /// `.privatelink.example` covers all names below it. A webhook to such a host may use plain HTTP.
    ///
    /// All other names may only lead to public addresses, except `localhost` and the hosts of
    /// [`PlatformBuilder::product`] and [`PlatformBuilder::gateway`]. If you use a transport of your own, it decides
    /// this.
    pub fn private_host(self, host: &str) -> Self {
        self.set(|options| options.private_hosts.push(host.to_owned()))
    }

    /// Lets members of the dashboard also sign in at an OpenID Connect provider. Its host may have a private address.
    pub fn sign_in_provider(self, provider: SignInProvider) -> Self {
        self.set(|options| options.sign_in_provider = Some(provider))
    }

    /// Lets agents use JWTs of your issuer at `/mcp`. Its host may have a private address.
    pub fn mcp_issuer(self, issuer: McpIssuer) -> Self {
        self.set(|options| options.mcp_issuer = Some(issuer))
    }

    /// Sets who confirms that the right user came back. By default, it's the application.
    pub fn verification(self, verification: Verification) -> Self {
        self.set(|options| options.verification = verification)
    }

    /// Sets the URL of the [proxy host](EnvironmentOptions::proxy_url), such as `https://proxy.example.com`. There, the
    /// account token decides which account is used.
    pub fn proxy_url(mut self, proxy_url: &str) -> Self {
        self.options = self
            .options
            .and_then(|options| options.proxy_url(proxy_url));
        self
    }

    /// Allows links to send the user's browser back to these origins only, such as `https://app.example.com`. By
    /// default, any origin is allowed.
    pub fn verify_origins<S: Into<String>>(self, origins: impl IntoIterator<Item = S>) -> Self {
        let origins = origins.into_iter().map(Into::into).collect();
        self.set(|options| options.verify_origins = origins)
    }

    /// The URL to which a link sends the user's browser if the link itself doesn't name one, such as
    /// `https://app.example.com/connected`. It applies to links of the dashboard, of agents and of applications.
    /// Without it, each link must name one, unless [`Verification::LinkPossession`] is enough.
    pub fn verify_url(self, url: impl Into<String>) -> Self {
        let url = url.into();
        self.set(|options| options.verify_url = Some(url))
    }

    fn set(mut self, change: impl FnOnce(&mut EnvironmentOptions)) -> Self {
        // An invalid URL is reported when the platform is built.
        if let Ok(options) = &mut self.options {
            change(options);
        }
        self
    }

    /// Opens the store and checks the key against it.
    ///
    /// # Errors
    /// [`ErrorKind::KeyUnavailable`] without a key, or if the store was encrypted with another one.
    /// [`ErrorKind::StorageUnavailable`] if the store can't be opened. [`ErrorKind::InvalidRequest`] for an invalid
    /// URL, or if a store, transport or runtime is missing and has no default.
    pub async fn build(self) -> Result<Platform> {
        let keys = self.keys?;
        let mut options = self.options?;
        let catalogue = self.catalogue.unwrap_or_else(products::catalogue);
        if let Some(url) = &self.gateway {
            for product in catalogue.products() {
                let behind = || products::behind(product, url);
                let name = product.name.to_owned();
                options.products.entry(name).or_insert_with(behind);
            }
        }
        let transport = match self.transport {
            Some(transport) => transport,
            None => {
                let mut private_hosts = options.private_hosts.clone();
                private_hosts.extend(options.products.values().flat_map(ProductOptions::hosts));
                let provider = options.sign_in_provider.as_ref();
                private_hosts.extend(provider.map(|provider| provider.host().to_owned()));
                let issuer = options.mcp_issuer.as_ref();
                private_hosts.extend(issuer.map(|issuer| issuer.host().to_owned()));
                crate::default_transport(Some(private_hosts))?
            }
        };
        let runtime: Arc<dyn Runtime> = match self.runtime {
            Some(runtime) => runtime,
            None => Arc::new(TokioRuntime::current()?),
        };
        let entropy: Arc<dyn Entropy> = self.entropy.unwrap_or_else(|| Arc::new(OsEntropy));
        let Opened {
            store,
            spool,
            opened,
        } = open_store(self.store, Arc::clone(&runtime)).await?;
        let mut ports = Ports::new(transport, runtime, entropy, store, keys);
        ports.key_source = self.key_source;
        if let Some(policy) = self.policy {
            ports.policy = policy;
        }
        ports.spool = self.spool.or(spool);
        let environment = Environment::open(options, catalogue, ports).await?;
        Ok(Platform {
            stead: Stead::new(Backend::Platform(environment.clone())),
            environment,
            opened,
        })
    }
}

impl fmt::Debug for PlatformBuilder {
    /// Shows no key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlatformBuilder")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
