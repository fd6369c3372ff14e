use std::sync::atomic::{AtomicU16, Ordering};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, header};
use jiff::{SignedDuration, Timestamp};
use oauth2::{
    AsyncHttpClient, AuthType, AuthUrl, ClientId, ClientSecret, ExtraTokenFields, HttpRequest, HttpResponse, RedirectUrl,
    RequestTokenError, StandardRevocableToken, StandardTokenResponse, TokenResponse as _, TokenUrl,
    basic::{
        BasicErrorResponse, BasicErrorResponseType, BasicRevocationErrorResponse, BasicTokenIntrospectionResponse, BasicTokenType,
    },
};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::TokenSet;
use crate::{
    Error, ErrorKind, Result,
    environment::Environment,
    error::scrub,
    ports::{Body, BoxFuture, Limits, TransportError},
    product::{ClientAuthentication, Product, TokenFormat},
    seal::Place,
    store::{ConnectionRow, EndpointSnapshot},
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
    environment: &Environment,
    product: &Product,
    connection: &ConnectionRow,
    endpoints: &EndpointSnapshot,
) -> Result<OAuthClient> {
    let misconfigured = |what: &str| Error::new(ErrorKind::ConnectionNotReady, format!("the connection has no usable {what}"));
    let client_id = connection.client_id.clone().ok_or_else(|| misconfigured("client id"))?;
    let secret = client_secret(environment, connection)?.ok_or_else(|| misconfigured("client secret"))?;
    let authorize = AuthUrl::new(endpoints.authorize.clone()).map_err(|_| misconfigured("authorization endpoint"))?;
    let token = TokenUrl::new(endpoints.token.clone()).map_err(|_| misconfigured("token endpoint"))?;
    let redirect = RedirectUrl::new(environment.redirect_uri(connection.id)).map_err(|_| misconfigured("redirect URI"))?;
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

pub(super) fn client_secret(environment: &Environment, connection: &ConnectionRow) -> Result<Option<SecretString>> {
    let Some(sealed) = &connection.client_secret else { return Ok(None) };
    let opened = environment.vault().open_sealed(client_secret_place(connection), sealed)?;
    let text = std::str::from_utf8(&opened).map_err(|_| Error::new(ErrorKind::IntegrityViolated, "a stored client secret is no text"))?;
    Ok(Some(text.into()))
}

pub(crate) fn client_secret_place(connection: &ConnectionRow) -> Place<'static> {
    Place::new("connection", connection.id.uuid(), "client_secret")
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
            Self::Rejected(said) | Self::Client(said) | Self::Misconfigured(said) | Self::Temporary(said) | Self::Unanswered(said) => said,
        }
    }
}

/// The HTTP client that the `oauth2` crate is given: the transport port, in the product's own format.
pub(super) struct TokenEndpoint<'e> {
    environment: &'e Environment,
    format: TokenFormat,
    headers: &'static [(&'static str, &'static str)],
    status: AtomicU16,
}

impl<'e> TokenEndpoint<'e> {
    pub(super) fn new(environment: &'e Environment, product: &Product) -> Self {
        Self { environment, format: product.oauth.token_format, headers: product.oauth.token_headers, status: AtomicU16::new(0) }
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
            RequestTokenError::Request(error) if error.may_have_been_sent() => TokenFailure::Unanswered(error.to_string()),
            RequestTokenError::Request(error) => TokenFailure::Temporary(error.to_string()),
            RequestTokenError::ServerResponse(answer) => {
                let code = answer.error().as_ref().to_owned();
                let said = match answer.error_description() {
                    Some(text) => format!("{code}: {}", scrub(text, 200)),
                    None => code.clone(),
                };
                match answer.error() {
                    BasicErrorResponseType::InvalidGrant => TokenFailure::Rejected(said),
                    BasicErrorResponseType::InvalidClient | BasicErrorResponseType::UnauthorizedClient => TokenFailure::Client(said),
                    _ if status >= 500 || status == 429 || is_passing(&code) => TokenFailure::Temporary(said),
                    _ => TokenFailure::Misconfigured(said),
                }
            }
            RequestTokenError::Parse(..) | RequestTokenError::Other(_) if (200..300).contains(&status) => {
                TokenFailure::Unanswered(format!("the token endpoint's answer ({status}) cannot be read"))
            }
            RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
                TokenFailure::Temporary(format!("the token endpoint answered {status} without an OAuth error"))
            }
        })
    }
}

/// Codes with which servers say that they, not the request, are at fault (RFC 6749, 4.1.2.1; Google's `internal_failure`).
fn is_passing(code: &str) -> bool {
    matches!(code, "temporarily_unavailable" | "server_error" | "internal_failure")
}

impl<'c> AsyncHttpClient<'c> for TokenEndpoint<'_> {
    type Error = TransportError;
    type Future = BoxFuture<'c, Result<HttpResponse, TransportError>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(async move {
            let mut request = request.map(|body| self.formatted(body));
            if self.format == TokenFormat::Json {
                request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            }
            for (name, value) in self.headers {
                request.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
            }
            if let Some(value) = request.headers_mut().get_mut(header::AUTHORIZATION) {
                value.set_sensitive(true);
            }
            request.extensions_mut().insert(TOKEN_LIMITS);
            let response = self.environment.transport().send(request).await?;
            self.status.store(response.status().as_u16(), Ordering::Relaxed);
            let (head, body) = response.into_parts();
            let body = body.collect(TOKEN_LIMITS.response_bytes).await?;
            Ok(http::Response::from_parts(head, normalized(&body)))
        })
    }
}

impl TokenEndpoint<'_> {
    fn formatted(&self, form: Vec<u8>) -> Body {
        match self.format {
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
fn normalized(body: &Bytes) -> Vec<u8> {
    let Ok(Value::Object(mut answer)) = serde_json::from_slice::<Value>(body) else { return body.to_vec() };
    if !answer.contains_key("access_token") {
        return error_normalized(answer).unwrap_or_else(|| body.to_vec());
    }
    if let Some(seconds) = answer.get("expires_in").and_then(Value::as_str).and_then(|text| text.parse::<u64>().ok()) {
        answer.insert(String::from("expires_in"), seconds.into());
    }
    answer.entry("token_type").or_insert_with(|| "bearer".into());
    Value::Object(answer).to_string().into_bytes()
}

/// Notion's own description gives errors of the token endpoint as `{object, status, code, message}` and not in the form of
/// RFC 6749, 5.2.
fn error_normalized(mut answer: Map<String, Value>) -> Option<Vec<u8>> {
    if answer.get("error").is_some_and(Value::is_string) {
        return None;
    }
    let code = answer.get("code").filter(|code| code.is_string())?.clone();
    let message = answer.get("message").cloned().unwrap_or_default();
    answer.insert(String::from("error"), code);
    answer.insert(String::from("error_description"), message);
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
    pub(super) fn read(answer: &TokenAnswer, product: &Product, sent_at: Timestamp, kept: Option<&SecretString>) -> Result<Self> {
        let lifetime = answer.expires_in().or(product.oauth.default_lifetime);
        let expires_at = lifetime
            .and_then(|lifetime| SignedDuration::try_from(lifetime).ok())
            .and_then(|lifetime| sent_at.checked_add(lifetime).ok());
        let refresh = answer.refresh_token().filter(|token| !token.secret().is_empty());
        let refresh = refresh.map(|token| SecretString::from(token.secret().as_str())).or_else(|| kept.cloned());
        let tokens = TokenSet::new(SecretString::from(answer.access_token().secret().as_str()), refresh, expires_at)?;
        let scopes = answer.scopes().map(|scopes| scopes.iter().map(|scope| scope.as_str().to_owned()).collect());
        Ok(Self { tokens, scopes, members: answer.extra_fields().members.clone() })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use oauth2::RefreshToken;
    use serde_json::json;

    use super::*;
    use crate::{
        ports::{Transport, TransportErrorKind},
        product::OAuth,
        resource::NewConnection,
        testing::{Answers, START, STABLE, World, always, environment, response},
    };

    const OAUTH: OAuth = OAuth {
        authorize: "https://login.demo.test/authorize",
        token: "https://login.demo.test/token",
        ..OAuth::BASE
    };
    static FORM: Product = Product { name: "demo", oauth: OAUTH, ..Product::BASE };
    static JSON: Product = Product {
        name: "demo",
        oauth: OAuth {
            token_format: TokenFormat::Json,
            client_authentication: ClientAuthentication::Basic,
            token_headers: &[("demo-version", "7")],
            ..OAUTH
        },
        ..Product::BASE
    };
    static HOURLY: Product = Product {
        name: "demo",
        oauth: OAuth { default_lifetime: Some(std::time::Duration::from_secs(3600)), ..OAUTH },
        ..Product::BASE
    };

    /// What becomes of a refresh through this transport.
    fn refreshed(product: &'static Product, transport: Arc<dyn Transport>) -> Result<TokenAnswer, TokenFailure> {
        let world = World::new();
        let environment = environment(&world, product, transport);
        let new = NewConnection {
            connection_name: String::from("demo"),
            product: String::from("demo"),
            client_id: Some(String::from("client:1")),
            client_secret: Some(SecretString::from("s3cret&=ü")),
            ..NewConnection::default()
        };
        world.run(async {
            environment.create_connection(new).await.unwrap();
            let connection = environment.connection_row("demo").await.unwrap().row;
            let endpoints = environment.endpoints_of(&connection).unwrap().snapshot();
            let client = oauth_client(&environment, product, &connection, &endpoints).unwrap();
            let endpoint = TokenEndpoint::new(&environment, product);
            let token = RefreshToken::new(String::from("old+token"));
            let result = client.exchange_refresh_token(&token).request_async(&endpoint).await;
            endpoint.read(result)
        })
    }

    fn granted(product: &'static Product, body: &'static str, kept: Option<&str>) -> Result<Granted> {
        let answer = refreshed(product, always(200, body)).unwrap();
        Granted::read(&answer, product, START, kept.map(SecretString::from).as_ref())
    }

    #[expect(clippy::needless_pass_by_value, reason = "the tests below make it in place")]
    fn outcome(result: Result<TokenAnswer, TokenFailure>) -> &'static str {
        match result {
            Ok(_) => "tokens",
            Err(TokenFailure::Rejected(_)) => "rejected",
            Err(TokenFailure::Client(_)) => "client",
            Err(TokenFailure::Misconfigured(_)) => "misconfigured",
            Err(TokenFailure::Temporary(_)) => "temporary",
            Err(TokenFailure::Unanswered(_)) => "unanswered",
        }
    }

    #[test]
    fn an_error_in_the_products_own_shape_is_read() {
        let own = br#"{"object":"error","status":400,"code":"invalid_grant","message":"Token was used."}"#;
        let read: Value = serde_json::from_slice(&normalized(&Bytes::from_static(own))).unwrap();
        assert_eq!((read["error"].as_str(), read["error_description"].as_str()), (Some("invalid_grant"), Some("Token was used.")));
        let standard = Bytes::from_static(br#"{"error":"invalid_client","code":null}"#);
        assert_eq!(normalized(&standard), standard);
    }

    #[test]
    fn an_answer_of_the_token_endpoint_has_one_meaning() {
        let table = [
            (200, r#"{"access_token":"a","token_type":"Bearer","expires_in":3600}"#, "tokens"),
            (200, r#"{"access_token":"a"}"#, "tokens"),
            (200, r#"{"access_token":"a","expires_in":"3600","token_type":"bearer","odd":[1]}"#, "tokens"),
            (400, r#"{"error":"invalid_grant","error_description":"Token has been revoked."}"#, "rejected"),
            (401, r#"{"error":"invalid_client"}"#, "client"),
            (400, r#"{"error":"unauthorized_client"}"#, "client"),
            (400, r#"{"error":"invalid_request"}"#, "misconfigured"),
            (400, r#"{"error":"unsupported_grant_type"}"#, "misconfigured"),
            (400, r#"{"error":"invalid_scope"}"#, "misconfigured"),
            (403, r#"{"error":"org_internal"}"#, "misconfigured"),
            (400, r#"{"error":"temporarily_unavailable"}"#, "temporary"),
            (400, r#"{"error":"server_error"}"#, "temporary"),
            (500, r#"{"error":"internal_failure"}"#, "temporary"),
            (429, r#"{"error":"slow_down"}"#, "temporary"),
            (503, r#"{"error":"whatever"}"#, "temporary"),
            (503, "<html>Service Unavailable</html>", "temporary"),
            (404, "not here", "temporary"),
            (429, "", "temporary"),
            (302, "", "temporary"),
            (400, r#"{"message":"no OAuth error"}"#, "temporary"),
            // Tokens may have been issued, and nobody can read them.
            (200, "", "unanswered"),
            (200, "{}", "unanswered"),
            (200, "<html>Sign in to the Wi-Fi</html>", "unanswered"),
            (200, r#"{"access_token":"a","#, "unanswered"),
        ];
        for (status, body, expected) in table {
            assert_eq!(outcome(refreshed(&FORM, always(status, body))), expected, "{status} {body}");
        }
    }

    #[test]
    fn what_was_never_sent_may_work_later_and_what_was_lost_may_have_worked() {
        use TransportErrorKind::{Cut, Refused, TimedOut, TooLarge, Unreachable};
        for (kind, expected) in [
            (Unreachable, "temporary"),
            (Refused, "temporary"),
            (TimedOut, "unanswered"),
            (Cut, "unanswered"),
            (TooLarge, "unanswered"),
        ] {
            let transport = Answers::by(move |_| std::future::ready(Err(TransportError::new(kind, "lost"))));
            assert_eq!(outcome(refreshed(&FORM, transport)), expected, "{kind:?}");
        }
    }

    #[test]
    fn an_endless_answer_is_not_read_to_its_end() {
        let large = Answers::by(|_| std::future::ready(Ok(response(200, vec![b' '; 300 * 1024]))));
        assert_eq!(outcome(refreshed(&FORM, large)), "unanswered");
    }

    #[test]
    fn what_the_server_says_is_kept_without_credentials() {
        let body = r#"{"error":"invalid_grant","error_description":"token ya29.abcdefghijklmnop is revoked"}"#;
        let Err(TokenFailure::Rejected(said)) = refreshed(&FORM, always(400, body)) else { panic!("not rejected") };
        assert_eq!(said, "invalid_grant: token [removed] is revoked");
    }

    /// The request that a product gets.
    fn request_to(product: &'static Product) -> (http::request::Parts, String) {
        let seen = Arc::new(Mutex::new(None));
        let keep = Arc::clone(&seen);
        let transport = Answers::by(move |request: http::Request<Body>| {
            let keep = Arc::clone(&keep);
            async move {
                let (head, body) = request.into_parts();
                let body = String::from_utf8(body.collect(10_000).await?.to_vec()).unwrap();
                *keep.lock().unwrap() = Some((head, body));
                Ok(response(200, r#"{"access_token":"a"}"#))
            }
        });
        refreshed(product, transport).unwrap();
        seen.lock().unwrap().take().unwrap()
    }

    #[test]
    fn a_form_with_the_secret_in_it() {
        let (head, body) = request_to(&FORM);
        assert_eq!((head.method.as_str(), head.uri.to_string().as_str()), ("POST", "https://login.demo.test/token"));
        assert_eq!(head.headers[header::CONTENT_TYPE], "application/x-www-form-urlencoded");
        assert!(!head.headers.contains_key(header::AUTHORIZATION));
        assert_eq!(body, "grant_type=refresh_token&refresh_token=old%2Btoken&client_id=client%3A1&client_secret=s3cret%26%3D%C3%BC");
        assert_eq!(head.extensions.get::<Limits>(), Some(&TOKEN_LIMITS));
    }

    #[test]
    fn json_with_the_secret_in_a_sensitive_header() {
        let (head, body) = request_to(&JSON);
        assert_eq!(head.headers[header::CONTENT_TYPE], "application/json");
        assert_eq!(head.headers["demo-version"], "7");
        assert!(head.headers[header::AUTHORIZATION].is_sensitive());
        // RFC 6749, 2.3.1: both halves are form-encoded first.
        assert_eq!(head.headers[header::AUTHORIZATION], "Basic Y2xpZW50JTNBMTpzM2NyZXQlMjYlM0QlQzMlQkM=");
        assert_eq!(
            serde_json::from_str::<Value>(&body).unwrap(),
            json!({ "grant_type": "refresh_token", "refresh_token": "old+token" })
        );
    }

    #[test]
    fn only_a_token_answer_is_normalized() {
        let normal = |body: &'static str| String::from_utf8(normalized(&Bytes::from_static(body.as_bytes()))).unwrap();
        for untouched in ["", "oops", "[ 1 ]", "{ \"error\" : \"invalid_grant\" }", "{\"access_token\":", "{\"expires_in\":\"1\"}"] {
            assert_eq!(normal(untouched), untouched);
        }
        for (body, expected) in [
            (r#"{"access_token":"a"}"#, json!({ "access_token": "a", "token_type": "bearer" })),
            (r#"{"access_token":"a","token_type":"MAC"}"#, json!({ "access_token": "a", "token_type": "MAC" })),
            (r#"{"access_token":"a","expires_in":"60"}"#, json!({ "access_token": "a", "token_type": "bearer", "expires_in": 60 })),
            (r#"{"access_token":"a","expires_in":"soon"}"#, json!({ "access_token": "a", "token_type": "bearer", "expires_in": "soon" })),
            (r#"{"access_token":"a","expires_in":60}"#, json!({ "access_token": "a", "token_type": "bearer", "expires_in": 60 })),
        ] {
            assert_eq!(serde_json::from_str::<Value>(&normal(body)).unwrap(), expected);
        }
    }

    #[test]
    fn an_expiry_counts_from_the_sending() {
        let end = |product, body| granted(product, body, None).unwrap().tokens.expires_at();
        let after = |seconds| Some(START + SignedDuration::from_secs(seconds));
        assert_eq!(end(&FORM, r#"{"access_token":"a","expires_in":60}"#), after(60));
        assert_eq!(end(&HOURLY, r#"{"access_token":"a","expires_in":60}"#), after(60));
        assert_eq!(end(&HOURLY, r#"{"access_token":"a"}"#), after(3600));
        assert_eq!(end(&FORM, r#"{"access_token":"a"}"#), None);
        assert_eq!(end(&FORM, r#"{"access_token":"a","expires_in":18446744073709551615}"#), None);
    }

    #[test]
    fn a_refresh_token_stays_unless_a_new_one_comes() {
        let token = |body, kept| {
            granted(&FORM, body, kept).unwrap().tokens.refresh_token().map(|token| token.expose_secret().to_owned())
        };
        assert_eq!(token(r#"{"access_token":"a"}"#, Some("old")).as_deref(), Some("old"));
        assert_eq!(token(r#"{"access_token":"a","refresh_token":"new"}"#, Some("old")).as_deref(), Some("new"));
        assert_eq!(token(r#"{"access_token":"a"}"#, None), None);
    }

    #[test]
    fn scopes_are_those_of_the_answer_where_it_names_any() {
        let scopes = |body| granted(&FORM, body, None).unwrap().scopes;
        assert_eq!(scopes(r#"{"access_token":"a","scope":"one two"}"#), Some(vec![String::from("one"), String::from("two")]));
        assert_eq!(scopes(r#"{"access_token":"a"}"#), None);
    }

    #[test]
    fn a_token_that_fits_no_header_is_the_products_fault() {
        let error = granted(&FORM, r#"{"access_token":"a\r\nCookie: b"}"#, None).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::ProductProtocolError);
    }

    #[test]
    fn other_members_show_their_names_alone() {
        let answer = refreshed(&FORM, always(200, r#"{"access_token":"CANARY","id_token":"CANARY"}"#)).unwrap();
        let shown = format!("{:?}", answer.extra_fields());
        assert!(shown.contains("id_token") && !shown.contains("CANARY"), "{shown}");
    }

    #[test]
    fn a_connection_without_a_secret_has_no_client() {
        let world = World::new();
        let environment = environment(&world, &STABLE, always(200, ""));
        let draft = NewConnection { connection_name: String::from("demo"), product: String::from("demo"), ..NewConnection::default() };
        let connection = world.run(async {
            environment.create_connection(draft).await.unwrap();
            environment.connection_row("demo").await.unwrap().row
        });
        let endpoints = environment.endpoints_of(&connection).unwrap().snapshot();
        let error = oauth_client(&environment, &STABLE, &connection, &endpoints).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::ConnectionNotReady);
    }
}
