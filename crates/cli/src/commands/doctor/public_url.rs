//! The public URL: whether users' browsers can use it.

use std::net::ToSocketAddrs as _;

use http::Uri;
use stead::core::environment::{EnvironmentOptions, Examination, MovedPublicUrl, Probe};

use super::Finding;

const CHECK: &str = "public_url";
const REMEDY: &str = "Give --public-url or STEAD_PUBLIC_URL the address at which browsers reach the service, such as https://stead.example.com";

/// What is found without asking anybody, and the address at which the service behind it says that it lives.
pub(super) async fn look(public_url: Option<&str>) -> (Vec<Finding>, Option<String>) {
    let Some(url) = public_url else {
        let finding = Finding::warning(CHECK, "it was not given", REMEDY);
        return (vec![finding], None);
    };
    if let Err(error) = EnvironmentOptions::new(url) {
        let message = format!("{url}: {}", error.message());
        return (vec![Finding::error(CHECK, message, REMEDY)], None);
    }
    let health = format!("{}/healthz", url.trim_end_matches('/'));
    let parsed: Option<Uri> = url.parse().ok();
    let address = parsed.as_ref().and_then(|uri| {
        let host = uri.host()?.trim_matches(['[', ']']).to_owned();
        let port = if uri.scheme_str() == Some("http") {
            80
        } else {
            443
        };
        Some((host, uri.port_u16().unwrap_or(port)))
    });
    let host = address.as_ref().map(|(host, _)| host.clone());
    let resolves = tokio::task::spawn_blocking(move || {
        address.is_some_and(|address| address.to_socket_addrs().is_ok())
    });
    let finding = match resolves.await {
        Ok(true) => Finding::ok(
            CHECK,
            format!("{url} is well formed, and its host resolves"),
        ),
        _ => Finding::warning(
            CHECK,
            format!("the host of {url} does not resolve from this machine"),
            format!(
                "Check its DNS record, such as with: getent hosts {}",
                host.unwrap_or_default()
            ),
        ),
    };
    (vec![finding], Some(health))
}

/// Whether redirect URIs were handed out under another public URL.
pub(super) fn moved(moved: Option<&MovedPublicUrl>) -> Option<Finding> {
    let moved = moved?;
    let uris = moved.redirect_uris.iter();
    let uris: String = uris
        .map(|(name, uri)| format!("\n{:22}  {name}  {uri}", ""))
        .collect();
    Some(Finding::warning(
        CHECK,
        format!(
            "it was {} when the redirect URIs were registered at the products",
            moved.former
        ),
        format!(
            "Register these redirect URIs, and then start the service once with --public-url-changed:{uris}"
        ),
    ))
}

/// What the service behind it said, where it was asked.
pub(super) fn asked(others: &[String], examination: &Examination) -> Vec<Finding> {
    let probes = others
        .iter()
        .filter_map(|url| Some((url, examination.addresses.get(url)?)));
    probes
        .map(|(url, probe)| match probe {
            Probe::Response(200, _) => Finding::ok(CHECK, format!("{url} is answered")),
            Probe::Response(status, _) => Finding::error(
                CHECK,
                format!("{url} is answered with {status}"),
                "Let the reverse proxy pass every path to the address on which `stead serve` listens.",
            ),
            Probe::Failed(why) if why.contains("certificate") => Finding::error(
                CHECK,
                format!("{url} cannot be reached: {why}"),
                "Browsers refuse it too, unless they know its authority. Give the proxy in front of Stead a certificate for this name from a public authority.",
            ),
            Probe::Failed(why) => Finding::error(
                CHECK,
                format!("{url} cannot be reached: {why}"),
                "Start the service with `stead serve`, and put a proxy with TLS in front of it.",
            ),
            other => Finding::warning(CHECK, format!("{url}: {other:?}"), REMEDY),
        })
        .collect()
}
