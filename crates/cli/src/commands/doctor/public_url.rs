//! Checks whether users' browsers can use the public URL.

use std::net::ToSocketAddrs as _;

use http::Uri;
use stead_core::environment::{EnvironmentOptions, Examination, MovedPublicUrl, Probe};

use super::Finding;

const CHECK: &str = "public_url";
const REMEDY: &str = "Set --public-url or STEAD_PUBLIC_URL to the address at which browsers reach Stead, such as https://stead.example.com";

/// The findings without a request, and the address of the service's health check.
pub(super) async fn look(public_url: Option<&str>) -> (Vec<Finding>, Option<String>) {
    let Some(url) = public_url else {
        let finding = Finding::warning(CHECK, "the public URL isn't set", REMEDY);
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
        Ok(true) => Finding::ok(CHECK, format!("{url} is valid, and its host resolves")),
        _ => Finding::warning(
            CHECK,
            format!("this machine can't resolve the host of {url}"),
            format!(
                "Check its DNS record, for example with: getent hosts {}",
                host.unwrap_or_default()
            ),
        ),
    };
    (vec![finding], Some(health))
}

/// Whether redirect URIs were registered under another public URL.
pub(super) fn moved(moved: Option<&MovedPublicUrl>) -> Option<Finding> {
    let moved = moved?;
    let uris = moved.redirect_uris.iter();
    let uris: String = uris
        .map(|(name, uri)| format!("\n{:22}  {name}  {uri}", ""))
        .collect();
    Some(Finding::warning(
        CHECK,
        format!(
            "it was {} when you registered the redirect URIs",
            moved.former
        ),
        format!(
            "Register these redirect URIs at the products. Then start the service once with --public-url-changed:{uris}"
        ),
    ))
}

/// The service's response at the public URL, if it was called.
pub(super) fn asked(others: &[String], examination: &Examination) -> Vec<Finding> {
    let probes = others
        .iter()
        .filter_map(|url| Some((url, examination.addresses.get(url)?)));
    probes
        .map(|(url, probe)| match probe {
            Probe::Response(200, _) => Finding::ok(CHECK, format!("{url} responds")),
            Probe::Response(status, _) => Finding::error(
                CHECK,
                format!("{url} responds with {status}"),
                "Configure the reverse proxy to pass every path to the address on which `stead serve` listens.",
            ),
            Probe::Failed(why) if why.contains("certificate") => Finding::error(
                CHECK,
                format!("can't reach {url}: {why}"),
                "Browsers refuse it too, unless they trust its authority. Install a certificate for this name from a public authority on your reverse proxy.",
            ),
            Probe::Failed(why) => Finding::error(
                CHECK,
                format!("can't reach {url}: {why}"),
                "Start the service with `stead serve`, and put a reverse proxy with TLS in front of it.",
            ),
            other => Finding::warning(CHECK, format!("{url}: {other:?}"), REMEDY),
        })
        .collect()
}
