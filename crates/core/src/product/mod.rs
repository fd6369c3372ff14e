//! What a product is: a static description that the executor, the proxy and the OAuth flow follow.

mod classify;
mod guide;
mod permission_texts;
pub mod sent;
pub(crate) mod settings;
mod shapes;

use std::{fmt, time::Duration};

use http::Method;
use serde_json::{Map, Value};

use crate::{
    Error, Result,
    ports::Limits,
    tool::{RequiredScopes, Response, ToolEntry},
};
pub use classify::{Classification, Fact, FactKind, SentRequest};
pub use guide::{PermissionChoice, SettingField, TestCall};
pub use permission_texts::{LANGUAGES, PermissionFile, PermissionText, PermissionTexts};
pub use settings::{DerivedSettings, Quota};
pub use shapes::{Contents, Shapes};

/// Static description of one product. Write it as `Product { name: …, ..Product::BASE }`.
pub struct Product {
    /// Name of the product: lower case, the prefix of its tools' names.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Hosts of its API; the first one is the default.
    pub origins: &'static [Origin],
    /// Headers on every request.
    pub headers: &'static [(&'static str, &'static str)],
    /// Reads an error from a response whose status is not accepted, or from a body that tells of one in spite of
    /// its status; `None` where the response is not an error.
    pub read_error: fn(&Response) -> Option<Error>,
    /// Units of quota that a request costs, by method and path without query.
    pub cost: fn(&Method, &str) -> u32,
    /// Published quota per user; a connection's settings may say another.
    pub quota: Quota,
    /// Beginnings of the product's tokens and secrets, such as `demo_`: words that begin so are removed from texts.
    pub token_prefixes: &'static [&'static str],
    /// Reads the product's own settings of a connection, and says what follows from them. Refuses what it does not know.
    /// Core calls it through [`Product::derived`], which takes its own settings out first.
    pub settings: fn(&Map<String, Value>) -> Result<DerivedSettings>,
    /// The settings that it knows, for the form of a connection.
    pub setting_fields: &'static [SettingField],
    /// Whether the published schemas take `null` for an optional parameter, which is the same as leaving it out.
    pub schemas_take_null: bool,
    /// Which paths the proxy takes, and where they go.
    pub proxy: ProxyRules,
    /// What a request is, for rules: whom and what it concerns, and what it does where the method does not say so. Of a
    /// request that it does not know it says nothing (`None`), and every rule about facts refuses it.
    pub classify: fn(&SentRequest<'_>) -> Option<Classification>,
    /// The kinds of facts that `classify` knows.
    pub fact_kinds: &'static [FactKind],
    /// Time and size limits of one request.
    pub limits: Limits,
    /// How it does OAuth.
    pub oauth: OAuth,
    /// What permissions mean, in plain words, for the page on which the user is asked: its own, and those of its family.
    pub permission_texts: &'static [&'static PermissionTexts],
    /// Where permissions are capabilities, the tools that each one enables.
    pub capabilities: &'static [(&'static str, &'static [&'static str])],
    /// Calls with which a connection is tested, the cheapest first; several where no scope is enough for all of them.
    pub test_calls: &'static [TestCall],
    /// Its tools.
    pub tools: &'static [ToolEntry],
    /// Set-up, scopes and quirks for people, in Markdown. The section `Set-up` has `<redirect URI>` and `<CONNECTION>`, the
    /// name of the connection as an SQL name, and marks lines that only a redirect URI without TLS needs.
    pub docs: &'static str,
}

impl Product {
    /// Neutral values for everything that a product may leave out.
    pub const BASE: Self = Self {
        name: "",
        title: "",
        origins: &[],
        headers: &[],
        read_error: |_| None,
        cost: |_, _| 1,
        quota: Quota::UNLIMITED,
        token_prefixes: &[],
        settings: settings::none,
        setting_fields: &[],
        schemas_take_null: false,
        proxy: ProxyRules::BASE,
        classify: |_| None,
        fact_kinds: &[],
        limits: Limits::DEFAULT,
        oauth: OAuth::BASE,
        permission_texts: &[],
        capabilities: &[],
        test_calls: &[],
        tools: &[],
        docs: "",
    };

    /// How an operator sets the product up for the connection with this name and redirect URI, in Markdown: the section
    /// `Set-up` of its documentation.
    pub fn set_up(&self, connection_name: &str, redirect_uri: &str) -> Option<String> {
        let (_, section) = self.docs.split_once("# Set-up\n")?;
        let section = section.split("\n# ").next().unwrap_or(section);
        let sql_name: String = connection_name
            .chars()
            .map(|letter| match letter.is_ascii_alphanumeric() {
                true => letter.to_ascii_uppercase(),
                false => '_',
            })
            .collect();
        let with_tls = !redirect_uri.starts_with("http://");
        let lines = section.trim().lines().filter_map(|line| {
            match line.split_once(" -- only if the redirect URI begins with http://") {
                Some(_) if with_tls => None,
                Some((statement, _)) => Some(statement),
                None => Some(line),
            }
        });
        let lines: Vec<&str> = lines.collect();
        let steps = lines.join("\n").replace("<redirect URI>", redirect_uri);
        Some(steps.replace("<CONNECTION>", &sql_name))
    }

    /// What each scope or capability is for, in Markdown: the section `Scopes` of its documentation.
    pub fn scopes(&self) -> Option<&'static str> {
        let (_, section) = self.docs.split_once("\n# Scopes\n")?;
        Some(section.split("\n# ").next().unwrap_or(section).trim())
    }

    /// The origin with this name; the first for an empty name.
    pub fn origin(&self, name: &str) -> Option<&Origin> {
        if name.is_empty() {
            self.origins.first()
        } else {
            self.origins.iter().find(|origin| origin.name == name)
        }
    }
}

impl fmt::Debug for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Product")
            .field("name", &self.name)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}

/// A host of a product's API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// Name by which tools and configuration speak of it.
    pub name: &'static str,
    /// `https://host`, without a path. `{host}` stands for the host that follows from the connection's settings.
    pub url: &'static str,
    /// Path below which the tools' requests lie, such as `/calendar/v3`; may be empty. The proxy does not use it.
    pub base: &'static str,
}

/// Which paths the proxy takes.
#[derive(Debug, Clone, Copy)]
pub struct ProxyRules {
    /// Routes in order; the first whose prefix fits is taken. A path that fits none is refused.
    pub routes: &'static [ProxyRoute],
    /// Path below which nothing is taken though a route fits, such as that of the product's OAuth endpoints.
    pub refused: Option<&'static str>,
    /// Whether a request header of the product's own, in lower case, passes besides those that pass for every product.
    /// One of [`Product::headers`] that does not pass is always ours.
    pub takes_header: fn(&str) -> bool,
    /// Whether the product's client libraries send a `GET` with a long query as a `POST` with
    /// `X-HTTP-Method-Override: GET` and the query as a form; it becomes the `GET` that it stands for.
    pub takes_get_as_form: bool,
    /// Paths to which a `POST` only reads, as the product has them: whole, and `*` stands for an id in a segment
    /// (`/v1/databases/*/query`). Every other `POST` counts as a write.
    pub reading_posts: &'static [&'static str],
    /// Words in the paths of the product's API, with spaces between them. The history keeps these of a path, and replaces
    /// everything else: ids, names and addresses.
    pub path_words: &'static str,
}

impl ProxyRules {
    /// No routes, and no headers of the product's own.
    pub const BASE: Self = Self {
        routes: &[],
        refused: None,
        takes_header: |_| false,
        takes_get_as_form: false,
        reading_posts: &[],
        path_words: "",
    };
}

/// One prefix of paths that the proxy takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProxyRoute {
    /// Prefix of the caller's path. It fits where the path is equal to it or goes on with `/` or `:`.
    pub prefix: &'static str,
    /// What the prefix becomes at the product.
    pub rewrite: &'static str,
    /// Name of the origin.
    pub origin: &'static str,
    /// Segment after which an encoded slash is data (`values` in `/tables/{id}/values/{range}`).
    pub encoded_slash_after: Option<&'static str>,
    /// What is sent there.
    pub kind: RouteKind,
}

/// What the requests of a route are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteKind {
    /// One request, one response.
    Plain,
    /// Files, also in several requests: status 308 says how much has arrived, and a `Location` names the session.
    Upload,
    /// Several requests in one `multipart/mixed` body; each is checked as if it were sent by itself.
    Batch,
}

impl ProxyRoute {
    /// Paths with this prefix go to the named origin as they are.
    pub const fn new(prefix: &'static str, origin: &'static str) -> Self {
        Self {
            prefix,
            rewrite: prefix,
            origin,
            encoded_slash_after: None,
            kind: RouteKind::Plain,
        }
    }
    /// Takes files.
    #[must_use]
    pub const fn upload(self) -> Self {
        Self {
            kind: RouteKind::Upload,
            ..self
        }
    }
    /// Takes several requests in one body. The body goes to the origin of its requests, which is the same for all.
    #[must_use]
    pub const fn batch(self) -> Self {
        Self {
            kind: RouteKind::Batch,
            ..self
        }
    }
    /// Replaces the prefix.
    #[must_use]
    pub const fn rewrite(self, rewrite: &'static str) -> Self {
        Self { rewrite, ..self }
    }
    /// Takes an encoded slash as data after this segment.
    #[must_use]
    pub const fn encoded_slash_after(self, segment: &'static str) -> Self {
        Self {
            encoded_slash_after: Some(segment),
            ..self
        }
    }
}

/// How a product does OAuth 2.0.
#[derive(Debug, Clone, Copy)]
pub struct OAuth {
    /// Issuer that the callback's `iss` must equal where it is present.
    pub issuer: Option<&'static str>,
    /// Authorization endpoint; may hold `{host}` as an origin may.
    pub authorize: &'static str,
    /// Token endpoint; may hold `{host}`.
    pub token: &'static str,
    /// Headers that the token and revocation endpoints want.
    pub token_headers: &'static [(&'static str, &'static str)],
    /// Reads an error of the token endpoint that is not in the form of RFC 6749, 5.2.
    pub read_token_error: fn(&Map<String, Value>) -> Option<TokenError>,
    /// Codes, besides those of RFC 6749, with which the token endpoint says that it, not the request, is at fault.
    pub temporary_errors: &'static [&'static str],
    /// Revocation endpoint, where there is one.
    pub revoke: Option<&'static str>,
    /// Whether the revocation endpoint's error, a status with the members of its body, says that the token is dead already.
    /// RFC 7009 makes that a 200, and the code `invalid_token` is known for every product.
    pub revoked_already: fn(u16, &Map<String, Value>) -> bool,
    /// Whether revoking one token ends everything that the user has granted to the application's project, so that other
    /// credentials of the same user die with it. Such a token is revoked only where the application asks for it.
    pub revocation_ends_grant: bool,
    /// The project that a client id belongs to. A revocation that ends the grant ends it for all clients of the project,
    /// at every product with the same revocation endpoint.
    pub project_of_client: fn(&str) -> &str,
    /// How the client proves itself at the token endpoint.
    pub client_authentication: ClientAuthentication,
    /// Format of the token request.
    pub token_format: TokenFormat,
    /// Whether the authorization server takes PKCE; S256 is then always sent.
    pub pkce: bool,
    /// Further parameters of the authorization request.
    pub authorize_parameters: &'static [(&'static str, &'static str)],
    /// Parameter of the authorization request that names the user who authorizes again, by the product's own id.
    pub login_hint: Option<&'static str>,
    /// Further parameters of the request that exchanges a code.
    pub code_parameters: &'static [(&'static str, &'static str)],
    /// What happens to the refresh token when it is used.
    pub rotation: Rotation,
    /// How long a refresh token may lie unused until it is refreshed for its own sake: half of the time after which the
    /// product forgets it. `None` where it is not known to.
    pub keep_alive: Option<Duration>,
    /// What the connection's permissions are.
    pub permissions: Permissions,
    /// What a short name of a scope leaves out: `notes.read` stands for this and `notes.read`.
    pub scope_prefix: &'static str,
    /// Other names of scopes, each with the name under which the product returns it.
    pub scope_aliases: &'static [(&'static str, &'static str)],
    /// Scopes that take away what wider scopes give, each with those wider ones. A link asks for one or the other.
    pub narrowing_scopes: &'static [(&'static str, RequiredScopes)],
    /// Life of an access token where the response does not say.
    pub default_lifetime: Option<Duration>,
    /// Where it says who the user is.
    pub subject: SubjectSource,
}

impl OAuth {
    /// Form body, secret in the body, PKCE, no scopes, a stable refresh token.
    pub const BASE: Self = Self {
        issuer: None,
        authorize: "",
        token: "",
        token_headers: &[],
        read_token_error: |_| None,
        temporary_errors: &[],
        revoke: None,
        revoked_already: |_, _| false,
        revocation_ends_grant: false,
        project_of_client: |client_id| client_id,
        client_authentication: ClientAuthentication::Body,
        token_format: TokenFormat::Form,
        pkce: true,
        authorize_parameters: &[],
        login_hint: None,
        code_parameters: &[],
        rotation: Rotation::Stable,
        keep_alive: None,
        permissions: Permissions::None,
        scope_prefix: "",
        scope_aliases: &[],
        narrowing_scopes: &[],
        default_lifetime: None,
        subject: SubjectSource::Unknown,
    };
}

/// An error of the token endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenError {
    /// A code of RFC 6749, 5.2, such as `invalid_grant`.
    pub code: String,
    /// What the product says to people.
    pub message: String,
}

/// How the client proves itself at the token endpoint (RFC 6749, 2.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientAuthentication {
    /// `client_id` and `client_secret` in the body.
    Body,
    /// HTTP Basic.
    Basic,
}

/// Format of the token request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenFormat {
    /// `application/x-www-form-urlencoded`, as RFC 6749 says.
    Form,
    /// `application/json`.
    Json,
}

/// What happens to a refresh token when it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotation {
    /// It stays; a response without a new one keeps the old.
    Stable,
    /// Every refresh brings a new one and the old one dies; a repeat of the old one may be refused.
    Rotating,
    /// As `Rotating`, and a repeat of an old one kills the whole family.
    Strict,
}

/// What a connection's permissions are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permissions {
    /// OAuth scopes.
    Scopes {
        /// Asked for besides the connection's own, to know who the user is.
        always: &'static [&'static str],
        /// Asked for where the connection names none: the least that covers all tools.
        default: &'static [&'static str],
    },
    /// Capabilities of the integration at the product: kept and shown, never sent.
    Capabilities,
    /// The connection takes none.
    None,
}

/// Where a product says who the user is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectSource {
    /// It does not.
    Unknown,
    /// Claims `sub` and `email` of the token response's `id_token`, which has to be for this client, of one of these issuers
    /// (or of the one that the environment's options name) and not ended.
    IdToken {
        /// What `iss` may be.
        issuers: &'static [&'static str],
    },
    /// Members of the token response, by JSON pointer.
    TokenResponse {
        /// The stable id.
        id: &'static str,
        /// What a person recognizes.
        display: Option<&'static str>,
    },
}
