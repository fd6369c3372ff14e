//! The addresses from which the user can send.

use serde_json::Value;
use stead_core::{
    Error, ErrorKind, Result,
    error::Violation,
    tool::{ApiRequest, Call, Io},
};
use stead_google::items;

use crate::{compose, scopes};

/// An address from which the user can send (Gmail API, `SendAs`).
struct Alias {
    email: String,
    is_verified: bool,
    /// Whether the user sends from it by default.
    is_default: bool,
    /// HTML; empty if the user has set none.
    signature: String,
}

/// Refuses a sender from which the user can't send. Gmail would replace it without an error by the user's own address.
/// Returns the sender's signature in HTML, if the mail needs it and the user has set one.
pub(crate) async fn check_sender(
    call: &Call,
    io: &Io<'_>,
    from: Option<&str>,
    needs_signature: Option<bool>,
) -> Result<Option<String>> {
    let needs_signature = needs_signature.unwrap_or_default();
    let sender = match from.map(compose::single) {
        // Composing the mail names what is wrong with it.
        Some(Err(_)) => return Ok(None),
        Some(Ok(sender)) => Some(sender),
        None if needs_signature => None,
        None => return Ok(None),
    };
    if !call.has_scope(scopes::ALIASES) {
        let message = match needs_signature {
            true => {
                "the user hasn't allowed reading the account's settings, so Stead can't add the signature; leave out \
                 `include_signature`, or create a link that asks for it"
            }
            false => {
                "the user hasn't allowed reading the addresses of the account, so Stead can't check `from`; leave it out, or \
                 create a link that asks for this permission"
            }
        };
        return Err(Error::new(ErrorKind::ScopeMissing, message)
            .with_required_scopes(scopes::ALIASES.0.iter().copied()));
    }
    let aliases = aliases(io).await?;
    let alias = match sender {
        Some(sender) => Some(usable(&aliases, &sender.email)?),
        None => aliases.iter().find(|alias| alias.is_default),
    };
    let signature = alias.map(|alias| alias.signature.clone());
    Ok(signature.filter(|signature| needs_signature && !signature.is_empty()))
}

fn usable<'a>(aliases: &'a [Alias], email: &str) -> Result<&'a Alias> {
    let mut known = aliases.iter();
    let why = match known.find(|alias| alias.email.eq_ignore_ascii_case(email)) {
        Some(alias) if alias.is_verified => return Ok(alias),
        Some(_) => "isn't verified yet; the user confirms it in Gmail's settings",
        None => "isn't an address from which the user can send",
    };
    let usable = aliases.iter().filter(|alias| alias.is_verified);
    let usable: Vec<&str> = usable.map(|alias| alias.email.as_str()).collect();
    let message = format!("{email} {why}; these are: {}", usable.join(", "));
    Err(Error::violations(vec![Violation::new(
        "/from", "enum", message,
    )]))
}

/// The user's own addresses, in lower case, as far as the granted scopes can read them.
pub(crate) async fn own_addresses(call: &Call, io: &Io<'_>) -> Result<Vec<String>> {
    if call.has_scope(scopes::ALIASES) {
        let aliases = aliases(io).await?.into_iter();
        return Ok(aliases.map(|alias| alias.email.to_lowercase()).collect());
    }
    let profile: Value = io.send(ApiRequest::get(["profile"])).await?.json()?;
    let own = profile["emailAddress"].as_str().map(str::to_lowercase);
    Ok(own.into_iter().collect())
}

/// Gmail API, `users.settings.sendAs.list`.
async fn aliases(io: &Io<'_>) -> Result<Vec<Alias>> {
    let response = io.send(ApiRequest::get(["settings", "sendAs"])).await?;
    let aliases = items(&mut response.json()?, "sendAs").into_iter();
    let aliases = aliases.filter_map(|alias| {
        let is_verified = match alias["verificationStatus"].as_str() {
            // The account's own address has no status.
            None => true,
            Some(status) => status == "accepted",
        };
        Some(Alias {
            email: alias["sendAsEmail"].as_str()?.to_owned(),
            is_verified,
            is_default: alias["isDefault"] == true,
            signature: alias["signature"]
                .as_str()
                .unwrap_or_default()
                .trim()
                .to_owned(),
        })
    });
    Ok(aliases.collect())
}
