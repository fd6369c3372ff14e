//! Checks each connection: whether it's ready, whether the product accepts its client, and whether its endpoints
//! respond.

use std::collections::BTreeMap;

use stead_core::{
    environment::{Examination, ExaminedConnection, Probe},
    state::{ConnectionHealth, ConnectionState},
};

use super::Finding;

const CHECK: &str = "connections";

pub(super) fn look(examination: &Examination) -> Vec<Finding> {
    if examination.connections.is_empty() {
        return vec![Finding::warning(
            CHECK,
            "there are no connections yet",
            "Create one: stead connections create NAME --product PRODUCT --client-id ID --client-secret-file FILE",
        )];
    }
    let each = examination.connections.iter();
    let mut findings: Vec<Finding> = each
        .flat_map(|connection| one(connection, examination))
        .collect();
    findings.extend(unreached(examination));
    findings
}

/// Each endpoint that doesn't respond, with the connections that need it.
fn unreached(examination: &Examination) -> Vec<Finding> {
    let mut needed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for connection in &examination.connections {
        for url in failed(connection, examination) {
            let names = needed.entry(url).or_default();
            names.push(connection.name.as_str());
        }
    }
    let each = needed.into_iter().map(|(url, names)| {
        let why = match examination.addresses.get(url) {
            Some(Probe::Failed(why)) => why.as_str(),
            _ => "",
        };
        Finding::error(
            CHECK,
            format!("{}: can't reach {url}: {why}", names.join(", ")),
            format!(
                "Check this machine's network: curl -sI {url}\n{:22}Check the product's settings in the file of --config.",
                ""
            ),
        )
    });
    each.collect()
}

/// The endpoints of a connection that don't respond.
fn failed<'a>(
    connection: &'a ExaminedConnection,
    examination: &'a Examination,
) -> impl Iterator<Item = &'a str> {
    let is_failed =
        |url: &&String| matches!(examination.addresses.get(*url), Some(Probe::Failed(_)));
    connection.urls.iter().filter(is_failed).map(String::as_str)
}

fn one(connection: &ExaminedConnection, examination: &Examination) -> Vec<Finding> {
    let (name, urls) = (&connection.name, &connection.urls);
    let mut findings = Vec::new();
    if connection.health == ConnectionHealth::ClientRejected {
        findings.push(Finding::error(
            CHECK,
            format!("the product refuses the client ID or secret of {name}"),
            format!("Copy both from the product again: stead connections change {name} --client-id ID --client-secret-file FILE"),
        ));
    }
    match connection.state {
        ConnectionState::Ready => {}
        ConnectionState::Disabled => findings.push(Finding::warning(
            CHECK,
            format!("{name} is disabled"),
            format!("To enable it: stead connections change {name} --enable"),
        )),
        _ => findings.push(Finding::warning(
            CHECK,
            format!("{name} is a draft without an OAuth client"),
            format!(
                "Set its client: stead connections change {name} --client-id ID --client-secret-file FILE"
            ),
        )),
    }
    if urls.is_empty() {
        findings.push(Finding::error(
            CHECK,
            format!(
                "the endpoints of {name} ({}) are unknown",
                connection.product
            ),
            format!("Check its settings: stead connections show {name}"),
        ));
    }
    if findings.is_empty() && failed(connection, examination).next().is_none() {
        let message = format!("{name} is ready, and its endpoints respond");
        findings.push(Finding::ok(CHECK, message));
    }
    findings
}
