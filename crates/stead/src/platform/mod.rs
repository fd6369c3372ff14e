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

/// The platform inside your process: connections, accounts, OAuth and calls, over a store of your choice.
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
    /// The store that the builder opened, and that ends with the platform.
    opened: Option<OpenedStore>,
}

operations!(Platform);

/// What a [`Platform`] is made of. A key and a store are required; the rest has a default.
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
    /// Starts with the URL at which users' browsers reach this environment: links and redirect URIs are made from it.
    pub fn builder(public_url: &str) -> PlatformBuilder {
        PlatformBuilder {
            options: EnvironmentOptions::new(public_url),
            keys: Err(Error::new(
                ErrorKind::KeyUnavailable,
                "a key is needed to seal your users' tokens; make one with `stead keys generate`, keep it safe, and give it here",
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

    /// What lies below: pages and callbacks of your own, application credentials, maintenance, streamed requests.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Takes no more calls, waits for refreshes and writes in flight, and closes the store unless it is one of your own.
    pub async fn shut_down(&self) {
        self.environment.shut_down().await;
        if let Some(store) = &self.opened {
            store.close().await;
        }
    }

    /// Takes no more calls and cuts off those under way; only tokens that were received are kept first.
    pub async fn shut_down_now(&self) {
        self.environment.shut_down_now().await;
    }
}

impl PlatformBuilder {
    /// Seals secrets with this key ring, in its text form (`id:key`, several separated by commas; all of them open,
    /// and the first one wraps what is new).
    /// `stead keys generate` makes a key.
    pub fn key(mut self, text: &str) -> Self {
        self.keys = KeyRing::from_text(text);
        self
    }

    /// Seals secrets with the key ring in the environment variable `STEAD_KEY`, as [`key`](Self::key) does.
    #[expect(
        clippy::disallowed_methods,
        reason = "the caller asks for this variable by name; an embedded program has no clap of ours"
    )]
    pub fn key_from_env(mut self) -> Self {
        self.keys = match std::env::var("STEAD_KEY") {
            Ok(text) => KeyRing::from_text(text.trim()),
            Err(_) => Err(Error::new(
                ErrorKind::KeyUnavailable,
                "the environment variable STEAD_KEY has no key; make one with `stead keys generate`, and keep it safe",
            )),
        };
        self
    }

    /// Seals secrets with this key ring.
    pub fn keys(mut self, keys: KeyRing) -> Self {
        self.keys = Ok(keys);
        self
    }

    /// Where the key ring is read again once the store needs a key that is not in it: so a process that runs takes up a
    /// new key of the ring. The first ring is that of [`key`](Self::key) or [`keys`](Self::keys).
    pub fn key_source(mut self, source: Arc<dyn KeySource>) -> Self {
        self.key_source = Some(source);
        self
    }

    /// Seals secrets with a new key that is stored nowhere: for a store that ends with the process.
    pub fn ephemeral_key(mut self) -> Self {
        self.keys = Ok(KeyRing::generate(&OsEntropy).0);
        self
    }

    /// Stores everything in one SQLite file, created if missing. Tokens that arrive while it takes none wait in the folder
    /// `<path>.spool`, unless [`spool`](Self::spool) names another place.
    #[cfg(feature = "sqlite")]
    pub fn sqlite(mut self, path: impl Into<std::path::PathBuf>) -> Self {
        self.store = Some(StoreChoice::Sqlite(path.into()));
        self
    }

    /// Stores everything in a PostgreSQL database, which any number of servers share. Its tables are made where it is empty,
    /// and brought up to date under a lock. `stead::store::PostgresStore::open` says what the URL may have:
    /// `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
    ///
    /// Tokens that arrive while the database takes none wait in memory, unless [`spool`](Self::spool) names a folder of this
    /// machine.
    #[cfg(feature = "postgres")]
    pub fn postgres(mut self, url: &str) -> Self {
        self.store = Some(StoreChoice::Postgres(url.into()));
        self
    }

    /// Stores everything in memory: it is gone with the process.
    pub fn in_memory(mut self) -> Self {
        self.store = Some(StoreChoice::Memory);
        self
    }

    /// Stores everything in a store of your own.
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(StoreChoice::Own(store));
        self
    }

    /// Keeps tokens that arrive while the store takes nothing in a spool of your choice, such as a
    /// `stead::store::FileSpool` in another folder. It has to outlive the process, and may lie on another disk than the store.
    pub fn spool(mut self, spool: Arc<dyn Spool>) -> Self {
        self.spool = Some(spool);
        self
    }

    /// Sends requests through a transport of your own instead of the feature `reqwest`.
    pub fn transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.transport = Some(transport);
        self
    }

    /// Takes time and tasks from a runtime of your own instead of the tokio runtime around [`PlatformBuilder::build`].
    pub fn runtime(mut self, runtime: Arc<dyn Runtime>) -> Self {
        self.runtime = Some(runtime);
        self
    }

    /// Takes randomness from a source of your own instead of the operating system.
    pub fn entropy(mut self, entropy: Arc<dyn Entropy>) -> Self {
        self.entropy = Some(entropy);
        self
    }

    /// Asks a policy of your own about every call.
    pub fn policy(mut self, policy: Arc<dyn Policy>) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Offers these tools instead of those of every enabled product.
    pub fn catalogue(mut self, catalogue: Catalogue) -> Self {
        self.catalogue = Some(catalogue);
        self
    }

    /// Says what differs from a product's own description: endpoints, rate limiting.
    pub fn product(self, name: &str, options: ProductOptions) -> Self {
        self.set(|all| {
            all.products.insert(name.to_owned(), options);
        })
    }

    /// Reaches every product through a gateway, as [`products::behind`] says, except those that
    /// [`PlatformBuilder::product`] names. The sandbox is such a gateway.
    pub fn gateway(mut self, url: &str) -> Self {
        self.gateway = Some(url.to_owned());
        self
    }

    /// How long the history of calls and events is kept; 30 days each by default.
    pub fn retention(self, retention: Retention) -> Self {
        self.set(|options| options.retention = retention)
    }

    /// How many calls may be in flight, and what they may hold.
    pub fn call_limits(self, limits: CallLimits) -> Self {
        self.set(|options| options.calls = limits)
    }

    /// How long calls go on while the store is away ([`EnvironmentOptions::store_outage`]); 5 minutes by default.
    pub fn store_outage(self, outage: Duration) -> Self {
        self.set(|options| options.store_outage = outage)
    }

    /// Lets a host of a product or a webhook have private addresses, such as one that is reached by a private link;
    /// `.privatelink.example` stands for all names below. All other names lead to public addresses only, but for
    /// `localhost` and the hosts of [`PlatformBuilder::product`] and [`PlatformBuilder::gateway`]. A transport of your own
    /// decides for itself.
    /// A webhook to such a host may be plain http.
    pub fn private_host(self, host: &str) -> Self {
        self.set(|options| options.private_hosts.push(host.to_owned()))
    }

    /// Lets members of the dashboard sign in at an OpenID Connect provider too. Its host may have a private address.
    pub fn sign_in_provider(self, provider: SignInProvider) -> Self {
        self.set(|options| options.sign_in_provider = Some(provider))
    }

    /// Lets agents use JWTs of an issuer of yours at `/mcp`. Its host may have a private address.
    pub fn mcp_issuer(self, issuer: McpIssuer) -> Self {
        self.set(|options| options.mcp_issuer = Some(issuer))
    }

    /// Says who confirms that the right user came back; the application by default.
    pub fn verification(self, verification: Verification) -> Self {
        self.set(|options| options.verification = verification)
    }

    /// Gives the [proxy host](EnvironmentOptions::proxy_url) an address, such as `https://proxy.example.com`: there an account
    /// token says whose account is meant.
    pub fn proxy_url(mut self, proxy_url: &str) -> Self {
        self.options = self
            .options
            .and_then(|options| options.proxy_url(proxy_url));
        self
    }

    /// Lets links send the user's browser back to these origins only, such as `https://app.example.com`; to any by default.
    pub fn verify_origins<S: Into<String>>(self, origins: impl IntoIterator<Item = S>) -> Self {
        let origins = origins.into_iter().map(Into::into).collect();
        self.set(|options| options.verify_origins = origins)
    }

    /// Sends the user's browser here if a link does not say where, such as `https://app.example.com/connected`: for links of
    /// the dashboard, of agents and of applications. Without it, each link has to say, unless
    /// [`Verification::LinkPossession`] is enough.
    pub fn verify_url(self, url: impl Into<String>) -> Self {
        let url = url.into();
        self.set(|options| options.verify_url = Some(url))
    }

    fn set(mut self, change: impl FnOnce(&mut EnvironmentOptions)) -> Self {
        // A wrong URL is reported when the platform is built.
        if let Ok(options) = &mut self.options {
            change(options);
        }
        self
    }

    /// Opens the store and checks the key against it.
    ///
    /// # Errors
    /// [`ErrorKind::KeyUnavailable`] without a key or with another one than the store was sealed with;
    /// [`ErrorKind::InvalidRequest`] without a store, without a transport or runtime where there is no default, or for
    /// an invalid URL; [`ErrorKind::StorageUnavailable`] where the store does not open.
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
