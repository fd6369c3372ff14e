//! Checks how a product and its tools describe themselves.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use stead_core::{
    catalogue::CatalogueTool,
    product::{Permissions, ProxyRoute},
    tool::Effect,
};

use super::{Faults, Subject, schemas::is_name, with_host};

/// Longest description that all model vendors accept.
const LONGEST_DESCRIPTION: usize = 1024;

/// Each pair of name and version is unique. Names start with the product's name, and all model vendors accept them.
pub(super) fn names_are_unique_and_prefixed(subject: &Subject, faults: &mut Faults) {
    let prefix = format!("{}_", subject.product.name);
    let mut seen = BTreeSet::new();
    for entry in subject.product.tools {
        let name = entry.name();
        if !name.starts_with(&prefix) || !is_name(name) {
            faults.add(format_args!(
                "{name}: a name is {prefix} and lower-case words, at most 64 characters"
            ));
        }
        for known_as in [name].iter().chain(entry.aliases()) {
            if !seen.insert((*known_as, entry.version())) {
                faults.add(format_args!("{known_as} {}: twice", entry.version()));
            }
        }
    }
    if subject.product.tools.is_empty() {
        faults.add("no tools");
    }
    for name in subject.product.core_tools {
        let mut tools = subject.product.tools.iter();
        if !tools.any(|entry| entry.name() == *name) {
            faults.add(format_args!(
                "{name}: in core_tools, but there is no such tool"
            ));
        }
    }
}

/// Versions are dates.
pub(super) fn versions_are_dates(subject: &Subject, faults: &mut Faults) {
    let is_date =
        |version: &str| version.len() == 10 && version.parse::<jiff::civil::Date>().is_ok();
    for entry in subject.product.tools {
        if !is_date(entry.version()) {
            faults.add(format_args!("{entry:?}: expected YYYY-MM-DD"));
        }
    }
}

/// Every tool has a description that no vendor finds too long, and so does every parameter at any depth.
pub(super) fn tools_and_parameters_are_described(
    _: &Subject,
    tool: &CatalogueTool,
    faults: &mut Faults,
) {
    match tool.schema() {
        Ok(schema) => {
            faults.extend(text_fault(schema.description()));
            describe(schema.schema(), "", faults);
        }
        Err(error) => faults.add(error),
    }
}

/// Reports every member of a schema whose description is missing or too long.
pub(super) fn describe(node: &Value, path: &str, faults: &mut Faults) {
    for (name, child) in node["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}/{name}");
        if let Some(fault) = text_fault(child["description"].as_str().unwrap_or_default()) {
            faults.at(&path, fault);
        }
        describe(child, &path, faults);
    }
    if node["items"].is_object() {
        describe(&node["items"], &format!("{path}/items"), faults);
    }
    for option in node["anyOf"].as_array().into_iter().flatten() {
        describe(option, path, faults);
    }
}

fn text_fault(description: &str) -> Option<String> {
    let length = description.chars().count();
    match length {
        0..10 => Some(String::from("has no description")),
        _ if length > LONGEST_DESCRIPTION => Some(format!(
            "its description has {length} characters; {LONGEST_DESCRIPTION} are taken everywhere"
        )),
        _ => None,
    }
}

/// If the product has scopes, each tool names the scopes it needs, and a default scope or a preset covers every tool.
pub(super) fn scopes_are_declared(subject: &Subject, faults: &mut Faults) {
    let granted: Option<Vec<&str>> = match subject.product.oauth.permissions {
        Permissions::Scopes { always, default } => {
            let presets = subject.product.presets.iter();
            let presets = presets.flat_map(|preset| preset.scopes);
            Some(
                always
                    .iter()
                    .chain(default)
                    .chain(presets)
                    .copied()
                    .collect(),
            )
        }
        _ => None,
    };
    for entry in subject.product.tools {
        let scopes = entry.scopes();
        let fault = match &granted {
            None if !scopes.0.is_empty() => "the product has no scopes",
            Some(_) if scopes.0.is_empty() => "names no scope",
            Some(granted) if !scopes.covered_by(granted) => {
                "neither the product's default scopes nor a preset covers it"
            }
            _ => continue,
        };
        faults.add(format_args!("{entry:?}: {fault}"));
    }
}

/// The setup guide and the test of a connection only name tools and settings that exist. The test's tools are
/// read-only.
pub(super) fn guides_name_existing_tools_and_settings(subject: &Subject, faults: &mut Faults) {
    let product = subject.product;
    for call in product.test_calls {
        let tool = subject
            .tools()
            .find(|tool| tool.entry().name() == call.tool);
        let is_good = tool.is_some_and(|tool| {
            let schema = tool.schema().ok();
            let input = serde_json::from_str::<Value>(call.input).ok();
            let is_valid = schema
                .zip(input)
                .is_some_and(|(schema, mut input)| schema.validate(&mut input).is_ok());
            is_valid && tool.entry().effect() == Effect::Read
        });
        if !is_good {
            faults.add(format_args!("{}: no test of a connection", call.tool));
        }
    }
    for name in product.capabilities.iter().flat_map(|(_, tools)| *tools) {
        if !product.tools.iter().any(|entry| entry.name() == *name) {
            faults.add(format_args!(
                "{name}: a capability enables what there is not"
            ));
        }
    }
    for field in product.setting_fields {
        let given = Map::from_iter([(field.name.to_owned(), Value::Null)]);
        let place = format!("/settings/{}", field.name);
        let unknown = (product.settings)(&given).err().is_some_and(|error| {
            let mut violations = error.violation_list().iter();
            violations.any(|one| one.path == place && one.keyword == "additionalProperties")
        });
        if unknown {
            faults.add(format_args!(
                "{}: the product has no such setting",
                field.name
            ));
        }
    }
}

/// Origins are HTTPS hosts without a path, OAuth endpoints are HTTPS, and names are unique.
pub(super) fn origins_are_plain(subject: &Subject, faults: &mut Faults) {
    let mut names = BTreeSet::new();
    for origin in subject.product.origins {
        let address = with_host(origin.url);
        let plain = url::Url::parse(&address).is_ok_and(|url| {
            url.scheme() == "https"
                && format!("{}://{}", url.scheme(), url.host_str().unwrap_or_default()) == address
        });
        if !plain {
            faults.add(format_args!("{}: expected https://host", origin.url));
        }
        if !origin.base.is_empty() && !is_plain_path(origin.base) {
            faults.add(format_args!(
                "{}: a base is empty, or starts with a slash and ends without one",
                origin.base
            ));
        }
        if origin.name.is_empty() || !names.insert(origin.name) {
            faults.add(format_args!(
                "{}: an origin has a name of its own",
                origin.url
            ));
        }
    }
    if subject.product.origins.is_empty() {
        faults.add("no origin");
    }
    let oauth = &subject.product.oauth;
    for endpoint in [oauth.authorize, oauth.token]
        .into_iter()
        .chain(oauth.revoke)
    {
        if !endpoint.starts_with("https://") {
            faults.add(format_args!("{endpoint:?}: an OAuth endpoint is HTTPS"));
        }
    }
}

/// Every route leads to a known origin by a plain path, and no earlier route hides it.
pub(super) fn proxy_routes_are_well_formed(subject: &Subject, faults: &mut Faults) {
    let routes = subject.product.proxy.routes;
    for (index, route) in routes.iter().enumerate() {
        for path in [route.prefix, route.rewrite] {
            if !is_plain_path(path) {
                faults.add(format_args!("{path:?}: expected a plain path"));
            }
        }
        if route.origin.is_empty() || subject.product.origin(route.origin).is_none() {
            faults.add(format_args!(
                "{}: no origin {:?}",
                route.prefix, route.origin
            ));
        }
        if let Some(earlier) = routes[..index].iter().find(|earlier| hides(earlier, route)) {
            faults.add(format_args!(
                "{}: hidden behind {}",
                route.prefix, earlier.prefix
            ));
        }
    }
    if routes.is_empty() {
        faults.add("no route: the proxy would take nothing");
    }
}

/// No route of the proxy leads to the authorization, token or revocation endpoint.
pub(super) fn oauth_endpoints_are_not_proxied(subject: &Subject, faults: &mut Faults) {
    let product = subject.product;
    let rules = &product.proxy;
    let oauth = &product.oauth;
    for endpoint in [oauth.authorize, oauth.token]
        .into_iter()
        .chain(oauth.revoke)
    {
        for route in rules.routes {
            let path = product
                .origin(route.origin)
                .and_then(|origin| endpoint.strip_prefix(origin.url));
            let is_below = |place: &str| {
                let rest = path.and_then(|path| path.strip_prefix(place));
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ':']))
            };
            if is_below(route.rewrite) && !rules.refused.is_some_and(is_below) {
                faults.add(format_args!(
                    "{endpoint}: the proxy reaches it through {}",
                    route.prefix
                ));
            }
        }
    }
}

fn hides(earlier: &ProxyRoute, later: &ProxyRoute) -> bool {
    later
        .prefix
        .strip_prefix(earlier.prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ':']))
}

/// Whether a path is a list of segments, each after a slash, of unreserved characters, and without dot segments.
fn is_plain_path(path: &str) -> bool {
    let unreserved =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    path.strip_prefix('/').is_some_and(|path| {
        path.split('/')
            .all(|segment| !matches!(segment, "" | "." | "..") && segment.bytes().all(unreserved))
    })
}
