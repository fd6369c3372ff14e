//! Scopes: the meaning of a permission, the scopes that a link requests, and those to request after an error.

use std::collections::BTreeSet;

use super::Connection;
use crate::{
    Error, Result,
    error::{AuthorizationRequest, Violation, Violations},
    identifier::Identifier,
    product::{Permissions, Preset, Product, settings::MORE_SCOPES},
};

/// Maximum number of permissions of a connection, and of scopes of a link.
const MOST: usize = 100;
/// Minimum similarity of the names that an error suggests.
const ALIKE: f64 = 0.8;
const RULE: &str = "a permission has 1 to 200 visible characters, no quotes and no spaces";

/// The permissions of a connection or the scopes of a link in stored form: full names without repetitions. `member` is
/// the member of the request that has them.
pub(crate) fn read_permissions(
    product: &Product,
    given: Option<&[String]>,
    member: &str,
) -> Result<Vec<String>> {
    read_changed(product, &[], given, member)
}

/// The same for a connection with `stored` permissions. Stored ones stay, even if the product no longer knows them.
pub(crate) fn read_changed(
    product: &Product,
    stored: &[String],
    given: Option<&[String]>,
    member: &str,
) -> Result<Vec<String>> {
    let Some(given) = given else {
        return Ok(Vec::new());
    };
    if product.oauth.permissions == Permissions::None && !given.is_empty() {
        let none = format!(
            "connections of {} don't use permissions; leave them out",
            product.name
        );
        return Err(Error::invalid_at(format!("/{member}"), none));
    }
    if given.len() > MOST {
        let many = format!("expected at most {MOST} permissions");
        return Err(Error::invalid_at(format!("/{member}"), many));
    }
    let mut kept = Vec::with_capacity(given.len());
    let mut violations = Vec::new();
    for (index, permission) in given.iter().enumerate() {
        let read = match (stored.contains(permission), product.preset(permission)) {
            (true, _) => Ok(vec![permission.clone()]),
            (false, Some(preset)) => Ok(owned(preset.scopes)),
            (false, None) => read_permission(product, permission).map(|full| vec![full]),
        };
        match read {
            Ok(names) => names.into_iter().for_each(|full| {
                if !kept.contains(&full) {
                    kept.push(full);
                }
            }),
            Err((keyword, message)) => {
                violations.push(Violation::new(
                    format!("/{member}/{index}"),
                    keyword,
                    message,
                ));
            }
        }
    }
    for (narrow, wider) in narrowed(product, &kept) {
        if stored.contains(narrow) && stored.contains(wider) {
            continue;
        }
        let is_in = |preset: &Preset| preset.scopes.contains(&narrow.as_str());
        let index = given.iter().position(|one| {
            full_name(product, one).as_ref() == Ok(narrow) || product.preset(one).is_some_and(is_in)
        });
        let (narrow, wider) = (short_name(product, narrow), short_name(product, wider));
        let message = format!("{narrow} restricts what {wider} allows; leave one of them out");
        let place = format!("/{member}/{}", index.unwrap_or_default());
        violations.push(Violation::new(place, "not", message));
    }
    if violations.is_empty() {
        Ok(kept)
    } else {
        Err(Error::invalid(violations))
    }
}

/// Finds each scope that restricts another one in the list, and returns both.
fn narrowed<'s>(product: &Product, scopes: &'s [String]) -> Vec<(&'s String, &'s String)> {
    let is = |name: &'static str| move |scope: &&String| scope.as_str() == name;
    let pairs = product.oauth.narrowing_scopes.iter();
    pairs
        .filter_map(|(narrow, wider)| {
            let wider = wider
                .0
                .iter()
                .find_map(|name| scopes.iter().find(is(name)))?;
            Some((scopes.iter().find(is(narrow))?, wider))
        })
        .collect()
}

/// Removes each scope that restricts another one in the list.
fn without_narrowed(product: &Product, mut scopes: Vec<String>) -> Vec<String> {
    let drop: Vec<String> = narrowed(product, &scopes)
        .into_iter()
        .map(|(narrow, _)| narrow.clone())
        .collect();
    scopes.retain(|scope| !drop.contains(scope));
    scopes
}

/// Scopes that a user has granted, as another platform names them: full names without repetitions. Unknown scopes stay,
/// as they do if a token response has them.
pub(crate) fn read_granted(product: &Product, given: &[String]) -> Result<Vec<String>> {
    let mut kept = Vec::with_capacity(given.len());
    let mut violations = Violations::default();
    if given.len() > MOST {
        violations.add(
            "/scopes",
            "maxItems",
            format!("expected at most {MOST} scopes"),
        );
    }
    for (index, scope) in given.iter().enumerate() {
        let capabilities = product.oauth.permissions == Permissions::Capabilities;
        if !well_formed(scope, capabilities) {
            violations.add(&format!("/scopes/{index}"), "format", RULE);
            continue;
        }
        let full = full_name(product, scope).unwrap_or_else(|_| scope.clone());
        if !kept.contains(&full) {
            kept.push(full);
        }
    }
    match violations.is_empty() {
        true => Ok(kept),
        false => Err(Error::invalid(violations.into_list())),
    }
}

/// Scopes that were requested but not granted. If the user can't choose, a scope that the response omits isn't missing.
pub(crate) fn missing_scopes(
    product: &Product,
    asked: &[String],
    granted: &[String],
) -> Vec<String> {
    if !matches!(product.oauth.permissions, Permissions::Scopes { .. }) {
        return Vec::new();
    }
    asked
        .iter()
        .filter(|scope| !granted.contains(scope) && scope.as_str() != "openid")
        .cloned()
        .collect()
}

/// Checks that a scope or capability is visible ASCII without quotes (RFC 6749, 3.3), and that the product has it.
fn read_permission(product: &Product, given: &str) -> Result<String, (&'static str, String)> {
    let capabilities = product.oauth.permissions == Permissions::Capabilities;
    if !well_formed(given, capabilities) {
        return Err(("format", RULE.to_owned()));
    }
    let unknown =
        |what: &str, known: &BTreeSet<&str>| ("enum", unknown_scope(product, what, given, known));
    if capabilities {
        let of_tools = product.capabilities.iter().map(|(name, _)| *name);
        let known: BTreeSet<&str> = product.described_scopes().chain(of_tools).collect();
        // A product without described scopes accepts all.
        return match known.is_empty() || known.contains(given) {
            true => Ok(given.to_owned()),
            false => Err(unknown("capability", &known)),
        };
    }
    full_name(product, given).map_err(|known| unknown("scope", &known))
}

fn well_formed(given: &str, capabilities: bool) -> bool {
    let allowed =
        |byte| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e) || capabilities && byte == b' ';
    (1..=200).contains(&given.len()) && given.bytes().all(allowed)
}

/// The short name of a scope, without the prefix that all scopes of the product share.
fn short_name<'s>(product: &Product, scope: &'s str) -> &'s str {
    let prefix = product.oauth.scope_prefix;
    scope.strip_prefix(prefix).unwrap_or(scope)
}

/// The message for a scope or capability that the product doesn't have, with similar names.
fn unknown_scope(product: &Product, what: &str, given: &str, known: &BTreeSet<&str>) -> String {
    let short = |scope: &str| short_name(product, scope).to_owned();
    // Two URLs aren't similar just because both are URLs.
    let plain = |scope: &str| short(scope).replace("https://", "");
    let mut alike: Vec<(f64, String)> = known
        .iter()
        .map(|scope| {
            (
                strsim::jaro_winkler(&plain(scope), &plain(given)),
                short(scope),
            )
        })
        .filter(|(score, _)| *score >= ALIKE)
        .collect();
    alike.sort_by(|one, other| other.0.total_cmp(&one.0));
    let names: Vec<String> = alike.into_iter().take(3).map(|(_, scope)| scope).collect();
    let hint = if names.is_empty() {
        let presets = product.presets.iter().map(|preset| preset.name.to_owned());
        let all: Vec<String> = presets
            .chain(known.iter().map(|scope| short(scope)))
            .collect();
        format!("it has {}", all.join(", "))
    } else {
        format!("did you mean {}?", names.join(", "))
    };
    let more = match product.oauth.permissions {
        Permissions::Scopes { .. } if given.contains("://") => {
            format!(" (if Stead doesn't know the scope yet, add it to the setting {MORE_SCOPES})")
        }
        _ => String::new(),
    };
    format!("{given} isn't a {what} of {}; {hint}{more}", product.name)
}

fn owned(scopes: &[&str]) -> Vec<String> {
    scopes.iter().map(|scope| (*scope).to_owned()).collect()
}

/// The full name of a scope. If the product doesn't have it, all names that it has.
fn full_name<'p>(product: &'p Product, given: &str) -> Result<String, BTreeSet<&'p str>> {
    let known = known_scopes(product);
    let alias = product
        .oauth
        .scope_aliases
        .iter()
        .find(|(alias, _)| *alias == given)
        .map(|(_, scope)| *scope);
    let long = format!("{}{given}", product.oauth.scope_prefix);
    [alias.unwrap_or(given), long.as_str()]
        .into_iter()
        .find(|name| known.contains(name))
        .map(str::to_owned)
        .ok_or(known)
}

fn known_scopes(product: &Product) -> BTreeSet<&str> {
    let described = product.described_scopes();
    let aliased = product.oauth.scope_aliases.iter().map(|(_, scope)| *scope);
    let of_tools = product
        .tools
        .iter()
        .flat_map(|tool| tool.scopes().0)
        .copied();
    let (always, default) = match product.oauth.permissions {
        Permissions::Scopes { always, default } => (always, default),
        _ => (&[][..], &[][..]),
    };
    let asked = always.iter().chain(default).copied();
    described
        .chain(aliased)
        .chain(of_tools)
        .chain(asked)
        .collect()
}

/// The scopes that a link requests: the given ones or the connection's permissions. They include all scopes that the
/// user has already granted, because the product would revoke omitted ones.
pub(crate) fn asked_scopes(
    product: &Product,
    connection: &Connection,
    given: Option<&[String]>,
    granted: &[String],
) -> Result<Vec<String>> {
    let derived = product.derived(&connection.settings)?.scopes;
    let Permissions::Scopes { always, default } = product.oauth.permissions else {
        return Ok(derived);
    };
    let own: Vec<String> = match given {
        Some(given) => given.to_vec(),
        None if connection.permissions.is_empty() => owned(default),
        None => connection.permissions.clone(),
    };
    let mut scopes: Vec<String> = Vec::new();
    for scope in owned(always)
        .into_iter()
        .chain(derived)
        .chain(own)
        .chain(granted.iter().cloned())
    {
        // Old connections may still have short names.
        let scope = full_name(product, &scope).unwrap_or(scope);
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    Ok(without_narrowed(product, scopes))
}

/// The scopes to request so that the user keeps all granted ones and a call that needs one of `needed` succeeds. A
/// granted scope that would still prevent the call is omitted.
pub(crate) fn authorization_request(
    product: &Product,
    connection: &Connection,
    identifier: &Identifier,
    granted: &[String],
    needed: &[&str],
) -> AuthorizationRequest {
    let mut scopes = Vec::new();
    if let Permissions::Scopes { .. } = product.oauth.permissions {
        scopes = asked_scopes(product, connection, None, granted).unwrap_or_default();
        if !needed
            .iter()
            .any(|one| scopes.iter().any(|scope| scope == one))
        {
            scopes.extend(needed.first().map(|scope| (*scope).to_owned()));
        }
        scopes = without_narrowed(product, scopes);
    }
    AuthorizationRequest::new(connection.name.as_str(), identifier.as_str(), scopes)
}

#[cfg(test)]
mod tests;
