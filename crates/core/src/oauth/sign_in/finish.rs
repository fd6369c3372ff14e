//! Handles a browser's return from the provider.

use super::{
    admission::admit, attempt::Attempt, claims, discovery::endpoints, exchange::id_token, failed,
    not_completed, provider,
};
use crate::{Error, Result, context::Context, oauth::Callback, scrub::scrub};

/// Returns who signed in, if the operator allows them to.
pub(crate) async fn finish(
    context: &Context,
    attempt: &Attempt,
    callback: Callback,
) -> Result<claims::Person> {
    let provider = provider(context)?;
    let options = &provider.options;
    let endpoints = endpoints(context, provider).await?;
    // Another provider's response must not be accepted (RFC 9207).
    let is_of_provider = match callback.iss.as_deref() {
        Some(issuer) => issuer == options.issuer,
        None => !endpoints.names_itself,
    };
    if !is_of_provider {
        return Err(not_completed(
            "this response comes from a different provider",
        ));
    }
    if let Some(code) = &callback.error {
        return Err(declined(code, callback.error_description.as_deref()));
    }
    let code = callback.code.ok_or_else(|| {
        not_completed("the provider sent the browser back without a code; start again")
    })?;
    let token = id_token(context, provider, &endpoints, attempt, code).await?;
    let claims = claims::checked(&token, options, attempt, context.host.now())?;
    let person = claims::person(&claims, options)?;
    admit(&claims, &person, options)?;
    Ok(person)
}

/// An error of the provider (OpenID Connect Core 1.0, 3.1.2.6, and RFC 6749, 4.1.2.1).
fn declined(code: &str, description: Option<&str>) -> Error {
    match code {
        "access_denied" => not_completed("the sign-in was cancelled at the provider"),
        "login_required"
        | "interaction_required"
        | "account_selection_required"
        | "consent_required" => not_completed("the provider wants you to sign in there again"),
        _ => failed(&match description {
            Some(text) => format!("it returned {}: {}", scrub(code, 60), scrub(text, 200)),
            None => format!("it returned {}", scrub(code, 60)),
        }),
    }
}
