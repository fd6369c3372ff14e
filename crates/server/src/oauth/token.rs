//! `POST /oauth/token`: exchanges client credentials for a bearer token (RFC 6749, sections 4.4 and 5). It's the only
//! route whose errors are those of the RFC and not problems.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use percent_encoding::percent_decode_str;
use schemars::JsonSchema;
use secrecy::ExposeSecret as _;
use serde::Serialize;
use serde_json::json;
use stead::{Error, ErrorKind};
use stead_core::environment::Environment;

use url::form_urlencoded;

use crate::{admission::Rates, extract::collect, openapi::Draft, problem};

/// Maximum size of the form in bytes: IDs and secrets are short.
const LIMIT: usize = 64 * 1024;

pub(super) async fn issue(
    State(environment): State<Environment>,
    State(rates): State<Arc<Rates>>,
    request: Request,
) -> Response {
    let (head, body) = request.into_parts();
    let source = rates.source_of(&head.extensions, &head.headers);
    if let Err(error) = rates.check(source) {
        return refuse(&error);
    }
    let form = if is_form(&head.headers) {
        collect(body, LIMIT, &environment).await.ok()
    } else {
        None
    };
    let form = form.map(|body| form_urlencoded::parse(&body).into_owned().collect());
    let credentials = match read(&head.headers, form) {
        Ok(credentials) => credentials,
        Err(refusal) => return refusal.into_response(),
    };
    let client_id = credentials.client_id.as_str();
    if let Err(error) = rates.may_issue(client_id) {
        return refuse(&error);
    }
    let scope = credentials.scope.as_deref();
    let issued = environment.issue_access_token(client_id, &credentials.client_secret, scope);
    let issued = issued.await;
    if issued.is_ok() {
        rates.issued(client_id);
    }
    match issued {
        Ok(token) => respond(
            StatusCode::OK,
            &Token {
                access_token: token.access_token.expose_secret(),
                token_type: "Bearer",
                expires_in: token.expires_in,
                scope: token.scopes.to_string(),
            },
        ),
        Err(error) if error.kind() == ErrorKind::InvalidRequest => refusal(
            "invalid_scope",
            "the credential doesn't have one of these scopes, or the scope doesn't exist",
        )
        .into_response(),
        Err(error) if error.kind() == ErrorKind::Unauthenticated => {
            let slowed = rates.check_shared(source).and(rates.refuse(client_id));
            refuse(&slowed.err().unwrap_or(error))
        }
        Err(error) => refuse(&error),
    }
}

/// The response with a token, and RFC 6749's own errors.
pub(super) fn describe(draft: &mut Draft<'_>) {
    draft.takes_form::<TokenRequest>();
    draft.gives::<Token>(200);
    for (status, when) in [
        (400, "The form isn't valid (RFC 6749, section 4.4)."),
        (401, "The client ID or secret is wrong."),
        (429, "Too many attempts."),
        (500, "The operator needs to fix this."),
        (503, "Stead can't issue a token right now."),
    ] {
        draft.gives_as::<TokenError>(status, when);
    }
}

/// The form. HTTP Basic can carry the id and the secret in its place.
#[derive(JsonSchema)]
#[schemars(example = json!({
    "grant_type": "client_credentials", "client_id": "app_…", "client_secret": "stead_secret_…",
    "scope": "tools:execute:mail",
}))]
#[expect(dead_code, reason = "the document describes what is read by name")]
struct TokenRequest {
    /// `client_credentials`.
    #[schemars(extend("const" = "client_credentials"))]
    grant_type: String,
    /// Client id of the application.
    client_id: Option<String>,
    /// One of its secrets.
    client_secret: Option<String>,
    /// Scopes, with spaces in between; all of the credential where it is left out.
    scope: Option<String>,
}

/// A bearer token.
#[derive(Serialize, JsonSchema)]
#[schemars(example = json!({
    "access_token": "stead_token_…", "token_type": "Bearer", "expires_in": 3600, "scope": "tools:execute:mail",
}))]
struct Token<'a> {
    /// The token.
    access_token: &'a str,
    /// `Bearer`.
    token_type: &'static str,
    /// Its life in seconds.
    expires_in: u64,
    /// What it opens, with spaces in between.
    scope: String,
}

/// Why there is no token (RFC 6749, section 5.2).
#[derive(Serialize, JsonSchema)]
struct TokenError {
    /// The code of the RFC.
    error: &'static str,
    /// One sentence.
    error_description: &'static str,
}

fn is_form(headers: &HeaderMap) -> bool {
    let given = headers.get(header::CONTENT_TYPE);
    let given = given
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

struct Credentials {
    client_id: String,
    client_secret: String,
    /// Requested scopes, separated by spaces. `None` means all scopes of the credential.
    scope: Option<String>,
}

/// An error of RFC 6749, section 5.2.
#[derive(Debug, PartialEq)]
struct Refusal {
    code: &'static str,
    description: &'static str,
}

const fn refusal(code: &'static str, description: &'static str) -> Refusal {
    Refusal { code, description }
}

fn read(headers: &HeaderMap, form: Option<Vec<(String, String)>>) -> Result<Credentials, Refusal> {
    let form = form.ok_or(refusal(
        "invalid_request",
        "send grant_type, client_id and client_secret as application/x-www-form-urlencoded",
    ))?;
    let basic = basic(headers)?;
    match parameter(&form, "grant_type")? {
        Some("client_credentials") => {}
        Some(_) => {
            return Err(refusal(
                "unsupported_grant_type",
                "grant_type must be client_credentials",
            ));
        }
        None => {
            return Err(refusal(
                "invalid_request",
                "grant_type is missing; it must be client_credentials",
            ));
        }
    }
    let scope = parameter(&form, "scope")?.map(str::to_owned);
    let posted = (
        parameter(&form, "client_id")?,
        parameter(&form, "client_secret")?,
    );
    match (basic, posted) {
        (Some(_), (_, Some(_))) => Err(refusal(
            "invalid_request",
            "the client authenticates in two ways; use only one",
        )),
        (Some(basic), (Some(client_id), None)) if basic.client_id != client_id => Err(refusal(
            "invalid_request",
            "the client_id of the form and of the header differ",
        )),
        (Some(basic), _) => Ok(Credentials { scope, ..basic }),
        (None, (Some(client_id), Some(client_secret))) => Ok(Credentials {
            client_id: client_id.to_owned(),
            client_secret: client_secret.to_owned(),
            scope,
        }),
        (None, _) => Err(refusal(
            "invalid_client",
            "client_id or client_secret is missing",
        )),
    }
}

/// A form's parameter, which may occur once. An empty one counts as absent (RFC 6749, section 3.2).
fn parameter<'a>(form: &'a [(String, String)], name: &str) -> Result<Option<&'a str>, Refusal> {
    let mut given = form
        .iter()
        .filter(|(given, _)| given == name)
        .map(|(_, value)| value.as_str());
    let first = given.next();
    match given.next() {
        Some(_) => Err(refusal("invalid_request", "a parameter is given twice")),
        None => Ok(first.filter(|value| !value.is_empty())),
    }
}

/// The ID and secret of HTTP Basic: each form-urlencoded, joined by a colon, in base64 (RFC 6749, section 2.3.1).
fn basic(headers: &HeaderMap) -> Result<Option<Credentials>, Refusal> {
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        return Ok(None);
    };
    let malformed = refusal(
        "invalid_client",
        "the Authorization header isn't valid HTTP Basic",
    );
    let pair = value
        .to_str()
        .ok()
        .and_then(|text| text.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("basic"))
        .and_then(|(_, encoded)| STANDARD.decode(encoded.trim()).ok())
        .and_then(|bytes| String::from_utf8(bytes).ok());
    let Some((client_id, client_secret)) = pair.as_deref().and_then(|pair| pair.split_once(':'))
    else {
        return Err(malformed);
    };
    match (form_decode(client_id), form_decode(client_secret)) {
        (Some(client_id), Some(client_secret)) => Ok(Some(Credentials {
            client_id,
            client_secret,
            scope: None,
        })),
        _ => Err(malformed),
    }
}

fn form_decode(text: &str) -> Option<String> {
    percent_decode_str(&text.replace('+', " "))
        .decode_utf8()
        .ok()
        .map(String::from)
}

fn refuse(error: &Error) -> Response {
    if error.kind() == ErrorKind::Unauthenticated {
        return refusal(
            "invalid_client",
            "the client is unknown or its secret is wrong",
        )
        .into_response();
    }
    problem::report(error);
    // For a failure of the server, the RFC has no code here. These are the codes of its authorization endpoint.
    let (code, description) = if error.retryable() && error.kind() != ErrorKind::Internal {
        (
            "temporarily_unavailable",
            "Stead can't issue a token right now; try again in a moment",
        )
    } else {
        (
            "server_error",
            "Stead can't issue tokens; the operator of this environment needs to fix it",
        )
    };
    let mut response = respond(
        problem::status(error.kind()),
        &TokenError {
            error: code,
            error_description: description,
        },
    );
    if let Some(seconds) = problem::retry_after(error) {
        response.headers_mut().insert(header::RETRY_AFTER, seconds);
    }
    response
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let unauthorized = self.code == "invalid_client";
        let status = if unauthorized {
            StatusCode::UNAUTHORIZED
        } else {
            StatusCode::BAD_REQUEST
        };
        let mut response = respond(
            status,
            &TokenError {
                error: self.code,
                error_description: self.description,
            },
        );
        if unauthorized {
            let challenge = HeaderValue::from_static(r#"Basic realm="stead""#);
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

/// RFC 6749, section 5.1: no cache may keep a token.
fn respond(status: StatusCode, body: &impl Serialize) -> Response {
    let headers = [
        (header::CACHE_CONTROL, "no-store"),
        (header::PRAGMA, "no-cache"),
    ];
    (status, headers, axum::Json(body)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(
        authorization: Option<String>,
        form: &[(&str, &str)],
    ) -> Result<(String, String), &'static str> {
        let mut headers = HeaderMap::new();
        if let Some(value) = authorization {
            headers.insert(header::AUTHORIZATION, HeaderValue::try_from(value).unwrap());
        }
        let form = form
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        match read(&headers, Some(form)) {
            Ok(found) => Ok((found.client_id, found.client_secret)),
            Err(refusal) => Err(refusal.code),
        }
    }

    fn basic_of(pair: &str) -> Option<String> {
        Some(format!("Basic {}", STANDARD.encode(pair)))
    }

    #[test]
    fn both_ways_of_client_authentication_are_read() {
        let grant = ("grant_type", "client_credentials");
        let expected = Ok((String::from("id"), String::from("p:w d+%")));
        assert_eq!(
            outcome(
                None,
                &[grant, ("client_id", "id"), ("client_secret", "p:w d+%")]
            ),
            expected
        );
        assert_eq!(outcome(basic_of("id:p%3Aw+d%2B%25"), &[grant]), expected);
        assert_eq!(
            outcome(
                basic_of("id:p%3Aw%20d%2B%25"),
                &[grant, ("client_id", "id"), ("extra", "1")]
            ),
            expected
        );
    }

    #[test]
    fn every_other_request_has_its_code() {
        let (grant, id, secret) = (
            ("grant_type", "client_credentials"),
            ("client_id", "id"),
            ("client_secret", "s"),
        );
        type Case<'a> = (Option<String>, &'a [(&'a str, &'a str)], &'a str);
        let cases: &[Case<'_>] = &[
            (None, &[id, secret], "invalid_request"),
            (None, &[("grant_type", ""), id, secret], "invalid_request"),
            (
                None,
                &[("grant_type", "password"), id, secret],
                "unsupported_grant_type",
            ),
            (None, &[grant, grant, id, secret], "invalid_request"),
            (None, &[grant, id], "invalid_client"),
            (None, &[grant, id, ("client_secret", "")], "invalid_client"),
            (basic_of("id:s"), &[grant, id, secret], "invalid_request"),
            (
                basic_of("id:s"),
                &[grant, ("client_id", "other")],
                "invalid_request",
            ),
            (basic_of("id"), &[grant], "invalid_client"),
            (basic_of("id:%FF"), &[grant], "invalid_client"),
            (Some(String::from("Bearer x")), &[grant], "invalid_client"),
            (Some(String::from("Basic ???")), &[grant], "invalid_client"),
        ];
        for (authorization, form, code) in cases {
            assert_eq!(
                outcome(authorization.clone(), form),
                Err(*code),
                "{authorization:?} {form:?}"
            );
        }
        assert_eq!(
            read(&HeaderMap::new(), None)
                .err()
                .map(|refusal| refusal.code),
            Some("invalid_request")
        );
    }

    #[test]
    fn a_store_failure_is_a_server_error() {
        let error = Error::new(ErrorKind::StorageUnavailable, "CANARY")
            .with_retry_after(std::time::Duration::from_millis(1500));
        let response = refuse(&error);
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers()[header::RETRY_AFTER], "2");
        assert_eq!(response.headers()[header::PRAGMA], "no-cache");
        assert_eq!(
            refuse(&Error::new(ErrorKind::Internal, "x")).status(),
            StatusCode::INTERNAL_SERVER_ERROR
        );
    }
}
