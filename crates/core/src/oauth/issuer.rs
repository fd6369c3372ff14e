//! Checks whether a JWT of the operator's issuer is valid here and now (RFC 9068, 4, and RFC 8725).

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::metadata::{self, Unread};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, KnownIssuer},
    jwt::{Keys, Token},
};

/// Maximum difference between the issuer's clock and ours, in seconds.
const CLOCKS_APART: i64 = 60;

/// Returns the claims of a valid token, and when it expires.
pub(crate) async fn claims(
    context: &Context,
    issuer: &KnownIssuer,
    bearer: &str,
) -> Result<(Value, Timestamp)> {
    let options = &issuer.options;
    let own = context.site.at("/mcp");
    let audience = options.audience.as_deref().unwrap_or(&own);
    let refused = |why: &str| {
        let message = format!(
            "Stead can't accept the JWT: {why}; get one from {} for the audience {audience}",
            options.issuer
        );
        Error::new(ErrorKind::Unauthenticated, message)
    };
    let token = Token::read(bearer).map_err(refused)?;
    let wanted = token.key_name();
    let keys = match issuer.known(context.host.monotonic(), wanted) {
        Some(known) => known?,
        None => {
            // Detached, so that callers who leave don't make the next one start over.
            let wanted = wanted.clone();
            let reading = context.detached(async move |context| {
                let Some(issuer) = &context.issuers.mcp else {
                    return Err(Error::new(ErrorKind::Internal, "no issuer is configured"));
                };
                let read = || read_keys(&context, &issuer.options.issuer);
                issuer.keys(&context, &wanted, read).await
            });
            reading.await??
        }
    };
    let claims = token.claims(&keys).map_err(refused)?;
    let end = check(&claims, &options.issuer, audience, context.host.now()).map_err(refused)?;
    if let Some(scope) = &options.required_scope
        && !has_scope(&claims, scope)
    {
        let message = format!("the JWT doesn't have the scope {scope}; get one that has it");
        let error = Error::new(ErrorKind::InsufficientScope, message);
        return Err(error.with_required_scopes([scope.clone()]));
    }
    Ok((claims, end))
}

/// Checks that a token is from this issuer, for this audience and currently valid. Returns when it expires.
fn check(
    claims: &Value,
    issuer: &str,
    audience: &str,
    now: Timestamp,
) -> Result<Timestamp, &'static str> {
    if claims["iss"].as_str() != Some(issuer) {
        return Err("it comes from a different issuer");
    }
    let is_own = |one: &Value| one.as_str() == Some(audience);
    let several = claims["aud"].as_array();
    if !is_own(&claims["aud"]) && !several.is_some_and(|all| all.iter().any(is_own)) {
        return Err("it is for a different audience");
    }
    let end = seconds(&claims["exp"]).ok_or("its exp claim is missing or isn't a time")?;
    let end = Timestamp::from_second(end.saturating_add(CLOCKS_APART)).unwrap_or(Timestamp::MAX);
    if end <= now {
        return Err("it has expired");
    }
    let begins = match &claims["nbf"] {
        Value::Null => i64::MIN,
        given => seconds(given).ok_or("its nbf claim isn't a time")?,
    };
    if begins > now.as_second().saturating_add(CLOCKS_APART) {
        return Err("it isn't valid yet; compare the clocks of both machines");
    }
    Ok(end)
}

/// Seconds since 1970. Some issuers write fractions (RFC 7519, 2).
fn seconds(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| Some(value.as_f64()? as i64))
}

/// Checks the claim `scope` (RFC 9068, 2.2.3), or `scp`, as some issuers call it. It's a string with spaces or a list.
fn has_scope(claims: &Value, scope: &str) -> bool {
    [&claims["scope"], &claims["scp"]].into_iter().any(|given| {
        let listed = given.as_array().into_iter().flatten();
        let texts = listed.chain([given]).filter_map(Value::as_str);
        texts
            .flat_map(str::split_whitespace)
            .any(|one| one == scope)
    })
}

/// The members of the issuer's configuration that Stead needs.
#[derive(Deserialize)]
struct Configuration {
    issuer: String,
    jwks_uri: String,
}

async fn read_keys(context: &Context, issuer: &str) -> Result<Keys> {
    let configuration = configuration(context, issuer).await?;
    let configuration: Configuration = serde_json::from_slice(&configuration)
        .map_err(|_| failed("its configuration can't be read"))?;
    // The issuer has to match exactly, or another one could speak for it (OpenID Connect Discovery 1.0, 4.3, and RFC
    // 8414, 3.3).
    if configuration.issuer != issuer {
        return Err(failed(
            "its configuration names a different issuer than the one you configured",
        ));
    }
    if !metadata::is_encrypted(&configuration.jwks_uri, issuer) {
        return Err(failed(
            "the address of its keys doesn't start with https://",
        ));
    }
    let keys = metadata::fetch(context, &configuration.jwks_uri).await;
    let keys = keys.map_err(|unread| unread.error("document of keys", failed))?;
    Keys::read(&keys).ok_or_else(|| failed("its keys can't be read"))
}

/// Reads the configuration at the URL of OpenID Connect Discovery 1.0. If nothing is there, tries RFC 8414.
async fn configuration(context: &Context, issuer: &str) -> Result<bytes::Bytes> {
    let mut read = metadata::fetch(context, &metadata::configuration(issuer)).await;
    if let Err(Unread::Status(status)) = &read
        && status.is_client_error()
        && let Ok(mut url) = Url::parse(issuer)
    {
        let path = url.path().trim_end_matches('/');
        url.set_path(&format!("/.well-known/oauth-authorization-server{path}"));
        read = metadata::fetch(context, url.as_str()).await;
    }
    read.map_err(|unread| unread.error("configuration", failed))
}

fn failed(why: &str) -> Error {
    let message = format!("Stead can't use the operator's issuer of agents' tokens: {why}");
    Error::new(ErrorKind::IssuerUnavailable, message)
        .with_retry_after(std::time::Duration::from_secs(5))
}
