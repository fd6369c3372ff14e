//! Decides which of the provider's users can sign in.

use serde_json::Value;

use super::claims::Person;
use crate::{Error, ErrorKind, Result, context::SignInProvider};

/// Rejects people whom the operator doesn't allow to sign in.
pub(super) fn admit(claims: &Value, person: &Person, provider: &SignInProvider) -> Result<()> {
    let by_email = !provider.allowed_emails.is_empty();
    // Members are identified by email address, so an address that isn't verified never counts. If the provider doesn't
    // say whether it's verified, the claim that the operator requires is enough.
    match verified(&claims["email_verified"]) {
        Some(true) => {}
        None if !by_email => {}
        _ => {
            return Err(refused(
                "the provider doesn't say that your email address is verified",
            ));
        }
    }
    if by_email && !provider.allowed_emails.contains(&person.email) {
        return Err(refused(
            "the operator hasn't allowed your email address; ask the operator to add it",
        ));
    }
    if let Some((name, value)) = &provider.required_claim
        && !says(&claims[name.as_str()], value)
    {
        return Err(refused(&format!(
            "the provider doesn't give you the claim {name}, which the operator requires"
        )));
    }
    Ok(())
}

/// Reads a boolean. Some providers write it as a string.
fn verified(claim: &Value) -> Option<bool> {
    match claim {
        Value::Null => None,
        claim => Some(says(claim, "true")),
    }
}

fn says(claim: &Value, expected: &str) -> bool {
    let plain: Value = serde_json::from_str(expected).unwrap_or_default();
    let is = |one: &Value| match one {
        Value::String(text) => text == expected,
        Value::Bool(_) | Value::Number(_) => *one == plain,
        _ => false,
    };
    match claim {
        Value::Array(all) => all.iter().any(is),
        one => is(one),
    }
}

fn refused(why: &str) -> Error {
    Error::new(ErrorKind::SignInRefused, why)
}
