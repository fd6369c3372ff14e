use std::sync::atomic::{AtomicU16, Ordering};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, header};
use jiff::{SignedDuration, Timestamp};
use oauth2::{
    AsyncHttpClient, AuthType, AuthUrl, ClientId, ClientSecret, ExtraTokenFields, HttpRequest,
    HttpResponse, RedirectUrl, RequestTokenError, StandardRevocableToken, StandardTokenResponse,
    TokenResponse as _, TokenUrl,
    basic::{
        BasicErrorResponse, BasicErrorResponseType, BasicRevocationErrorResponse,
        BasicTokenIntrospectionResponse, BasicTokenType,
    },
};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Error, ErrorKind, Result,
    context::Context,
    context::TokenSet,
    domain::{Connection, EndpointSnapshot},
    ports::{Body, BoxFuture, Limits, TransportError},
    product::{ClientAuthentication, Product, TokenFormat},
    scrub::{mask, scrub},
    seal::AssociatedData,
};

pub(super) type OAuthClient = oauth2::Client<
    BasicErrorResponse,
    TokenAnswer,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
    oauth2::EndpointSet,
    oauth2::EndpointNotSet,
    oauth2::EndpointNotSet,
    oauth2::EndpointNotSet,
    oauth2::EndpointSet,
>;

pub(super) type TokenAnswer = StandardTokenResponse<OtherMembers, BasicTokenType>;

/// Members of a token answer that the standard does not name.
#[derive(Serialize, Deserialize)]
pub(super) struct OtherMembers {
    #[serde(flatten)]
    pub(super) members: Map<String, Value>,
}

impl std::fmt::Debug for OtherMembers {
    /// Shows names alone: an `id_token` may be among them.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.members.keys()).finish()
    }
}

impl ExtraTokenFields for OtherMembers {}

/// A connection's OAuth client, pointed at the given endpoints.
pub(super) fn oauth_client(
    context: &Context,
    product: &Product,
    connection: &Connection,
    endpoints: &EndpointSnapshot,
) -> Result<OAuthClient> {
    let misconfigured = |what: &str| {
        Error::new(
            ErrorKind::ConnectionNotReady,
            format!("the connection has no usable {what}"),
        )
    };
    let client_id = connection
        .client_id
        .clone()
        .ok_or_else(|| misconfigured("client id"))?;
    let secret =
        client_secret(context, connection)?.ok_or_else(|| misconfigured("client secret"))?;
    let authorize = AuthUrl::new(endpoints.authorize.clone())
        .map_err(|_| misconfigured("authorization endpoint"))?;
    let token =
        TokenUrl::new(endpoints.token.clone()).map_err(|_| misconfigured("token endpoint"))?;
    let redirect = RedirectUrl::new(context.redirect_uri(connection.id))
        .map_err(|_| misconfigured("redirect URI"))?;
    Ok(oauth2::Client::new(ClientId::new(client_id))
        .set_client_secret(ClientSecret::new(secret.expose_secret().to_owned()))
        .set_auth_uri(authorize)
        .set_token_uri(token)
        .set_redirect_uri(redirect)
        .set_auth_type(match product.oauth.client_authentication {
            ClientAuthentication::Body => AuthType::RequestBody,
            ClientAuthentication::Basic => AuthType::BasicAuth,
        }))
}

pub(super) fn client_secret(
    context: &Context,
    connection: &Connection,
) -> Result<Option<SecretString>> {
    let Some(sealed) = &connection.client_secret else {
        return Ok(None);
    };
    let opened = context
        .vault
        .open_sealed(client_secret_place(connection), sealed)?;
    let text = std::str::from_utf8(&opened).map_err(|_| {
        Error::new(
            ErrorKind::IntegrityViolated,
            "a stored client secret is no text",
        )
    })?;
    Ok(Some(text.into()))
}

pub(crate) fn client_secret_place(connection: &Connection) -> AssociatedData<'static> {
    AssociatedData::new("connection", connection.id.uuid(), "client_secret")
}

/// Why a token request brought no tokens.
#[derive(Debug, Clone)]
pub(super) enum TokenFailure {
    /// The product refused the code or the refresh token.
    Rejected(String),
    /// The product refused the client.
    Client(String),
    /// The product refuses requests of this form from this client.
    Misconfigured(String),
    /// It may work later.
    Temporary(String),
    /// The request was sent and no answer was read.
    Unanswered(String),
}

impl TokenFailure {
    /// What the product said, or what happened.
    pub(super) fn said(self) -> String {
        match self {
            Self::Rejected(said)
            | Self::Client(said)
            | Self::Misconfigured(said)
            | Self::Temporary(said)
            | Self::Unanswered(said) => said,
        }
    }
}

/// The HTTP client that the `oauth2` crate is given: the transport port, in the product's own format.
pub(super) struct TokenEndpoint<'e> {
    context: &'e Context,
    product: &'e Product,
    status: AtomicU16,
}

impl<'e> TokenEndpoint<'e> {
    pub(super) fn new(context: &'e Context, product: &'e Product) -> Self {
        Self {
            context,
            product,
            status: AtomicU16::new(0),
        }
    }

    /// Reads what the `oauth2` crate made of the exchange.
    pub(super) fn read(
        &self,
        result: Result<TokenAnswer, RequestTokenError<TransportError, BasicErrorResponse>>,
    ) -> Result<TokenAnswer, TokenFailure> {
        let status = self.status.load(Ordering::Relaxed);
        let error = match result {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        Err(match error {
            RequestTokenError::Request(error) if error.may_have_been_sent() => {
                TokenFailure::Unanswered(error.to_string())
            }
            RequestTokenError::Request(error) => TokenFailure::Temporary(error.to_string()),
            RequestTokenError::ServerResponse(answer) => {
                let code = answer.error().as_ref().to_owned();
                let said = match answer.error_description() {
                    Some(text) => {
                        let text = mask(&scrub(text, 200), self.product.token_prefixes);
                        format!("{code}: {text}")
                    }
                    None => code.clone(),
                };
                match answer.error() {
                    BasicErrorResponseType::InvalidGrant => TokenFailure::Rejected(said),
                    BasicErrorResponseType::InvalidClient
                    | BasicErrorResponseType::UnauthorizedClient => TokenFailure::Client(said),
                    _ if status >= 500 || status == 429 || self.is_temporary(&code) => {
                        TokenFailure::Temporary(said)
                    }
                    _ => TokenFailure::Misconfigured(said),
                }
            }
            RequestTokenError::Parse(..) | RequestTokenError::Other(_)
                if (200..300).contains(&status) =>
            {
                TokenFailure::Unanswered(format!(
                    "the token endpoint's answer ({status}) cannot be read"
                ))
            }
            RequestTokenError::Parse(..) | RequestTokenError::Other(_) => TokenFailure::Temporary(
                format!("the token endpoint answered {status} without an OAuth error"),
            ),
        })
    }
}

impl<'c> AsyncHttpClient<'c> for TokenEndpoint<'_> {
    type Error = TransportError;
    type Future = BoxFuture<'c, Result<HttpResponse, TransportError>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(async move {
            let mut request = request.map(|body| self.formatted(body));
            if self.product.oauth.token_format == TokenFormat::Json {
                request.headers_mut().insert(
                    header::CONTENT_TYPE,
                    HeaderValue::from_static("application/json"),
                );
            }
            for (name, value) in self.product.oauth.token_headers {
                request.headers_mut().insert(
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                );
            }
            if let Some(value) = request.headers_mut().get_mut(header::AUTHORIZATION) {
                value.set_sensitive(true);
            }
            request.extensions_mut().insert(TOKEN_LIMITS);
            let response = self.context.transport.send(request).await?;
            self.status
                .store(response.status().as_u16(), Ordering::Relaxed);
            let (head, body) = response.into_parts();
            let body = body.collect(TOKEN_LIMITS.response_bytes).await?;
            Ok(http::Response::from_parts(
                head,
                normalized(&body, self.product),
            ))
        })
    }
}

impl TokenEndpoint<'_> {
    /// Codes with which servers say that they, not the request, are at fault (RFC 6749, 4.1.2.1).
    fn is_temporary(&self, code: &str) -> bool {
        matches!(code, "temporarily_unavailable" | "server_error")
            || self.product.oauth.temporary_errors.contains(&code)
    }

    fn formatted(&self, form: Vec<u8>) -> Body {
        match self.product.oauth.token_format {
            TokenFormat::Form => form.into(),
            TokenFormat::Json => {
                let members: Map<String, Value> = url::form_urlencoded::parse(&form)
                    .map(|(name, value)| (name.into_owned(), Value::String(value.into_owned())))
                    .collect();
                Value::Object(members).to_string().into_bytes().into()
            }
        }
    }
}

/// Shorter than the lease that guards a refresh, so that the answer can still be committed.
const TOKEN_LIMITS: Limits = Limits {
    first_byte: std::time::Duration::from_secs(20),
    total: std::time::Duration::from_secs(25),
    response_bytes: 256 * 1024,
    ..Limits::DEFAULT
};

/// Servers in the wild send `expires_in` as a string and leave `token_type` out; the `oauth2` crate takes neither.
fn normalized(body: &Bytes, product: &Product) -> Vec<u8> {
    let Ok(Value::Object(mut answer)) = serde_json::from_slice::<Value>(body) else {
        return body.to_vec();
    };
    if !answer.contains_key("access_token") {
        return error_normalized(answer, product).unwrap_or_else(|| body.to_vec());
    }
    if let Some(seconds) = answer
        .get("expires_in")
        .and_then(Value::as_str)
        .and_then(|text| text.parse::<u64>().ok())
    {
        answer.insert(String::from("expires_in"), seconds.into());
    }
    answer
        .entry("token_type")
        .or_insert_with(|| "bearer".into());
    Value::Object(answer).to_string().into_bytes()
}

/// An error in the product's own form, written in that of RFC 6749, 5.2.
fn error_normalized(mut answer: Map<String, Value>, product: &Product) -> Option<Vec<u8>> {
    if answer.get("error").is_some_and(Value::is_string) {
        return None;
    }
    let error = (product.oauth.read_token_error)(&answer)?;
    answer.insert(String::from("error"), error.code.into());
    answer.insert(String::from("error_description"), error.message.into());
    Some(Value::Object(answer).to_string().into_bytes())
}

/// What a token answer says, in our own types.
pub(super) struct Granted {
    pub(super) tokens: TokenSet,
    /// `None` where the answer names no scope: then it is what was asked for.
    pub(super) scopes: Option<Vec<String>>,
    pub(super) members: Map<String, Value>,
}

impl Granted {
    /// `sent_at` is when the request left: an expiry counted from there is never too late.
    pub(super) fn read(
        answer: &TokenAnswer,
        product: &Product,
        sent_at: Timestamp,
        kept: Option<&SecretString>,
    ) -> Result<Self> {
        let lifetime = answer.expires_in().or(product.oauth.default_lifetime);
        let expires_at = lifetime
            .and_then(|lifetime| SignedDuration::try_from(lifetime).ok())
            .and_then(|lifetime| sent_at.checked_add(lifetime).ok());
        let refresh = answer
            .refresh_token()
            .filter(|token| !token.secret().is_empty());
        let refresh = refresh
            .map(|token| SecretString::from(token.secret().as_str()))
            .or_else(|| kept.cloned());
        let tokens = TokenSet::new(
            SecretString::from(answer.access_token().secret().as_str()),
            refresh,
            expires_at,
        )?;
        let scopes = answer.scopes().map(|scopes| {
            scopes
                .iter()
                .map(|scope| scope.as_str().to_owned())
                .collect()
        });
        Ok(Self {
            tokens,
            scopes,
            members: answer.extra_fields().members.clone(),
        })
    }
}

#[cfg(test)]
mod tests;
