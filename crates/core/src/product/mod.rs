//! Products: static descriptions that the executor, the proxy and the OAuth flow use.

mod classify;
mod guard;
mod guide;
mod permission_texts;
mod preview;
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
pub use guard::{Guard, Guarded, GuardedRequest};
pub use guide::{PermissionChoice, Preset, SettingField, TestCall};
pub use permission_texts::{LANGUAGES, PermissionFile, PermissionText, PermissionTexts};
pub use preview::{Preview, PreviewField};
pub use settings::{DerivedSettings, Quota};
pub use shapes::{Contents, Shapes};

/// Static description of one product. Write it as `Product { name: …, ..Product::BASE }`.
///
/// It isn't `non_exhaustive`, because a `static` can't call a builder. With `..Product::BASE`, products still compile
/// when a field is added.
pub struct Product {
    /// Name of the product: lower case, the prefix of its tools' names.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Hosts of its API. The first one is the default.
    pub origins: &'static [Origin],
    /// Headers on every request.
    pub headers: &'static [(&'static str, &'static str)],
    /// Reads an error from a response with an unexpected status, or from a body that reports one despite its status.
    /// `None` if the response isn't an error.
    pub read_error: fn(&Response) -> Option<Error>,
    /// Units of quota that a request costs, by method and path without query.
    pub cost: fn(&Method, &str) -> u32,
    /// Published quota per user. A connection's settings can override it.
    pub quota: Quota,
    /// Prefixes of the product's tokens and secrets, such as `demo_`. Stead removes words that start with them from
    /// texts.
    pub token_prefixes: &'static [&'static str],
    /// Reads a connection's settings for this product and rejects unknown ones. Core calls it through
    /// [`Product::derived`], which first removes core's own settings.
    pub settings: fn(&Map<String, Value>) -> Result<DerivedSettings>,
    /// The settings that it supports, for a connection's form.
    pub setting_fields: &'static [SettingField],
    /// Whether the published schemas accept `null` for an optional parameter, which means that it's absent.
    pub schemas_take_null: bool,
    /// Paths that the proxy allows, and where they go.
    pub proxy: ProxyRules,
    /// Facts of a request for policies: whom and what it concerns, and its effect if the method doesn't determine it.
    /// `None` for unknown requests, which all rules about facts then deny.
    pub classify: fn(&SentRequest<'_>) -> Option<Classification>,
    /// The content of a request, for the person who approves it. `None` if the request itself says enough.
    pub preview: fn(&SentRequest<'_>) -> Option<Preview>,
    /// The kinds of facts that `classify` can return.
    pub fact_kinds: &'static [FactKind],
    /// Kinds of requests that a connection has to allow.
    pub guards: &'static [Guard],
    /// Time and size limits of one request.
    pub limits: Limits,
    /// How it does OAuth.
    pub oauth: OAuth,
    /// Descriptions of permissions for the consent page: its own, and those of its product family.
    pub permission_texts: &'static [&'static PermissionTexts],
    /// Named sets of its scopes.
    pub presets: &'static [Preset],
    /// The vendor's conditions for scopes of public applications. Each is a sentence with the scopes that it's for.
    pub reviews: &'static [(&'static str, &'static [&'static str])],
    /// If permissions are capabilities, the tools that each one enables.
    pub capabilities: &'static [(&'static str, &'static [&'static str])],
    /// Calls to test a connection, cheapest first. There are several if no single scope allows all of them.
    pub test_calls: &'static [TestCall],
    /// Its tools.
    pub tools: &'static [ToolEntry],
    /// Names of the tools that most agents need. Agents find the others by a search.
    pub core_tools: &'static [&'static str],
    /// Documentation for people, in Markdown: set-up, scopes and quirks. The section `Set-up` has the placeholders
    /// `<redirect URI>` and `<CONNECTION>` (the connection's name as an SQL name). It also marks lines that only a
    /// redirect URI without TLS needs.
    pub docs: &'static str,
}

impl Product {
    /// Neutral values for everything that a product can leave out.
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
        preview: |_| None,
        fact_kinds: &[],
        guards: &[],
        limits: Limits::DEFAULT,
        oauth: OAuth::BASE,
        permission_texts: &[],
        presets: &[],
        reviews: &[],
        capabilities: &[],
        test_calls: &[],
        tools: &[],
        core_tools: &[],
        docs: "",
    };

    /// Instructions to set up a connection with this name and redirect URI, in Markdown. This is the section `Set-up`
    /// of its documentation.
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

    /// Purpose of each scope or capability, in Markdown. This is the section `Scopes` of its documentation.
    pub fn scopes(&self) -> Option<&'static str> {
        let (_, section) = self.docs.split_once("\n# Scopes\n")?;
        Some(section.split("\n# ").next().unwrap_or(section).trim())
    }

    /// The origin with this name. An empty name means the first one.
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
    /// Name that tools and configuration use.
    pub name: &'static str,
    /// `https://host`, without a path. `{host}` is replaced by the host from the connection's settings.
    pub url: &'static str,
    /// Base path of the tools' requests, such as `/calendar/v3`. Can be empty. The proxy doesn't use it.
    pub base: &'static str,
}

/// Paths that the proxy allows.
#[derive(Debug, Clone, Copy)]
pub struct ProxyRules {
    /// Routes, in order. The first matching prefix wins. The proxy rejects paths without a match.
    pub routes: &'static [ProxyRoute],
    /// Path that the proxy rejects even if a route matches, such as the product's OAuth endpoints.
    pub refused: Option<&'static str>,
    /// Whether the proxy forwards this header of the product, in lower case, in addition to the headers allowed for
    /// every product. If it isn't forwarded, one of [`Product::headers`] always has Stead's value.
    pub takes_header: fn(&str) -> bool,
    /// Whether the product's client libraries send a `GET` with a long query as a `POST` with `X-HTTP-Method-Override:
    /// GET` and a form. Stead turns it back into the `GET`.
    pub takes_get_as_form: bool,
    /// Complete product paths where a `POST` only reads. `*` matches an ID in a segment (`/v1/databases/*/query`).
    /// Every other `POST` counts as a write.
    pub reading_posts: &'static [&'static str],
    /// Words in the paths of the product's API, separated by spaces. The history keeps these parts of a path and
    /// replaces all others, such as IDs, names and addresses.
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

/// A prefix of paths that the proxy allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProxyRoute {
    /// Prefix of the caller's path. It matches if the path is equal to it or continues with `/` or `:`.
    pub prefix: &'static str,
    /// The prefix at the product.
    pub rewrite: &'static str,
    /// Name of the origin.
    pub origin: &'static str,
    /// Segment after which an encoded slash is data (`values` in `/tables/{id}/values/{range}`).
    pub encoded_slash_after: Option<&'static str>,
    /// Kind of requests.
    pub kind: RouteKind,
}

/// Kind of a route's requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteKind {
    /// One request, one response.
    Plain,
    /// File uploads, possibly in several requests. Status 308 says how much has arrived, and `Location` has the
    /// session.
    Upload,
    /// Several requests in one `multipart/mixed` body. Stead checks each like a separate request.
    Batch,
}

impl ProxyRoute {
    /// Forwards paths with this prefix to the named origin, unchanged.
    pub const fn new(prefix: &'static str, origin: &'static str) -> Self {
        Self {
            prefix,
            rewrite: prefix,
            origin,
            encoded_slash_after: None,
            kind: RouteKind::Plain,
        }
    }
    /// Allows file uploads.
    #[must_use]
    pub const fn upload(self) -> Self {
        Self {
            kind: RouteKind::Upload,
            ..self
        }
    }
    /// Allows several requests in one body. The body goes to the origin of its requests, which has to be the same for
    /// all.
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
    /// Allows an encoded slash as data after this segment.
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
    /// Issuer that the callback's `iss` must equal, if present.
    pub issuer: Option<&'static str>,
    /// Authorization endpoint. Can contain `{host}`, like an origin.
    pub authorize: &'static str,
    /// Token endpoint. Can contain `{host}`.
    pub token: &'static str,
    /// Headers that the token and revocation endpoints need.
    pub token_headers: &'static [(&'static str, &'static str)],
    /// Reads an error of the token endpoint that doesn't follow RFC 6749, 5.2.
    pub read_token_error: fn(&Map<String, Value>) -> Option<TokenError>,
    /// Codes, in addition to those of RFC 6749, for errors of the token endpoint itself, not of the request.
    pub temporary_errors: &'static [&'static str],
    /// Revocation endpoint, if there is one.
    pub revoke: Option<&'static str>,
    /// Whether an error of the revocation endpoint (status and body) means that the token is already revoked. In RFC
    /// 7009 this is a 200, and every product also knows the code `invalid_token`.
    pub revoked_already: fn(u16, &Map<String, Value>) -> bool,
    /// Whether revoking one token revokes all of the user's grants to the application's project, including those of
    /// other connections. Stead revokes such a token only if the application requests it.
    pub revocation_ends_grant: bool,
    /// The project that a client ID belongs to. Revoking a grant revokes it for all clients of the project, at all
    /// products with the same revocation endpoint.
    pub project_of_client: fn(&str) -> &str,
    /// How the client proves itself at the token endpoint.
    pub client_authentication: ClientAuthentication,
    /// Format of the token request.
    pub token_format: TokenFormat,
    /// Whether the authorization server supports PKCE. Stead then always sends S256.
    pub pkce: bool,
    /// Further parameters of the authorization request.
    pub authorize_parameters: &'static [(&'static str, &'static str)],
    /// Parameter of the authorization request for the product's ID of a user who authorizes again.
    pub login_hint: Option<&'static str>,
    /// Further parameters of the request that exchanges a code.
    pub code_parameters: &'static [(&'static str, &'static str)],
    /// Effect of a refresh on the refresh token.
    pub rotation: Rotation,
    /// Time after which Stead refreshes an unused refresh token to keep it valid: half of the time after which the
    /// product expires it. `None` if the product isn't known to expire it.
    pub keep_alive: Option<Duration>,
    /// Kind of the connection's permissions.
    pub permissions: Permissions,
    /// Prefix that short names of scopes leave out. `notes.read` means this prefix followed by `notes.read`.
    pub scope_prefix: &'static str,
    /// Aliases of scopes, each with the name that the product returns.
    pub scope_aliases: &'static [(&'static str, &'static str)],
    /// Scopes that restrict wider scopes, each with the wider ones. A link can't request both.
    pub narrowing_scopes: &'static [(&'static str, RequiredScopes)],
    /// Default lifetime of an access token, if the response doesn't include it.
    pub default_lifetime: Option<Duration>,
    /// Where the product says who the user is.
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
    /// The product's message for people.
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
    /// `application/x-www-form-urlencoded`, as in RFC 6749.
    Form,
    /// `application/json`.
    Json,
}

/// Effect of a refresh on the refresh token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotation {
    /// It stays the same, unless the response has a new one.
    Stable,
    /// Every refresh issues a new one and invalidates the old one. The product can reject the old one.
    Rotating,
    /// Like `Rotating`, but using an old one revokes the whole token family.
    Strict,
}

/// Kind of a connection's permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permissions {
    /// OAuth scopes.
    Scopes {
        /// Requested in addition to the connection's own, to identify the user.
        always: &'static [&'static str],
        /// Requested if the connection has none: the smallest set that covers all tools.
        default: &'static [&'static str],
    },
    /// Capabilities of the integration at the product. Stead stores and shows them, but never sends them.
    Capabilities,
    /// The connection has no permissions.
    None,
}

/// Where a product says who the user is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectSource {
    /// It doesn't say.
    Unknown,
    /// Claims `sub` and `email` of the token response's `id_token`. The token has to be for this client, from one of
    /// these issuers (or the one in the environment's options), and not expired.
    IdToken {
        /// Allowed values of `iss`.
        issuers: &'static [&'static str],
    },
    /// Members of the token response, by JSON pointer.
    TokenResponse {
        /// The stable ID.
        id: &'static str,
        /// A name that people recognize.
        display: Option<&'static str>,
    },
}
