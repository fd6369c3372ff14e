//! The operator's own issuer, whose JWTs are sessions at `/mcp`: its configuration and its last published keys.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::{Mutex as Turn, OnceCell};
use uuid::Uuid;

use super::{
    Context, Site,
    endpoints::{base_url, is_loopback},
};
use crate::{
    Error, ErrorKind, Result,
    caller::Connections,
    catalogue::{Catalogue, ToolSet},
    identifier::ConnectionName,
    jwt::{KeyName, Keys},
    seal::Pseudonyms,
};

/// Time after which Stead reads the keys again.
const FRESH: Duration = Duration::from_secs(60 * 60);
/// Time for which keys stay valid while the issuer doesn't respond.
const OUTAGE: Duration = Duration::from_secs(24 * 60 * 60);
/// Shortest time between two reads because of an unknown key.
const AGAIN: Duration = Duration::from_secs(60);
/// Time before Stead retries an issuer that failed when no keys are known.
const AFTER_FAILURE: Duration = Duration::from_secs(5);

/// Claims that users can change, or that can pass to another user.
const CHANGES: [&str; 7] = [
    "email",
    "name",
    "nickname",
    "phone_number",
    "preferred_username",
    "unique_name",
    "upn",
];

/// The operator's authorization server, whose JWTs Stead accepts at `/mcp`. It determines the user and what an agent
/// can do. Only the token determines the user; arguments of tools can't change it.
///
/// ```
/// # use stead_core::environment::McpIssuer;
/// # fn run() -> stead_core::Result<()> {
/// let issuer = McpIssuer::new("https://login.example.com")?
///     .identifier_claim("sub")
///     .required_scope("stead")
///     .connections(["mail"])?
///     .read_only();
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct McpIssuer {
    pub(crate) issuer: String,
    pub(crate) audience: Option<String>,
    pub(crate) identifier_claim: String,
    pub(crate) required_scope: Option<String>,
    pub(crate) connections: Connections,
    pub(crate) tools: Option<BTreeSet<String>>,
    pub(crate) tool_set: Option<String>,
    pub(crate) output_schemas: bool,
    pub(crate) read_only: bool,
    pub(crate) policy: Option<String>,
    pub(crate) verify_url: Option<String>,
    host: String,
}

impl McpIssuer {
    /// An issuer, exactly as in its claim `iss`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if it isn't an https URL (plain http only for this machine).
    pub fn new(issuer: &str) -> Result<Self> {
        let url = base_url(issuer, "the issuer")?;
        if url.scheme() == "http" && !is_loopback(&url) {
            return Err(refused(
                "the issuer must start with https://; http:// is allowed only for this machine",
            ));
        }
        Ok(Self {
            issuer: issuer.to_owned(),
            audience: None,
            identifier_claim: String::from("sub"),
            required_scope: None,
            connections: Connections::ALL,
            tools: None,
            tool_set: None,
            output_schemas: false,
            read_only: false,
            policy: None,
            verify_url: None,
            host: url.host_str().unwrap_or_default().to_owned(),
        })
    }

    /// Audience that a token's `aud` has to be or contain. Defaults to the URL of `/mcp`.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audience = Some(audience.into());
        self
    }

    /// Claim with your application's ID of the user. Defaults to `sub`.
    ///
    /// Use a claim that users can't choose and that never passes to another user. Stead accepts `email` or
    /// `phone_number` only if the issuer has verified it (`email_verified`, `phone_number_verified`).
    #[must_use]
    pub fn identifier_claim(mut self, claim: impl Into<String>) -> Self {
        self.identifier_claim = claim.into();
        self
    }

    /// Scope that a token needs, in `scope` or `scp`.
    #[must_use]
    pub fn required_scope(mut self, scope: impl Into<String>) -> Self {
        self.required_scope = Some(scope.into());
        self
    }

    /// Names of the connections that agents can use. Defaults to all.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if a text can't be the name of a connection.
    pub fn connections<S: AsRef<str>>(
        mut self,
        names: impl IntoIterator<Item = S>,
    ) -> Result<Self> {
        let names = names
            .into_iter()
            .map(|name| ConnectionName::new(name.as_ref()));
        self.connections = Connections::only(names.collect::<Result<Vec<_>>>()?);
        Ok(self)
    }

    /// Names of the tools that agents can call. Defaults to all.
    #[must_use]
    pub fn tools<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.tools = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Set of the tools that agents' lists show, as in [`NewMcpSession`](crate::resource::NewMcpSession).
    #[must_use]
    pub fn tool_set(mut self, name: impl Into<String>) -> Self {
        self.tool_set = Some(name.into());
        self
    }

    /// Agents' lists have output schemas.
    #[must_use]
    pub fn output_schemas(mut self) -> Self {
        self.output_schemas = true;
        self
    }

    pub(crate) fn listed_set(&self) -> &str {
        ToolSet::of_list(self.tool_set.as_deref(), self.tools.is_some())
    }

    /// Agents can call only read-only tools.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Name of a policy for agents' calls. If no policy has this name, agents can't call anything.
    #[must_use]
    pub fn policy(mut self, name: impl Into<String>) -> Self {
        self.policy = Some(name.into());
        self
    }

    /// URL that the user's browser returns to from a product. Your application confirms there who the user was.
    /// Required unless all links have a default or possession of a link is enough.
    #[must_use]
    pub fn verify_url(mut self, url: impl Into<String>) -> Self {
        self.verify_url = Some(url.into());
        self
    }

    /// The issuer's host, which can have a private address.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The issuer, as it names itself.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The scope that a token needs, if any.
    pub fn scope(&self) -> Option<&str> {
        self.required_scope.as_deref()
    }
}

fn refused(why: &str) -> Error {
    Error::new(ErrorKind::InvalidRequest, why)
}

/// An issuer with its last published keys.
pub(crate) struct KnownIssuer {
    pub(crate) options: McpIssuer,
    last: Mutex<Option<Last>>,
    /// Held by the caller that reads the keys.
    turn: Turn<()>,
    pseudonyms: OnceCell<Pseudonyms>,
}

/// Result of the last reads.
struct Last {
    tried_at: Duration,
    failure: Option<Error>,
    /// With when they were read.
    keys: Option<(Arc<Keys>, Duration)>,
}

impl KnownIssuer {
    /// Rejects a configuration that no token can match: unknown names and empty values.
    pub(super) fn new(mut options: McpIssuer, catalogue: &Catalogue) -> Result<Self> {
        let texts = [
            Some(&options.identifier_claim),
            options.audience.as_ref(),
            options.required_scope.as_ref(),
            options.policy.as_ref(),
        ];
        if texts
            .into_iter()
            .flatten()
            .any(|text| text.trim().is_empty())
        {
            return Err(refused(
                "the issuer of agents' tokens has an empty audience, claim, scope or policy; set it or leave it out",
            ));
        }
        let connections = options.connections.names();
        let no_connection = connections.is_some_and(|mut names| names.next().is_none());
        if no_connection || options.tools.as_ref().is_some_and(BTreeSet::is_empty) {
            return Err(refused(
                "the issuer of agents' tokens allows no connection or no tool; leave the option out to allow all of them",
            ));
        }
        if let Some(tools) = &options.tools {
            let present = tools.iter().map(|name| {
                let tool = catalogue.find(name, None, None)?;
                Ok(tool.entry().name().to_owned())
            });
            options.tools = Some(present.collect::<Result<_>>()?);
        }
        catalogue.set(options.listed_set())?;
        let claim = options.identifier_claim.as_str();
        if CHANGES.contains(&claim) {
            tracing::warn!(
                claim,
                "the claim that names an agent's user can change or pass to another user; use a permanent one, such as sub"
            );
        }
        Ok(Self {
            options,
            last: Mutex::default(),
            turn: Turn::default(),
            pseudonyms: OnceCell::new(),
        })
    }

    /// Rejects a URL that links can't redirect a user to.
    pub(super) fn check(&self, site: &Site) -> Result<()> {
        let url = self.options.verify_url.as_deref();
        site.check_verify_setting("the issuer of agents' tokens", url)
    }

    /// The keys, including the one with this ID if the issuer has it. Stead reads them every hour, and at most once a
    /// minute for an unknown key.
    pub(crate) async fn keys<R>(
        &self,
        context: &Context,
        wanted: &KeyName,
        read: impl FnOnce() -> R + Send,
    ) -> Result<Arc<Keys>>
    where
        R: Future<Output = Result<Keys>> + Send,
    {
        if let Some(known) = self.known(context.host.monotonic(), wanted) {
            return known;
        }
        let _turn = self.turn.lock().await;
        if let Some(known) = self.known(context.host.monotonic(), wanted) {
            return known;
        }
        let result = read().await;
        let now = context.host.monotonic();
        self.note(now, result);
        self.known(now, wanted)
            .unwrap_or_else(|| Err(Error::new(ErrorKind::Internal, "couldn't read any keys")))
    }

    fn note(&self, now: Duration, result: Result<Keys>) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let before = last.take().and_then(|last| last.keys);
        let (keys, failure) = match result {
            Ok(keys) => (Some((Arc::new(keys), now)), None),
            Err(error) => (before, Some(error)),
        };
        *last = Some(Last {
            tried_at: now,
            failure,
            keys,
        });
    }

    /// The known keys, if they are recent enough that Stead doesn't need to ask the issuer.
    pub(crate) fn known(&self, now: Duration, wanted: &KeyName) -> Option<Result<Arc<Keys>>> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let last = last.as_ref()?;
        let tried = now.saturating_sub(last.tried_at);
        let kept = last.keys.as_ref();
        let kept = kept.map(|(keys, read_at)| (keys, now.saturating_sub(*read_at)));
        match (kept.filter(|(_, age)| *age < OUTAGE), &last.failure) {
            (Some((keys, age)), _) if age < FRESH && keys.have(wanted) => {
                Some(Ok(Arc::clone(keys)))
            }
            (Some((keys, _)), failure) if tried < AGAIN => match failure {
                Some(error) if !keys.have(wanted) => Some(Err(error.clone())),
                _ => Some(Ok(Arc::clone(keys))),
            },
            (None, Some(error)) if tried < AFTER_FAILURE => Some(Err(error.clone())),
            _ => None,
        }
    }

    /// ID of the session of an issuer's user and client. It's the same in every process, and reveals nothing about them
    /// without the key.
    pub(crate) async fn session_of(
        &self,
        context: &Context,
        client: &str,
        identifier: &str,
    ) -> Result<Uuid> {
        let open = || {
            let (runtime, entropy) = (context.host.runtime.as_ref(), context.host.entropy.as_ref());
            Pseudonyms::open(&context.store.vault, &context.store, runtime, entropy)
        };
        let pseudonyms = self.pseudonyms.get_or_try_init(open).await?;
        pseudonyms.id_of(&[&self.options.issuer, client, identifier])
    }
}
