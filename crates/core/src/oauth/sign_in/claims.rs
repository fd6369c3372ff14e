//! Checks the claims of an ID token.

use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::{attempt::Attempt, failed, not_completed};
use crate::{
    Result,
    context::SignInProvider,
    domain::member::read_email,
    oauth::subject::{claims, text},
};

/// Maximum difference between the provider's clock and ours, in seconds.
const CLOCKS_APART: i64 = 60;
/// Maximum age of an ID token in seconds.
const FRESH: i64 = 600;

/// The person who signed in at the provider.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub(crate) issuer: String,
    /// The provider's permanent ID of the user.
    pub(crate) subject: String,
    pub(crate) email: String,
    /// Name for people. Empty if the provider gives none.
    pub(crate) name: String,
}

/// Returns the claims of an ID token after checking that it's from this provider, for this client and this attempt, and
/// currently valid.
///
/// The signature isn't checked, because the token came straight from the token endpoint over TLS. OpenID Connect Core
/// 1.0, 3.1.3.7 point 6, allows that. The section's other points that concern a client without keys are checked.
pub(super) fn checked(
    token: &SecretString,
    provider: &SignInProvider,
    attempt: &Attempt,
    now: Timestamp,
) -> Result<Value> {
    let claims =
        claims(token.expose_secret()).ok_or_else(|| failed("its ID token can't be read"))?;
    check(&claims, provider, now).map_err(failed)?;
    if claims["nonce"].as_str() != Some(attempt.nonce.expose_secret()) {
        return Err(not_completed(
            "the provider's ID token belongs to another sign-in",
        ));
    }
    // Without `auth_time`, the provider was still asked for a new sign-in. It only doesn't say when that happened.
    let signed_in_at = claims["auth_time"].as_i64();
    let began_at = attempt.began_at.as_second() - CLOCKS_APART;
    if attempt.again.is_some() && signed_in_at.is_some_and(|at| at < began_at) {
        return Err(not_completed(
            "the provider didn't ask you to sign in again",
        ));
    }
    Ok(claims)
}

fn check(claims: &Value, provider: &SignInProvider, now: Timestamp) -> Result<(), &'static str> {
    let now = now.as_second();
    if claims["iss"].as_str() != Some(&provider.issuer) {
        return Err("its ID token comes from a different issuer");
    }
    let client = Some(provider.client_id.as_str());
    let audience = &claims["aud"];
    let several = audience.as_array().map_or(&[][..], Vec::as_slice);
    if audience.as_str() != client && !several.iter().any(|one| one.as_str() == client) {
        return Err("its ID token is for a different client");
    }
    let party = claims["azp"].as_str();
    if (several.len() > 1 || party.is_some()) && party != client {
        return Err("its ID token was issued to a different client");
    }
    let ends = claims["exp"].as_i64().unwrap_or_default();
    if ends.saturating_add(CLOCKS_APART) <= now {
        return Err("its ID token has expired; compare the clocks of both machines");
    }
    let issued = claims["iat"].as_i64().unwrap_or_default();
    if now.abs_diff(issued) > (FRESH + CLOCKS_APART).unsigned_abs() {
        return Err("its ID token wasn't issued just now; compare the clocks of both machines");
    }
    Ok(())
}

/// Returns the person that the claims describe.
pub(super) fn person(claims: &Value, provider: &SignInProvider) -> Result<Person> {
    let subject = text(&claims["sub"]).ok_or_else(|| failed("its ID token has no sub claim"))?;
    let email = text(&claims["email"]).and_then(|email| read_email(&email).ok());
    let email = email.ok_or_else(|| failed("its ID token has no email address"))?;
    let name = text(&claims["name"]).filter(|name| name.chars().count() <= 100);
    let name = name.filter(|name| !name.chars().any(char::is_control));
    Ok(Person {
        issuer: provider.issuer.clone(),
        subject,
        email,
        name: name.unwrap_or_default(),
    })
}
